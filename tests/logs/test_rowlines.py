"""Tables as logs: the rows of a Parquet file are read as lines of JSON."""

from __future__ import annotations

import datetime
import json
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reading import reasons, run, table, traced

if TYPE_CHECKING:
    from pathlib import Path

MAPPED: dict[str, Any] = {
    "format": "jsonl",
    "logs": "**/*",
    "fields": {"sample_id": "doc.id", "epoch": "n", "score": "metric.em"},
}


def rows(count: int) -> list[dict[str, Any]]:
    """Rows with what harnesses nest in them: objects, lists, and nothing here and there."""
    return [
        {
            "doc": {"id": f"q{n}", "query": "né " * n, "choices": ["a", None]},
            "n": n,
            "metric": {"em": n % 2 / 1},
            "tokens": list(range(n)) if n % 3 else None,
            "done": None if n % 4 else n % 8 == 0,
        }
        for n in range(count)
    ]


def write(path: Path, given: list[dict[str, Any]], **how: Any) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(table(given, **how))


@pytest.mark.parametrize("how", [{}, {"row_group_size": 7}, {"compression": "zstd"}])
def test_rows_are_read_as_lines(how: dict[str, Any], tmp_path: Path) -> None:
    """Wherever row groups end: the same samples as of the lines, each leading back to its row."""
    given = rows(600)
    write(tmp_path / "table" / "a.parquet", given, **how)
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given))
    tables, lines = (run(tmp_path / name, **MAPPED) for name in ("table", "lines"))
    same = ["sample_id", "epoch", "score", "line"]
    assert len(tables.samples) == 600
    assert tables.samples.select(same).equals(lines.samples.select(same))
    found = traced(tables, tmp_path / "table")
    assert found == [given[line - 1] for line in tables.samples["line"]]


def test_what_json_has_no_word_for_is_written_as_text_or_null(tmp_path: Path) -> None:
    """A score that is no number is missing, not wrong."""
    write(tmp_path / "a.parquet", [
        {"doc": {"id": "a"}, "n": 1, "metric": {"em": 1.0}, "when": datetime.date(2026, 1, 2)},
        {"doc": {"id": "b"}, "n": 1, "metric": {"em": math.nan}, "when": None},
    ])  # fmt: skip
    result = run(tmp_path, **MAPPED)
    assert traced(result, tmp_path)[0]["when"] == "2026-01-02"
    [reason] = reasons(result)
    assert "score is missing" in reason


DAMAGED = {
    "nothing": lambda data: data[:0],
    "no table": lambda data: data[:4] + b"x" * 99,
    "the end missing": lambda data: data[:-20],
    "the middle missing": lambda data: data[: len(data) // 4] + data[-len(data) // 2 :],
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_table_is_refused(case: str, tmp_path: Path) -> None:
    """With a reason, in one line."""
    write(tmp_path / "a.parquet", rows(50))
    path = tmp_path / "a.parquet"
    path.write_bytes(DAMAGED[case](path.read_bytes()))
    result = run(tmp_path, **MAPPED)
    assert not len(result.samples)
    [reason] = reasons(result)
    assert reason.startswith("unreadable archive: ")
    assert "\n" not in reason


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """As keys are that stand twice."""
    table = pa.table([pa.array(["a"]), pa.array([1.0]), pa.array([0.0])], ["id", "score", "score"])
    pq.write_table(table, tmp_path / "a.parquet")
    result = run(tmp_path, **MAPPED | {"fields": {"sample_id": "id", "score": "score"}})
    assert reasons(result) == ["unreadable archive: two columns are called 'score'"]


@pytest.mark.parametrize("count", [3_000_000, 3])
def test_a_table_that_unpacks_without_end_is_refused(count: int, tmp_path: Path) -> None:
    """Many rows of the same, or few with a text of megabytes."""
    text = "x" * (6_000_000 // count)
    table = pa.table({"id": pa.array([text]).take(pa.array([0] * count)), "n": range(count)})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd", row_group_size=1 << 20)
    result = run(
        tmp_path, **MAPPED | {"fields": {"sample_id": "id", "epoch": "n", "score": "n"}},
        max_record=1 << 16, max_expansion=2,
    )  # fmt: skip
    assert "unpacks to more than 2 times its size" in reasons(result)[-1]
