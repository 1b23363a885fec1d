"""Packed logs with a bit flipped, cut, joined or followed by other bytes: refused, never wrong."""

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from heatproof.formats.api import Batch, Log, Reject
from support import reading
from support.reading import reasons, run

if sys.version_info >= (3, 14):
    from compression import zstd

    ZIP: Any = zipfile
else:
    from backports import zstd
    from backports.zstd import zipfile as ZIP  # noqa: N812

ROWS = [{"id": n, "epoch": n % 2, "score": n % 3 % 2, "text": "abc"[: n % 4]} for n in range(6)]
TEXT = reading.lines(ROWS)
KEYS = {"format": "jsonl", "fields": {"sample_id": "id", "epoch": "epoch", "score": "score"}}
CHECKSUM = {zstd.CompressionParameter.checksum_flag: 1}


def inspect_archive(method: int) -> bytes:
    """A log of Inspect with a sample that is a member, and one in pieces."""
    head = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}
    buffer = io.BytesIO()
    with ZIP.ZipFile(buffer, "w", compression=method) as file:
        for row, ending in zip(ROWS[:2], [".json", "/sample.json"], strict=True):
            name = f"samples/{row['id']}_epoch_{row['epoch']}{ending}"
            told = {"id": row["id"], "epoch": row["epoch"]}
            file.writestr(name, json.dumps(told | {"scores": {"s": {"value": row["score"]}}}))
        file.writestr("samples/1_epoch_1/events/0.json", "[]")
        file.writestr("header.json", json.dumps(head))
    return buffer.getvalue()


PACKED: dict[str, tuple[str, bytes, dict[str, Any], int]] = {
    "gz": ("a.jsonl.gz", gzip.compress(TEXT, mtime=0), KEYS, 6),
    "gz, stored": ("a.jsonl.gz", gzip.compress(TEXT, 0, mtime=0), KEYS, 6),
    "zst": ("a.jsonl.zst", zstd.compress(TEXT, options=CHECKSUM), KEYS, 6),
    "eval": ("a.eval", inspect_archive(8), {"format": "inspect"}, 2),
    "eval, zstd": ("a.eval", inspect_archive(93), {"format": "inspect"}, 2),
}
"""Form → the name of a log, its bytes, the source, and how many records it holds."""


def taken(path: Path, data: bytes, source: Any) -> tuple[set[Any], int]:
    """The samples that a reader takes of a log, as `Gathering` counts them, and its rejects."""
    # A file that is written over is sent to the disk when it is closed; a new one is not.
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    log = Log(path.name, path.parent, source)
    rows, rejects, spoiled = set(), 0, False
    for part in reading.reader(source.format).read(log, source):
        if isinstance(part, Reject):
            rejects, spoiled = rejects + 1, spoiled or part.spoils
        elif isinstance(part, Batch):
            told = (list(part.columns[name]) for name in ("sample_id", "epoch", "score"))
            rows |= set(zip(*told, strict=True))
    log.identity()
    log.close()
    return set() if spoiled else rows, rejects


def flips(data: bytes, step: int = 1) -> Iterator[bytes]:
    """The data with each of its bits flipped in turn, or one of some."""
    for bit in range(0, 8 * len(data), step):
        place = bit // 8
        yield data[:place] + bytes([data[place] ^ 1 << bit % 8]) + data[place + 1 :]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("form", PACKED)
def test_any_flipped_bit_costs_records_but_never_makes_one(form: str, tmp_path: Path) -> None:
    """Wherever a bit flips, each record is a row with its true value or is told as refused."""
    name, data, keys, count = PACKED[form]
    path, source = tmp_path / name, reading.entry(**keys)
    truth, _ = taken(path, data, source)
    assert len(truth) == count
    for at, bad in enumerate(flips(data, 17 if "zstd" in form else 7)):
        rows, rejects = taken(path, bad, source)
        assert rows <= truth, f"bit {at}"
        assert len(rows) + rejects >= count or (rejects and not rows), f"bit {at}"
        assert len(rows) < count or not rejects or name.endswith(".eval"), f"bit {at}"


def parquet() -> bytes:
    """The rows as a table whose pages have sums."""
    return reading.table(ROWS, compression="none", write_page_checksum=True)


def test_a_flipped_bit_in_a_table_is_refused(tmp_path: Path) -> None:
    """Where the pages of a table have sums, a wrong one refuses the log."""
    path, source = tmp_path / "a.parquet", reading.entry(**KEYS)
    truth, _ = taken(path, parquet(), source)
    assert len(truth) == len(ROWS)
    for at, bad in enumerate(flips(parquet(), 101)):
        rows, rejects = taken(path, bad, source)
        assert rejects if rows != truth else not rejects, f"bit {101 * at}"
        assert rows <= truth, f"bit {101 * at}"


@pytest.mark.parametrize("form", PACKED)
def test_a_cut_log_gives_its_beginning_or_nothing(form: str, tmp_path: Path) -> None:
    """An archive that ends early, at any byte, is told, and what it gives is true."""
    name, data, keys, _ = PACKED[form]
    path, source = tmp_path / name, reading.entry(**keys)
    truth, _ = taken(path, data, source)
    for length in range(0, len(data), 3):
        rows, rejects = taken(path, data[:length], source)
        assert rows <= truth, length
        assert rejects, length


@pytest.mark.parametrize("form", PACKED)
def test_what_is_added_to_a_log_is_read_or_told(form: str, tmp_path: Path) -> None:
    """Other bytes behind an archive, or a second one, are no reason to lose a record in silence."""
    name, data, keys, count = PACKED[form]
    path, source = tmp_path / name, reading.entry(**keys)
    for more in (b"x", b"garbage behind it", bytes(40), data, data[:20]):
        rows, rejects = taken(path, data + more, source)
        assert len(rows) == count or rejects, more
    if not name.endswith(".eval"):
        path.write_bytes(data + data)
        assert [len(run(tmp_path, **keys).samples), len(reasons(run(tmp_path, **keys)))] == [6, 6]


@pytest.mark.parametrize("kind", ["jsonl", "csv", "json"])
def test_nothing_is_taken_of_a_log_with_a_wrong_sum(kind, tmp_path, monkeypatch):
    """It comes last, when rows have long been put aside: which of them are wrong nobody knows."""
    monkeypatch.setattr("heatproof.samples.normalize.ROWS", 50)
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", 512)
    rows = [{"id": n, "epoch": 0, "score": n % 2} for n in range(400)]
    cells = "".join(f"{row['id']},{row['epoch']},{row['score']}\n" for row in rows)
    texts = {"csv": f"id,epoch,score\n{cells}".encode(), "json": json.dumps(rows).encode()}
    text = texts.get(kind, reading.lines(rows))
    packed = bytearray(gzip.compress(text, mtime=0))
    packed[-8] ^= 1
    for name, data in (("a", packed), ("m", gzip.compress(text)), ("z", packed)):
        (tmp_path / f"{name}.{kind}.gz").write_bytes(data)
    keys: dict[str, Any] = KEYS | {"format": kind} | ({"each": "$"} if kind == "json" else {})
    result = run(tmp_path, **keys)
    assert {*result.samples["log"]} == {f"m.{kind}.gz"}
    assert len(result.samples) == len(rows)
    for length, excerpt, reason in result.rejected.select(
        "record_bytes", "excerpt", "reason"
    ).rows():
        assert (length, excerpt) == (0, "")
        assert "CRC check failed" in reason
        assert reason.endswith("; none of its records is used")
    assert len(result.rejected) == 2
