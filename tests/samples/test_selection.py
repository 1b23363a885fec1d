"""Which samples a figure may show: chosen by `where`, and none mixed that nobody asked for."""

from types import SimpleNamespace
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.config import choice
from heatproof.config.choice import LeftOut
from heatproof.config.entries import Figure
from heatproof.kinds import api
from heatproof.samples import selection
from heatproof.util.errors import Error

TABLE = pl.DataFrame({"model": ["b", "a", None], "ratio": [0.1, 0.2, 0.2]}).lazy()
TWICE = pl.DataFrame(
    {"log": ["b", "a", "c", "a"], "line": [1, 9, 1, 7], "model": ["m", "m", "k", "m"]}
    | {"task": "t", "sample_id": "q", "epoch": 0, "scorer": ""}
)


def mistake(call: Any, *args: Any, **keys: Any) -> str:
    """What is told, with its place."""
    with pytest.raises(Error) as error:
        call(*args, **keys)
    (only,) = error.value.mistakes
    return only.sentence


@pytest.mark.parametrize(
    ("where", "keys", "message"),
    [
        ({"model": "c"}, {}, "here.where.model: no sample has 'c'; there are a, b"),
        ({"ratio": 0.1, "model": ["b", "a"]}, {}, "here.where.model: no sample has 'a' beside ratio=0.1; there are b"),
        ({"model": "c"}, {"model": "models"}, "here.models: no sample has 'c'; there are a, b"),
        ({"model": LeftOut("c")}, {}, "here.where.model.not: no sample has 'c'; there are a, b"),
        ({"model": "b", "ratio": LeftOut(0.1)}, {}, "here.where.ratio.not: leaves out all values of 'ratio'; keep one"),
    ],
)  # fmt: skip
def test_values_that_do_not_occur_are_named(where: Any, keys: Any, message: str) -> None:
    """With the key that asks for them, and those that there are once the keys before it chose."""
    assert mistake(selection.choose, TABLE, where, "here", keys) == message
    shards = [TABLE.filter(pl.col("ratio") == 0.1), TABLE]
    assert mistake(selection.conditions, shards, where, "here", keys) == message


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"model": LeftOut("b")}, [("a", 0.2), (None, 0.2)]),
        ({"model": LeftOut(["b", "a"])}, [(None, 0.2)]),
        ({"ratio": LeftOut(0.1), "model": LeftOut("b")}, [("a", 0.2), (None, 0.2)]),
        ({"model": None, "ratio": [0.2]}, [(None, 0.2)]),
    ],
)
def test_what_is_left_out(where: Any, rows: Any) -> None:
    """All others stay, those without a value too, of samples and of runs alike.

    What no run has any more, once the columns before it chose, may be left out.
    """
    assert selection.choose(TABLE, where, "here").collect().rows() == rows
    choices = [
        choice.read_choices(where).get(name, choice.Choice([], leaves_out=True))
        for name in ("model", "ratio")
    ]
    kept = [
        row
        for row in TABLE.collect().rows()
        if all(c.keeps(v) for c, v in zip(choices, row, strict=True))
    ]
    assert kept == rows


@pytest.mark.parametrize(
    ("values", "cells", "words"),
    [
        ([2, 1, None, 4], "ttuu", "2 values of 'ratio' in one cell (1, 2 at task=t); "),
        ([3, 1, None, 4], "abuu", "2 values of 'ratio' in one cell (None, 4 at task=u); "),
        ([*range(7)], "t" * 7, "7 values of 'ratio' in one cell (0, 1, 2, 3, 4, 5 … at task=t); "),
    ],
)
def test_settings_that_would_be_mixed_are_listed(values: Any, cells: str, words: str) -> None:
    """At most six values, in their order, of the first cell in which several meet."""
    rows = pl.DataFrame({"task": [*cells], "same": 1, "ratio": values})
    place = ["task", "task"], ["same", "ratio"], "here"
    message = mistake(selection.require_unmixed, rows, *place)
    assert message.startswith(f"here: would mix {words}choose one under where")


