"""Values as Arrow arrays, and what is wrong with those that no column can hold."""

from __future__ import annotations

import re
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heatproof.config import roles
from heatproof.samples import memory

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


def schema(kinds: dict[str, str]) -> pa.Schema:
    """The Arrow schema of columns given by kind (`str`, `int`, `float`, `bool`)."""
    return pa.schema(
        pa.field(name, TYPES[kind], nullable=roles.is_null(name)) for name, kind in kinds.items()
    )


def arrow(values: list[Any], kind: str) -> pa.Array:
    """The values as an array of a kind; None is null.

    Raises:
        ArrowException, OverflowError, TypeError, ValueError: one of them does not fit.
    """
    if kind in CODES:
        with suppress(TypeError):
            return memory.array(_numbers(values, CODES[kind]))
    return pa.array(values, TYPES[kind])


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


def fitting(values: list[Any], kind: str) -> tuple[pa.Array, dict[int, str]]:
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
        if _is_number(value):
            return f"{str(value)[:40]} is out of range"
        return f"{value!r:.40} is not {kind}"
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
