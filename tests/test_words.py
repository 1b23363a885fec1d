"""Numbers and sentences of a figure, letter for letter: what is printed is what the grid says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.charts import colour, scales, wording
from heatproof.charts.units import Unit
from heatproof.kinds import heatmap
from heatproof.kinds.heatmap import cells, reasons, words
from heatproof.kinds.heatmap import words as room
from heatproof.kinds.heatmap.verdict import NOTHING, Spread, Verdict
from heatproof.kinds.heatmap.words import VerdictLines
from heatproof.util import numerals

SHOWN = {
    ".1f": {0.04: "0.0", 0.06: "0.1", -0.04: "0.0", -0.06: "−0.1", 42.5: "42.5", 1e4: "10000.0"},
    ".0f": {0.5: "0", 1.5: "2", 2.5: "2", -2.6: "−3"},
    "f": {1.5: "1.500000"},
    ",.2f": {1234567.891: "1,234,567.89", 999.999: "1,000.00", -1e6: "−1,000,000.00"},
    "+.2f": {0.004: "+0.00", -0.005: "−0.01", 1.0: "+1.00"},
    "+,.1f": {-1234.56: "−1,234.6", 1234.56: "+1,234.6"},
    ".2~f": {1.5: "1.5", 1.0: "1", 1.25: "1.25", 100.0: "100"},
    "d": {0.5: "0", 1.5: "2", 1499.6: "1500", -3.0: "−3", 0.0: "0", 10.0: "10"},
    ",d": {12345.4: "12,345", -1e6: "−1,000,000"},
    ".0%": {0.005: "0%", 0.015: "2%", 0.25: "25%", 1.0: "100%", -0.5: "−50%"},
    ".1%": {0.1234: "12.3%"},
    ".6~g": {42.5: "42.5", 1e-6: "0.000001", 1e-7: "1e−7", 999999.0: "999999", 1e6: "1e+6", 0.0: "0"},
    ".3g": {999.4: "999", 999.6: "1.00e+3", 0.001234: "0.00123", 1.0: "1.00", -12.34: "−12.3"},
    "g": {1.5: "1.50000"},
    ".0g": {15.0: "2e+1", 3.2: "3"},
    ".1e": {12345.0: "1.2e+4", -5e-6: "−5.0e−6", 0.0: "0", 1e-10: "1.0e−10"},
    ".3~e": {1.5e8: "1.5e+8", 1e8: "1e+8"},
    ".3s": {999.4: "999", 999.6: "1.00k", 13000.0: "13.0k", 1e6: "1.00M", 2.5e9: "2.50G", 0.0: "0.00", 0.0012: "1.20m", 1.5e-6: "1.50µ", 7e-9: "7.00n", -1500.0: "−1.50k", 1.0: "1.00"},
    ".3~s": {13000.0: "13k", 1.5e12: "1.5T", 1e15: "1000T", 2e-12: "0.002n", 0.0: "0"},
    ".1s": {1500.0: "2k", 0.15: "100m"},
    "s": {1234567.0: "1.23457M"},
}  # fmt: skip


@pytest.mark.parametrize("spec", SHOWN)
def test_numbers_of_a_format(spec: str) -> None:
    """Rounded to the even digit at a half, with a minus sign of its own and no negative zero."""
    assert {value: numerals.show(value, spec) for value in SHOWN[spec]} == SHOWN[spec]
    assert numerals.is_format(spec)


@pytest.mark.parametrize("spec", ["", ".1", "x", ".1ff", "1f", ".f", "~", "-.1f"])
def test_formats_that_are_none(spec: str) -> None:
    """They are refused with examples of some that are."""
    assert not numerals.is_format(spec)
    with pytest.raises(ValueError, match="is not a number format") as refused:
        numerals.show(1, spec)
    assert str(refused.value) == (f"{spec!r} is not a number format such as '.1f', '.3~s' or ',d'")


@pytest.mark.parametrize(
    ("values", "spec"),
    [
        ([], "d"), ([0.0], "d"), ([3.0, -10.0], "d"), ([9999.0], "d"), ([10_000.0], ".3s"),
        ([-10_000.0, 1.0], ".3s"), ([9999.5], ".0f"), ([100.5], ".0f"), ([99.5], ".1f"),
        ([10.5], ".1f"), ([9.5, 0.001], ".2f"), ([1.5], ".2f"), ([0.95], ".3f"), ([0.05], ".3f"),
        ([0.001], ".3f"), ([0.0009, 0.0], ".1e"), ([-0.0009], ".1e"),
    ],
)  # fmt: skip
def test_the_format_that_fits(values: list[float], spec: str) -> None:
    """Three digits of the largest, at most three behind the point; whole numbers stay whole."""
    assert numerals.fitting(values) == spec


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 5, [0, 1, 2, 3, 4, 5]),
        (0, 6, [0, 2, 4, 6]),
        (39.3, 49.3, [40, 42, 44, 46, 48]),
        (-0.3, 0.3, [-0.2, 0, 0.2]),
        (0.1, 0.3, [0.1, 0.15, 0.2, 0.25, 0.3]),
        (1000, 71000, [20000, 40000, 60000]),
        (7, 7, [7]),
        (8, 7, [8]),
        (0.7 + 1e-9, 0.9, [0.75, 0.8, 0.85, 0.9]),
        (0.7 + 1e-11, 0.9 - 1e-11, [0.7, 0.75, 0.8, 0.85, 0.9]),
    ],
)
def test_ticks_by_hand(low: float, high: float, found: list[float]) -> None:
    """The finest multiples of 1, 2 or 5 of which six are enough; a hair beyond the end is inside."""
    assert numerals.ticks(low, high) == found


def test_ticks_of_logs_by_hand() -> None:
    """1, 2, 5; else 1, 3; else powers of ten; both ends count."""
    assert numerals.log_ticks(1, 20) == [1, 2, 5, 10, 20]
    assert numerals.log_ticks(1, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert numerals.log_ticks(1, 200) == [1, 3, 10, 30, 100]
    assert numerals.log_ticks(0.5, 4000) == [1, 10, 100, 1000]
    assert numerals.log_ticks(3, 4000) == [3, 10, 30, 100, 300, 1000, 3000]
    assert numerals.log_ticks(0.2, 0.2) == [0.2]
    assert numerals.log_ticks(1, 1e9, most=3) == [10.0**n for n in range(10)]


def test_counts_in_words() -> None:
    """One number where all are the same, groups of thousands, and a plural."""
    assert [numerals.span(n) for n in ([29, 30, 1234], [1500, 1500], [])] == [
        "29–1,234",
        "1,500",
        "0",
    ]
    assert [numerals.numbered(n, "file") for n in (0, 1, 2000)] == [
        "0 files",
        "1 file",
        "2,000 files",
    ]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1e-5, 1e-4, 0.1], ["1e−5", "1e−4", "1e−1"]),
        ([1e-5, 0.11], ["1e−5", "0.11"]),
        ([1e-4, 0.1], ["0.0001", "0.1"]),
        ([-1e-5, 0.0], ["−1e−5", "0"]),
        ([True, False, None, "", "a_b", -3, 42.5], ["yes", "no", "none", "(empty)", "a_b", "−3", "42.5"]),
        ([1, "1"], ["1", "'1'"]),
        ([0.1234567, 0.12345674], ["0.1234567", "0.12345674"]),
    ],
)  # fmt: skip
def test_words_of_an_axis(values: list[Any], found: list[str]) -> None:
    """Numbers in one style, no two alike."""
    assert numerals.words(values) == found


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], []),
        (["a", "a"], ["the end of 'a'"]),
        (["a", "b", "a"], ["the ends of 'a', 'b'"]),
        (["a", "b", "c"], ["the ends of 'a', 'b', of 3 in all"]),
        ([*map(str, range(2000))], ["the ends of '0', '1', of 2,000 in all"]),
    ],
)
def test_names_that_are_cut(names: list[str], said: list[str]) -> None:
    """One or two are told, each once, and how many there are of more."""
    ways = ": `names` and `labels` give shorter ones"
    assert wording.names_cut(names) == [one + ways for one in said]


def test_names_are_sorted_by_the_numbers_in_them() -> None:
    """Units count, words that begin like one do not; equal numbers by their spelling."""
    names = [
        "x",
        "m-70m",
        "m-160M",
        "m-1b",
        "m-1.4b",
        "m-2g",
        "m-1t",
        "n-3k",
        "n-2mini",
        "n-3",
        "n-10",
    ]
    order = [
        "m-70m",
        "m-160M",
        "m-1b",
        "m-1.4b",
        "m-2g",
        "m-1t",
        "n-2mini",
        "n-3",
        "n-10",
        "n-3k",
        "x",
    ]
    assert sorted(names, key=numerals.by_size) == order
    assert sorted(["a-1.0", "a-1"], key=numerals.by_size) == ["a-1", "a-1.0"]
    assert sorted(["a1b2", "a1b", "a1"], key=numerals.by_size) == ["a1", "a1b", "a1b2"]


def row(**keys: Any) -> dict[str, Any]:
    """A cell of a grid, or what is drawn of one."""
    base = {
        "panel": "",
        "x": "0.1",
        "y": "5",
        "value": 0.5,
        "peers": 0,
        "samples": 30,
        "tied": False,
    }
    base |= {
        "best": False,
        "bold": False,
        "dotted": False,
        "missing": False,
        "incomplete": False,
        "gap": "",
    }
    judged = {"spread": 0.1, "spread_equal": 0.1, "chance_median": 0.05, "chance_high": 0.08}
    return base | judged | {"chance_p": 0.5, "separated": 0, "needed": None} | keys


AXES = {
    "x": VerdictLines("Ratio", {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}),
    "y": VerdictLines("window", {5: "five"}),
}
SPREAD = "spread 10.0; equal settings would spread 5.0 (95\u00a0%: 8.0): "


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], []),
        ([row(peers=None)], []),
        ([row(spread=None)], []),
        ([row()] * 3, [f"{SPREAD}no evidence of a best setting"]),
        ([row(chance_p=0.05)] * 2, [f"{SPREAD}more than chance, but no setting can be told from the best"]),
        ([row(chance_p=0.051)] * 2, [f"{SPREAD}no evidence of a best setting"]),
        ([row(separated=2, chance_p=0.01)] * 4, [f"{SPREAD}2 of 4 settings can be told from the best"]),
        ([row(chance_p=None, separated=3)] * 2, ["too few problems to tell a best setting from chance"]),
        ([row(spread_equal=0.12)] * 2, ["spread 10.0, 12.0 on equal problems; equal settings would spread 5.0 (95\u00a0%: 8.0): no evidence of a best setting"]),
        ([row(spread_equal=None, chance_median=None, chance_high=None)] * 2, ["spread 10.0, with few problems in common: no evidence of a best setting"]),
        ([row(needed=837, tied=True), row(tied=True, samples=40)], [f"{SPREAD}no evidence of a best setting", "at least 840 problems, not 40, would part the best from the runner-up"]),
        ([row(needed=837, tied=True), row()], [f"{SPREAD}no evidence of a best setting"]),
        ([row(spread=None, unjudged="no best")] * 3, ["no best"]),
        ([row(needed=30, tied=True), row(tied=True)], [f"{SPREAD}no evidence of a best setting", "at least 30 problems would part the best from the runner-up"]),
    ],
)  # fmt: skip
def test_sentences_of_one_panel(rows: Any, said: list[str]) -> None:
    """The spread beside chance, what was found, and how many problems would part the leaders."""
    assert words.sentences(rows, 100, ".1f", AXES) == said


@pytest.mark.parametrize(
    ("problems", "there", "rough"),
    [(1, 5, "1"), (12, 5, "12, not 5,"), (99, 30, "99, not 30,"), (101, 100, "110, not 100,"),
     (1000, 990, "1,000, not 990,"), (1001, 1100, "1,100"), (15023, 1234, "16,000, not 1,234,")],
)  # fmt: skip
def test_problems_needed_are_rough(problems: int, there: int, rough: str) -> None:
    """Two digits, upwards; those that there are only where they are fewer."""
    number, _, now = rough.partition(", not")
    tail = f", not{now}" if now else ""
    assert words.needed_words(problems, there) == (
        f"at least {number} problems{tail} would part the best from the runner-up"
    )


def sets(*found: int, axis: str = "x") -> list[dict[str, Any]]:
    """Pairs of cells that are compared with each other; how many of each are told from the best."""
    other = "y" if axis == "x" else "x"
    return [
        row(peers=n, separated=many, **{axis: 1 + n, other: at})
        for n, many in enumerate(found)
        for at in (5, 6)
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (sets(0, 0), "within each Ratio: no evidence of a best setting"),
        (sets(1, 1), "within each Ratio: 1 of 2 settings can be told from the best"),
        (sets(1, 0, 1), "one, three: 1 of 2 settings can be told from the best; two: no evidence of a best setting"),
        (sets(1, 0, 0, 1, 0), "within each Ratio, settings can be told from the best in 2 of 5"),
        ([*sets(1, 0), *[r | {"x": 9, "y": 9} for r in sets(1, 0)]], "within each set of cells that share problems, settings can be told from the best in 1 of 2"),
        ([*sets(1), row(peers=7, x=2, y=5, spread=None)], "one: 1 of 2 settings can be told from the best"),
    ],
)  # fmt: skip
def test_sentences_of_cells_that_share_no_problems(rows: Any, said: str) -> None:
    """One on all; up to four are named by their value of the axis that tells them apart."""
    assert words.sentences(rows, 100, ".1f", AXES) == [said]


NAMES = ("Ratio", "Window", "Pass@1 (%)")
BEST = row(best=True, bold=True, value=0.9, x="0.2")


@pytest.mark.parametrize(
    ("rows", "keys", "said"),
    [
        ([row(value=None), row(value=None)], {}, "T: no data in any of the 2 cells."),
        ([row(value=None, incomplete=True)], {}, "T: no value in any of the 1 cells."),
        ([row(), BEST], {}, "T: Pass@1 (%) from 0.5 to 0.9 in 2 cells; best at Ratio 0.2, Window 5."),
        ([row(), BEST], {"end": "lowest"}, "T: Pass@1 (%) from 0.5 to 0.9 in 2 cells; lowest at Ratio 0.2, Window 5."),
        ([row(), *[BEST] * 3], {"each": " of each task"}, "T: Pass@1 (%) from 0.5 to 0.9 in 4 cells; best of each task at Ratio 0.2, Window 5 and at Ratio 0.2, Window 5 and at Ratio 0.2, Window 5."),
        ([*[BEST] * 4], {"each": " of each task"}, "T: Pass@1 (%) from 0.9 to 0.9 in 4 cells; best of each task in 4 cells."),
        ([row(), *[BEST | {"bold": False}] * 4], {}, "T: Pass@1 (%) from 0.5 to 0.9 in 5 cells; 4 cells share the highest value."),
        ([row(tied=True), row(tied=True, incomplete=True), BEST, row(value=None, missing=True), row(value=None, missing=True, incomplete=True)], {}, "T: Pass@1 (%) from 0.5 to 0.9 in 3 cells; best at Ratio 0.2, Window 5; 2 others not distinguishable from it; 1 without data; 1 incomplete and without a value; 1 incomplete."),
        ([BEST, *[row(value=None, missing=True, gap=reasons.FAILED)] * 3, *[row(value=None, missing=True, gap=reasons.NOTHING)] * 2], {}, "T: Pass@1 (%) from 0.9 to 0.9 in 1 cells; best at Ratio 0.2, Window 5; 2 without data; 3 of runs that failed or are unfinished."),
    ],
)  # fmt: skip
def test_what_is_read_out(rows: Any, keys: dict[str, str], said: str) -> None:
    """Ends, places of the best, the tied, and what is not there, each once."""
    assert words.spoken_panel("T", rows, NAMES, ".1f", **keys) == said
    assert words.spoken_panel("", rows, NAMES, ".1f", **keys) == said.removeprefix("T: ")


def test_what_a_heatmap_is_said_to_show() -> None:
    """Its value, in percent only where it is, over its axes."""
    names: Any = SimpleNamespace(x="Ratio", y="Window", value="Pass@1")
    assert (
        words.spoken_figure(names, True)
        == "Heatmap of Pass@1 in percent over Ratio (x) and Window (y)."
    )
    assert words.spoken_figure(names, False) == "Heatmap of Pass@1 over Ratio (x) and Window (y)."


ENTRY = {"name": "f", "kind": "heatmap", "source": "s"}
ENTRY |= {"encoding": {"x": "ratio", "y": "window", "color": "pass@1"}}
GRID = pl.DataFrame(
    {
        "task": ["t"] * 4 + ["u"] * 2,
        "y": [5, 5, 10, 10, 5, 5],
        "x": [0.1, 0.2] * 3,
        "value": [1 / 3, 0.7, None, None, 0.29, 0.29],
        "samples": [3, 4, 2, 0, 5, 5],
        "epochs": [9, 12, 3, 0, 5, 5],
        "expected": [12, 12, 12, 12, 5, 5],
        "se": [0.1, None, None, None, 0.02, 0.02],
        "low": [0.2, None, None, None, 0.25, None],
        "high": [0.4, 0.9, None, None, 0.35, 0.3],
        "best": [False, True, True, False, True, True],
        "tied": [True, True, True, None, None, False],
        "gap": [None, None, "incomplete: no value", "no data", None, None],
        "peers": [0, 0, None, None, 4, 4],
        "common": [3, 3, None, None, 5, 5],
    }
)


def entry(**keys: Any) -> heatmap.Entry:
    return msgspec.convert(ENTRY | {"panel": "task"} | keys, heatmap.Entry)


def test_sentences_of_all_panels() -> None:
    """By the label of the panel, axes under their names; without a panel under none."""
    judged = {"spread": 0.1, "spread_equal": 0.1, "chance_median": 0.05, "chance_high": 0.08}
    judged |= {"chance_p": 0.5, "separated": 0, "needed": None}
    grid = GRID.with_columns(**{name: pl.lit(what) for name, what in judged.items()})
    said = f"{SPREAD}no evidence of a best setting"
    assert words.verdicts_of(grid, entry(), 100, ".1f") == {("t",): [said], ("u",): [said]}
    few = "spread 0.100; equal settings would spread 0.050 (95\u00a0%: 0.080): no evidence of a best setting"
    assert words.verdicts_of(grid[:4].drop("task"), entry(panel=None), 1, ".3f") == {(): [few]}
    apart = grid[:2].with_columns(
        peers=pl.col("x").rank("dense").cast(int), separated=(pl.col("x") > 0.15).cast(int)
    )
    shown = entry(labels={"ratio": "Share"})
    assert words.verdicts_of(apart, shown, 100, ".1f") == {
        ("t",): [
            "0.1: no evidence of a best setting; 0.2: 1 of 1 settings can be told from the best"
        ]
    }
    turned = apart.rename({"x": "y", "y": "x"})
    assert words.verdicts_of(turned[:1], entry(labels={"window": "Size"}), 100, ".1f") == {
        ("t",): [said]
    }
    same = apart.rename({"x": "y", "y": "x"}).with_columns(separated=0)
    assert words.verdicts_of(same, entry(labels={"window": "Size"}), 100, ".1f") == {
        ("t",): ["within each Size: no evidence of a best setting"]
    }


def test_rows_that_are_drawn() -> None:
    """Values in the unit of the figure without noise, and every flag of a cell."""
    rows = cells.cell_table(GRID, entry(), Unit(100), "tied")
    told = [(*r["panel"], r["y"], r["x"], r["value"], r["se"], r["low"], r["high"]) for r in rows]
    assert told == [
        ("t", "5", "0.1", 33.3333333333, 10, 20, 40), ("t", "5", "0.2", 70, None, None, 90),
        ("t", "10", "0.1", *[None] * 4), ("t", "10", "0.2", *[None] * 4),
        ("u", "5", "0.1", 29, 2, 25, 35), ("u", "5", "0.2", 29, 2, None, 30),
    ]  # fmt: skip
    flags = {name: [n for n, r in enumerate(rows) if r[name]] for name in
             ("best", "missing", "incomplete", "uneven", "tied", "counted")}  # fmt: skip
    assert flags == {"best": [1, 4, 5], "missing": [2, 3], "incomplete": [0, 2], "uneven": [0, 1],
                     "tied": [0, 1], "counted": []}  # fmt: skip
    assert [r["gap"] for r in rows] == ["", "", "incomplete: no value", "no data", "", ""]
    for name in ("samples", "epochs", "expected", "peers"):
        assert [r[name] for r in rows] == GRID[name].to_list()
    assert not any(r["tied"] for r in cells.cell_table(GRID, entry(), Unit(100), "se"))
    made_up = GRID.drop("task").with_columns(reconstructed=True)
    alone = cells.cell_table(made_up, entry(panel=None), Unit(), "none")
    assert [(r["panel"], r["counted"], r["value"]) for r in alone[:2]] == [
        ((), True, 0.333333333333),
        ((), True, 0.7),
    ]
    assert cells.shown_cells(GRID, entry()) == (cells.marked_cells(rows, "outline"), ".1f")
    assert cells.shown_cells(GRID, entry(format=".2f"))[1] == ".2f"
    plain, spec = cells.shown_cells(GRID, entry(percent=False))
    assert (plain[1]["value"], plain[1]["tied"], spec) == (0.7, True, ".3f")


def test_labels_of_cells() -> None:
    """Value, error and limits in one format; what is not known is not printed."""
    rows = cells.cell_table(GRID, entry(), Unit(100), "tied")
    scale = scales.scale((29, 70), colour.palette("greys"))
    found = cells.letter_cells(rows, scale, ".1f", "interval")
    assert [r["label"] for r in found] == ["33.3", "70.0", "", "", "29.0", "29.0"]
    assert [r["told"] for r in found] == [
        "33.3",
        "70.0",
        "incomplete: no value",
        "no data",
        "29.0",
        "29.0",
    ]
    assert [r["error"] for r in found] == ["± 10.0", "", "", "", "± 2.0", "± 2.0"]
    assert [r["between"] for r in found] == ["20.0 to 40.0", "", "", "", "25.0 to 35.0", ""]
    assert [r["spread"] for r in found] == ["20.0–40.0", "", "", "", "25.0–35.0", ""]
    assert [r["ink"] for r in found] == ["#000000", "#ffffff", *["#000000"] * 4]
    told = {
        shown: [cells.spread(r, ".1f", shown) for r in rows[:2]] for shown in ("se", "none", "tied")
    }  # type: ignore[arg-type]
    assert told == {"se": ["±10.0", ""], "none": ["", ""], "tied": ["", ""]}
    assert {r["ink"] for r in cells.letter_cells(rows, None, ".1f", "none")} == {"#000000"}


def test_frames_where_few_share_the_best() -> None:
    """Three always may, more of them up to a tenth of those compared; a frame needs no dot."""
    for best, others, frames in (
        (3, 0, True),
        (4, 0, False),
        (4, 36, True),
        (4, 35, False),
        (5, 44, False),
    ):
        rows = [row(best=True, tied=True)] * best + [row(tied=True)] * others
        beside = [row(peers=9, best=True)]
        found = cells.marked_cells(rows + beside, "dots")
        assert [r["framed"] for r in found] == [frames] * best + [False] * others + [True]
        assert [r["dotted"] for r in found] == [not frames] * best + [True] * others + [False]
        assert not any(r["outlined"] for r in found)


@pytest.mark.parametrize(
    ("best", "tied", "others", "bold", "outlined"),
    [
        (1, 0, 9, 1, 1),  # a single best has the outline for its frame
        (1, 2, 9, 1, 3),
        (5, 2, 9, 5, 7),  # where they are judged, all that share the best value are bold
        (1, 9, 0, 0, 0),  # all tie
        (2, 0, 0, 0, 0),
    ],
)
def test_outlines_hold_the_best_and_what_ties_with_it(
    best: int, tied: int, others: int, bold: int, outlined: int
) -> None:
    """Unless all do: then nothing is marked. A cell without a value is no part of it."""
    rows = [row(best=True, tied=True)] * best + [row(tied=True)] * tied + [row()] * others
    hole = row(value=None, missing=True, peers=None)
    found = cells.marked_cells([*rows, hole], "outline")
    assert sum(r["bold"] for r in found) == bold
    assert sum(r["outlined"] for r in found) == outlined
    assert not any(r["framed"] or r["dotted"] for r in found)


@pytest.mark.parametrize("verdict", ["outline", "none"])
def test_without_a_verdict_the_best_is_bold_unless_many_share_it(verdict: Any) -> None:
    """It is a fact of the numbers; in a crowd it would say nothing."""
    few = cells.marked_cells([row(best=True)] * 3 + [row()] * 4, verdict)
    many = cells.marked_cells([row(best=True)] * 4 + [row()] * 4, verdict)
    assert [sum(r["bold"] for r in one) for one in (few, many)] == [3, 0]
    assert not any(r["outlined"] for r in few + many)


def test_each_set_of_peers_is_marked_by_itself() -> None:
    """Where all of one tie, those of another may not."""
    level = [row(best=True, tied=True, peers=1), row(tied=True, peers=1)]
    other = [row(best=True, tied=True, peers=2), row(tied=True, peers=2), row(peers=2)]
    found = cells.marked_cells(level + other, "outline")
    assert [r["outlined"] for r in found] == [False, False, True, True, False]
    assert [r["bold"] for r in found] == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("values", "signed", "keys", "found"),
    [
        ([], False, {}, None), ([None], False, {}, None), ([2.0, 5.0, None], False, {}, (2, 5)),
        ([-2.0, 5.0], True, {}, (-2, 5)), ([0.0, 5.0], False, {}, (0, 5)),
        ([50.0, 50.0], False, {}, (49.5, 50.5)), ([-50.0], False, {}, (-50.5, -49.5)),
        ([0.0], False, {}, (-1, 1)), ([2.0], False, {"percent": True}, (0, 100)),
        ([2.0, 5.0], False, {"domain": [0, 9]}, (0, 9)),
        ([1.0, 2.0, 3.0, 4.0, 90.0], False, {"color_scale": {"clip": [25, 75]}}, (2, 4)),
    ],
)  # fmt: skip
def test_domains(
    values: list[float | None], signed: bool, keys: dict[str, Any], found: Any
) -> None:
    """From the lowest to the highest; shares that do not vary are parts of all."""
    rows = [row(value=v, missing=v is None) for v in values]
    scale = cells.color_scale(rows, entry(**{"percent": False} | keys), signed)
    assert found == (scale and scale.domain)


def test_what_a_value_is_called() -> None:
    """By its label, by its metric, and with its unit."""
    labels = {"mean(tokens)": "Length", "of": "O"}
    words = ["pass@3", "pass^2", "mean(tokens)", "mean(my_count)", "mean(of)"]
    assert [wording.measure(word, labels) for word in words] == [
        "Pass@3",
        "Pass^2",
        "Length",
        "Mean my count",
        "Mean O",
    ]
    names = ["local_window", "kv_Size", "_x_", "a"]
    assert [wording.column(name, {"a": "B"}) for name in names] == [
        "Local Window",
        "kv Size",
        "X",
        "B",
    ]
    assert cells.value_title(entry()) == "Pass@1 (%)"
    assert cells.value_title(entry(percent=False)) == "Pass@1"
    rows: Any = [row(error="± 1", between=""), row(error="", between="")]
    graded = "format(datum.epochs, ',') + ' of ' + format(datum.expected, ',')"
    assert cells.cell_answers(rows, entry()) == {
        "Pass@1 (%)": "datum.told", "Standard error": "datum.error",
        "Problems": "format(datum.samples, ',')", "Graded rows": graded,
    }  # fmt: skip


def test_which_cells_the_best_is_of() -> None:
    """Nothing where all are compared; else the axis that tells, or that they share problems."""
    plain = [row(uneven=False, y="5"), row(uneven=False, y="6")]
    assert reasons.among_words(plain, entry()) == ("", "", False)
    assert reasons.among_words([plain[0] | {"uneven": True}], entry()) == ("", "", True)
    apart = [one | {"peers": n, "x": str(n)} for n in range(2) for one in plain]
    assert reasons.among_words(apart, entry()) == (" of each ratio", " of its ratio", False)
    beside = [one | {"panel": "u", "peers": one["peers"] + 7} for one in apart]
    assert reasons.among_words([*apart, *beside], entry()) == (
        " of each ratio",
        " of its ratio",
        False,
    )
    assert reasons.among_title("kept_window_size", entry()) == "kept window size"
    named = entry(labels={"window": "Local size"})
    turned = [one | {"x": one["y"], "y": one["x"]} for one in apart]
    assert reasons.among_words(turned, named) == (
        " of each Local size",
        " of its Local size",
        False,
    )
    mixed = [one | {"x": "1", "y": "1"} for one in apart]
    said = (" of cells that share problems", " of those that share its problems", False)
    assert reasons.among_words(mixed, entry()) == said
    # One set in each of two panels is no reason to speak of sets.
    assert reasons.among_words([plain[0], plain[1] | {"panel": "u", "peers": 7}], entry()) == (
        "",
        "",
        False,
    )
    assert reasons.among_words([*plain, row(value=None, peers=None, uneven=False)], entry()) == (
        "",
        "",
        False,
    )


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ({}, None),
        ({"t": None}, None),
        ({"t": (20, 1000)}, "20 of 1,000 problems of the data set"),
        ({"u": (20, 100), "t": (5, 30)}, "25 of 130 problems of tasks t, u"),
        ({"t": (20, 100), "u": None}, "20 of 100 problems of task t"),
    ],
)
def test_what_a_cell_was_asked_for(tasks: Any, said: str | None) -> None:
    """Of all limited tasks together; nothing of those that were asked in full."""
    assert reasons.asked_words(tasks) == said


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([None, None], ""),
        (["2 of 9", "2 of 9"], "asked for 2 of 9"),
        ([None, "2 of 9"], "in some cells asked for 2 of 9"),
        (["2 of 9", "3 of 9"], "asked for a part of the data set alone"),
        (["2 of 9", "3 of 9", None], "in some cells asked for a part of the data set alone"),
    ],
)
def test_what_all_cells_were_asked_for(column: list[str | None], said: str) -> None:
    """What all say that say anything, or that they differ; a grid without the column says none."""
    grid = pl.DataFrame({"x": [0] * len(column), "asked": pl.Series(column, dtype=pl.String)})
    assert reasons.asked_by_all(grid) == said
    assert reasons.asked_column(grid) == column
    assert reasons.asked_column(grid.drop("asked")) == [None] * len(column)
    assert reasons.asked_by_all(grid.drop("asked")) == ""
    assert (reasons.asked_notes("2 of 9"), reasons.asked_notes(None)) == (["asked for 2 of 9"], [])


def cell(**keys: Any) -> dict[str, Any]:
    """A cell of which nothing is to be explained."""
    given = {"x": "1", "y": "1", "panel": "p", "peers": 0, "value": 0.5, "spread": "", "gap": ""}
    flags = dict.fromkeys(("bold", "outlined", "framed", "dotted", "missing"), False)
    flags |= dict.fromkeys(("incomplete", "uneven", "counted"), False)
    return given | {"samples": 40} | flags | keys


def framed(**keys: Any) -> dict[str, Any]:
    """A cell of the best where dots are asked for."""
    return cell(bold=True, framed=True, **keys)


def shown(*cells_: dict[str, Any], **keys: Any) -> Any:
    """A panel of these cells."""
    given = {
        "name": "cells p",
        "title": ["R1 |", "P"],
        "unmarked": 0,
        "bar": None,
        "verdict": NOTHING,
        "bare": False,
    }
    return SimpleNamespace(**given | keys, rows=list(cells_))


HOLE = cell(value=None, peers=None, missing=True, gap=reasons.NOTHING)
FAILED = HOLE | {"gap": reasons.FAILED}
LOST = HOLE | {"incomplete": True, "gap": "incomplete: no value, no score"}
LIKE = ", for problems like these"
OUTLINE = "outline: ties with the {} (95\u00a0%, paired, {} problems)"
SPREAD_SEEN = Spread(40.0, 10.0, 20.0, beyond=True, label="40.0")
DOT = "dot: not distinguishable from the {}" + LIKE
BAR = SimpleNamespace(scale=SimpleNamespace(domain=(0.2, 0.6)))


@pytest.mark.parametrize(
    ("panels", "keys", "said"),
    [
        ([shown(cell())], {}, []),
        ([shown(cell(bold=True), cell())], {}, ["bold: best"]),
        ([shown(cell(bold=True), cell())], {"values": False}, []),
        ([shown(cell(bold=True), cell())], {"best": "lowest"}, ["bold: lowest"]),
        ([shown(cell(bold=True, uneven=True), cell())], {}, ["bold: best, on equal problems"]),
        ([shown(cell(bold=True, outlined=True), cell(outlined=True, samples=198), cell(samples=9))], {}, [OUTLINE.format("best", "40–198"), "bold: best"]),
        ([shown(cell(bold=True, outlined=True), cell())], {"best": "lowest"}, [OUTLINE.format("lowest", 40), "bold: lowest"]),
        (
            [shown(*(cell(bold=x == "1", x=x, y=y, peers=int(x), outlined=y == "2") for x in "12" for y in "12"))],
            {},
            [OUTLINE.format("best of its ratio", 40), "bold: best of each ratio"],
        ),
        ([shown(framed(), cell())], {"verdict": "dots"}, ["framed: best"]),
        ([shown(framed(), cell())], {"verdict": "dots", "values": False}, ["framed: best"]),
        (
            [shown(*(framed(x=x, y=y, peers=int(x)) if y == "1" else cell(x=x, y=y, peers=int(x), dotted=True) for x in "12" for y in "12"))],
            {"verdict": "dots"},
            ["framed: best of each ratio", DOT.format("best of its ratio") + " (here every cell)"],
        ),
        ([shown(framed(), cell(dotted=True), cell())], {"verdict": "dots"}, ["framed: best", DOT.format("best")]),
        (
            [shown(framed(), cell(dotted=True), HOLE)],
            {"best": "lowest", "verdict": "dots"},
            ["framed: lowest", DOT.format("lowest") + " (here every cell)", "hatched: no data"],
        ),
        ([shown(cell(bold=True, counted=True), cell(counted=True))], {}, ["bold: best", words.UNKNOWN]),
        ([shown(cell(counted=True))], {"verdict": "none"}, []),
        ([shown(cell(counted=True))], {"uncertainty": "none"}, []),
        ([shown(cell(), verdict=Verdict("", SPREAD_SEEN))], {}, [words.RULER.format(end="100")]),
        ([shown(cell(), verdict=Verdict("", SPREAD_SEEN))], {"ruler": False}, []),
        ([shown(cell(), verdict=Verdict("", SPREAD_SEEN))], {"verdict": "none"}, []),
        ([shown(cell(spread="±1"))], {"uncertainty": "se"}, ["±: standard error over problems" + LIKE]),
        ([shown(cell(spread="1–2"))], {"uncertainty": "interval"}, ["range: 95 % interval" + LIKE]),
        (
            [shown(cell(spread="±1", counted=True))],
            {"uncertainty": "se"},
            ["±: standard error over problems × samples, from counts alone"],
        ),
        (
            [shown(cell(spread="1–2", counted=True))],
            {"uncertainty": "interval"},
            ["range: 95 % interval, Wilson over problems × samples"],
        ),
        (
            [shown(cell(spread="±1"), cell())],
            {"uncertainty": "se", "errors": False},
            ["uncertainty: no room in the cells, see the table"],
        ),
        ([shown(cell(), FAILED)], {}, [f"hatched: {reasons.FAILED}"]),
        ([shown(FAILED, HOLE)], {}, [f"hatched: no data, or {reasons.FAILED}"]),
        ([shown(cell(), LOST)], {}, ["hatched, filled corner: incomplete: no value, no score"]),
        (
            [shown(LOST), shown(LOST | {"gap": "incomplete: no value, task a missing"})],
            {},
            ["hatched, filled corner: incomplete: no value, the table says why"],
        ),
        (
            [shown(LOST, HOLE, cell(incomplete=True))],
            {},
            [
                "hatched: no data",
                "hatched, filled corner: incomplete: no value, no score",
                "filled corner: incomplete",
            ],
        ),
        (
            [shown(*(cell(value=v) for v in (0.1, 0.2, 0.6, 0.7, 0.9)), HOLE, bar=BAR), shown(cell(value=9))],
            {},
            ["hatched: no data", "beyond the colour bar, drawn as its ends: 1 below, 2 above"],
        ),
        ([shown(cell(), unmarked=12)], {}, ["best: 12 cells share the highest value, not in bold"]),
        (
            [shown(cell(), unmarked=4), shown(cell(), name="q", title=["Q"]), shown(cell(), name="r", title=["R"], unmarked=1200)],
            {"best": "lowest"},
            [
                "best in P: 4 cells share the lowest value, not in bold",
                "best in R: 1,200 cells share the lowest value, not in bold",
            ],
        ),
        (
            [shown(cell(), name=name, unmarked=1000 + n) for n, name in enumerate("abc")],
            {},
            ["best: up to 1,002 cells of a panel share the highest value, not in bold"],
        ),
    ],
)  # fmt: skip
def test_marks_are_explained_as_far_as_they_occur(panels: Any, keys: Any, said: list[str]) -> None:
    """Outlines, rulers, frames, dots, second lines, hatches and corners, each in its words, and no other."""
    given = {key: value for key, value in keys.items() if key not in ("errors", "values")}
    room = {key: keys[key] for key in ("errors", "values") if key in keys}
    assert words.occurring_meanings(panels, entry(**given), **room) == said


NUMBERS = "the numbers in its cells, which are too small for them: "
ASK = "`text: true` prints them all the same, `text: false` asks for none"
ERRORS = "the `uncertainty: se` below its numbers, which the cells are too small for: "


@pytest.mark.parametrize(
    ("plan", "keys", "said"),
    [
        ({}, {}, []),
        ({"errors": False}, {}, [f"{ERRORS}the tables have it"]),
        ({"errors": False, "columns": 2}, {}, [f"{ERRORS}fewer `columns` give more room, the tables have it"]),
        ({"errors": False}, {"width": "single"}, [f"{ERRORS}a larger `width` gives more room, the tables have it"]),
        ({"errors": False, "spread": ""}, {}, []),
        ({"errors": False, "value": 0.0}, {"text": False}, []),
        ({"value": 0.0}, {}, [f"{NUMBERS}{ASK}"]),
        ({"value": 0.0, "columns": 2}, {}, [f"{NUMBERS}fewer `columns` give more room, {ASK}"]),
        ({"value": 0.0, "columns": 2}, {"width": "single"}, [f"{NUMBERS}a larger `width` gives more room, {ASK}"]),
        ({"value": 0.0, "cut": ["a-long-name"]}, {}, [f"{NUMBERS}{ASK}", "the end of 'a-long-name': `names` and `labels` give shorter ones"]),
    ],
)  # fmt: skip
def test_what_has_no_room_is_told_with_the_way_to_it(plan: Any, keys: Any, said: list[str]) -> None:
    """Numbers, their errors, the ends of names; nothing that was not asked for."""
    given = {"value": 8.0, "errors": True, "columns": 1, "cut": [], "spread": "±1"} | plan
    axes = SimpleNamespace(cut=lambda: given["cut"], key=lambda _: {}, unprinted=lambda _: [])
    layout = SimpleNamespace(columns=given["columns"], needs=SimpleNamespace(grid=""))
    made: Any = SimpleNamespace(
        value=given["value"], errors=given["errors"], axes=axes, layout=layout
    )
    panels = [shown(cell(spread=given["spread"]), cell())]
    assert room.omitted(panels, made, entry(uncertainty="se", **keys)) == said
