"""A source for logs of a harness: which of its metrics, and which settings vary."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import readers
from heatproof.readers.api import Log
from heatproof.start import columns, trial
from heatproof.start.block import Line
from heatproof.start.own import free
from heatproof.start.source import Cannot, Found, listed, seen
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from heatproof.readers.api import Offer
    from heatproof.start.families import Family
    from heatproof.start.source import Ask

LIKELY = (
    "strict-match", "none", "flexible-extract", "take_first", "exact_match", "acc_norm", "acc",
    "pass@1", "quasi_exact_match", "quasi_prefix_exact_match", "f1", "f1_score",
    "prompt_level_strict_acc", "match", "includes", "choice", "model_graded_qa", "accuracy",
)  # fmt: skip
"""Names of filters, metrics and scorers, the likeliest first."""
LARGE = 64 << 20
"""Bytes of a log whose head is read."""


def found(family: Family, ask: Ask, root: Path, size: int) -> Found:
    """The source of a family.

    Raises:
        Cannot: its logs cannot be read.
    """
    module = registry.find(readers, family.format, "", "log format")
    offers = _offers(module, family, root)
    chosen = _chosen(offers, ask, family)
    entry: dict[str, Any] = {"format": family.format, "logs": family.looked}
    entry |= {key: name for key, name, _ in chosen}
    varied = _varied(offers) if _has_params(module) else {}
    read = trial.read(
        trial.source("found", entry | _params(varied), root),
        family.looked, size, root, whole=family.all_looked,
    )  # fmt: skip
    if read.error or not read.columns["score"]:
        raise Cannot(read.error or _most(read.refused) or "its logs hold no sample")
    kept = _kept(varied, read.columns)
    lines = [
        Line(key, name, f"there are {listed([name, *others])}" if others else "")
        for key, name, others in chosen
    ]
    lines += [Line(key, one, "or this", off=True) for key, _, all_ in chosen for one in all_[:3]]
    if kept:
        lines.append(Line("params", [_line(name, *kept[name]) for name in kept],
                          "settings of a run, which vary"))  # fmt: skip
    fixed = [] if _has_params(module) else [*module.Entry.columns(_blank(module)).params]
    shown = [*("model", "task"), *kept, *fixed]
    told = [(name, seen(read.columns[name]), "") for name in shown if name in read.columns]
    told += [(key, name, f"of {listed([name, *others])}") for key, name, others in chosen if others]
    pooled = [name for name in (*kept, *fixed) if name in columns.SEEDS]
    return Found(family, lines, told, [], pooled, chosen)


def _most(refused: Counter[str]) -> str:
    return refused.most_common(1)[0][0] if refused else ""


def _blank(module: Any) -> Any:
    return module.Entry(format="", logs="")


def _has_params(module: Any) -> bool:
    """Whether the source says which settings it wants."""
    return any(field.name == "params" for field in msgspec.structs.fields(module.Entry))


def _offers(module: Any, family: Family, root: Path) -> list[Offer]:
    """What the logs have; of those that cannot be used, nothing."""
    offer = getattr(module, "offer", None)
    if offer is None:
        return []
    entry = module.Entry(format=family.format, logs=family.looked)
    found = []
    for path in family.looked:
        if (root / path).stat().st_size > LARGE:
            continue
        try:
            log = Log(path, root, entry)
            found.append(offer(log, entry))
            log.close()
        except (Error, ValueError, msgspec.MsgspecError):
            continue  # the trial tells why
    return found


def _chosen(offers: Sequence[Offer], ask: Ask, family: Family) -> list[tuple[str, str, list[str]]]:
    """Key of the source, the name chosen, and the others, wherever there are several."""
    found = []
    for key in dict.fromkeys(key for offer in offers for key in offer.choices):
        counts = Counter(name for offer in offers for name in offer.choices.get(key, []))
        if len(counts) < 2 and not _is_needed(family.format, key):
            continue
        names = sorted(counts, key=lambda name: (-counts[name], _rank(name), name))
        answer = ask(f"{family.format}: which {key}?", names) if len(names) > 1 else 0
        name = names[answer or 0]
        found.append((key, name, [one for one in names if one != name]))
    return found


def _is_needed(format_: str, key: str) -> bool:
    """Whether the key has to be given though there is one name alone."""
    return format_ == "helm" and key == "metric"


def _rank(name: str) -> int:
    return LIKELY.index(name) if name in LIKELY else len(LIKELY)


def _varied(offers: Sequence[Offer]) -> dict[str, tuple[str, list[Any]]]:
    """Column → name in the logs and values, of settings that differ between logs."""
    told = [_settings(offer.settings) for offer in offers]
    names = dict.fromkeys(name for one in told for name in one)
    found: dict[str, tuple[str, list[Any]]] = {}
    for name in names:
        values = [one.get(name) for one in told]
        column = columns.Column(name, values)
        if not column.full or len(column.distinct()) < 2 or column.name in columns.NEVER:
            continue
        if columns.MEASURES & {*column.name.split("_")} and column.name not in columns.SETTINGS:
            continue
        if any(isinstance(value, str) and len(value) > columns.SHORT for value in values):
            continue
        found[free(name.rpartition(".")[2], {*found, "model", "task"})] = (name, values)
    return found


def _settings(places: Sequence[Any], deep: int = 2) -> dict[str, Any]:
    """Name → value of all single settings, as a reader looks them up."""
    found: dict[str, Any] = {}
    for place in places:
        for name, value in _pairs(place, deep):
            found.setdefault(name, value)
    return found


def _pairs(place: Any, deep: int) -> list[tuple[str, Any]]:
    if isinstance(place, str):
        parts = (part.partition("=") for part in place.split(","))
        return [(key.strip(), _typed(value)) for key, sign, value in parts if sign]
    found = []
    for name, value in place.items() if isinstance(place, dict) else ():
        if isinstance(value, dict) and deep > 1:
            found += [(f"{name}.{inner}", one) for inner, one in _pairs(value, deep - 1)]
        elif isinstance(value, str | int | float):
            found.append((name, value))
    return found


def _typed(text: str) -> Any:
    from heatproof.start.sheets import typed

    return typed(text)


def _params(varied: Mapping[str, tuple[str, list[Any]]]) -> dict[str, Any]:
    told = {
        column: {"type": columns.Column(name, values).type(), "field": name}
        for column, (name, values) in varied.items()
    }
    return {"params": told} if told else {}


def _kept(
    varied: Mapping[str, tuple[str, list[Any]]], read: Mapping[str, list[Any]]
) -> dict[str, tuple[str, list[Any]]]:
    """Settings that model, task and those before them do not tell already."""
    found: dict[str, tuple[str, list[Any]]] = {}
    first = sorted(varied, key=lambda name: name not in columns.SETTINGS)
    for name in first:
        values = read[name]
        known = list(zip(read["model"], read["task"], strict=True))
        if columns.depends(values, known) or len({*values}) < 2:
            continue
        if any(columns.depends(values, read[other]) for other in found):
            continue
        found[name] = varied[name]
    return found


def _line(column: str, name: str, values: Sequence[Any]) -> Line:
    kind = columns.Column(name, list(values)).type()
    plain = column == name
    return Line(column, kind if plain else {"type": kind, "field": name}, seen(values))
