"""Figures in typefaces of the project's own files: refused with words, measured, embedded, known."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pikepdf
import pytest
from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

import lettered as drawn_texts
import test_heatmap
from heatproof.charts import fontfiles, runs, typefaces
from heatproof.charts.lettering import text_width
from heatproof.config import fonts
from heatproof.config.fonts import Files, Font
from heatproof.export import drawing, export
from heatproof.kinds import api
from heatproof.plan import lettered
from heatproof.util.errors import Error

ASCII = "".join(map(chr, range(32, 127)))
OTF = Path(typefaces.path("SerifRegular")).parent


def saved(font: TTFont, path: Path) -> None:
    font.save(path)


def part_of(source: str, text: str, path: Path) -> None:
    """A font file with the characters of a text alone."""
    font = TTFont(OTF / f"{source}.ttf")
    cut = subset.Subsetter(subset.Options(name_IDs=["*"], notdef_outline=True))
    cut.populate(text=text)
    cut.subset(font)
    saved(font, path)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a few font files."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "fonts").mkdir()
    for face in ("Regular", "Bold", "It"):
        data = (OTF / f"SourceSerifPro-{face}.otf").read_bytes()
        (folder / "fonts" / f"{face}.otf").write_bytes(data)
    latin = ASCII + "±·×Δ–…→−≤≥"
    part_of("SourceSerifPro-Regular", latin, folder / "fonts/latin.ttf")
    part_of("SourceSerifPro-Bold", latin, folder / "fonts/latin-bold.ttf")
    part_of("SourceSerifPro-Regular", "αβσ", folder / "fonts/greek.ttf")
    return folder


PLAIN = {"regular": "fonts/Regular.otf", "bold": "fonts/Bold.otf"}
LATIN = {"regular": "fonts/latin.ttf", "bold": "fonts/latin-bold.ttf"}
GREEK = {"regular": "fonts/greek.ttf", "bold": "fonts/greek.ttf"}


def entry(font: Any, **more: Any) -> Any:
    return api.read({
        "name": "one", "kind": "heatmap", "source": "s", "panel": "task", "font": font,
        "encoding": {"x": "ratio", "y": "window", "color": "pass@1"}, **more,
    })  # fmt: skip


def figure(root: Path, font: Any, monkeypatch: pytest.MonkeyPatch, **more: Any) -> dict[str, Any]:
    """The spec of a small heatmap in a typeface, as its job makes it."""
    monkeypatch.chdir(root)
    told = msgspec.convert(font, Font)
    with typefaces.using(typefaces.of(told)):
        made = json.loads(json.dumps(test_heatmap.spec(test_heatmap.grid(), **more)))
    known = lettered.digests([entry(font)], root)
    record = {"figure": "one", "entry": {"name": "one", "font": font}, "fonts": known}
    return {**made, "usermeta": {"heatproof": record}}


@pytest.mark.parametrize(
    ("font", "said"),
    [
        ("comic", "'comic' is not a typeface; there are sans, serif; or {regular: FILE"),
        ("Times New Roman", "$(kpsewhich texgyretermes-regular.otf)"),
        ("computer_modern", "regular: fonts/lmroman10-regular.otf"),
        ("fonts/x.otf", "'fonts/x.otf' is a file; write {regular: fonts/x.otf, bold: …}"),
        ({}, ".regular: names no file"),
        ({"regular": "a.otf"}, ".bold: names no file, and titles and best values are set in bold"),
        ({"regular": "/a.otf", "bold": "b.otf"}, ".regular: '/a.otf' lies outside of this folder"),
        ({"regular": "a.otf", "bold": "../b.otf"}, ".bold: '../b.otf' lies outside"),
        ({"regular": "results/a.otf", "bold": "b.otf"}, "lies among results"),
        ({"family": "sans", "bold": "b.otf"}, ".bold: sans lies in a package; leave out"),
        ({**PLAIN, "fallback": "times"}, ".fallback: 'times' comes with no package"),
        ({**PLAIN, "fallback": {"regular": "a.otf"}}, ".fallback.bold: names no file"),
    ],
)
def test_what_is_no_typeface_is_refused(font: Any, said: str) -> None:
    """With what to write instead; for faces that every TeX brings, where they lie."""
    found = entry(font).mistakes()
    assert len(found) == 1
    assert found[0].startswith(".font")
    assert said in found[0]


@pytest.mark.parametrize("font", ["sans", "serif", PLAIN, {"family": "sans"},
                                  {"family": "sans", "fallback": GREEK}])  # fmt: skip
def test_typefaces_that_are_ones(font: Any) -> None:
    """Words, files, and a word with files for what it lacks."""
    assert entry(font).mistakes() == []


def changed(root: Path, kind: int) -> bytes:
    font = TTFont(root / "fonts/latin.ttf")
    font["OS/2"].fsType = kind
    font["OS/2"].version = 3
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


def without(root: Path, table: str) -> bytes:
    font = TTFont(root / "fonts/latin.ttf")
    del font[table]
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: b"", "is empty"),
        (lambda _: b"{}", "is not a font; there are .ttf and .otf"),
        (lambda _: b"wOF2....", "is packed for the web (WOFF2)"),
        (lambda _: b"%!PS-AdobeFont-1.0", "is a Type 1 font"),
        (lambda _: b"version https://git-lfs", "is a pointer of Git LFS"),
        (lambda root: (root / "fonts/Bold.otf").read_bytes()[:9000], "is damaged or cut short"),
        (lambda root: (root / "fonts/Bold.otf").read_bytes()[:9], "is damaged or cut short"),
        (lambda root: changed(root, 0x0002), "may not be embedded, as it says itself (fsType 0x0"),
        (lambda root: changed(root, 0x0104), "may be embedded as a whole only"),
        (lambda root: changed(root, 0x0204), "allows only bitmaps"),
        (lambda root: without(root, "OS/2"), "is not a font that can be drawn"),
        (lambda root: without(root, "glyf"), "has no outlines"),
    ],
)
def test_files_that_cannot_be_used(root: Path, tmp_path: Path, make: Any, said: str) -> None:
    """Each is named by its key and path, with the reason."""
    (tmp_path / "b.otf").write_bytes(make(root))
    (tmp_path / "a.otf").write_bytes((root / "fonts/Regular.otf").read_bytes())
    font = {"regular": "a.otf", "bold": "b.otf"}
    (found,) = lettered.faults(entry(font), tmp_path)
    assert found.startswith("font.bold: 'b.otf' ")
    assert said in found


@pytest.mark.parametrize("kind", [0, 4, 8, 0x000A])
def test_fonts_that_may_be_embedded(root: Path, kind: int) -> None:
    """For print, editing or anything; where several rights are given, the widest holds."""
    assert fontfiles.read(changed(root, kind), fontfiles.Wanted()).families == ("Source Serif Pro",)


def test_all_missing_files_are_told(tmp_path: Path) -> None:
    """Those of the fallback too."""
    found = [*lettered.faults(entry({**PLAIN, "fallback": GREEK}), tmp_path)]
    assert found == [
        "font.regular: 'fonts/Regular.otf' is not there",
        "font.bold: 'fonts/Bold.otf' is not there",
        "font.fallback.regular: 'fonts/greek.ttf' is not there",
        "font.fallback.bold: 'fonts/greek.ttf' is not there",
    ]


def test_a_family_is_one_that_the_file_names(root: Path) -> None:
    """Else the names are told."""
    assert [*lettered.faults(entry({**PLAIN, "family": "Source Serif Pro"}), root)] == []
    found = [*lettered.faults(entry({**PLAIN, "family": "Times"}), root)]
    assert found[0] == "font.regular: 'fonts/Regular.otf' is called 'Source Serif Pro', not 'Times'"


def test_characters_that_a_font_lacks_are_told(root: Path) -> None:
    """Of each text of the config, unless a fallback draws them; and digits there must be."""
    shown = {"title": "Stärke σ", "labels": {"ratio": "β"}}
    said = [*lettered.faults(entry(LATIN, **shown), root)]
    which = "which Source Serif Pro Regular cannot draw"
    assert [line.split(";")[0] for line in said] == [
        f"title: 'Stärke σ' holds 'ä' (U+00E4), 'σ' (U+03C3), {which}",
        f"labels.ratio: 'β' holds 'β' (U+03B2), {which}",
    ]
    assert "fallback: sans, or serif" in said[0]
    assert [*lettered.faults(entry({**LATIN, "fallback": "sans"}, **shown), root)] == []
    (said,) = lettered.faults(entry({**LATIN, "fallback": GREEK}, **shown), root)
    assert "'ä' (U+00E4), which neither Source Serif Pro Regular nor" in said
    (said,) = lettered.faults(entry(GREEK), root)
    assert said.startswith("font: lacks ' ', '!', ")
    assert "of which numbers and words are made" in said


def test_one_family_of_a_collection_is_chosen(tmp_path: Path) -> None:
    """By its name, and of its faces the one that the key says."""
    found = TTCollection()
    for face in ("Regular", "Bold"):
        found.fonts.append(TTFont(OTF / f"SourceSerifPro-{face}.ttf"))
    found.fonts.append(
        TTFont(OTF.parents[1] / "font_source_sans_pro/files/SourceSansPro-Regular.ttf")
    )
    found.save(tmp_path / "all.ttc")
    data = (tmp_path / "all.ttc").read_bytes()
    with pytest.raises(Error, match="family: names one of 'Source Serif Pro', 'Source Sans Pro'"):
        fontfiles.read(data, fontfiles.Wanted())
    for weight, name in ((400, "Regular"), (700, "Bold")):
        one = fontfiles.read(data, fontfiles.Wanted("Source Serif Pro", weight))
        assert TTFont(io.BytesIO(one.data))["name"].getDebugName(6) == f"SourceSerifPro-{name}"
    assert not fontfiles.read(data, fontfiles.Wanted("Source Sans Pro", 700)).serif


def test_widths_are_those_of_the_font(root: Path) -> None:
    """Of the fallback where it draws, and of ours for the signs of figures."""
    own = typefaces.of(msgspec.convert({**LATIN, "fallback": GREEK}, Font), root)
    with typefaces.using(own):
        wide = text_width("0.5 σ", 10), text_width("0.5", 10, bold=True)
    with typefaces.using(typefaces.TYPEFACES["serif"]):
        assert wide == (text_width("0.5 σ", 10), text_width("0.5", 10, bold=True))


def test_runs_of_a_text(root: Path) -> None:
    """What stands between two words of the other script goes with them."""
    own = typefaces.of(msgspec.convert({**LATIN, "fallback": "sans"}, Font), root)
    found = runs.runs("a σ\u00a0β b", typefaces.plain(own))
    assert [(run.face, run.text) for run in found] == [
        (f"{own.prefix}Regular", "a "), ("Regular", "σ\u00a0β "), (f"{own.prefix}Regular", "b"),
    ]  # fmt: skip


TITLES = {"labels": {"ratio": "Anteil σ der Token"}, "title": "Genauigkeit β"}


def test_a_figure_in_a_font_of_its_own(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its letters lie in SVG, HTML and PDF, and no other font does."""
    spec = figure(
        root, {**PLAIN, "family": "Source Serif Pro"}, monkeypatch, margins=True, **TITLES
    )
    made = export.render(spec, ["svg", "pdf", "html"], library="vega")
    text = made["svg"].decode()
    assert {*re.findall(r'font-family="([^"]*)"', text)} == {
        "Source Serif Pro, Times New Roman, Liberation Serif, Source Serif Pro, serif"
    }
    assert "Heatproof" not in text
    for form in ("svg", "html"):
        assert made[form].decode().count('@font-face{font-family:"Source Serif Pro"') == 2
    with pikepdf.open(io.BytesIO(made["pdf"])) as pdf:
        faces = {str(font.BaseFont)[8:] for font in pdf.pages[0].Resources.Font.values()}
    assert faces == {"SourceSerifPro-Regular-Identity-H", "SourceSerifPro-Bold-Identity-H"}


