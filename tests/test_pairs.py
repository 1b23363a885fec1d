"""aggregate, pairwise: instances joined, placed and counted."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import toys
from heatproof.config.entries import Columns
from heatproof.kinds import pairwise
from heatproof.kinds.pairwise import aggregate, bins, instances, words
from heatproof.kinds.pairwise import aggregate as pairs
from heatproof.kinds.pairwise import trace as traces
from heatproof.samples import counts, tables
from heatproof.statistics import joint, paired, sign_test
from heatproof.statistics.intervals import student
from heatproof.util import codes
from heatproof.util.errors import Error

COLUMNS = Columns({}, ["progress"])


def entry(**keys: Any) -> pairwise.Entry:
    given = {"name": "fig", "kind": "pairwise", "source": "runs", "models": ["a", "b"], "bins": 4}
    return msgspec.convert(given | keys, pairwise.Entry)


def samples(progress: dict[str, dict[str, list[float]]]) -> pl.LazyFrame:
    """Model → instance → progress of each epoch, as a samples table."""
    base = {
        "member": "",
        "line": 1,
        "offset": 0,
        "length": 1,
        "task": "t",
        "scorer": "",
        "score": 0.0,
    }
    rows = [
        base | {"log": model, "run": model, "model": model, "reconstructed": False}
        | {"sample_id": sample, "epoch": epoch, "progress": value}
        for model, instances in progress.items()
        for sample, values in instances.items()
        for epoch, value in enumerate(values)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=tables.samples_schema(COLUMNS)).lazy()


def test_instances_lie_at_the_means_of_both_models() -> None:
    """An instance is placed by the mean of its epochs, x first, and counted in one bin."""
    grid = pairs.aggregate(samples({"a": {"i": [1.0, 0.5]}, "b": {"i": [0.0, 0.2]}}), entry())
    full = grid.filter(pl.col("samples") > 0)
    assert full.select("x0", "x1", "y0", "y1", "samples").rows() == [(0.75, 1.0, 0.0, 0.25, 1)]
    assert full["difference"].to_list() == [0.65]
    assert full["points"].to_list() == [[{"x": 0.75, "y": 0.1, "n": 1}]]


def test_empty_bins_are_rows_without_difference() -> None:
    """No instance is not the same as no difference."""
    grid = pairs.aggregate(samples({"a": {"i": [0.5]}, "b": {"i": [0.5]}}), entry())
    assert len(grid) == 16
    assert grid["difference"].null_count() == 15
    assert grid["difference"].drop_nulls().to_list() == [0.0]


def test_wins_ties_and_losses_are_counted_per_pair() -> None:
    """X ahead, level, y ahead: together all common instances, others left out."""
    a = {"i": [0.9], "j": [0.3, 0.2, 0.1], "k": [0.0], "only a": [1.0]}
    b = {"i": [0.1], "j": [0.1, 0.2, 0.3], "k": [0.5], "only b": [1.0]}
    grid = pairs.aggregate(samples({"a": a, "b": b}), entry())
    assert grid.select("pair_n", "wins", "ties", "losses").unique().rows() == [(3, 1, 1, 1)]


def test_the_mean_difference_has_an_interval_and_a_corrected_p() -> None:
    """Each pair's rows carry the mean of x − y, its interval, and Holm's p of the sign test."""
    easy = {str(n): [0.9 + n / 100] for n in range(8)}
    hard = {str(n): [0.1] for n in range(8)}
    models = {"a": easy, "b": hard, "c": easy}
    grid = pairs.aggregate(samples(models), entry(models=list("abc")))
    found = grid.select("x_model", "y_model", *aggregate.TESTS).unique(maintain_order=True).rows()
    (_, _, mean, low, high, p, *ends, units), tie, (*_, lower, higher, last, _, _, _) = found
    assert units == 8
    assert tie[2:] == (0.0, 0.0, 0.0, 1.0, None, None, 8)
    half = student(1 - 0.05 / 6, 7) * (high - mean) / student(0.975, 7)
    assert ends == pytest.approx([mean - half, mean + half])
    assert mean == pytest.approx(0.835)
    assert low < mean < high
    assert p == last == pytest.approx(3 * 2 / 2**8)
    assert lower == pytest.approx(-high)
    assert higher == pytest.approx(-low)


def test_rounding_of_the_logs_wins_nothing() -> None:
    """Differences below `EQUAL` are ties in the counts and in the test."""
    grid = pairs.aggregate(samples({"a": {"i": [0.3]}, "b": {"i": [0.1 + 0.2]}}), entry())
    assert grid.select("wins", "ties", "mean", "p_holm").row(0) == (0, 1, 0.0, 1.0)
    assert grid["mean_low"].null_count() == len(grid)
    hair, more, none = [instances.EQUAL], [1.1 * instances.EQUAL], [0.0]
    near = samples(
        {
            "a": {"i": hair, "j": more, "k": none, "l": none, "m": none},
            "b": {"i": none, "j": none, "k": hair, "l": more, "m": more},
        }
    )
    grid = pairs.aggregate(near, entry())
    assert grid.select("wins", "ties", "losses").row(0) == (1, 2, 2)
    assert all(agrees for *_, agrees in traces.recounted(near, grid, entry()))


def test_made_up_instances_are_not_compared() -> None:
    """Which instance was solved is made up in reconstructed logs: no interval and no p."""
    both = samples({m: {"i": [0.5], "j": [0.1]} for m in "ab"}).with_columns(reconstructed=True)
    grid = pairs.aggregate(both, entry())
    assert set(grid.select(aggregate.TESTS).null_count().row(0)) == {16}
    assert all(agrees for *_, agrees in traces.recounted(both, grid, entry()))


def test_pairs_come_each_new_model_against_those_before() -> None:
    """Four models give six panels in the order of the original figure."""
    models = list("abcd")
    grid = pairs.aggregate(samples({m: {"i": [0.5]} for m in models}), entry(models=models))
    order = grid.select("x_model", "y_model").unique(maintain_order=True).rows()
    assert order == [("a", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "d")]


@pytest.mark.parametrize("join", [["sample_id"], ["sample_id", "epoch"]])
def test_each_pair_has_the_instances_that_its_two_models_share(join: list[str]) -> None:
    """Also those that the first model lacks; from counts, and from rows where epochs are joined."""
    a, b, c = {"i": [0.5]}, {"i": [0.1], "j": [0.2], "k": [0.3]}, {"k": [0.3], "j": [0.1], "l": [0]}
    rows, figure = samples({"a": a, "b": b, "c": c | a}), entry(models=[*"abc"], join=join)
    grid = pairs.aggregate(rows, figure)
    found = grid.select("x_model", "y_model", "wins", "ties", "losses").unique(maintain_order=True)
    assert found.rows() == [("a", "b", 1, 0, 0), ("a", "c", 0, 1, 0), ("b", "c", 1, 1, 1)]
    assert all(agrees for *_, agrees in traces.recounted(rows, grid, figure))


def test_columns_have_one_type_whatever_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs without an interval, with too many points, or of made-up instances, among others."""
    monkeypatch.setattr(instances, "POINTS", 2)
    easy, hard = {"i": [0.9], "j": [0.8], "k": [0.6]}, {"i": [0.2], "j": [0.3], "k": [0.5]}
    rows, one = samples({"a": easy, "b": hard, "c": {"i": [0.5]}}), entry(models=[*"abc"], bins=1)
    grid = pairs.aggregate(rows, one)
    assert grid["mean_low"].is_null().to_list() == [False, True, True]
    assert [len(points) for points in grid["points"]] == [0, 1, 1]
    whole = dict.fromkeys(["samples", "pair_n", "wins", "ties", "losses", "units"], pl.Int64)
    words = {"x_model": pl.String, "y_model": pl.String}
    place = {"x": pl.Float64, "y": pl.Float64, "n": pl.Int64}
    types = {"points": pl.List(pl.Struct(place))} | whole | words
    assert grid.schema == {name: types.get(name, pl.Float64) for name in grid.columns}
    assert pairs.aggregate(rows.with_columns(reconstructed=True), one).schema == grid.schema


