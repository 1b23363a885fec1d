"""What logs declare is what is expected: of cells, of runs, and of runs that failed as a whole."""

import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof import ledger, sweep
from heatproof.cli import views as commands
from heatproof.config import paths
from heatproof.kinds import api, states
from heatproof.logs.logs import manifest_digest
from heatproof.provenance import identify, trace
from heatproof.samples import shard_index, tables
from heatproof.samples.declarations import DeclaredRun
from heatproof.util import hashed
from support import cells as handmade
from support.built import figure, folder, grid, read
from support.data import cases
from support.reading import lines

__all__ = ["folder"]

INSPECT = {"format": "inspect", "logs": "*.json", "params": {"temperature": "float"}}


def log(name: str, temperature: float | None, samples: Sequence[Any], **keys: Any) -> None:
    """An Inspect log of 20 problems, two epochs of each, unless `keys` say otherwise."""
    head = {"model": "m", "task": "sums", "dataset": {"samples": 20}, "config": {"epochs": 2}}
    head |= {"model_generate_config": {"temperature": temperature}}
    head |= {key: keys.pop(key) for key in ("dataset", "config", "task", "model") if key in keys}
    whole = {"version": 2, "status": "success", "eval": head, "plan": {}, "samples": samples}
    Path(f"{name}.json").write_text(json.dumps(whole | keys))


def samples(problems: range, errors: range = range(0), epochs: int = 2) -> list[dict[str, Any]]:
    """Samples of some problems, right and wrong in turn; some ended in an error."""
    return [
        {"id": n, "epoch": e, "scores": {}, "error": {}} if n in errors
        else {"id": n, "epoch": e, "scores": {"match": {"value": "CI"[n % 2]}}}
        for n in problems for e in range(1, epochs + 1)
    ]  # fmt: skip


def write_run(
    name: str, temperature: float, problems: int = 20, errors: int = 0,
    first: int = 1, epochs: int = 2, ids: bool = False, **keys: Any,
) -> None:  # fmt: skip
    """A log of problems from the `first` on, of which so many ended in `errors`.

    `ids`: whether it names its problems.
    """
    chosen = range(first, first + problems)
    dataset = {"dataset": {"samples": 20, "sample_ids": [*chosen]}} if ids else {}
    rows = [] if "status" in keys else samples(chosen, range(first, first + errors), epochs)
    log(name, temperature, rows, **dataset | keys)


CASES = cases(__file__)


@pytest.mark.parametrize(("case", "several"), [*zip(CASES, cycle([1, 3]))])
def test_what_is_expected_of_a_cell(case: str, several: int) -> None:
    """In one shard or in three, by counts and by rows. A cell without a value says why, and no other."""
    runs, keys = CASES[case]["runs"], CASES[case].get("figure", {})
    for number, (temperature, told) in enumerate(runs):
        write_run(f"{number:02}", temperature, **told)
    mixed = "max_tokens" in repr(runs)
    params = {"params": {"temperature": "float", **({"max_tokens": "int"} if mixed else {})}}
    shards = read(several, **INSPECT | params)
    made = grid(shards, **keys)
    names = [*(["task"] if "panel" in keys else []), "y", "x"]
    found = [" ".join(map(str, row)) for row in made.sort(names).select(names).rows()]
    sizes = made.sort(names).select("epochs", "expected").rows()
    told = [f"{place} {n}/{of}" for place, (n, of) in zip(found, sizes, strict=True)]
    assert ", ".join(told) == CASES[case]["cells"]
    assert made["gap"].is_null().to_list() == made["value"].is_not_null().to_list()
    shown = figure(**keys)
    near = shard_index.shards_of_figure(shards, shown)
    by_rows = api.kind("heatmap").aggregate(
        pl.scan_parquet([Path(path) for path in shards]), shown, None, near.log_index
    )
    assert by_rows.equals(made)


