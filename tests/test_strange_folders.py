"""heatproof init on folders as papers publish them: many kinds of files, names and layouts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli.main import main
from heatproof.start import sheets

if TYPE_CHECKING:
    from pathlib import Path

IDS = [f"q{n}" for n in range(8)]


def right(*keys: Any) -> bool:
    """Right or wrong, always the same for the same keys."""
    return sum(map(ord, "".join(map(str, keys)))) % 3 > 0


def lines(records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


class Seen:
    """What init said and wrote."""

    def __init__(self, project: Path, files: dict[str, str | bytes], capsys: Any) -> None:
        for name, text in files.items():
            path = project / "logs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.status = main(["init", "logs"])
        out = capsys.readouterr()
        self.said = out.out + out.err
        config = project / "config.yaml"
        self.config = yaml.safe_load(config.read_text()) if config.exists() else {}
        self.text = config.read_text() if config.exists() else ""

    @property
    def sources(self) -> list[dict[str, Any]]:
        return list(self.config["sources"].values())

    @property
    def source(self) -> dict[str, Any]:
        """The only one."""
        (one,) = self.sources
        return one


@pytest.fixture
def init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    """Write files below logs/, call init, and tell what came of it."""
    monkeypatch.chdir(tmp_path)
    return lambda files: Seen(tmp_path, files, capsys)


@pytest.mark.parametrize("size", range(60, 120, 7))
def test_a_document_may_be_cut_within_a_text(size: int) -> None:
    """Brackets and commas in the text where the beginning ends are none of the document's."""
    text = json.dumps([{"id": n, "said": "a, [b, {c, \\\"d", "correct": True} for n in range(9)])
    found = sheets.document("a.json", text.encode()[:size], whole=False)
    assert not found.fault
    assert found.rows[0]["id"] == 0
