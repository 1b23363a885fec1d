"""What harnesses printed beside their logs, number by number, with what is counted of the samples.

Two numbers agree if they differ by no more than half a unit of the last digit to which the harness
rounds, or by 1e-9 where it writes all digits; and if as many problems were counted as it says.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from math import fsum, sqrt
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import roles
from heatproof.formats.api import Log, Printed
from heatproof.samples import counting, tables
from heatproof.statistics.repeats import is_known, reduced
from heatproof.util import spreadsheet, terminal
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.config.entries import Source

    Read = Callable[[Log, Any], Iterator[Printed]]
    Row = Mapping[str, str]

NOISE = 1e-9
"""Of 1, or of the number if that is more: sums of floats depend on their order."""
UNKNOWN = "no reason is known"
MOST = 10
"""Disagreements, and reasons why numbers cannot be compared, that have a line."""
ON_PAGE = 100
"""Disagreements on a page."""
LONGEST = 300
"""Characters of a line at most."""
COLUMNS = ("scorer", "name", "printed", "counted", "agree", "printed_of", "problems", "samples",
           "mean", "note", "file", "log")  # fmt: skip
"""Of the table, behind model, task and hyper-parameters."""
TABLE_ONLY = {*COLUMNS} - {"name", "printed", "counted", "note"}
"""Columns that a page leaves to the table."""
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII)
AGREE = {True: "yes", False: "no", None: ""}


class Moments(NamedTuple):
    """What values add up to: how many, their mean, the sum of squares around it."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def plus(self, other: Moments) -> Moments:
        """Both together (Chan, Golub, LeVeque 1979)."""
        n = self.n + other.n
        if not n:
            return self
        gap = other.mean - self.mean
        squares = self.squares + other.squares + gap * gap * self.n * other.n / n
        return Moments(n, self.mean + gap * other.n / n, squares)

    def statistic(self, name: str) -> float | None:
        """Mean, var, std or stderr; None where there are too few values for it."""
        if not self.n:
            return None
        # Of a single value harnesses print 0, or nothing.
        variance = self.squares / (self.n - 1) if self.n > 1 else 0.0
        return {
            "mean": self.mean,
            "var": variance,
            "std": sqrt(variance),
            "stderr": sqrt(variance / self.n),
        }[name]


class Scored(NamedTuple):
    """The scores of one run in one log, by one scorer."""

    log: str
    run: str
    graders: dict[str, str]
    settings: dict[str, Any]
    """Model, task and hyper-parameters."""
    samples: int
    by: dict[str, Moments]
    """Reduction of the repeats → the moments of what it leaves."""

    @property
    def scorer(self) -> str:
        return self.graders["scorer"]

    def plus(self, other: Scored) -> Scored:
        """Both together, where their runs may be taken as one."""
        by = {over: moments.plus(other.by[over]) for over, moments in self.by.items()}
        return self._replace(samples=self.samples + other.samples, by=by)


def gather(paths: Iterable[Path], overs: Collection[str]) -> list[Scored]:
    """The scores in samples tables of one source, by the reductions `overs`, if they are known.

    Read off the tables piece by piece, so in bounded memory. Sums in a piece are exact, and pieces
    are put together in their order: no number depends on the machine.
    """
    known = sorted({"mean", *filter(is_known, overs)})
    runs: dict[tuple[Any, ...], Scored] = {}
    for path in paths:
        names = roles.of(pl.read_parquet_schema(path), "setting")
        by = ["log", "run", *roles.GRADERS, *names]
        for rows in counting.pieces(path, [*by, "sample_id", "score"]):
            for part in _scored(rows, names, by, known):
                key = (part.log, part.run, *part.graders.values(), *part.settings.values())
                runs[key] = runs[key].plus(part) if key in runs else part
    return list(runs.values())


