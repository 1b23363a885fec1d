"""Hostile and damaged logs: refused with a reason, in bounded memory and time."""

import gzip
import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.formats import dynts_format
from heatproof.samples import normalize
from heatproof.samples import rows as table_rows
from support import reading

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAME = "m_t_N5-R0.1-KW500-PKVL5000.jsonl"
SOURCE = Path(normalize.__file__).parents[2]


def record(question: Any = 1, epoch: Any = 0, score: Any = 1, **more: Any) -> dict[str, Any]:
    return {"question_id": question, "answer_id": epoch, "score": score, **more}


def line(text: str | dict[str, Any]) -> bytes:
    return (text if isinstance(text, str) else json.dumps(text)).encode() + b"\n"


def entry(**keys: Any) -> Any:
    module = reading.reader(keys.get("format", "dynts"))
    return msgspec.convert({"name": "x", "logs": "*", "format": "dynts"} | keys, module.Entry)


def run(folder: Path, **keys: Any) -> reading.Normalized:
    """The logs of a folder, normalized; records = rows + rejected holds for each."""
    return reading.files(folder, "*.jsonl*", entry(**keys))


GOOD = b"".join(line(record(q, e)) for q in range(2) for e in range(2))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_a_record_over_the_limit_is_skipped(pack: Any, tmp_path: Path) -> None:
    """A line longer than max_record costs itself: its length is told, the log goes on."""
    ending = {bytes: "", gzip.compress: ".gz"}.get(pack, ".zst")
    long = line(record(8, decode_text="x" * 3_000_000))
    middle = line(record(7, decode_text="x" * 100_000))
    (tmp_path / (NAME + ending)).write_bytes(pack(GOOD + long + middle + line(record(9))))
    result = run(tmp_path, max_record=100_000, max_expansion=1_000_000)
    assert len(result.samples) == 5
    first, second = result.rejected.to_dicts()
    assert (first["line"], first["offset"], first["record_bytes"]) == (5, len(GOOD), len(long) - 1)
    assert second["record_bytes"] == len(middle) - 1
    assert "longer than the limit of 100000 bytes (max_record)" in first["reason"]
    assert first["excerpt"].startswith('{"question_id": 8')


