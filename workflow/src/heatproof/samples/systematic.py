"""Refusals that are no accident: config.yaml does not fit the logs, and the run stops.

Bad records are few. The run stops where one kind of reason refuses more than a tenth of a source's
records, or of its logs as a whole; most records of a log, a model or another setting; or all that
lies on one side of the score, so that what is left would be a picture of the other side; or where
most of a source is refused, whatever the reasons. One or two records are let pass, unless they are
most of the source. `refused: 0.3` on the source says instead how large a share one kind of reason
may take. It is judged over all shards of a source, from what `normalize` left of each.

With it stands what to write in config.yaml: the key, with the line to paste.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import paths
from heatproof.config.entries import spelling
from heatproof.config.roles import settings
from heatproof.logs.refusals import UNENDED
from heatproof.samples import faulty_keys, shard_index
from heatproof.samples.tables import scan
from heatproof.util import terminal
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from heatproof.logs.refusals import Refused
    from heatproof.samples.shard_index import Losses, ShardIndex


SHARE = 0.1
"""Of a source's records, or logs: so many may be refused for one kind of reason."""
MOST = 0.5
FEW = 2
"""Records that are let pass wherever they are."""
OWN_WORD = re.compile(
    r"sample ended in an error|the sample was invalidated|the log's status is|superseded by"
    r"|the log holds no samples|the sample has no score"
)
"""Reasons that a log tells itself: what it lacks is missing, and no key would mend it."""
DAMAGE = re.compile(
    r"unreadable |an archive of|the archive |compressed by|the log is empty|a git-LFS pointer"
    r"|UTF-16|(larger|longer) than the limit|the log has a header and no rows"
    rf"|.*{UNENDED}"
)
"""Reasons that befall a log once, and say nothing of others."""
LACKING = re.compile(r"score is (missing|nan|-?inf)|the (answer|target) is empty")
"""Reasons by which a sample lacks in its run, as the figure shows; of them, there may be many."""
SHOWN = 3
"""Kinds of reasons that are told where it is their sum that is too many."""
ABOVE = "score above "
WAY_ON = "; to go on without them, refused: "
FIRST = ("model", "task")
ROUNDED = 1e-9
"""Records that a share of a source may be off by."""

Setting = tuple[tuple[str, str], ...]
"""Columns and their values, spelled."""


class Part(NamedTuple):
    """Records of which too many were refused."""

    where: str
    """Which, in words; empty: all of the source."""
    lost: int
    records: int


def require_few(
    sources: Mapping[str, Mapping[str, Any]],
    tables: Mapping[str, Sequence[str]],
    accepted: Mapping[str, float | None],
    held_in: Callable[[Path], ShardIndex],
) -> None:
    """Refuse sources whose records were refused not by accident.

    Args:
        sources: name → entry, as plain values.
        tables: name → paths of its samples tables.
        accepted: name → its `refused`.
        held_in: reads what the logs hold that counts were made of.

    Raises:
        Error: a line for each kind of reason: count, first place, reason, and what to write.
    """
    found = []
    for name, shards in tables.items():
        counts = [Path(paths.counts(path)) for path in shards]
        found += problems(sources[name], counts, accepted[name], held_in)
    if found:
        raise Error("\n".join(found))


def problems(
    source: Mapping[str, Any],
    counts: Sequence[Path],
    accepted: float | None,
    held_in: Callable[[Path], ShardIndex] = shard_index.read_index,
) -> list[str]:
    """What `require_few` tells of one source, whose `counts` tell what was refused."""
    losses = [held_in(path).losses for path in counts]
    if not any(one.refused for one in losses):
        return []
    return Judge(source, losses, counts, accepted).problems()


