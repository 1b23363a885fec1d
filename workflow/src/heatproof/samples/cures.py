"""What to write in config.yaml where it does not fit the logs: the key, with the line to paste."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.logs.refusals import Refused
    from heatproof.samples.systematic import Part

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
SHOWN = 8
"""Texts in the place of scores that are told at most."""
PLAIN = re.compile(r"[A-Za-z][\w -]*\w")
"""Texts that YAML takes for texts, unless they are words of its own."""
WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
"""Those of YAML."""


def scores(ones: Sequence[Refused], part: Part) -> str:
    """What is wrong with scores on another scale, counted together; empty if it is not that."""
    side, _, end = ones[0].kind.removeprefix("score ").partition(" ")
    if side not in EXTREMES:
        return ""
    word, most = EXTREMES[side]
    found = most(v for one in ones for v in (one.lowest, one.highest) if v is not None)
    those = f"{part.lost:,} of {numbered(part.records, 'score')}{part.where}"
    verb = "lies" if part.lost == 1 else "lie"
    return f"{those} {verb} {side} {end}, the {word} is {found:g}"


def cure(ones: Sequence[Refused], source: Mapping[str, Any]) -> str:
    """What would mend a kind of reason; empty if the reason says it, or nothing is known."""
    kind, first = ones[0].kind, ones[0]
    if kind.startswith("score above "):
        return _range(max(one.highest or 0 for one in ones), source)
    if is_text(first):
        return _verdicts(ones, source.get("verdicts", {}))
    if kind.startswith("repeats ") and "epoch" in source.get("fields", {}):
        number = "$key" if source["format"] == "json" else "$row"
        return f"what fields.epoch names does not tell repetitions apart; epoch: {number} does"
    if kind.startswith("not JSON") and source["format"] == "jsonl" and first.line <= HEAD:
        return "is it one document, not a record a line? format: json"
    return ""


def is_text(one: Refused) -> bool:
    """Whether the reason is a text in the place of a score."""
    return VERDICTS in one.reason or "is none of the verdicts" in one.kind


def _range(highest: float, source: Mapping[str, Any]) -> str:
    given = source.get("range")
    if given is None:  # the format knows of scores from 0 to 1 alone
        return ""
    told = (given.get("score") if isinstance(given, dict) else given) or []
    percent = not told and PERCENT <= highest <= 100
    ends = [told[0] if told else 0, 100 if percent else highest]
    text = ", ".join(f"{end:.17g}" for end in ends)
    key = f"range: {{score: [{text}]}}" if isinstance(given, dict) else f"range: [{text}]"
    return f"percent? {key}" if percent else f"another scale? {key}"


def _verdicts(ones: Sequence[Refused], known: Mapping[str, float]) -> str:
    """The texts that were seen, with how often, and the line that tells what they stand for."""
    seen = Counter[str]()
    for one in ones:
        seen.update(one.texts)
    if not seen:
        return ""
    told = ", ".join(f"{text!r:.60} {count:,} ×" for text, count in seen.most_common(SHOWN))
    meant = {text: f"{value:g}" for text, value in known.items()}
    meant |= {text: _meaning(text) for text, _ in seen.most_common(SHOWN)}
    pairs = ", ".join(f"{_quoted(text)}: {value}" for text, value in meant.items())
    return f"{told}: write verdicts: {{{pairs}}}" + ", each from 0 to 1" * ("…" in meant.values())


def _meaning(text: str) -> str:
    word = text.strip().lower()
    return "1" if word in RIGHT else "0" if word in WRONG else "…"


def _quoted(text: str) -> str:
    """A text as YAML takes it for one."""
    plain = PLAIN.fullmatch(text) and text.lower() not in WORDS
    return text if plain else json.dumps(text, ensure_ascii=False)
