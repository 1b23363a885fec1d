"""Bytes → records and documents: keys that stand twice refused, and what is wrong with the others.

The JSON decoder silently takes the last of two values of a key. So a decoder of our own counts the
values that it meets and the defaults that it fills in: a record without repeats adds one for each
field. Objects in records are looked into one by one; only where a repeat is suspected, so are
lines.
"""

from __future__ import annotations

import json
import re
import types
from functools import lru_cache, partial
from itertools import count, repeat
from operator import attrgetter, length_hint
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import msgspec

from heatproof.formats.api import Place
from heatproof.logs.streams import BOM, EMPTY, UNENDED, whole
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from heatproof.formats.api import Log


class Repeated(ValueError):
    """A key stands twice, or an object may hold one that does."""


FAULTS = (msgspec.DecodeError, ValueError, RecursionError)
"""What decoding raises; of ValueErrors: no JSON, broken UTF-8, repeated keys, endless integers."""
MISFITS = (TypeError, LookupError, ArithmeticError)
"""What turning a decoded record into columns raises, beyond that."""
MANY = 1 << 60
EXCERPT = 80  # characters of a refused record kept to recognise it by
LIMIT = 1 << 30
"""Bytes of a document at most, unless config.yaml says otherwise: it is held in memory whole."""
BEGUN = b"-+.0123456789eENaInfity"
"""What a number or a bare word is made of, of which only the beginning may be there."""


class _Met(type):
    """A type that any value is an instance of, and that counts how often that is tested."""

    tests = count(1)
    # Static: from Python 3.14 on a partial that is found in a class is bound like a function.
    __instancecheck__ = staticmethod(partial(next, tests))


class _Any(metaclass=_Met):
    """The type of a field that is counted."""


class Decoder:
    """Decodes records of a struct, and refuses those in which a wanted key stands twice.

    Where `kind` is something else than a struct, records are only decoded. Bytes that are not UTF-8
    are refused too: msgspec does not look into strings that it skips.
    """

    def __init__(self, kind: Any) -> None:
        self._decoder = msgspec.json.Decoder(kind)
        self._fields = msgspec.structs.fields(kind) if is_struct(kind) else ()
        counted: list[Any] = []
        self._defaults: list[repeat[Any]] = []
        """What is left of the supply of a default tells how often its field was absent."""
        for field in self._fields:
            default: list[Any] = []
            if not field.required:
                make = field.default_factory
                value = field.default if make is msgspec.NODEFAULT else make()
                self._defaults.append(repeat(value, MANY))
                default = [msgspec.field(default_factory=self._defaults[-1].__next__)]
            counted.append((field.name, _Any, *default))
        # {}.get(type, value) is the value: a callback that never leaves C.
        hook = dict[Any, Any]().get
        names = {field.name: field.encode_name for field in self._fields}
        shadow = msgspec.defstruct("Counted", counted, rename=names, gc=False)
        self._counting = msgspec.json.Decoder(shadow, dec_hook=hook)
        raws = [(f.name, msgspec.Raw, msgspec.Raw(b"")) for f in self._fields if _holds(f.type)]
        names = {name: names[name] for name, *_ in raws}
        objects = msgspec.defstruct("Objects", raws, rename=names, gc=False)
        self._objects = msgspec.json.Decoder(objects) if raws else None
        self._nested = [attrgetter(name) for name in names]

    def lines(self, data: bytes | memoryview) -> list[Any]:
        """The records of a chunk, one a line.

        Raises:
            Repeated: a key may stand twice; `single` says where.
            msgspec.DecodeError, RecursionError, ValueError: as the decoder itself.
        """
        str(data, "utf-8")
        return self.values(data)

    def values(self, data: bytes | memoryview) -> list[Any]:
        """The records that follow one another in a text known to be UTF-8. Raises as `lines`."""
        if not self._fields:
            return self._decoder.decode_lines(data)
        before = self._tally()
        counted = self._counting.decode_lines(data)
        if self._tally() - before - 1 != len(self._fields) * len(counted):
            raise Repeated
        kinds = {kind for value in self._nested for kind in map(type, map(value, counted))}
        nested = self._objects if kinds & {dict, list} else None
        for record in nested.decode_lines(data) if nested else ():
            for raw in msgspec.structs.astuple(record):
                text = bytes(memoryview(raw))
                if b"{" in text:
                    require_unique(text)
        kind: Any = list[self._decoder.type]  # type: ignore[name-defined]
        return msgspec.convert(counted, kind, from_attributes=True)  # type: ignore[no-any-return]

    def _tally(self) -> int:
        """One more than at the last call, and one for each value met or filled in in between."""
        return next(_Met.tests) + sum(MANY - length_hint(supply) for supply in self._defaults)

    def one(self, data: bytes) -> Any:
        """A record of a document, of which it is known that it is UTF-8.

        Raises:
            Error: it does not fit its type, or a key that is read stands twice in it.
        """
        try:
            try:
                [record] = self.values(data)
            except FAULTS:
                record = self.single(data)  # says what is wrong
        except FAULTS as error:
            raise fault(error, data) from error
        return record

    def single(self, data: bytes) -> Any:
        """A single record. Raises as `lines`; Repeated names the key."""
        misfit = record = None
        try:
            record = self._decoder.decode(data)
        except msgspec.ValidationError as error:
            misfit = error  # of two values of a key, one may fit
        names = {field.encode_name: field.type for field in self._fields}
        for name, raw in members(data, names).items() if names else ():
            if name in names and _holds(names[name]):
                require_unique(bytes(memoryview(raw)))
        if misfit:
            raise misfit
        return record


