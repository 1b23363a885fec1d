"""Logs of a harness → a source: what it must choose, its scale, and the settings that vary."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import formats
from heatproof.formats import detection, harness
from heatproof.formats.api import Log
from heatproof.init import files, frame, records
from heatproof.init.facts import holds, weights
from heatproof.init.source import Source, free
from heatproof.init.trial import Sweep, on_trial, read
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.formats.api import Offer
    from heatproof.init.source import Trial
    from heatproof.util.lazy import polars as pl

SCALES = (10, 100)
TYPES = {"Boolean": "bool", "Int64": "int", "Float64": "float"}
LONG = 60  # characters of a setting, at most
NAMED = 6  # names in a note, at most
SCORES = ("metric", "filter", "tests", "scorer", "score")
"""Keys that choose between several scores of a sample."""


def preset_of(path: str, head: bytes) -> str:
    """The tool that writes such a file, if keys of a general format read it; empty if none does."""
    for name, preset in weights()["presets"].items():
        has_keys = all(re.search(key.encode(), head) for key in preset["has"])
        if has_keys and re.search(preset["path"], path):
            return str(name)
    return ""


def harness_type(name: str) -> type[harness.Harness]:
    """What is known of the files of a format, or of a tool that is a preset."""
    preset = weights()["presets"].get(name)
    if preset:
        return type(name, (harness.Harness,), {"others": preset["beside"]})
    return registry.find(formats, name, "", "log format").Entry  # type: ignore[no-any-return]


def harness_source(
    name: str, paths: list[str], others: Sequence[str], beside: Sequence[str], root: Path
) -> Source:
    """The source of logs of a format or preset, with its figures; `others`: other files;
    `beside`: those that it writes beside its logs, which are their sidecars or none of them.
    """
    logs = files.patterns(paths, others)
    preset = weights()["presets"].get(name, {})
    readable: list[Source] = []
    for entry in preset.get("entries", []):
        if "sidecar" not in entry:
            logs = files.patterns(paths, [*others, *beside])
        source = Source(paths, {"format": entry["format"], "logs": logs, **entry}, graded=True)
        source.metric = preset["metric"]
        params = source.entry.pop("params")
        if read({**source.entry, "params": params}, root).fault:
            continue
        source = _kept(source, params, root)
        if source.figures:
            return source
        readable.append(source)
    if readable:
        return readable[0]
    source = Source(paths, {"format": name, "logs": logs}, graded=True)
    offers = list(_offers(name, sorted(files.mixed(paths)[: detection.FILES]), root))
    _choose(source, offers)
    return _kept(source, _params(source, offers), root)


def _kept(source: Source, params: dict[str, Any], root: Path) -> Source:
    """The source with the settings that vary, and on the scale of its scores."""
    trial = _without_unfit(source, params, root)
    if trial.refuses("above"):
        trial = _scaled(source, params, root) or trial
    if not trial.fault:  # model, task and those before determine the other settings
        source.trial = trial
        shown = Sweep(source, source.metric).dimensions
        places = source.entry.get("each", "") + source.entry.get("path", "")
        shown += [name for name in params if re.search(rf"[{{<]{name}[}}>]", places)]
        kept = {name: kind for name, kind in params.items() if name in shown}
        source.pooled = [name for name in kept if _is_repetition(name)]
        if source.pooled:
            source.notes.append(f"{_listed(source.pooled)}: repetitions of a run, pooled")
        source.entry |= {"params": kept} if kept else {}
        _note_determined(source, [name for name in params if name not in kept], trial)
    return on_trial(source, root, trial)


def _offers(format_: str, paths: Sequence[str], root: Path) -> Iterator[Offer]:
    """What logs have that a source may name; of those that cannot be used, nothing."""
    module = registry.find(formats, format_, "", "log format")
    entry = module.Entry(format=format_, logs=list(paths))
    for path in paths if hasattr(module, "offer") else ():
        try:
            log = Log(path, root, entry)
            yield module.offer(log, entry)
            log.close()
        except (Error, ValueError, msgspec.MsgspecError):
            continue  # the trial tells why


def _choose(source: Source, offers: Sequence[Offer]) -> None:
    """Write for each key that chooses a name, an order of names, or a name by task."""
    keys = set(chain(*(offer.choices for offer in offers)))
    for key in sorted(keys, reverse=True):
        offering = [offer for offer in offers if offer.choices.get(key)]
        offered = [offer.choices[key] for offer in offering]
        choosing = [offer for offer in offering if len(offer.choices[key]) > 1]
        several = [offer.choices[key] for offer in choosing]
        if not several:
            continue
        names = _likeliest_first(several)
        if all(key in offer.shown for offer in offers):  # by the harness, of each task
            taken = dict(offer.shown[key] for offer in offers)
            source.entry[key] = _name_by_task(taken)
        elif all(key in offer.shown for offer in choosing):  # other logs have one alone
            pairs = sorted({offer.shown[key] for offer in choosing})
            taken = {name: name for _, name in pairs}
            source.entry[key] = _orders_by_task(pairs)
        elif common := [name for name in names if all(name in group for group in offered)]:
            taken = {"*": common[0]}
            source.entry[key] = common[0]
        else:
            firsts = [next(name for name in names if name in group) for group in several]
            taken = dict(zip(firsts, firsts, strict=True))
            source.entry[key] = [name for name in names if name in taken]
        chosen = sorted(set(taken.values()))
        if key in SCORES:
            source.chosen += chosen
        if left := [name for name in names if name not in chosen]:
            source.notes.append(f"{key}: {_listed(chosen)}; there is {_listed(left)} too")


def _orders_by_task(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Task → the names that logs show of it; `pairs`: a task and a name."""
    orders: dict[str, list[str]] = defaultdict(list)
    for task, name in pairs:
        orders[task].append(name)
    return dict(orders)


