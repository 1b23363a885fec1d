"""From a spec to figure files: bare of system, time and chance, with the record inside."""

import copy
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pikepdf
import pytest
from fontTools.ttLib import TTFont

from heatproof.charts import typefaces
from heatproof.export import export
from heatproof.export.drawing import draw
from heatproof.util.errors import Error
from support.specs import RECORD, SPEC

SOURCE = Path(export.__file__).parents[2]
FORMATS = sorted(export.WRITERS)
SCRIPT = "/* the library */"
RENDER = """
import json, os, sys
os.sched_setaffinity(0, {int(os.environ["CORE"])})
from pathlib import Path
from heatproof.export import export
spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
for name, data in export.render(spec, ["svg", "pdf", "png"]).items():
    Path(sys.argv[2], "figure." + name).write_bytes(data)
print(sorted({"altair", "polars", "pandas"} & set(sys.modules)))
"""


@pytest.fixture(scope="module")
def made():
    return export.render(SPEC, FORMATS, library=SCRIPT)


def imposter(home):
    """A system whose font of the project's name looks different."""
    folder = home / ".fonts"
    folder.mkdir(parents=True)
    with TTFont(typefaces.path("Bold")) as font:
        font["OS/2"].usWeightClass = 400
        for record in list(font["name"].names):
            if record.nameID in (2, 17):
                record.string = "Regular"
        font.save(folder / "imposter.ttf")


@pytest.mark.slow
def test_same_bytes_in_any_process(made, tmp_path):
    """Locale, zone, home, hash seed, core and the system's own fonts leave no trace in any file."""
    spec = tmp_path / "toy.vl.json"
    spec.write_text(json.dumps(SPEC), encoding="utf-8")
    imposter(tmp_path / "home")
    surroundings = {
        "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2",
        "CORE": str(max(os.sched_getaffinity(0))), "HOME": str(tmp_path / "home"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", RENDER, str(spec), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **surroundings},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n", "heavy libraries that it does not need"
    for name in ("svg", "pdf", "png"):
        assert (tmp_path / f"figure.{name}").read_bytes() == made[name], name


@pytest.mark.parametrize("name", FORMATS)
def test_record_comes_back(made, name):
    """Each file gives back the provenance record that went into it; an empty one of other specs."""
    assert export.record(made[name]) == RECORD
    spec = {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a"}}}
    assert export.record(export.render(spec, [name], library=SCRIPT)[name]) == {}


@pytest.mark.parametrize("data", [b"", b"hello", b"\x89PNG\r\n\x1a\n", b"<svg/>"])
def test_other_files_hold_no_record(data):
    """A file that is not ours holds no record, and that is not an error."""
    assert export.record(data) is None


def test_what_cannot_be_written_is_refused():
    """A misspelled format, with those there are; data behind an address, which are never fetched."""
    with pytest.raises(
        Error, match="'jpg' is not a file format; there are svg, pdf, png, html, svg-text"
    ):
        export.render(SPEC, ["jpg"])
    spec = {"data": {"url": "https://example.com/a.csv"}, "mark": "point", "encoding": {}}
    with pytest.raises(ValueError, match="not allowed"):
        export.render(spec, ["svg"])


def test_all_texts_that_cannot_be_drawn_are_told_at_once():
    """Of which figure, each once, and where to call them otherwise."""
    lines = {"text": "ก", "subtitle": "ყ"}
    spec = SPEC | {"title": lines, "usermeta": {"heatproof": {"figure": "fig"}}}
    with pytest.raises(Error) as told:
        export.render(spec, ["svg"])
    first, second = str(told.value).split("\n")
    assert first.startswith("fig: the text 'ก' holds")
    assert second.startswith("fig: the text 'ყ' holds")
    assert first.endswith("rename it (title, labels; for values of a column, names)")
    with pytest.raises(Error, match="asks for the font 'Arial'"):
        export.render(SPEC | {"config": {"font": "Arial"}}, ["svg"])


def test_svg_is_described_and_brings_its_font(made):
    """One image with title and description, in CSS pixels, 96 to an inch; text is outlines, or text."""
    assert b"<text" not in made["svg"]
    text, root = made["svg-text"].decode(), ElementTree.fromstring(made["svg-text"])
    assert typefaces.SANS.private not in text
    assert set(re.findall(r"font-weight:(\d+)", text)) == {"400", "700"}
    _, _, *size = map(float, root.get("viewBox").split())
    lengths = [float(root.get(side)) for side in ("width", "height")]
    assert lengths == pytest.approx([length / 72 * 96 for length in size])
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.find(f"{space}title").text == RECORD["entry"]["title"]
    assert root.find(f"{space}desc").text == SPEC["description"]


def test_svgs_share_no_id():
    """Two figures in one page: no id of one names a part of the other, and both are still known."""
    drawn = [
        export.render({**SPEC, "usermeta": {"heatproof": {**RECORD, "id": name}}}, ["svg"])["svg"]
        for name in ("0123abcd", "4567cdef")
    ]
    first, second = (set(re.findall(rb'\bid="([^"]+)"', svg)) for svg in drawn)
    assert not first & second
    used = set(re.findall(rb"url\(#([^)]+)\)", drawn[0]))
    assert {b"gradient_0-0123abcd", b"gradient_1-0123abcd"} <= used <= first
    for svg, name in zip(drawn, ("0123abcd", "4567cdef"), strict=True):
        told = ElementTree.fromstring(svg)
        for reference in ("aria-labelledby", "aria-describedby"):
            assert f'id="{told.get(reference)}"'.encode() in svg
        assert export.record(svg)["id"] == name


@pytest.mark.parametrize("text", ["constructor", "toString", "m\uffff", "m\x01"])
def test_what_the_renderer_fails_on_is_told(text):
    """A name that would end it without a word is named, with the figure and the way out."""
    spec = copy.deepcopy(SPEC)
    spec["hconcat"][0]["encoding"]["x"]["axis"] = {"values": [text]}
    with pytest.raises(Error, match=r"toy: the text .* (Vega keeps|U\+).*; rename it"):
        draw(spec)


def test_pdf_tells_title_and_no_time(made):
    """The PDF has a title, a language and the page of the figure's size, and no dates."""
    with pikepdf.open(io.BytesIO(made["pdf"])) as pdf:
        assert str(pdf.docinfo["/Title"]) == RECORD["entry"]["title"]
        assert str(pdf.Root.Lang) == "en"
        assert [float(x) for x in pdf.pages[0].MediaBox] == [0, 0, *draw(SPEC).size]
        assert not {"/CreationDate", "/ModDate"} & set(pdf.docinfo)


def test_html_cannot_be_broken_by_data(made):
    """`</script>` and `<!--` in data or record do not end the script that holds them."""
    page = made["html"].decode()
    spec = re.search(r'id="spec">(.*?)</script>', page)
    assert json.loads(spec[1]) == SPEC
    assert "<!--" not in page
    assert "default-src 'none'" in page
    assert not re.search(r'<(script|link|img|iframe)[^>]*(src|href)="(?!data:)', page)
    assert ">toy | A</text>" in page  # seen where scripts do not run
