"""What Snakemake does less of here: inputs are read once for their checksums."""

from __future__ import annotations

import asyncio
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from heatproof import lighter

if TYPE_CHECKING:
    from pathlib import Path

    from heatproof.lighter import Checksum


@pytest.fixture
def remembering() -> tuple[Checksum, list[str]]:
    """A checksum that is the text of a file, and the texts that were read for it."""
    read: list[str] = []

    async def checksum(file: Any, threshold: int | None = None, **asked: Any) -> str | None:
        text = str(file.file.read_text())
        read.append(text)
        return (
            None if len(text) > (threshold or 9) else f"{asked.get('algorithm', 'sha256')}:{text}"
        )

    return lighter._remembering(checksum), read


def test_a_file_is_read_once(remembering: tuple[Checksum, list[str]], tmp_path: Path) -> None:
    """Until it is written again, be it with the same size and time."""
    checksum, read = remembering
    path = tmp_path / "a"
    path.write_text("one")
    file = SimpleNamespace(file=path, is_storage=False)
    assert [asyncio.run(checksum(file, 9)) for _ in range(3)] == ["sha256:one"] * 3
    before = path.stat()
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert asyncio.run(checksum(file, 9)) == "sha256:two"
    assert read == ["one", "two"]


def test_what_is_asked_for_in_another_way_is_not_remembered(
    remembering: tuple[Checksum, list[str]], tmp_path: Path
) -> None:
    """Another algorithm, remote files, and files too large for a checksum."""
    checksum, read = remembering
    path = tmp_path / "a"
    path.write_text("one")
    here, remote = (SimpleNamespace(file=path, is_storage=flag) for flag in (False, True))
    assert asyncio.run(checksum(here, 9)) == "sha256:one"
    assert asyncio.run(checksum(here, 9, algorithm="md5")) == "md5:one"
    assert asyncio.run(checksum(remote, 9)) == "sha256:one"
    path.write_text("too long to take")
    assert [asyncio.run(checksum(here, 9)) for _ in range(2)] == [None, None]
    assert read == ["one"] * 3 + ["too long to take"]