def test_a_failed_run_lacks_what_each_scorer_would_have_told() -> None:
    """With scorers along an axis, as with models: all of its cells are of a run that failed."""
    both = samples(range(1, 21))
    for one in both:
        one["scores"] |= {"judge": {"value": "C"}}
    log("a", 0.5, both)
    log("b", 1.0, [], status="error")
    log("c", 2.0, both[:-2])
    for scorer in ("judge", "match"):
        made = grid(read(**INSPECT, scorer=scorer), x="scorer", y="temperature")
        assert made.select("y", "x", "epochs", "expected", "gap").rows() == [
            (0.5, scorer, 40, 40, None),
            (1.0, scorer, 0, 40, states.FAILED),
            (2.0, scorer, 38, 40, None),
        ]


PLAIN = {
    "fields": {"model": "m", "sample_id": "id", "epoch": "e", "score": "s"},
    "params": {"temperature": "float"},
}


def told(problems: range, **keys: Any) -> list[dict[str, Any]]:
    """Records of two epochs of each problem."""
    row = {"m": "m", "temperature": 0.5}
    return [row | {"id": n, "e": e, "s": n % 2} | keys for n in problems for e in range(2)]


@pytest.mark.parametrize("several", [True, False])
def test_what_a_log_lacks_is_told_of_each_run_that_it_holds(several: bool) -> None:
    """By settings, where they tell its runs apart, or by name; not what was tried again."""
    rows = [
        {"m": "m", "id": n, "e": e, "temperature": t, "r": f"r{t}", "s": None if n == lost > e else 1}
        for t, lost in ((0.5, 1), (1.0, 2)) for n in range(3) for e in range(2)
    ]  # fmt: skip
    rows += [rows[0] | {"id": 0, "e": 0, "s": None}]
    Path("a.jsonl").write_bytes(lines(rows))
    keys = PLAIN | {"fields": PLAIN["fields"] | ({} if several else {"run": "r"})}
    (shard,) = read(**keys, format="jsonl", logs="*.jsonl")
    found = shard_index.read_index(Path(paths.counts(shard))).logs["a.jsonl"].runs
    told = {tuple(one.settings): (one.lacks, one.empty, one.samples) for one in found}
    assert told == {
        ("m", "", 0.5): ({"1": 2}, False, None),
        ("m", "", 1.0): ({"2": 2}, False, None),
    }


def test_trace_names_the_log_of_a_run_that_failed(folder: Path) -> None:
    """By the settings that it declares; of a hole, none."""
    log("a", 0.5, samples(range(1, 21)))
    log("b", 1.0, [], status="error")
    log("c", 0.5, samples(range(1, 21)), model="n")
    made, shards = grid(read(**INSPECT)), read(**INSPECT)
    place = folder / paths.grid("f")
    place.parent.mkdir(parents=True)
    tables.write(made, place, {"source": INSPECT | {"name": "s"}})
    files = {path: hashed.content(path) for path in ("a.json", "b.json", "c.json")}
    piece = ledger.Piece("normalize", "s/0000", files, {}, {}, {})
    at = Path(ledger.place("normalize s/0000"))
    at.parent.mkdir(parents=True)
    tables.write_bytes(ledger.encoded(piece), at)
    logs_ = shard_index.shards_of_figure(shards, figure()).log_index.logs
    told = {
        "figure": "f",
        "entry": msgspec.to_builtins(figure()),
        "logs": {"count": len(logs_), "blake3": manifest_digest(shard_index.digests(logs_))},
    }
    for model, failed in (("m", ["b.json"]), ("n", [])):
        found = trace.cell(told, folder, f"temperature=1,model={model}")
        assert (found.failed, found.changed, found.agrees) == (failed, [], True)
    found = trace.cell(told, folder, "temperature=1,model=m")
    said = commands.cell_text(identify.Match(told | {"reconstructed": False}, "by its name"), found)
    assert "b.json: no graded sample" in said
    log("b", 1.0, [], status="cancelled")
    found = trace.cell(told, folder, "temperature=1,model=m")
    assert found.changed[0].startswith("b.json: was ")


