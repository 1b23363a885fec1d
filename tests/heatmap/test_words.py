"""Numbers and sentences of a figure, letter for letter: what is printed is what the grid says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from heatproof.kinds import heatmap
from heatproof.kinds.heatmap import reasons, words
from heatproof.util import numerals


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
    assert sorted([*reversed(order)], key=numerals.by_size) == order
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