NUMBERS = {"compare": "ratio", "models": [0.5, 1.0], "measure": "progress"}


@pytest.mark.parametrize("counted", [False, True])
def test_numbers_are_compared_as_models_are(counted: bool) -> None:
    """Windows, ratios, temperatures: the same bins, evidence and recount, under their own names."""
    rng = np.random.default_rng(3)
    drawn = {m: {f"i{n}": [*rng.random(2).round(2)] for n in range(9)} for m in "ab"}
    named = samples(drawn).collect()
    ratio = pl.col("model").replace_strict({"a": 0.5, "b": 1.0}).alias("ratio")
    frame = named.with_columns(ratio, model=pl.lit("m")).select(
        tables.samples_schema(Columns({"ratio": "float"}, ["progress"])).keys()
    )
    made = []
    for rows, figure in ((named, entry()), (frame, entry(**NUMBERS))):
        partial = [counts.count(rows).lazy()] if counted else None
        grid = pairs.aggregate(rows.lazy(), figure, partial)
        story = toys.words([rows.lazy()], figure, grid, partial)
        traced = [*traces.recounted(rows.lazy(), grid, figure)]
        assert all(agrees for *_, agrees in traced)
        made.append((grid, story, traced))
    (grid, story, traced), (other, told, again) = made
    assert set(other["x_model"]) == {"0.5"}
    assert set(other["y_model"]) == {"1.0"}
    names = ["x_model", "y_model"]
    assert other.drop(names).equals(grid.drop(names), null_equal=True)
    assert told["models"] == ["0.5", "1.0"]
    assert told["panels"][0]["x"] == "x: Ratio 0.5"
    assert [cell["facts"] for cell in told["cells"]] == [cell["facts"] for cell in story["cells"]]
    assert told["records"] == story["records"]
    assert [row[1:] for row in again] == [row[1:] for row in traced]
    at = {"x_model": "0.5", "y_model": "1.0", **{k: str(other[f"{k}0"][5] + 0.1) for k in "xy"}}
    behind = traces.behind(frame.lazy(), other, entry(**NUMBERS), at)
    assert behind.agrees
    assert behind.samples == other["samples"][5]


