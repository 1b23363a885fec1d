"""Which key of a source a refusal is about, what is wrong with it, and the line that mends it.

A reason is a sentence of a reader; what it says of keys, types and scores is read off it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats.params import NUMBERS
from heatproof.formats.records import missing
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.logs.refusals import Refused

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
ABOVE, BELOW = "score above ", "score below "
VALUES_AT_MOST = 4
"""Values named at most."""
RIGHT = {"1", "c", "correct", "match", "ok", "pass", "passed", "right", "solved", "success", "t",
         "true", "y", "yes"}  # fmt: skip
WRONG = {"0", "error", "f", "fail", "failed", "failure", "false", "i", "incorrect", "mismatch", "n",
         "no", "no match", "unsolved", "wrong", "x"}  # fmt: skip
EXTREMES: dict[str, tuple[str, Any]] = {"above": ("largest", max), "below": ("least", min)}
PERCENT = 10
"""The highest score is at least so much if the scores are taken for percent."""
VERDICTS = "`verdicts` in config.yaml"
"""Ends the reason where a score is a text."""
HEAD = 2
"""Lines of a log in which one document that is spread over lines is seen not to be lines."""
TEXTS_AT_MOST = 8
"""Texts in the place of scores that are told at most."""
PLAIN = re.compile(r"[A-Za-z][\w -]*\w")
"""Texts that YAML takes for texts, unless they are words of its own."""
WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
"""Those of YAML."""


class Fault(NamedTuple):
    """What is wrong with a key of a source."""

    key: str = ""
    """`.fields.score`; empty if it is not known, or none is wrong."""
    words: str = ""
    """Of records: `have no 'scor'`; empty if the reason of the refusal says all."""
    cure: str = ""


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
        return Fault(".path" if path else "", cure=_expression(path))
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
            keys.get(match[1], ""), cure="its lines are JSON: format: jsonl" if is_json else ""
        )
    if match := TYPED.fullmatch(first):
        name = match["column"]
        values = _values(reasons)
        verb = "is" if len(values) == 1 else "are"
        more = ", …" if len(values) > VALUES_AT_MOST else ""
        told = f"{', '.join(values[:VALUES_AT_MOST])}{more} {verb} not {match['kind']}"
        passive = "are" if count > 1 else "is"
        mend = _dotless(name, values, source) or _typed(name, _widest(values), source)
        return Fault(keys.get(name, ""), f"{passive} refused: {told}" if mend else "", mend)
    if match := DECODED.fullmatch(first):
        key = keys.get(re.sub(r"\[[^\]]*\]", ".*", match["place"]), "")
        _, section, name = key.split(".", 2) if key else ("", "", "")
        kind = TYPES.get(match["got"], "") if section == "params" else ""
        mend = _typed(name, kind, source) if kind else ""
        return Fault(key, cure=mend or _shaped(name, match["got"], match["place"], source))
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


def _dotless(name: str, values: Iterable[str], source: Mapping[str, Any]) -> str:
    """What to write for a number in a path that has the dot of the path's ending behind it."""
    group = re.search(rf"\(\?P<{re.escape(name)}>\[[^]]*\][+*]\)", source.get("path") or "")
    if not group or not all(re.fullmatch(r"-?\d+(\.\d+)?\.", v.strip("'\"")) for v in values):
        return ""
    whole = rf"(?P<{name}>\d+(?:\.\d+)?)"
    return f"the pattern takes the dot behind it: write {whole} instead of {group[0]}"


def _typed(name: str, kind: str, source: Mapping[str, Any]) -> str:
    """What to write for a hyper-parameter of another type; empty if it is none."""
    given = (source.get("params") or {}).get(name)
    if given is None:
        return ""
    field = given.get("field") if isinstance(given, dict) else ""
    told = f"{{type: {kind}, field: {field}}}" if field else kind
    return f"write params: {{{name}: {told}}}"


def scores(group: Sequence[Refused], lost: int, records: int, where: str) -> str:
    """What is wrong with scores on another scale, counted together; empty if it is not that."""
    side, _, end = group[0].kind.removeprefix("score ").partition(" ")
    if side not in EXTREMES:
        return ""
    word, most = EXTREMES[side]
    extreme = most(v for part in group for v in (part.lowest, part.highest) if v is not None)
    verb = "lies" if lost == 1 else "lie"
    share = f"{lost:,} of {numbered(records, 'score')}{where}"
    return f"{share} {verb} {side} {end}, the {word} is {extreme:g}"


