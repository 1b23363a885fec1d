"""Aggregates as logs: printed numbers drawn with what they can bear, against values by hand."""

from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof.cli import views
from heatproof.config import configuration
from heatproof.kinds import states, trace
from heatproof.kinds.heatmap import report
from heatproof.provenance.identify import Match
from heatproof.samples import tables
from support import built
from support.built import folder, read
from support.reading import reasons, run

__all__ = ["folder"]
WANDB = """\
"Name","State","lr","seed","eval/acc","eval/acc_stderr","eval/n","eval/loss"
"a","finished","0.1","0","0.41","0.02","600","1.25"
"a","finished","0.01","0","0.52","","600",""
"b","finished","0.1","0","0.4","0.03","",""
"b","finished","0.01","0","0.5","","","0.75"
"a","crashed","0.001","0","0.1","0.01","600","3"
"""
RUNS: dict[str, Any] = {
    "format": "csv", "logs": "*.csv", "fields": {"model": "Name"}, "params": {"lr": "float"},
    "finished": {"State": "finished"},
    "aggregates": {
        "acc": {"value": "eval/acc", "stderr": "eval/acc_stderr", "n": "eval/n"},
        "loss": "eval/loss",
    },
}  # fmt: skip
Z = 1.959964


def figure(**keys: Any) -> Any:
    made = built.figure(**{"x": "lr", "color": "printed(acc)"} | keys)
    assert made.mistakes() == []
    return made


def grid(shards: list[str], **keys: Any) -> pl.DataFrame:
    """The grid of a figure, as the workflow makes it; counted once more, it must be the same."""
    made = built.grid(shards, **{"x": "lr", "color": "printed(acc)"} | keys)
    again = [*trace.recounted(pl.scan_parquet([*shards]), made, figure(**keys))]
    assert again
    assert all(right for *_, right in again), again
    return made


def cells(made: pl.DataFrame, *names: str) -> dict[tuple[Any, Any], Any]:
    """Place of a cell, x and y → what the grid tells of it."""
    rows = made.select("x", "y", *(names or ("value",))).iter_rows()
    return {(x, y): told[0] if len(told) == 1 else told for x, y, *told in rows}


def wilson(share: float, n: float) -> tuple[float, float]:
    middle, half = share + Z * Z / 2 / n, Z * sqrt(share * (1 - share) / n + Z * Z / 4 / n / n)
    return (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)


def test_values_are_those_printed_with_what_is_known_of_them() -> None:
    """Wilson's of the problems where an error is that of a share; else ± 1.96 of it; else nothing."""
    Path("runs.csv").write_text(WANDB)
    found = cells(grid(read(**RUNS)), "value", "se", "low", "high", "problems")
    assert found[0.1, "a"] == pytest.approx([0.41, 0.02, *wilson(0.41, 600), 600])
    low, high = wilson(0.52, 600)
    assert found[0.01, "a"] == pytest.approx([0.52, sqrt(0.52 * 0.48 / 600), low, high, 600])
    assert found[0.1, "b"][:4] == pytest.approx([0.4, 0.03, 0.4 - Z * 0.03, 0.4 + Z * 0.03])
    assert found[0.1, "b"][4] is None
    assert found[0.01, "b"] == [0.5, None, None, None, None]


@pytest.mark.parametrize(
    ("value", "error", "n", "ends"),
    [
        (29 / 30, 0.0333, 30, wilson(29 / 30, 30)),
        (1.0, 0.0, 30, wilson(1.0, 30)),
        (0.5, 0.0, 30, wilson(0.5, 30)),
        (0.98, 0.02, None, (0.98 - Z * 0.02, 1.0)),
        (0.9, 0.01, 100, (0.9 - Z * 0.01, 0.9 + Z * 0.01)),
        (1.0, 0.0, None, None),
    ],
)
def test_an_interval_lies_where_values_can_be(value, error, n, ends):
    """Wilson's where the error is that of a share of so many, or 0; else cut off at 0 and 1."""
    Path("r.csv").write_text(f"model,g,m,n,e\nA,{value},0.5,{n or ''},{error}\n")
    number = {"value": "{task}", "of": ["g", "m"], "n": "n", "stderr": "e"}
    keys = {"format": "csv", "logs": "*.csv", "fields": {"model": "model"}}
    made = grid(read(**keys, aggregates={"acc": number}), x="task", uncertainty="interval")
    interval = cells(made, "low", "high")["g", "A"]
    assert interval == ([None, None] if ends is None else pytest.approx(ends, abs=1e-6))


def test_a_run_that_did_not_finish_is_missing_and_keeps_its_place() -> None:
    """What a crashed run printed is not drawn; its cell says so, and the record is counted."""
    Path("runs.csv").write_text(WANDB)
    made = grid(read(**RUNS))
    gaps = cells(made, "value", "gap")
    assert gaps[0.001, "a"] == [None, states.FAILED]
    assert gaps[0.001, "b"] == [None, states.NOTHING]
    told = Path("results/tables/s/0000.parquet")
    assert tables.read(told)[0].height == 4


SUITE = """\
model,task,seed,acc,n,err
a,t1,0,41.0,100,
a,t1,1,43.0,100,
a,t2,0,60.0,400,
b,t1,0,50.0,100,
b,t1,1,52.0,100,
b,t2,0,70.0,400,
"""
SUITES: dict[str, Any] = {
    "format": "csv", "logs": "*.csv", "fields": {"model": "model", "task": "task"},
    "params": {"seed": "int"}, "range": {"acc": [0, 100]},
    "aggregates": {"acc": {"value": "acc", "n": "n"}},
}  # fmt: skip