def _scored(
    rows: pl.DataFrame, names: Sequence[str], by: Sequence[str], overs: Sequence[str]
) -> Iterator[Scored]:
    """The scores of the runs in a piece of a table."""
    # The rows of each scorer together, and in them those of each problem, by epoch.
    rows = rows.drop_nulls("score").sort(*roles.GRADERS, maintain_order=True)
    if not len(rows):
        return
    scores = rows["score"].to_numpy().astype(np.float64)
    problems = tables.starts(rows, [*by, "sample_id"])
    begin = tables.starts(rows, by)
    values = {over: reduced(scores, problems, over) for over in overs}
    ends = [*begin[1:], len(rows)]
    for head, start, end in zip(rows[begin].iter_rows(named=True), begin, ends, strict=True):
        inside = slice(*np.searchsorted(problems, [start, end]))
        yield Scored(
            head["log"],
            head["run"],
            {name: head[name] for name in roles.GRADERS},
            {name: head[name] for name in names},
            int(end - start),
            {
                over: _moments(of_all[start:end] if over == "all" else of_all[inside])
                for over, of_all in values.items()
            },
        )


def _moments(values: NDArray[np.float64]) -> Moments:
    values = values[~np.isnan(values)]
    if not len(values):
        return Moments()
    mean = fsum(values) / len(values)
    return Moments(len(values), mean, fsum((values - mean) ** 2))


class Comparison(NamedTuple):
    """A printed number beside the one counted of the samples."""

    log: str
    told: Printed
    scored: Scored | None = None
    """What was counted; None: no sample of it."""
    refused: int = 0
    """Records of the log that were refused."""

    @property
    def counted(self) -> float | None:
        """The number counted by the harness's rule, in its unit."""
        told = self.told
        if self.scored is None or told.why or not is_known(told.over):
            return None
        value = self.scored.by[told.over].statistic(told.statistic)
        if value is None or told.statistic == "mean":
            return _scaled(value, told)
        return value * (told.high - told.low) ** (2 if told.statistic == "var" else 1)

    @property
    def mean(self) -> float | None:
        """The mean of all samples, each problem with the same weight, in the harness's unit."""
        return _scaled(self.scored.by["mean"].statistic("mean"), self.told) if self.scored else None

    @property
    def problems(self) -> int:
        """Problems of which samples were counted."""
        return self.scored.by["mean"].n if self.scored else 0

    @property
    def printed(self) -> float | None:
        """What is printed; of several lines the one that agrees, or else the last."""
        values = [self.told.value, *self.told.earlier]
        return next((v for v in values if self._is_near(v, self.counted)), self.told.value)

    @property
    def agree(self) -> bool | None:
        """Whether both are the same; None where they cannot be compared."""
        if self.told.why or not is_known(self.told.over):
            return None
        return self._is_near(self.printed, self.counted) and self._is_complete()

    def _is_complete(self) -> bool:
        samples = self.scored.samples if self.scored else 0
        return self.told.problems in (None, self.problems, samples)

    def _is_near(self, printed: float | None, counted: float | None) -> bool:
        if printed is None or counted is None:
            return False
        half = 0.0 if self.told.decimals is None else 0.5 * 10.0**-self.told.decimals
        return abs(printed - counted) <= half + NOISE * max(1.0, abs(printed))

    @property
    def note(self) -> str:
        """Why they differ, as far as that is known; or what a figure shows of it otherwise."""
        told = self.told
        if self.agree is None:
            return told.why or f"repeats are reduced by {told.over!r}, which is not known here"
        if not self.agree:
            return "; ".join(self._reasons()) or UNKNOWN
        by_name = told.statistic != "mean" or told.over.startswith("pass_")
        if by_name or self._is_near(self.mean, self.counted):
            return ""
        rule = (
            "the first repeat alone" if told.over == "first" else f"the {told.over} of the repeats"
        )
        return f"{rule}; the mean of all is {digits(self.mean)}"

    def _reasons(self) -> Iterator[str]:
        told, printed, counted = self.told, self.printed, self.counted
        if self.scored is None:
            yield "none of its samples is read"
        elif not self._is_complete():
            yield f"printed of {told.problems:,}, {numbered(self.problems, 'problem')} read"
        elif told.run not in (None, self.scored.samples):
            read = numbered(self.scored.samples, "sample")
            yield f"printed of a run of {told.run:,}, {read} read"
        if self.refused:
            yield f"{numbered(self.refused, 'record')} of the log refused"
        if printed is None or counted is None or self._is_near(printed, counted):
            return
        if counted and self._is_near(printed / 100, counted):
            yield "it is in percent"
        elif told.statistic == "mean" and self._is_near(printed, self.mean):
            yield "it is the mean of all repeats"


