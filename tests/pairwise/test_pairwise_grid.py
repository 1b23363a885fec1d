"""Pairs of models: instances joined, placed, counted, judged and counted again."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from heatproof.kinds import api, states
from heatproof.kinds.pairwise import aggregate, pairs
from heatproof.pair_numbers import EQUAL
from heatproof.samples import counts
from heatproof.statistics.estimates import student
from heatproof.util.errors import Error
from support import defined
from support.pairs import agrees, entry, grid, recounted, samples
from support.samples import schema as samples_schema


def pair(cells: pl.DataFrame, y: str = "a", x: str = "b") -> dict[str, Any]:
    """The row of two models."""
    return cells.filter(pl.col("y") == y, pl.col("x") == x).row(0, named=True)


def counted(rows: pl.LazyFrame | pl.DataFrame, *by: str) -> list[pl.LazyFrame]:
    """Counts of a table whose shards are told apart by columns."""
    table = rows.lazy().collect()
    shards = table.partition_by(*by, maintain_order=True) if by else [table]
    return [counts.count(shard).lazy() for shard in shards]


def with_setting(rows: pl.LazyFrame, values: pl.Expr) -> pl.LazyFrame:
    """The samples with a setting `ratio`."""
    columns = samples_schema({"ratio": "float"}, ["progress"])
    return rows.with_columns(ratio=values.cast(pl.Float64)).select(columns.keys())


HALF = {m: {"i": [0.5]} for m in "ab"}


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize(
    ("keys", "a", "b", "bins"),
    [
        ({}, {"i": [1.0, 0.5]}, {"i": [0.0, 0.2]}, [(0.75, 0.0, 1, 0.65)]),
        ({"join": ["task"]}, {"i": [1.0, 0.5], "j": [0.0]}, {"i": [0.0], "j": [0.2, 0.4]},
         [(0.5, 0.0, 1, 0.3)]),
        ({"join": ["sample_id", "epoch"]}, {"i": [0.1, 0.9]}, {"i": [0.1, 0.9]},
         [(0.0, 0.0, 1, 0.0), (0.75, 0.75, 1, 0.0)]),
        ({"bins": 2}, {"i": [0.5], "only a": [1.0]}, {"i": [0.5], "only b": [1.0]},
         [(0.5, 0.5, 1, 0.0)]),
    ],
)  # fmt: skip
def test_instances_lie_at_the_means_of_both_models(
    keys: dict[str, Any], a: Any, b: Any, bins: list[tuple[float, ...]], partial: bool
) -> None:
    """Means of epochs, or of all samples that are joined; other bins are rows without a number."""
    rows, figure = samples({"a": a, "b": b}), entry(**keys)
    cells = grid(rows, figure, counted(rows) if partial else None)
    (read,) = pairs.read_pairs(cells, figure)
    full = [(b.x0, b.y0, b.samples, b.difference) for b in read.bins if b.samples]
    assert [row[:3] for row in full] == [row[:3] for row in bins]
    assert [row[3] for row in full] == pytest.approx([row[3] for row in bins])
    assert sum(b.difference is not None for b in read.bins) == len(bins)
    turned = pair(cells, "b", "a")
    assert (turned["value"], turned["samples"]) == (-read.value, read.n)
    assert agrees(rows, cells, figure)


def test_differences_below_a_hair_are_ties() -> None:
    """Rounding of the logs wins nothing, in the grid and in its recount."""
    hair, more, none = [EQUAL], [1.1 * EQUAL], [0.0]
    a = {"i": hair, "j": more, "k": none, "l": none, "m": none, "n": [0.3]}
    b = {"i": none, "j": none, "k": hair, "l": more, "m": more, "n": [0.1 + 0.2]}
    rows = samples({"a": a, "b": b})
    cells = grid(rows, entry())
    assert [pair(cells)[name] for name in ("wins", "ties", "losses")] == [1, 3, 2]
    assert agrees(rows, cells, entry())


VARIANTS = {
    "epochs": ({"join": ["sample_id", "epoch"]}, lambda name: name),
    "families": ({"family": "^(.)"}, lambda name: name[0]),
    "both": ({"join": ["sample_id", "epoch"], "family": "^(.)"}, lambda name: name[0]),
    "plain": ({}, lambda name: name),
}


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_means_and_intervals_are_those_of_the_formula(variant: str, partial: bool) -> None:
    """Clustered by problem or family: repeats and variants add instances but no certainty."""
    keys, unit_of = VARIANTS[variant]
    rng = np.random.default_rng(5)
    names = [f"{n}{v}" for n in range(8) for v in "xy"]
    drawn = {m: {name: [*rng.random(3).round(2)] for name in names} for m in "ab"}
    rows, figure = samples(drawn), entry(**keys)
    cells = grid(rows, figure, counted(rows) if partial else None)
    leads: dict[str, list[float]] = {}
    for name in names:
        a, b = drawn["a"][name], drawn["b"][name]
        own = [x - y for x, y in zip(a, b, strict=True)]
        leads.setdefault(unit_of(name), []).extend(
            own if "epoch" in figure.join else [np.mean(own)]
        )
    n, units = sum(map(len, leads.values())), len(leads)
    mean = sum(map(sum, leads.values())) / n
    spread = sum(sum(x - mean for x in own) ** 2 for own in leads.values())
    pulls = np.array([sum(x - mean for x in own) for own in leads.values()])
    quantile = defined.bent(student(0.975, units - 1), abs(defined.skewness(pulls)))
    half = quantile * (units / (units - 1) * spread) ** 0.5 / n
    half = max(half, defined.least(2) / units)
    row = pair(cells)
    assert (row["samples"], row["units"]) == (n, units)
    expected = mean, mean - half, mean + half
    assert [row[name] for name in ("value", "low", "high")] == pytest.approx(expected)
    assert agrees(rows, cells, figure)


def test_intervals_are_corrected_over_the_pairs() -> None:
    """Three pairs: Bonferroni's t; no interval is narrower than the least lead of three models."""
    easy = {str(n): [0.9 + n / 100] for n in range(8)}
    rows = samples({"a": easy, "b": {str(n): [0.1] for n in range(8)}, "c": easy})
    figure = entry(models=[*"abc"])
    table = pairs.read_pairs(grid(rows, figure), figure)
    lead = np.array([0.8 + n / 100 for n in range(8)])
    half = defined.least(3) / 8
    assert half > student(1 - 0.05 / 6, 7) * lead.std(ddof=1) / 8**0.5
    ends = [lead.mean() - half, 1]
    assert [table[0].low, table[0].high] == pytest.approx(ends)
    assert (table[1].value, table[1].low, table[1].high) == (0, -half, half)


