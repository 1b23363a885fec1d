"""Bytes → records and documents; what is wrong with them; keys that stand twice are refused.

The JSON decoder silently takes the last of two values of a key. So `Decoder` counts the values that
it reads and the defaults that it fills in: a record without repeats adds one for each field. Only
where the count differs is each line searched for the key.
"""

from __future__ import annotations

import json
import operator
import re
import types
from contextlib import suppress
from functools import lru_cache, partial
from itertools import count, repeat
from operator import attrgetter, length_hint
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import msgspec

from heatproof.formats.api import Place
from heatproof.logs.streams import BOM, EMPTY, UNENDED, whole
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from heatproof.formats.api import Log


class Repeated(ValueError):
    """A key stands twice, or may do so."""


FAULTS = (msgspec.DecodeError, ValueError, RecursionError)
"""What decoding raises; ValueError for broken UTF-8, repeated keys and endless integers."""
MISFITS = (TypeError, LookupError, ArithmeticError)
"""What turning a decoded record into columns raises besides."""
MANY = 1 << 60
EXCERPT = 80  # characters of a refused record in the table
LIMIT = 1 << 30  # bytes of a document at most by default: it is in memory as a whole
BEGUN = b"-+.0123456789eENaInfity"  # characters of numbers and bare words


class _Counting(type):
    """A type of which every value is an instance, and which counts the tests of that."""

    tests = count(1)
    # Static: from Python 3.14 on a partial in a class is bound like a function.
    __instancecheck__ = staticmethod(partial(next, tests))


class _Counted(metaclass=_Counting):
    """The type of a counted field."""


class Decoder:
    """Decodes records of a struct, and refuses those in which one of its keys stands twice.

    Records of other types are only decoded. Bytes that are not UTF-8 are refused too: msgspec does
    not check strings that it skips.
    """

    def __init__(self, kind: Any, *, as_tuples: bool = False) -> None:
        """`as_tuples`: lines become tuples of the values of the struct, in half the time."""
        self._decoder = msgspec.json.Decoder(kind)
        if _is_struct(kind):
            self._fields = msgspec.structs.fields(kind)
        else:
            self._fields = ()
        self._as_tuples = as_tuples
        row = kind
        if as_tuples:
            row = types.GenericAlias(tuple, tuple(field.type for field in self._fields))
        self._kind: Any = types.GenericAlias(list, row)
        counted: list[Any] = []
        self._defaults: list[repeat[Any]] = []  # used up by one for each absent field
        for field in self._fields:
            default: list[Any] = []
            if not field.required:
                make = field.default_factory
                if make is msgspec.NODEFAULT:
                    value = field.default
                else:
                    value = make()
                self._defaults.append(repeat(value, MANY))
                default = [msgspec.field(default_factory=self._defaults[-1].__next__)]
            counted.append((field.name, _Counted, *default))
        names = {field.name: field.encode_name for field in self._fields}
        shadow = msgspec.defstruct("Counted", counted, rename=names, gc=False)
        self._counting = msgspec.json.Decoder(shadow)
        raws = [(f.name, msgspec.Raw, msgspec.Raw(b"")) for f in self._fields if _holds(f.type)]
        names = {name: names[name] for name, *_ in raws}
        objects = msgspec.defstruct("Objects", raws, rename=names, gc=False)
        self._objects = msgspec.json.Decoder(objects) if raws else None
        self._nested = [attrgetter(name) for name in names]

    def lines(self, data: bytes | memoryview) -> list[Any]:
        """The records of a chunk, one a line. Raises FAULTS; `single` says what is wrong."""
        if not (isinstance(data, bytes) and data.isascii()):
            bounds = np.array([0, len(data)])
            text = pa.LargeStringArray.from_buffers(1, pa.py_buffer(bounds), pa.py_buffer(data))
            text.validate(full=True)  # UTF-8, checked in place
        if not self._fields:
            return self._decoder.decode_lines(data)
        before = self._tally()
        counted = self._counting.decode_lines(data)
        if self._tally() - before - 1 != len(self._fields) * len(counted):
            raise Repeated
        self._look_inside(counted, data)
        records: Any = counted
        if self._as_tuples:
            records = list(map(msgspec.structs.astuple, counted))
        return msgspec.convert(records, self._kind, from_attributes=True)  # type: ignore[no-any-return]

    def _look_inside(self, counted: list[Any], data: bytes | memoryview) -> None:
        """Raise Repeated if a key stands twice in an object within a record."""
        kinds: set[type] = set()
        for value in self._nested:
            kinds.update(map(type, map(value, counted)))
        nested = self._objects if kinds & {dict, list} else None
        for record in nested.decode_lines(data) if nested else ():
            for raw in msgspec.structs.astuple(record):
                text = bytes(memoryview(raw))
                if b"{" in text:
                    require_unique(text)

    def _tally(self) -> int:
        """Counted values and defaults so far, and calls of this function."""
        return next(_Counting.tests) + sum(MANY - length_hint(supply) for supply in self._defaults)

    def one(self, data: bytes) -> Any:
        """A record. Raises Error: it does not fit, or a key stands twice."""
        with suppress(*FAULTS):
            [record] = self.lines(data)
            return record
        try:
            return self.single(data)
        except FAULTS as error:
            raise fault(error, data) from error

    def single(self, data: bytes) -> Any:
        """A single record. Raises FAULTS; Repeated names the key."""
        str(data, "utf-8")
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
def decoder_of(kind: Any, *, as_tuples: bool = False) -> Decoder:
    """The decoder of a type, made once for many small logs."""
    return Decoder(kind, as_tuples=as_tuples)


