"""Compressed bytes that do not hang on the system's zlib."""

import zlib

import pytest

from heatproof.util import deflate


@pytest.mark.parametrize("data", [b"", b"a", bytes(range(256)) * 300])
@pytest.mark.parametrize("level", [1, 7, 9])
def test_it_is_what_any_zlib_reads(data: bytes, level: int) -> None:
    """All of it, with a checksum that is looked at."""
    packed = deflate.compress(data, level)
    assert zlib.decompress(packed) == data
    with pytest.raises(zlib.error, match="incorrect data check"):
        zlib.decompress(packed[:-1] + bytes([packed[-1] ^ 1]))


def test_bytes_are_those_of_the_library_that_is_pinned() -> None:
    """The classic zlib's, as its authors' own command makes them."""
    assert deflate.compress(b"heatproof " * 9, 9).hex() == EXPECTED


EXPECTED = "789ccb484d2c2928cacf4f53c8a0320b004a942329"
