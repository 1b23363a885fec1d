"""Compressed bytes that do not hang on the system's zlib."""

import zlib

import pytest

from heatproof.util import deflate

DATA = [b"", b"a", bytes(range(256)) * 300, b"heatproof " * 9]


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("level", [1, 5, 6, 7, 9])
def test_both_ways_give_the_same_bytes(
    data: bytes, level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow's zlib and a classic one of the system; another one of the system is not asked."""
    known = bytes.fromhex(SEEN) if (data, level) == (DATA[-1], 9) else None
    monkeypatch.setattr(zlib, "ZLIB_RUNTIME_VERSION", "1.3.1.zlib-ng")
    other = deflate.compress(data, level)
    assert zlib.decompress(other) == data
    assert known in (None, other)
    monkeypatch.undo()
    assert deflate.compress(data, level) == other


SEEN = "78dacb484d2c2928cacf4f53c8a0320b004a942329"
"""Of the last data at level 9."""
