"""A family of files → its likeliest readings, each on trial: read by the real reader, with the
thresholds of a run. The first that holds is written; what only a person can say is a question.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import heatproof as hp
from heatproof.config import configuration
from heatproof.init import frame, roles, words
from heatproof.init.figures import Sweep
from heatproof.init.files import mixed
from heatproof.init.frame import Frame, Place
from heatproof.init.source import Proposal, propose
from heatproof.init.words import weight
from heatproof.library import reading
from heatproof.logs import logs
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from heatproof.init.figures import Figure
    from heatproof.init.frame import Family
    from heatproof.init.roles import Facts, Reading

BYTES = 64 << 20
"""Of all logs, read on trial."""
EQUAL = "all cells are"
EMPTY = 0.1
"""Part of the cells that must be filled."""
SHOWN = 0.5
"""Part of the samples that a first figure must show."""
TRIED = 4
"""Readings that are tried."""
PER_FRAME = 2
CANDIDATES = 6
"""Columns that are named where none is known to be the score."""
SURE = 99.0
"""Weight of a score that is known."""
NEAR = 1.0
"""Weight by which a reading may be less likely than one that is a question."""
HOLE, TASK = "column", "task"
"""What the column of the names of columns is called; where nothing beside a name says of what."""
BESIDE = 3
"""Other columns of a table whose columns are tasks, beside the one that names its rows."""


class Trial(NamedTuple):
    """What logs hold, as a run would read them."""

    source: Any = None
    """As the config says it, checked."""
    samples: pl.DataFrame = pl.DataFrame()
    refused: Counter[str] = Counter()
    """Reason → records."""
    first: Mapping[str, str] = {}
    """Reason → the first log with such a record."""
    logs: int = 0
    """How many were read."""
    complete: bool = False
    """Whether these are all."""
    fault: str = ""
    """Why a run would stop, or have nothing."""
    above: bool = False
    """Whether scores were refused as above the scale."""


@dataclass
class Source:
    """Logs and what was made of them: a source with figures, or a question."""

    paths: list[str]
    proposal: Proposal
    trial: Trial = field(default_factory=Trial)
    figures: list[Figure] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    """Readings that were tried before, or figures, and why they will not do."""
    candidates: list[str] = field(default_factory=list)
    """Columns that may be the score, with their values."""


# ----------------------------------------------------------------------------------------- readings


def best(
    family: Family, others: Collection[str], within: str, root: Path, score: str = ""
) -> Source:
    """The first reading of a family that a trial bears out, or a question: it has no figures.

    Args:
        family: its files.
        others: files that are none of its logs.
        within: what the folder is called.
        root: the project.
        score: place of the score, where the user gives it.
    """
    open_ = Source(family.paths, Proposal({}))
    reasons: list[str] = []
    readings, open_.candidates, refused = _likely(family, score)
    for likely in [] if refused else readings:
        proposal = propose(likely, others, within)
        if proposal.question:
            reasons.append(proposal.question)
            if proposal.answers and not open_.proposal.answers:
                open_.proposal = proposal
            if _is_decisive(likely, readings):
                break  # what is likeliest is a question: nothing less likely is drawn
            continue
        source = on_trial(Source(family.paths, proposal), root)
        if source.figures:
            source.rejected = reasons
            return source
        reasons.append(f"{likely.score}: {source.rejected[0]}")
    none = "no column looks like a score; name it: heatproof init --score PLACE"
    question = refused or "; ".join(reasons) or none
    return replace(open_, proposal=replace(open_.proposal, question=question))


def _is_decisive(likely: Reading, readings: Sequence[Reading]) -> bool:
    """Whether a reading that is a question stops the search; not where the share stands beside."""
    same = (other for other in readings if other.frame is likely.frame)
    shares = any(other.facts[other.score].type == "float" for other in same)
    count = likely.facts[likely.score].type == "int"
    return not (count and shares) and likely.weight > readings[0].weight - NEAR


def _likely(family: Family, score: str) -> tuple[list[Reading], list[str], str]:
    """The likeliest readings, best first; columns that may be the score, in words; or a refusal."""
    columns: list[tuple[float, str, Frame, dict[str, Facts], dict[str, Any]]] = []
    for plain in frame.frames(family):
        table, facts = plain, roles.profile(plain)
        layout = words.layout(table.places)
        if "refused" in layout:
            return [], [], layout["refused"]
        if spread := _unpivoted(table, facts):
            table, facts = spread, roles.profile(spread)
        lasts = Counter(name.rpartition(".")[2] for name in facts)
        certain = score or layout.get("roles", {}).get("score", "")
        certain = certain or (f"{{{TASK}}}" if table.group else "")
        for name in (name for name in facts if table.places[name].part in ("field", "list")):
            value = roles.score_weight(facts[name], len(table.data))
            again = lasts[name.rpartition(".")[2]]  # keys that are values
            value -= 3.0 * (again > 6) + 0.3 * (again > 1)
            value = SURE if name == certain else min(value, 0.0) if score else value
            columns.append((value, name, table, facts, layout))
    columns.sort(key=lambda column: -column[0])
    readings: list[Reading] = []
    for value, name, table, facts, layout in columns:
        same = sum(other.frame is table for other in readings)
        least = 1.0 if facts[name].type == "bool" else roles.LEAST["score"]
        if value >= least and len(readings) < TRIED and same < PER_FRAME:
            readings.append(roles.Reading(table, facts, name, value, layout))
    told = (_candidate(facts[name], table.places[name], v) for v, name, table, facts, _ in columns)
    return readings, [*dict.fromkeys(filter(None, told))][:CANDIDATES], ""


def _candidate(facts: Facts, place: Place, value: float) -> str:
    """Place and values of a column; empty for what nobody would take for a score."""
    if facts.type in ("bool", "int", "float"):
        span = f"always {facts.low:g}" if facts.constant else f"{facts.low:g} to {facts.high:g}"
        return f"{place.text}: {span}"
    few = facts.type == "text" and 2 <= facts.distinct <= 4 and value > -2
    return f"{place.text}: {', '.join(map(str, facts.values))}" if few else ""


def _unpivoted(table: Frame, facts: dict[str, Facts]) -> Frame | None:
    """The frame with a row for each column of a group; None if no columns are one."""
    if table.family.format == "json" and table.at is None:
        return None
    fields = [name for name in facts if table.places[name].part == "field"]
    # Objects in documents are places of records of their own.
    signs = r"[_\- ]" if table.family.format == "json" else r"[_.\- ]"
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for name in fields:
        column = facts[name]
        if not column.single or column.type == "text" or column.low < 0:
            continue
        for sign in re.finditer(signs, name):
            left, right = (name[: sign.start()], name[sign.end() :])
            for token, template in (
                (left, f"{{{HOLE}}}{name[sign.start() :]}"),
                (right, f"{name[: sign.end()]}{{{HOLE}}}"),
            ):
                graded = weight("score", template) - weight("not_score", template)
                if graded >= 1.5 and weight("score", token) < 1 and not token.isdigit():
                    groups[template][token] = name
    groups = {template: group for template, group in groups.items() if len(group) > 1}
    tasks = _tasks(facts, fields, len(table.data))
    groups = groups or {f"{{{TASK}}}": {name: name for name in tasks}}
    template, columns = max(groups.items(), key=lambda group: len(group[1]))
    if len(columns) < 2:
        return None
    hole = template.partition("{")[2].partition("}")[0]
    rest = [name for name in table.data.columns if name not in (*columns.values(), hole)]
    tables = [
        table.data.select(rest).with_columns(
            pl.lit(token).alias(hole), roles.numbers(table, name).alias(template)
        )
        for token, name in columns.items()
    ]
    places = {name: table.places[name] for name in rest if name in table.places}
    places |= {hole: Place("hole", hole), template: Place("field", template)}
    group = [*columns] if hole == TASK else []
    data = pl.concat(tables, how="vertical_relaxed")
    return replace(table, data=data, places=places, group=group)


def _tasks(facts: dict[str, Facts], fields: list[str], rows: int) -> list[str]:
    """Numbers of one scale side by side, in a table whose rows one text tells apart."""
    shares = [
        name
        for name in fields
        if facts[name].type in ("float", "int")
        and not facts[name].missing
        and 0 <= facts[name].low <= facts[name].high <= 100
        and abs(weight("score", name) - weight("not_score", name)) < 0.9
        and max(weight("setting", name), weight("count", name)) < 1
    ]
    heads = rows > 1 and any(
        facts[name].type == "text" and facts[name].distinct == rows for name in fields
    )
    scales = {facts[name].high <= 1 for name in shares}
    fractions = any(facts[name].type == "float" for name in shares)
    few = len(fields) - len(shares) <= BESIDE
    return shares if heads and few and fractions and len(scales) == 1 else []


# -------------------------------------------------------------------------------------------- trial


def read(entry: Mapping[str, Any], root: Path) -> Trial:
    """The samples of a source; of many or large logs, of some."""
    try:
        source = configuration.read({"sources": {"trial": dict(entry)}}, root).sources["trial"]
    except Error as error:
        return Trial(fault=_plain(error))
    paths = logs.find(source, root)
    taken = _some(paths, root)
    try:
        result = reading.tables_of(source, taken, root)
    except Error as error:
        return Trial(source, fault=_plain(error))
    samples, rejected = result.tables
    first: dict[str, str] = {}
    for reason, log in rejected.select("reason", "log").iter_rows():
        first.setdefault(reason, log)
    refused = Counter(rejected["reason"].to_list())
    fault = "\n".join(map(_plain, result.problems))
    if not (fault or len(samples)):
        fault = next(iter(refused), "no record of it could be read")
    above = "above" in rejected["kind"]
    complete = len(taken) == len(paths)
    return Trial(source, samples, refused, first, len(taken), complete, fault, above)


def _plain(error: object) -> str:
    return str(error).replace("config.yaml: ", "").replace("sources.trial", "it")


def _some(paths: Sequence[str], root: Path) -> list[str]:
    """Logs that are read on trial: all, or some of all folders."""
    taken: list[str] = []
    left = BYTES
    for path in paths if sum((root / p).stat().st_size for p in paths) <= BYTES else mixed(paths):
        left -= (root / path).stat().st_size
        taken += [path] if left >= 0 or not taken else []
    return sorted(taken)


def on_trial(source: Source, root: Path, trial: Trial | None = None) -> Source:
    """The source with the figures that say something; none, and why, if it cannot be read so."""
    proposal = source.proposal
    source.trial = trial = trial or read(proposal.entry, root)
    if trial.fault:
        source.rejected = [trial.fault]
        return source
    metric = proposal.metric
    if not proposal.printed:
        single = trial.samples["score"].drop_nulls().is_in([0.0, 1.0]).all()
        metric = "pass@1" if single and "range" not in proposal.entry else "mean(score)"
    sweep = Sweep(trial.samples, trial.source.columns().params, metric, proposal.pooled)
    source.rejected = []
    for figure in sweep.figures():
        reason = _undrawable(trial, figure, proposal)
        if not reason:
            source.figures.append(figure)
        else:
            source.rejected.append(reason)
            if reason.startswith(EQUAL) and not source.figures:
                break  # another figure of the same would say no more
    return source


def _undrawable(trial: Trial, figure: Figure, proposal: Proposal) -> str:
    """Why a figure will not do; empty if it will."""
    if "encoding" not in figure.keys:
        return ""  # pairs of models, of whom most problems are shared
    samples, keys = trial.samples, {key: v for key, v in figure.keys.items() if key != "kind"}
    encoding = keys.pop("encoding").values()
    axes = [name for name in encoding if name in samples.columns]
    [metric] = (word for word in encoding if word not in samples.columns)
    other = "model" if "model" not in axes else "task"
    x, y = [*axes, other][:2]
    try:
        hp.grid(samples, x=x, y=y, metric=metric, **keys)
    except Error as error:
        return f"it cannot be drawn: {error}"
    axes += [keys[key] for key in ("panel", "row", "column") if key in keys]
    column = metric.partition("(")[2].rstrip(")") or "score"
    where = {n: v if isinstance(v, list) else [v] for n, v in keys.get("where", {}).items()}
    rows = samples.filter(*(pl.col(name).is_in(values) for name, values in where.items()))
    if len(rows) < SHOWN * len(samples):
        return f"it shows {len(rows) / len(samples):.0%} of the samples"
    return _says_nothing(rows, axes, column, proposal)


def _says_nothing(
    samples: pl.DataFrame, axes: Sequence[str], column: str, proposal: Proposal
) -> str:
    """Why the cells of a figure say nothing; empty if they do."""
    cells = samples.group_by(axes).agg(pl.col(column).mean().alias("$mean"), pl.len().alias("$n"))
    means = cells["$mean"].drop_nulls()
    if not len(means):
        return "no cell has a value"
    if len(means) > 1 and means.n_unique() == 1 and not proposal.graded:
        return f"{EQUAL} {means[0]:g}"
    room = prod(samples[name].n_unique() for name in axes)
    if room > 4 and len(means) < EMPTY * room:
        return f"{len(means)} of {room} cells are filled"
    alone = float(cells["$n"].mean()) <= 1.01  # type: ignore[arg-type]
    between = samples[column].is_between(0, 1, closed="none").any()
    if alone and between and not (proposal.printed or "range" in proposal.entry):
        return "one number a cell that is neither 0 nor 1: a printed share, and no sample"
    return ""