def _scaled(value: float | None, told: Printed) -> float | None:
    """A mean of our scores, in the harness's unit."""
    return None if value is None else told.low + (told.high - told.low) * value


def digits(value: float | None) -> str:
    """A number with twelve digits; nothing of none."""
    return "" if value is None else f"{value:.12g}"


def read(
    logs: Iterable[str],
    root: Path,
    entry: Source,
    printed: Read,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[str, Printed]]:
    """What the harness printed of each log; a file that cannot be read is told as such."""
    for path in logs:
        progress(path)
        try:
            log = Log(path, root, entry)
            try:
                yield from ((path, number) for number in printed(log, entry))
            finally:
                log.close()
        except (Error, OSError) as error:
            why = (error.strerror or "") if isinstance(error, OSError) else str(error)
            file = next(iter(entry.printed_in(path, root)), path)
            yield path, Printed(file=file, name="", why=why or "it cannot be read")


def compare(
    numbers: Iterable[tuple[str, Printed]], scored: Sequence[Scored], refused: Mapping[str, int]
) -> tuple[list[Comparison], int]:
    """Each printed number with what was counted; and how many are of scores that were not read.

    `refused`: log → its records that were refused.
    """
    by_log: dict[str, list[Scored]] = {}
    by_run: dict[str, list[Scored]] = {}
    for one in scored:
        by_log.setdefault(one.log, []).append(one)
        by_run.setdefault(one.run, []).append(one)
    comparisons, others = [], 0
    for log, number in numbers:
        parts = by_log.get(log, [])
        scorers = {one.scorer for one in parts or scored}
        if number.scorer is not None and scorers and number.scorer not in scorers:
            others += 1
            continue
        of_run = [one for run in dict.fromkeys(one.run for one in parts) for one in by_run[run]]
        both = [_sum_of(parts, number), _sum_of(of_run, number)]
        fits = [one for one in both if one and number.problems == one.by["mean"].n]
        comparisons.append(Comparison(log, number, (fits or both)[0], refused.get(log, 0)))
    return comparisons, others


def _sum_of(parts: Sequence[Scored], number: Printed) -> Scored | None:
    """Of what was counted, that which a number is told of."""
    own = {} if number.scorer is None else {"scorer": number.scorer}
    place = {**number.where, **own}
    total: Scored | None = None
    for part in parts:
        values = {**part.settings, **part.graders}
        if all(values.get(name) == value for name, value in place.items()):
            total = total.plus(part) if total else part
    return total


def table_row(one: Comparison, settings: Sequence[str]) -> dict[str, str]:
    """A line of the table; `settings`: the columns of model, task and hyper-parameters."""
    told, scored = one.told, one.scored
    values = [(scored.settings if scored else {}).get(name) for name in settings]
    own = [
        *(scored.scorer if scored else told.scorer, told.name),
        *(digits(one.printed), digits(one.counted), AGREE[one.agree]),
        *(told.problems, one.problems, scored.samples if scored else 0, digits(one.mean)),
        *(one.note, told.file, one.log),
    ]
    texts = ("" if value is None else str(value) for value in (*values, *own))
    return dict(zip((*settings, *COLUMNS), texts, strict=True))


def table(rows: Iterable[Row], settings: Sequence[str]) -> str:
    """CSV, a line per printed number; no text of a log can pass for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*settings, *COLUMNS))
    for row in rows:  # a number below 0 begins as a formula does
        writer.writerow(v if NUMBER.fullmatch(v) else spreadsheet.guarded(v) for v in row.values())
    return out.getvalue()


def read_table(path: Path) -> list[Row]:
    """The lines of such a table.

    Raises:
        Error: it is damaged.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows: list[Row] = [
                {name: spreadsheet.bare(text) for name, text in row.items() if name}
                for row in csv.DictReader(file, restval="")
            ]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Error(f"{path}: no table of printed numbers ({error}): run snakemake") from None
    if any(name not in row for row in rows[:1] for name in COLUMNS):
        raise Error(f"{path}: no table of printed numbers: run snakemake")
    return rows


