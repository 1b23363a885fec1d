"""Numbers that harnesses printed beside their logs, compared with those counted of the samples.

Two numbers agree if they differ by no more than half a unit of the last digit to which the harness
rounds, or by 1e-9 where it writes all digits; and if as many problems were counted as it says.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from contextlib import closing
from math import fsum, sqrt
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import roles
from heatproof.formats.api import Log, Printed
from heatproof.samples import counts, tables
from heatproof.statistics.repeats import is_known, reduced
from heatproof.util import canonical, terminal
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.config.entries import Source

    Row = Mapping[str, str]

NOISE = 1e-9  # of 1, or of the number if that is more: sums of floats depend on their order
MOST = 10  # disagreements that have a line at the end of a run, and on its page
LONGEST = 300  # characters of a line at most
COLUMNS = ("scorer", "name", "printed", "counted", "agree", "printed_of", "problems", "samples",
           "mean", "note", "file", "log")  # fmt: skip
"""Columns of the table after model, task and hyper-parameters."""
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII)
AGREE = {True: "yes", False: "no", None: ""}


def statistic(values: NDArray[np.float64], name: str) -> float | None:
    """Mean, var, std or stderr; None without values. Harnesses print 0 for spreads of one."""
    n = len(values)
    if not n:
        return None
    mean = fsum(values) / n
    if name == "mean":
        return mean
    variance = fsum((values - mean) ** 2) / (n - 1) if n > 1 else 0.0
    return {"var": variance, "std": sqrt(variance), "stderr": sqrt(variance / n)}[name]


class Scored(NamedTuple):
    """The scores of one run in one log, by one scorer."""

    log: str
    run: str
    graders: dict[str, str]
    settings: dict[str, Any]  # model, task and hyper-parameters
    samples: int
    by: dict[str, NDArray[np.float64]]
    """Reduction of the repeats → a value for each problem."""


def _join_scores(parts: Sequence[Scored]) -> Scored:
    by = {over: np.concatenate([part.by[over] for part in parts]) for over in parts[0].by}
    return parts[0]._replace(samples=sum(part.samples for part in parts), by=by)


def gather(paths: Iterable[Path], overs: Collection[str]) -> list[Scored]:
    """The scores in the samples tables of a source, by the reductions `overs` that are known."""
    reductions = sorted({"mean", *filter(is_known, overs)})
    runs: defaultdict[tuple[Any, ...], list[Scored]] = defaultdict(list)
    for path in paths:
        names = roles.columns(pl.read_parquet_schema(path), "setting")
        by = ["log", "run", *roles.GRADERS, *names]
        for piece in counts.pieces(path, [*by, "sample_id", "score"]):
            for values, rows in piece.drop_nulls("score").group_by(by, maintain_order=True):
                head, scores = dict(zip(by, values, strict=True)), rows["score"].to_numpy()
                first = tables.starts(rows, ["sample_id"])
                reduced_scores = {over: reduced(scores, first, over) for over in reductions}
                part = Scored(
                    head["log"],
                    head["run"],
                    {name: head[name] for name in roles.GRADERS},
                    {name: head[name] for name in names},
                    len(rows),
                    {over: part[~np.isnan(part)] for over, part in reduced_scores.items()},
                )
                runs[values].append(part)
    return list(map(_join_scores, runs.values()))


class Comparison:
    """A printed number beside the one counted of the samples."""

    def __init__(
        self, log: str, number: Printed, scored: Scored | None = None, refused: int = 0
    ) -> None:
        """`scored`: the samples that it is counted of, if any; `refused`: records of the log."""
        self.log, self.number, self.scored, self.refused = log, number, scored, refused
        self.problems = len(scored.by["mean"]) if scored else 0
        self.samples = scored.samples if scored else 0
        self.mean = self._scaled("mean", "mean")  # each problem has the same weight
        comparable = not number.why and is_known(number.over)
        self.counted = self._scaled(number.over, number.statistic) if comparable else None
        values = [number.value] + number.earlier
        self.printed = next((v for v in values if self._is_near(v, self.counted)), number.value)
        self._near = self._is_near(self.printed, self.counted)
        self._complete = number.problems in (None, self.problems, self.samples)
        self.agree = self._near and self._complete if comparable else None
        """None: they cannot be compared."""

    def _scaled(self, over: str, name: str) -> float | None:
        value = statistic(self.scored.by[over], name) if self.scored else None
        if value is None:
            return None
        low, width = self.number.low, self.number.high - self.number.low
        return low + width * value if name == "mean" else value * width ** (1 + (name == "var"))

    def _is_near(self, printed: float | None, counted: float | None) -> bool:
        if printed is None or counted is None:
            return False
        decimals = self.number.decimals
        half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
        return abs(printed - counted) <= half + NOISE * max(1.0, abs(printed))

    @property
    def note(self) -> str:
        """Why they differ, if that is known; or by what rule both differ from the plain mean."""
        number = self.number
        if self.agree is None:
            return number.why or f"heatproof cannot reduce repeats by {number.over!r}"
        if not self.agree:
            return "; ".join(self._reasons()) or "no reason is known"
        is_rate = number.statistic != "mean" or number.over.startswith("pass_")
        if is_rate or self._is_near(self.mean, self.counted):
            return ""
        first = number.over == "first"
        rule = "the first repeat alone" if first else f"the {number.over} of the repeats"
        return f"{rule}; the mean of all is {digits(self.mean)}"

    def _reasons(self) -> Iterator[str]:
        number, printed, counted = self.number, self.printed, self.counted
        if self.scored is None:
            yield "none of its samples is read"
        elif not self._complete:
            yield f"printed of {number.problems:,}, {numbered(self.problems, 'problem')} read"
        elif number.run not in (None, self.samples):
            yield f"printed of a run of {number.run:,}, {numbered(self.samples, 'sample')} read"
        if self.refused:
            yield f"{numbered(self.refused, 'record')} of the log refused"
        if self._near or printed is None or counted is None:
            return
        if counted and self._is_near(printed / 100, counted):
            yield "it is in percent"
        elif number.statistic == "mean" and self._is_near(printed, self.mean):
            yield "it is the mean of all repeats"

    def row(self, settings: Sequence[str]) -> dict[str, str]:
        """A line of the table; `settings`: names of model, task and hyper-parameters."""
        number, scored = self.number, self.scored
        values = [
            *((scored.settings if scored else {}).get(name) for name in settings),
            *(scored.graders["scorer"] if scored else number.scorer, number.name),
            *(digits(self.printed), digits(self.counted), AGREE[self.agree]),
            *(number.problems, self.problems, self.samples, digits(self.mean)),
            *(self.note, number.file, self.log),
        ]
        texts = ("" if value is None else str(value) for value in values)
        return dict(zip((*settings, *COLUMNS), texts, strict=True))


def digits(value: float | None) -> str:
    """A number with twelve digits; empty for None."""
    return "" if value is None else f"{value:.12g}"


def read(
    logs: Iterable[str], root: Path, entry: Source, printed: Callable[[Log, Any], Iterator[Printed]]
) -> Iterator[tuple[str, Printed]]:
    """The printed numbers of each log; of a file that cannot be read, why."""
    for path in logs:
        try:
            with closing(Log(path, root, entry)) as log:
                yield from ((path, number) for number in printed(log, entry))
        except (Error, OSError) as error:
            why = (error.strerror or "") if isinstance(error, OSError) else str(error)
            file = next(iter(entry.printed_in(path, root)), path)
            yield path, Printed(file=file, name="", why=why or "it cannot be read")


def compare_numbers(
    numbers: Iterable[tuple[str, Printed]], scored: Sequence[Scored], refused: Mapping[str, int]
) -> list[Comparison]:
    """Each printed number beside the counted one, but for those of scorers that were not read."""

    def total(parts: Sequence[Scored], number: Printed) -> Scored | None:
        where = number.where | ({} if number.scorer is None else {"scorer": number.scorer})
        fits = [p for p in parts if where.items() <= {**p.settings, **p.graders}.items()]
        return _join_scores(fits) if fits else None

    by_log, by_run = defaultdict[str, list[Scored]](list), defaultdict[str, list[Scored]](list)
    for part in scored:
        by_log[part.log].append(part)
        by_run[part.run].append(part)
    comparisons = []
    for log, number in numbers:
        parts = by_log.get(log, [])
        scorers = {part.graders["scorer"] for part in parts or scored}
        if number.scorer is None or not scorers or number.scorer in scorers:
            own = total(parts, number)
            if number.problems not in (None, len(own.by["mean"]) if own else 0):
                runs = dict.fromkeys(part.run for part in parts)
                pooled = total([part for run in runs for part in by_run[run]], number)
                if pooled and number.problems == len(pooled.by["mean"]):
                    own = pooled
            comparisons.append(Comparison(log, number, own, refused.get(log, 0)))
    return comparisons


def comparison_table(rows: Iterable[Row], settings: Sequence[str]) -> str:
    """CSV, a line per printed number; no text of a log is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*settings, *COLUMNS))
    for row in rows:  # a negative number begins like a formula
        writer.writerow(v if NUMBER.fullmatch(v) else canonical.guarded(v) for v in row.values())
    return out.getvalue()


