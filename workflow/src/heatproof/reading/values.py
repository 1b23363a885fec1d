"""Values as Arrow arrays, and what is wrong with those that no column can hold."""

from __future__ import annotations

import re
import sys
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heatproof import tables
from heatproof.reading import memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = pa.dictionary(pa.int32(), pa.string())
"""Texts are numbered: a log's name stands once in memory, not once a row."""

TYPES = {"str": WORD, "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
CODES = {"int": "q", "float": "d"}

CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""What no name may hold: control characters, line ends, marks that turn the writing direction, and
what XML, and so no picture, can hold."""


class NoPandas:
    """Arrow looks for pandas at its first array, and where it is, imports it, for half a second.

    It looks once only, and while this is asked first it finds none.
    """

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, NoPandas())
pa.array([0])
del sys.meta_path[0]


def schema(kinds: dict[str, str]) -> pa.Schema:
    """The Arrow schema of columns given by kind (`str`, `int`, `float`, `bool`)."""
    return pa.schema(
        pa.field(name, TYPES[kind], nullable=name not in tables.ALWAYS)
        for name, kind in kinds.items()
    )


def arrow(values: list[Any] | NDArray[Any], kind: str) -> pa.Array:
    """The values as an array of a kind; None is null.

    Raises:
        ArrowException, OverflowError, TypeError, ValueError: one of them does not fit.
    """
    if isinstance(values, np.ndarray):
        return _plain(values, kind)
    if kind == "str":
        return pa.array(values, WORD)
    if kind in CODES:
        with suppress(TypeError):
            return memory.array(_numbers(values, CODES[kind]))
    return pa.array(values, TYPES[kind])


def _plain(values: NDArray[Any], kind: str) -> pa.Array:
    """Whole numbers, or true and false, as another kind; numbers may serve as names."""
    if kind == "str":
        distinct, codes = _numbered(values)
        words = pa.array(list(map(str, distinct.tolist())), pa.string())
        indices = memory.array(codes.astype(np.int32))
        return pa.DictionaryArray.from_arrays(indices, words, safe=False)
    return memory.array(values.astype(CODES.get(kind, "?")))


def _numbered(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Whole numbers that occur, and for each value which of them it is."""
    low = values.min()
    places = values - low
    if int(places.max()) > 4 * len(values):
        return np.unique(values, return_inverse=True)
    seen = np.bincount(places) > 0
    return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[places]


def _numbers(values: list[Any], code: str) -> NDArray[Any]:
    """Numbers without nulls: faster than by Arrow, the more so if they are whole and small.

    Raises:
        TypeError: there is a null, or something else that is no such number.
        OverflowError: a number is out of range.
    """
    if values and isinstance(values[0], int):
        with suppress(TypeError, ValueError):
            return np.frombuffer(bytes(values), np.uint8).astype(code)
        if code == "d":
            with suppress(TypeError, OverflowError):
                return np.frombuffer(array("q", values), np.int64).astype(code)
    return np.frombuffer(array(code, values), code)


def fitting(values: list[Any] | NDArray[Any], kind: str) -> tuple[pa.Array, dict[int, str]]:
    """The values as an array, null where one does not fit, and the reasons by position."""
    try:
        return arrow(values, kind), {}
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        faults = {at: fault for at, v in enumerate(values) if (fault := _misfit(v, kind))}
        return arrow([None if at in faults else v for at, v in enumerate(values)], kind), faults


def _misfit(value: Any, kind: str) -> str:
    try:
        arrow([value], kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        text = f"{value:.3g}" if isinstance(value, float) else str(value)[:40]
        return f"{text} is out of range" if _is_number(value) else f"{value!r:.40} is not {kind}"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def unclean(words: pa.DictionaryArray) -> dict[int, str]:
    """Position → why the text there can name nothing."""
    texts = words.dictionary.to_pylist()
    if not CONTROL.search("".join(texts)):
        return {}
    wrong = {
        number: f"{text!a:.60} holds a control character"
        for number, text in enumerate(texts)
        if CONTROL.search(text)
    }
    codes = np.where(memory.there(words), memory.numbers(words.indices), -1)
    hit = np.flatnonzero(np.isin(codes, list(wrong))).tolist()
    return {at: wrong[codes[at]] for at in hit}