def test_texts_in_two_fonts_stand_where_one_would(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the fallback draws has an element with its family, and the picture is the same."""
    whole = figure(root, PLAIN, monkeypatch, **TITLES)
    parts = figure(root, {**LATIN, "fallback": GREEK}, monkeypatch, **TITLES)
    one, two = drawing.draw(whole), drawing.draw(parts)
    assert [text[:5] for text in drawn_texts.texts(one.svg)] == [
        text[:5] for text in drawn_texts.texts(two.svg)
    ]
    assert two.public.count("<tspan font-family") == 2
    made = export.render(parts, ["svg-outlined", "pdf"])
    assert b"<text" not in made["svg-outlined"]
    with pikepdf.open(io.BytesIO(made["pdf"])) as pdf:
        faces = {str(font.BaseFont)[8:22] for font in pdf.pages[0].Resources.Font.values()}
    assert faces == {"SourceSerifPro"}


def test_without_italics_text_is_slanted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With them it is set in them."""
    slanted = drawing.draw(figure(root, PLAIN, monkeypatch, margins=True)).public
    assert slanted.count('skewX(-12)"') > 1
    assert "font-style" not in slanted
    italic = {**PLAIN, "italic": "fonts/It.otf"}
    found = drawing.draw(figure(root, italic, monkeypatch, margins=True))
    assert found.public.count('font-style="italic"') == slanted.count("skewX(-12)")
    assert any(face.endswith("It") for face in found.texts)


def test_another_font_file_is_told(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure is drawn only with the files that its record tells of."""
    (tmp_path / "fonts").mkdir()
    for name in ("Regular", "Bold"):
        data = (root / f"fonts/{name}.otf").read_bytes()
        (tmp_path / f"fonts/{name}.otf").write_bytes(data)
    spec = figure(tmp_path, PLAIN, monkeypatch)
    (tmp_path / "fonts/Bold.otf").write_bytes((root / "fonts/It.otf").read_bytes())
    with pytest.raises(Error, match=r"fonts/Bold\.otf is not the font file"):
        drawing.draw(spec)
    (tmp_path / "fonts/Bold.otf").unlink()
    with pytest.raises(Error, match=r"fonts/Bold\.otf is not the font file"):
        drawing.draw(spec)


def test_files_of_a_font() -> None:
    """Those of its fallback too, each once."""
    more = Files(regular="c", bold="c")
    assert fonts.font_files(Font(regular="b", bold="a", fallback=more)) == ["a", "b", "c"]
    assert fonts.font_files("serif") == []