class Judge:
    """Judges the refusals of a source."""

    def __init__(
        self,
        source: Mapping[str, Any],
        losses: Sequence[Losses],
        counts: Sequence[Path],
        accepted: float | None,
    ) -> None:
        self.source, self.accepted = source, accepted
        self.logs = sum(one.logs for one in losses)
        self.records = sum(one.records for one in losses)
        self.kept = {log: rows for one in losses for log, rows in one.kept.items()}
        # What was refused of a log that is there all the same was no record: a remark on the log.
        self.refused = [
            r for one in losses for r in one.refused if not (r.whole and self.kept.get(r.log))
        ]
        self._counts = counts

    def problems(self) -> list[str]:
        """A line for each kind of reason that is too many."""
        kinds: dict[str, list[Refused]] = defaultdict(list)
        for one in sorted(self.refused, key=lambda one: (one.log, one.line)):
            if not self._is_own_word(one):
                kinds[one.kind].append(one)
        order = sorted(kinds.items(), key=lambda item: -_count(item[1]))
        found = ((ones, self._part(kind, ones)) for kind, ones in order)
        several = [self._told(ones, part) for ones, part in found if part]
        return several or self._together([ones for _, ones in order])

    def _together(self, kinds: Sequence[Sequence[Refused]]) -> list[str]:
        """A line if most of the source was refused, though for no one kind of reason too much."""
        count = sum(map(_count, kinds))
        if self.accepted is not None or count <= MOST * self.records:
            return []
        said = [
            f"{_count(ones):,} × {ones[0].reason} (first: {ones[0].log}:{ones[0].line})"
            for ones in kinds[:SHOWN]
        ]
        more = f"; {numbered(len(kinds) - SHOWN, 'more reason')}" if len(kinds) > SHOWN else ""
        those = f"{count:,} of {numbered(self.records, 'record')} are refused"
        line = f"config.yaml: sources.{self.source['name']}: {those}: {'; '.join(said)}{more}"
        return [terminal.name(line + self._way_on(kinds[0]))]

    def _is_own_word(self, one: Refused) -> bool:
        """Whether the log tells so itself, or some of it repeats what another one holds."""
        again = one.kind.startswith("repeats ") and "fields" not in self.source
        return bool(OWN_WORD.match(one.kind)) or (again and ";" not in one.reason)

    def _part(self, kind: str, ones: Sequence[Refused]) -> Part | None:
        """Of what too many were refused for one kind of reason; None if of nothing."""
        if self._is_too_many(kind, ones):
            return Part("", _count(ones), self.records)
        if self.accepted is not None or DAMAGE.match(kind) or LACKING.match(kind):
            return None
        return self._of_log(ones) or self._of_setting(ones)

    def _is_too_many(self, kind: str, ones: Sequence[Refused]) -> bool:
        """Whether so much of the source was refused for one kind of reason."""
        count = _count(ones)
        if self.accepted is not None:
            return count > self.accepted * self.records + ROUNDED
        if count > MOST * self.records or DAMAGE.match(kind):
            return count > MOST * self.records
        gone = len({one.log for one in ones if one.whole})
        many = count > FEW and count > SHARE * self.records
        return many or gone > SHARE * self.logs or self._is_one_side(kind, ones)

    def _is_one_side(self, kind: str, ones: Sequence[Refused]) -> bool:
        """Whether scores were refused for what they say, and those that were kept say the other."""
        above = kind.startswith(ABOVE)
        if above and _count(ones) > FEW:
            return True
        return (above or is_text(ones[0])) and self._is_one_score()

    def _is_one_score(self) -> bool:
        """Whether all samples are right, or all wrong."""
        names = [f"score.{what}" for what in ("n", "one", "zero")]
        n, one, zero = scan(self._counts).select(names).sum().collect().row(0)
        return bool(n) and n in (one, zero)

    def _of_log(self, ones: Sequence[Refused]) -> Part | None:
        lost, here = _sums(self.refused), _sums(ones)
        found = (
            Part(_of(log), count, lost[log] + self.kept.get(log, 0)) for log, count in here.items()
        )
        return _worst(found)

    def _of_setting(self, ones: Sequence[Refused]) -> Part | None:
        """Of models and other settings, each by itself and all together."""
        if not any(one.settings for one in ones):
            return None
        here, lost = _by_setting(ones), _by_setting(self.refused)
        found = (
            Part(_with(setting), count, lost[setting] + self._kept[setting])
            for setting, count in here.items()
        )
        return _worst(found)

    def _gone(self, ones: Sequence[Refused]) -> str:
        """The model or other setting of which most is lost and nothing kept; empty if none is."""
        if not any(self._kept.values()) or not any(one.settings for one in ones):
            return ""
        here = _by_setting(ones)
        lost = [one for one in here if len(one) == 1 and not self._kept[one]]
        return _words(max(lost, key=here.__getitem__)) if lost else ""

    @cached_property
    def _kept(self) -> dict[Setting, int]:
        rows = scan(self._counts)
        names = settings(rows.collect_schema().names())[:-1]
        grouped = rows.group_by(names).agg(pl.col("epochs").sum()).collect()
        found: dict[Setting, int] = defaultdict(int)
        for *values, count in grouped.rows():
            for setting in _settings(dict(zip(names, values, strict=True))):
                found[setting] += count
        return found

    def _told(self, ones: Sequence[Refused], part: Part) -> str:
        first = next(one for one in ones if part.where in _parts(one))
        reasons = [first.reason, *(one.reason for one in ones)]
        wrong = faulty_keys.fault(reasons, self.source, part.lost)
        mend = cure(ones, self.source) or wrong.mend
        reason = first.reason.partition(f"; {VERDICTS}")[0] if mend else first.reason
        those = f"{part.lost:,} of {numbered(part.records, 'record')}{part.where}"
        verb = "is" if part.lost == 1 else "are"
        told = wrong.said or f"{verb} refused: {reason}"
        said = scores(ones, part) or f"{those} {told}"
        place = f"config.yaml: sources.{self.source['name']}{wrong.key}"
        line = f"{place}: {said} (first: {first.log}:{first.line})"
        if not part.where and (gone := self._gone(ones)):
            line += f"; nothing is left of {gone}"
        line += f"; {mend}" if mend else ""
        return terminal.name(line + self._way_on(ones))

    def _way_on(self, ones: Sequence[Refused]) -> str:
        """The key that accepts so many of one kind of reason; none where nothing would be left."""
        if not any(self.kept.values()) and _count(self.refused) >= self.records:
            return ""
        share = math.ceil(100 * _count(ones) / self.records) / 100
        return f"{WAY_ON}{share:g}"