@lru_cache(maxsize=8)
def decoder_of(kind: Any) -> Decoder:
    """Made once for each type: a reader may have one for thousands of small logs."""
    return Decoder(kind)


class Key(str):
    """A key of an object, like no other: so all members stay that have the same."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def members(data: bytes | msgspec.Raw, needed: Collection[str] = ()) -> dict[str, msgspec.Raw]:
    """Key → bytes, of an object.

    Raises:
        Repeated: a key stands twice, or one of those that are `needed`, if such are given.
        msgspec.DecodeError, RecursionError: it is no object.
    """
    kind = dict[Key, msgspec.Raw]
    pairs = msgspec.json.decode(data, type=kind, dec_hook=lambda kind, key: kind(key))
    parts = {str(key): raw for key, raw in pairs.items()}
    if len(parts) < len(pairs):
        _require([key for key in map(str, pairs) if not needed or key in needed])
    return parts


def is_struct(kind: Any) -> bool:
    """Whether records of a type are decoded field by field."""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _holds(kind: Any) -> bool:
    """Whether a value may be an object that is looked into, or a list of such."""
    return any(
        part is Any or is_struct(part) or get_origin(part) is dict
        or (get_origin(part) is list and get_args(part)[0] is not Any and _holds(get_args(part)[0]))
        for part in (get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,))
    )  # fmt: skip


def require_unique(data: bytes) -> None:
    """Raise Repeated if a key stands twice in an object of a document, however deep it lies."""
    LOOK.decode(data.decode("utf-8-sig"))


def _require(keys: Sequence[str]) -> None:
    if len(set(keys)) < len(keys):
        raise Repeated(f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice")


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        _require([key for key, _ in pairs])


LOOK = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str)
"""Made once: that takes longer than to look at a short record."""


BARE = re.compile(rb'"(?:[^"\\]+|\\.)*+(?:"|\\?\Z)|-?Infinity|NaN', re.DOTALL)
"""Strings, to skip them, and the bare words that Python writes for numbers that JSON lacks.

