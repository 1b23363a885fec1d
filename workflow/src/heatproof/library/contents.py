"""What logs hold, in words: their columns with values, the runs, and what was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.config import roles
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import by_size, numbered, span, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.library.reading import Tables

SHOWN = 6
"""Values of a column that are named of more."""
REASONS = 5
"""Reasons of refusals that are named of more."""
NAMES = {"String": "text", "Int64": "whole", "Float64": "number", "Boolean": "true, false"}
"""Type of a column → what it is called."""


def text(tables: Tables) -> str:
    """The lines of all of it."""
    samples, rejected = tables
    head = f"{numbered(len(samples), 'sample')}, {numbered(len(rejected), 'record')} refused"
    return "\n".join([head, *columns(samples), *runs(samples), *refusals(rejected)])


def columns(samples: pl.DataFrame) -> list[str]:
    """A line for each column: name, type, and its values or their range."""
    found = [*_settings(samples), *_problems(samples), *_measures(samples)]
    if not found:
        return []
    name, kind = (max(len(one[at]) for one in found) for at in (0, 1))
    return [f"  {one[0]:{name}}  {one[1]:{kind}}  {one[2]}".rstrip() for one in found]


def _settings(samples: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    """What runs are told apart by, and in how many logs each value stands."""
    for name in roles.settings(samples.columns):
        logs = samples.group_by(name).agg(pl.col("log").n_unique()).sort(name, nulls_last=True)
        told = words(logs[name].drop_nulls().to_list())
        told += ["none"] * logs[name].null_count()
        if name in roles.GRADERS and logs[name].to_list() == [""]:
            continue
        yield name, NAMES.get(str(samples.schema[name]), ""), _some(told, logs["log"].to_list())


def _some(values: list[str], logs: list[int]) -> str:
    """The first values, and in how many logs each stands where that is not the same of all."""
    even = len(set(logs)) == 1
    shown = [
        f"{v or repr(v)}{'' if even else f' ({n} logs)'}" for v, n in zip(values, logs, strict=True)
    ]
    more = f", … {len(values)} in all" if len(values) > SHOWN else ""
    return ", ".join(shown[:SHOWN]) + more


def _problems(samples: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    by = [*roles.SETTINGS, "run"]
    held = samples.group_by(by).agg(pl.col("sample_id").n_unique(), pl.col("epoch").n_unique())
    every = samples.group_by("task").agg(pl.col("sample_id").n_unique())
    whole = held.join(every, on="task", nulls_equal=True, suffix="_all")
    same = bool((whole["sample_id"] == whole["sample_id_all"]).all())
    ids = sorted(samples["sample_id"].unique(), key=by_size)
    told = f"{numbered(len(ids), 'problem')}, {ids[0]} … {ids[-1]}" if ids else "none"
    yield "sample_id", "text", told + (", the same in each run of a task" if same else "")
    yield "epoch", "whole", f"{span(held['epoch'].to_list())} of a problem" if len(held) else ""


def _measures(samples: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    for name in roles.of(samples.columns, "measure"):
        given = samples[name].drop_nulls()
        if not len(given):
            yield name, "number", "none"
            continue
        some = sorted(given.unique().to_list())
        ends = words([some[0], some[-1]])
        told = f"{ends[0]} or {ends[1]}" if len(some) == 2 else " … ".join(dict.fromkeys(ends))
        lacking = samples[name].null_count()
        told += f", mean {float(given.sum()) / len(given):.4g}"
        yield name, "number", told + (f", none in {lacking} samples" if lacking else "")


def runs(samples: pl.DataFrame) -> list[str]:
    """How many runs there are, with how many samples each."""
    if not len(samples):
        return []
    held = samples.group_by([*roles.SETTINGS, "run", *roles.GRADERS]).len()["len"].to_list()
    return [f"{numbered(len(held), 'run')} of {span(held)} samples"]


def refusals(rejected: pl.DataFrame) -> list[str]:
    """The commonest reasons, each with how often and where first."""
    if not len(rejected):
        return []
    found = (
        rejected.group_by("reason", maintain_order=True)
        .agg(pl.len(), pl.col("log").first(), pl.col("line").first())
        .sort("len", descending=True, maintain_order=True)
    )
    lines = [
        f"  {row['len']} × {row['reason']} (first: {row['log']}:{row['line']})"
        for row in found.head(REASONS).iter_rows(named=True)
    ]
    more = len(found) - REASONS
    return [
        "refused:",
        *lines,
        *([f"  … and {numbered(more, 'further reason')}"] if more > 0 else []),
    ]