def _parts(one: Refused) -> list[str]:
    """In what parts a record lies, in words: the source, a log, settings."""
    return ["", _of(one.log), *(_with(setting) for setting in _settings(one.settings))]


def _of(log: str) -> str:
    return f" of {log}"


def _with(setting: Setting) -> str:
    return f" with {_words(setting)}"


def _count(ones: Iterable[Refused]) -> int:
    return sum(one.count for one in ones)


def _sums(ones: Iterable[Refused]) -> dict[str, int]:
    """Log → records refused in it, those left out that were refused as a whole."""
    found: dict[str, int] = defaultdict(int)
    for one in ones:
        if not one.whole:
            found[one.log] += one.count
    return found


def _by_setting(ones: Iterable[Refused]) -> dict[Setting, int]:
    found: dict[Setting, int] = defaultdict(int)
    for one in ones:
        for setting in _settings(one.settings):
            found[setting] += one.count
    return found


def _settings(values: Mapping[str, Any]) -> list[Setting]:
    """Each of the settings by itself, and all of them together."""
    spelled = tuple(
        (name, spelling(values[name]))
        for name in sorted(values, key=lambda name: (name not in FIRST, name))
        if values[name] not in (None, "")
    )
    return list(dict.fromkeys([*((one,) for one in spelled), spelled]))


def _words(setting: Setting) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting)