def test_made_up_instances_are_not_compared() -> None:
    """Which instance was solved is made up in reconstructed logs: no interval."""
    rows = samples({m: {"i": [0.5], "j": [0.1]} for m in "ab"}).with_columns(reconstructed=True)
    cells = grid(rows, entry())
    row = pair(cells)
    assert (row["value"], row["low"], row["apart"]) == (0, None, None)
    assert row["unjudged"] == states.MADE_UP
    assert ("model=a, against=b", 0, 0, True) in recounted(rows, cells, entry())
    assert cells.schema == grid(samples(HALF), entry()).schema
    figure = entry(form="board", value="win_rate")
    with pytest.raises(Error, match="needs the score of each problem, but which problems were"):
        grid(rows, figure)


def test_models_that_few_problems_tell_apart() -> None:
    """Two of 80 problems are no lead, 13 are one, though all others lean to the other side."""
    drawn = {
        "a": {f"{n:02}": [1.0] for n in range(80)},
        "b": {f"{n:02}": [float(n >= 2)] for n in range(80)},
        "c": {f"{n:02}": [float(n >= 13)] for n in range(80)},
    }
    figure = entry(models=[*"abc"])
    table = pairs.read_pairs(grid(samples(drawn), figure), figure)
    assert [two.apart for two in table] == [False, True, True]