BOMBS = {
    "line": (b"x", ".gz", 200, 30),
    "blank lines": (b"\n", ".zst", 200, 30),
    "short lines": (b"0\n", ".gz", 5, 2),
    "spaces": (b" ", ".zst", 200, 30),
}
"""What unpacks without end, how it is packed, how many times its size it may become; pieces of 4 MB."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_bounded_memory_and_time(name, tmp_path, monkeypatch):
    """An archive that unpacks without end is refused long before that."""
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", 1 << 14)
    content, ending, times, pieces = BOMBS[name]
    pack = gzip.compress if ending == ".gz" else zstd.compress
    bomb = pack(GOOD) + pack(content * (4_000_000 // len(content))) * pieces
    (tmp_path / (NAME + ending)).write_bytes(bomb)
    memory, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    result = run(tmp_path, max_record=1 << 15, max_expansion=times)
    assert time.process_time() - begin < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 100 << 10
    assert len(result.samples) == 4
    assert f"unpacks to more than {times} times its size" in result.rejected["reason"][-1]


def test_a_log_that_cannot_be_read_is_refused_in_plain_words(tmp_path: Path) -> None:
    """One that was listed but is gone, or is a folder, is named; the others are read."""
    (tmp_path / NAME).write_bytes(GOOD)
    gone, folder = NAME.replace("R0.1", "R0.2"), NAME.replace("R0.1", "R0.3")
    (tmp_path / folder).mkdir()
    result = reading.tables_of([NAME, gone, folder], tmp_path, entry(), dynts_format.read)
    assert len(result.samples) == 4
    assert result.rejected.select("log", "line", "reason").rows() == [
        (gone, 1, "it cannot be read: no such file or directory"),
        (folder, 1, "it cannot be read: is a directory"),
    ]
    assert [log.bytes for log in result.manifest] == [len(GOOD), 0, 0]


WRITE = """
import sys
from pathlib import Path
from heatproof.samples import normalize
from heatproof.formats import dynts_format
folder, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir()
paths = [path.name for path in folder.iterdir()]
entry = dynts_format.Entry(format="dynts", logs="*", name="x")
normalize.write(paths, folder, entry, dynts_format.read, out / "a.parquet", out / "b.parquet")
"""


def written(folder: Path, out: Path, threads: int) -> tuple[bytes, bytes]:
    """Samples and rejected table, written by a process of its own with so many threads."""
    count = str(threads)
    env = {"PYTHONPATH": str(SOURCE), "POLARS_MAX_THREADS": count, "OMP_NUM_THREADS": count}
    command = [sys.executable, "-c", WRITE, str(folder), str(out)]
    subprocess.run(command, env=os.environ | env | {"ARROW_NUM_THREADS": count}, check=True)
    assert sorted(path.name for path in out.iterdir()) == ["a.parquet", "b.parquet"]
    return (out / "a.parquet").read_bytes(), (out / "b.parquet").read_bytes()


@pytest.mark.slow
def test_the_same_rows_are_the_same_bytes_with_any_number_of_threads(tmp_path: Path) -> None:
    """Threads, processes and how rows are spread over chunks do not reach the files."""
    logs_ = tmp_path / "logs"
    logs_.mkdir()
    for number in range(3):
        name = NAME.replace("5000", str(number))
        rows = [line(record(n % 200, n // 200, num_decode_tokens=n)) for n in range(1500)]
        (logs_ / name).write_bytes(b"".join(rows) + b"oops\n" * 100)
    assert written(logs_, tmp_path / "1", 1) == written(logs_, tmp_path / "8", 8)
    assert len(pl.read_parquet(tmp_path / "1" / "a.parquet")) == 4500


@pytest.mark.parametrize(("memory", "block"), [(1, 2), (700, 4), (700, 1), (1 << 20, 4)])
def test_rows_leave_in_order_and_those_of_equal_key_as_they_came(
    memory, block, tmp_path, monkeypatch
):
    """Whether they went on from the rows before or not; on disk meanwhile, and gone afterwards."""
    monkeypatch.setattr(table_rows, "MEMORY", memory)
    monkeypatch.setattr(table_rows, "BLOCK", block)
    monkeypatch.setattr(table_rows, "PIECE", 2 * block)
    monkeypatch.setattr(table_rows, "PORTION", 2)
    draw = random.Random(1)
    numbers = [*range(20), *draw.choices(range(-5, 20), k=40), *[3] * 40]
    rows = [{"t": "ab"[at % 3 == 0 < n], "n": n, "at": at} for at, n in enumerate(numbers)]
    rows[:20] = sorted(rows[:20], key=lambda row: (row["t"], row["n"]))
    sorter = table_rows.Sorter(("t", "n"), tmp_path)
    for start in range(0, 100, 10):
        sorter.add(pl.DataFrame(rows[start : start + 10]))
        sorter.add(pl.DataFrame(rows[:0], {"t": pl.String, "n": pl.Int64, "at": pl.Int64}))
    assert any(tmp_path.glob(".waiting-*/*.arrow")) == (memory < 1 << 20)
    found = [row for piece in sorter.pieces() for row in piece.to_dicts()]
    assert found == sorted(rows, key=lambda row: (row["t"], row["n"]))
    assert not list(tmp_path.iterdir())


def test_runs_are_told_apart_however_late_a_second_one_shows(tmp_path, monkeypatch):
    """The last line has another setting: all rows of the log get the name of their run."""
    monkeypatch.setattr("heatproof.samples.rows.MEMORY", 1000)
    monkeypatch.setattr("heatproof.samples.normalize.ROWS", 50)
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", 1 << 12)
    rows = [{"id": n % 100, "t": 0.5, "score": 1, "s": [None, "x"][n % 2]} for n in range(500)]
    rows = [row | {"e": n // 100} for n, row in enumerate(rows)] + [
        {"id": 1, "t": 1.0, "score": 1, "e": 0, "s": None}
    ]
    (tmp_path / "a.jsonl").write_bytes(b"".join(map(line, rows)))
    keys: dict[str, Any] = {"fields": {"sample_id": "id", "score": "score", "epoch": "e"}}
    found = run(tmp_path, format="jsonl", params={"t": "float", "s": "str"}, **keys).samples
    assert dict(found["run"].value_counts().rows()) == {
        "a.jsonl#model=,task=,t=0.5,s=none": 250,
        "a.jsonl#model=,task=,t=0.5,s=x": 250,
        "a.jsonl#model=,task=,t=1.0,s=none": 1,
    }
    assert found.select("run", "sample_id", "epoch").equals(
        found.select("run", "sample_id", "epoch").sort("run", "sample_id", "epoch")
    )
