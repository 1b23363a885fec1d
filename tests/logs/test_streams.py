"""Streams: whole lines, digests and damage, whatever the compression."""

from __future__ import annotations

import gzip
import sys
from typing import TYPE_CHECKING

import pytest

from heatproof.logs.streams import Hashed, Unreadable, chunks, slices, whole

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from pathlib import Path

LINES = b"".join(b'{"n": %d}\n' % n for n in range(30_000))
PACK = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}


@pytest.fixture(params=PACK)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"log.jsonl{request.param}"
    path.write_bytes(PACK[request.param](LINES))
    return path


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", 1000)


def test_chunks_are_whole_lines_that_add_up(log: Path) -> None:
    """Chunks hold whole lines, know where they start, and together are the content."""
    with Hashed(log) as raw:
        found = list(chunks(raw, log.name))
    assert b"".join(chunk.data for chunk in found) == LINES
    assert len(found) > 40
    for chunk in found:
        assert chunk.data.endswith(b"\n")
        assert LINES[chunk.offset :].startswith(chunk.data)
        assert LINES[: chunk.offset].count(b"\n") == chunk.line - 1


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_cut_archive_gives_what_came_before_the_cut(ending: str, tmp_path: Path) -> None:
    """An archive that ends early yields its complete lines, then says that it is unreadable."""
    path = tmp_path / f"log.jsonl{ending}"
    packed = PACK[ending](LINES)
    path.write_bytes(packed[: len(packed) * 2 // 3])
    seen = b""
    with Hashed(path) as raw, pytest.raises(Unreadable, match="unreadable archive") as caught:
        for chunk in chunks(raw, path.name):
            seen += chunk.data
    assert len(seen) > 1000
    assert LINES.startswith(seen)
    assert caught.value.offset == len(seen)


def test_a_document_over_the_limit_is_refused(log: Path) -> None:
    """A document is held in memory, so its size after decompression has a limit."""
    with Hashed(log) as raw, pytest.raises(Unreadable, match="limit of 100 bytes"):
        whole(raw, log.name, limit=100)


def test_slices_fetches_records_by_place(log: Path) -> None:
    """Records are fetched by offset and length in one pass, compressed or not."""
    places = [(0, 8), (LINES.index(b'{"n": 4321}'), 11), (LINES.index(b'{"n": 77}'), 9)]
    found = slices(log, places)
    assert [found[place] for place in places] == [b'{"n": 0}', b'{"n": 4321}', b'{"n": 77}']