def test_what_would_be_mixed_can_be_joined() -> None:
    """A pair has no panel and no pool: the message names what it has."""
    rows = samples({m: {"i": [0.5]} for m in "ab"}).collect()
    columns = tables.samples_schema(Columns({"ratio": "float"}, ["progress"]))
    both = pl.concat(
        [rows.with_columns(ratio=pl.lit(r), run=pl.col("run") + str(r)) for r in (0.1, 0.2)]
    ).select(columns.keys())
    said = r"values of 'ratio' in one cell \(0\.1, 0\.2 at model=a, task=t\); choose one under where, or list 'ratio' under join$"
    for partial in (None, [counts.count(both).lazy()]):
        with pytest.raises(Error, match=said):
            pairs.aggregate(both.lazy(), entry(), partial)
    twice = pl.concat([rows, rows.with_columns(run=pl.col("run") + "2", log=pl.lit("z"))])
    with pytest.raises(Error, match=r"list it under join$"):
        pairs.aggregate(twice.lazy(), entry())
    assert len(pairs.aggregate(both.lazy(), entry(join=["sample_id", "ratio"]))) == 16


VARIANTS = {
    "epochs": ({"join": ["sample_id", "epoch"]}, "problems", lambda name: name),
    "families": ({"family": "^(.)"}, "families", lambda name: name[0]),
    "both": ({"join": ["sample_id", "epoch"], "family": "^(.)"}, "families", lambda name: name[0]),
}


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("given", VARIANTS)
def test_what_is_of_one_problem_is_tested_once(given: str, counted: bool) -> None:
    """Repeats joined one by one, and variants of a template, add instances but no certainty."""
    keys, word, of = VARIANTS[given]
    rng = np.random.default_rng(5)
    drawn = {
        m: {f"{n}{v}": [*rng.random(3).round(2)] for n in range(4) for v in "xy"} for m in "ab"
    }
    rows, figure = samples(drawn), entry(**keys)
    grid = pairs.aggregate(rows, figure, [counts.count(rows.collect()).lazy()] if counted else None)
    by_epoch = "epoch" in figure.join
    leads: dict[str, list[float]] = {}
    for name, a in drawn["a"].items():
        b = drawn["b"][name]
        each = [x - y for x, y in zip(a, b, strict=True)] if by_epoch else [np.mean(a) - np.mean(b)]
        leads.setdefault(of(name), []).extend(each)
    n = sum(map(len, leads.values()))
    mean = sum(map(sum, leads.values())) / n
    groups = len(leads)
    spread = sum(sum(x - mean for x in each) ** 2 for each in leads.values())
    half = student(0.975, groups - 1) * (groups / (groups - 1) * spread) ** 0.5 / n
    wins = sum(sum(each) > 0 for each in leads.values())
    row = grid.row(0, named=True)
    assert (row["pair_n"], row["units"]) == (n, groups)
    expected = mean, mean - half, mean + half, sign_test(wins, groups - wins)
    assert [row[name] for name in aggregate.TESTS[:4]] == pytest.approx(expected)
    few = wins + sum(sum(each) < 0 for each in leads.values()) < 6
    ends = [None, None] if few else pytest.approx([mean - half, mean + half])
    assert [row["simultaneous_low"], row["simultaneous_high"]] == ends
    assert all(agrees for *_, agrees in traces.recounted(rows, grid, figure))
    assert (
        f" by {groups} {word}"
        in bins.pairs(grid, "count", False, figure.titles, figure.units)[0].verdict[-1]
    )