def _likeliest_first(offered: Sequence[Sequence[str]]) -> list[str]:
    """Names that logs offer: those that most have, then those that harnesses show first."""
    counts = Counter(chain(*offered))
    likely: list[str] = weights()["shown_first"]
    names = [name for name in likely if name in counts]
    names += sorted(counts.keys() - set(likely))
    return sorted(names, key=lambda name: -counts[name])


def _name_by_task(names: Mapping[str, str]) -> str | dict[str, str]:
    """The name that a harness shows of all tasks; by task, where it is not the same of each."""
    usual, _ = Counter(sorted(names.values())).most_common(1)[0]
    others = {task: name for task, name in sorted(names.items()) if name != usual}
    return {**others, "*": usual} if others else usual


def _params(source: Source, offers: Sequence[Offer]) -> dict[str, Any]:
    """Settings that a column can hold, by name, with their types; notes those that none can.

    Where some logs lack a setting that others of the same model and task have, that is a value.
    """
    settings = [_settings(offer) for offer in offers]
    runs = [offer.run for offer in offers]
    names = dict.fromkeys(name for own in settings for name in own)
    params: dict[str, Any] = {}
    unfit: list[str] = []
    values_of: dict[str, list[Any]] = defaultdict(list)
    for name in sorted(names, key=_is_repetition):  # behind the settings, which determine it
        values = [own.get(name) for own in settings]
        present = [value for value in values if value is not None]
        values_of_runs = set(zip(runs, map(repr, values), strict=True))
        varies = len(values_of_runs) > len(set(runs))
        word = name.rpartition(".")[2]
        again = any(_repeats(values, earlier) for earlier in values_of[word])
        lacking = None in values and not varies
        if again or lacking or word in weights()["handling"]:
            continue
        values_of[word].append(values)
        if all(map(_fits_column, present)):
            column = free(name, {*params, "model", "task"})
            params[column] = _param(name, column, present, is_whole=None not in values)
        elif varies:
            unfit.append(name)
    if unfit:
        reason = "values that are long, several, or hold control characters"
        source.notes.append(f"left out: {_listed(unfit)} ({reason})")
    return params


