"""doctor: what a run needs, each with what mends it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from heatproof.cli.main import main
from heatproof.provenance import health
from heatproof.util import repository

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG = """
sources:
  own: {format: jsonl, logs: "data/*.jsonl", fields: {sample_id: id, score: s},
        params: {ratio: float}, set: {model: m, task: t}}
figures:
  one: {kind: heatmap, source: own, encoding: {x: ratio, y: model, color: pass@1}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project that nothing was built in."""
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.jsonl").write_text('{"id": 1, "s": 1, "ratio": 0.5}\n')
    return tmp_path


def findings(folder: Path, capsys: pytest.CaptureFixture[str], status: int) -> dict[str, Any]:
    """Part → what doctor says of it."""
    assert main(["doctor", "--project", str(folder), "--json"]) == status
    return {one["part"]: one for one in json.loads(capsys.readouterr().out)}


def test_all_is_well(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sound project: its source with its logs, its figure as not drawn; nothing is made."""
    before = sorted(folder.iterdir())
    found = findings(folder, capsys, 0)
    assert found["source own"]["text"] == "jsonl, 1 log"
    assert found["figure one"]["text"] == "not drawn yet"
    assert main(["doctor", "--project", str(folder)]) == 0
    assert capsys.readouterr().out.endswith("all is well\n")
    assert [path for path in sorted(folder.iterdir()) if path.name != ".snakemake"] == before


def mistaken(folder: Path) -> None:
    """A wrong word in the config."""
    (folder / "config.yaml").write_text(CONFIG.replace("heatmap", "heatmp"))


def pointed(folder: Path) -> None:
    """A log that git-LFS has not brought."""
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    (folder / "data/b.jsonl").write_text(text)


def stray(folder: Path) -> None:
    """A file that no job makes."""
    (folder / "results").mkdir()
    (folder / "results/old.svg").write_text("")


@pytest.mark.parametrize(
    ("damage", "part", "told"),
    [
        (mistaken, "config", "did you mean 'heatmap'"),
        (pointed, "source own", "data/b.jsonl; git lfs pull"),
        (stray, "strays", "1 file that no job makes: results/old.svg; heatproof clean"),
    ],
)
def test_what_is_wrong_is_told(
    damage: Callable[[Path], None],
    part: str,
    told: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each with its place and what mends it, and the exit status says so."""
    damage(folder)
    found = findings(folder, capsys, 1)
    assert told in found[part]["text"]
    assert [name for name, one in found.items() if not one["good"]] == [part]


def test_a_folder_without_a_config(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The installation is looked at all the same."""
    monkeypatch.chdir(tmp_path)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "! config" in said


def test_other_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is not as pinned is named with both versions."""
    pins = repository.pinned()
    monkeypatch.setattr(
        repository, "installed", lambda name: "0.0" if name == "polars" else pins.get(name, "")
    )
    found = {one.part: one for one in health.installation(Path())}
    assert f"polars 0.0 (pinned: {pins['polars']})" in found["packages"].text
    assert not found["packages"].good


@pytest.mark.workflow
def test_a_build_is_up_to_date(small: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Cells with a value are counted, and none waits to be made anew."""
    found = findings(small.root, capsys, 0)
    said = [one["text"] for part, one in found.items() if part.startswith("figure")]
    assert said
    assert all(text.endswith("up to date") for text in said)
    assert any("with a value" in text for text in said)