def _worst(parts: Iterable[Part]) -> Part | None:
    """The part that lost most, of those that lost too many; the simplest of several alike."""
    bad = [part for part in parts if part.lost > FEW and part.lost > MOST * part.records]
    return max(bad, key=lambda part: (part.lost, -len(part.where)), default=None)


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
SHOWN_KEYS = 8
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
    if kind.startswith("score below "):
        return _signed(min(one.lowest or 0 for one in ones), source)
    if is_text(first):
        return _verdicts(ones, source.get("verdicts", {}))
    if kind.startswith("repeats ") and "epoch" in source.get("fields", {}):
        number = "$key" if source["format"] == "json" else "$row"
        return f"what fields.epoch names does not tell repetitions apart; epoch: {number} does"
    return _form(first, source.get("format", ""))


def is_text(one: Refused) -> bool:
    """Whether the reason is a text in the place of a score."""
    return VERDICTS in one.reason or "is none of the verdicts" in one.kind


def _form(first: Refused, given: str) -> str:
    """What a log is rather than JSON of the form that is given; empty if it may be that."""
    lines = first.kind.startswith("not JSON") and given == "jsonl" and first.line <= HEAD
    if "a bare word" in first.reason:
        return "JSON has none: write null"
    if lines and "must be strings (byte 1)" in first.reason:
        return "names in single quotes are Python's: write records by json.dumps"
    if lines and first.reason.endswith("(byte 0)"):
        return "its lines are no JSON from their first sign on; a table? format: csv"
    if lines:
        return "is it one document, not a record a line? format: json"
    if "trailing characters" in first.reason and given == "json":
        return "is it a record a line, not one document? format: jsonl"
    return ""


def _signed(lowest: float, source: Mapping[str, Any]) -> str:
    """The range of scores below 0; empty if one is given, or the format knows of none."""
    given = source.get("range")
    if given is None or (given.get("score") if isinstance(given, dict) else given):
        return ""
    ends = f"[{lowest:.17g}, {max(1, -lowest):.17g}]"
    return f"another scale? range: {f'{{score: {ends}}}' if isinstance(given, dict) else ends}"


def _range(highest: float, source: Mapping[str, Any]) -> str:
    given = source.get("range")
    if given is None:  # the format knows of scores from 0 to 1 alone
        return ""
    told = (given.get("score") if isinstance(given, dict) else given) or []
    percent = not told and PERCENT <= highest <= 100
    ends = [told[0] if told else 0, 100 if percent else highest]
    text = ", ".join(f"{end:.17g}" for end in ends)
    key = f"range: {{score: [{text}]}}" if isinstance(given, dict) else f"range: [{text}]"
    if percent and highest == PERCENT:
        return f"percent? {key}; of 10? {key.replace('100', '10')}"
    return f"percent? {key}" if percent else f"another scale? {key}"


def _verdicts(ones: Sequence[Refused], known: Mapping[str, float]) -> str:
    """The texts that were seen, with how often, and the line that tells what they stand for."""
    seen = Counter[str]()
    for one in ones:
        seen.update(one.texts)
    if not seen:
        return ""
    told = ", ".join(f"{text!r:.60} {count:,} ×" for text, count in seen.most_common(SHOWN_KEYS))
    # Of words that YAML took for true and false, what it made of them is none of the log's.
    taken = {"true", "false"} if any("YAML takes" in one.reason for one in ones) else set()
    meant = {text: f"{value:g}" for text, value in known.items() if text not in taken - {*seen}}
    meant |= {text: _meaning(text) for text, _ in seen.most_common(SHOWN_KEYS)}
    pairs = ", ".join(f"{_quoted(text)}: {value}" for text, value in meant.items())
    return f"{told}: write verdicts: {{{pairs}}}" + ", each from 0 to 1" * ("…" in meant.values())


def _meaning(text: str) -> str:
    word = text.strip().lower()
    return "1" if word in RIGHT else "0" if word in WRONG else "…"


def _quoted(text: str) -> str:
    """A text as YAML takes it for one."""
    plain = PLAIN.fullmatch(text) and text.lower() not in WORDS
    return text if plain else json.dumps(text, ensure_ascii=False)
