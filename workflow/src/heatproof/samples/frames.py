"""What readers yield as frames: rows of the samples table, and the records that it cannot hold."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.readers.api import Batch, Place, Reject, places_of, sample
from heatproof.samples import answers, tables
from heatproof.util import canonical
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

Found = tuple[str, Batch]
"""A log's path, and rows of it."""
Refused = tuple[str, Reject]

DEFAULTS = {"model": "", "task": "", "epoch": 0, "scorer": "", "reconstructed": False,
            "graded": False}  # fmt: skip
"""What rows have of which neither record nor log says more."""

LONGEST = 200
"""Characters of a text that is told of a reject at most."""

FAR = 2.0**63
"""What numbers are told of a reject stay below."""

CONTROL = r"[\x00-\x1f\x7f-\x9f\u{2028}\u{2029}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fffe}\u{ffff}]"
"""What no name may hold: control characters, line ends, marks that turn the writing direction, and
what XML, and so no picture, can hold. Halves of letters are no text at all."""


def rejected(rejects: Sequence[Refused], names: Collection[str]) -> pl.DataFrame:
    """Rejects as rows of the rejected table; `names`: columns that their settings may tell of."""
    rows = [
        (log, r.member, *r.place, r.reason, r.excerpt, _settings(r.told or r.of or {}, names))
        for log, r in rejects
    ]
    return pl.DataFrame(rows, tables.rejected_schema(), orient="row")


def _settings(told: Mapping[str, Any], names: Collection[str]) -> str:
    """What is known of a reject, as far as it can be told in a few words."""
    short = {name: told[name] for name in names if _is_short(told.get(name))}
    return canonical.text(short) if short else ""


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST
    return isinstance(value, int | float) and abs(value) < FAR  # and so a number at all


def taken(found: Sequence[Found], kinds: Mapping[str, str]) -> tuple[pl.DataFrame, list[Refused]]:
    """Batches as rows of the samples table, in their order; what no table can hold as rejects.

    Such are values out of range, and control characters in what names things.

    Args:
        found: at least one batch, none of them empty.
        kinds: the columns of the samples table (`str`, `int`, `float`, `bool`).
    """
    counts = np.array([len(batch.places) for _, batch in found])
    owners = pl.Series(np.repeat(np.arange(len(found), dtype=np.uint32), counts))
    told = {name for _, batch in found for name in batch.columns}
    faults: dict[int, str] = {}
    each, alike = {}, {}
    for name, kind in kinds.items():
        if name in Place._fields:
            each[name] = pl.Series(np.concatenate([places_of(b.places, name) for _, b in found]))
        elif name in told and name == answers.COLUMN:
            each[name] = answers.digests(chain.from_iterable(_each(name, found)))
        elif name in told:
            each[name], wrong = _checked(name, chain.from_iterable(_each(name, found)), kind)
            faults |= wrong
        else:
            alike[name], wrong = _checked(name, [_shared(name, *one) for one in found], kind)
            if wrong:
                of = enumerate(owners.to_list())
                faults |= {row: wrong[at] for row, at in of if at in wrong}
    rows = pl.DataFrame(alike)[owners].with_columns(**each).select(*kinds)
    if not faults:
        return rows, []
    keep = np.ones(len(rows), bool)
    keep[[*faults]] = False
    return rows.filter(keep), [*_misfits(found, counts, faults)]


def _misfits(
    found: Sequence[Found], counts: NDArray[np.int64], faults: Mapping[int, str]
) -> Iterator[Refused]:
    ends = np.cumsum(counts)
    for row in sorted(faults):
        number = int(np.searchsorted(ends, row, side="right"))
        log, batch = found[number]
        at = row - int(ends[number] - counts[number])
        told = sample(batch, at)
        yield log, Reject(batch.places[at], faults[row], member=batch.member, told=told)


def _each(name: str, found: Sequence[Found]) -> Iterable[Iterable[Any]]:
    """The values of a column, batch by batch: of each row, or the one that all rows share."""
    for log, batch in found:
        if name in batch.columns:
            yield batch.columns[name]
        else:
            yield repeat(_shared(name, log, batch), len(batch.places))


def _shared(name: str, log: str, batch: Batch) -> Any:
    """What all rows of a batch have."""
    default = {"log": log, "run": log, "member": batch.member}.get(name, DEFAULTS.get(name))
    return batch.shared.get(name, default)


def _checked(name: str, given: Iterable[Any], kind: str) -> tuple[pl.Series, dict[int, str]]:
    """Values as a column, and by position what is wrong with those that it cannot hold."""
    values = [*given]
    column, faults = fitting(values, kind)
    if not roles.is_null(name) and column.null_count():
        faults |= {at: "missing" for at, value in enumerate(values) if value is None}
    if kind == "str" and name not in ("log", "member"):
        faults |= unclean(column)
    return column, {at: f"{name}: {fault}" for at, fault in faults.items()}


def fitting(values: Sequence[Any], kind: str) -> tuple[pl.Series, dict[int, str]]:
    """The values as a column, null where one does not fit, and the reasons by position."""
    try:
        return pl.Series(values, dtype=tables.dtype(kind)), {}
    except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError):
        faults = {at: fault for at, value in enumerate(values) if (fault := _fault(value, kind))}
        fit = [None if at in faults else value for at, value in enumerate(values)]
        return pl.Series(fit, dtype=tables.dtype(kind)), faults


def _fault(value: Any, kind: str) -> str:
    try:
        pl.Series([value], dtype=tables.dtype(kind))
    except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return f"{str(value)[:40]} is out of range"
        return f"{value!r:.40} is not {kind}"
    return ""


def unclean(words: pl.Series) -> dict[int, str]:
    """Position → why the text there can name nothing."""
    wrong = words.str.contains(CONTROL).fill_null(value=False)
    if not wrong.any():
        return {}
    return {at: f"{words[at]!a:.60} holds a control character" for at in wrong.arg_true().to_list()}
