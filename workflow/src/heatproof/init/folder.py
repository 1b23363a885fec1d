"""From a folder to a config: what lies there, what can be read, what is to be decided."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from heatproof import formats
from heatproof.config.configuration import is_name
from heatproof.formats import detection
from heatproof.formats.api import Log
from heatproof.init import files, frame
from heatproof.init.source import Proposal, free
from heatproof.init.trial import Source, best, on_trial, read
from heatproof.init.words import weights, words
from heatproof.logs import logs
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from heatproof.config import entries
    from heatproof.formats.api import Offer
    from heatproof.init.frame import Family
    from heatproof.init.trial import Trial

    Ask = Callable[[str, Sequence[str]], int | None]
    """A question and its answers → the number of the one chosen; None where nobody answers."""

TWIN = 0.9  # part of the records of like files in one of them, from which the others are left out
SUMMED = 0.2  # part of the records of logs that a file has at most that sums them up
SCALES = (10, 100)
LONG = 60  # characters of a setting, at most
LARGE = 64 << 20  # bytes of a log whose head is read


class Start:
    """What a folder holds, and what was made of it.

    Args:
        folder: where it lies.
        within: what it is called in the project.
        root: the project.
        ask: what decides between two readings.
        taken: names of sources and figures that there are.
        configured: sources that there are; their logs are left.
        score: place of the score, where the user gives it.
    """

    def __init__(
        self,
        folder: Path,
        within: str,
        root: Path,
        ask: Ask,
        taken: Collection[str] = (),
        configured: Iterable[entries.Source] = (),
        score: str = "",
    ) -> None:
        self.root, self.ask, self.score = root, ask, score
        self.label, self.names = Path(within).name or root.name, {*taken}
        self.sources: dict[str, Source] = {}
        self.open: list[Source] = []
        """Logs of which only a person can say what is to be drawn."""
        self.beside: dict[str, list[str]] = defaultdict(list)
        """What files are beside logs → these files."""
        self.inventory = files.inventory(folder, within)
        every = self.inventory.logs
        self.logs = [p for p in every if not any(logs.matches(s, p) for s in configured)]
        self.configured = len(every) - len(self.logs)
        """Files that the config reads already."""
        self.unread = self.inventory.unread
        near = [*folder.parent.iterdir()] if folder.is_file() else []
        siblings = {Path(within).with_name(path.name).as_posix() for path in near} - {within}
        self.every = [*self.logs, *self.unread[files.LFS], *self.unread[files.EMPTY], *siblings]
        self._look()

    def _look(self) -> None:
        sampled = sorted(files.mixed(self.logs)[: detection.FILES])
        of_format: dict[str, list[str]] = defaultdict(list)
        for path in sampled:
            if reasons := detection.reasons(path, detection.head(path, self.root).data):
                of_format[next(iter(reasons))].append(path)
        harnessed = {name: [*paths] for name, paths in sorted(of_format.items())}
        for name, paths in harnessed.items():
            self._leave_sidecars(name, paths)
        done = {path for paths in (*harnessed.values(), *self.beside.values()) for path in paths}
        own = [path for path in sampled if path not in done]
        families, unread = frame.families(own, self.root)
        for path, reason in unread.items():
            self.unread[reason].append(path)
        self._complete([*(family.paths for family in families), *of_format.values()])
        families, attached = frame.attach(families, self.root)
        self.beside["settings of these logs"] += attached
        for paths in self.unread.values():
            paths[:] = [path for path in paths if path not in attached]
        for name, paths in harnessed.items():
            self._add_harness(name, of_format[name], paths)
        families = [self._without_twins(family) for family in families]
        for family in sorted(families, key=lambda family: -sum(map(_size, family.documents))):
            self._add_family(family)  # what sums logs up comes after them

    def _others(self, paths: Iterable[str]) -> list[str]:
        """Files of the folder that are none of some, nor passed over beside logs."""
        own = {*paths}.union(*self.beside.values())
        return [path for path in self.every if path not in own]

    def _leave_sidecars(self, name: str, paths: list[str]) -> None:
        """Note files that a harness writes beside its logs."""
        entry_type = registry.find(formats, name, "", "log format").Entry
        near = [entry_type(format=name, logs=path).sidecars(path, self.root) for path in paths]
        places = {path.rpartition("/")[0] for group in (paths, *near) for path in group}
        for path in (path for path in self.logs if path not in paths):
            above = {path.rsplit("/", depth)[0] for depth in (1, 2) if "/" in path} or {""}
            if entry_type.is_sidecar(path) and places & above:
                self.beside[f"written by {name} beside its logs"].append(path)

    def _complete(self, groups: Sequence[list[str]]) -> None:
        """Sort in files that were not looked into, by where they lie and their names."""
        pairs = [(kind, group) for group in groups for path in group for kind in files.kinds(path)]
        likely = dict(reversed(pairs))
        done = {path for paths in (*groups, *self.beside.values()) for path in paths}
        done = done.union(*self.unread.values())
        none = self.unread["like no file that was looked into"]
        for path in (path for path in self.logs if path not in done):
            kind = next((kind for kind in files.kinds(path) if kind in likely), None)
            (likely[kind] if kind else none).append(path)
        for group in groups:
            group.sort()

    def _without_twins(self, family: Family) -> Family:
        """A family without small files beside one that holds nearly all of the records."""
        sizes = [_size(document) for document in family.documents]
        largest = max(range(len(sizes)), key=sizes.__getitem__)
        if 1 < len(sizes) == len(family.paths) and sizes[largest] >= TWIN * sum(sizes):
            path = family.sampled[largest]
            reason = f"a few records beside those of {path}: the same runs, or more?"
            self.unread[reason] += [other for other in family.paths if other != path]
            family.paths, family.sampled = [path], [path]
            family.documents = [family.documents[largest]]
            family.settings = family.settings[largest : largest + 1]
        return family

    def _add_harness(self, name: str, paths: list[str], sampled: list[str]) -> None:
        """Add the sources of logs of a harness, or why there are none."""
        try:
            for source in _harness_sources(name, paths, sampled, self._others(paths), self.root):
                if source.figures:
                    self._add(source, name)
                else:
                    self.unread[source.rejected[0]] += source.paths
        except Error as error:
            self.unread[str(error)] += paths

    def _add_family(self, family: Family) -> None:
        """Add the source of a family, or the question what it is."""
        source = best(family, self._others(family.paths), self.label, self.root, self.score)
        answers = source.proposal.answers
        if answers and not source.figures:
            answer = self.ask(source.proposal.question, [label for label, _ in answers])
            if answer is not None:
                source.proposal.entry |= answers[answer][1]
                on_trial(source, self.root)
        if not source.figures:
            self.open.append(source)
        elif reason := self._repeated(source):
            self.unread[reason] += family.paths
        else:
            self._add(source, _base(family, self.label))

    def _add(self, source: Source, base: str) -> None:
        """Add a source under a name of its own."""
        name, number = base, 2
        while any(other == name or other.startswith(f"{name}-") for other in self.names):
            name, number = f"{base}{number}", number + 1
        self.names.add(name)
        self.sources[name] = source

    def _repeated(self, source: Source) -> str:
        """Why a source is of runs that another one has: it holds the same, or sums them up."""
        folders = {path.rpartition("/")[0] for path in source.paths}
        rows = source.trial.samples
        for name, other in self.sources.items():
            others = other.trial.samples
            near = {path.rpartition("/")[0] for path in other.paths}
            above = all(any(f"{p}/".startswith(f"{f}/" * bool(f)) for p in near) for f in folders)
            small = len(rows) < SUMMED * len(others) and source.proposal.printed
            values = [{*map(str, others[column].unique())} for column in others.columns]
            own = [c for c in ("model", "task") if rows[c].n_unique() > 1]
            same = (any({*map(str, rows[c].unique())} <= column for column in values) for c in own)
            if above and small and own and all(same):
                return f"it sums up the logs of {name}"
            columns = ["model", "sample_id", "score"]
            if source.proposal.printed or other.proposal.printed:
                continue
            tables = [samples.select(columns).sort(columns) for samples in (rows, others)]
            if tables[0].equals(tables[1]):
                return f"it holds the same samples as the logs of {name}"
        return ""


def _size(document: Any) -> int:
    """About how many records a document holds."""
    if isinstance(document, list):
        return sum(isinstance(item, dict) for item in document) or 1
    inner = [_size(child) for child in document.values() if isinstance(child, list | dict)]
    return max([1, *inner])


def _base(family: Family, label: str) -> str:
    """What a source may be called: the file, or the folder of its logs."""
    folders = [path.split("/")[:-1] for path in family.paths]
    shared = [level[0] for level in zip(*folders, strict=False) if len({*level}) == 1]
    base = shared[-1] if shared else label
    if len(family.paths) == 1:
        base = Path(detection.plain(family.paths[0])).stem
    # Letters lose their accents, which NFKD sets behind them.
    base = "".join(c for c in unicodedata.normalize("NFKD", base) if not unicodedata.combining(c))
    base = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in base)
    base = base.strip("-_")
    return base if is_name(base) else "logs"


# -------------------------------------------------------------------------------- logs of harnesses


def _harness_sources(
    format_: str, paths: Sequence[str], sampled: Sequence[str], others: Collection[str], root: Path
) -> Iterator[Source]:
    """The sources of some logs of a format: one, or several where no metric is common to all.

    Args:
        format_: the format.
        paths: the logs.
        sampled: those that were looked into.
        others: files that are none of these.
        root: the project.
    """
    module = registry.find(formats, format_, "", "log format")
    keys = {field.name: field.type for field in msgspec.structs.fields(module.Entry)}
    lists = {
        name for name, kind in keys.items() if any(get_origin(a) is list for a in get_args(kind))
    }
    offers = _offers(module, format_, sampled, root)
    rest = [path for path in paths if path not in offers]
    for group in _divided(offers, lists) or [[*offers]]:
        own, rest = sorted([*group, *rest]), []
        strangers = [*others, *(path for path in offers if path not in group)]
        entry: dict[str, Any] = {"format": format_, "logs": files.patterns(own, strangers)}
        proposal = Proposal(entry, graded=True)
        _choose(proposal, [offers[path] for path in group], lists)
        if "params" in keys and (params := _params([offers[path] for path in group])):
            entry["params"] = params
        trial = _on_scale(proposal, read(entry, root), root, scaled="range" in keys)
        if not trial.fault:
            _keep_varying(proposal, trial)
        yield on_trial(Source(own, proposal), root, trial)


def _offers(module: Any, format_: str, sampled: Sequence[str], root: Path) -> dict[str, Offer]:
    """Log → what it has; of those that cannot be used, nothing."""
    offers: dict[str, Offer] = {}
    entry = module.Entry(format=format_, logs=[*sampled])
    for path in sampled if hasattr(module, "offer") else ():
        if (root / path).stat().st_size > LARGE:
            continue
        try:
            log = Log(path, root, entry)
            offers[path] = module.offer(log, entry)
            log.close()
        except (Error, ValueError, msgspec.MsgspecError):
            continue  # the trial tells why
    return offers


def _divided(offers: dict[str, Offer], lists: Collection[str]) -> list[list[str]]:
    """Groups of logs that have a name in common, of the first key that needs such a division."""
    groups: dict[str, list[str]] = {}
    for key in dict.fromkeys(key for offer in offers.values() for key in offer.choices):
        names = {path: offer.choices.get(key) or [""] for path, offer in offers.items()}
        if key in lists or set.intersection(*({*choices} for choices in names.values())):
            continue
        counts = Counter(name for choices in names.values() for name in choices)
        for path, choices in names.items():
            groups.setdefault(_ranked(choices, counts)[0], []).append(path)
        break
    return [*groups.values()]


def _ranked(names: Collection[str], counts: Counter[str]) -> list[str]:
    """Names of filters, metrics and scorers, those of most logs first, then the likeliest."""
    likely: list[str] = weights()["shown_first"]
    return sorted(names, key=lambda name: (-counts[name], [*likely, name].index(name), name))


def _choose(proposal: Proposal, offers: Sequence[Offer], lists: Collection[str]) -> None:
    """Write for each key a name, an order of them, or a name by task, and the others beside it."""
    entry = proposal.entry
    for key in dict.fromkeys(key for offer in offers for key in offer.choices):
        sets = [{*offer.choices[key]} for offer in offers if offer.choices.get(key)]
        needed = entry["format"] == "helm" and key == "metric"
        several = [names for names in sets if len(names) > 1 or needed]
        if not several:
            continue
        counts = Counter(name for names in several for name in names)
        names = _ranked(counts, counts)
        common = [name for name in names if all(name in choices for choices in sets)]
        shown = [offer.shown[key] for offer in offers if key in offer.shown]
        choice: str | list[str] | dict[str, str] = common[0] if common else ""
        if shown and len(shown) == len(offers):  # what the harness itself shows, by task
            counts = Counter(name for _, name in shown)
            usual = _ranked(counts, counts)[0]
            others = {task: name for task, name in sorted(shown) if name != usual}
            choice = {**others, "*": usual} if others else usual
        elif not common:
            firsts = {next(name for name in names if name in choices) for choices in several}
            covering = [name for name in names if name in firsts]
            choice = covering if key in lists else covering[0]
        entry[key] = choice
        taken = [*choice.values()] if isinstance(choice, dict) else choice
        if left := [name for name in names if name not in taken]:
            proposal.whys[key] = f"the others: {', '.join(left)}"


def _params(offers: Sequence[Offer]) -> dict[str, Any]:
    """Settings that differ between logs, by name, with their types."""
    settings = [dict(reversed([*_pairs(offer.settings)])) for offer in offers]
    params: dict[str, Any] = {}
    for name in dict.fromkeys(name for own in settings for name in reversed(own)):
        values = [own.get(name) for own in settings]
        long = any(isinstance(value, str) and len(value) > LONG for value in values)
        varied = None not in values and len({*map(repr, values)}) > 1
        if long or not varied or name.rpartition(".")[2] in weights()["handling"]:
            continue
        own_name = free(name, {*params, "model", "task"})
        kinds = {type(value) for value in values}
        order = (bool, {bool}), (int, {int}), (float, {int, float})
        kind = next((kind.__name__ for kind, types in order if kinds <= types), "str")
        params[own_name] = kind if own_name == name else {"type": kind, "field": name}
    return params


def _pairs(places: Sequence[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Name and value of all single settings, as a reader looks them up."""
    for place in places:
        if isinstance(place, str):
            parts = (part.partition("=") for part in place.split(","))
            yield from ((key.strip(), frame.typed(value)) for key, sign, value in parts if sign)
        for name, value in place.items() if isinstance(place, dict) else ():
            if isinstance(value, dict) and not before:
                yield from _pairs([value], f"{name}.")
            elif isinstance(value, str | int | float):
                yield f"{before}{name}", value


def _on_scale(proposal: Proposal, trial: Trial, root: Path, *, scaled: bool) -> Trial:
    """The trial, on the scale of ten or hundred where scores of all scorers lie beyond 1."""
    for high in SCALES if trial.fault and trial.above and scaled else ():
        again = read({**proposal.entry, "range": [0, high]}, root)
        if again.fault:
            continue
        highest = again.samples.group_by("scorer").max()["score"]
        if (highest * high <= 1).any():
            break
        proposal.entry["range"] = [0, high]
        proposal.whys["range"] = "scores lie beyond 1: what is 0, what is 1"
        return again
    return trial


def _keep_varying(proposal: Proposal, trial: Trial) -> None:
    """Leave out settings that model, task and those before them determine."""
    samples, params = trial.samples, proposal.entry.get("params", {})
    kept = ["model", "task"]
    for name in [*params]:
        if samples.select([*kept, name]).n_unique() > samples.select(kept).n_unique():
            kept.append(name)
        else:
            del params[name]
    proposal.pooled = [name for name in params if "seed" in words(name)]
    if not params:
        proposal.entry.pop("params", None)
