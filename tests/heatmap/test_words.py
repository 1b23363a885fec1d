"""Numbers and sentences of a figure, letter for letter: what is printed is what the grid says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from heatproof.kinds import heatmap
from heatproof.kinds.heatmap import cells, reasons, words
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


ENTRY = {"name": "f", "kind": "heatmap", "source": "s", "panel": "task"}
ENTRY |= {"encoding": {"x": "ratio", "y": "window", "color": "pass@1"}}


def entry(**keys: Any) -> heatmap.Entry:
    return msgspec.convert(ENTRY | keys, heatmap.Entry)


def cell(**keys: Any) -> dict[str, Any]:
    """A cell with a value, compared with all others."""
    base = {"panel": "", "x": "0.1", "y": "5", "value": 0.5, "peers": 0, "samples": 30}
    flags = dict.fromkeys(("best", "tied", "missing", "incomplete", "uneven"), False)
    return base | flags | keys


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
    rows = [cell(best=True, tied=True)] * best + [cell(tied=True)] * tied + [cell()] * others
    marked = cells.marked_cells([*rows, cell(value=None, missing=True, peers=None)], "outline")
    assert sum(row["bold"] for row in marked) == bold
    assert sum(row["outlined"] for row in marked) == outlined
    level = [cell(best=True, peers=9)] * 4 + [cell(peers=9)] * 4
    assert not any(row["bold"] or row["outlined"] for row in cells.marked_cells(level, "outline"))


def test_which_cells_the_best_is_of() -> None:
    """Nothing where all are compared; else the axis that tells, or that they share problems."""
    pair = [cell(y="5"), cell(y="6")]
    apart = [row | {"peers": n, "x": str(n)} for n in range(2) for row in pair]
    cases = {
        "highest": pair,
        "highest on equal problems": [cell(uneven=True)],
        "highest of each ratio": apart,
        "highest of each window": [row | {"x": row["y"], "y": row["x"]} for row in apart],
        f"highest of each {reasons.SETS}": [row | {"x": "1", "y": "1"} for row in apart],
        "highest of each panel": [pair[0], pair[1] | {"panel": "u", "peers": 7}],
    }
    for top, rows in cases.items():
        assert words.MEANINGS["bold"].words(rows, rows, entry()) == top
    tied = words.MEANINGS["outline"].words(apart, apart, entry(labels={"ratio": "Share"}))
    assert tied.startswith("not told apart from the highest of its Share (")


def test_every_mark_has_one_meaning() -> None:
    """Where it occurs; what is no mark is said as it stands."""
    rows = [
        cell(bold=True, outlined=True, excluded=False),
        cell(bold=False, outlined=False, excluded=True, incomplete=True),
        cell(bold=False, outlined=False, excluded=False, missing=True, gap="no data"),
    ]
    parts = ["bold", "outline", "bar below", "dagger", "hatched", "", "more", "filled corner"]
    lines = words.explain(parts, rows, entry())
    assert [line.partition(":")[0] for line in lines] == [
        "bold", "outline", "bar below", "hatched", "more", "filled corner",
    ]  # fmt: skip
    assert lines[3] == "hatched: no data"
