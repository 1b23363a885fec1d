"""Which samples a figure may show: chosen by `where`, and none mixed that nobody asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.config.entries import Figure
from heatproof.kinds import api
from heatproof.samples import selection
from heatproof.util.errors import Error


def figure(**keys: Any) -> Figure:
    return msgspec.convert({"name": "f", "kind": "k", "source": "s", **keys}, Figure)


def said(call: Any, *args: Any, **keys: Any) -> str:
    """The message of an error."""
    with pytest.raises(Error) as refused:
        call(*args, **keys)
    return str(refused.value)


TABLE = pl.DataFrame({"model": ["b", "a", None], "ratio": [0.1, 0.2, 0.2]}).lazy()


@pytest.mark.parametrize(
    ("where", "key", "message"),
    [
        ({"model": "c"}, "", "here.where.model: no sample has 'c'; there are a, b"),
        ({"ratio": 0.1, "model": ["b", "a"]}, "", "here.where.model: no sample has 'a'; there are b"),
        ({"model": "c"}, "models", "here.models: no sample has 'c'; there are a, b"),
    ],
)  # fmt: skip
def test_values_that_do_not_occur_are_named(where: Any, key: str, message: str) -> None:
    """With the key that asks for them, and those that there are once the keys before it chose."""
    assert said(selection.choose, TABLE, where, "here", key) == message
    assert (
        said(selection.asked, [TABLE.filter(pl.col("ratio") == 0.1), TABLE], where, "here", key)
        == message
    )


def test_values_are_chosen_one_or_several() -> None:
    """All keys must hold; without any, all is shown."""
    both = selection.choose(TABLE, {"model": ["a", "b"], "ratio": 0.2}, "here").collect()
    assert both.rows() == [("a", 0.2)]
    assert selection.choose(TABLE, {}, "here").collect().height == 3
    figure: Any = SimpleNamespace(shown=lambda: {"model": ["b"], "ratio": [0.1, 0.2]})
    assert selection.shown(TABLE, figure).collect().rows() == [("b", 0.1)]


def mixed(values: list[Any], cells: list[str], advice: str = "") -> str:
    rows = pl.DataFrame({"task": cells, "same": [1] * len(cells), "ratio": values})
    more = (advice,) if advice else ()
    return said(selection.require_unmixed, rows, ["task", "task"], ["same", "ratio"], "here", *more)


SPREAD = "choose one under where, or name 'ratio' under panel, x, y, mean_over or pool"


def test_settings_that_would_be_mixed_are_listed() -> None:
    """At most six values, in their order, of the first cell in which several meet."""
    assert mixed([2, 1, None, 4], ["t", "t", "u", "u"], "or {!r}") == (
        "here: would mix 2 values of 'ratio' in one cell (1, 2 at task=t); or 'ratio'"
    )
    assert mixed([3, 1, None, 4], ["a", "b", "u", "u"]) == (
        f"here: would mix 2 values of 'ratio' in one cell (None, 4 at task=u); {SPREAD}"
    )
    assert mixed([*range(6)], ["t"] * 6) == (
        f"here: would mix 6 values of 'ratio' in one cell (0, 1, 2, 3, 4, 5 at task=t); {SPREAD}"
    )
    assert mixed([*range(7)], ["t"] * 7) == (
        f"here: would mix 7 values of 'ratio' in one cell (0, 1, 2, 3, 4, 5 … at task=t); {SPREAD}"
    )


def test_a_scorer_that_no_log_names_is_not_told() -> None:
    """It is in the key of each row, empty; a name is told."""
    for scorer, where in (("", "task=t"), ("match", "task=t, scorer=match")):
        rows = pl.DataFrame({"task": ["t"] * 2, "scorer": [scorer] * 2, "ratio": [1, 2]})
        words = said(selection.require_unmixed, rows, ["task", "scorer"], ["ratio"], "here")
        assert f"in one cell (1, 2 at {where}); " in words


def test_settings_that_follow_the_cell_are_not_mixed() -> None:
    """One value in each cell, however many there are."""
    rows = pl.DataFrame({"task": ["t", "u", "t"], "ratio": [1, 2, 1]})
    selection.require_unmixed(rows, ["task"], ["ratio"], "here")


def test_samples_on_no_axis_are_counted() -> None:
    """With the first log that holds one, and what to do."""
    rows = pl.DataFrame({"log": ["a", "b", "c"], "ratio": [1, None, None], "window": [1, 1, 1]})
    named = {"encoding.y": "window", "encoding.x": "ratio"}
    assert said(selection.require_complete, rows, named, "here") == (
        "here.encoding.x: 2 samples have no 'ratio' (first in b); "
        "leave them out under where, or give them one (default, in the source's params)"
    )


def test_samples_that_are_there_twice_name_both_records() -> None:
    """The first two in the order of settings, then of logs and lines."""
    keys = {"log": ["b", "a", "c", "a"], "line": [1, 9, 1, 7], "model": ["m", "m", "k", "m"]}
    rows = pl.DataFrame(keys | {"task": "t", "sample_id": "q", "epoch": 0, "scorer": ""})
    told = "hold the same sample of the same settings; remove one log, or tell the runs apart by a column (path, params) and list it under "
    assert said(selection.require_single, rows, "here") == f"here: a:7 and a:9 {told}pool"
    assert (
        said(selection.require_single, rows[[1, 0, 2]], "here", "x") == f"here: a:9 and b:1 {told}x"
    )
    other = rows[[2, 2]].with_columns(log=pl.lit("z"), line=pl.Series([2, 1]))
    assert said(selection.require_single, pl.concat([rows[:2], other]), "here") == (
        f"here: z:1 and z:2 {told}pool"
    )
    selection.require_single(rows[[0, 2]], "here")
    selection.require_single(rows[[0, 1]].with_columns(epoch=pl.Series([0, 1])), "here")


def test_numbers_that_no_sample_has() -> None:
    """The message tells where such a number is described."""
    selection.require_measured(True, "tokens", "runs", "here")
    assert said(selection.require_measured, False, "tokens", "runs", "here") == (
        "here: no sample has a number for 'tokens'; "
        "is its place in the record right? look at sources.runs"
    )


def test_sources_without_samples() -> None:
    """Why, by the most frequent reason, and the first record that it was of."""
    figure: Any = SimpleNamespace(name="f", source="runs")
    head = "config.yaml: figures.f.source: 'runs' has no sample, "
    tail = "; look at sources.runs, and at results/tables/runs/*.rejected.parquet"
    none = {"log": ["b", "a", "c", "a"], "line": [1, 7, 2, 3], "reason": ["x", "y", "y", "y"]}
    rejected, empty = pl.DataFrame(none).lazy(), TABLE.clear()
    assert said(selection.require_some, empty, rejected, figure) == (
        f"{head}all of its 4 records refused, 3 × y (first: a:3){tail}"
    )
    assert said(selection.require_some, empty, rejected.clear(), figure) == (
        f"{head}its logs hold no record{tail}"
    )
    selection.require_some(TABLE, rejected, figure)


NAMED: list[tuple[dict[str, dict[str, dict[str, str]]], list[str]]] = [
    ({"f": {"model": {"a": "A", "b": "B"}, "ratio": {"0.1": "low", "2e-1": "high"}}}, []),
    (
        {"f": {"model": {"ab": "A"}, "ratio": {"0.3": "low"}}},
        [
            "config.yaml: figures.f.names.model.ab: no sample has 'ab'; there are a, b",
            "config.yaml: figures.f.names.ratio.0.3: no sample has '0.3'; there are 0.1, 0.2",
        ],
    ),
    ({"f": {"task": {"x": "X"}}}, []),
    (
        {"f": {"model": {"z": "Z", "y": "Y"}}, "g": {"model": {"z": "Z"}}},
        ["names.model.y: no sample"],
    ),
    (
        {"g": {"model": {"q": "Q"}}, "f": {"model": {"q": "Q"}}},
        ["figures.g.names.model.q: no sample"],
    ),
]


@pytest.mark.parametrize(("names", "said"), NAMED)
def test_labels_of_values_that_no_sample_has_are_listed(names: Any, said: list[str]) -> None:
    """With the values there are; not where they are not known, or another figure uses the list."""
    figures = [
        figure(name=name, source={"f": "s", "g": "t"}[name], names=n) for name, n in names.items()
    ]
    values = {"s": {"model": ["a", "b"], "ratio": [0.1, 0.2]}, "t": {"model": ["z"]}}
    found = selection.unused_values(figures, values)
    assert len(found) == len(said)
    assert all(part in line for part, line in zip(said, found, strict=True))
    assert selection.unused_values(figures, {}) == []


def test_orders_of_values_that_no_sample_has_are_listed() -> None:
    """As for names; numbers in any spelling."""
    block = {"name": "f", "kind": "heatmap", "source": "s", "sort": {
        "model": ["b", "aa"], "ratio": [0.20, 0.5], "task": "value"}, "encoding": {
        "x": "ratio", "y": "model", "color": "pass@1"}}  # fmt: skip
    entry = api.read(block)
    values = {"s": {"model": ["a", "b"], "ratio": [0.1, 0.2]}}
    assert selection.unused_values([entry], values) == [
        "config.yaml: figures.f.sort.model: no sample has 'aa'; there are a, b (did you mean 'a'?)",
        "config.yaml: figures.f.sort.ratio: no sample has '0.5'; there are 0.1, 0.2 (did you mean '0.2'?)",
    ]
