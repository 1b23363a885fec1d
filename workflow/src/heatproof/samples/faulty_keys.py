"""Which key of a source a refusal is about, what is wrong with it, and the line that mends it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.readers.params import NUMBERS
from heatproof.readers.records import missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TYPED = re.compile(r"(?P<column>[^:]+): (?P<value>.+) is not (?P<kind>int|float|true or false)")
"""Of a text in a path or a table, or a setting in a log, that is of another type."""
DECODED = re.compile(
    r"Expected `(?P<kind>[^`]*)`, got `(?P<got>[^`]*)` - at `\$\.(?P<place>[^`]*)`(?:;.*)?"
)
"""Of a value in a record."""
TYPES = {"str": "str", "float": "float", "bool": "bool", "int": "int"}
"""What msgspec calls a value → the type of a column that holds it."""
HEADER = re.compile(r"the header has no '(.*)'")
NO_MATCH = "the path does not match"
SHOWN = 4
"""Values named at most."""


class Fault(NamedTuple):
    """What is wrong with a key of a source."""

    key: str = ""
    """`.fields.score`; empty if it is not known, or none is wrong."""
    said: str = ""
    """Of records: `have no 'scor'`; empty if the reason of the refusal says all."""
    mend: str = ""


def fault(reasons: Sequence[str], source: Mapping[str, Any], count: int) -> Fault:
    """The key that refusals of one kind are about.

    Args:
        reasons: theirs, the one that is told first.
        source: the entry as plain values.
        count: of records, so that verbs fit.
    """
    first, _, hint = reasons[0].partition("; ")
    keys = _keys(source)
    if first.startswith(NO_MATCH):
        path = source.get("path") or ""
        return Fault(".path" if path else "", mend=_expression(path))
    if place := missing(first):
        there = re.sub(r"^there are ", "they have " if count > 1 else "it has ", hint)
        verb = "have" if count > 1 else "has"
        told = f"{verb} no {place!r}" + (f"; {there}" if there else "")
        key = keys.get(place, "")
        root = next((one for one in keys if place == "$" and one.startswith("$.")), "")
        if root:  # as JSONPath has it
            key, told = keys[root], f"{told}; a place has no $ in front: {root[2:]}"
        return Fault(key, told)
    if match := HEADER.fullmatch(first):
        is_json = re.match(r"there are \{?\s*[\"']?\{", hint)
        return Fault(
            keys.get(match[1], ""), mend="its lines are JSON: format: jsonl" if is_json else ""
        )
    if match := TYPED.fullmatch(first):
        name = match["column"]
        values = _values(reasons)
        verb = "is" if len(values) == 1 else "are"
        more = ", …" if len(values) > SHOWN else ""
        told = f"{', '.join(values[:SHOWN])}{more} {verb} not {match['kind']}"
        passive = "are" if count > 1 else "is"
        mend = _typed(name, _widest(values), source)
        return Fault(keys.get(name, ""), f"{passive} refused: {told}" if mend else "", mend)
    if match := DECODED.fullmatch(first):
        key = keys.get(re.sub(r"\[[^\]]*\]", ".*", match["place"]), "")
        _, section, name = key.split(".", 2) if key else ("", "", "")
        kind = TYPES.get(match["got"], "") if section == "params" else ""
        mend = _typed(name, kind, source) if kind else ""
        return Fault(key, mend=mend or _shaped(name, match["got"], match["place"], source))
    return Fault()


def _shaped(name: str, got: str, place: str, source: Mapping[str, Any]) -> str:
    """What to write where a record has a value of another shape than its column takes."""
    if name == "sample_id" and source.get("format") in ("jsonl", "json"):
        return "an id is a text or a whole number; where logs hold the problems in one order: $row"
    if name == "score" and got == "object":
        return f"the score lies in it: score: {place}.KEY"
    if name == "score" and got == "array":
        return "one score for each epoch? epochs: {lists: [score]}"
    return ""


def _keys(source: Mapping[str, Any]) -> dict[str, str]:
    """Place in a record, or name of a hyper-parameter → the key that names it."""
    found: dict[str, str] = {}
    for section in ("measures", "fields"):
        for column, place in (source.get(section) or {}).items():
            found[place] = f".{section}.{column}"
    for name, given in (source.get("params") or {}).items():
        place = given.get("field") if isinstance(given, dict) else ""
        found |= {place or name: f".params.{name}", name: f".params.{name}"}
    return found


def _values(reasons: Iterable[str]) -> list[str]:
    """The values that reasons of one kind name."""
    found = (TYPED.fullmatch(reason.partition("; ")[0]) for reason in reasons)
    return list(dict.fromkeys(match["value"] for match in found if match))


def _widest(values: Iterable[str]) -> str:
    """The type of a column that could hold all of some values, as messages spell them."""
    plain = [value.strip("'\"") for value in values]
    if all(value.lower() in ("true", "false") for value in plain):
        return "bool"
    kinds = ("int", "float")
    return next((k for k in kinds if all(NUMBERS[k].fullmatch(one) for one in plain)), "str")


def _expression(path: str) -> str:
    """A regular expression for what is written as `{model}_t{temperature}`, or as a glob."""
    if not re.search(r"\{[A-Za-z_]\w*\}|\*", path) or re.search(r"[][()\\+^$|]", path):
        return ""
    made = path.replace(".", r"\.").replace("**", "*").replace("*", "[^/]*")
    made = re.sub(r"\{([A-Za-z_]\w*)\}", r"(?P<\1>[^/_]+)", made)
    return f"a regular expression names parts by (?P<NAME>…): path: {made}"


def _typed(name: str, kind: str, source: Mapping[str, Any]) -> str:
    """What to write for a hyper-parameter of another type; empty if it is none."""
    given = (source.get("params") or {}).get(name)
    if given is None:
        return ""
    field = given.get("field") if isinstance(given, dict) else ""
    told = f"{{type: {kind}, field: {field}}}" if field else kind
    return f"write params: {{{name}: {told}}}"