def headline(rows: Sequence[Row]) -> str:
    """How many agree, in a few words."""
    counts = Counter(row["agree"] for row in rows)
    if not rows:
        return "nothing"
    share = f"{counts['yes']:,} of {counts['yes'] + counts['no']:,} values agree"
    return f"{share}, {counts['']:,} cannot be compared" if counts[""] else share


def outcome(rows: Sequence[Row]) -> dict[str, Any]:
    """What came out as plain values: how many agree, in words; the first that do not, as lines.

    Files that could not be read are named likewise, where there are any.
    """
    wrong = [row for row in rows if row["agree"] == "no"]
    lines = []
    for row in wrong[:MOST]:
        names = [name for name in row if name not in COLUMNS and row[name]]
        where = [f"{name} {row[name]}" for name in names] or [row["log"]]
        numbers = f"printed {row['printed']}, counted {row['counted'] or 'nothing'}"
        lines.append(short(f"{row['name']}: {numbers} ({row['note']}); {', '.join(where)}"))
    values = {"values": headline(rows), "disagreements": len(wrong), "disagree": lines}
    files = damaged(rows)
    return values | ({"damaged": len(files), "unread": files[:MOST]} if files else {})


def damaged(rows: Sequence[Row]) -> list[str]:
    """The files that could not be read, each with the reason: their lines name no number."""
    files: dict[str, str] = {}
    for row in rows:
        if not row["name"]:
            file, why = row["file"], row["note"]
            for name in (file, PurePath(file).name):
                why = why.removeprefix(f"{name}: ")
            files.setdefault(file, short(f"{file} cannot be read: {why}"))
    return [*files.values()]


@dataclass(frozen=True)
class OnPage:
    """What a page shows of a source."""

    source: str
    headline: str
    address: str
    """Of the table of all, relative to the page."""
    wrong: Sequence[Mapping[str, str]] = ()
    """Its lines that do not agree, the first of them."""
    more: int = 0
    """How many more there are."""
    damaged: Sequence[str] = ()
    """Files that could not be read, each with the reason, the first of them."""


def on_page(source: str, rows: Sequence[Row], address: str) -> OnPage:
    """The first numbers that do not agree, without empty columns."""
    wrong = [row for row in rows if row["agree"] == "no"]
    names = [name for name in (wrong or [{}])[0] if any(row[name] for row in wrong)]
    first = [
        {name: short(row[name]) for name in names if name not in TABLE_ONLY}
        for row in wrong[:ON_PAGE]
    ]
    files = damaged(rows)[:ON_PAGE]
    return OnPage(source, headline(rows), address, first, len(wrong) - len(first), files)


def summary(rows: Sequence[Row], others: int) -> str:
    """All that is to be said; `others`: printed numbers of scores that were not asked for."""
    lines = [f"Printed by the harness: {headline(rows)}."]
    result = outcome(rows)
    if result["disagree"]:
        lines += ["", "Do not agree:", *(f"  {line}" for line in result["disagree"])]
    if more := result["disagreements"] - len(result["disagree"]):
        lines.append(f"  and {more:,} more")
    by_rule = Counter(  # notes without their numbers
        row["note"].partition(";")[0] for row in rows if row["agree"] == "yes" and row["note"]
    )
    beyond = Counter(row["note"] for row in rows if not row["agree"])
    for head, notes in (
        ("By a rule of the harness, which a figure may not share:", by_rule),
        ("Cannot be compared:", beyond),
    ):
        lines += ["", head] if notes else []
        lines += [f"  {count:,} × {short(note)}" for note, count in notes.most_common(MOST)]
        lines += [f"  {len(notes) - MOST:,} other reasons"] if len(notes) > MOST else []
    if others:
        lines += ["", f"Of scores that config.yaml does not choose: {others:,}."]
    return "\n".join(lines) + "\n"


def short(text: str) -> str:
    """A text of a log as it may stand in a line: short, and free of what steers a terminal."""
    return terminal.name(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")
