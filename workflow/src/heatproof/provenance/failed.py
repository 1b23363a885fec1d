"""A figure that cannot be made takes no other along: what stands in its place until the run ends.

Snakemake removes all results of a job that fails, and starts none that needs one of them. So a job
for several figures puts a mark in the place of what it could not make and goes on; jobs after it
leave such a figure out, and hand the mark on. At the end of the run, or else at the start of the
next, all marks are taken away, and the run has failed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.cluster import remote
from heatproof.provenance import made
from heatproof.samples import tables
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = b"heatproof: not made: "
"""What a mark begins with; the reason follows."""
ALLOWED = "HEATPROOF_MARKS"
"""Environment variable: the run takes marks away at its end. Without it, as in a module of which
Snakemake leaves the end out, a job with a figure that cannot be made fails."""


class Marked(Error):
    """What is to be made needs something that could not be made; that was told before."""


def allowed() -> bool:
    """Whether jobs of this run may go on without a figure; not where results lie elsewhere."""
    return ALLOWED in os.environ and remote.PLACE not in os.environ


def allow() -> None:
    """Let the jobs of this run go on without a figure that cannot be made."""
    os.environ[ALLOWED] = "1"


def mark(outputs: Iterable[str | Path], why: str) -> None:
    """Put the reason in the place of what could not be made."""
    for output in outputs:
        tables.write_bytes(MARK + why.encode(), Path(output))


def why(path: str | Path) -> str | None:
    """The reason, where a mark stands in the place of a result; else None."""
    if not os.path.isfile(path):  # a pipe would keep who opens it waiting
        return None
    with suppress(OSError), open(path, "rb") as file:
        if file.read(len(MARK)) == MARK:
            return file.read().decode(errors="replace")
    return None


def require_made(paths: Iterable[str | Path]) -> None:
    """Refuse to go on from a mark.

    Raises:
        Marked: with the reasons, each once.
    """
    found = dict.fromkeys(reason for path in paths if (reason := why(path)) is not None)
    if found:
        raise Marked("\n".join(found))


def clear(outputs: Iterable[str], root: Path) -> dict[str, str]:
    """Take away the marks among `outputs`, paths below `root`; path → reason."""
    found = {}
    for path in outputs:
        if (reason := why(root / path)) is not None:
            found[path] = reason
            (root / path).unlink()
            made.forget(path, root)
    return found
