"""results/figures.json: pixels of pictures that were seen before are not looked at again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from heatproof.provenance import kept, pictures, pixels

if TYPE_CHECKING:
    from pathlib import Path

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="9"><rect width="9" height="9"/></svg>'


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The pictures that are drawn for their pixels."""
    monkeypatch.setenv(kept.ALLOWED, "1")
    found: list[bytes] = []
    draw = pixels.of_svg

    def look(data: bytes, ppi: int) -> str:
        found.append(data)
        return draw(data, ppi)

    monkeypatch.setattr(pixels, "of_svg", look)
    return found


def draw(root: Path, **widths: int) -> dict[str, str]:
    """Figures of these widths, with specs that name their ids."""
    for name, width in widths.items():
        (root / f"{name}.svg").write_text(SVG.format(width))
        spec = root / f"results/specs/{name}.vl.json"
        spec.parent.mkdir(parents=True, exist_ok=True)
        spec.write_text(json.dumps({"usermeta": {"heatproof": {"id": f"{name}{width}"}}}))
    return {name: f"{name}.svg" for name in widths}


def test_only_a_new_picture_is_drawn(tmp_path: Path, looked: list[bytes]) -> None:
    """Ids are those of now, pixels those of the same bytes."""
    first = pictures.seen(draw(tmp_path, a=9, b=10), tmp_path, "code")
    again = pictures.seen(draw(tmp_path, a=11, b=10), tmp_path, "code")
    assert [len(data) for data in looked] == [len(SVG) - 1, len(SVG), len(SVG)]
    assert first[1] == again[1]
    assert (again[0].id, again[0].pixels) == ("a11", pixels.of_svg(SVG.format(11).encode(), 72))
    assert len({first[0].pixels, again[0].pixels, again[1].pixels}) == 3


def test_other_code_looks_anew(tmp_path: Path, looked: list[bytes]) -> None:
    """A memo that is damaged counts for nothing."""
    figures = draw(tmp_path, a=9)
    first = pictures.seen(figures, tmp_path, "code")
    assert pictures.seen(figures, tmp_path, "other") == first
    assert len(looked) == 2
    (tmp_path / pictures.MEMO).write_text("{")
    assert pictures.seen(figures, tmp_path, "other") == first
    assert len(looked) == 3


def test_a_forced_run_looks_anew(
    tmp_path: Path, looked: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without leave to keep what there is, each picture is drawn."""
    figures = draw(tmp_path, a=9)
    first = pictures.seen(figures, tmp_path, "code")
    monkeypatch.delenv(kept.ALLOWED)
    assert pictures.seen(figures, tmp_path, "code") == first
    assert len(looked) == 2
