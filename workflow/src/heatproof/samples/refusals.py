"""Records that were refused: counted by kind, judged, and told with what mends them.

Bad records are few and differ. Where many are refused for one kind of reason, config.yaml does not
fit the logs, and the run stops. That is so where one kind refuses

- more than a tenth of a source's records, or of its logs as a whole;
- most records of a log, a model or another setting;
- all scores on one side, so that the figure would show the other side alone;
- any score beyond a `range` of config.yaml, for without the worst or best the mean is another;

and where most of a source is refused, whatever the reasons. Damaged, empty and cut-off logs and
records count for the last alone, records without a score not by log, model or setting. One or two
other records are let pass, unless they are most of the source. `refused: 0.3` on the source sets
the share that one kind of reason may take instead. All shards of a source are judged together. The
message says what to write in config.yaml: the key, with the line to paste.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config import roles
from heatproof.config.entries import spelling
from heatproof.formats.params import NUMBERS
from heatproof.samples import tables
from heatproof.samples.counts import sum_epochs
from heatproof.util import terminal
from heatproof.util.errors import Mistake
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from heatproof.samples.normalize import Summary

    Group = Sequence["Refused"]  # records of one kind of reason
    Entry = Mapping[str, Any]  # a source of config.yaml as plain values

FIRST = 5  # kinds of refused records that are named
TEXTS = 8  # texts in the place of scores that are named
FAILED = "failed"
NOT_MENDED = ("absent", FAILED, "same")
"""Kinds that no key would mend: what a log says that it lacks, and what it holds twice."""
DAMAGE = ("damage", "empty", "unended")  # kinds that say nothing of other logs
OF_NO_PART = (*DAMAGE, "unscored")
"""Kinds that may be many in a log or a run; where scores are missing the figure shows it."""
SHARE = 0.1  # of a source's records, or logs, that one kind of reason may refuse
MOST = 0.5
FEW = 2  # records that are let pass wherever they are
REASONS_AT_MOST = 3  # kinds of reasons that are named where their sum is too many
ROUNDED = 1e-9  # records that a share of a source may be off by


class Refused(msgspec.Struct):
    """Records of a log that were refused for one kind of reason and say the same settings."""

    log: str
    kind: str
    reason: str  # that of the first of them
    line: int
    count: int = 0
    field: str = ""  # the place in a record, or the column, that the reason is about
    whole: bool = False  # it is the log that was refused, not a record in it
    settings: dict[str, Any] = {}  # what is known of these records
    scores: Counter[Any] = msgspec.field(default_factory=Counter)
    """What stood in the place of their scores, texts too, and how often."""

    def parts(self) -> list[str]:
        """The parts of the source that they lie in, in words: a log, settings."""
        words = _setting_words(self.settings)
        if self.whole:
            return words
        words.insert(0, f" of {self.log}")
        return words


GROUPED = ("log", "kind", "field", "whole", "reason", "settings")


def grouped(rejected: list[Path]) -> list[Refused]:
    """The records of rejected tables by log, kind of reason, place and settings, in their order."""
    rows = pl.scan_parquet(rejected).group_by(GROUPED, maintain_order=True)
    first = pl.col("line").first()
    counted = rows.agg(first, pl.len()).collect()
    groups: dict[tuple[Any, ...], Refused] = {}
    for row in counted.iter_rows(named=True):
        count = row.pop("len")
        settings = json.loads(row.pop("settings") or "{}")
        score = settings.pop("score", None)
        group = Refused(**row, settings=settings)
        key = (group.log, group.kind, group.field, group.whole, json.dumps(settings))
        group = groups.setdefault(key, group)
        group.count += count
        if score is not None:
            group.scores[score] += count
    return list(groups.values())


def words(groups: Group) -> str:
    """How many records failed or were refused, and the first of each kind; empty if none was."""
    if not groups:
        return ""
    failed = _count(group for group in groups if group.kind == FAILED)
    refused = _count(groups) - failed
    counts = []
    if failed:
        records = numbered(failed, "record")
        counts.append(f"{records} failed")
    if refused:
        records = numbered(refused, "record")
        counts.append(f"{records} refused")
    lines = [", ".join(counts)]
    for group in groups[:FIRST]:
        times = ""
        if group.count > 1:
            times = f" ({group.count:,} ×)"
        lines.append(f"{group.log}:{group.line}: {group.reason}{times}")
    return "\n  ".join(lines)


class Part(NamedTuple):
    """A part of the source of which too many records were refused."""

    words: str  # empty: all of the source
    lost: int  # records that were refused
    records: int

    def rank(self) -> tuple[bool, int, int]:
        """Logs go first, then what lost most; the simplest of several alike."""
        is_log = self.words.startswith(" of")
        return is_log, self.lost, -len(self.words)


class Judge:
    """The refusals of a source, judged by groups of one kind of reason."""

    def __init__(
        self,
        source: Entry,
        logs: Sequence[Summary],
        refused: Iterable[Refused],
        counts: list[Path],
        accepted: float | None,
    ) -> None:
        """`source`: its entry as plain values; `counts`: of its shards; `accepted`: `refused`."""
        self.source = source
        self.accepted = accepted
        self._counts = counts
        records = [log.records for log in logs if log.records]
        self.logs = len(records)
        self.records = sum(records)
        self.kept = {log.log: log.rows for log in logs}
        self.refused = []
        for group in refused:
            # A refused log of which there are rows is a remark, and no record.
            if not (group.whole and self.kept.get(group.log)):
                self.refused.append(group)

    def mistakes(self) -> list[Mistake]:
        """A mistake for each kind of reason of which there are too many refusals."""
        groups: dict[tuple[str, str], list[Refused]] = defaultdict(list)
        for refused in sorted(self.refused, key=attrgetter("log", "line")):
            if refused.kind not in NOT_MENDED:
                groups[refused.kind, refused.field].append(refused)
        by_size = sorted(groups.values(), key=_count, reverse=True)
        mistakes = []
        for group in by_size:
            part = self._part(group)
            if part:
                mistakes.append(self._mistake(group, part))
        count = sum(map(_count, by_size))
        if mistakes or self.accepted is not None or count <= MOST * self.records:
            return mistakes
        return [self._mistake_of_all(by_size, count)]

    def _mistake_of_all(self, groups: Sequence[Group], count: int) -> Mistake:
        """The message on several kinds of reasons that together refuse too many records."""
        reasons = []
        for group in groups[:REASONS_AT_MOST]:
            first = group[0]
            words = f"{_count(group):,} × {first.reason}"
            reasons.append(f"{words} (first: {first.log}:{first.line})")
        further = len(groups) - REASONS_AT_MOST
        if further > 0:
            reasons.append(numbered(further, "more reason"))
        records = numbered(self.records, "record")
        message = f"{count:,} of {records} are refused: {'; '.join(reasons)}"
        return self._mistake_at("", message, groups[0])

    def _mistake_at(self, key: str, message: str, group: Group) -> Mistake:
        """A mistake at a key of the source; its message ends with what accepts the refusals."""
        message += self._accepting_words(group)
        return Mistake(f"sources.{self.source['name']}{key}", terminal.name(message))

    def _part(self, group: Group) -> Part | None:
        """The part of which too many were refused for one kind of reason; None without any."""
        count = _count(group)
        source = Part("", count, self.records)
        if self.accepted is not None:
            accepted = self.accepted * self.records
            if count <= accepted + ROUNDED:
                return None
            return source
        if count > MOST * self.records or self._is_of_source(group):
            return source
        if group[0].kind in OF_NO_PART:
            return None
        lost = _by_part(self.refused)
        bad = []
        for place, number in _by_part(group).items():
            records = lost[place] + self._kept[place]
            if number > max(FEW, MOST * records):
                bad.append(Part(place, number, records))
        return max(bad, key=Part.rank, default=None)

    def _is_of_source(self, group: Group) -> bool:
        """Whether one kind of reason shows that config.yaml does not fit the source."""
        if group[0].kind in DAMAGE:
            return False
        if _count(group) > max(FEW, SHARE * self.records):
            return True
        logs = {refused.log for refused in group if refused.whole}
        return len(logs) > SHARE * self.logs or self._is_one_side(group)

    def _is_one_side(self, group: Group) -> bool:
        """Whether the scores on one side were refused, so that the mean of the rest is another."""
        first = group[0]
        kind = first.kind
        column = first.field or "score"
        if kind in ("above", "below") and _scale_ends(self.source, column):
            return True
        if kind == "above" and _count(group) > FEW:
            return True
        if kind not in ("above", "verdict"):
            return False
        scores = pl.scan_parquet(self._counts).select("score.n", "score.one", "score.zero")
        n, ones, zeros = scores.sum().collect().row(0)
        return bool(n) and n in (ones, zeros)

    @cached_property
    def _kept(self) -> Counter[str]:
        """Words of a part of the source → its rows."""
        kept = Counter[str]()
        for log, number in self.kept.items():
            kept[f" of {log}"] = number
        rows = pl.scan_parquet(self._counts)
        names = tables.setting_names(rows)
        runs = sum_epochs(rows, names)
        for *values, number in runs.iter_rows():
            settings = dict(zip(names, values, strict=True))
            kept.update(dict.fromkeys(_setting_words(settings), number))
        return kept

    def _mistake(self, group: Group, part: Part) -> Mistake:
        """The message on a kind of reason, at the key that mends it."""
        first = next(refused for refused in group if part.words in [""] + refused.parts())
        rest = [refused for refused in group if refused is not first]
        key, cure = key_and_cure([first] + rest, self.source)
        is_one = part.lost == 1
        records = numbered(part.records, "record")
        text = f"{'is' if is_one else 'are'} refused: {first.reason}"
        scores = list[float]()
        if first.kind in ("above", "below") and not first.field:
            scores = _scores(group, self.source)
        if scores:
            records = numbered(part.records, "score")
            text = f"{'lies' if is_one else 'lie'} {self._beyond_words(first.kind, scores)}"
        message = f"{part.lost:,} of {records}{part.words} {text}"
        message += f" (first: {first.log}:{first.line})"
        if cure:
            message += f"; {cure}"
        return self._mistake_at(key, message, group)

    def _beyond_words(self, side: str, scores: Sequence[float]) -> str:
        """Which end of the scale scores lie beyond, and how far."""
        low, high = _scale_ends(self.source) or (0, 1)
        if side == "above":
            largest = max(scores)
            return f"above {high:g}, the largest is {largest:g}"
        least = min(scores)
        return f"below {low:g}, the least is {least:g}"

    def _accepting_words(self, group: Group) -> str:
        """The key that accepts so many of one kind; empty where no row would be left."""
        if not any(self.kept.values()) and _count(self.refused) >= self.records:
            return ""
        percent = 100 * _count(group) / self.records
        share = math.ceil(percent) / 100
        return f"; to go on without them, write refused: {share:g}"


def _setting_words(settings: Mapping[str, Any]) -> list[str]:
    """Each of the settings by itself, and all of them together."""
    names = [name for name, value in settings.items() if value not in (None, "")]
    names.sort(key=lambda name: (name not in roles.SETTINGS, name))
    words = [f"{name} {spelling(settings[name])}" for name in names]
    if len(words) > 1:
        words.append(", ".join(words))
    return [f" with {setting}" for setting in words]


def _by_part(group: Iterable[Refused]) -> Counter[str]:
    counts = Counter[str]()
    for refused in group:
        counts.update(dict.fromkeys(refused.parts(), refused.count))
    return counts


def _count(group: Iterable[Refused]) -> int:
    return sum(refused.count for refused in group)


PERCENT = 10  # the highest score is at least so much if the scores are taken for percent
RIGHT = {"1", "c", "correct", "match", "ok", "pass", "passed", "right", "solved", "success", "t",
         "true", "y", "yes"}  # fmt: skip
WRONG = {"0", "error", "f", "fail", "failed", "failure", "false", "i", "incorrect", "mismatch", "n",
         "no", "no match", "unsolved", "wrong", "x"}  # fmt: skip
MEANINGS = dict.fromkeys(RIGHT, "1") | dict.fromkeys(WRONG, "0")


def key_and_cure(group: Group, source: Entry) -> tuple[str, str]:
    """The key of a `source` that the first of the `group` is about, and what to write there.

    The key is as `.fields.score`; each is empty if it is not known.
    """
    kind = group[0].kind
    place = group[0].field
    if kind in ("above", "below") and place:
        return f".range.{place}", "another scale? then its lowest and highest value are others"
    keys = _keys_by_place(source)
    key = keys.get(place, "")
    if not key and kind == "path" and source.get("path"):
        key = ".path"
    if kind not in CURES:
        return key, ""
    _, _, column = key.rpartition(".")
    return key, CURES[kind](group, source, column)


def _keys_by_place(source: Entry) -> dict[str, str]:
    """Place in a record, or name of a hyper-parameter → its key in the source."""
    keys: dict[str, str] = {}
    for section in ("measures", "fields"):
        for column, field in (source.get(section) or {}).items():
            keys[field] = f".{section}.{column}"
    for name, param in (source.get("params") or {}).items():
        key = f".params.{name}"
        keys[_field_of(param) or name] = key
        keys[name] = key
    return keys


def _field_of(param: Any) -> str:
    """The place of a hyper-parameter in the log, if config.yaml names it."""
    if isinstance(param, dict):
        return param.get("field") or ""
    return ""


def _type(group: Group, source: Entry, name: str) -> str:
    """The type of a hyper-parameter that holds what was refused."""
    params = source.get("params") or {}
    if name not in params:
        return ""
    values = []
    for refused in group:
        path = re.search(source.get("path") or "", refused.log)
        value = None
        if path:
            value = path.groupdict().get(name)
        value = refused.settings.get(name, value)
        if value is not None:
            values.append(value)
    if not values:
        return ""
    first = values[0]
    kind = type(first).__name__
    if kind == "str":
        texts = list(map(str, values))
        fitting = (number for number, form in NUMBERS.items() if all(map(form.fullmatch, texts)))
        kind = next(fitting, "str")
    if field := _field_of(params[name]):
        kind = f"{{type: {kind}, field: {field}}}"
    return f"write params: {{{name}: {kind}}}"


def _scale_ends(source: Entry, column: str = "score") -> Sequence[float]:
    """The lowest and highest number of a column in config.yaml; empty where it has none."""
    scale = source.get("range") or []
    if not isinstance(scale, dict):
        scale = {"score": scale}
    return scale.get(column) or []


def _scores(group: Group, source: Entry) -> list[float]:
    """The lowest and the highest score on the scale of the log; none without a score."""
    low, high = _scale_ends(source) or (0.0, 1.0)
    scores = set[float]()
    for refused in group:
        scores.update(score for score in refused.scores if not isinstance(score, str))
    if not scores:
        return []
    ends = []
    for end in (min(scores), max(scores)):
        unscaled = low + end * (high - low)
        ends.append(float(f"{unscaled:.12g}"))
    return ends


def _range(group: Group, source: Entry, _: str) -> str:
    """The `range` of scores on another scale; empty if the format has no such key."""
    scale = source.get("range")
    ends = _scale_ends(source)
    scores = _scores(group, source)
    is_below = group[0].kind == "below"
    if scale is None or not scores or (is_below and ends):
        return ""
    low = 0.0
    if ends:
        low = ends[0]
    high = max(scores)
    is_percent = not ends and not is_below and PERCENT <= high <= 100
    is_of_ten = is_percent and high == PERCENT
    if is_percent:
        high = 100
    elif is_below:
        low = min(scores)
        high = max(1, -low)
    text = f"[{low:.17g}, {high:.17g}]"
    if isinstance(scale, dict):
        key = f"range: {{score: {text}}}"
    else:
        key = f"range: {text}"
    words = f"another scale? write {key}"
    if is_percent:
        words = f"percent? write {key}"
    if is_of_ten:
        words += f"; of 10? {key.replace('100', '10')}"
    return words


def _verdicts(group: Group, source: Entry, _: str) -> str:
    """The texts that stand for scores, how often, and the line that says what they mean."""
    texts = Counter[str]()
    for refused in group:
        for text, number in refused.scores.items():
            if isinstance(text, str):
                texts[text] += number
    if not texts:
        return ""
    values = {}
    for text, value in source.get("verdicts", {}).items():
        values[text] = f"{value:g}"
    counts = []
    for text, number in texts.most_common(TEXTS):
        word = text.strip().lower()
        values[text] = MEANINGS.get(word, "…")
        counts.append(f"{text!r:.60} {number:,} ×")
    pairs = [f"{json.dumps(text, ensure_ascii=False)}: {value}" for text, value in values.items()]
    line = f"verdicts: {{{', '.join(pairs)}}}"
    if "…" in values.values():
        line += ", each from 0 to 1"
    return f"{', '.join(counts)}: write {line}"


def _form(group: Group, source: Entry, _: str) -> str:
    """The other format of logs that are no document each, but have a record a line."""
    if source["format"] == "json" and "trailing characters" in group[0].reason:
        return "a record a line? write format: jsonl"
    return ""


def _constant(group: Group, source: Entry, name: str) -> str:
    """The key for a model or task that no record names, but the user."""
    first = group[0]
    is_misspelled = "did you mean" in first.reason or first.field == name
    if name not in roles.SETTINGS or "set" not in source or is_misspelled:
        return ""
    return f"the same of all records? write set: {{{name}: {first.field}}} instead"


CURES: Mapping[str, Callable[[Group, Entry, str], str]] = {
    "above": _range, "below": _range, "type": _type, "verdict": _verdicts, "syntax": _form,
    "missing": _constant,
}  # fmt: skip
"""Kind → what mends it, of a group, the source's entry and the column that it is about."""
