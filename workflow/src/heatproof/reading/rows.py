"""Gather what the readers yield into Arrow tables: lists become columns by the thousand rows."""

from __future__ import annotations

import re
import sys
from array import array
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heatproof.readers._batch import Batch, Place, Places, Reject
from heatproof.tables import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

WORD = pa.dictionary(pa.int32(), pa.string())
"""Texts are numbered: a log's name stands once in memory, not once a row."""

TYPES = {"str": WORD, "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
CODES = {"int": "q", "float": "d"}

DEFAULTS = {"model": "", "task": "", "epoch": 0, "scorer": "", "reconstructed": False,
            "graded": False}  # fmt: skip

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no name may hold: control characters, line ends, marks that turn the writing direction."""

if "pandas" not in sys.modules:
    # Arrow looks for pandas at its first array, and where it is, imports it: half a second of
    # every job. It looks once only, and again in `to_numpy`: from_dlpack is used instead.
    sys.modules["pandas"] = None  # type: ignore[assignment]
    with suppress(AttributeError, ImportError):
        pa.array([0])
    del sys.modules["pandas"]

Found = tuple[str, Batch]
Refused = tuple[str, Reject]


def schema(kinds: dict[str, str]) -> pa.Schema:
    """The Arrow schema of columns given by kind (`str`, `int`, `float`, `bool`)."""
    return pa.schema([(name, TYPES[kind]) for name, kind in kinds.items()])


def rejected(rejects: Sequence[Refused], kinds: dict[str, str]) -> pa.Table:
    """Rejects, each with its log's path, as one table."""
    rows = [(log, r.member, *r.place, r.reason, r.excerpt) for log, r in rejects]
    lists = zip(*rows, strict=True) if rows else ((),) * len(kinds)
    columns = [_array(list(v), k) for v, k in zip(lists, kinds.values(), strict=True)]
    return pa.table(columns, schema=schema(kinds))


class Rows:
    """Batches of logs, each with its log's path, on their way to one table."""

    def __init__(self, found: Sequence[Found], kinds: dict[str, str]) -> None:
        self.batches = [batch for _, batch in found]
        self.shared = [
            DEFAULTS | {"log": log, "run": log, "member": batch.member} | batch.shared
            for log, batch in found
        ]
        self.counts = np.array([len(batch.places) for batch in self.batches])
        self.kinds = kinds
        self.bad: dict[int, str] = {}

    def table(self) -> tuple[pa.Table, list[Refused]]:
        """The rows; those that no table can hold come as rejects.

        Such are numbers out of range, and control characters in what names things.
        """
        columns = [self._column(name, kind) for name, kind in self.kinds.items()]
        table = pa.table(columns, schema=schema(self.kinds))
        if not self.bad:
            return table, []
        keep = np.ones(len(table), bool)
        keep[list(self.bad)] = False
        return table.filter(pa.array(keep)), [self._reject(row) for row in sorted(self.bad)]

    def _reject(self, row: int) -> Refused:
        ends = np.cumsum(self.counts)
        number = int(np.searchsorted(ends, row, side="right"))
        batch = self.batches[number]
        place = batch.places[row - int(ends[number] - self.counts[number])]
        return str(self.shared[number]["log"]), Reject(place, self.bad[row], member=batch.member)

    def _column(self, name: str, kind: str) -> pa.Array:
        if name in Place._fields:
            return pa.array(np.concatenate([_places(b.places, name) for b in self.batches]))
        given = [batch.columns.get(name) for batch in self.batches]
        if all(values is None for values in given):
            ends = np.cumsum(self.counts)
            starts = ends - self.counts
            constants = [shared.get(name) for shared in self.shared]
            found = self._checked(constants, kind, name, lambda at: range(starts[at], ends[at]))
            return found.take(pa.array(np.repeat(np.arange(len(starts)), self.counts)))
        lists = (
            [shared.get(name)] * int(count) if values is None else values
            for values, shared, count in zip(given, self.shared, self.counts, strict=True)
        )
        return self._checked(
            list(chain.from_iterable(lists)), kind, name, lambda at: range(at, at + 1)
        )

    def _checked(
        self, values: list[Any], kind: str, name: str, rows: Callable[[int], range]
    ) -> pa.Array:
        """The values as an array; what cannot be is null, and its rows are noted as bad."""
        faults = {}
        try:
            found = _array(values, kind)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            faults = {at: fault for at, v in enumerate(values) if (fault := _misfit(v, kind))}
            found = _array([None if at in faults else v for at, v in enumerate(values)], kind)
        if name in KEY and found.null_count:
            faults |= {at: "missing" for at, value in enumerate(values) if value is None}
        if kind == "str" and name not in ("log", "member") and (wrong := _unclean(found)):
            codes = np.from_dlpack(found.indices.fill_null(-1))
            hit = np.flatnonzero(np.isin(codes, list(wrong))).tolist()
            faults |= {at: wrong[codes[at]] for at in hit}
        for at, fault in faults.items():
            self.bad |= dict.fromkeys(rows(at), f"{name}: {fault}")
        return found


def _places(places: Any, name: str) -> NDArray[np.int64]:
    if isinstance(places, Places):
        return getattr(places, name)  # type: ignore[no-any-return]
    return np.array([getattr(place, name) for place in places], np.int64)


def _array(values: list[Any], kind: str) -> pa.Array:
    if kind == "str":
        return pa.array(values, pa.string()).dictionary_encode()
    if kind in CODES:
        try:  # three times as fast as Arrow, and only without nulls
            return pa.array(np.frombuffer(array(CODES[kind], values), dtype=CODES[kind]))
        except TypeError:
            pass
    return pa.array(values, TYPES[kind])


def _misfit(value: Any, kind: str) -> str:
    try:
        _array([value], kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        text = f"{value:.3g}" if isinstance(value, float) else str(value)[:40]
        return f"{text} is out of range" if _is_number(value) else f"{value!r:.40} is not {kind}"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unclean(found: pa.DictionaryArray) -> dict[int, str]:
    """Number of a text → why it can name nothing."""
    texts = found.dictionary.to_pylist()
    if not CONTROL.search("".join(texts)):
        return {}
    return {
        number: f"{text!a:.60} holds a control character"
        for number, text in enumerate(texts)
        if CONTROL.search(text)
    }
