"""What a heatmap says outside of its picture: CSV, LaTeX, captions, names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof.config import entries
from heatproof.config.entries import Figure
from heatproof.export import drawing, export
from heatproof.kinds import api
from heatproof.kinds.heatmap import report
from heatproof.kinds.picture import Drawn, captions, escape
from heatproof.util.errors import Error
from support import tables as numbers
from support.tables import CELLS, csv, latex
from support.toys import drawn

# The columns of a panel of both kinds.


def test_csv_never_names_two_columns_alike():
    """An axis that is called like a column of the grid keeps its plain name."""
    assert "x," in csv(CELLS, encoding={"x": "samples"})


def test_bold_is_the_best_and_a_dagger_what_is_not_told_apart_from_it():
    """As in the figure; comments say so, and why numbers are not there."""
    alone = pl.col("best") & ((pl.col("task") != "b") | (pl.col("x") == 0.2))
    ties = CELLS.with_columns(tied=alone | (pl.col("value") == 0.2), best=alone)
    table = latex(ties, percent=True, uncertainty="se")
    dot = r"\rlap{$^{\dagger}$}"
    assert r"500 & 40.0\,$\pm$\,4.0 & 45.3\,$\pm$\,4.0 \\" in table
    assert r"3000 & -- & \textbf{49.3}\,$\pm$\,4.0 \\" in table
    assert rf"500 & 10.0\,$\pm$\,1.0 & 20.0\,$\pm$\,1.0{dot} \\" in table
    assert table.startswith(
        "% bold: highest of each panel\n% dagger: not told apart from the highest of its panel (95\u00a0%, paired, 9 problems)"
    )
    assert "% +-: standard error over problems, for problems like these\n% --: no data\n" in table
    assert "dagger" not in latex(CELLS)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("{x}^2", r"\{x\}\textasciicircum{}2"),
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


SHOWN = Drawn(
    "a_b",
    {"description": "x − 1 {~50 %}\u00a0& more", "usermeta": {"heatproof": {"id": "1a2b3c4d"}}},
    238.0,
    ["pdf", "svg"],
)


def said(kind: str) -> list[str]:
    """What the caption of a toy says."""
    entry, _, grid, *_ = drawn(kind)
    return api.kind(entry.kind).caption(grid, entry)


def test_latex_has_the_file_its_width_a_label_and_a_text_for_the_blind() -> None:
    """In inches, and free of what LaTeX would take for commands."""
    text = captions(["Rises by 5 %", ""], SHOWN)["tex"]
    assert r"\includegraphics[width=3.306in, alt={x - 1 50 \% \& more}]{a_b.pdf}" in text
    assert r"\caption{Rises by 5 \%.}" in text
    assert r"\label{fig:a_b}" in text
    assert text.startswith("% a_b, heatproof 1a2b3c4d: `heatproof trace 1a2b3c4d` tells")


def test_markdown_shows_the_picture_and_means_what_it_says() -> None:
    """Signs that would be marks of Markdown are taken for what they are."""
    text = captions(["a_b < c*", "Two."], SHOWN)["md"]
    assert text.startswith("![x − 1 {~50 %}\u00a0& more](a_b.svg)\n\na\\_b \\< c\\*. Two.\n\n<!--")


def test_titles_and_labels_are_no_markup() -> None:
    """In the alternative text as in the caption; neither ends at an empty line."""
    hostile = "![x](y) *a*\n\n<img src=x> `b` &lt; $c$ ~~d~~ R&D"
    spec = {"description": hostile, "usermeta": SHOWN.spec["usermeta"]}
    written = captions([hostile], SHOWN._replace(spec=spec))
    safe = r"!\[x\](y) \*a\* \<img src=x\> \`b\` \&lt; \$c\$ \~~d\~~ R&D"
    assert written["md"].startswith(f"![{safe}](a_b.svg)\n\n{safe}.\n\n<!--")
    assert "\n\n" not in written["tex"]


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex")
def test_latex_takes_it(tmp_path: Path) -> None:
    """With all the signs that captions have, and a figure beside it."""
    entry, _, _, made, picture = drawn("heatmap")
    shown = Drawn(entry.name, made, drawing.size(picture.decode())[0], ["pdf"])
    signs = "≤ ≥ × · … → ± − 95\u00a0% <a> µ # $ & _ { } ~ ^ \\"
    text = captions([*said("heatmap"), signs], shown)["tex"]
    packages = r"\usepackage{graphicx}\usepackage{booktabs}"
    paper = rf"\documentclass{{article}}{packages}\begin{{document}}{text}\end{{document}}"
    (tmp_path / "paper.tex").write_text(paper)
    (tmp_path / f"{entry.name}.pdf").write_bytes(export.pdf(drawing.draw(made)))
    command = ["pdflatex", "-interaction=nonstopmode", "-draftmode", "paper.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [line for line in found.stdout.splitlines() if line.startswith("!")] == []


NAMES = {"task": {"a_1": "Task one"}, "ratio": {"0.2": "a fifth"}}
GRID = numbers.CELLS.with_columns(best=False, tied=None, se=None, low=None, high=None)


@pytest.mark.parametrize(
    ("value", "key"),
    [("a", "a"), (1, "1"), (1.0, "1"), ("1e-5", "1e-05"), (1e-5, "1e-05"), (0.1, "0.1"),
     (True, "true"), (1024, "1024"), ("0.10", "0.10"), (None, "None")],
)  # fmt: skip
def test_values_are_spelled_in_one_way(value: Any, key: str) -> None:
    assert entries.spelling(value) == key


def called(values: list[Any], names: dict[str, str]) -> dict[Any, str]:
    entry = Figure(name="f", kind="heatmap", source="s", names={"x": names})
    return entry.called("x", values)


def test_two_values_of_one_name_are_refused() -> None:
    """A figure on which two models look like one would be worse than none."""
    with pytest.raises(Error, match=r"f\.names\.x: 'a' and 'b' would both be called 'b'"):
        called(["a", "b"], {"a": "b"})
    assert called(["a", "b", "a"], {"a": "b", "b": "a"}) == {"a": "b", "b": "a"}


@pytest.mark.parametrize("key", ["1e-5", "1e-05", "1.0e-5"])
def test_a_number_is_named_however_it_is_written(key: str) -> None:
    assert called([1e-5, 1.0], {key: "low", "1": "high"}) == {1e-5: "low", 1.0: "high"}


def test_tables_and_the_page_bear_the_names() -> None:
    """CSV, as the logs have it, does not; nor does the command that the page copies."""
    entry = numbers.entry(names=NAMES)
    assert r"\textit{Task one}" in numbers.latex(GRID, names=NAMES)
    assert "a_1" in numbers.csv(GRID, names=NAMES)
    assert report.table(GRID, entry).rows[1].cells[:3] == ("Task one", "500", "a fifth")
    axes = report._axes(GRID, entry)
    assert [(panel["pick"], panel["words"]) for panel in axes["panels"]] == [
        ([["task", "a_1"]], "Task one"),
        ([["task", "b"]], "b"),
    ]
    assert axes["x"] == {"name": "ratio", "values": ["0.1", "0.2"], "words": ["0.1", "a fifth"]}
