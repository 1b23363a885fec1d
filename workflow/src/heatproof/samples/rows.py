"""Rows of the samples table: what readers yield as frames, and what no table can hold as rejects.

What only shows when rows lie together is here too: several runs in a log, and samples that stand
twice.
"""

from __future__ import annotations

import math
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.formats.api import Batch, Place, Reject, sample
from heatproof.samples import answers, tables
from heatproof.util import canonical
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from heatproof.formats.api import Kind

Part = tuple[str, Batch]
"""A log's path, and rows of it."""
Refused = tuple[str, Reject]

DEFAULTS = {"model": "", "task": "", "epoch": 0, "reconstructed": False, "graded": False,
            **dict.fromkeys(roles.GRADERS, "")}  # fmt: skip
"""What rows have of which neither record nor log says more."""

LONGEST = 200
"""Characters of a text that is told of a reject at most."""

MOST = 1e150
"""What measures lie within: their squares, from which errors are estimated, add up to floats."""

FAR = 2.0**63
"""What numbers are told of a reject stay below."""

CONTROL = r"[\x00-\x1f\x7f-\x9f\u{2028}\u{2029}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fffe}\u{ffff}]"
"""What no name may hold: control characters, line ends, marks that turn the writing direction, and
what XML, and so no picture, can hold. Halves of letters are no text at all."""


def rejected_rows(rejects: Sequence[Refused], names: Collection[str]) -> pl.DataFrame:
    """Rejects as rows of the rejected table; `names`: columns that their settings may tell of."""

    def is_short(value: Any) -> bool:
        if isinstance(value, str):
            return len(value) <= LONGEST
        return isinstance(value, int | float) and abs(value) < FAR  # and so a number at all

    rows = []
    for log, reject in rejects:
        values = reject.told or reject.of or {}
        short = {name: values[name] for name in names if is_short(values.get(name))}
        settings = canonical.text(short) if short else ""
        no_record = reject.whole or not reject.place.length
        reason = reject.kind, no_record, reject.reason, reject.excerpt
        rows.append((log, reject.member, *reject.place, *reason, settings))
    return pl.DataFrame(rows, tables.dtypes(tables.REJECTED), orient="row")


def rows_of(parts: Sequence[Part], kinds: Mapping[str, str]) -> tuple[pl.DataFrame, list[Refused]]:
    """Batches as rows of the samples table, in their order; what no table can hold as rejects.

    Such are values out of range, and control characters in what names things.

    Args:
        parts: at least one batch, none of them empty.
        kinds: the columns of the samples table (`str`, `int`, `float`, `bool`).
    """
    counts = np.array([len(batch.places) for _, batch in parts])
    owners = pl.Series(np.repeat(np.arange(len(parts), dtype=np.uint32), counts))
    by_row = {name for _, batch in parts for name in batch.columns}
    measures = {*roles.of(kinds, "measure")} - {"score"}
    columns, constants = {}, {}
    faults: dict[int, str] = {}
    for name, kind in kinds.items():
        if name in Place._fields:
            of_rows = (getattr(place, name) for _, batch in parts for place in batch.places)
            columns[name] = pl.Series(of_rows, dtype=pl.Int64)
            continue
        own = ({"log": log, "run": log, "member": batch.member} for log, batch in parts)
        shared = [
            batch.shared.get(name, names.get(name, DEFAULTS.get(name)))
            for (_, batch), names in zip(parts, own, strict=True)
        ]
        if name not in by_row:
            constants[name], wrong = _checked(name, shared, kind)
            if wrong:
                batches = enumerate(owners.to_list())
                faults |= {row: wrong[number] for row, number in batches if number in wrong}
            continue
        values = chain.from_iterable(
            batch.columns[name] if name in batch.columns else repeat(value, len(batch.places))
            for (_, batch), value in zip(parts, shared, strict=True)
        )
        if name == answers.COLUMN:
            columns[name] = answers.digests(values)
            continue
        columns[name], wrong = _checked(name, [*values], kind)
        faults |= wrong | (_beyond(name, columns[name]) if name in measures else {})
    rows = pl.DataFrame(constants)[owners].with_columns(**columns).select(*kinds)
    if not faults:
        return rows, []
    ends, rejects = np.cumsum(counts), []
    for row in sorted(faults):
        number = int(np.searchsorted(ends, row, side="right"))
        log, batch = parts[number]
        at = row - int(ends[number] - counts[number])
        place, cells = batch.places[at], sample(batch, at)
        reject = Reject(place, faults[row], member=batch.member, told=cells, kind="type")
        rejects.append((log, reject))
    keep = np.ones(len(rows), bool)
    keep[[*faults]] = False
    return rows.filter(keep), rejects