class Key(str):
    """A key that equals no other, so that an object keeps all members of one name."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def members(data: bytes | msgspec.Raw, needed: Collection[str] = ()) -> dict[str, msgspec.Raw]:
    """Key → bytes, of an object. Raises FAULTS: it is none, or a (`needed`) key stands twice."""
    pairs = msgspec.json.decode(data, type=dict[Key, msgspec.Raw], dec_hook=operator.call)
    raws = {str(key): raw for key, raw in pairs.items()}
    if len(raws) < len(pairs):
        _unique([(key, None) for key in map(str, pairs) if not needed or key in needed])
    return raws


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _holds(kind: Any) -> bool:
    """Whether a value may be, or hold, an object whose keys are read."""
    origin = get_origin(kind)
    arguments = get_args(kind)
    if origin in (Union, types.UnionType):
        return any(map(_holds, arguments))
    if origin is list:
        return arguments[0] is not Any and _holds(arguments[0])
    return kind is Any or _is_struct(kind) or origin is dict


def require_unique(data: bytes) -> None:
    """Raise Repeated if a key stands twice in any object of a document."""
    LOOK.decode(data.decode("utf-8-sig"))


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Repeated(f"the key {next(k for k in keys if keys.count(k) > 1)!r} occurs twice")


LOOK = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str)
BARE = re.compile(rb'"(?:[^"\\]+|\\.)*+(?:"|\\?\Z)|-?Infinity|NaN', re.DOTALL)
"""Strings, to skip them, and bare words that Python writes for numbers that JSON lacks.

A string without an end reaches to the end of the document: so each byte is read once.
"""
EMPTIED = re.compile(rb"\[\t(?: {5,6})?\]")  # stands for a bare word of its length: see `plain`
WORDS = {3: b"NaN", 8: b"Infinity", 9: b"-Infinity"}


def plain(data: bytes) -> bytes:
    """The document with bare NaN and Infinity as empty lists of their length.

    All else stays in place. A list is refused as a number, and unlike a text it is no key.
    """
    if b"NaN" not in data and b"Infinity" not in data:
        return data
    return BARE.sub(
        lambda m: m[0] if m[0][:1] == b'"' else b"[\t" + b" " * (len(m[0]) - 3) + b"]", data
    )


def as_written(data: bytes) -> bytes:
    """Bytes with the bare words that `plain` replaced."""
    return EMPTIED.sub(lambda emptied: WORDS[len(emptied[0])], data)


def fault(error: Exception, data: bytes, *, cut: bool = False) -> Error:
    """Why a record could not be decoded; `cut`: it is the last one, and its line has no end."""
    kind = "syntax"
    why = ""
    text = str(error)
    if isinstance(error, UnicodeDecodeError):
        cut = cut and _ends_early(error)
        why = f"invalid UTF-8: byte 0x{error.object[error.start]:02x} at {error.start}"
    elif isinstance(error, msgspec.ValidationError | Repeated):
        if isinstance(error, msgspec.ValidationError):
            kind = "missing" if "missing required field" in text else "type"
        emptied = EMPTIED.search(data) if "got `array`" in text else None
        if emptied:
            bare = as_written(emptied[0]).decode()
            place = text[text.find(" - at ") :] if " - at " in text else ""
            return Error(
                f"not JSON: {bare} (a bare word) is no number{place}", kind, field_of(text)
            )
        return Error(text, kind, field_of(text))
    elif isinstance(error, RecursionError):
        return Error("nested too deeply", kind)
    elif "integer string conversion" in text:
        return Error("a number is out of range", kind)
    if cut:
        return Error(f"the log ends within this line: {UNENDED}", "unended")
    bare = next((f"{bare.decode()} (a bare word): " for bare in (b"NaN", b"Infinity")
                 if bare in data), "")  # fmt: skip
    return Error(why or f"not JSON: {bare}{text}", kind)


FIELD = re.compile(
    r"Object missing required field `([^`]*)`(?: - at `\$\.?(.*)`)?"
    r"|Expected `[^`]*`, got `[^`]*` - at `\$\.([^`]*)`"
)
"""How the decoder names a missing key and its place, or the place of another type."""


def field_of(text: str) -> str:
    """The place in a record that an error of the decoder is about, if it names one."""
    match = FIELD.fullmatch(text)
    if match is None:
        return ""
    if match[3]:
        return re.sub(r"\[[^\]]*\]", ".*", match[3])
    return ".".join(filter(None, (match[2], match[1])))


def _ends_early(error: UnicodeDecodeError) -> bool:
    """Whether only the end of the last character is missing."""
    return error.reason == "unexpected end of data"


def excerpt(data: bytes) -> str:
    """The first characters of a record, with control characters and broken bytes escaped."""
    text = as_written(data[: 4 * EXCERPT]).decode("utf-8", "backslashreplace")[:EXCERPT]
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


# Documents held in memory: their parts, and where in the bytes each lies.


def document(log: Log, limit: int) -> bytes:
    """A whole log, valid UTF-8; bare NaN and Infinity, which Python writes, as by `plain`.

    Raises Error: it is empty, damaged, not UTF-8 or longer than `limit` bytes.
    """
    data = whole(log.file, log.path, limit)
    if data.startswith(BOM):
        data = b"   " + data[3:]  # a mark is no JSON; all places stay
    if not data.strip():
        raise Error(EMPTY, "empty")
    try:
        _ = data.isascii() or data.decode()
    except UnicodeDecodeError as error:
        raise document_fault(error, data) from error
    return plain(data)


def object_in(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; an empty one where there is none."""
    value = mapping.get(key)
    return value if isinstance(value, dict) else {}


