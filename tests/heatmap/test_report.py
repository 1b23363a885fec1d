"""What a heatmap says outside of its picture: CSV, LaTeX, captions, names."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from heatproof.config import entries
from heatproof.config.entries import Figure
from heatproof.export import drawing, export
from heatproof.kinds import api
from heatproof.kinds.picture import captions, escape
from heatproof.util.errors import Error
from support import engines
from support.heatmaps import entry as heatmap
from support.heatmaps import grid
from support.toys import drawn


def test_csv_never_names_two_columns_alike():
    """An axis that is called like a column of the grid keeps its plain name."""
    encoding = {"x": "samples", "y": "local_window", "color": "pass@1"}
    assert "x," in api.kind("heatmap").csv(grid(), heatmap(encoding=encoding))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("{x}^2", r"\{x\}\textasciicircum{}2"),
        ("Pass^16 (%)", r"Pass\textsuperscript{16} (\%)"),
        ("\\end", r"\textbackslash{}end"),
        ("−1 < $2 ~ #3", r"$-$1 \textless{} \$2 \textasciitilde{} \#3"),
        ("R1-Llama", "R1-Llama"),
        ("−4.2e−6", r"$-$4.2\,$\times$\,10\textsuperscript{$-$6}"),
        ("3e+12", r"3\,$\times$\,10\textsuperscript{12}"),
        ("le−6", r"le$-$6"),
    ],
)
def test_no_text_is_a_command(text, escaped):
    """Names with signs that LaTeX reads as commands are printed as they are."""
    assert escape(text) == escaped


META = {"heatproof": {"id": "1a2b3c4d"}}
SPEC = {"description": "x − 1 {~50 %}\u00a0& more", "usermeta": META}
FORMATS = ["pdf", "svg"]


def test_captions_say_what_they_mean() -> None:
    """In LaTeX with file, width in inches, label and a text for the blind; in Markdown with the
    picture. Signs that would be markup are taken for what they are, and no text ends at an empty line.
    """
    written = captions(["Rises by 5 %", "a_b < c*"], "a_b", SPEC, 238.0, FORMATS)
    assert written["tex"].startswith("% a_b, heatproof 1a2b3c4d: `heatproof trace 1a2b3c4d` shows")
    for part in (
        r"\begin{figure}",
        r"\includegraphics[width=3.306in, alt={x - 1 50 \% \& more}]{a_b.pdf}",
        r"\caption{Rises by 5 \%.",
        r"\label{fig:a_b}",
    ):
        assert part in written["tex"]
    wide = captions([], "a_b", SPEC, 400.0, FORMATS)["tex"]
    assert r"\begin{figure*}" in wide
    assert r"\end{figure*}" in wide
    text = "![x − 1 {~50 %}\u00a0& more](a_b.svg)\n\nRises by 5 %. a\\_b \\< c\\*.\n\n<!--"
    assert written["md"].startswith(text)
    bare = captions(["Rises"], "a_b", SPEC, 238.0, ["svg"])["tex"]
    assert "includegraphics" not in bare
    assert "  % TeX includes no a_b.svg: add pdf or png to `formats`" in bare
    hostile = "![x](y) *a*\n\n<img src=x> `b` &lt; $c$ ~~d~~ R&D"
    spec = {"description": hostile, "usermeta": META}
    written = captions([hostile], "a_b", spec, 238.0, FORMATS)
    safe = r"!\[x\](y) \*a\* \<img src=x\> \`b\` \&lt; \$c\$ \~~d\~~ R&D"
    assert written["md"].startswith(f"![{safe}](a_b.svg)\n\n{safe}.\n\n<!--")
    assert "\n\n" not in written["tex"]


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex")
def test_latex_takes_it(tmp_path: Path) -> None:
    """With all the signs that captions have, and a figure beside it."""
    entry, _, grid, made, picture = drawn("heatmap")
    width = drawing.size(picture.decode())[0]
    signs = "≤ ≥ × · … → ± − 95\u00a0% <a> µ # $ & _ { } ~ ^ \\"
    parts = [*api.kind("heatmap").caption(grid, entry), signs]
    text = captions(parts, entry.name, made, width, ["pdf"])["tex"]
    packages = r"\usepackage{graphicx}\usepackage{booktabs}"
    paper = rf"\documentclass{{article}}{packages}\begin{{document}}{text}\end{{document}}"
    (tmp_path / "paper.tex").write_text(paper)
    (tmp_path / f"{entry.name}.pdf").write_bytes(export.pdf(drawing.draw(made)))
    command = ["pdflatex", "-interaction=nonstopmode", "-draftmode", "paper.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [line for line in found.stdout.splitlines() if line.startswith("!")] == []


@pytest.mark.parametrize("place", [r"Text.{}Text.", r"Text.\begin{{table}}{}\end{{table}}Text."])
def test_a_table_of_latex_is_as_wide_as_its_place_at_most(place: str, tmp_path: Path) -> None:
    """In a float, and in the text, whose paragraphs are indented."""
    entry, _, grid, *_ = drawn("heatmap")
    table = api.kind("heatmap").latex(grid, entry)
    packages = r"\usepackage{graphicx}\usepackage{booktabs}\textwidth100pt\parindent10pt"
    text = rf"\begin{{document}}{place.format(table)}\end{{document}}"
    (tmp_path / "paper.tex").write_text(rf"\documentclass{{article}}{packages}{text}")
    command = [*engines.command("pdflatex"), "-interaction=nonstopmode", "-draftmode", "paper.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    wrong = [line for line in found.stdout.splitlines() if line.startswith(("!", "Overfull"))]
    assert wrong == []


@pytest.mark.parametrize(
    ("value", "key"),
    [("a", "a"), (1, "1"), (1.0, "1"), ("1e-5", "1e-05"), (1e-5, "1e-05"), (0.1, "0.1"),
     (True, "true"), (1024, "1024"), ("0.10", "0.10"), (None, "None")],
)  # fmt: skip
def test_values_are_spelled_in_one_way(value: Any, key: str) -> None:
    assert entries.spelling(value) == key


def test_no_two_values_have_one_name() -> None:
    """A figure on which two models look like one would be worse than none."""

    def called(values: list[Any], names: dict[str, str]) -> dict[Any, str]:
        entry = Figure(name="f", kind="heatmap", source="s", names={"x": names})
        return entry.called("x", values)

    with pytest.raises(Error, match=r"f\.names\.x: 'a' and 'b' would both be named 'b'"):
        called(["a", "b"], {"a": "b"})
    assert called(["a", "b", "a"], {"a": "b", "b": "a"}) == {"a": "b", "b": "a"}
    assert called([1e-5, 1.0], {"1.0e-5": "low", "1": "high"}) == {1e-5: "low", 1.0: "high"}
