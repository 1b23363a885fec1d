"""What a harness printed of a log: numbers to compare with those counted here, never read as data.

A reader may have a function `printed(log, entry)` that yields them; its `Entry.printed_in` says in
which files they lie. `heatproof.printed` compares.
"""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.logs.streams import Hashed, whole

if TYPE_CHECKING:
    from heatproof.logs.streams import Limits
    from heatproof.readers._log import Log

Statistic = Literal["mean", "stderr", "std", "var"]


class Printed(msgspec.Struct, kw_only=True):
    """A number that a harness printed of the samples of a log."""

    file: str
    """Where it stands: a path in the project."""
    name: str
    """What it is called there."""
    value: float | None = None
    """None: the file does not tell it, and `why` says so."""
    scorer: str | None = None
    """Of which samples of the log it is told, by the column `scorer`; None: of all."""
    where: dict[str, Any] = {}
    """The same by other columns."""
    statistic: Statistic = "mean"
    """Of one value for each problem. Spreads have n − 1 below, the standard error √n too."""
    over: str = "mean"
    """How the repeats of a problem become one value: see `heatproof.statistics.reductions`."""
    problems: int | None = None
    """Of how many it is told to be; in some harnesses, of how many samples."""
    run: int | None = None
    """How many samples its run is told to have, where that may not be the number's own."""
    low: float = 0.0
    high: float = 1.0
    """What our scores 0 and 1 are in its unit: 0 and 100 where it is in percent."""
    decimals: int | None = None
    """Digits behind the point to which the harness rounds; None: it writes all of them."""
    earlier: list[float] = []
    """What is printed for runs like this one before: the log may be of one of those."""
    why: str = ""
    """Why it cannot be compared; empty if it can."""


def number(value: object) -> float | None:
    """A number of a document; None for all else, and for what no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def count(value: object) -> int | None:
    """A count in a document; None for all else."""
    found = number(value)
    return int(found) if found is not None and found >= 0 and found == int(found) else None


def beside(log: Log, path: str, limit: int) -> bytes:
    """The content of a file beside a log; many logs may have it in common, so it is kept.

    Raises:
        OSError: it cannot be read.
        Unreadable: it is damaged or longer than `limit` bytes.
    """
    place = log.root / path
    stat = place.stat()
    return _content(str(place), limit, log.limits, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=2)
def _content(path: str, limit: int, limits: Limits, _mtime: int, _size: int) -> bytes:
    with Hashed(Path(path), limits) as file:
        return whole(file, path, limit)
