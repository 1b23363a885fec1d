"""Figures in papers are known there by their records."""

import hashlib
import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from heatproof.cli.main import main
from heatproof.export import export
from heatproof.provenance import identify
from support import specs

RECORDS = specs.RECORDS


@pytest.fixture(scope="module")
def drawn() -> list[bytes]:
    """Two figures, each with its id printed below, as PDF."""
    titles = [{"text": f"heatproof {record['id']}", "orient": "bottom"} for record in RECORDS]
    return [
        export.render(specs.with_record(record, title=title), ["pdf"])["pdf"]
        for record, title in zip(RECORDS, titles, strict=True)
    ]


def paper(pages: Sequence[Sequence[bytes]], wrap: int = 0) -> bytes:
    """A PDF in which figures stand as forms, as LaTeX leaves them; `wrap`: so many forms deeper."""
    document = pikepdf.new()
    forms: dict[bytes, Any] = {}
    for figures in pages:
        page = document.add_blank_page(page_size=(600, 800))
        forms_of_page = pikepdf.Dictionary()
        for number, data in enumerate(figures):
            if data not in forms:
                with pikepdf.open(io.BytesIO(data)) as pdf:
                    forms[data] = document.copy_foreign(pdf.pages[0].as_form_xobject())
                for _ in range(wrap):
                    forms[data] = _around(document, forms[data])
            forms_of_page[f"/Im{number}"] = forms[data]
        page.obj.Resources = pikepdf.Dictionary(XObject=forms_of_page)
        page.obj.Contents = document.make_stream(
            b" ".join(f"{name} Do".encode() for name in forms_of_page)
        )
    return saved(document)


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


def figures_in(data: bytes) -> list[tuple[str, list[int]]]:
    """Id and pages of each figure that has its record in a PDF."""
    return [(figure.record["id"], figure.pages) for figure in identify.in_pdf(data)]


ONE, TWO = (record["id"] for record in RECORDS)


def test_figures_in_a_paper_are_told_with_their_pages(drawn: Any) -> None:
    """Each once, wherever it stands and however deep."""
    data = paper([[], [drawn[0]], [drawn[1], drawn[0]]], wrap=2)
    assert figures_in(data) == [(ONE, [2, 3]), (TWO, [3])]


def test_a_paper_saved_anew_shows_the_same(drawn: Any) -> None:
    """Other packing is no other drawing: what a form draws is what its figure's page drew."""
    with pikepdf.open(io.BytesIO(paper([[drawn[0]]]))) as pdf:
        (figure,) = identify.in_pdf(saved(pdf, linearize=True, compress_streams=False))
    (alone,) = identify.in_pdf(drawn[0])
    assert figure.looks == alone.looks


