"""Streams: whole lines, digests and damage, whatever the compression; tables as lines of JSON."""

import datetime
import gzip
import json
import math
import sys
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from heatproof.logs.streams import LONG, Hashed, Text, Unreadable, lines, slices, whole
from support.reading import reasons, run, table, traced

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from pathlib import Path

LINES = b"".join(b'{"n": %d}\n' % n for n in range(30_000))
PACK = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}


@pytest.fixture(params=PACK)
def log(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", 1000)
    path = tmp_path / f"log.jsonl{request.param}"
    path.write_bytes(PACK[request.param](LINES))
    return path


def test_chunks_are_whole_lines_that_add_up(log: Path) -> None:
    """Chunks hold whole lines, know where they start, and together are the content.

    An archive that ends early yields its complete lines, then says that it is unreadable.
    """
    with Hashed(log) as raw:
        parts = list(lines(raw, log.name))
    assert b"".join(part.data for part in parts) == LINES
    assert len(parts) > 40
    for part in parts:
        assert part.data.endswith(b"\n")
        assert LINES[part.offset :].startswith(part.data)
        assert LINES[: part.offset].count(b"\n") == part.line - 1
    if not log.name.endswith("l"):
        packed, data = log.read_bytes(), b""
        log.write_bytes(packed[: len(packed) * 2 // 3])
        with Hashed(log) as raw, pytest.raises(Unreadable, match="unreadable archive") as caught:
            for part in lines(raw, log.name):
                data += part.data
        assert LINES.startswith(data)
        assert caught.value.offset == len(data) > 1000


def test_records_are_cut_out_by_place(log: Path) -> None:
    """By offset and length in one pass, compressed or not; a document has a limit of its size."""
    places = [(0, 8), (LINES.index(b'{"n": 4321}'), 11), (LINES.index(b'{"n": 77}'), 9)]
    cut = slices(log, places)
    assert [cut[place] for place in places] == [b'{"n": 0}', b'{"n": 4321}', b'{"n": 77}']
    with Hashed(log) as raw, pytest.raises(Unreadable, match="limit of 100 bytes"):
        whole(raw, log.name, limit=100)


@pytest.mark.parametrize("first", [b"", b"{}", b"x" * LONG, b"x" * (LONG + 1)])
@pytest.mark.parametrize("rest", [b"", b"\n", b"\n{}\n\n{}", b"\n" + b"y" * LONG + b"\r\n"])
def test_ends_of_lines_are_found_however_long_lines_are(first: bytes, rest: bytes) -> None:
    """Short lines and long ones are sought in two ways: both find each end, and count lines."""
    data = first + rest
    text = Text(data, 0, 7)
    assert [*text.ends] == [place for place, sign in enumerate(data) if sign == ord("\n")]
    assert text.next_line() == 7 + data.count(b"\n")


# Tables.

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


@pytest.mark.parametrize("how", [{}, {"row_group_size": 7}, {"compression": "zstd"}])
def test_rows_are_read_as_lines(how: dict[str, Any], tmp_path: Path) -> None:
    """Wherever row groups end: the same samples as of the lines, each leading back to its row."""
    records = rows(120)
    for name in ("table", "lines"):
        (tmp_path / name).mkdir()
    (tmp_path / "table/a.parquet").write_bytes(table(records, **how))
    (tmp_path / "lines/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records))
    tables, lines = (run(tmp_path / name, **MAPPED) for name in ("table", "lines"))
    same = ["sample_id", "epoch", "score", "line"]
    assert len(tables.samples) == 120
    assert tables.samples.select(same).equals(lines.samples.select(same))
    back = traced(tables, tmp_path / "table")
    assert back == [records[line - 1] for line in tables.samples["line"]]


def test_what_json_has_no_word_for_is_written_as_text_or_null(tmp_path: Path) -> None:
    """A score that is no number is missing, not wrong."""
    (tmp_path / "a.parquet").write_bytes(table([
        {"doc": {"id": "a"}, "n": 1, "metric": {"em": 1.0}, "when": datetime.date(2026, 1, 2)},
        {"doc": {"id": "b"}, "n": 1, "metric": {"em": math.nan}, "when": None},
    ]))  # fmt: skip
    result = run(tmp_path, **MAPPED)
    assert traced(result, tmp_path)[0]["when"] == "2026-01-02"
    [kind] = result.rejected["kind"]
    assert kind == "unscored"


def twice() -> bytes:
    sink = pa.BufferOutputStream()
    columns = [pa.array(["a"]), pa.array([1.0]), pa.array([0.0])]
    pq.write_table(pa.table(columns, ["id", "score", "score"]), sink)
    return sink.getvalue().to_pybytes()


DAMAGED = {
    "nothing": (lambda data: data[:0], "ends too early"),
    "no table": (lambda data: data[:4] + b"x" * 99, "ends too early"),
    "the end missing": (lambda data: data[:-20], "ends too early"),
    "the middle missing": (lambda data: data[: len(data) // 4] + data[-len(data) // 2 :], ""),
    "two columns of one name": (lambda _: twice(), "two columns have the name 'score'"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_table_is_refused(case: str, tmp_path: Path) -> None:
    """With a reason, in one line."""
    damage, why = DAMAGED[case]
    (tmp_path / "a.parquet").write_bytes(damage(table(rows(50))))
    result = run(tmp_path, **MAPPED)
    assert not len(result.samples)
    [reason] = reasons(result)
    assert reason.startswith("unreadable archive: ")
    assert why in reason
    assert "\n" not in reason


@pytest.mark.parametrize("count", [300_000, 3])
def test_a_table_that_unpacks_without_end_is_refused(count: int, tmp_path: Path) -> None:
    """Many rows of the same, or few with a text of megabytes."""
    text = "x" * (6_000_000 // count)
    records = pa.table({"id": pa.array([text]).take(pa.array([0] * count)), "n": range(count)})
    pq.write_table(records, tmp_path / "a.parquet", compression="zstd", row_group_size=1 << 20)
    fields = {"sample_id": "id", "epoch": "n", "score": "n"}
    result = run(tmp_path, **MAPPED | {"fields": fields}, max_record=1 << 16, max_expansion=2)
    assert "unpacks to more than 2 times its size" in reasons(result)[-1]