def _repeats(values: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether a setting has the value of another one in each log that has it."""
    pairs = zip(values, others, strict=True)
    return all(value in (None, other) for value, other in pairs)


def _param(name: str, column: str, values: list[Any], *, is_whole: bool) -> Any:
    """The type of a setting, and its name in the logs where it is another."""
    type_ = TYPES.get(str(frame.series(name, values).dtype), "str")
    if not is_whole:
        return {"type": "str", "field": name, "default": frame.ABSENT}
    return type_ if column == name else {"type": type_, "field": name}


def _is_repetition(name: str) -> bool:
    """Whether a name is of what tells repetitions apart: a seed, an id of a run, a time."""
    return holds("repeats", name)


def _fits_column(value: Any) -> bool:
    """Whether a setting of a harness can be the value of a column, and the name of a row."""
    if not isinstance(value, str | int | float):
        return False
    return len(str(value)) <= LONG and str(value).isprintable()


def _settings(offer: Offer) -> dict[str, Any]:
    """Name and value of the settings of a log, as a reader looks them up."""
    settings: dict[str, Any] = {}
    for place in offer.settings:
        own = records.as_written(records.flat(place, 1)) if isinstance(place, dict) else {}
        for part in place.split(",") if isinstance(place, str) else ():
            key, sign, value = part.partition("=")
            own |= {key.strip(): value.strip()} if sign else {}
        settings = {**settings, **own, **settings}
    return settings


def _without_unfit(source: Source, params: dict[str, Any], root: Path) -> Trial:
    """The first trial in which no setting refuses a record; others are taken out and noted."""
    while True:
        trial = read({**source.entry, "params": params}, root)
        refused = trial.refuses("type")
        unfit = [name for name in params if {name, _field(name, params)} & refused]
        if not unfit:
            return trial
        source.notes.append(f"left out: {_listed(unfit)} (no column holds all of its values)")
        for name in unfit:
            del params[name]


def _note_determined(source: Source, names: Sequence[str], trial: Trial) -> None:
    """Note settings that others determine, but for those that part runs as one of these does."""
    shown = ["model", "task", *source.entry.get("params", {})]
    left: list[str] = []
    for name in names:
        alone = trial.samples[name].n_unique() == 1
        same = any(_part_alike(trial.samples, name, other) for other in shown)
        if not (alone or same or _is_repetition(name)):
            left.append(name)
    if left:
        type_ = trial.source.columns().params[left[0]]
        back = f"params: {{{left[0]}: {type_}}}"
        source.notes.append(f"left out: {_listed(left)} (others determine them); back by {back}")


def _part_alike(samples: pl.DataFrame, name: str, other: str) -> bool:
    """Whether two settings part the runs into the same groups."""
    size = samples.select(name, other).n_unique()
    return samples[name].n_unique() == samples[other].n_unique() == size


def _field(name: str, params: Mapping[str, Any]) -> str:
    """What a setting is called in the log."""
    return params[name]["field"] if isinstance(params[name], dict) else name


def _scaled(source: Source, params: Mapping[str, Any], root: Path) -> Trial | None:
    """The trial with the least scale that all scores fit and each scorer needs, if there is one."""
    for high in SCALES:
        trial = read({**source.entry, "params": params, "range": [0, high]}, root)
        if trial.fault:
            continue
        highest = trial.samples.group_by("scorer").max()["score"]
        if not (highest * high > 1).all():
            return None
        source.entry["range"] = [0, high]
        source.notes.append(
            "range: some scores are above 1; say which score counts as 0, and which as 1"
        )
        return trial
    return None


def _listed(names: Sequence[str]) -> str:
    """Names in a few words."""
    if len(names) <= NAMED + 1:
        return ", ".join(names)
    first = ", ".join(names[:NAMED])
    return f"{first} and {len(names) - NAMED} more"
