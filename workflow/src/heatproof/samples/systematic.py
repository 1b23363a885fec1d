"""Refusals that are no accident: config.yaml does not fit the logs, and the run stops.

Bad records are few. The run stops where one kind of reason refuses more than a tenth of a source's
records, or of its logs as a whole; most records of a log, a model or another setting; or all that
lies on one side of the score, so that what is left would be a picture of the other side; any score
beyond a `range` of config.yaml, as to leave out the worst or the best moves the mean; or most of a
source, whatever the reasons. One or two other records are let pass, unless they are
most of the source. `refused: 0.3` on the source says instead how large a share one kind of reason
may take. It is judged over all shards of a source, from what `normalize` left of each.

With it stands what to write in config.yaml: the key, with the line to paste.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import paths, roles
from heatproof.config.entries import spelling
from heatproof.logs.refusals import UNENDED
from heatproof.samples import cures, shard_index
from heatproof.samples.tables import scan
from heatproof.util import terminal
from heatproof.util.errors import Error, Mistake
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
    r"unreadable |an archive of|the archive |compressed by|packed, as|the log is empty"
    r"|a git-LFS pointer|UTF-16|(larger|longer) than the limit|the log has a header and no rows"
    rf"|.*{UNENDED}"
)
"""Reasons that befall a log once, and say nothing of others."""
LACKING = re.compile(r"score is (missing|nan|-?inf)|the (answer|target) is empty")
"""Reasons by which a sample lacks in its run, as the figure shows; of them, there may be many."""
REASONS_AT_MOST = 3
"""Kinds of reasons that are told where it is their sum that is too many."""
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
    index: Callable[[Path], ShardIndex],
) -> None:
    """Refuse sources whose records were refused not by accident.

    Args:
        sources: name → entry, as plain values.
        tables: name → paths of its samples tables.
        accepted: name → its `refused`.
        index: reads what the logs hold that counts were made of.

    Raises:
        Error: a line for each kind of reason: count, first place, reason, and what to write.
    """
    lines = []
    for name, shards in tables.items():
        counts = [Path(paths.counts(path)) for path in shards]
        lines += problems(sources[name], counts, accepted[name], index)
    if lines:
        raise Error(lines)


def problems(
    source: Mapping[str, Any],
    counts: Sequence[Path],
    accepted: float | None,
    index: Callable[[Path], ShardIndex] = shard_index.read_index,
) -> list[Mistake]:
    """What `require_few` tells of one source, whose `counts` tell what was refused."""
    losses = [index(path).losses for path in counts]
    if not any(shard.refused for shard in losses):
        return []
    return Judge(source, losses, counts, accepted).problems()


class Judge:
    """Judges the refusals of a source; a group of them has one kind of reason."""

    def __init__(
        self,
        source: Mapping[str, Any],
        losses: Sequence[Losses],
        counts: Sequence[Path],
        accepted: float | None,
    ) -> None:
        self.source, self.accepted = source, accepted
        self.logs = sum(shard.logs for shard in losses)
        self.records = sum(shard.records for shard in losses)
        self.kept = {log: rows for shard in losses for log, rows in shard.kept.items()}
        # What was refused of a log that is there all the same was no record: a remark on the log.
        self.refused = [
            refused
            for shard in losses
            for refused in shard.refused
            if not (refused.whole and self.kept.get(refused.log))
        ]
        self._counts = counts

    def problems(self) -> list[Mistake]:
        """A line for each kind of reason that is too many."""
        groups: dict[str, list[Refused]] = defaultdict(list)
        for refused in sorted(self.refused, key=lambda refused: (refused.log, refused.line)):
            # What a log tells itself, or repeats of what another one holds, no key would mend.
            repeat = refused.kind.startswith("repeats ")
            repeat &= "fields" not in self.source and ";" not in refused.reason
            if not (repeat or OWN_WORD.match(refused.kind)):
                groups[refused.kind].append(refused)
        by_size = sorted(groups.values(), key=lambda group: -_count(group))
        parts = [(group, self._part(group)) for group in by_size]
        lines = [self._line(group, part) for group, part in parts if part]
        return lines or self._sum_of_all(by_size)

    def _sum_of_all(self, groups: Sequence[Sequence[Refused]]) -> list[Mistake]:
        """A line if most of the source was refused, though for no one kind of reason too much."""
        count = sum(map(_count, groups))
        if self.accepted is not None or count <= MOST * self.records:
            return []
        reasons = [
            f"{_count(group):,} × {group[0].reason} (first: {group[0].log}:{group[0].line})"
            for group in groups[:REASONS_AT_MOST]
        ]
        further = len(groups) - REASONS_AT_MOST
        more = f"; {numbered(further, 'more reason')}" if further > 0 else ""
        share = f"{count:,} of {numbered(self.records, 'record')} are refused"
        message = f"{share}: {'; '.join(reasons)}{more}{self._way_on(groups[0])}"
        return [Mistake(f"sources.{self.source['name']}", terminal.name(message))]

    def _part(self, group: Sequence[Refused]) -> Part | None:
        """Of what too many were refused for one kind of reason; None if of nothing."""
        kind = group[0].kind
        if self._is_too_many(kind, group):
            return Part("", _count(group), self.records)
        if self.accepted is not None or DAMAGE.match(kind) or LACKING.match(kind):
            return None
        lost, here = _by_log(self.refused), _by_log(group)
        of_logs = [
            Part(_of(log), count, lost[log] + self.kept.get(log, 0)) for log, count in here.items()
        ]
        if part := _worst(of_logs):
            return part
        if not any(refused.settings for refused in group):
            return None
        # Of models and other settings, each by itself and all together.
        lost_of, here_of = _by_setting(self.refused), _by_setting(group)
        return _worst(
            Part(_with(setting), count, lost_of[setting] + self._kept[setting])
            for setting, count in here_of.items()
        )

    def _is_too_many(self, kind: str, group: Sequence[Refused]) -> bool:
        """Whether so much of the source was refused for one kind of reason."""
        count = _count(group)
        if self.accepted is not None:
            return count > self.accepted * self.records + ROUNDED
        if count > MOST * self.records or DAMAGE.match(kind):
            return count > MOST * self.records
        logs = len({refused.log for refused in group if refused.whole})
        many = count > FEW and count > SHARE * self.records
        return many or logs > SHARE * self.logs or self._is_one_side(kind, group)

    def _is_one_side(self, kind: str, group: Sequence[Refused]) -> bool:
        """Whether scores were refused for what they say, and those that were kept say the other.

        What a `range` of config.yaml cuts off at one end moves the mean of all that is kept.
        """
        above = kind.startswith(cures.ABOVE)
        if above and _count(group) > FEW:
            return True
        if (above or kind.startswith(cures.BELOW)) and cures.range_ends(self.source):
            return True
        if not (above or cures.is_text(group[0])):
            return False
        names = [f"score.{number}" for number in ("n", "one", "zero")]
        n, one, zero = scan(self._counts).select(names).sum().collect().row(0)
        return bool(n) and n in (one, zero)

    @cached_property
    def _kept(self) -> dict[Setting, int]:
        """Setting → samples that there are of it."""
        rows = scan(self._counts)
        names = roles.of(rows.collect_schema().names(), "setting")
        kept: dict[Setting, int] = defaultdict(int)
        for *values, count in rows.group_by(names).agg(pl.col("epochs").sum()).collect().rows():
            for setting in _settings(dict(zip(names, values, strict=True))):
                kept[setting] += count
        return kept

    def _line(self, group: Sequence[Refused], part: Part) -> Mistake:
        """What is told of a kind of reason, with the key that mends it."""
        first = next(refused for refused in group if part.where in _parts(refused))
        reasons = [first.reason, *(refused.reason for refused in group)]
        fault = cures.fault(reasons, self.source, part.lost)
        cure = cures.cure(group, self.source) or fault.cure
        reason = first.reason.partition(f"; {cures.VERDICTS}")[0] if cure else first.reason
        verb = "is" if part.lost == 1 else "are"
        records = f"{part.lost:,} of {numbered(part.records, 'record')}{part.where}"
        text = cures.scores(group, part.lost, part.records, part.where)
        text = text or f"{records} {fault.words or f'{verb} refused: {reason}'}"
        place = f"sources.{self.source['name']}{fault.key}"
        line = f"{text} (first: {first.log}:{first.line})"
        if not part.where and (setting := self._lost_setting(group)):
            line += f"; nothing is left of {setting}"
        line += f"; {cure}" if cure else ""
        return Mistake(place, terminal.name(line + self._way_on(group)))

    def _lost_setting(self, group: Sequence[Refused]) -> str:
        """The model or other setting of which most is lost and nothing kept; empty if none is."""
        if not any(self._kept.values()):
            return ""
        here = _by_setting(group)
        lost = [setting for setting in here if len(setting) == 1 and not self._kept[setting]]
        return _words(max(lost, key=here.__getitem__)) if lost else ""

    def _way_on(self, group: Sequence[Refused]) -> str:
        """The key that accepts so many of one kind of reason; none where nothing would be left."""
        if not any(self.kept.values()) and _count(self.refused) >= self.records:
            return ""
        share = math.ceil(100 * _count(group) / self.records) / 100
        return f"; to go on without them, refused: {share:g}"


def _parts(refused: Refused) -> list[str]:
    """In what parts a record lies, in words: the source, a log, settings."""
    return ["", _of(refused.log), *map(_with, _settings(refused.settings))]


def _of(log: str) -> str:
    return f" of {log}"


def _with(setting: Setting) -> str:
    return f" with {_words(setting)}"


def _words(setting: Setting) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting)


def _count(group: Iterable[Refused]) -> int:
    return sum(refused.count for refused in group)


def _by_log(group: Iterable[Refused]) -> dict[str, int]:
    """Log → records refused in it, those left out that were refused as a whole."""
    counts: dict[str, int] = defaultdict(int)
    for refused in group:
        if not refused.whole:
            counts[refused.log] += refused.count
    return counts


def _by_setting(group: Iterable[Refused]) -> dict[Setting, int]:
    counts: dict[Setting, int] = defaultdict(int)
    for refused in group:
        for setting in _settings(refused.settings):
            counts[setting] += refused.count
    return counts


def _settings(values: Mapping[str, Any]) -> list[Setting]:
    """Each of the settings by itself, and all of them together."""
    spelled = tuple(
        (name, spelling(values[name]))
        for name in sorted(values, key=lambda name: (name not in roles.SETTINGS, name))
        if values[name] not in (None, "")
    )
    return list(dict.fromkeys([*((setting,) for setting in spelled), spelled]))


def _worst(parts: Iterable[Part]) -> Part | None:
    """The part that lost most, of those that lost too many; the simplest of several alike."""
    bad = [part for part in parts if part.lost > FEW and part.lost > MOST * part.records]
    return max(bad, key=lambda part: (part.lost, -len(part.where)), default=None)
