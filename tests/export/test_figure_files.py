"""Files of figures hold up where they are used: in papers, in other programs, in little space."""

import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from PIL import Image, ImageChops, ImageStat
from vl_convert import svg_to_png

from heatproof.charts import typefaces
from heatproof.export import export
from heatproof.export.drawing import draw
from support.specs import RECORDS, SPEC, with_record


@pytest.fixture(scope="module")
def drawn() -> list[dict[str, bytes]]:
    """Two figures."""
    formats = ["pdf", "png", "svg", "svg-text"]
    return [export.render(with_record(record), formats) for record in RECORDS]


def test_a_png_holds_three_channels_and_the_pixels_that_were_drawn(drawn: Any) -> None:
    """Much smaller than our renderer packs it, and not one pixel is another."""
    image = svg_to_png(draw(with_record(RECORDS[0])).svg, scale=1, ppi=export.PPI)
    made = Image.open(io.BytesIO(drawn[0]["png"]))
    assert made.mode == "RGB"
    assert round(made.info["dpi"][0]) == export.PPI
    assert made.convert("RGBA").tobytes() == Image.open(io.BytesIO(image)).tobytes()
    assert len(drawn[0]["png"]) < 0.5 * len(image)


def test_few_colours_come_with_a_palette() -> None:
    """A figure of a few greys is smaller so, and the same to the pixel."""
    few = {"layer": [{"mark": "rect", "encoding": {"fill": {"value": "#888"}}}], "title": ""}
    figure = {**few, "data": {"values": [{}]}, "width": 90, "height": 60, "background": "#fff"}
    image = svg_to_png(draw(figure).svg, scale=1, ppi=export.PPI)
    made = Image.open(io.BytesIO(export.png(draw(figure))))
    assert made.mode == "P"
    assert made.convert("RGBA").tobytes() == Image.open(io.BytesIO(image)).tobytes()
    made = export.render(with_record(RECORDS[0], background=None), ["png"])["png"]
    assert Image.open(io.BytesIO(made)).mode == "RGBA"  # what shines through


def test_a_pdf_is_one_tagged_figure(drawn: Any) -> None:
    """A structure tree with a description, to which the whole content of the page belongs."""
    with pikepdf.open(io.BytesIO(drawn[0]["pdf"])) as pdf:
        page = pdf.pages[0]
        document = pdf.Root.StructTreeRoot.K
        figure = document.K
        assert (document.S, figure.S, figure.Pg) == ("/Document", "/Figure", page.obj)
        assert str(figure.Alt) == SPEC["description"]
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


def picture(svg: bytes, program: str, folder: Path) -> Image.Image:
    """An SVG as another program draws it, at twice its size."""
    if program == "ours":
        data = svg_to_png(svg.decode(), scale=2, ppi=72)
    elif path := shutil.which(program):
        (folder / "a.svg").write_bytes(svg)
        subprocess.run([path, "-z", "2", "-o", "a.png", "a.svg"], cwd=folder, check=True)
        data = (folder / "a.png").read_bytes()
    else:
        pytest.skip(f"{program} is not installed")
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("L")


@pytest.mark.parametrize(("program", "typeface"), [("ours", "serif"), ("rsvg-convert", "sans")])
def test_an_outlined_svg_is_the_same_picture_everywhere(
    tmp_path: Path, program: str, typeface: str
) -> None:
    """Not one grey level of ten on average, and nowhere black for white, in programs without fonts.

    Turned and anchored text, and text of several lines, are where they were.
    """
    lines = {"text": ["Two lines <&>", "fi \u2212 0.5"], "anchor": "end", "fontStyle": "italic"}
    font = {"font": typefaces.TYPEFACES[typeface].stack}
    figure = with_record(RECORDS[0], title={**lines, **font}, config=font)
    figure["hconcat"][1]["layer"][1]["encoding"]["text"] = {"value": ""}  # empty elements
    made = export.render(figure, ["png", "svg"])
    assert b"<text" not in made["svg"]
    outlined = picture(made["svg"], program, tmp_path)
    ours = Image.open(io.BytesIO(made["png"])).convert("L").resize(outlined.size, Image.LANCZOS)
    unlike = ImageChops.difference(outlined, ours)
    assert ImageStat.Stat(unlike).mean[0] < 10
    assert ImageStat.Stat(unlike.point(lambda level: 255 * (level > 200))).mean[0] < 0.1
