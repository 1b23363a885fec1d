"""What a cell lacks is told whatever the reason, and what is no lack is not told as one."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof.kinds import api, states
from heatproof.samples.declarations import declared_runs
from support.built import figure, folder, grid, read
from support.reading import run

__all__ = ["folder"]

FIELDS = {"sample_id": "id", "score": "s"}
CSV = {"format": "csv", "set": {"task": "t", "model": "m"}, "fields": FIELDS}
LINES = CSV | {"format": "jsonl"}
IN_RECORDS = {"format": "jsonl", "fields": FIELDS | {"task": "t", "model": "m"}}


def lines(*records: Any) -> str:
    texts = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return "".join(f"{text}\n" for text in texts)


def attempt(n: int, **more: Any) -> dict[str, Any]:
    return {"id": f"q{n}", "s": n % 2, "t": "t", "m": "m"} | more


TEN = [attempt(n) for n in range(10)]
ROWS = "".join(f"q{n},{n % 2}\n" for n in range(10))
REFUSED: dict[str, tuple[dict[str, Any], str, tuple[int, int]]] = {
    "a record that failed": (
        IN_RECORDS | {"failed": {"error": "present"}}, lines(*TEN, attempt(10, error="x")), (10, 11),
    ),
    "one that failed without a score": (
        IN_RECORDS | {"finished": {"state": "done"}},
        lines(*(one | {"state": "done"} for one in TEN), {"id": "q10", "t": "t", "m": "m"}), (10, 11),
    ),
    "records that contradict each other": (
        IN_RECORDS, lines(*TEN, attempt(10, s=1), attempt(10, s=0)), (10, 11),
    ),
    "a measure beyond its range": (
        IN_RECORDS | {"measures": {"g": "g"}, "range": {"g": [1, 10]}},
        lines(*TEN, attempt(10, g=11)), (10, 11),
    ),
    "a cell that is no number": (CSV, f"id,s\n{ROWS}q10,n/a\n", (10, 11)),
    "a score below 0": (CSV, f"id,s\n{ROWS}q10,-1\n", (10, 11)),
    "a short row": (CSV, f"id,s\n{ROWS}q10\n", (10, 11)),
    "an epoch beyond 64 bits": (
        IN_RECORDS | {"fields": FIELDS | {"task": "t", "model": "m", "epoch": "e"}},
        lines(*(one | {"e": 0} for one in TEN), attempt(10, e=2**63)), (10, 11),
    ),
    "a score that is a text": (IN_RECORDS, lines(*TEN, attempt(10, s="x")), (10, 11)),
    "no score": (IN_RECORDS, lines(*TEN, {"id": "q10", "t": "t", "m": "m"}), (10, 11)),
    "an id that is none": (IN_RECORDS, lines(*TEN, attempt(10, id=[1])), (10, 11)),
    "no JSON, beside settings of the source": (LINES, lines(*TEN[:5], "{oh", *TEN[5:]), (10, 11)),
    "lists of unequal length": (
        IN_RECORDS | {"epochs": {"lists": ["score", "answer"]}, "answers": True,
                      "fields": FIELDS | {"task": "t", "model": "m", "answer": "a"}},
        lines(*(attempt(n, s=[0, 1, 1], a=["x"] * (2 + (n > 0))) for n in range(5))), (12, 15),
    ),
    "the same, tried again": (IN_RECORDS, lines(*TEN, attempt(10, s="x"), attempt(10)), (11, 11)),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_record_is_lacking_whatever_is_wrong_with_it(case: str) -> None:
    """Where its settings are known, its cell expects it."""
    keys, text, sizes = REFUSED[case]
    Path("a.log").write_text(text)
    cells = grid(read(logs="a.log", **keys), x="task")
    assert cells.select("epochs", "expected").rows() == [sizes]


def test_a_run_of_which_all_is_refused_has_its_place() -> None:
    """It is no hole in the grid: its records are there."""
    Path("a.log").write_text(lines(*TEN, *(attempt(n, m="o", s="x") for n in range(10))))
    cells = grid(read(logs="a.log", **IN_RECORDS), x="task")
    assert cells.select("y", "gap", "expected").rows() == [
        ("m", None, 10),
        ("o", states.FAILED, 10),
    ]


def games(*more: dict[str, Any]) -> list[str]:
    """The table of six games of each pair of three models, and of some `more`."""
    pairs = (("a", "b"), ("b", "c"), ("a", "c"))
    rows = [attempt(n, id=f"g{n}", m=x, o=y) for n in range(6) for x, y in pairs]
    Path("a.log").write_text(lines(*rows, *more))
    return read(logs="a.log", **IN_RECORDS, params={"o": "str"}, versus="o")


def test_a_refused_game_is_lacking_on_both_sides() -> None:
    """One against itself was never to be one, and is no cell: neither empty nor incomplete."""
    shards = games(attempt(6, s="?", m="a", o="b"), attempt(7, m="c", o="c"))
    cells = grid(shards, x="o")
    lacks = cells.filter(pl.col("epochs") < pl.col("expected"), pl.col("value").is_not_null())
    assert lacks.select("y", "x", "epochs", "expected").rows() == [
        ("a", "b", 6, 7), ("b", "a", 6, 7)
    ]  # fmt: skip
    shown = {"x": "o", "opponent": "o"}
    cells = grid(games(), **shown)
    own = cells.filter(pl.col("x") == pl.col("y")).select("gap", "expected").unique()
    assert own.rows() == [(states.ITSELF, 0)]
    caption = " ".join(api.kind("heatmap").caption(cells, figure(**shown)))
    assert "Incomplete" not in caption
    assert api.kind("heatmap").table(cells, figure(**shown)).incomplete == []
    assert "without data" not in api.kind("heatmap").draw(cells, figure(**shown)).to_json()


def test_a_number_that_some_rows_lack_is_lacking() -> None:
    """mean(g) of 20 of 40 rows says so."""
    rows = [attempt(n, b=1, g=n if n < 20 else None) for n in range(40)]
    Path("a.log").write_text(lines(*rows))
    shards = read(logs="a.log", **IN_RECORDS, params={"b": "int"}, measures={"g": "g"})
    for color, count in {"mean(g)": 20, "pass@1": 40}.items():
        cells = grid(shards, x="b", color=color)
        assert cells.select("samples", "epochs", "expected").rows() == [(count, count, 40)]
        caption = " ".join(api.kind("heatmap").caption(cells, figure(x="b", color=color)))
        words = "Incomplete: Model m, B 1: 20 of 40 graded rows with g"
        assert (words in caption, "Incomplete" in caption) == (count == 20, count == 20)


def test_a_cell_says_how_many_of_its_records_failed() -> None:
    """Of those that it lacks: one that was done again lacks no more."""
    rows = [attempt(n, b=1, **({"error": "timeout"} if n < 3 else {})) for n in range(40)]
    Path("a.log").write_text(lines(*rows, attempt(0, b=1)))
    keys = {"params": {"b": "int"}, "failed": {"error": "present"}}
    cells = grid(read(logs="a.log", **IN_RECORDS, **keys), x="b")
    assert cells.select("epochs", "expected", "failed_records").rows() == [(38, 40, 3)]
    caption = " ".join(api.kind("heatmap").caption(cells, figure(x="b")))
    assert "Incomplete: Model m, B 1: 38 of 40 graded rows, 2 failed" in caption


def test_samples_that_failed_are_lacking_and_counted(tmp_path: Path) -> None:
    """A problem lacks those that nothing replaces; one that was done again is whole."""
    rows = [
        {"id": "a", "n": 0, "ok": 1}, {"id": "a", "n": 1, "ok": 1, "error": "x"},
        {"id": "b", "n": 0, "ok": 1, "error": "y"},
        {"id": "c", "n": 0, "ok": 1, "error": "z"}, {"id": "c", "n": 0, "ok": 0},
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_text(lines(*rows))
    fields = {"sample_id": "id", "score": "ok", "epoch": "n"}
    keys = {"format": "jsonl", "fields": fields, "failed": {"error": "present"}}
    result = run(tmp_path, **keys)
    [told] = declared_runs(result.samples.lazy(), result.declared)["a.jsonl"]
    assert (told.lacks, told.failed) == ({"a": 2, "b": 1}, 3)
    [log] = result.manifest
    assert (log.records, log.rows, log.rejected, log.failed) == (5, 2, 0, 3)
