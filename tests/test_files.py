"""Files of figures hold up where they are used: in papers, in other programs, in little space."""

from __future__ import annotations

import copy
import io
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pikepdf
import pytest
from PIL import Image
from vl_convert import svg_to_png

import test_export as exported
from heatproof.export import export, png
from heatproof.export.drawing import draw

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = [{**exported.RECORD, "id": name, "figure": name} for name in ("0123abcd", "4567cdef")]
PAPER = r"""\documentclass{article}\usepackage{graphicx}\begin{document}
\includegraphics[width=2in]{0.pdf} and \includegraphics[width=2in]{1.pdf}
\end{document}"""


def spec(record: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A small figure with faint lines, as ours have."""
    made = copy.deepcopy({**exported.SPEC, "usermeta": {"heatproof": record}, **more})
    made["hconcat"][0]["layer"][0]["mark"] = {
        "type": "rect", "stroke": "#000000", "strokeOpacity": 0.14
    }  # fmt: skip
    return made


@pytest.fixture(scope="module")
def drawn() -> list[dict[str, bytes]]:
    """Two figures as PDF and PNG."""
    return [export.render(spec(record), ["pdf", "png"]) for record in RECORDS]


def test_a_png_holds_three_channels_and_the_pixels_that_were_drawn(drawn: Any) -> None:
    """Much smaller than our renderer packs it, and not one pixel is another."""
    image = svg_to_png(draw(spec(RECORDS[0])).svg, scale=1, ppi=png.PPI)
    made = Image.open(io.BytesIO(drawn[0]["png"]))
    assert made.mode == "RGB"
    assert round(made.info["dpi"][0]) == png.PPI
    assert made.convert("RGBA").tobytes() == Image.open(io.BytesIO(image)).tobytes()
    assert len(drawn[0]["png"]) < 0.5 * len(image)


def test_what_shines_through_stays_so_in_a_png() -> None:
    """A figure without a ground keeps its alpha channel."""
    made = export.render(spec(RECORDS[0], background=None), ["png"])["png"]
    assert Image.open(io.BytesIO(made)).mode == "RGBA"


def test_pixels_of_what_is_no_png_are_refused() -> None:
    """Also of one that breaks off."""
    whole = png.pack(svg_to_png(draw(spec(RECORDS[0])).svg, scale=1, ppi=72), b"a\0b")
    for data in (b"", b"\x89PNG\r\n\x1a\n", whole[:-40], whole[: len(whole) // 2]):
        with pytest.raises(ValueError, match="not a PNG that can be read"):
            png.decode(data)


def test_a_pdf_is_one_tagged_figure(drawn: Any) -> None:
    """A structure tree with a description, to which the whole content of the page belongs."""
    with pikepdf.open(io.BytesIO(drawn[0]["pdf"])) as pdf:
        page = pdf.pages[0]
        document = pdf.Root.StructTreeRoot.K
        figure = document.K
        assert (document.S, figure.S, figure.Pg) == ("/Document", "/Figure", page.obj)
        assert str(figure.Alt) == exported.SPEC["description"]
        assert figure.A.BBox == page.MediaBox
        assert pdf.Root.StructTreeRoot.ParentTree.Nums[1][0] == figure
        assert pdf.Root.MarkInfo.Marked
        marks = [
            (str(one.operator), [str(operand) for operand in one.operands])
            for one in pikepdf.parse_content_stream(page)
        ]
        first, *_, last = [mark for mark in marks if mark[0] != "DP"]
        assert first[0], first[1][0] == ("BDC", "/Figure")
        assert last == ("EMC", [])


def test_a_pdf_needs_no_more_than_latex_includes(drawn: Any) -> None:
    """PDF 1.5 without a page group, and each graphics state once."""
    with pikepdf.open(io.BytesIO(drawn[0]["pdf"])) as pdf:
        page = pdf.pages[0].obj
        assert pdf.pdf_version == "1.5"
        assert "/Group" not in page
        states = page.Resources.ExtGState
        assert len(states.keys()) > 1
        assert len({states[name].objgen for name in dict(states)}) == 1


def latex(engine: str, folder: Path, files: list[bytes]) -> str:
    """Include files in a paper, `paper.pdf`; gives what the engine said."""
    if not shutil.which(engine):
        pytest.skip(f"{engine} is not installed")
    for number, data in enumerate(files):
        (folder / f"{number}.pdf").write_bytes(data)
    (folder / "paper.tex").write_text(PAPER)
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "paper.tex"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex", "xelatex"])
def test_latex_includes_two_figures_without_a_warning(
    drawn: Any, tmp_path: Path, engine: str
) -> None:
    """Neither of versions nor of page groups."""
    said = latex(engine, tmp_path, [one["pdf"] for one in drawn])
    assert (tmp_path / "paper.pdf").exists()
    assert not re.search("warning", said, re.IGNORECASE), said
