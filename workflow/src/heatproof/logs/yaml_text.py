"""YAML as JSON text on the same lines, so that a refusal names the line of the file.

Scalars are what YAML 1.2 takes them for: true is no text, but yes, no, dates and times are. A key
that stands twice is refused, and so are tags of a language, and aliases that stand for too much:
the JSON is made of the parser's events, and no step needs more memory than the text that comes out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

ENDINGS = (".yaml", ".yml")
NULL = re.compile(r"|~|null|Null|NULL")
TRUTH = re.compile(r"true|True|TRUE|false|False|FALSE")
WHOLE = re.compile(r"\+?(-?)0*([0-9]+)")
NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")  # JSON has none of these
MERGE = "<<"
TAGS = "tag:yaml.org,2002:"
PLAIN_TAGS = {
    None,
    "!",
    *(f"{TAGS}{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")),
}
ALIASES = 16 << 20  # bytes that aliases may stand for
DEEPEST = 200  # values within each other


class Value(NamedTuple):
    """JSON text, and the number of the line on which it begins."""

    line: int
    text: bytes
    key: str | None = None  # what a scalar is as a key
    pairs: dict[str, tuple[Value, Value]] = {}  # key and value, of a mapping

    def moved(self, line: int) -> Value:
        """The same, all of it on another line."""
        return self._replace(line=line, text=self.text.replace(b"\n", b""))


class Collection(NamedTuple):
    """A sequence or mapping whose end is not there yet; of a mapping keys and values, in turn."""

    line: int
    values: list[Value]
    anchor: str | None = None
    end: Any = None  # the function that makes a value of it


def yaml_as_json(data: bytes) -> bytes:
    """A document as JSON; several as a list of them; none as nothing. Raises Error."""
    import yaml

    builder = Builder()
    try:
        for event in yaml.parse(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        if mark and mark.index >= len(data.decode(errors="replace")):
            raise EOFError from error
        raise Error(f"not YAML: {' '.join(str(error).split())}", "syntax") from error
    documents = builder.open[0].values
    if len(documents) > 1:
        documents = [_sequence_value(0, documents)]
    return _laid_out(0, documents)


class Builder:
    """Makes JSON of the events of a parser."""

    def __init__(self) -> None:
        self.open = [Collection(0, [])]  # the innermost last; the first holds the documents
        self.anchors: dict[str, Value] = {}
        self.expanded = 0  # bytes that aliases stand for

    def take(self, event: Any) -> None:
        """Take the next event. Raises Error."""
        kind, line = type(event).__name__, event.start_mark.line
        if getattr(event, "tag", None) not in PLAIN_TAGS:
            raise _refusal(line, f"the tag {event.tag.replace(TAGS, '!!')!r} is not known")
        if len(self.open) > DEEPEST:  # the parser takes time that grows with the square of depth
            raise _refusal(line, f"more than {DEEPEST} values lie within each other")
        if kind == "SequenceStartEvent":
            self.open.append(Collection(line, [], event.anchor, _sequence_value))
        elif kind == "MappingStartEvent":
            self.open.append(Collection(line, [], event.anchor, _mapping_value))
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            collection = self.open.pop()
            self.put(collection.end(collection.line, collection.values), collection.anchor)
        elif kind == "ScalarEvent":
            self.put(_scalar(event), event.anchor)
        elif kind == "AliasEvent":
            self.put(self.aliased(event.anchor, line))

    def put(self, value: Value, anchor: str | None = None) -> None:
        self.open[-1].values.append(value)
        if anchor:
            self.anchors[anchor] = value

    def aliased(self, anchor: str, line: int) -> Value:
        """What stands at an anchor. Raises Error: nothing does, or too much."""
        if anchor not in self.anchors:
            raise _refusal(line, f"no value that ends before it has the anchor {anchor!r}")
        value = self.anchors[anchor]
        self.expanded += len(value.text)
        if self.expanded > ALIASES:
            raise _refusal(line, f"its aliases stand for more than {ALIASES >> 20} MiB")
        return value.moved(line)


def _refusal(line: int, why: str) -> Error:
    return Error(f"YAML, line {line + 1}: {why}", "syntax")


def _scalar(event: Any) -> Value:
    text, line = event.value, event.start_mark.line
    encoded = msgspec.json.encode(text)
    if not event.implicit[0] and event.tag in (None, "!", f"{TAGS}str"):  # in quotes
        return Value(line, encoded, text)
    if NULL.fullmatch(text) or NO_NUMBER.fullmatch(text):
        encoded = b"null"
    elif TRUTH.fullmatch(text):
        encoded = text.lower().encode()
    elif match := WHOLE.fullmatch(text):
        encoded = "".join(match.groups()).encode()
    elif NUMBER.fullmatch(text):
        encoded = msgspec.json.encode(float(text))
    return Value(line, encoded, text)


def _mapping_value(line: int, values: Sequence[Value]) -> Value:
    """A mapping; what it merges (`<<: *base`) does not count where it has the key itself."""
    pairs: dict[str, tuple[Value, Value]] = {}
    merged: dict[str, tuple[Value, Value]] = {}
    for name, value in zip(values[::2], values[1::2], strict=True):
        key = name.key
        if key is None or (key == MERGE and not value.pairs):
            raise _refusal(name.line, "a key is no text")
        if key in pairs:
            raise _refusal(name.line, f"the key {key!r} occurs twice")
        if key == MERGE:
            for key_before, (its_name, its_value) in value.pairs.items():
                merged[key_before] = its_name.moved(line), its_value.moved(line)
        else:
            pairs[key] = name, value
    pairs = {key: pair for key, pair in merged.items() if key not in pairs} | pairs
    items: list[Value] = []
    for key, (name, value) in pairs.items():
        comma = b"," if items else b""
        items += [Value(name.line, comma + msgspec.json.encode(key) + b":"), value]
    return Value(line, b"{" + _laid_out(line, items) + b"}", pairs=pairs)


def _sequence_value(line: int, values: Sequence[Value]) -> Value:
    items = [value._replace(text=b"," + value.text) for value in values]
    items[:1] = values[:1]
    return Value(line, b"[" + _laid_out(line, items) + b"]")


def _laid_out(line: int, values: Sequence[Value]) -> bytes:
    """Texts one behind the other, each on its own line unless what is before reaches beyond it."""
    lines = []
    for value in values:
        lines += [b"\n" * (value.line - line), value.text]
        line = max(line, value.line) + value.text.count(b"\n")
    return b"".join(lines)