def meant(*settings: Any, samples: int | None = None, **keys: Any) -> DeclaredRun:
    """What a log says of a run; settings: model, task, ratio, window. It failed, without `keys`."""
    return DeclaredRun([*settings], samples, **{"empty": True} | keys)


def held_by(*logs_: DeclaredRun, **keys: Any) -> shard_index.ShardIndex:
    """Logs that declare a run each."""
    found = {f"{n}.json": shard_index.Log("", runs=[one]) for n, one in enumerate(logs_)}
    return shard_index.ShardIndex(["model", "task", "ratio", "window"], found, **keys)


def drawn(rows: Any, held_: shard_index.ShardIndex, **keys: Any) -> pl.DataFrame:
    """The grid of ratio and window."""
    shown, table_ = handmade.entry(**keys), handmade.samples(rows)
    made: pl.DataFrame = api.kind("heatmap").aggregate(table_, shown, None, held_)
    return made


def asked(made: pl.DataFrame) -> list[str]:
    """Of how many problems the runs of each cell were asked for a part, in words."""
    return [states.asked_words(cell) for cell in made.iter_rows(named=True)]


def test_a_run_that_was_to_hold_nothing_is_expected_to_hold_nothing() -> None:
    """Nor are the holes beside it, of its own task; those of the other task are as their like."""
    epochs = handmade.epochs
    rows = [*epochs("a", 1, ratio=0.1, window=500), *epochs("a", 0, ratio=0.2, window=1000)]
    made = drawn(rows, held_by(meant("m", "u", 0.1, 500, samples=0, part=(0, 20))))
    assert made["task"].to_list() == [*"tttt", *"uuuu"]
    assert made["expected"].to_list() == [1, 1, 1, 1, 0, 0, 0, 0]
    nothing = states.NOTHING
    assert made["gap"].to_list() == [
        None, nothing, nothing, None, states.FAILED, nothing, nothing, nothing
    ]  # fmt: skip
    assert asked(made) == [*[""] * 4, "0 of 20 problems of the data set", *[""] * 3]


def test_runs_that_are_pooled_are_expected_together() -> None:
    """One by the size that it declares, the other by what it holds and what it names."""
    epochs = handmade.epochs
    rows = [*epochs("a", 1, 1, ratio=0.1, window=500), *epochs("b", 1, ratio=0.1, window=1000)]
    sized = meant("m", "t", 0.1, 500, samples=2, empty=False)
    unsized = meant("m", "t", 0.1, 1000, lacks={"c": 1, "d": 1}, empty=False)
    axes = {"x": "ratio", "y": "model", "color": "pass@1"}
    made = drawn(rows, held_by(sized, unsized), pool=["window"], encoding=axes)
    assert made.select("epochs", "expected").rows() == [(3, 5)]


TASKS = PLAIN | {"fields": PLAIN["fields"] | {"task": "t"}, "format": "jsonl", "logs": "*.jsonl"}


@pytest.mark.parametrize(
    ("expect", "expected"),
    [
        (30, [("a", 20, 30), ("b", 19, 30)]),
        ({"a": 30}, [("a", 20, 30), ("b", 19, 20)]),
        ({"a": 10, "b": 40}, [("a", 20, 20), ("b", 19, 40)]),
        (None, [("a", 20, 20), ("b", 19, 20)]),
    ],
)
def test_config_says_what_logs_do_not(expect: Any, expected: list[Any], folder: Path) -> None:
    """`expect` counts samples of a run: problems × epochs, also of one that several logs hold."""
    both = told(range(10), t="a") + told(range(10), t="b")
    both[-1]["s"] = None
    (folder / "a.jsonl").write_bytes(lines(both[:7]))
    (folder / "b.jsonl").write_bytes(lines(both[7:]))
    shown = figure(x="task")
    for number in (2, 1):
        shards = read(shards=number, **TASKS)
        mine = shard_index.shards_of_figure(shards, shown, expect)
        made = shard_index.aggregate(api.kind("heatmap"), shown, mine, shards)
        assert made.select("x", "epochs", "expected").rows() == expected
    partial = pl.read_parquet(paths.counts(shards[0]))
    index = shard_index.read_index(Path(paths.counts(shards[0])))
    swept = sweep.run_coverage(partial, {}, msgspec.structs.replace(index, expect=expect))
    assert swept.sort("task").select("task", "epochs", "expected").rows() == expected