def test_a_win_rate_tells_no_models_apart_whose_means_are_equal() -> None:
    """One model is ahead by little on most problems, and behind by much on few."""
    values = {
        "a": {f"{n:02}": [1.0] if n >= 12 else [0.1] for n in range(80)},
        "b": {f"{n:02}": [0.9] for n in range(80)},
    }
    cells = grid(samples(values), entry(form="board", value="win_rate", bins=4))
    figure = entry(form="board", value="win_rate", bins=4)
    (two,) = pairs.read_pairs(cells, figure)
    assert (two.value, two.low, two.apart) == (0.85, None, False)
    assert two.verdict == f"cannot be told apart: {states.DOUBTS[states.EQUAL_MEANS]}"
    caption = " ".join(api.kind("pairwise").caption(cells, figure))
    assert f"1 of 1 pairs (a and b): {states.DOUBTS[states.EQUAL_MEANS]}" in caption


MIXED = r"would mix 2 values of 'ratio' in one cell \(0\.1, 0\.2 at model=a, task=t\); choose one "


@pytest.mark.parametrize("partial", [False, True])
def test_settings_that_are_not_named_are_not_mixed(partial: bool) -> None:
    """Each model at its own ratio mixes nothing; one model at two does; joined, it may."""
    rows = samples({m: {"i": [0.5], "j": [0.2]} for m in "ab"})
    own = with_setting(rows, pl.col("model").replace_strict({"a": 0.1, "b": 0.2}))
    by_problem = with_setting(rows, pl.col("sample_id").replace_strict({"i": 0.1, "j": 0.2}))
    unknown = with_setting(rows, pl.lit(None))
    join = {"join": ["sample_id", "ratio"]}
    for table, keys in ((own, {}), (unknown, join), (by_problem, join)):
        assert grid(table, entry(**keys), counted(table) if partial else None)["samples"].max() == 2
    with pytest.raises(Error, match=MIXED + r"under where, or list 'ratio' under join$"):
        grid(by_problem, entry(), counted(by_problem) if partial else None)
    with pytest.raises(Error, match=MIXED):
        grid(by_problem, entry(join=["sample_id", "epoch"]))


def test_epochs_of_an_instance_in_several_runs_are_joined() -> None:
    """A log per seed: counts cannot tell whether an epoch is there twice, the rows can."""
    rows = samples({"a": {"i": [1.0, 0.5], "j": [0.25]}, "b": {"i": [0.0], "j": [0.5, 0.75]}})
    apart = rows.with_columns(run=pl.col("run") + pl.col("epoch").cast(str))
    together, pieces = (grid(table, entry(), counted(table)) for table in (rows, apart))
    assert pieces.equals(together, null_equal=True)
    twice = pl.concat([rows, rows.with_columns(run=pl.col("run") + "2", log=pl.lit("z"))])
    with pytest.raises(Error, match=r"list it under join$"):
        grid(twice, entry(), counted(twice))


@pytest.mark.parametrize("shards", [[], ["task"], ["model", "task"]])
def test_a_problem_of_another_task_is_another_one(shards: list[str]) -> None:
    """However its id reads, and in whatever shards the tasks lie."""
    drawn = {"a": ["i t1", "j t2", "k t1"], "b": ["k t1", "i t2"]}
    rows = samples({m: {name: [0.5] for name in names} for m, names in drawn.items()})
    name = pl.col("sample_id").str
    split = rows.with_columns(sample_id=name.head(1), task=name.tail(2))
    assert grid(split, entry(), counted(split, *shards))["samples"].max() == 1


PIECES: dict[str, dict[str, Any]] = {
    "plain": {"where": {"ratio": 0.5, "way": "x"}},
    "joined": {"join": ["sample_id", "ratio", "way"]},
    "families": {"join": ["sample_id", "ratio", "way"], "family": "^(.)"},
    "tasks": {"join": ["sample_id", "task", "way"], "where": {"ratio": 0.5}},
    "free": {"join": ["epoch", "scorer", "ratio", "way"]},
}


