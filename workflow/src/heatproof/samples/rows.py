"""Gather what the readers yield into sorted Arrow tables, by the thousand rows."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heatproof.config import roles
from heatproof.readers.api import Batch, Place, Reject, sample
from heatproof.readers.joining import Piece, pieces, places_of, values_of
from heatproof.samples import memory
from heatproof.samples.ordering import moved, order
from heatproof.samples.values import arrow, fitting, schema, unclean
from heatproof.util import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence


DEFAULTS = {"model": "", "task": "", "epoch": 0, "scorer": "", "reconstructed": False,
            "graded": False}  # fmt: skip

LONGEST = 200
"""Characters of a text that is told of a reject at most."""

FAR = 2.0**63
"""What numbers are told of a reject stay below."""

Found = tuple[str, Batch]
Refused = tuple[str, Reject]


def rejected(rejects: Sequence[Refused], kinds: dict[str, str], names: Collection[str]) -> pa.Table:
    """Rejects, each with its log's path, as one table; `names`: columns that settings tell of."""
    rows = [
        (log, r.member, *r.place, r.reason, r.excerpt, _settings(r.told or r.of or {}, names))
        for log, r in rejects
    ]
    lists = zip(*rows, strict=True) if rows else ((),) * len(kinds)
    columns = [arrow(list(v), k) for v, k in zip(lists, kinds.values(), strict=True)]
    return pa.table(columns, schema=schema(kinds))


def _settings(told: Mapping[str, Any], names: Collection[str]) -> str:
    """What is known of a reject, as far as it can be told in a few words."""
    short = {name: told[name] for name in names if _is_short(told.get(name))}
    return canonical.text(short) if short else ""


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST
    return isinstance(value, int | float) and abs(value) < FAR  # and so a number at all


class Rows:
    """Batches of logs, each with its log's path, on their way to one table."""

    def __init__(self, found: Sequence[Found], kinds: dict[str, str]) -> None:
        self.logs = [log for log, _ in found]
        self.batches = [batch for _, batch in found]
        self.pieces = pieces(self.batches)
        self.counts = np.array([len(batch.places) for batch in self.batches])
        self.owners = np.repeat(np.arange(len(self.counts)), self.counts)
        self.kinds = kinds
        self.alike: set[str] = set()
        self.bad: dict[int, str] = {}

    def table(self) -> tuple[pa.Table, list[Refused]]:
        """The rows in the order of their key; those that no table can hold come as rejects.

        Such are numbers out of range, and control characters in what names things.
        """
        columns = [self._column(name, kind) for name, kind in self.kinds.items()]
        table = pa.table(columns, schema=schema(self.kinds))
        if not self.bad:
            return self._ordered(table), []
        keep = np.ones(len(table), bool)
        keep[list(self.bad)] = False
        self.alike.clear()
        rejects = [self._reject(row) for row in sorted(self.bad)]
        return self._ordered(table.filter(pa.array(keep))), rejects

    def _ordered(self, table: pa.Table) -> pa.Table:
        """Rows mostly move within their log, where what all of it shares need not be moved."""
        positions = order(table, roles.KEY)
        if positions is None:
            return table
        stay = self.alike and (self.owners[positions] == self.owners).all()
        still = self.alike if stay else set()
        return moved(table, positions, still)

    def _reject(self, row: int) -> Refused:
        ends = np.cumsum(self.counts)
        number = int(np.searchsorted(ends, row, side="right"))
        batch = self.batches[number]
        at = row - int(ends[number] - self.counts[number])
        reject = Reject(
            batch.places[at], self.bad[row], member=batch.member, told=sample(batch, at)
        )
        return self.logs[number], reject

    def _column(self, name: str, kind: str) -> pa.Array:
        if name in Place._fields:
            return memory.array(np.concatenate([places_of(p.places, name) for p in self.pieces]))
        given = [piece.columns.get(name) for piece in self.pieces]
        if all(values is None for values in given):
            ends = np.cumsum(self.counts)
            starts = ends - self.counts
            constants = self._shared(name, 0, len(self.batches))
            found = self._checked(constants, kind, name, lambda at: range(starts[at], ends[at]))
            self.alike.add(name)
            return memory.taken(found, self.owners)
        lists = (
            self._each(name, piece) if values is None else values
            for values, piece in zip(given, self.pieces, strict=True)
        )
        values = values_of(lists)
        return self._checked(values, kind, name, lambda at: range(at, at + 1))

    def _shared(self, name: str, first: int, stop: int) -> list[Any]:
        """What batches have for all their rows."""
        batches = self.batches[first:stop]
        if name in ("log", "run"):
            named = zip(self.logs[first:stop], batches, strict=True)
            return [batch.shared.get(name, log) for log, batch in named]
        if name == "member":
            return [batch.shared.get(name, batch.member) for batch in batches]
        default = DEFAULTS.get(name)
        return [batch.shared.get(name, default) for batch in batches]

    def _each(self, name: str, piece: Piece) -> list[Any]:
        """What rows share, once for each of them."""
        shared = self._shared(name, piece.first, piece.stop)
        counts = self.counts[piece.first : piece.stop].tolist()
        return list(chain.from_iterable(map(repeat, shared, counts)))

    def _checked(self, values: Any, kind: str, name: str, rows: Callable[[int], range]) -> pa.Array:
        """The values as an array; what cannot be is null, and its rows are noted as bad."""
        found, faults = fitting(values, kind)
        if not roles.is_null(name) and found.null_count:
            faults |= {at: "missing" for at, value in enumerate(values) if value is None}
        if kind == "str" and name not in ("log", "member"):
            faults |= unclean(found)
        for at, fault in faults.items():
            self.bad |= dict.fromkeys(rows(at), f"{name}: {fault}")
        return found