def cure(group: Sequence[Refused], source: Mapping[str, Any]) -> str:
    """What would mend a kind of reason; empty if the reason says it, or nothing is known."""
    kind, first = group[0].kind, group[0]
    if kind.startswith(ABOVE):
        return _range(max(part.highest or 0 for part in group), source)
    if kind.startswith(BELOW):
        return _signed(min(part.lowest or 0 for part in group), source)
    if is_text(first):
        return _verdicts(group, source.get("verdicts", {}))
    if kind.startswith("repeats ") and "epoch" in source.get("fields", {}):
        number = "$key" if source["format"] == "json" else "$row"
        return f"what fields.epoch names does not tell repetitions apart; epoch: {number} does"
    return _form(first, source.get("format", ""))


def is_text(refused: Refused) -> bool:
    """Whether the reason is a text in the place of a score."""
    return VERDICTS in refused.reason or "is none of the verdicts" in refused.kind


def _form(first: Refused, form: str) -> str:
    """What a log is rather than JSON of the form that is given; empty if it may be that."""
    lines = first.kind.startswith("not JSON") and form == "jsonl" and first.line <= HEAD
    if "a bare word" in first.reason:
        return "JSON has none: write null"
    if lines and "must be strings (byte 1)" in first.reason:
        return "names in single quotes are Python's: write records by json.dumps"
    if lines and first.reason.endswith("(byte 0)"):
        return "its lines are no JSON from their first sign on; a table? format: csv"
    if lines:
        return "is it one document, not a record a line? format: json"
    if "trailing characters" in first.reason and form == "json":
        return "is it a record a line, not one document? format: jsonl"
    return ""


def range_ends(source: Mapping[str, Any]) -> Sequence[float]:
    """The lowest and highest score as config.yaml tells them; empty if it does not."""
    given = source.get("range") or []
    return (given.get("score") if isinstance(given, dict) else given) or []


def _signed(lowest: float, source: Mapping[str, Any]) -> str:
    """The range of scores below 0; empty if one is given, or the format knows of none."""
    given = source.get("range")
    if given is None or range_ends(source):
        return ""
    ends = f"[{lowest:.17g}, {max(1, -lowest):.17g}]"
    return f"another scale? range: {f'{{score: {ends}}}' if isinstance(given, dict) else ends}"


def _range(highest: float, source: Mapping[str, Any]) -> str:
    given = source.get("range")
    if given is None:  # the format knows of scores from 0 to 1 alone
        return ""
    told = range_ends(source)
    percent = not told and PERCENT <= highest <= 100
    ends = [told[0] if told else 0, 100 if percent else highest]
    text = ", ".join(f"{end:.17g}" for end in ends)
    key = f"range: {{score: [{text}]}}" if isinstance(given, dict) else f"range: [{text}]"
    if percent and highest == PERCENT:
        return f"percent? {key}; of 10? {key.replace('100', '10')}"
    return f"percent? {key}" if percent else f"another scale? {key}"


def _verdicts(group: Sequence[Refused], verdicts: Mapping[str, float]) -> str:
    """The texts that were seen, with how often, and the line that tells what they stand for."""
    texts = Counter[str]()
    for part in group:
        texts.update(part.texts)
    if not texts:
        return ""
    common = texts.most_common(TEXTS_AT_MOST)
    counts = ", ".join(f"{text!r:.60} {count:,} ×" for text, count in common)
    # Of words that YAML took for true and false, what it made of them is none of the log's.
    taken = {"true", "false"} if any("YAML takes" in part.reason for part in group) else set()
    values = {text: f"{v:g}" for text, v in verdicts.items() if text not in taken - {*texts}}
    for text, _ in common:
        word = text.strip().lower()
        values[text] = "1" if word in RIGHT else "0" if word in WRONG else "…"
    pairs = ", ".join(f"{_quoted(text)}: {value}" for text, value in values.items())
    return f"{counts}: write verdicts: {{{pairs}}}" + ", each from 0 to 1" * (
        "…" in values.values()
    )


def _quoted(text: str) -> str:
    """A text as YAML takes it for one."""
    plain = PLAIN.fullmatch(text) and text.lower() not in WORDS
    return text if plain else json.dumps(text, ensure_ascii=False)
