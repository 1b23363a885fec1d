"""Figures in typefaces of the project's own files: refused with words, measured, embedded, known."""

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from fontTools import subset
from fontTools.ttLib import TTFont

from heatproof.charts import spec, typefaces
from heatproof.config.venues import Font, font_files
from heatproof.export import drawing, export
from heatproof.kinds import api
from heatproof.util import hashed
from heatproof.util.errors import Error
from support import toys

OTF = Path(typefaces.path("SerifRegular")).parent
FONT = {"regular": "fonts/Regular.otf", "bold": "fonts/Bold.otf", "italic": "fonts/It.otf"}
BLOCK = {
    "name": "own", "kind": "heatmap", "source": "toy", "panel": "task", "margins": True,
    "encoding": {"x": "ratio", "y": "window", "color": "pass@1"},
}  # fmt: skip


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Font files that have Latin letters alone: neither ± nor ◆."""
    folder = tmp_path_factory.mktemp("family")
    for path in map(Path, FONT.values()):
        font = TTFont(OTF / f"SourceSerifPro-{path.stem}.otf")
        cut = subset.Subsetter(
            subset.Options(name_IDs=["*"], notdef_outline=True, layout_features=[])
        )
        cut.populate(text="".join(map(chr, range(32, 127))) + "–·…")
        cut.subset(font)
        font.save(folder / path.name)
    return folder


@pytest.fixture
def root(family: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with these."""
    shutil.copytree(family, tmp_path / "fonts")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def figure(**keys: Any) -> dict[str, Any]:
    """The spec of a small heatmap in that typeface, as its job makes it."""
    block = {**BLOCK, "font": FONT, **keys}
    entry = api.read(block)
    with typefaces.using(typefaces.load(entry.font)):
        grid = api.kind("heatmap").aggregate(toys.sweep().lazy(), entry)
        chart = api.kind("heatmap").draw(grid, entry)
        digests = {path: hashed.sha256(Path(path)) for path in font_files(entry.font)}
        record = {"figure": "own", "entry": block, "fonts": digests}
        return dict(json.loads(spec.text(chart, record)))


def changed(data: bytes, change: Any) -> bytes:
    font = TTFont(io.BytesIO(data))
    change(font)
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


def restrict(font: TTFont) -> None:
    font["OS/2"].fsType = 2


def cut_digits(font: TTFont) -> None:
    for table in font["cmap"].tables:
        table.cmap = {code: name for code, name in table.cmap.items() if code != ord("0")}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda _: b"", "is damaged, or no .ttf or .otf font"),
        (lambda data: b"wOF2" + data, "is damaged, or no .ttf or .otf font"),
        (lambda data: data[:900], "is damaged, or no .ttf or .otf font"),
        (lambda data: changed(data, restrict), "forbids embedding a part of it"),
        (lambda data: changed(data, cut_digits), "lacks '0'"),
    ],
)
def test_files_that_cannot_be_used(root: Path, make: Any, words: str) -> None:
    """Each is named by its key and path, with the reason."""
    path = root / FONT["bold"]
    path.write_bytes(make(path.read_bytes()))
    with pytest.raises(Error, match=re.escape(f".bold: 'fonts/Bold.otf' {words}")):
        typefaces.load(Font(**FONT), root)


@pytest.mark.usefixtures("root")
def test_letters_lie_in_every_file_and_no_other_font_does() -> None:
    """A line with signs that the font lacks is set in the package's of the same kind."""
    made = export.render(figure(title="Accuracy ± 1"), ["svg-text", "pdf", "svg"])
    text = made["svg-text"].decode()
    assert {family.split(",")[0] for family in re.findall(r'font-family="([^"]*)"', text)} == {
        "Source Serif Pro"
    }
    assert "Heatproof" not in text
    svg = drawing.draw(figure(title="Accuracy ± 1")).svg
    private = dict(re.findall(r'<text[^>]*font-family="([^",]*)[^>]*>(Accuracy ± 1|Ratio)<', svg))
    assert private.pop(typefaces.TYPEFACES["serif"].private) == "Accuracy ± 1"
    assert [*private.values()] == ["Ratio"]
    assert b"<text" not in made["svg"]
    with pikepdf.open(io.BytesIO(made["pdf"])) as pdf:
        faces = {str(font.BaseFont)[8:22] for font in pdf.pages[0].Resources.Font.values()}
    assert faces == {"SourceSerifPro"}


@pytest.mark.usefixtures("root")
def test_a_text_that_no_font_can_draw_is_refused() -> None:
    """It is named, with its characters."""
    with pytest.raises(Error, match=r"own: the text .*ก.*\(U\+0E01\).*cannot draw"):
        drawing.draw(figure(title="Genauigkeit ก"))


def test_another_font_file_is_noticed(root: Path) -> None:
    """A figure is drawn only with the files that its record names."""
    made = figure()
    shutil.copy(root / FONT["italic"], root / FONT["bold"])
    with pytest.raises(Error, match=r"fonts/Bold\.otf is not the font file"):
        drawing.draw(made)
