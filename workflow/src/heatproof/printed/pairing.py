"""What harnesses printed of logs, number by number, with what was counted of the same samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.printed.compared import Compared
from heatproof.readers.api import Log, Printed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.printed.moments import Scored

    Read = Callable[[Log, Any], Iterator[Printed]]


def read(
    logs: Iterable[str],
    root: Path,
    entry: Source,
    printed: Read,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[str, Printed]]:
    """What the harness printed of each log; a file that cannot be read is told as such."""
    for path in logs:
        progress(path)
        try:
            log = Log(path, root, entry)
            try:
                yield from ((path, one) for one in printed(log, entry))
            finally:
                log.close()
        except (Error, OSError) as error:
            said = (error.strerror or "") if isinstance(error, OSError) else str(error)
            file = next(iter(entry.printed_in(path, root)), path)
            yield path, Printed(file=file, name="", why=said or "it cannot be read")


def compare(
    told: Iterable[tuple[str, Printed]], scored: Sequence[Scored], refused: Mapping[str, int]
) -> tuple[list[Compared], int]:
    """Each printed number with what was counted; and how many are of scores that were not read.

    `refused`: log → its records that were refused.
    """
    by_log: dict[str, list[Scored]] = {}
    by_run: dict[str, list[Scored]] = {}
    for one in scored:
        by_log.setdefault(one.log, []).append(one)
        by_run.setdefault(one.run, []).append(one)
    scorers = {one.scorer for one in scored}
    found, others = [], 0
    for log, number in told:
        mine = by_log.get(log, [])
        known = {one.scorer for one in mine} if mine else scorers
        if number.scorer is not None and known and number.scorer not in known:
            others += 1
            continue
        of_run = [one for run in {one.run: None for one in mine} for one in by_run[run]]
        parts = [_chosen(mine, number), _chosen(of_run, number)]
        fits = [one for one in parts if one and number.problems == one.by["mean"].n]
        found.append(Compared(log, number, (fits or parts)[0], refused.get(log, 0)))
    return found, others


def _chosen(parts: Sequence[Scored], told: Printed) -> Scored | None:
    """Of what was counted, that which a number is told of."""
    found: Scored | None = None
    for one in parts:
        values = {**one.settings, "scorer": one.scorer}
        wanted = told.where if told.scorer is None else {**told.where, "scorer": told.scorer}
        if all(values.get(name) == value for name, value in wanted.items()):
            found = found.plus(one) if found else one
    return found
