"""What can be wrong with a record, and how it is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from heatproof.formats.decoding import Repeated
from heatproof.logs.raw import UNENDED

if TYPE_CHECKING:
    from heatproof.formats.api import Kind

FAULTS = (msgspec.DecodeError, ValueError, RecursionError)
"""What decoding raises; of ValueErrors: no JSON, broken UTF-8, repeated keys, endless integers."""

MISFITS = (TypeError, LookupError, ArithmeticError)
"""What turning a decoded record into columns raises, beyond that."""


EMPTIED = re.compile(rb"\[\t(?: {5,6})?\]")
"""What stands in a document for a bare word of the same length."""

WITHIN = f"the log ends within this line: {UNENDED}"


def reason(  # noqa: PLR0911 - one for each kind of damage
    error: Exception, data: bytes, *, cut: bool = False
) -> str:
    """Why a record could not be decoded, in words for the rejected table.

    `cut`: it is the last one, and its line has no end.
    """
    if isinstance(error, UnicodeDecodeError):
        byte = f"byte 0x{error.object[error.start]:02x} at {error.start}"
        return WITHIN if cut and ends_early(error) else f"invalid UTF-8: {byte}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, msgspec.ValidationError | Repeated):
        emptied = EMPTIED.search(data) if "got `array`" in str(error) else None
        bare = as_written(emptied[0]).decode() if emptied else ""
        return f"not JSON: {bare} (a bare word): {error}" if bare else str(error)
    if "integer string conversion" in str(error):
        return "a number is out of range"
    if cut:
        return WITHIN
    for word in (b"NaN", b"Infinity"):
        if word in data:
            return f"not JSON: {word.decode()} (a bare word): {error}"
    return f"not JSON: {error}"


def fault_kind(error: Exception, *, cut: bool = False) -> Kind:
    """The kind of a refusal for what decoding raised; `cut` as of `reason`."""
    if isinstance(error, msgspec.ValidationError):
        return "missing" if "missing required field" in str(error) else "type"
    ended = isinstance(error, RecursionError | Repeated) or "string conversion" in str(error)
    if isinstance(error, UnicodeDecodeError):
        ended = not ends_early(error)
    return "unended" if cut and not ended else "syntax"


WORDS = {3: b"NaN", 8: b"Infinity", 9: b"-Infinity"}


def as_written(data: bytes) -> bytes:
    """Bytes with the bare words in which `documents.plain` put empty lists."""
    return EMPTIED.sub(lambda emptied: WORDS[len(emptied[0])], data)


def ends_early(error: UnicodeDecodeError) -> bool:
    """Whether no more is wrong than that the last character is not all there."""
    return error.reason == "unexpected end of data"