A string that does not end reaches to the end of the document: so each byte is looked at once.
"""
EMPTIED = re.compile(rb"\[\t(?: {5,6})?\]")
"""What stands in a document for a bare word of the same length."""
WORDS = {3: b"NaN", 8: b"Infinity", 9: b"-Infinity"}


def plain(data: bytes) -> bytes:
    """The document with bare NaN and Infinity as empty lists of the same length.

    What lies elsewhere stays in place. Where one is wanted as a number, a list is none; and unlike
    a text it cannot pass for a key.
    """
    return BARE.sub(
        lambda m: m[0] if m[0][:1] == b'"' else b"[\t" + b" " * (len(m[0]) - 3) + b"]", data
    )


def as_written(data: bytes) -> bytes:
    """Bytes with the bare words in which `plain` put empty lists."""
    return EMPTIED.sub(lambda emptied: WORDS[len(emptied[0])], data)


def fault(error: Exception, data: bytes, *, cut: bool = False) -> Error:
    """Why a record could not be decoded; `cut`: it is the last one, and its line has no end."""
    kind, why, text = "syntax", "", str(error)
    if isinstance(error, UnicodeDecodeError):
        cut = cut and ends_early(error)
        why = f"invalid UTF-8: byte 0x{error.object[error.start]:02x} at {error.start}"
    elif isinstance(error, msgspec.ValidationError | Repeated):
        if isinstance(error, msgspec.ValidationError):
            kind = "missing" if "missing required field" in text else "type"
        emptied = EMPTIED.search(data) if "got `array`" in text else None
        if emptied:
            bare = as_written(emptied[0]).decode()
            return Error(f"not JSON: {bare} (a bare word): {text}", kind)
        return Error(text, kind, field_of(text))
    elif isinstance(error, RecursionError):
        return Error("nested too deeply", kind)
    elif "integer string conversion" in text:
        return Error("a number is out of range", kind)
    if cut:
        return Error(f"the log ends within this line: {UNENDED}", "unended")
    word = next((f"{word.decode()} (a bare word): " for word in (b"NaN", b"Infinity")
                 if word in data), "")  # fmt: skip
    return Error(why or f"not JSON: {word}{text}", kind)


FIELD = re.compile(
    r"Object missing required field `([^`]*)`(?: - at `\$\.?(.*)`)?"
    r"|Expected `[^`]*`, got `[^`]*` - at `\$\.([^`]*)`"
)
"""How the decoder words what does not fit: the key that is missing, where; the place."""


def field_of(text: str) -> str:
    """The place in a record that an error of the decoder is about; empty if it names none."""
    match = FIELD.fullmatch(text)
    if match is None:
        return ""
    if match[3]:
        return re.sub(r"\[[^\]]*\]", ".*", match[3])
    return ".".join(filter(None, (match[2], match[1])))


def ends_early(error: UnicodeDecodeError) -> bool:
    """Whether no more is wrong than that the last character is not all there."""
    return error.reason == "unexpected end of data"


def excerpt(data: bytes) -> str:
    """The first characters of a record, control characters and broken bytes made visible."""
    text = as_written(data[: 4 * EXCERPT]).decode("utf-8", "backslashreplace")[:EXCERPT]
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


# Documents held in memory: their parts, and where in the bytes each lies.


def document(log: Log, limit: int) -> bytes:
    """The whole of a log, valid UTF-8; bare NaN and Infinity, which Python writes, as by `plain`.

    Raises:
        Error: it is empty, damaged, not UTF-8 or longer than `limit` bytes.
    """
    data = whole(log.file, log.path, limit)
    if data.startswith(BOM):
        data = b"   " + data[3:]  # blanks, for a mark is no JSON; all places stay
    if not data.strip():
        raise Error(EMPTY, "empty")
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        raise document_fault(error, data) from error
    if b"NaN" in data or b"Infinity" in data:
        try:
            msgspec.json.decode(data, type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError):
            return plain(data)
    return data


def object_in(within: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object that stands under a key; an empty one where there is none, or something else."""
    value = within.get(key)
    return value if isinstance(value, dict) else {}


def objects_in(within: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of the list that stands under a key; none where there is none."""
    value = within.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def document_fault(error: Exception, data: bytes) -> Error:
    """Why a whole document cannot be read: there may be no more wrong with it than that it ends."""
    ended = isinstance(error, UnicodeDecodeError) and ends_early(error)
    if type(error) is msgspec.DecodeError:
        try:
            msgspec.json.decode(plain(data.rstrip(BEGUN)), type=msgspec.Raw)
        except msgspec.DecodeError as first:
            ended = str(first) == "Input data was truncated"
        except (ValueError, RecursionError):
            pass
    return (
        Error(f"the document ends too early: {UNENDED}", "unended") if ended else fault(error, data)
    )


def decoded(data: bytes, kind: Any, name: str = "") -> Any:
    """A document as a `kind`; bare NaN and Infinity, which Python writes, become lists.

    Raises:
        Error: it is no such document, or a key stands twice in it; the message begins with `name`.
    """
    try:
        if not data.isascii():
            data.decode()
        try:
            value = msgspec.json.decode(data, type=kind)
        except msgspec.DecodeError:
            value = msgspec.json.decode(plain(data), type=kind)
        require_unique(data)
    except FAULTS as error:
        why = document_fault(error, data)
        raise Error(f"{name}: {why}" if name else why, why.kind) from error
    return value


def places(
    data: bytes, raws: list[msgspec.Raw], begins: Place | None = None, since: Place | None = None
) -> list[Place]:
    """Where each record lies: a Raw is a view into the document, so addresses tell offsets.

    `begins`: where in a log the document does, if it is not all of it. `since`: a place before the
    records, of which the line is known.
    """
    line, before = (begins.line, begins.offset) if begins else (1, 0)
    base, last, spots = _address(data), 0, []
    if since and raws and since.offset <= _address(raws[0]) - base:
        line, last = since.line, since.offset
    for raw in raws:
        offset = _address(raw) - base
        line += data.count(b"\n", last, offset)
        last = offset
        spots.append(Place(line, before + offset, len(memoryview(raw))))
    return spots


def span(data: bytes | msgspec.Raw, raw: msgspec.Raw) -> tuple[int, int]:
    """Where a part of a document begins and ends, in bytes."""
    start = _address(raw) - _address(data)
    return start, start + len(memoryview(raw))


def _address(buffer: bytes | msgspec.Raw) -> int:
    import numpy as np

    return int(np.frombuffer(memoryview(buffer), dtype=np.uint8).__array_interface__["data"][0])