def read_table(path: Path) -> list[Row]:
    """The lines of such a table."""
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        rows: list[Row] = [
            {name: canonical.bare(text) for name, text in row.items() if name}
            for row in csv.DictReader(file, restval="")
        ]
    return rows


def headline(rows: Sequence[Row]) -> str:
    """How many values agree, in words."""
    counts = Counter(row["agree"] for row in rows)
    if not rows:
        return "nothing"
    share = f"{counts['yes']:,} of {counts['yes'] + counts['no']:,} values agree"
    return f"{share}, {counts['']:,} cannot be compared" if counts[""] else share


def outcome(rows: Sequence[Row]) -> dict[str, Any]:
    """How many values agree, in words, and lines for the first that do not and damaged files."""

    def short(text: str) -> str:
        return terminal.name(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")

    wrong, disagree = [row for row in rows if row["agree"] == "no"], []
    for row in wrong[:MOST]:
        names = [name for name in row if name not in COLUMNS and row[name]]
        where = ", ".join(f"{name} {row[name]}" for name in names) or row["log"]
        numbers = f"printed {row['printed']}, counted {row['counted'] or 'nothing'}"
        disagree.append(short(f"{row['name']}: {numbers} ({row['note']}); {where}"))
    reasons: dict[str, str] = {}
    for row in rows:
        if not row["name"]:
            reasons.setdefault(row["file"], row["note"])
    unread = []
    for file, note in reasons.items():
        why = note.removeprefix(f"{file}: ").removeprefix(f"{PurePath(file).name}: ")
        unread.append(short(f"{file} cannot be read: {why}"))
    values = {"values": headline(rows), "disagreements": len(wrong), "disagree": disagree}
    return values | ({"damaged": len(unread), "unread": unread[:MOST]} if unread else {})