def test_samples_on_no_axis_are_counted() -> None:
    """With the first log that holds one, and what to do."""
    rows = pl.DataFrame({"log": ["a", "b", "c"], "ratio": [1, None, None], "window": [1, 1, 1]})
    axes = {"encoding.y": "window", "encoding.x": "ratio"}
    message = mistake(selection.require_complete, rows, axes, "here")
    assert message.startswith("here.encoding.x: 2 samples have no 'ratio' (first in b); ")


@pytest.mark.parametrize(
    ("rows", "records"),
    [(TWICE, "a:7 and a:9"), (TWICE[[1, 0, 2]], "a:9 and b:1"), (TWICE[[0, 2]], "")],
)
def test_samples_that_are_there_twice_name_both_records(rows: pl.DataFrame, records: str) -> None:
    """The first two in the order of settings, then of logs and lines."""
    if not records:
        selection.require_single(rows, "here")
        return
    message = mistake(selection.require_single, rows, "here", "x")
    assert message.startswith(f"here: {records} hold the same sample")
    assert message.endswith("list it under x")


def test_sources_without_samples() -> None:
    """Why, by the most frequent reason, and the first record that it was of."""
    entry: Any = SimpleNamespace(name="f", source="runs")
    rows = {"log": ["b", "a", "c", "a"], "line": [1, 7, 2, 3], "reason": ["x", "y", "y", "y"]}
    rejected, empty = pl.DataFrame(rows).lazy(), TABLE.clear()
    message = mistake(selection.require_some, empty, rejected, entry)
    assert message.startswith("figures.f.source: 'runs' has no sample, all of its 4 records")
    assert "3 × y (first: a:3)" in message
    assert "no record" in mistake(selection.require_some, empty, rejected.clear(), entry)
    selection.require_some(TABLE, rejected, entry)


NAMED: list[tuple[dict[str, dict[str, dict[str, str]]], list[str]]] = [
    ({"f": {"model": {"a": "A", "b": "B"}, "ratio": {"0.1": "low", "2e-1": "high"}}}, []),
    ({"f": {"model": {"ab": "A"}, "ratio": {"0.3": "low"}}},
     ["figures.f.names.model.ab", "figures.f.names.ratio.0.3"]),
    ({"f": {"task": {"x": "X"}}}, []),
    ({"f": {"model": {"z": "Z", "y": "Y"}}, "g": {"model": {"z": "Z"}}}, ["figures.f.names.model.y"]),
    ({"g": {"model": {"q": "Q"}}, "f": {"model": {"q": "Q"}}}, ["figures.g.names.model.q"]),
]  # fmt: skip


@pytest.mark.parametrize(("names", "places"), NAMED)
def test_labels_of_values_that_no_sample_has_are_listed(names: Any, places: list[str]) -> None:
    """Not where they are not known, or another figure uses the list."""
    figures = [
        msgspec.convert({"name": name, "kind": "k", "source": "st"[name == "g"], "names": n}, Figure)
        for name, n in names.items()
    ]  # fmt: skip
    values = {"s": {"model": ["a", "b"], "ratio": [0.1, 0.2]}, "t": {"model": ["z"]}}
    assert [mistake.place for mistake in selection.unused_values(figures, values)] == places
    assert selection.unused_values(figures, {}) == []


def test_orders_of_values_that_no_sample_has_are_listed() -> None:
    """As for names; numbers in any spelling."""
    block = {"name": "f", "kind": "heatmap", "source": "s", "sort": {
        "model": ["b", "aa"], "ratio": [0.20, 0.5], "task": "value"}, "encoding": {
        "x": "ratio", "y": "model", "color": "pass@1"}}  # fmt: skip
    values = {"s": {"model": ["a", "b"], "ratio": [0.1, 0.2]}}
    assert [mistake.sentence for mistake in selection.unused_values([api.read(block)], values)] == [
        "figures.f.sort.model: no sample has 'aa'; there are a, b (did you mean 'a'?)",
        "figures.f.sort.ratio: no sample has '0.5'; there are 0.1, 0.2 (did you mean '0.2'?)",
    ]