def test_two_equal_models_on_one_problem_at_many_budgets_differ_rarely() -> None:
    """Thirty problems at twenty budgets, two equal models: the interval holds 0 as often as said."""
    rng, held, parts = np.random.default_rng(11), 0, 0
    problem = np.repeat(np.arange(30), 20)
    for _ in range(300):
        x, y = (
            (rng.random((30, 20)) < 1 / (1 + np.exp(-rng.normal(0, 1, (30, 1))))).ravel() * 1.0
            for _ in "xy"
        )
        one = paired(x, y, group=problem)
        held += one.low <= 0 <= one.high
        parts += one.p <= 0.05
    assert held / 300 >= 0.95 - 0.03
    assert parts / 300 <= 0.05 + 0.03


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"family": "("}, ".family: '(' is not a regular expression"),
        ({"family": "a"}, ".family: 'a' has 0 groups, not one"),
        ({"family": "(a)", "join": ["epoch"]}, "is found in sample_id, which is not under join"),
    ],
)
def test_families_of_pairs_are_found_in_the_ids(keys: dict[str, Any], said: str) -> None:
    """A pattern that cannot name families is told before any job."""
    assert any(said in mistake for mistake in entry(**keys).mistakes())


def test_models_may_differ_in_settings_of_their_own() -> None:
    """Each model at its own ratio mixes nothing; one model at two does, and the message says where."""
    rows = samples({m: {"i": [0.5], "j": [0.2]} for m in "ab"}).collect()
    columns = tables.samples_schema(Columns({"ratio": "float"}, ["progress"])).keys()
    own = pl.col("model").replace_strict({"a": 0.1, "b": 0.2}, return_dtype=pl.Float64)
    apart = rows.with_columns(ratio=own).select(columns)
    by_problem = pl.col("sample_id").replace_strict({"i": 0.1, "j": 0.2}, return_dtype=pl.Float64)
    mixed = rows.with_columns(ratio=by_problem).select(columns)
    for partial in (False, True):
        told = [[counts.count(r).lazy()] if partial else None for r in (apart, mixed)]
        assert pairs.aggregate(apart.lazy(), entry(), told[0])["pair_n"][0] == 2
        with pytest.raises(Error, match=r"would mix 2 values of 'ratio' .*at model=a, task=t\)"):
            pairs.aggregate(mixed.lazy(), entry(), told[1])


def test_joined_on_epochs_every_repeat_is_an_instance() -> None:
    """`join: [sample_id, epoch]` pairs repeat with repeat."""
    both = {"a": {"i": [0.1, 0.9]}, "b": {"i": [0.1, 0.9]}}
    grid = pairs.aggregate(samples(both), entry(join=["sample_id", "epoch"]))
    assert grid["pair_n"][0] == 2


@pytest.mark.parametrize("counted", [False, True])
def test_an_instance_of_several_samples_lies_at_their_mean(counted: bool) -> None:
    """Joined on more than problems; one with more epochs weighs as much more."""
    both = {"a": {"i": [1.0, 0.5], "j": [0.0]}, "b": {"i": [0.0], "j": [0.2, 0.4]}}
    rows = samples(both)
    partial = [counts.count(rows.collect()).lazy()] if counted else None
    found = pairs.aggregate(rows, entry(join=["task"]), partial).filter(pl.col("samples") > 0)
    (points,) = found["points"].to_list()
    assert [(p["x"], p["y"], p["n"]) for p in points] == [(0.5, pytest.approx(0.2), 1)]
    one = entry(join=["task"])
    again = [*traces.recounted(rows, pairs.aggregate(rows, one, partial), one)]
    assert again
    assert all(agrees for *_, agrees in again)


def counted(rows: pl.DataFrame, *by: str) -> list[pl.LazyFrame]:
    """Counts of a table whose shards are told apart by columns."""
    shards = rows.partition_by(*by, maintain_order=True) if by else [rows]
    return [counts.count(shard).lazy() for shard in shards]


APART = {
    "samples": {"a": ["i t1", "j t2", "k t1"], "b": ["k t1", "i t2"]},
    "tasks": {"a": ["i t1", "j t2"], "b": ["i t1", "i t2"]},
}


@pytest.mark.parametrize("shards", [[], ["task"], ["model", "task"]])
@pytest.mark.parametrize("given", APART)
def test_a_problem_of_another_task_is_another_one(given: str, shards: list[str]) -> None:
    """However its id reads, and in whatever shards the tasks lie."""
    rows = samples({m: {name: [0.5] for name in names} for m, names in APART[given].items()})
    name = pl.col("sample_id").str
    split = rows.with_columns(sample_id=name.head(1), task=name.tail(2)).collect()
    grid = pairs.aggregate(split.lazy(), entry(), counted(split, *shards))
    assert grid["pair_n"][0] == 1
    assert all(agrees for *_, agrees in traces.recounted(split.lazy(), grid, entry()))