def _checked(name: str, values: list[Any], kind: str) -> tuple[pl.Series, dict[int, str]]:
    """Values as a column, and by position what is wrong with those that it cannot hold."""
    column, faults = fitting(values, kind)
    if not roles.is_null(name) and column.null_count():
        faults |= {at: "missing" for at, value in enumerate(values) if value is None}
    if kind == "str" and name not in ("log", "member"):
        for at in column.str.contains(CONTROL).fill_null(value=False).arg_true():
            faults[at] = f"{column[at]!a:.60} holds a control character"
    return column, {at: f"{name}: {fault}" for at, fault in faults.items()}


def _beyond(name: str, measure: pl.Series) -> dict[int, str]:
    """Position → why a measure there cannot be averaged."""
    wrong = (measure.is_nan() | (measure.abs() > MOST)).fill_null(value=False)
    way_out = f"; a measure lies within ±{MOST:g}, and is null or empty where there is none"
    return {at: f"{name}: {measure[at]:g} is out of range{way_out}" for at in wrong.arg_true()}


def fitting(values: Sequence[Any], kind: str) -> tuple[pl.Series, dict[int, str]]:
    """The values as a column, null where one does not fit, and the reasons by position."""
    dtype = tables.dtype(kind)

    def fits(some: Sequence[Any]) -> bool:
        try:
            pl.Series(some, dtype=dtype)
        except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError):
            return False
        return True

    if fits(values):
        return pl.Series(values, dtype=dtype), {}
    faults = {}
    for at, value in enumerate(values):
        if not fits([value]):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            is_not = f"{value!r:.40} is not {kind}"
            faults[at] = f"{str(value)[:40]} is out of range" if number else is_not
    fit = [None if at in faults else value for at, value in enumerate(values)]
    return pl.Series(fit, dtype=dtype), faults


class Settings:
    """Which models, tasks and hyper-parameters each log holds: several are several runs."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self.several: set[str] = set()
        """Logs that hold several runs."""
        self._log, self._settings = "", dict[str, set[tuple[Any, ...]]]()

    def add(self, log: str, batch: Batch) -> None:
        """Look at a batch; those of one log come one after the other."""
        if log != self._log:
            self._log, self._settings = log, {}
        settings = self._settings.setdefault(batch.member, set())
        shared = tuple(map(batch.shared.get, self.names))
        if batch.columns.keys().isdisjoint(self.names):
            settings.add(shared)
        else:
            pairs = zip(map(batch.columns.get, self.names), shared, strict=True)
            settings.update(zip(*(repeat(v) if c is None else c for c, v in pairs), strict=False))
        if len(settings) > 1:
            self.several.add(log)

    def with_runs(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with each run of a log that holds several named: `log#ratio=0.1,…`."""
        words = [pl.format(f"{name}={{}}", _word(rows[name])) for name in self.names]
        name = pl.format("{}#{}", "run", pl.concat_str(words, separator=","))
        several = pl.col("log").is_in(sorted(self.several))
        return rows.with_columns(pl.when(several).then(name).otherwise("run").alias("run"))


def _word(values: pl.Series) -> pl.Series:
    """Settings as config.yaml would write them."""
    if values.dtype == pl.Float64:  # as Python writes them
        words = [None if value is None else str(value) for value in values.to_list()]
        return pl.Series(words, dtype=pl.String).fill_null("none")
    return values.cast(pl.String).fill_null("none")


class Repeats:
    """Takes out of sorted rows those whose key stood in the row before."""

    def __init__(self, apart: str = "", mapped: bool = False) -> None:
        """`apart`: what of config.yaml would tell repetitions apart; `mapped`: it names columns."""
        hint = f"; {apart} in config.yaml tells repetitions of one sample apart" if apart else ""
        self._reason = f"repeats a record: the same sample, epoch, run and scorer{hint}"
        self._unlike = self._reason if apart else f"{self._reason}; and its score is another"
        self._kind: Kind = "repeat" if apart or mapped else "same"
        self._last: tuple[Any, ...] | None = None
        self._score = math.nan

    def split(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Refused]]:
        """The rows of a piece without repeats, and these as rejects."""
        keys = rows.select(roles.KEY)
        same = keys.select(pl.all_horizontal(pl.all().eq_missing(pl.all().shift()))).to_series()
        again = same.to_numpy(writable=True)
        again[0] = keys.row(0) == self._last
        self._last = keys.row(-1)
        scores = rows["score"].fill_null(math.nan).to_numpy()
        # Of each row, the score of the row that it repeats, or its own.
        first = np.maximum.accumulate(np.where(again, -1, np.arange(len(scores))))
        kept = np.where(first < 0, self._score, scores[first])
        self._score = kept[-1]
        if not again.any():
            return rows, []
        unlike = (scores != kept) & ~(np.isnan(scores) & np.isnan(kept))
        rejects = []
        for row, other in zip(rows.filter(again).to_dicts(), unlike[again], strict=True):
            place = Place(row["line"], row["offset"], row["length"])
            reject = Reject(place, self._reason, "", row["member"], told=row, kind=self._kind)
            if other:
                reject.reason, reject.kind = self._unlike, "repeat"
            rejects.append((row["log"], reject))
        return rows.filter(~again), rejects