def objects_in(mapping: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in the list under a key; none where there is no list."""
    value = mapping.get(key)
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    return []


def document_fault(error: Exception, data: bytes) -> Error:
    """Why a whole document cannot be read; perhaps only its end is missing."""
    ended = isinstance(error, UnicodeDecodeError) and _ends_early(error)
    if type(error) is msgspec.DecodeError:
        try:
            msgspec.json.decode(plain(data.rstrip(BEGUN)), type=msgspec.Raw)
        except FAULTS as first:
            ended = str(first) == "Input data was truncated"
    if ended:
        return Error(f"the document ends too early: {UNENDED}", "unended")
    return fault(error, data)


def decoded(data: bytes, kind: Any, name: str = "") -> Any:
    """A document as a `kind`; bare NaN and Infinity become lists.

    Raises:
        Error: it is no such document, or a key stands twice in it; the message begins with `name`.
    """
    try:
        _ = data.isascii() or data.decode()
        data = plain(data)
        value = msgspec.json.decode(data, type=kind)
        require_unique(data)
    except FAULTS as error:
        why = document_fault(error, data)
        raise Error(f"{name}: {why}" if name else why, why.kind) from error
    return value


def places(
    data: bytes,
    raws: list[msgspec.Raw],
    begins: Place | None = None,
    last_place: Place | None = None,
) -> list[Place]:
    """Where each record lies: a Raw is a view into the document, so addresses give offsets.

    `begins`: of the document in its log. `last_place`: one before the records whose line is known.
    """
    if begins:
        line = begins.line
        before = begins.offset
    else:
        line, before = 1, 0
    base = _address(data)
    last = 0
    spots = []
    if last_place and raws and last_place.offset <= _address(raws[0]) - base:
        line = last_place.line
        last = last_place.offset
    for raw in raws:
        offset = _address(raw) - base
        if not 0 <= offset <= len(data) - len(memoryview(raw)):
            raise IndexError("a record is no view into its document: `items` takes no copies")
        line += data.count(b"\n", last, offset)
        last = offset
        spots.append(Place(line, before + offset, len(memoryview(raw))))
    return spots


def span(data: bytes | msgspec.Raw, raw: msgspec.Raw) -> tuple[int, int]:
    """Offsets of the first byte of a part of a document and of the byte behind it."""
    start = _address(raw) - _address(data)
    return start, start + len(memoryview(raw))


def _address(buffer: bytes | msgspec.Raw) -> int:
    import numpy as np

    return int(np.frombuffer(memoryview(buffer), dtype=np.uint8).__array_interface__["data"][0])