def broken(change: Callable[[Any], None], data: bytes) -> bytes:
    """A paper after a change of the form on its first page."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        change(pdf.pages[0].obj.Resources.XObject.Im0)
        return saved(pdf)


def _redrawn(form: Any) -> None:
    form.write(form.read_bytes().replace(b" 0 l", b" 1 l", 1))


def _coloured(form: Any) -> None:
    next(iter(dict(form.Resources.ExtGState).values())).CA = 1


def _lettered(form: Any) -> None:
    font = next(iter(dict(form.Resources.Font).values()))
    file = font.DescendantFonts[0].FontDescriptor.FontFile2
    file.write(file.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize("change", [_redrawn, _coloured, _lettered])
def test_a_changed_drawing_is_another(drawn: Any, change: Any) -> None:
    """Its strokes, its colours, the shapes of its letters."""
    (figure,) = identify.in_pdf(broken(change, paper([[drawn[0]]])))
    (alone,) = identify.in_pdf(drawn[0])
    assert figure.record == RECORDS[0]
    assert figure.looks != alone.looks


def _no_record(form: Any) -> None:
    del form.Resources.Properties


def _record(data: bytes) -> Any:
    return lambda form: form.Resources.Properties["/heatproof"].Record.write(data)


def _no_stream(form: Any) -> None:
    form.Resources.Properties["/heatproof"] = pikepdf.Dictionary(Record=1)


def _in_itself(form: Any) -> None:
    _no_record(form)
    form.Resources.XObject = pikepdf.Dictionary(X=form)


NOISE = [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(5000)]


@pytest.mark.parametrize(
    "change",
    [_no_record, _record(b"{"), _record(json.dumps({"a": NOISE}).encode()), _no_stream, _in_itself],
    ids=["none", "no JSON", "too large", "no stream", "in itself"],
)
def test_a_paper_may_hold_anything(drawn: Any, change: Any) -> None:
    """Whatever is in the place of a record, and without an endless way through the document."""
    assert figures_in(broken(change, paper([[drawn[0]]]))) == []


@pytest.mark.parametrize("data", [b"", b"%PDF-1.5", b"%PDF-1.5\n1 0 obj <</Type /heatproof>>"])
def test_what_is_no_paper_holds_nothing(data: bytes) -> None:
    """Nor is it an error."""
    assert identify.in_pdf(data) == []


PAPER = r"""\documentclass{article}\usepackage{graphicx}\begin{document}
\includegraphics[width=2in]{0.pdf} and \includegraphics[width=2in]{1.pdf}
\end{document}"""


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex", "xelatex"])
def test_latex_keeps_the_records(drawn: Any, tmp_path: Path, engine: str) -> None:
    """In the papers themselves; of what is drawn nothing is another, and there is no warning."""
    if not shutil.which(engine):
        pytest.skip(f"{engine} is not installed")
    for number, data in enumerate(drawn):
        (tmp_path / f"{number}.pdf").write_bytes(data)
    (tmp_path / "paper.tex").write_text(PAPER)
    command = [engine, "-interaction=nonstopmode", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    # An engine without its fonts says so, which is no word on these files.
    lines = [line for line in done.stdout.splitlines() if not line.startswith("LaTeX Font")]
    assert not re.search("warning", "\n".join(lines) + done.stderr, re.IGNORECASE), done.stdout
    data = (tmp_path / "paper.pdf").read_bytes()
    assert figures_in(data) == [(ONE, [1]), (TWO, [1])]
    alone = [figure.looks for data in drawn for figure in identify.in_pdf(data)]
    assert [figure.looks for figure in identify.in_pdf(data)] == alone


@pytest.mark.workflow
def test_trace_lists_the_figures_of_a_paper(
    small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As they were drawn, or changed; one alone is traced like its own file."""
    specs = [json.loads((small.root / f"results/specs/{n}.vl.json").read_text()) for n in
             ("grid", "pair")]  # fmt: skip
    grid, pair = (export.render(spec, ["pdf"])["pdf"] for spec in specs)
    path = tmp_path / "paper.pdf"
    words = ["trace", str(path), "--project", str(small.root)]
    path.write_bytes(paper([[grid], [pair, grid]]))
    assert main(words) == 0
    ids = [spec["usermeta"]["heatproof"]["id"] for spec in specs]
    assert capsys.readouterr().out.splitlines()[1:3] == [
        f"  grid (heatproof {ids[0]}), pages 1, 2: as it was drawn",
        f"  pair (heatproof {ids[1]}), page 2: as it was drawn",
    ]
    path.write_bytes(broken(_redrawn, paper([[pair], [grid]])))
    assert main([*words, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)["figures"]
    assert [(figure["figure"], figure["pages"]) for figure in answer] == [
        ("pair", [1]), ("grid", [2]),
    ]  # fmt: skip
    assert ["not show what was drawn" in figure.get("fault", "") for figure in answer] == [
        True,
        False,
    ]
    assert main([*words, "--cell", "ratio=0.1"]) == 2
    assert "paper.pdf holds 2 figures (pair " in capsys.readouterr().err
    path.write_bytes(paper([[grid]]))
    assert main(words) == 0
    path.write_bytes(broken(_redrawn, paper([[grid]])))
    assert main(words) == 1
    assert "paper.pdf does not show what was drawn as grid" in capsys.readouterr().err
