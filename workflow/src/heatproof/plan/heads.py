"""Heads of logs against the config, before any job; looked at once for what is read and asked.

What was found fine is kept in the workflow's private folder, under the key of entry, code, figures
and the logs looked at: no artefact depends on it.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config.roles import settings
from heatproof.kinds import api
from heatproof.readers import detection
from heatproof.util.atomic_write import swap
from heatproof.util.canonical import key
from heatproof.util.errors import Absent, Lasting, choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from heatproof.config.entries import Figure, Source
    from heatproof.plan.inventory import Noted
    from heatproof.plan.plan import Plan
    from heatproof.samples.heads import Looked
    from heatproof.util.lazy import polars as pl

FINE = Path(".snakemake/heatproof/heads.json")
LOGS = 12
"""Logs looked at, at most, unless something is amiss."""
PATHS = 1000
"""Logs of whose paths it is looked for neighbours, at most: a hundredth of a second."""
SEVERAL = re.compile(r"@([2-9]|\d\d)")
"""In metrics that ask for more than one sample of a problem."""
SIDES = {0.0, 1.0, None}


def problems(plan: Plan) -> list[str]:
    """What heads of logs tell of the sources and figures of a plan, a line for each mistake.

    Not of logs that other rules make: what is there of them now may be what these mend.
    """
    fine, found = _fine(plan.root), []
    known = dict(fine)
    for name, source in plan.sources.items():
        if name not in plan.shards or plan.is_made(name):
            continue
        noted = plan.noted(name)
        now = _key(plan, name, noted)
        if known.get(name) == now:
            continue
        wrong = _problems(plan, source, noted)
        found += wrong
        known |= {name: "" if wrong else now}
    if known != fine:
        path = plan.root / FINE
        path.parent.mkdir(parents=True, exist_ok=True)
        with swap(path) as part:
            part.write_bytes(msgspec.json.encode(known))
    return found


def _fine(root: Path) -> dict[str, str]:
    """Source → the key by which it was found fine."""
    try:
        return msgspec.json.decode((root / FINE).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}


def _key(plan: Plan, name: str, noted: Mapping[str, Noted]) -> str:
    logs = {path: one.files[path].digest for one in noted.values() for path in one.logs}
    read = {k: v for k, v in plan.normalize_params(name, next(iter(noted))).items() if k != "logs"}
    figures = {figure.name: _asked(figure) for figure in _of(plan, name)}
    chosen = {path: logs[path] for path in _chosen(plan.sources[name], noted)}
    return key([read, plan.sources[name].refused, figures, chosen])


def _chosen(source: Source, noted: Mapping[str, Noted]) -> list[str]:
    """The logs of a source that are looked at first."""
    paths = sorted(path for one in noted.values() for path in one.logs)
    beside = _neighbours(source, paths) if len(paths) <= PATHS else []
    return [*dict.fromkeys([*detection.spread(paths, LOGS), *beside])]


def _neighbours(source: Source, paths: Iterable[str]) -> list[str]:
    """A log for each setting in which alone it differs from the first, as their paths tell.

    Of settings that a figure mixes, two are so seen, in whatever order names have them.
    """
    first: dict[str, Any] = {}
    found: dict[str, str] = {}
    for path in paths:
        told = source.from_path(path) or {}
        first = first or told
        others = [name for name in told if told[name] != first.get(name)]
        if len(others) == 1:
            found.setdefault(others[0], path)
    return [*found.values()]


def _of(plan: Plan, source: str) -> Iterator[Figure]:
    return (figure for figure in plan.figures.values() if figure.source == source)


def _asked(figure: Figure) -> dict[str, Any]:
    """What a figure asks of its source: not how it looks."""
    told = msgspec.to_builtins(figure)
    return {name: value for name, value in told.items() if name not in figure.drawing()}


def _problems(plan: Plan, source: Source, noted: Mapping[str, Noted]) -> list[str]:
    from heatproof.samples import heads  # reading takes libraries that a run without news spares

    shards = [one.logs for one in noted.values()]
    files = dict(chain.from_iterable(one.files.items() for one in noted.values()))
    given = source, _chosen(source, noted), shards, files, plan.root
    looked = heads.look(*given)
    found = [_of_figure(figure, looked) for figure in _of(plan, source.name)]
    if None in found and not looked.whole:
        looked = heads.look(*given, closely=True)
        found = [_of_figure(figure, looked) for figure in _of(plan, source.name)]
    lacking = _lacking(plan, source, looked) if any(found) else {}
    told = (
        line
        for figure, line in zip(_of(plan, source.name), found, strict=True)
        if line and not lacking.keys() & {*_words(_asked(figure))}
    )
    return [*looked.problems, *lacking.values(), *told]


def _lacking(plan: Plan, source: Source, looked: Looked) -> dict[str, str]:
    """Hyper-parameter that figures name and no log looked at tells → what to say of it."""
    from heatproof.samples import offered

    samples, columns = looked.samples, source.columns()
    if samples is None:
        return {}
    used = {word for figure in _of(plan, source.name) for word in _words(_asked(figure))}
    gone = [name for name in columns.params if name in used and not samples[name].count()]
    if not gone:
        return {}
    there = offered.settings(source, samples["log"][0], plan.root)
    return {
        name: f"config.yaml: sources.{source.name}.params.{name}: no log looked at tells {name!r}"
        + (f"; {choices(name, there)}" if there else "")
        for name in gone
    }


def _of_figure(figure: Figure, looked: Looked) -> str | None:
    """What a figure cannot show of its source; empty if nothing.

    None if that hangs on records which were not looked at.
    """
    samples = looked.samples
    if samples is None or not len(samples) or not _is_doubtful(figure, samples):
        return ""
    try:
        api.part(figure.kind, "aggregate").aggregate(samples.lazy(), figure)
    except Lasting as error:
        return str(error)
    except Absent as error:
        return str(error) if looked.whole else None
    except Exception:  # noqa: BLE001  a part of the samples may be less than a kind expects
        return ""
    return ""


def _is_doubtful(figure: Figure, samples: pl.DataFrame) -> bool:
    """Whether some samples are such that a figure may not be able to show them."""
    named = {*_words(_asked(figure))}
    free = (name for name in settings(samples.columns) if name not in named)
    wanted = (
        value in {*samples[name].unique()}
        for name, values in figure.wanted().values()
        for value in values
        if name in samples.columns
    )
    there = (samples[name].count() for name in figure.measured().values())
    even = all(samples[name].n_unique() < 2 for name in free)
    full = (not samples[name].null_count() for name in settings(samples.columns) if name in named)
    once = not any(SEVERAL.search(word) for word in named)
    fits = even and once and all(wanted) and all(there) and all(full)
    return not (fits and {*samples["score"].unique()} <= SIDES)


def _words(value: Any) -> Iterator[str]:
    """All texts in an entry."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from chain.from_iterable(map(_words, [*value, *value.values()]))
    elif isinstance(value, list):
        yield from chain.from_iterable(map(_words, value))
