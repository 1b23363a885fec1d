"""Figures of ours in papers are known there, by their records and by the ids that they print."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pikepdf
import pytest

from heatproof.cli.main import main
from heatproof.export import export
from heatproof.provenance import identify, papers
from support import specs
from support.latex import latex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

RECORDS = specs.RECORDS


@pytest.fixture(scope="module")
def drawn() -> list[bytes]:
    """Two figures, each with its id printed below, as PDF."""
    told = [{"text": f"heatproof {record['id']}", "orient": "bottom"} for record in RECORDS]
    return [
        export.render(specs.with_record(record, title=title), ["pdf"])["pdf"]
        for record, title in zip(RECORDS, told, strict=True)
    ]


def paper(pages: Sequence[Sequence[bytes]], wrap: int = 0) -> bytes:
    """A PDF in which figures stand as forms, as LaTeX leaves them; `wrap`: so many forms deeper."""
    made = pikepdf.new()
    forms: dict[bytes, Any] = {}
    for figures in pages:
        page = made.add_blank_page(page_size=(600, 800))
        shown = pikepdf.Dictionary()
        for number, data in enumerate(figures):
            if data not in forms:
                with pikepdf.open(io.BytesIO(data)) as pdf:
                    forms[data] = made.copy_foreign(pdf.pages[0].as_form_xobject())
                for _ in range(wrap):
                    forms[data] = _around(made, forms[data])
            shown[f"/Im{number}"] = forms[data]
        page.obj.Resources = pikepdf.Dictionary(XObject=shown)
        page.obj.Contents = made.make_stream(b" ".join(f"{name} Do".encode() for name in shown))
    return saved(made)


def _around(pdf: pikepdf.Pdf, form: Any) -> Any:
    resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form))
    return pdf.make_stream(
        b"/X Do", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9],
        Resources=resources,
    )  # fmt: skip


def saved(pdf: pikepdf.Pdf, **how: Any) -> bytes:
    """The bytes of a PDF."""
    file = io.BytesIO()
    pdf.save(file, **how)
    return file.getvalue()


def known(data: bytes) -> list[tuple[str, list[int]]]:
    """Id and pages of each figure that has its record in a PDF."""
    return [(one.record["id"], one.pages) for one in papers.figures(data)]


ONE, TWO = (record["id"] for record in RECORDS)


@pytest.mark.parametrize("wrap", [0, 2])
def test_figures_in_a_paper_are_told_with_their_pages(drawn: Any, wrap: int) -> None:
    """Each once, wherever it stands and however deep."""
    data = paper([[], [drawn[0]], [drawn[1], drawn[0]]], wrap)
    assert known(data) == [(ONE, [2, 3]), (TWO, [3])]
    assert papers.ids(data) == {ONE: [2, 3], TWO: [3]}


@pytest.mark.parametrize(
    "how",
    [
        {"linearize": True},
        {"compress_streams": False},
        {"object_stream_mode": pikepdf.ObjectStreamMode.disable},
        {"recompress_flate": True, "stream_decode_level": pikepdf.StreamDecodeLevel.generalized},
    ],
)
def test_a_paper_saved_anew_shows_the_same(drawn: Any, how: Any) -> None:
    """Other packing is no other drawing: what a form draws is what its figure's page drew."""
    with pikepdf.open(io.BytesIO(paper([[drawn[0]]]))) as pdf:
        (found,) = papers.figures(saved(pdf, **how))
    (alone,) = papers.figures(drawn[0])
    assert found.looks == alone.looks


@pytest.mark.parametrize("part", ["content", "colour", "font"])
def test_a_changed_drawing_is_another(drawn: Any, part: str) -> None:
    """Its strokes, its colours, the shapes of its letters."""
    with pikepdf.open(io.BytesIO(paper([[drawn[0]]]))) as pdf:
        form = pdf.pages[0].obj.Resources.XObject.Im0
        if part == "content":
            form.write(form.read_bytes().replace(b" 0 l", b" 1 l", 1))
        elif part == "colour":
            next(iter(dict(form.Resources.ExtGState).values())).CA = 1
        else:
            font = next(iter(dict(form.Resources.Font).values()))
            file = font.DescendantFonts[0].FontDescriptor.FontFile2
            file.write(file.read_bytes()[:-1] + b"?")
        (found,) = papers.figures(saved(pdf))
    (alone,) = papers.figures(drawn[0])
    assert found.record == RECORDS[0]
    assert found.looks != alone.looks


