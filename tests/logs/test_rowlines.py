"""Tables as logs: the rows of a Parquet file are read as lines of JSON."""

from __future__ import annotations

import datetime
import json
import math
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from heatproof.formats import auto_format
from heatproof.logs import streams
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


def test_a_harness_that_writes_tables_is_read(tmp_path: Path) -> None:
    """As lighteval names them, with strokes; the model has a slash, the task a suite before it."""
    name = "details_lighteval|gsm8k|5_2026-01-02T03-04-05.678.parquet"
    write(tmp_path / "details" / "org" / "m-7B" / "2026-01-02T03-04-05.678" / name, rows(4))
    path = r"details/(?P<model>.+)/[^/]+/details_[^|]+\|(?P<task>.+)\|(?P<shots>\d+)_"
    result = run(tmp_path, **MAPPED, path=path, params={"shots": "int"})
    assert result.samples.select("model", "task", "shots").unique().rows() == [
        ("org/m-7B", "gsm8k", 5)
    ]


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


def test_a_table_with_broken_pages_keeps_what_came_before(tmp_path: Path) -> None:
    """Row groups are read one after the other."""
    path = tmp_path / "a.parquet"
    write(path, rows(50), row_group_size=10, compression="none")
    data = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(3).column(0).data_page_offset
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    result = run(tmp_path, **MAPPED)
    assert len(result.samples) == 30
    [row] = result.rejected.to_dicts()
    assert row["line"] == 31
    assert row["reason"].startswith("unreadable archive: ")


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


def test_damage_of_any_kind_is_told(tmp_path: Path) -> None:
    """Whatever bytes are changed: rows or a reason, nothing else."""
    path = tmp_path / "a.parquet"
    write(path, rows(40), row_group_size=15)
    good, dice = path.read_bytes(), random.Random(0)
    for _ in range(150):
        data = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        path.write_bytes(data)
        result = run(tmp_path, **MAPPED)
        assert len(result.samples) + len(result.rejected)
        assert all(reason.isprintable() for reason in reasons(result))


def test_auto_knows_tables_as_lines(tmp_path: Path) -> None:
    """By their ending: `fields` must say the rest."""
    write(tmp_path / "a.parquet", rows(2))
    found, _ = auto_format.candidates(["a.parquet"], tmp_path)
    assert list(found) == ["jsonl"]


def test_a_row_is_found_again_without_the_others(tmp_path: Path) -> None:
    """What lies at a place is what was read there."""
    write(tmp_path / "a.parquet", rows(9))
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() for row in rows(9)]
    place = sum(len(line) + 1 for line in lines[:5]), len(lines[5])
    assert streams.slices(tmp_path / "a.parquet", [place]) == {place: lines[5]}
