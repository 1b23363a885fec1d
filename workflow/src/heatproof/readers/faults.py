"""What can be wrong with a record, and how it is told."""

from __future__ import annotations

import codecs
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from heatproof.logs.refusals import UNENDED
from heatproof.readers.decoding import Repeated
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator


FAULTS = (msgspec.DecodeError, ValueError, RecursionError)
"""What decoding raises; of ValueErrors: no JSON, broken UTF-8, repeated keys, endless integers."""

MISFITS = (TypeError, LookupError, ArithmeticError)
"""What turning a decoded record into columns raises, beyond that."""


WITHIN = f"the log ends within this line: {UNENDED}"


def reason(  # noqa: PLR0911 - one for each kind of damage
    error: Exception, data: bytes, *, cut: bool = False
) -> str:
    """Why a record could not be decoded, in words for the rejected table.

    `cut`: it is the last one, and its line has no end.
    """
    if isinstance(error, UnicodeDecodeError):
        return WITHIN if cut and ends_early(error) else _not_utf8(error, data)
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, msgspec.ValidationError | Repeated):
        return str(error)
    if "integer string conversion" in str(error):
        return "a number is out of range"
    if cut:
        return WITHIN
    for word in (b"NaN", b"Infinity"):
        if word in data:
            return f"not JSON: {word.decode()} (a bare word): {error}"
    return f"not JSON: {error}"


def ends_early(error: UnicodeDecodeError) -> bool:
    """Whether no more is wrong than that the last character is not all there."""
    return error.reason == "unexpected end of data"


def _not_utf8(error: UnicodeDecodeError, data: bytes) -> str:
    said = f"invalid UTF-8: byte 0x{error.object[error.start]:02x} at {error.start}"
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return f"{said}; this is UTF-16, save it as UTF-8" if utf16 else said


LONGEST = 10.0
"""Seconds for one record: patterns of real tasks take a thousandth of one."""


class Late(Error):
    """It has taken too long."""


@contextmanager
def limited(what: str) -> Iterator[None]:
    """A block that ends as Late when it has taken too long; in the main thread only.

    Python's patterns look for signals while they match.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise Late(f"{what} takes longer than {LONGEST:g} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
