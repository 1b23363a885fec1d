"""What only shows when rows lie together: several runs in a log, and samples that stand twice."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heatproof import streams, tables
from heatproof.readers._batch import Batch, Place, Reject, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from heatproof.rows import Refused

EXCERPTS = 1000
"""Repeats that are shown with an excerpt; each has its place, and often all of a log repeats."""


class Settings:
    """Which models, tasks and hyper-parameters each log holds: several are several runs."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self._seen: dict[tuple[str, str], set[tuple[Any, ...]]] = {}

    def add(self, log: str, batch: Batch) -> None:
        seen = self._seen.setdefault((log, batch.member), set())
        columns = [batch.columns.get(name) for name in self.names]
        shared = [batch.shared.get(name) for name in self.names]
        if all(values is None for values in columns):
            seen.add(tuple(shared))
        else:
            pairs = zip(columns, shared, strict=True)
            seen.update(zip(*(repeat(v) if c is None else c for c, v in pairs), strict=False))

    def name(self, rows: pa.Table) -> pa.Table:
        """The rows with each run of a log that holds several named: `log#ratio=0.1,…`."""
        several = sorted({log for (log, _), seen in self._seen.items() if len(seen) > 1})
        mask = pc.is_in(rows["log"].cast(pa.string()), pa.array(several, pa.string()))
        if not several or not pc.any(mask).as_py():
            return rows
        mine = rows.filter(mask)
        runs = np.array(rows["run"].cast(pa.string()).to_pylist(), object)
        settings = zip(*(mine[name].to_pylist() for name in self.names), strict=True)
        told: dict[tuple[Any, ...], str] = {}
        for values in (found := list(settings)):
            if values not in told:
                pairs = zip(self.names, values, strict=True)
                told[values] = ",".join(f"{name}={_word(value)}" for name, value in pairs)
        at = np.flatnonzero(mask.to_numpy())
        runs[at] = [f"{run}#{told[values]}" for run, values in zip(runs[at], found, strict=True)]
        named = pa.array(runs, pa.string()).dictionary_encode()
        return rows.set_column(rows.schema.get_field_index("run"), rows.schema.field("run"), named)


def _word(value: Any) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


class Repeats:
    """Takes out of sorted rows those whose key stood in the row before."""

    def __init__(self, root: Path) -> None:
        self._root, self._last = root, None
        self._shown = 0

    def split(self, rows: pa.Table) -> tuple[pa.Table, list[Refused]]:
        """The rows of a piece without repeats, and these as rejects."""
        again = self._again(rows)
        if not again.any():
            return rows, []
        repeated = rows.filter(pa.array(again)).select([*tables.PLACE, *tables.KEY]).to_pylist()
        return rows.filter(pa.array(~again)), list(self._rejects(repeated))

    def _again(self, rows: pa.Table) -> Any:
        rows = rows.select(tables.KEY).unify_dictionaries().combine_chunks()
        again = np.ones(len(rows), bool)
        for name in tables.KEY:
            column = rows[name].combine_chunks()
            values = column.indices if pa.types.is_dictionary(column.type) else column
            codes = values.to_numpy()
            again[1:] &= codes[1:] == codes[:-1]
        first, last = (tuple(rows[name][at].as_py() for name in tables.KEY) for at in (0, -1))
        again[0] = first == self._last
        self._last = last
        return again

    def _rejects(self, rows: list[dict[str, Any]]) -> Iterator[Refused]:
        shown = self._excerpts(rows[: EXCERPTS - self._shown])
        self._shown += len(shown)
        for at, row in enumerate(rows):
            reason = "repeats sample {sample_id}, epoch {epoch} of run {run}".format_map(row)
            place = Place(row["line"], row["offset"], row["length"])
            yield row["log"], Reject(place, reason, shown[at] if at < len(shown) else "", row["member"])

    def _excerpts(self, rows: list[dict[str, Any]]) -> list[str]:
        places: dict[tuple[str, str], list[tuple[int, int]]] = {}
        wanted = [(r["log"], r["member"], r["offset"], min(r["length"], 400)) for r in rows]
        for log, member, *place in wanted:
            places.setdefault((log, member), []).append((place[0], place[1]))
        found = {
            (log, member): streams.slices(self._root / log, some, member)
            for (log, member), some in places.items()
        }
        return [excerpt(found[log, member][at, size]) for log, member, at, size in wanted]
