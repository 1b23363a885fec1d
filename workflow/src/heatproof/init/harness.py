"""Sources for logs of harnesses: which of their metrics, and which settings vary."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from heatproof import formats
from heatproof.formats.api import Log
from heatproof.init import files
from heatproof.init.frame import typed
from heatproof.init.source import Proposal, free
from heatproof.init.trial import Source, on_trial, read
from heatproof.init.words import weights, words
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from heatproof.formats.api import Offer
    from heatproof.init.trial import Trial

SCALES = (10, 100)
LONG = 60
"""Characters of a setting, at most."""
LARGE = 64 << 20
"""Bytes of a log whose head is read."""


def sources(
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
        names = _ranked(*[counts := Counter(name for names in several for name in names)] * 2)
        common = [name for name in names if all(name in choices for choices in sets)]
        shown = [offer.shown[key] for offer in offers if key in offer.shown]
        choice: str | list[str] | dict[str, str] = common[0] if common else ""
        if shown and len(shown) == len(offers):  # what the harness itself shows, by task
            counts = Counter(name for _, name in shown)
            usual = _ranked(counts, counts)[0]
            others = {task: name for task, name in sorted(shown) if name != usual}
            choice = {**others, "*": usual} if others else usual
        elif not common:
            covering = [
                n for n in names if any(next(x for x in names if x in s) == n for s in several)
            ]
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
            yield from ((key.strip(), typed(value)) for key, sign, value in parts if sign)
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
