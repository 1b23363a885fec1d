"""From a folder to a config: what lies there, what can be read, what is to be decided."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof import formats
from heatproof.config.configuration import is_name
from heatproof.formats import detection
from heatproof.init import files, frame, harness, judge, readings, settings
from heatproof.init.readings import Open, Source
from heatproof.logs import logs
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from heatproof.config import entries
    from heatproof.init.files import Inventory
    from heatproof.init.frame import Family

    Ask = Callable[[str, Sequence[str]], int | None]
    """A question and its answers → the number of the one chosen; None where nobody answers."""

TWIN = 0.9
"""Part of the records of like files that one file holds, from which the others are left out."""


@dataclass
class Start:
    """What a folder holds, and what was made of it."""

    inventory: Inventory
    sources: dict[str, Source] = field(default_factory=dict)
    open: list[Open] = field(default_factory=list)
    beside: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What files are beside logs → these files."""
    unread: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Reason → files of which nothing can be made."""
    siblings: list[str] = field(default_factory=list)
    """Files beside the log that is looked into, where it is a single one."""
    configured: int = 0
    """Files that the config reads already."""


def begin(
    folder: Path,
    within: str,
    root: Path,
    ask: Ask,
    taken: Collection[str] = (),
    configured: Iterable[entries.Source] = (),
    score: str = "",
) -> Start:
    """Look through a folder.

    Args:
        folder: where it lies.
        within: what it is called in the project.
        root: the project.
        ask: what decides between two readings.
        taken: names of sources and figures that there are.
        configured: sources that there are; their logs are left.
        score: place of the score, where the user gives it.
    """
    inventory = files.inventory(folder, within)
    left = [
        f for f in inventory.files if not any(logs.matches(source, f.path) for source in configured)
    ]
    start = Start(inventory._replace(files=left), configured=len(inventory.files) - len(left))
    if folder.is_file():
        near = (Path(within).with_name(path.name).as_posix() for path in folder.parent.iterdir())
        start.siblings = [path for path in near if path != within]
    sampled = [file.path for file in files.chosen(left)]
    formats_of = _harnesses(sampled, root)
    _sidecars(start, formats_of, root)
    beside = {path for paths in start.beside.values() for path in paths}
    own = [path for path in sampled if path not in formats_of and path not in beside]
    families, unread = frame.families(own, root)
    for path, reason in unread.items():
        start.unread[reason].append(path)
    of_format: dict[str, list[str]] = defaultdict(list)
    for path, name in sorted(formats_of.items()):
        of_format[name].append(path)
    _complete(start, families, of_format, beside)
    families, attached = settings.attach(families, root)
    start.beside["settings of these logs"] += attached
    names = {*taken}
    for name, paths in of_format.items():
        _add_harness(start, name, paths, [p for p in paths if p in formats_of], names, root)
    for family in _largest_first(_apart(families, start)):
        _add_family(start, family, within, root, names, ask, score)
    return start


def _harnesses(sampled: Sequence[str], root: Path) -> dict[str, str]:
    """Log → format of the harness that wrote it."""
    format_of = {}
    for path in sampled:
        if reasons := detection.reasons(path, detection.head(path, root).data):
            format_of[path] = next(iter(reasons))
    return format_of


def _sidecars(start: Start, format_of: dict[str, str], root: Path) -> None:
    """Note files that a harness writes beside its logs."""
    folders: dict[str, set[str]] = defaultdict(set)
    for path, name in format_of.items():
        entry = registry.find(formats, name, "", "log format").Entry(format=name, logs=path)
        near = [path, *entry.sidecars(path, root)]
        folders[name].update(path.rpartition("/")[0] for path in near)
    for name, places in sorted(folders.items()):
        is_sidecar = registry.find(formats, name, "", "log format").Entry.is_sidecar
        for file in start.inventory.files:
            above = {file.path.rsplit("/", depth)[0] for depth in (1, 2) if "/" in file.path}
            if file.path not in format_of and is_sidecar(file.path) and places & (above or {""}):
                start.beside[f"written by {name} beside its logs"].append(file.path)


def _complete(
    start: Start, families: Sequence[Family], of_format: dict[str, list[str]], beside: set[str]
) -> None:
    """Sort in files that were not looked into, by where they lie and their names."""
    groups = [family.paths for family in families] + [*of_format.values()]
    likely: dict[tuple[str, ...], list[str]] = {}
    for group in groups:
        for path in group:
            for kind in files.kinds(path):
                likely.setdefault(kind, group)
    done = {path for group in groups for path in group} | beside
    done |= {path for paths in start.unread.values() for path in paths}
    for file in start.inventory.files:
        if file.path not in done:
            kinds = [kind for kind in files.kinds(file.path) if kind in likely]
            none = start.unread["like no file that was looked into"]
            (likely[kinds[0]] if kinds else none).append(file.path)
    for group in groups:
        group.sort()


def _largest_first(families: Iterable[Family]) -> list[Family]:
    """Families of many records first, so that what sums them up is known as such."""
    return sorted(families, key=lambda family: -_records(family))


def _records(family: Family) -> int:
    return sum(_size(document) for document in family.documents)


def _size(document: Any) -> int:
    """About how many records a document holds."""
    if isinstance(document, list):
        return sum(isinstance(item, dict) for item in document) or 1
    inner = [_size(child) for child in document.values() if isinstance(child, list | dict)]
    return max([1, *inner])


def _apart(families: Iterable[Family], start: Start) -> list[Family]:
    """Families without small files beside one that holds nearly all of the records."""
    rest = []
    for family in families:
        sizes = [_size(document) for document in family.documents]
        largest = max(range(len(sizes)), key=sizes.__getitem__)
        if 1 < len(sizes) == len(family.paths) and sizes[largest] >= TWIN * sum(sizes):
            path = family.sampled[largest]
            others = [other for other in family.paths if other != path]
            start.unread[f"a few records beside those of {path}: the same runs, or more?"] += others
            family.paths, family.sampled = [path], [path]
            family.documents = [family.documents[largest]]
            family.settings = family.settings[largest : largest + 1]
        rest.append(family)
    return rest


def _others(start: Start, paths: Collection[str]) -> list[str]:
    """Files of the folder that are none of some, nor passed over beside logs."""
    beside = {path for listed in start.beside.values() for path in listed}
    inventory = start.inventory
    every = [file.path for file in (*inventory.files, *inventory.pointers)] + inventory.empty
    every += start.siblings
    return [path for path in every if path not in beside and path not in {*paths}]


def _add_harness(
    start: Start, name: str, paths: list[str], sampled: list[str], names: set[str], root: Path
) -> None:
    """Add the sources of logs of a harness, or why there are none."""
    try:
        proposals = harness.sources(name, paths, sampled, _others(start, paths), root)
        for proposal in proposals:
            trial = judge.read(proposal.entry, root)
            trial = harness.on_scale(proposal, trial, root)
            if reason := judge.unreadable(trial):
                start.unread[reason].extend(paths)
                continue
            harness.keep_varying(proposal, trial)
            own = _name(name, names)
            drawn, reasons = readings.drawable(proposal, trial)
            if drawn:
                start.sources[own] = Source(proposal, trial, drawn, paths, reasons)
                names.add(own)
            else:
                start.unread[reasons[0]].extend(paths)
    except Error as error:
        start.unread[str(error)].extend(paths)


def _add_family(
    start: Start,
    family: Family,
    within: str,
    root: Path,
    names: set[str],
    ask: Ask,
    score: str,
) -> None:
    """Add the source of a family, or the question what it is."""
    label = Path(within).name or root.name
    result = readings.best(family, _others(start, family.paths), label, root, score)
    if isinstance(result, Source) and (reason := _repeated(start, result)):
        start.unread[reason] += family.paths
        return
    if isinstance(result, Open) and result.options:
        answer = ask(result.question, [option.label for option in result.options])
        if answer is not None:
            result = readings.answered(result, result.options[answer], root)
    if isinstance(result, Open):
        start.open.append(result)
        return
    own = _name(_base(family, label), names)
    start.sources[own] = result
    names.add(own)


def _repeated(start: Start, source: Source) -> str:
    """Why a source is of runs that another one has: it holds the same, or sums them up."""
    folders = {path.rpartition("/")[0] for path in source.paths}
    rows = source.trial.samples
    for name, other in start.sources.items():
        others = other.trial.samples
        near = {path.rpartition("/")[0] for path in other.paths}
        above = all(
            any(f"{path}/".startswith(f"{f}/" if f else "") for path in near) for f in folders
        )
        small = len(rows) < 0.2 * len(others) and source.proposal.numbered
        if above and small and _within(rows, others):
            return f"it sums up the logs of {name}"
        columns = ["model", "task", "sample_id", "score"]
        if {*columns} <= {*rows.columns} & {*others.columns}:
            ours, theirs = (samples.select(columns).sort(columns) for samples in (rows, others))
            if ours.drop("task").equals(theirs.drop("task")):
                return f"it holds the same samples as the logs of {name}"
    return ""


def _within(rows: Any, others: Any) -> bool:
    """Whether each setting of some rows stands in a column of others."""
    columns = [{str(value) for value in others[name].unique()} for name in others.columns]
    own = [name for name in ("model", "task") if rows[name].n_unique() > 1]
    return bool(own) and all(
        any({str(value) for value in rows[name].unique()} <= column for column in columns)
        for name in own
    )


def _base(family: Family, label: str) -> str:
    """What a source may be called: the file, or the folder of its logs."""
    if len(family.paths) == 1:
        return Path(detection.plain(family.paths[0])).stem
    folders = [path.split("/")[:-1] for path in family.paths]
    shared = [level[0] for level in zip(*folders, strict=False) if len({*level}) == 1]
    return shared[-1] if shared else label


def _name(base: str, taken: Collection[str]) -> str:
    """A name of its own."""
    # Letters lose their accents, which NFKD sets behind them.
    base = "".join(c for c in unicodedata.normalize("NFKD", base) if not unicodedata.combining(c))
    base = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in base)
    base = base.strip("-_")
    base = base if is_name(base) else "logs"
    number, name = 2, base
    while any(other == name or other.startswith(f"{name}-") for other in taken):
        name, number = f"{base}{number}", number + 1
    return name
