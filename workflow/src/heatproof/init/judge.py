"""A source and its figure on trial: read by the real reader, with the thresholds of a run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import heatproof as hp
from heatproof.config import configuration
from heatproof.library import reading
from heatproof.logs import logs
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.init.figures import Figure

BYTES = 64 << 20
"""Of all logs, read on trial."""
EQUAL = "all cells are"
EMPTY = 0.1
"""Part of the cells that must be filled."""
SHOWN = 0.5
"""Part of the samples that a first figure must show."""


class Trial(NamedTuple):
    """What logs hold, as a run would read them."""

    source: Source
    samples: pl.DataFrame
    refused: Counter[str]
    """Reason → records."""
    first: dict[str, str]
    """Reason → the first log with such a record."""
    logs: int
    """How many were read."""
    complete: bool
    """Whether these are all."""
    error: str = ""
    """Why a run would stop."""
    above: bool = False
    """Whether scores were refused as above the scale."""


def read(entry: Mapping[str, Any], root: Path) -> Trial:
    """The samples of a source; of many or large logs, of some.

    Raises:
        Error: the entry is wrong.
    """
    source = configuration.read({"sources": {"trial": dict(entry)}}, root).sources["trial"]
    paths = logs.find(source, root)
    taken = _some(paths, root)
    try:
        result = reading.tables_of(source, taken, root)
    except Error as error:
        return Trial(source, pl.DataFrame(), Counter(), {}, 0, complete=False, error=str(error))
    rejected = result.tables.rejected
    first: dict[str, str] = {}
    for reason, log in rejected.select("reason", "log").iter_rows():
        first.setdefault(reason, log)
    complete = len(taken) == len(paths)
    return Trial(
        source, result.tables.samples, Counter(rejected["reason"].to_list()), first, len(taken),
        complete, "\n".join(map(str, result.problems)), "above" in rejected["kind"],
    )  # fmt: skip


def _some(paths: Sequence[str], root: Path) -> list[str]:
    """Logs that are read on trial: all, or some of all folders, the smaller ones first."""
    sizes = {path: (root / path).stat().st_size for path in paths}
    if sum(sizes.values()) <= BYTES:
        return [*paths]
    step = max(1, sum(sizes.values()) // BYTES)
    taken: list[str] = []
    left = BYTES
    for path in sorted(paths[::step], key=lambda path: sizes[path]):
        if sizes[path] > left and taken:
            break
        taken.append(path)
        left -= sizes[path]
    return sorted(taken)


def unreadable(trial: Trial) -> str:
    """Why a source cannot be taken; empty if it can."""
    if trial.error:
        return trial.error.replace("config.yaml: ", "").replace("sources.trial", "it")
    if not len(trial.samples):
        reason = trial.refused.most_common(1)
        return reason[0][0] if reason else "no record of it could be read"
    return ""


def undrawable(trial: Trial, figure: Figure, *, numbered: bool) -> str:
    """Why a figure will not do; empty if it will.

    `numbered`: records are printed numbers.
    """
    if "encoding" not in figure.keys:
        return ""  # pairs of models, of whom most problems are shared
    axes = [axis for axis in figure.keys["encoding"].values() if not _is_metric(axis)]
    metric = next(axis for axis in figure.keys["encoding"].values() if _is_metric(axis))
    other = "model" if "model" not in axes else "task"
    x, y = [*axes, other][:2]
    keys = {key: value for key, value in figure.keys.items() if key != "encoding"}
    try:
        hp.grid(trial.samples, x=x, y=y, metric=metric, **keys)
    except Error as error:
        return f"it cannot be drawn: {error}"
    rows = trial.samples
    for name, value in keys.get("where", {}).items():
        rows = rows.filter(pl.col(name).is_in(value if isinstance(value, list) else [value]))
    if len(rows) < SHOWN * len(trial.samples):
        return f"it shows {len(rows) / len(trial.samples):.0%} of the samples"
    axes += [keys[key] for key in ("panel", "row", "column") if key in keys]
    along = [name for axis in axes for name in (axis if isinstance(axis, list) else [axis])]
    scaled = numbered or bool(getattr(trial.source, "range", None))
    column = metric.partition("(")[2].rstrip(")") or "score"
    return _told_nothing(rows, along, column, scaled=scaled)


def _is_metric(axis: Any) -> bool:
    return isinstance(axis, str) and ("(" in axis or "@" in axis)


def _told_nothing(samples: pl.DataFrame, along: Sequence[str], column: str, *, scaled: bool) -> str:
    """Why the cells of a figure say nothing; empty if they do."""
    cells = samples.group_by(along).agg(pl.col(column).mean().alias("$mean"), pl.len().alias("$n"))
    means = cells["$mean"].drop_nulls()
    if not len(means):
        return "no cell has a value"
    if len(means) > 1 and means.n_unique() == 1:
        return f"{EQUAL} {means[0]:g}"
    room = 1
    for name in along:
        room *= samples[name].n_unique()
    if room > 4 and len(means) < EMPTY * room:
        return f"{len(means)} of {room} cells are filled"
    alone = float(cells["$n"].mean()) <= 1.01  # type: ignore[arg-type]
    between = samples[column].is_between(0, 1, closed="none").any()
    if alone and between and not scaled:
        return "one number a cell that is neither 0 nor 1: a printed share, and no sample"
    return ""