PIECES: dict[str, dict[str, Any]] = {
    "plain": {"where": {"ratio": 0.5, "way": "x"}},
    "joined": {"join": ["sample_id", "ratio", "way"]},
    "families": {"join": ["sample_id", "ratio", "way"], "family": "^(.)"},
    "tasks": {"join": ["sample_id", "task", "way"], "where": {"ratio": 0.5}},
}


@pytest.mark.parametrize("given", PIECES)
def test_pieces_of_counts_are_put_together(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a shard or a piece of it ends does not show, nor where a setting is not told."""
    rng, figure = np.random.default_rng(6), entry(models=[*"abc"], bins=2, **PIECES[given])
    drawn = {
        f"{m} {r} {w} {t}": {f"{n}{v}": [*rng.random(2).round(2)] for n in range(3) for v in "xy"}
        for m in "abc" for r in ("0.5", "") for w in ("x", "") for t in "st"
    }  # fmt: skip
    parts = pl.col("run").str.split(" ").list
    told = {"model": parts[0], "task": parts[3], "way": parts[2]}
    plain = samples(drawn).collect().with_columns(ratio=parts[1], **told)
    named = plain.with_columns(
        pl.col("ratio").replace("", None).cast(pl.Float64), pl.col("way").replace("", None)
    ).filter(pl.Series(rng.random(len(plain)) < 0.8))
    columns = tables.samples_schema(Columns({"ratio": "float", "way": "str"}, ["progress"]))
    rows = named.select(columns.keys())
    whole = pairs.aggregate(rows.lazy(), figure)
    assert whole["pair_n"].min() > 9
    assert all(agrees for *_, agrees in traces.recounted(rows.lazy(), whole, figure))
    shards = counted(rows, "run")
    for piece in (2, 1000):
        monkeypatch.setattr(codes, "PIECE", piece)
        made = pairs.aggregate(rows.lazy(), figure, shards)
        assert_frame_equal(made, whole, rel_tol=1e-12)
    made_up = [shard.with_columns(reconstructed=n == 0) for n, shard in enumerate(shards)]
    grid = pairs.aggregate(rows.lazy(), figure, made_up)
    assert set(grid.select(aggregate.TESTS).null_count().row(0)) == {len(grid)}


def test_what_is_of_no_problem_is_of_its_own() -> None:
    """Joined on columns without the problem, each instance counts as one."""
    both = {"a": {"i": [0.5, 0.9, 0.2], "j": [0.1]}, "b": {"i": [0.1, 0.2], "k": [0.6]}}
    rows, figure = samples(both), entry(join=["epoch", "scorer"])
    grid = pairs.aggregate(rows, figure)
    assert grid.select("pair_n", "units", "wins", "losses").row(0) == (2, 2, 1, 1)
    assert all(agrees for *_, agrees in traces.recounted(rows, grid, figure))


def test_epochs_of_an_instance_in_several_runs_are_joined() -> None:
    """A log per seed: counts cannot tell whether an epoch is there twice, the rows can."""
    rows = samples(
        {"a": {"i": [1.0, 0.5], "j": [0.25]}, "b": {"i": [0.0], "j": [0.5, 0.75]}}
    ).collect()
    apart = rows.with_columns(run=pl.col("run") + pl.col("epoch").cast(str))
    grids = [
        pairs.aggregate(one.lazy(), entry(), [counts.count(one).lazy()]) for one in (rows, apart)
    ]
    assert grids[1].equals(grids[0], null_equal=True)
    assert grids[0].filter(pl.col("samples") > 0).select("x0", "y0").rows() == [
        (0.75, 0),
        (0.25, 0.5),
    ]


def test_the_instances_of_each_bin_are_numbered() -> None:
    """For each pair of models bin after bin, the first of them at most so many."""
    both = {
        "a": {"i": [0.1], "j": [0.2], "k": [0.9], "l": [0.1]},
        "b": {"i": [0.0], "j": [0.1], "k": [1.0]},
        "c": {"j": [0.6], "k": [0.7], "l": [0.4]},
    }
    rows, one = samples(both), entry(models=[*"abc"], bins=2)
    grid = pairs.aggregate(rows, one)
    found = instances.gather([counts.count(rows.collect()).lazy()], one)
    made = instances.Bins(found, grid)
    assert made.sizes == grid["samples"].to_list() == [2, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1]
    names = [found.named(each)["sample_id"].to_list() for each in made.first(9)]
    assert names == [["i", "j"], [], [], ["k"], ["l"], [], ["j"], ["k"], [], [], ["j"], ["k"]]
    assert [len(each) for each in made.first(1)] == [min(size, 1) for size in made.sizes]


def test_what_is_recounted_of_a_pair_is_told() -> None:
    """Its models and the mean lead, after the bins of all pairs; none where instances are made up."""
    both = {
        "a": {"i": [0.5], "j": [1.0]},
        "b": {"i": [0.5], "j": [0.25]},
        "c": {"i": [1.0], "j": [0.0]},
    }
    rows, one = samples(both), entry(models=[*"abc"])
    *_, ab, ac, bc = traces.recounted(rows, pairs.aggregate(rows, one), one)
    assert ab == ("x_model=a, y_model=b", 0.375, 0.375, True)
    assert ac == ("x_model=a, y_model=c", 0.25, 0.25, True)
    assert bc == ("x_model=b, y_model=c", -0.125, -0.125, True)
    made_up = rows.with_columns(reconstructed=True)
    *_, last = traces.recounted(made_up, pairs.aggregate(made_up, one), one)
    assert last == ("x_model=b, y_model=c", None, None, True)


BEHIND = {
    "a": {"i": [1.0, 0.5], "j": [0.8], "k": [0.1], "only a": [0.7]},
    "b": {"i": [0.0, 0.2], "j": [0.2], "k": [0.9], "only b": [0.1]},
}


def test_a_bin_is_told_with_its_instances() -> None:
    """Each with the means of both models and the records of both, x before y; others are not."""
    other = samples(BEHIND).with_columns(task=pl.lit("u"), run=pl.col("run") + "2")
    rows = pl.concat([samples(BEHIND), other])
    one = entry(bins=2, where={"task": "t"})
    grid = pairs.aggregate(rows, one)
    found = traces.behind(rows, grid, one, {"x": "0.6", "y": "0.49"})
    assert found.cell == {
        "x_model": "a", "y_model": "b", "x0": 0.5, "x1": 1.0, "y0": 0.0, "y1": 0.5,
    }  # fmt: skip
    assert (found.metric, found.value, found.counted) == ("mean progress of x − y", 0.625, 0.625)
    assert (found.samples, found.epochs, found.agrees) == (2, 6, True)
    assert [(part.title, part.value, part.samples, part.epochs) for part in found.parts] == [
        ("task=t, sample_id=i: x 0.75, y 0.1", 0.65, 1, 4),
        ("task=t, sample_id=j: x 0.8, y 0.2", pytest.approx(0.6), 1, 2),
    ]
    first = [(r["model"], r["task"], r["epoch"], r["value"]) for r in found.parts[0].records]
    assert first == [("a", "t", 0, 1.0), ("a", "t", 1, 0.5), ("b", "t", 0, 0.0), ("b", "t", 1, 0.2)]
    none = traces.behind(rows, grid, one, {"x": "1", "y": "1"})
    assert (none.value, none.counted, none.samples, none.epochs) == (None, None, 0, 0)
    assert (none.agrees, none.parts) == (True, [])
    for column in ("samples", "difference"):
        forged = grid.with_columns(pl.col(column) + 1)
        assert not traces.behind(rows, forged, one, {"x": "0.6", "y": "0.49"}).agrees
    assert traces.columns(one, grid) == ["x_model", "y_model", "x0", "y0"]
    assert traces.value_columns(one, grid) == [
        "difference",
        "samples",
        "wins",
        "ties",
        "losses",
        "pair_n",
    ]


@pytest.mark.parametrize("x", ["=a", "'=a", None])
@pytest.mark.parametrize("y", ["b", "Beta", None])
def test_models_are_asked_for_by_any_of_their_names(x: str | None, y: str | None) -> None:
    """As the logs, the figure or a spreadsheet has them; or not at all where there is one pair."""
    rows = samples({"=a": {"i": [0.5]}, "b": {"i": [0.25]}})
    one = entry(models=["=a", "b"], names={"model": {"b": "Beta"}})
    wanted = {"x_model": x, "y_model": y, "x": "1/2", "y": "0.3"}
    asked = {name: value for name, value in wanted.items() if value is not None}
    found = traces.behind(rows, pairs.aggregate(rows, one), one, asked)
    assert (found.samples, found.value, found.agrees) == (1, 0.25, True)


def test_every_bin_and_pair_is_counted_again() -> None:
    """What is wrong of a bin is told of it alone, and what is wrong of a pair of this."""
    rows, one = samples(BEHIND | {"c": BEHIND["b"]}), entry(bins=2, models=[*"abc"])
    grid = pairs.aggregate(rows, one)
    found = [*traces.recounted(rows, grid, one)]
    assert [cell for cell, *_ in found[1:3] + found[-3:]] == [
        "x_model=a, y_model=b, x=0.5, y=0",
        "x_model=a, y_model=b, x=0, y=0.5",
        "x_model=a, y_model=b",
        "x_model=a, y_model=c",
        "x_model=b, y_model=c",
    ]
    assert found[1] == (found[1][0], 0.625, 0.625, True)
    assert found[2] == (found[2][0], -0.8, -0.8, True)
    assert found[0] == ("x_model=a, y_model=b, x=0, y=0", None, None, True)
    bins_of = {"samples": 1, "difference": 0.001}
    pairs_of = {
        "pair_n": 1,
        "wins": 1,
        "ties": 1,
        "losses": 1,
        "mean": 0.001,
        "p_holm": 0.001,
        "units": 1,
    }
    for column, more in (bins_of | pairs_of).items():
        of_bin = column in bins_of
        at = (pl.col("x0") == 0.5) & (pl.col("y0") == 0) if of_bin else pl.lit(True)
        which = at & (pl.col("x_model") == "a") & (pl.col("y_model") == "b")
        forged = grid.with_columns(pl.when(which).then(pl.col(column) + more).otherwise(column))
        told = [cell for cell, *_, agrees in traces.recounted(rows, forged, one) if not agrees]
        assert told == [f"x_model=a, y_model=b{', x=0.5, y=0' * of_bin}"], column


def test_numbers_of_a_pair_in_words() -> None:
    """A sign before means, p as it is read; none where one is not known."""
    assert words.compared_words([0.031, -0.002, 0.064, 0.2124], "–") == [
        "+0.031",
        "−0.002 to +0.064",
        "0.21",
    ]
    assert words.compared_words([-0.5, None, 0.1, 0.00001], "–") == ["−0.500", "–", "< 0.001"]
    assert words.compared_words([None, -0.1, None, None], "--") == ["--", "--", "--"]
    assert (words.unit_words(None, "–"), words.unit_words(1200, "–")) == ("–", "1,200")


def test_bins_hold_their_lower_edge_and_the_last_its_upper_too() -> None:
    """0.3 in tenths lies in the bin from 0.3, and 1 in the last bin, whatever floats say."""
    at = np.array([0.0, 0.1, 0.3, 0.6, 0.7, 1.0])
    diagonal = instances.bin_instances(at, at, 10).filter(pl.col("samples") > 0)
    assert diagonal["x0"].to_list() == [0.0, 0.1, 0.3, 0.6, 0.7, 0.9]


OFF = (
    r"config\.yaml: figures\.\w+\.measure: 'progress' is not from 0 to 1: a:\d+ of source '\w+' has "
    r"1\.5; choose .* \(range: \{progress: \[lowest, highest\]\}\)"
)
MODELS = r"config\.yaml: figures\.\w+\.models"


@pytest.mark.parametrize(
    ("progress", "keys", "message"),
    [
        ({"a": {"i": [0.5]}, "b": {"j": [0.5]}}, {}, f"{MODELS}: 'a' and 'b' share no sample_id"),
        (
            {"a": {"i": [0.5]}, "b": {"i": [0.5]}, "c": {"j": [0.5]}},
            {"models": ["a", "c"], "join": ["sample_id", "epoch"]},
            f"{MODELS}: 'a' and 'c' share no sample_id and epoch$",
        ),
        ({"a": {"i": [0.5]}}, {}, f"{MODELS}: no sample has 'b'; there are a"),
        ({"a": {"i": [0.5]}}, {"join": ["epoch"]}, f"{MODELS}: no sample has 'b'; there are a"),
        ({"a": {"i": [1.5]}, "b": {"i": [0.5]}}, {}, OFF),
    ],
)
def test_what_cannot_be_paired_is_refused(
    progress: dict[str, Any], keys: dict[str, Any], message: str
) -> None:
    """Models that are not there or share nothing, and values off the axes, are named."""
    with pytest.raises(Error, match=f"^{message}"):
        pairs.aggregate(samples(progress), entry(**keys))


def test_the_first_record_off_the_axes_is_named() -> None:
    """By log and line, in whatever order the rows come."""
    rows = samples({"b": {"i": [1.9]}, "a": {"i": [1.7, 0.5, 1.5]}}).with_columns(
        line=pl.Series([1, 12, 2, 9])
    )
    with pytest.raises(Error, match=r": a:9 of source 'runs' has 1\.5; "):
        pairs.aggregate(rows, entry())


def test_differences_do_not_depend_on_the_order_of_instances() -> None:
    """Sums beyond 2⁵³ are as exact as small ones, so that a grid has one set of bytes."""
    at = 0.9 + np.random.default_rng(4).random(20_000) / 10
    there, back = (
        instances.bin_instances(x, np.zeros(len(x)), 1)["difference"][0] for x in (at, at[::-1])
    )
    exact = sum(round(x * 1e12) for x in at.tolist())
    assert exact > 2**53
    assert there == back == float(exact) / len(at) / 1e12


def test_instances_at_one_place_are_one_point() -> None:
    """To the sixth digit: what floats say beyond it is seen by nobody."""
    x = np.array([0.3, 0.1 + 0.2, 0.2999996, 0.2999994])
    (points,) = instances.bin_instances(x, np.full(4, 0.5), 1)["points"]
    assert [(p["x"], p["n"]) for p in points] == [(0.299999, 1), (0.3, 3)]


def test_instances_are_binned_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a strip of them ends does not show."""
    at = np.random.default_rng(2).random((2, 50)).round(2)
    whole = instances.bin_instances(*at, 3)
    assert whole["samples"].sum() == 50
    for strip in (1, 7, 50):
        monkeypatch.setattr(instances, "STRIP", strip)
        assert instances.bin_instances(*at, 3).equals(whole)
    monkeypatch.setattr(instances, "POINTS", 50)
    assert instances.bin_instances(*at, 3).equals(whole)
    monkeypatch.setattr(instances, "POINTS", 49)
    assert set(instances.bin_instances(*at, 3)["points"].list.len()) == {0}


@pytest.mark.parametrize("counted", [False, True])
def test_instances_may_share_what_is_not_told(counted: bool) -> None:
    """A setting that neither run tells is the same for both."""
    rows = samples({m: {"i": [0.5]} for m in "ab"}).collect()
    columns = tables.samples_schema(Columns({"ratio": "float"}, ["progress"]))
    rows = rows.with_columns(ratio=pl.lit(None, pl.Float64)).select(columns.keys())
    partial = [counts.count(rows).lazy()] if counted else None
    grid = pairs.aggregate(rows.lazy(), entry(join=["sample_id", "ratio"]), partial)
    assert grid["pair_n"][0] == 1


def test_what_would_be_mixed_is_told_where_repeats_are_joined() -> None:
    """By the rows, as epochs are no columns of counts; with what a pair can do."""
    rows = samples({m: {"i": [0.5]} for m in "ab"}).collect()
    columns = tables.samples_schema(Columns({"ratio": "float"}, ["progress"]))
    both = pl.concat(
        [rows.with_columns(ratio=pl.lit(r), run=pl.col("run") + str(r)) for r in (0.1, 0.2)]
    )
    with pytest.raises(Error, match=r"choose one under where, or list 'ratio' under join$"):
        pairs.aggregate(both.select(columns.keys()).lazy(), entry(join=["sample_id", "epoch"]))


def test_an_interval_holds_with_all_others() -> None:
    """As wide as the number of pairs asks; none where too few problems differ for any verdict."""
    lead = np.array([0.5, 0.25, 1.0, 0.5, 0.75, 0.5, 0.25, 0.0])
    one, tie = paired(lead, 0 * lead), paired(lead, lead)
    alone, together = (joint([one, *rest])[0] for rest in ([], [tie]))
    assert alone == pytest.approx((one.low, one.high))
    assert together[1] - together[0] > alone[1] - alone[0]
    assert joint([one, None])[0] == alone
    assert np.isnan(joint([one, tie, tie, tie])[0]).all()
    assert np.isnan(joint([tie, None])).all()


@pytest.mark.parametrize("by", [-0.02, 0.02, None])
def test_a_wrong_interval_is_seen(by: float | None) -> None:
    """Wider, narrower or not there at all: the recount says so."""
    drawn = {
        "a": {str(n): [0.5 + n / 30] for n in range(9)},
        "b": {str(n): [n / 20] for n in range(9)},
    }
    rows = samples(drawn)
    grid = pairs.aggregate(rows, entry())
    assert all(agrees for *_, agrees in traces.recounted(rows, grid, entry()))
    nothing = pl.lit(None, pl.Float64)
    wrong = grid.with_columns(
        simultaneous_low=nothing if by is None else pl.col("simultaneous_low") - by,
        simultaneous_high=nothing if by is None else pl.col("simultaneous_high") + by,
    )
    assert [agrees for *_, agrees in traces.recounted(rows, wrong, entry())][-1] is False