def test_tasks_and_runs_that_were_not_expected_are_told() -> None:
    """Each task with its largest run; a source without tasks is told."""
    place, tail = "config.yaml: sources.s.expect", "(it counts problems × epochs)"
    counts = pl.DataFrame(
        {"run": "r", "model": "m", "task": [*"abcdefga"], "seed": [0] * 7 + [1], "sample_id": "q",
         "scorer": "", "epochs": [1001, 9, 9, 9, 9, 9, 1, 5]}
    )  # fmt: skip
    words = [*shard_index.expectation_words("s", 1, counts)]
    assert words[0] == f"{place}: 2 runs of task a of more than 1 samples, up to 1,001 {tail}"
    assert len(words) == 6
    assert [*shard_index.expectation_words("s", {"a": 1000, "x": 1, "g": 1}, counts)] == [
        f"{place}.x: no sample is of task 'x'; there are a, b, c, d, e, f, g",
        f"{place}: 1 run of task a of more than 1,000 samples, up to 1,001 {tail}",
    ]
    assert [*shard_index.expectation_words("s", None, counts)] == []
    bare = counts[1:2].with_columns(task=pl.lit(""))
    assert [*shard_index.expectation_words("s", 8, bare)] == [
        f"{place}: 1 run of more than 8 samples, up to 9 {tail}"
    ]


def test_what_a_log_without_a_sample_does_not_say_is_the_default() -> None:
    """So its run is the one that it would have been a part of."""
    log("failed", None, [], status="error")
    log("whole", None, samples(range(1, 21)))
    (shard,) = read(**INSPECT | {"params": {"temperature": {"type": "float", "default": 0.5}}})
    logs = shard_index.read_index(Path(paths.counts(shard))).logs
    settings = [run.settings for name in ("failed.json", "whole.json") for run in logs[name].runs]
    assert settings == [["m", "sums", 0.5], ["m", "sums", 0.5]]


def test_runs_that_were_limited_are_complete_and_say_so() -> None:
    """The cell tells of how many problems was asked; a mean over tasks names those."""
    for name, (temperature, problems, task) in {
        "a": (0.5, 4, "sums"), "b": (1.0, 20, "sums"), "c": (0.5, 5, "more"), "d": (1.0, 20, "more"),
        "e": (2.0, 3, "sums"), "f": (2.0, 20, "more"),
    }.items():  # fmt: skip
        write_run(name, temperature, problems, ids=True, task=task)
    shards = read(**INSPECT)
    alone = grid(shards, where={"task": "sums"})
    assert alone.select("epochs", "expected").rows() == [(8, 8), (40, 40), (6, 6)]
    assert asked(alone)[:2] == ["4 of 20 problems of the data set", ""]
    both = grid(shards, mean_over="task")
    assert asked(both) == [
        "9 of 40 problems of tasks more, sums", "", "3 of 20 problems of task sums"
    ]  # fmt: skip
    kind = api.kind("heatmap")
    caption = kind.caption(both, figure(mean_over="task"))
    assert any("n some cells asked for only a part of the data set" in text for text in caption)
    assert "asked for only a part of the data set" in kind.table(both, figure(mean_over="task")).n
