"""Rows of the samples table: what readers yield as frames, and what no table can hold as rejects.

What only shows when rows lie together is here too: several runs in a log, and samples that stand
twice.
"""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.formats.api import Batch, Place, Reject, excerpt, places_of, sample
from heatproof.logs import streams
from heatproof.samples import answers, tables
from heatproof.util import canonical
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

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

EXCERPTS = 1000
"""Repeats that are shown with an excerpt; each has its place, and often all of a log repeats."""


def rejected(rejects: Sequence[Refused], names: Collection[str]) -> pl.DataFrame:
    """Rejects as rows of the rejected table; `names`: columns that their settings may tell of."""
    rows = []
    for log, reject in rejects:
        values = reject.told or reject.of or {}
        short = {name: values[name] for name in names if _is_short(values.get(name))}
        settings = canonical.text(short) if short else ""
        whole = reject.whole or not reject.place.length
        reason = reject.kind, whole, reject.reason, reject.excerpt
        rows.append((log, reject.member, *reject.place, *reason, settings))
    return pl.DataFrame(rows, tables.rejected_schema(), orient="row")


def _is_short(value: Any) -> bool:
    """Whether a value can be told in a few words."""
    if isinstance(value, str):
        return len(value) <= LONGEST
    return isinstance(value, int | float) and abs(value) < FAR  # and so a number at all


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
            places = [places_of(batch.places, name) for _, batch in parts]
            columns[name] = pl.Series(np.concatenate(places))
        elif name in by_row:
            values = chain.from_iterable(_values(name, log, batch) for log, batch in parts)
            if name == answers.COLUMN:
                columns[name] = answers.digests(values)
                continue
            columns[name], wrong = _checked(name, values, kind)
            faults |= wrong | (_beyond(name, columns[name]) if name in measures else {})
        else:
            constants[name], wrong = _checked(name, [_constant(name, *one) for one in parts], kind)
            if wrong:
                batches = enumerate(owners.to_list())
                faults |= {row: wrong[number] for row, number in batches if number in wrong}
    rows = pl.DataFrame(constants)[owners].with_columns(**columns).select(*kinds)
    if not faults:
        return rows, []
    ends, rejects = np.cumsum(counts), []
    for row in sorted(faults):
        number = int(np.searchsorted(ends, row, side="right"))
        log, batch = parts[number]
        at = row - int(ends[number] - counts[number])
        told = sample(batch, at)
        place = batch.places[at]
        reject = Reject(place, faults[row], member=batch.member, told=told, kind="type")
        rejects.append((log, reject))
    keep = np.ones(len(rows), bool)
    keep[[*faults]] = False
    return rows.filter(keep), rejects


def _values(name: str, log: str, batch: Batch) -> Iterable[Any]:
    """The values of a column in a batch: of each row, or the one that all rows share."""
    if name in batch.columns:
        return batch.columns[name]
    return repeat(_constant(name, log, batch), len(batch.places))


def _constant(name: str, log: str, batch: Batch) -> Any:
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


def _beyond(name: str, measure: pl.Series) -> dict[int, str]:
    """Position → why a measure there cannot be averaged."""
    wrong = (measure.is_nan() | (measure.abs() > MOST)).fill_null(value=False)
    way_out = f"; a measure lies within ±{MOST:g}, and is null or empty where there is none"
    return {at: f"{name}: {measure[at]:g} is out of range{way_out}" for at in wrong.arg_true()}


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


class Settings:
    """Which models, tasks and hyper-parameters each log holds: several are several runs."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self._log, self._settings = "", dict[str, set[tuple[Any, ...]]]()
        self._several: set[str] = set()

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
            self._several.add(log)

    def several(self) -> list[str]:
        """Logs that hold several runs."""
        return sorted(self._several)

    def named(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with each run of a log that holds several named: `log#ratio=0.1,…`."""
        told = [pl.format(f"{name}={{}}", _word(rows[name])) for name in self.names]
        name = pl.format("{}#{}", "run", pl.concat_str(told, separator=","))
        several = pl.col("log").is_in(self.several())
        return rows.with_columns(pl.when(several).then(name).otherwise("run").alias("run"))


def _word(values: pl.Series) -> pl.Series:
    """Settings as config.yaml would write them."""
    if values.dtype == pl.Float64:  # as Python writes them
        words = [None if value is None else str(value) for value in values.to_list()]
        return pl.Series(words, dtype=pl.String).fill_null("none")
    return values.cast(pl.String).fill_null("none")


class Repeats:
    """Takes out of sorted rows those whose key stood in the row before."""

    def __init__(self, root: Path, apart: str = "") -> None:
        """`apart`: what of config.yaml would tell repetitions apart."""
        self._root = root
        hint = f"; {apart} in config.yaml tells repetitions of one sample apart" if apart else ""
        self._reason = f"repeats a record: the same sample, epoch, run and scorer{hint}"
        self._unlike = self._reason if apart else f"{self._reason}; and its score is another"
        self._last: tuple[Any, ...] | None = None
        self._score = math.nan
        self._excerpted = 0

    def split(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Refused]]:
        """The rows of a piece without repeats, and these as rejects."""
        again = self._again(rows.select(roles.KEY))
        if not again.any():
            score = rows["score"][-1]
            self._score = math.nan if score is None else score
            return rows, []
        unlike = self._is_unlike(rows["score"].to_numpy(), again)
        repeated = rows.filter(again).to_dicts()
        reasons = [self._unlike if other else self._reason for other in unlike[again]]
        return rows.filter(~again), list(self._rejects(repeated, reasons))

    def _again(self, keys: pl.DataFrame) -> NDArray[np.bool_]:
        """Whether the key of each row stood in the row before."""
        same = keys.select(pl.all_horizontal(pl.all().eq_missing(pl.all().shift()))).to_series()
        again = same.to_numpy(writable=True)
        again[0] = keys.row(0) == self._last
        self._last = keys.row(-1)
        return again

    def _is_unlike(self, scores: NDArray[Any], again: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether the score of each row is another than that of the row that it repeats."""
        first = np.maximum.accumulate(np.where(again, -1, np.arange(len(scores))))
        kept = np.where(first < 0, self._score, scores[first])
        self._score = kept[-1]
        other: NDArray[np.bool_] = (scores != kept) & ~(np.isnan(scores) & np.isnan(kept))
        return other

    def _rejects(self, rows: list[dict[str, Any]], reasons: list[str]) -> Iterator[Refused]:
        excerpts = self._excerpts(rows[: EXCERPTS - self._excerpted])
        self._excerpted += len(excerpts)
        for at, row in enumerate(rows):
            place = Place(row["line"], row["offset"], row["length"])
            text = excerpts[at] if at < len(excerpts) else ""
            member = row["member"]
            yield row["log"], Reject(place, reasons[at], text, member, told=row, kind="repeat")

    def _excerpts(self, rows: list[dict[str, Any]]) -> list[str]:
        files: dict[tuple[str, str], list[tuple[int, int]]] = {}
        spans = [(r["log"], r["member"], r["offset"], min(r["length"], 400)) for r in rows]
        for log, member, offset, size in spans:
            files.setdefault((log, member), []).append((offset, size))
        data: dict[tuple[str, str], dict[tuple[int, int], bytes]] = {}
        for (log, member), places in files.items():
            with suppress(OSError, Error):  # it is gone, or another, since it was read
                data[log, member] = streams.slices(self._root / log, places, member)
        return [excerpt(data.get((log, member), {}).get((at, size), b""))
                for log, member, at, size in spans]  # fmt: skip
