"""The numbers behind a figure, as CSV and LaTeX."""

import polars as pl
import pytest

from heatproof.kinds import api
from heatproof.kinds.pairwise import report as pairwise
from heatproof.kinds.tables import escape
from support.tables import CELLS, csv, duel, latex

BINS = pl.DataFrame(
    {
        "x_model": ["R1"] * 2 + ["L&4"] * 2,
        "y_model": ["g2"] * 4,
        "x0": [0.0, 0.5] * 2,
        "x1": [0.5, 1.0] * 2,
        "y0": [0.0] * 4,
        "y1": [1.0] * 4,
        "samples": [3, 0, 1, 2],
        "difference": [0.25, None, 0.0, 0.5],
        "points": [[{"x": 0.1, "y": 0.2, "n": 3}], [], [], []],
        "pair_n": [3, 3, 3, 3],
        "wins": [2, 2, 1, 1],
        "ties": [1, 1, 0, 0],
        "losses": [0, 0, 2, 2],
        "mean": [0.25, 0.25, -0.1, -0.1],
        "simultaneous_low": [-0.0021, -0.0021, None, None],
        "simultaneous_high": [0.502, 0.502, None, None],
        "p_holm": [0.0004, 0.0004, 1.0, 1.0],
        "units": [3, 3, 3, 3],
    }
)
# The columns of a panel of both kinds.
SHORT = CELLS.filter(pl.col("task") == "a_1").drop("task")


def test_csv_names_columns_of_the_samples():
    """The axes of a heatmap's CSV are called what they are called in the logs."""
    head, first, *_ = csv(CELLS).splitlines()
    assert head.split(",")[:4] == ["task", "local_window", "ratio", "value"]
    assert first.split(",")[:4] == ["a_1", "500", "0.1", "0.4"]


def test_csv_keeps_every_digit():
    """The CSV is for computing: nothing is rounded, and a cell without data is empty."""
    assert pl.read_csv(csv(CELLS).encode())["value"].to_list() == CELLS["value"].to_list()


def test_csv_never_names_two_columns_alike():
    """An axis that is called like a column of the grid keeps its plain name."""
    assert "x," in csv(CELLS, encoding={"x": "samples"})


def test_csv_of_bins_leaves_out_points():
    """The CSV of a pairwise figure has a row per bin and no lists."""
    lines = csv(BINS, "pairwise").splitlines()
    assert len(lines) == 1 + len(BINS)
    assert "points" not in lines[0]


@pytest.mark.parametrize(
    ("options", "cell"),
    [
        ({"percent": True}, r"\textbf{49.3} \\"),
        ({}, r"\textbf{0.493} \\"),
        ({"format": ".2f"}, r"\textbf{0.49} \\"),
        ({"percent": True, "uncertainty": "se"}, r"\textbf{49.3}\,$\pm$\,4.0 \\"),
    ],
)
def test_number_formats(options, cell):
    """Values are printed in percent, as given, in a format asked for, or with their error."""
    assert cell in latex(SHORT, panel=None, **options)


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
        "% bold: highest of each panel\n% dagger: not told apart from the highest (95\u00a0%, paired, 9 problems, "
    )
    assert "% +-: standard error over problems, for problems like these\n% --: no data\n" in table
    assert "dagger" not in latex(CELLS)


def test_a_table_of_one_cell_is_a_table():
    """With one column, one row, and all that is said of it."""
    one = CELLS.head(1).drop("task").with_columns(reconstructed=True, best=True)
    made = latex(one, panel=None, uncertainty="se")
    assert "% +-: standard error over problems × samples, from counts alone" in made
    assert r"500 & \textbf{0.400}\,$\pm$\,0.040 \\" in made
    assert r"\begin{tabular}{lr}" in made


def test_pairs_are_counted():
    """A pairwise table has a row per pair: counts, mean difference, interval and p."""
    table = pairwise.latex(BINS, duel())
    assert r"R1 & g2 & 3 & 2 & 1 & 0 & +0.250 & $-$0.002 to +0.502 & \textless{} 0.001 \\" in table
    assert r"L\&4 & g2 & 3 & 1 & 0 & 2 & $-$0.100 & -- & 1.00 \\" in table


@pytest.mark.parametrize(
    ("tested", "keys", "more", "said", "last"),
    [
        (3, {}, "", "", ("", "")),
        (2, {}, " & problems", ", over problems", (" & 2", " & --")),
        (1200, {"family": "^(.)"}, " & families", ", over families", (r" & 1,200", " & --")),
    ],
)
def test_tables_of_pairs_tell_what_was_tested(tested, keys, more, said, last):
    """With a column more where problems or families are fewer than instances; so on the page."""
    bins = BINS.with_columns(
        units=pl.when(pl.col("x_model") == "R1").then(tested).otherwise(3 if tested == 3 else None)
    )
    table = pairwise.latex(bins, duel(**keys))
    assert table == (
        rf"""% 95 %: intervals that hold for all pairs together (Bonferroni, paired t){said}, for problems like these
% p: of being ahead more often, exact sign test, corrected over the pairs (Holm){said}
% needs \usepackage{{booktabs}}
\begin{{tabular}}{{llrrrrrrr{"r" * bool(more)}}}
\toprule
$x$ & $y$ & $n$ & $x$ ahead & equal & $y$ ahead & mean $x - y$ & 95\,\% & $p${more} \\
\midrule
R1 & g2 & 3 & 2 & 1 & 0 & +0.250 & $-$0.002 to +0.502 & \textless{{}} 0.001{last[0]} \\
L\&4 & g2 & 3 & 1 & 0 & 2 & $-$0.100 & -- & 1.00{last[1]} \\
\bottomrule
\end{{tabular}}
"""
    )
    page = api.kind("pairwise").table(bins, duel(**keys))
    assert page.columns[:6] == ("x", "y", "instances", "x ahead", "equal", "y ahead")
    assert page.columns[6:9] == (
        "mean x − y",
        "95 % interval (all pairs)",
        "p of being ahead more often (sign test, Holm)",
    )
    assert page.columns[9:] == ((f"{more.removeprefix(' & ')} tested",) if more else ())
    assert [row.cells for row in page.rows] == [
        (
            "R1",
            "g2",
            "3",
            "2",
            "1",
            "0",
            "+0.250",
            "−0.002 to +0.502",
            "< 0.001",
            *([f"{tested:,}"] if more else []),
        ),
        ("L&4", "g2", "3", "1", "0", "2", "−0.100", "–", "1.00", *(["–"] if more else [])),
    ]
    assert (page.texts, page.n) == (2, "3 instances a pair")


def test_note_is_a_comment():
    """A note on the data, such as a reconstruction, opens the table as a comment."""
    table = pairwise.latex(BINS, duel(), "made up\nby hand")
    assert table.startswith("% made up\n% by hand\n")


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
