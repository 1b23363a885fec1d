"""Numbers and sentences of a figure, letter for letter: what is printed is what the grid says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.charts import wording
from heatproof.kinds import heatmap
from heatproof.kinds.heatmap import cells, reasons
from heatproof.kinds.heatmap.panel import NOTHING, Spread
from heatproof.kinds.heatmap.reasons import Among
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
        ([10.5], ".1f"), ([9.5, 0.001], ".4f"), ([1.5], ".2f"), ([0.95], ".3f"), ([0.05], ".3f"),
        ([0.001], ".4f"), ([0.0009, 0.0], ".1e"), ([-0.0009], ".1e"),
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
    base |= dict.fromkeys(("se", "low", "high"))
    base |= {
        "best": False,
        "bold": False,
        "dotted": False,
        "excluded": False,
        "missing": False,
        "incomplete": False,
        "gap": "",
    }
    judged = {"spread": 0.1, "spread_equal": 0.1, "chance_median": 0.05, "chance_high": 0.08}
    return base | judged | {"chance_p": 0.5, "separated": 0} | keys


AXES = {
    "x": VerdictLines("Ratio", {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}),
    "y": VerdictLines("window", {5: "five"}),
}
SPREAD = "spread 10.0; equal settings would spread 5.0 (in 95\u00a0% of samples up to 8.0): "


def sets(*found: int, axis: str = "x") -> list[dict[str, Any]]:
    """Pairs of cells that are compared with each other; how many of each can be told not to be the highest."""
    other = "y" if axis == "x" else "x"
    return [
        row(peers=n, separated=many, **{axis: 1 + n, other: at})
        for n, many in enumerate(found)
        for at in (5, 6)
    ]


HIGHEST = Among("highest", "", "", equal=False, apart="")
NAMES = ("Ratio", "Window", "Pass@1 (%)")
BEST = row(best=True, bold=True, value=0.9, x="0.2")


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
    other = [row(best=True, tied=True, peers=2), row(tied=True, peers=2), *[row(peers=2)] * 2]
    found = cells.marked_cells(level + other, "outline")
    assert [r["outlined"] for r in found] == [False, False, True, True, False, False]
    assert [r["bold"] for r in found] == [False, False, True, False, False, False]


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


def test_which_cells_the_best_is_of() -> None:
    """Nothing where all are compared; else the axis that tells, or that they share problems."""
    plain = [row(uneven=False, y="5"), row(uneven=False, y="6")]
    assert reasons.among_words(plain, entry()) == HIGHEST
    assert reasons.among_words([plain[0] | {"uneven": True}], entry()) == HIGHEST._replace(
        equal=True
    )
    apart = [one | {"peers": n, "x": str(n)} for n in range(2) for one in plain]
    ratio = Among("highest", " of each ratio", " of its ratio", False, EACH)
    assert reasons.among_words(apart, entry()) == ratio
    beside = [one | {"panel": "u", "peers": one["peers"] + 7} for one in apart]
    assert reasons.among_words([*apart, *beside], entry()) == ratio
    assert reasons.among_title("kept_window_size", entry()) == "kept window size"
    named = entry(labels={"window": "Local size"})
    turned = [one | {"x": one["y"], "y": one["x"]} for one in apart]
    assert reasons.among_words(turned, named)[1:3] == (
        " of each Local size",
        " of its Local size",
    )
    mixed = [one | {"x": "1", "y": "1"} for one in apart]
    said = (" of cells that share problems", " of those that share its problems")
    assert reasons.among_words(mixed, entry())[1:3] == said
    # One set in each of two panels is no reason to speak of sets.
    assert reasons.among_words([plain[0], plain[1] | {"panel": "u", "peers": 7}], entry())[1] == (
        " of each panel"
    )
    assert reasons.among_words([*plain, row(value=None, peers=None, uneven=False)], entry()) == (
        HIGHEST
    )


def cell(**keys: Any) -> dict[str, Any]:
    """A cell of which nothing is to be explained."""
    given = {"x": "1", "y": "1", "panel": "p", "peers": 0, "value": 0.5, "spread": "", "gap": ""}
    flags = dict.fromkeys(("bold", "tied", "outlined", "excluded", "framed", "dotted"), False)
    flags["missing"] = False
    flags |= dict.fromkeys(("incomplete", "uneven", "counted"), False)
    return given | {"samples": 40} | flags | keys


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
TESTED = "not told apart from the {} (95\u00a0%, paired, {} problems{})" + LIKE
OUTLINE = "outline: " + TESTED
SPREAD_SEEN = Spread(40.0, 10.0, 20.0, beyond=True, label="40.0")
EACH = ", each ratio for itself"
BAR = SimpleNamespace(scale=SimpleNamespace(domain=(0.2, 0.6)))


NUMBERS = "the numbers in its cells, which are too small for them: "
ASK = "`text: true` prints them all the same, `text: false` asks for none"
ERRORS = "the `uncertainty: se` below its numbers, which the cells are too small for: "