def broken(change: Callable[[Any], None], data: bytes) -> bytes:
    """A paper after a change of the form on its first page."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        change(pdf.pages[0].obj.Resources.XObject.Im0)
        return saved(pdf)


def _no_record(form: Any) -> None:
    del form.Resources.Properties


def _not_json(form: Any) -> None:
    form.Resources.Properties["/heatproof"].Record.write(b"{")


def _too_large(form: Any) -> None:
    noise = [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(5000)]
    form.Resources.Properties["/heatproof"].Record.write(json.dumps({"a": noise}).encode())


def _no_stream(form: Any) -> None:
    form.Resources.Properties["/heatproof"] = pikepdf.Dictionary(Record=1)


def _in_itself(form: Any) -> None:
    _no_record(form)
    form.Resources.XObject = pikepdf.Dictionary(X=form)


@pytest.mark.parametrize("change", [_no_record, _not_json, _too_large, _no_stream, _in_itself])
def test_without_a_record_the_printed_id_is_left(drawn: Any, change: Any) -> None:
    """Whatever is in its place, and without an endless way through the document."""
    data = broken(change, paper([[drawn[0]]]))
    assert known(data) == []
    assert papers.ids(data) == {ONE: [1]}


@pytest.mark.parametrize("data", [b"", b"%PDF-1.5", b"%PDF-1.5\n1 0 obj <</Type /heatproof>>"])
def test_what_is_no_paper_holds_nothing(data: bytes) -> None:
    """Nor is it an error."""
    assert papers.figures(data) == []
    assert papers.ids(data) == {}


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (b"1 beginbfchar <0001> <0068> <0002> <D83DDE00> endbfchar", {1: "h", 2: "\U0001f600"}),
        (b"1 beginbfrange <01> <03> <0061> endbfrange", {1: "a", 2: "b", 3: "c"}),
        (b"1 beginbfrange <01> <02> [<0066> <00660069>] endbfrange", {1: "f", 2: "fi"}),
        (b"1 beginbfrange <00> <FFFFFFFF> <FFFF> endbfrange garbage", None),
    ],
)
def test_codes_become_characters_as_the_font_says(table: bytes, text: Any) -> None:
    """Single codes, ranges, and ranges with a text for each; a range of all codes has an end."""
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(Subtype=pikepdf.Name.Type0, ToUnicode=pdf.make_stream(table))
    _, found = papers.characters(font)
    assert found == text if text else len(found) <= 0x10000


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex", "xelatex"])
def test_latex_keeps_the_records(drawn: Any, tmp_path: Path, engine: str) -> None:
    """In the papers themselves, linearized too; Ghostscript drops them and leaves the ids."""
    latex(engine, tmp_path, drawn)
    data = (tmp_path / "paper.pdf").read_bytes()
    assert known(data) == [(ONE, [1]), (TWO, [1])]
    alone = [one.looks for data in drawn for one in papers.figures(data)]
    assert [one.looks for one in papers.figures(data)] == alone
    if shutil.which("gs"):
        command = ["gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite"]
        subprocess.run([*command, "-o", "again.pdf", "paper.pdf"], cwd=tmp_path, check=True)
        again = (tmp_path / "again.pdf").read_bytes()
        assert known(again) == []
        assert papers.ids(again) == {ONE: [1], TWO: [1]}


@pytest.mark.workflow
def test_trace_lists_the_figures_of_a_paper(
    small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As they were drawn, changed, known by the printed id alone."""
    specs = [json.loads((small.root / f"results/specs/{n}.vl.json").read_text()) for n in
             ("grid", "pair", "mean")]  # fmt: skip
    grid, pair, mean = (export.render(spec, ["pdf"])["pdf"] for spec in specs)
    path = tmp_path / "paper.pdf"
    asked = ["trace", str(path), "--project", str(small.root)]
    path.write_bytes(paper([[grid], [pair, grid]]))
    assert main(asked) == 0
    ids = [spec["usermeta"]["heatproof"]["id"] for spec in specs]
    assert capsys.readouterr().out.splitlines()[1:3] == [
        f"  pages 1, 2  grid (heatproof {ids[0]})  as it was drawn",
        f"  page 2      pair (heatproof {ids[1]})  as it was drawn",
    ]

    def redrawn(form: Any) -> None:
        form.write(form.read_bytes().replace(b" 0 l", b" 1 l", 1))

    lost = broken(_no_record, paper([[mean]]))
    whole = pikepdf.open(io.BytesIO(broken(redrawn, paper([[pair], [grid]]))))
    whole.pages.extend(pikepdf.open(io.BytesIO(lost)).pages)
    path.write_bytes(saved(whole))
    assert main([*asked, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)["figures"]
    assert [(one["figure"], one["pages"]) for one in told] == [
        ("pair", [1]), ("grid", [2]), ("mean", [3]),
    ]  # fmt: skip
    assert [one["wrong"] for one in told] == [
        "what it shows is not what was drawn",
        "",
        "it is known by the id printed in it alone: what it shows is not compared",
    ]
    assert main([*asked, "--cell", "ratio=0.1"]) == 2
    said = capsys.readouterr().err
    assert "paper.pdf holds 3 figures, pair (page 1), grid (page 2), mean (page 3): name" in said


@pytest.mark.workflow
def test_a_paper_with_one_figure_is_that_figure(
    small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Traced like its own file; a drawing that was changed is told."""
    path = tmp_path / "paper.pdf"
    path.write_bytes(paper([[], [(small.root / "results/figures/grid.pdf").read_bytes()]]))
    found = identify.find(str(path), small.root)
    assert (found.figure, found.how) == ("grid", "by the record that paper.pdf kept of it, page 2")
    assert main(["trace", str(path), "--project", str(small.root)]) == 0
    capsys.readouterr()
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        form = pdf.pages[1].obj.Resources.XObject.Im0
        form.write(form.read_bytes().replace(b" 0 l", b" 1 l", 1))
        pdf.save(path)
    assert main(["trace", str(path), "--project", str(small.root)]) == 1
    said = capsys.readouterr().err
    assert "paper.pdf does not show what was drawn as grid" in said