@pytest.mark.parametrize("keys", PIECES)
def test_pieces_of_counts_are_put_together(keys: str) -> None:
    """Where a shard ends does not show, nor where a setting is absent."""
    rng, figure = np.random.default_rng(6), entry(models=[*"abc"], bins=2, **PIECES[keys])
    drawn = {
        f"{m} {r} {w} {t}": {f"{n}{v}": [*rng.random(2).round(2)] for n in range(3) for v in "xy"}
        for m in "abc" for r in ("0.5", "") for w in ("x", "") for t in "st"
    }  # fmt: skip
    parts = pl.col("run").str.split(" ").list
    rows = samples(drawn).with_columns(
        ratio=parts[1].replace("", None).cast(pl.Float64), way=parts[2].replace("", None),
        model=parts[0], task=parts[3],
    )  # fmt: skip
    columns = samples_schema({"ratio": "float", "way": "str"}, ["progress"])
    table = rows.select(columns.keys()).collect()
    table = table.filter(pl.Series(rng.random(len(table)) < 0.8))
    together = grid(table.lazy(), figure)
    assert together.filter(pl.col("x") != pl.col("y"))["samples"].min() > 7
    assert agrees(table.lazy(), together, figure)
    shards = counted(table, "run")
    assert_frame_equal(grid(table.lazy(), figure, shards), together, rel_tol=1e-12)


MODELS = r"config\.yaml: figures\.fig\.models"
OFF = (
    r"config\.yaml: figures\.fig\.measure: 'progress' is not from 0 to 1: a:9 of source 'runs' has "
    r"1\.5 on that scale; choose .* \(range: \{progress: \[lowest, highest\]\}\)"
)


@pytest.mark.parametrize(
    ("progress", "keys", "message"),
    [
        ({"a": {"i": [0.5]}, "b": {"j": [0.5]}}, {}, f"{MODELS}: 'a' and 'b' share no sample_id"),
        (HALF | {"c": {"j": [0.5]}}, {"models": ["a", "c"], "join": ["sample_id", "epoch"]},
         f"{MODELS}: 'a' and 'c' share no sample_id and epoch$"),
        ({"a": {"i": [0.5]}}, {}, f"{MODELS}: no sample has 'b'; there are a"),
        ({"a": {"i": [0.5]}}, {"join": ["epoch"]}, f"{MODELS}: no sample has 'b'; there are a"),
        ({"b": {"i": [1.9]}, "a": {"i": [1.7, 0.5, 1.5]}}, {}, OFF),
    ],
)  # fmt: skip
def test_what_cannot_be_paired_is_refused(
    progress: dict[str, Any], keys: dict[str, Any], message: str
) -> None:
    """Models that are not there or share nothing; the first record off the axes, by its line."""
    rows = samples(progress).collect()
    lines = pl.Series([1, 12, 2, 9][: len(rows)])
    with pytest.raises(Error, match=f"^{message}"):
        grid(rows.with_columns(line=lines).lazy(), entry(**keys))


def test_bins_do_not_depend_on_order() -> None:
    """Sums beyond 2⁵³ are as exact as small ones; 0.3 in tenths lies in the bin from 0.3."""
    at = np.array([0.0, 0.1, 0.3, 0.6, 0.7, 1.0])
    count, _ = aggregate.bin_instances(at, at, 10)
    assert [n for n, number in enumerate(count) if number] == [0, 11, 33, 66, 77, 99]
    x = 0.9 + np.random.default_rng(4).random(20_000) / 10
    exact = sum(round(value * 1e12) for value in x.tolist())
    assert exact > 2**53
    for at in (x, x[::-1]):
        _, leads = aggregate.bin_instances(at, np.zeros(len(at)), 1)
        assert leads == [exact / len(at) / 1e12]