def test_a_mean_over_tasks_adds_variances() -> None:
    """And over seeds, which may be of the same problems, the standard error is that of one."""
    Path("s.csv").write_text(SUITE)
    samples = read(**SUITES)
    over = grid(samples, x="seed", mean_over="task", where={"seed": 0})
    told = cells(over, "value", "se")
    error = sqrt(0.41 * 0.59 / 100 + 0.6 * 0.4 / 400) / 2
    assert told[0, "a"] == pytest.approx([(0.41 + 0.6) / 2, error])
    seeds = grid(samples, x="task", mean_over="seed", where={"task": "t1"})
    told = cells(seeds, "value", "se", "low", "high", "problems")
    low, high = wilson(0.42, 100)
    assert told["t1", "a"] == pytest.approx([0.42, sqrt(0.42 * 0.58 / 100), low, high, 100])


def test_percent_is_told_as_printed() -> None:
    """`range` makes shares of percent for intervals; figures and tables tell what was printed."""
    Path("s.csv").write_text(SUITE)
    samples = read(**SUITES)
    made = grid(samples, x="task", where={"seed": 0})
    ranged = figure(x="task", where={"seed": 0}, ranges={"acc": [0.0, 100.0]})
    rows = pl.read_csv(report.csv(made, ranged).encode()).sort("model", "task")
    assert rows["value"].to_list() == [41, 60, 50, 70]
    low, _ = wilson(0.41, 100)
    assert rows["low"][0] == pytest.approx(100 * low)


def test_trace_leads_to_the_line_and_what_was_printed() -> None:
    """Each number with its file and line, counted anew, and that nothing lies below."""
    Path("runs.csv").write_text(WANDB)
    samples = read(**RUNS)
    rows = pl.scan_parquet([Path(path) for path in samples])
    behind = trace.behind(rows, grid(samples), figure(), {"lr": "0.1", "model": "a"})
    match = Match({"figure": "f", "reconstructed": False, "id": "1"}, "by its name")
    text = views.cell_text(match, behind)
    head, line = map(len, WANDB.splitlines()[:2])
    place = f"line 2, bytes {head + 1}–{head + line}: printed number"
    for part in ("printed(acc) = 0.41", "standard error 0.02 and 600 problems", place):
        assert part in text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('"c","finished","1","0","high","","",""', "eval/acc: 'high' is not number"),
        ('"c","finished","1","0","inf","","",""', "acc is inf"),
        (
            '"c","finished","1","0","0.4","-1","",""',
            "stderr of acc is -1, which is not a standard error",
        ),
        (
            '"c","finished","1","0","0.4","","1.5",""',
            "n of acc is 1.5, which is not a number of problems",
        ),
        ('"a","finished","0.1","1","0.4","","",""', "repeats a record"),
    ],
)
def test_what_is_no_number_is_refused(line: str, reason: str) -> None:
    """With its reason; N/A, NaN and nothing are numbers that are missing."""
    Path("runs.csv").write_text(WANDB + line + "\n")
    crashed, refused = reasons(run(Path(), **RUNS))
    assert crashed == "not finished: State is 'crashed'"
    assert refused.startswith(reason)


def test_aggregates_and_records_are_not_shown_as_one() -> None:
    """Two sources in a figure are of one sort."""
    other = {"format": "jsonl", "logs": "*.jsonl", "fields": {"sample_id": "i", "score": "s"}}
    block = {"kind": "heatmap", "source": ["s", "o"]}
    block["encoding"] = {"x": "lr", "y": "model", "color": "printed(acc)"}
    given = {"sources": {"s": RUNS, "o": other}, "figures": {"f": block}}
    _, wrong = configuration.examined(given, Path())
    assert "source 's' has aggregates, and 'o' records of problems" in "\n".join(map(str, wrong))


@pytest.mark.parametrize("of", [["gsm8k", "math"], []])
def test_a_column_for_each_task(of):
    """Columns that something else names are no tasks; others may be named."""
    Path("board.csv").write_text(
        "model,params,gsm8k,gsm8k_se,math,math_se\na,7,41.5,1.5,12.0,1\nb,70,82.0,1,N/A,\n"
    )
    value = {"value": "{task}", "stderr": "{task}_se", "of": of}
    keys = SUITES | {"fields": {"model": "model"}, "params": {"params": "int"}}
    told = cells(grid(read(**keys | {"aggregates": {"acc": value}}), x="task"), "value", "se")
    assert {place: numbers == [None, None] or pytest.approx(numbers) for place, numbers in told.items()} == {
        ("gsm8k", "a"): [0.415, 0.015], ("gsm8k", "b"): [0.82, 0.01],
        ("math", "a"): [0.12, 0.01], ("math", "b"): True,
    }  # fmt: skip


def test_two_printed_numbers_of_one_run_make_its_cell_incomplete() -> None:
    """The first is drawn, and the figure says that there is another."""
    Path("a.csv").write_text("m,t,acc\na,t,0.41\na,t,0.9\nb,t,0.5\n")
    source = {"format": "csv", "fields": {"model": "m", "task": "t"}, "aggregates": {"acc": "acc"}}
    made = grid(read(logs="*.csv", **source), x="task")
    counts = made.select("y", "value", "epochs", "expected").rows()
    assert counts == [("a", 0.41, 1, 2), ("b", 0.5, 1, 1)]
