"""A source for logs of a harness: which of its metrics, and which settings vary."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from heatproof import formats
from heatproof.formats.api import Log
from heatproof.init import files, judge
from heatproof.init.frame import typed
from heatproof.init.proposals import Proposal, free
from heatproof.init.words import weights, words
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from heatproof.formats.api import Offer
    from heatproof.init.judge import Trial

Choice = str | list[str] | dict[str, str]
"""A name, an order of names, or a name by task."""
SCALES = (10, 100)
LONG = 60
"""Characters of a setting, at most."""
LARGE = 64 << 20
"""Bytes of a log whose head is read."""


def sources(
    format_: str, paths: Sequence[str], sampled: Sequence[str], others: Collection[str], root: Path
) -> list[Proposal]:
    """The sources of some logs of a format: one, or several where no metric is common to all.

    Args:
        format_: the format.
        paths: the logs.
        sampled: those that were looked into.
        others: files that are none of these.
        root: the project.
    """
    module = registry.find(formats, format_, "", "log format")
    offers = _offers(module, format_, sampled, root)
    groups = _divided(module, offers)
    rest = [path for path in paths if path not in offers]
    proposals = []
    for group in groups or [[*offers]]:
        own = sorted([*group, *rest])
        rest = []
        strangers = [*others, *(path for path in offers if path not in group)]
        entry = {"format": format_, "logs": files.patterns(own, strangers, more=True)}
        proposals.append(_proposal(module, entry, [offers[path] for path in group]))
    return proposals


def _proposal(module: Any, entry: dict[str, Any], offers: Sequence[Offer]) -> Proposal:
    proposal = Proposal(entry, "pass@1", graded=True)
    for key, choice, rest in _chosen(module, offers, entry["format"]):
        entry[key] = choice
        if rest:
            proposal.whys[key] = f"the others: {', '.join(rest)}"
    if params := _params(offers) if _has(module, "params") else {}:
        entry["params"] = params
        proposal.pooled = [name for name in params if "seed" in words(name)]
    return proposal


def _divided(module: Any, offers: Mapping[str, Offer]) -> list[list[str]]:
    """Groups of logs that have a name in common, of the first key that needs such a division."""
    groups: dict[str, list[str]] = {}
    for key in dict.fromkeys(key for offer in offers.values() for key in offer.choices):
        names = {path: offer.choices.get(key) or [""] for path, offer in offers.items()}
        if _takes_list(module, key) or set.intersection(
            *({*choices} for choices in names.values())
        ):
            continue
        counts = Counter(name for choices in names.values() for name in choices)
        for path, choices in names.items():
            best = min(choices, key=lambda name: (-counts[name], _rank(name), name))
            groups.setdefault(best, []).append(path)
        break
    return [*groups.values()]


def _has(module: Any, key: str) -> bool:
    """Whether a source of the format takes a key."""
    return any(field.name == key for field in msgspec.structs.fields(module.Entry))


def _takes_list(module: Any, key: str) -> bool:
    """Whether the key takes an order of preference."""
    types = {field.name: field.type for field in msgspec.structs.fields(module.Entry)}
    return any(get_origin(type_) is list for type_ in get_args(types.get(key)))


def _offers(module: Any, format_: str, sampled: Sequence[str], root: Path) -> dict[str, Offer]:
    """Log → what it has; of those that cannot be used, nothing."""
    offer = getattr(module, "offer", None)
    if offer is None:
        return {}
    entry = module.Entry(format=format_, logs=[*sampled])
    offers: dict[str, Offer] = {}
    for path in sampled:
        if (root / path).stat().st_size > LARGE:
            continue
        try:
            log = Log(path, root, entry)
            offers[path] = offer(log, entry)
            log.close()
        except (Error, ValueError, msgspec.MsgspecError):
            continue  # the trial tells why
    return offers


def _chosen(
    module: Any, offers: Sequence[Offer], format_: str
) -> list[tuple[str, Choice, list[str]]]:
    """Key of the source, the name chosen or the order of them, and the names left out."""
    chosen: list[tuple[str, Choice, list[str]]] = []
    for key in dict.fromkeys(key for offer in offers for key in offer.choices):
        sets = [{*offer.choices[key]} for offer in offers if offer.choices.get(key)]
        needed = format_ == "helm" and key == "metric"
        several = [names for names in sets if len(names) > 1 or needed]
        if not several:
            continue
        counts = Counter(name for names in several for name in names)
        names = sorted(counts, key=lambda name: (-counts[name], _rank(name), name))
        common = [name for name in names if all(name in choices for choices in sets)]
        choice: Choice
        if own := _of_harness(offers, key):
            choice = own
        elif common:
            choice = common[0]
        else:
            covering = _covering(names, several)
            choice = covering if _takes_list(module, key) else covering[0]
        taken = [*choice.values()] if isinstance(choice, dict) else choice
        chosen.append((key, choice, [name for name in names if name not in taken]))
    return chosen


def _of_harness(offers: Sequence[Offer], key: str) -> str | dict[str, str]:
    """The name that the harness itself shows, or by task where tasks differ; none if unknown."""
    pairs = [offer.shown[key] for offer in offers if key in offer.shown]
    if not pairs or len(pairs) < len(offers):
        return ""
    counts = Counter(name for _, name in pairs)
    usual = min(counts, key=lambda name: (-counts[name], _rank(name), name))
    others = {task: name for task, name in sorted(pairs) if name != usual}
    return {**others, "*": usual} if others else usual


def _covering(names: Sequence[str], sets: Sequence[set[str]]) -> list[str]:
    """The first of some names, so many that each set has one of them."""
    left, taken = list(sets), []
    for name in names:
        if any(name in choices for choices in left):
            taken.append(name)
            left = [choices for choices in left if name not in choices]
    return taken


def _rank(name: str) -> int:
    """Its place among names of filters, metrics and scorers, the likeliest first."""
    likely: list[str] = weights()["shown_first"]
    return [*likely, name].index(name)


def _params(offers: Sequence[Offer]) -> dict[str, Any]:
    """Settings that differ between logs, by name, with their types."""
    settings = [_settings(offer.settings) for offer in offers]
    params: dict[str, Any] = {}
    for name in dict.fromkeys(name for own in settings for name in own):
        values = [own.get(name) for own in settings]
        texts = [value for value in values if isinstance(value, str)]
        varied = None not in values and len({*map(repr, values)}) > 1
        if (
            not varied
            or name.rpartition(".")[2] in weights()["handling"]
            or any(len(text) > LONG for text in texts)
        ):
            continue
        own = free(name, {*params, "model", "task"})
        kind = _type(values)
        params[own] = kind if own == name else {"type": kind, "field": name}
    return params


def _type(values: Sequence[Any]) -> str:
    kinds = {type(value) for value in values}
    order = ((bool, {bool}), (int, {int}), (float, {int, float}))
    return next((kind.__name__ for kind, types in order if kinds <= types), "str")


def _settings(places: Sequence[Any]) -> dict[str, Any]:
    """Name → value of all single settings, as a reader looks them up."""
    settings: dict[str, Any] = {}
    for place in places:
        for name, value in _pairs(place, 2):
            settings.setdefault(name, value)
    return settings


def _pairs(place: Any, depth: int) -> list[tuple[str, Any]]:
    if isinstance(place, str):
        parts = (part.partition("=") for part in place.split(","))
        return [(key.strip(), typed(value)) for key, sign, value in parts if sign]
    pairs = []
    for name, value in place.items() if isinstance(place, dict) else ():
        if isinstance(value, dict) and depth > 1:
            pairs += [(f"{name}.{inner}", item) for inner, item in _pairs(value, depth - 1)]
        elif isinstance(value, str | int | float):
            pairs.append((name, value))
    return pairs


def on_scale(proposal: Proposal, trial: Trial, root: Path) -> Trial:
    """The trial, on the scale of ten or hundred where scores of all scorers lie beyond 1."""
    module = registry.find(formats, proposal.entry["format"], "", "log format")
    if not (trial.error and trial.above and _has(module, "range")):
        return trial
    for high in SCALES:
        again = judge.read({**proposal.entry, "range": [0, high]}, root)
        if judge.unreadable(again):
            continue
        highest = again.samples.group_by("scorer").max()["score"]
        if (highest * high <= 1).any():
            break
        proposal.entry["range"] = [0, high]
        proposal.whys["range"] = "scores lie beyond 1: what is 0, what is 1"
        return again
    return trial


def keep_varying(proposal: Proposal, trial: Trial) -> None:
    """Leave out settings that model, task and those before them determine."""
    samples, params = trial.samples, proposal.entry.get("params", {})
    kept = ["model", "task"]
    for name in [*params]:
        if samples.select([*kept, name]).n_unique() > samples.select(kept).n_unique():
            kept.append(name)
        else:
            del params[name]
    proposal.pooled = [name for name in proposal.pooled if name in kept]
    if not params:
        proposal.entry.pop("params", None)
