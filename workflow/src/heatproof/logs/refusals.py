"""Records that were refused, counted by the kind of reason: what `normalize` leaves of them.

Bad records are few and differ. Where one kind of reason befalls many, or all with one outcome, it
is rather config.yaml that does not fit the logs; `heatproof.samples.systematic` judges that.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 1000
"""Groups that are told of one log; what is known of further ones is left out."""
TEXTS = 12
"""Texts in the place of scores that are counted."""

SCORE = re.compile(r"(?:epoch \d+: )?score (\S+) is not between (\S+) and (\S+)")
"""Of a score on another scale."""
OWN = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w`.])[-+]?\d[\d.,]*(?:e[-+]?\d+)?")
"""What a reason may tell of one record alone."""

NO_JSON = "not JSON"
"""Begins reasons that tell where a decoder gave up: those are many, and the damage is one."""

EMPTY, NO_ROWS = "the log is empty", "the log has a header and no rows"
UNENDED = "cut off, or still being written"
"""Ends reasons that tell of a log, or of what lies beside it, that its end is not there. While
others write to the log, all of them are no refusals (`samples/normalize.py`)."""


def is_unended(reason: str) -> bool:
    """Whether a log was refused, or the last record of it, because it ends too early."""
    return reason in (EMPTY, NO_ROWS) or reason.endswith(UNENDED)


class Refused(msgspec.Struct, omit_defaults=True):
    """Records of a log that were refused for one kind of reason and say the same settings."""

    log: str
    kind: str
    reason: str
    """That of the first of them."""
    line: int
    count: int = 0
    whole: bool = False
    """It is the log that was refused, not a record in it."""
    settings: dict[str, Any] = {}
    """What is known of these records."""
    lowest: float | None = None
    highest: float | None = None
    """Of their scores, where these are numbers."""
    texts: dict[str, int] = {}
    """Texts in the place of their scores, and how often."""

    def add(self, score: Any) -> None:
        """One more record, with what stands for its score."""
        self.count += 1
        if isinstance(score, str):
            if score in self.texts or len(self.texts) < TEXTS:
                self.texts[score] = self.texts.get(score, 0) + 1
        elif score is not None:
            value = float(score)  # of true and false, too
            self.lowest = value if self.lowest is None else min(self.lowest, value)
            self.highest = value if self.highest is None else max(self.highest, value)


def kind(reason: str) -> str:
    """A reason without what it tells of one record alone, and without the hint behind it."""
    if match := SCORE.fullmatch(reason):
        value, low, high = match.groups()
        return f"score above {high}" if float(value) > float(high) else f"score below {low}"
    if reason.startswith(NO_JSON):
        return ": ".join(reason.split(": ")[: 1 + ("a bare word" in reason)])
    return OWN.sub("…", reason).partition(";")[0]


class Grouping:
    """Rows of a rejected table, in its order, by log, kind of reason and settings."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], Refused] = {}
        self._kinds: dict[str, str] = {}
        self._sizes = Counter[str]()

    def add(self, row: Mapping[str, Any]) -> None:
        """One more row."""
        log, told, whole = row["log"], row["settings"], not row["length"]
        same = self._kind(row["reason"])
        known = json.loads(told) if told else {}
        score = known.pop("score", None)
        if scale := SCORE.fullmatch(row["reason"]):
            score = float(scale[1])
        if self._sizes[log] >= MOST:
            known = {}
        alike = log, same, whole, json.dumps(known)
        if alike not in self._found:
            first = row["reason"], row["line"]
            self._found[alike] = Refused(log, same, *first, whole=whole, settings=known)
            self._sizes[log] += 1
        self._found[alike].add(score)

    def _kind(self, reason: str) -> str:
        if len(self._kinds) > MOST:
            self._kinds.clear()
        if reason not in self._kinds:
            self._kinds[reason] = kind(reason)
        return self._kinds[reason]

    def all(self) -> list[Refused]:
        """The groups, each with how many there are."""
        return list(self._found.values())
