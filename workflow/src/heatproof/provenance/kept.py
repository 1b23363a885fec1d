"""Results that stand while others of the same job are made again.

Snakemake removes all results of a job before it starts. (Not those flagged `update()`; but where
such a job fails, Snakemake 9.27 puts the old ones back and takes them for made with the new
settings.) So each result of a batch has a second name in the workflow's private folder: a hard
link. A job puts back what is as its receipt says and was made of the very same, times and all.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from heatproof.cluster import remote
from heatproof.provenance import made
from heatproof.util import hashed
from heatproof.util.swap import swap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

FOLDER = made.FOLDER / "kept"
TIMES = made.FOLDER / "times"
ALLOWED = "HEATPROOF_KEEP"
"""Environment variable: the run allows jobs to leave results as they are. Without it, as where a
scheduler does not pass it on, all is made."""
LITTLE = 10_000_000
"""Bytes that Snakemake may hash at each start because they are newer than a result of them."""


class Time(msgspec.Struct):
    """When a result was made that Snakemake will mark as new."""

    output: str
    inode: int
    mtime: int


def allow(outputs: Iterable[str], bad: Iterable[str], root: Path, *, forced: bool) -> None:
    """At the start of a run: let its jobs keep what stands; but what is gone or bad is made.

    `forced`: the user asked for jobs to be done again (`-F`, `-R`, `-f`): nothing is kept.
    """
    gone = (output for output in outputs if not made.files(output, root))
    for output in {*gone, *bad}:
        (root / FOLDER / made.name(output)).unlink(missing_ok=True)
    if not forced:
        os.environ[ALLOWED] = "1"


def allowed() -> bool:
    """Whether this job may leave results as they are."""
    return ALLOWED in os.environ and remote.PLACE not in os.environ


def stand(outputs: Sequence[str], of: str, inputs: Iterable[str], root: Path) -> bool:
    """Put results back, if all are as they were made, and of this; else none. Whether they stand.

    `outputs` are paths below `root` of what is made together; `of`, the digest of all that it
    would be made of; `inputs`, the files among that.
    """
    if not allowed():
        return False
    if not all(_stands(output, of, root) for output in outputs):
        return False
    newest = [os.stat(root / path) for path in inputs]
    for output in outputs:
        _same(root / FOLDER / made.name(output), root / output)
        _remember(output, newest, root)
    return True


def _stands(output: str, of: str, root: Path) -> bool:
    place, receipt = root / FOLDER / made.name(output), made.receipt(output, root)
    known = receipt and receipt.of == of and receipt.files.get(output)
    return bool(known) and place.is_file() and hashed.sha256(place) == known


def _remember(output: str, inputs: Iterable[os.stat_result], root: Path) -> None:
    """Note the time of a result, to be given back to it by `restore`."""
    stat = os.stat(root / output)
    if sum(one.st_size for one in inputs if one.st_mtime_ns > stat.st_mtime_ns) > LITTLE:
        return
    (root / TIMES).mkdir(parents=True, exist_ok=True)
    note = msgspec.json.encode(Time(output, stat.st_ino, stat.st_mtime_ns))
    (root / TIMES / made.name(output)).write_bytes(note)


def keep(outputs: Iterable[str], root: Path) -> None:
    """Give results that were just made, and have receipts, their second name."""
    if remote.PLACE in os.environ:
        return
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for output in outputs:
        (root / TIMES / made.name(output)).unlink(missing_ok=True)
        _same(root / output, root / FOLDER / made.name(output))


def restore(root: Path) -> list[str]:
    """At the end of a run: the results that were left as they are, with their time of old."""
    return sorted(_restored(root))


def _restored(root: Path) -> Iterator[str]:
    for path in (root / TIMES).glob("*") if (root / TIMES).is_dir() else ():
        with suppress(msgspec.DecodeError, FileNotFoundError):
            one = msgspec.json.decode(path.read_bytes(), type=Time)
            stat = os.stat(root / one.output)
            if stat.st_ino == one.inode:
                os.utime(root / one.output, ns=(stat.st_atime_ns, one.mtime))
                yield one.output
        path.unlink(missing_ok=True)


def _same(source: Path, target: Path) -> None:
    """Give a file another name; where the file system has no such thing, it is copied."""
    with swap(target) as part:
        try:
            os.link(source, part)
        except OSError:
            shutil.copy2(source, part)
