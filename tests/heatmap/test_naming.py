"""What models, tasks and settings are called in figures: by the config, wherever they stand."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from heatproof.charts.lettering import fit_labels
from heatproof.charts.spec import unchecked
from heatproof.config import entries
from heatproof.kinds import api
from heatproof.kinds.heatmap import evidence, report
from heatproof.util.errors import Error
from support import tables as numbers

NAMES = {"task": {"a_1": "Task one"}, "ratio": {"0.2": "a fifth"}}
GRID = numbers.CELLS.with_columns(best=False, tied=None, se=None, low=None, high=None)


def drawn(frame: pl.DataFrame, **keys: Any) -> str:
    """A heatmap as text."""
    with unchecked():
        made = api.kind("heatmap").draw(frame, numbers.entry(**keys)).to_dict(validate=False)
    return json.dumps(made, ensure_ascii=False)


@pytest.mark.parametrize(
    ("value", "key"),
    [("a", "a"), (1, "1"), (1.0, "1"), ("1e-5", "1e-05"), (1e-5, "1e-05"), (0.1, "0.1"),
     (True, "true"), (1024, "1024"), ("0.10", "0.10"), (None, "None")],
)  # fmt: skip
def test_values_are_spelled_in_one_way(value: Any, key: str) -> None:
    assert entries.spelling(value) == key


def test_two_values_of_one_name_are_refused() -> None:
    """A figure on which two models look like one would be worse than none."""
    with pytest.raises(Error, match=r"there: 'a' and 'b' would both be called 'b'"):
        entries.called(["a", "b"], {"a": "b"}, "there")
    assert entries.called(["a", "b", "a"], {"a": "b", "b": "a"}, "") == {"a": "b", "b": "a"}


@pytest.mark.parametrize("key", ["1e-5", "1e-05", "1.0e-5"])
def test_a_number_is_named_however_it_is_written(key: str) -> None:
    assert entries.called([1e-5, 1.0], {key: "low", "1": "high"}, "") == {1e-5: "low", 1.0: "high"}


def test_panels_and_axes_bear_the_names() -> None:
    text = drawn(GRID, names=NAMES)
    assert "Task one" in text
    assert "a fifth" in text
    assert "a_1" not in text
    assert '"b"' in text  # what has no name keeps its own


def test_dates_and_names_that_begin_with_a_digit_are_all_there() -> None:
    """Only of numbers some may be left out, as the others tell which."""
    for words in (["2025-01-03", "2025-02-10"], ["1-shot", "10-shot"], ["4bit", "8bit"]):
        made = fit_labels((*words,), 15.0)
        assert made.axis(30.0, []).to_dict()["values"] == words
    for words in (["0.5", "−1.5"], ["1e−5", "1.5e−5"], ["1,024", "131,072"]):
        made = fit_labels((*words,), 15.0)
        assert not made.angle
        assert all(len(lines) == 1 for lines in made.lines.values())


def test_verdicts_are_found_under_the_names() -> None:
    """The line below a panel stays with it."""
    judged = GRID.with_columns(
        spread=0.1, spread_equal=0.1, chance_median=0.1, chance_high=0.2, chance_p=0.5, separated=0,
        tied=pl.lit(value=True),
    )  # fmt: skip
    told = {"uncertainty": "tied"}
    plain, named = drawn(judged, **told), drawn(judged, **told, names=NAMES)
    assert plain.count("equal settings would spread") == named.count("equal settings would spread")
    assert "equal settings would spread" in named


def test_tables_and_the_page_bear_the_names() -> None:
    """CSV, as the logs have it, does not; nor does the command that the page copies."""
    entry = numbers.entry(names=NAMES)
    assert r"\textit{Task one}" in numbers.latex(GRID, names=NAMES)
    assert "a_1" in numbers.csv(GRID, names=NAMES)
    assert report.table(GRID, entry).rows[1].cells[:3] == ("Task one", "500", "a fifth")
    axes = evidence._axes(GRID, entry)
    assert [(panel["pick"], panel["words"]) for panel in axes["panels"]] == [
        ([["task", "a_1"]], "Task one"),
        ([["task", "b"]], "b"),
    ]
    assert axes["x"] == {"name": "ratio", "values": ["0.1", "0.2"], "words": ["0.1", "a fifth"]}


def test_names_redraw_and_count_nothing() -> None:
    """The grid does not know them."""
    assert {"names", "labels"} <= numbers.entry().drawing()
    assert {"names", "labels"} <= numbers.duel().drawing()
