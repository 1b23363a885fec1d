"""A source for logs of a harness: which of its metrics, and which settings vary."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from heatproof import formats
from heatproof.formats.api import Log
from heatproof.start import block, columns, scores, trial
from heatproof.start.block import Line
from heatproof.start.meaning import free
from heatproof.start.source import Cannot, Found, listed, seen
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from heatproof.formats.api import Offer
    from heatproof.start.families import Family
    from heatproof.start.source import Ask
    from heatproof.start.trial import Trial

Names = str | list[str] | dict[str, str]
"""A name, an order of names, or a name by task."""
LIKELY = (
    "strict-match", "none", "flexible-extract", "take_first", "exact_match", "em", "acc_norm",
    "acc", "extractive_match", "qem", "pass@k:k=1", "pass@1", "quasi_exact_match",
    "quasi_prefix_exact_match", "f1", "f1_score",
    "prompt_level_strict_acc", "match", "includes", "choice", "model_graded_qa", "accuracy",
    "wrong", "missing",
)  # fmt: skip
"""Names of filters, metrics and scorers, the likeliest first."""
HANDLING = {
    "epochs", "limit", "repeats", "sample_shuffle", "max_connections", "adaptive_connections",
    "max_retries", "timeout", "attempt_timeout", "fail_on_error", "continue_on_fail",
    "retry_on_error", "max_samples", "max_tasks", "max_subprocesses", "max_sandboxes",
    "sandbox_cleanup", "log_samples", "log_realtime", "log_images", "log_model_api", "log_buffer",
    "log_shared", "log_refusals", "score_display", "cache", "batch", "batch_size", "batch_sizes",
    "max_batch_size", "device", "devices", "use_cache", "bootstrap_iters", "num_concurrent",
    "parallelize", "tensor_parallel_size", "data_parallel_size", "gpu_memory_utilization",
    "trust_remote_code", "base_url", "cache_dir", "date",
}  # fmt: skip
"""What harnesses note of how a run was carried out and how often: no settings of the model."""
OTHERS = 3
"""Names that are written as other readings."""
LARGE = 64 << 20
"""Bytes of a log whose head is read."""


def parts(family: Family, root: Path) -> list[tuple[Family, list[Offer]]]:
    """The family, or several with a source each, where no one name is common to all logs.

    A key that takes an order of preference needs no such division.
    """
    module = registry.find(formats, family.format, "", "log format")
    told = _offers(module, family, root)
    offers = [*told.values()]
    divided: dict[str, list[str]] = {}
    for key in dict.fromkeys(key for offer in offers for key in offer.choices):
        names = {path: offer.choices.get(key) or [""] for path, offer in told.items()}
        if not _is_listed(module, key) and not set.intersection(*({*n} for n in names.values())):
            counts = Counter(name for listed in names.values() for name in listed)
            for path, listed in names.items():
                best = min(listed, key=lambda name: (-counts[name], _rank(name), name))
                divided.setdefault(best, []).append(path)
            break
    if len(divided) < 2:
        return [(family, offers)]
    rest = [path for path in family.paths if path not in told]
    found = []
    for paths in divided.values():
        one = family._replace(looked=paths, paths=sorted([*paths, *rest]))
        found.append((one, [told[path] for path in paths]))
        rest = []
    return found


def found(family: Family, offers: Sequence[Offer], ask: Ask, root: Path, size: int) -> Found:
    """The source of a family.

    Raises:
        Cannot: its logs cannot be read.
    """
    module = registry.find(formats, family.format, "", "log format")
    chosen = _chosen(module, offers, ask, family)
    entry: dict[str, Any] = {"format": family.format, "logs": family.looked}
    entry |= {key: value for key, value, _ in chosen}
    varied = _varied(offers) if _has(module, "params") else {}
    entry |= _params(varied)
    read, scale = _on_scale(module, entry, family, root, size)
    if read.error or not read.columns["score"]:
        raise Cannot(read.error or _most(read.refused) or "its logs hold no sample")
    kept = _kept(varied, read.columns)
    lines = [
        Line(key, value, f"the others: {listed(others)}" if others else "")
        for key, value, others in chosen
    ]
    lines += [
        Line(key, one, "or this", off=True)
        for key, value, others in chosen
        for one in others[:OTHERS]
        if isinstance(value, str) and _rank(one) < len(LIKELY)
    ]
    lines += scale
    if kept:
        lines.append(Line("params", [_line(name, *kept[name]) for name in kept],
                          "settings of a run, which vary"))  # fmt: skip
    own = [] if _has(module, "params") and not hasattr(module.Entry, "own") else _fixed(module)
    shown = [*("model", "task"), *kept, *own]
    had = {name: read.columns.get(name, []) for name in shown}
    told = [(name, seen(had[name]), "") for name in had if {*had[name]} - {None}]
    told += [
        (key, block.flow(value), f"not {listed(others)}") for key, value, others in chosen if others
    ]
    pooled = [name for name in (*kept, *own) if columns.is_seed(name) and _are_numbers(had[name])]
    return Found(_without(family, read.strange), lines, told, [], pooled, strange=read.strange)


def _are_numbers(values: Sequence[Any]) -> bool:
    """Whether values number runs, as seeds and `run1` do; names of runs tell what they are."""
    return len({re.sub(r"\d+", "0", str(value)) for value in values}) < 2


def _without(family: Family, strange: Mapping[str, str]) -> Family:
    """The family without files of which nothing can be drawn."""
    return family._replace(
        looked=[path for path in family.looked if path not in strange],
        paths=[path for path in family.paths if path not in strange],
    )


WIDE = [-float(2**20), float(2**20)]
"""A range so wide that each score is within: powers of two, so that it can be taken back exactly
as far as a float's 52 bits reach, 1e-9 here."""


def _on_scale(
    module: Any, entry: dict[str, Any], family: Family, root: Path, size: int
) -> tuple[Trial, list[Line]]:
    """What was read, on the scale that all its scores tell where they go beyond 1."""
    read = _tried(entry, family, root, size)
    beyond = any(re.match(r"score \S+ is not between 0 and 1", why) for why in read.refused)
    if not beyond or not _has(module, "range"):
        return read, []
    raw = _tried(entry | {"range": WIDE}, family, root, size)
    ends = WIDE[1] - WIDE[0]
    values = [round(WIDE[0] + one * ends, 9) for one in raw.columns["score"]]
    told = scores.of_numbers(values)
    by_scorer = {*raw.columns["scorer"]} - {
        name for name, one in zip(raw.columns["scorer"], values, strict=True) if one > 1
    }
    if told is None or told.range is None or by_scorer:
        return read, []
    low, high = told.range
    why = f"{told.seen}: what is 0, what is 1"
    lines = [Line("range", [low, high], why)]
    lines += [Line("range", [*one], "or this", off=True) for one in told.scales]
    return _tried(entry | {"range": [low, high]}, family, root, size), lines


def _tried(entry: dict[str, Any], family: Family, root: Path, size: int) -> Trial:
    source = trial.source("found", entry, root)
    return trial.read(source, family.looked, size, root, whole=family.all_looked)


def _fixed(module: Any) -> list[str]:
    """Settings that the format tells of itself."""
    return [*module.Entry(format="", logs="").columns().params]


def _most(refused: Counter[str]) -> str:
    return refused.most_common(1)[0][0] if refused else ""


def _has(module: Any, key: str) -> bool:
    """Whether the source takes a key."""
    return any(field.name == key for field in msgspec.structs.fields(module.Entry))


def _offers(module: Any, family: Family, root: Path) -> dict[str, Offer]:
    """Log → what it has; of those that cannot be used, nothing."""
    offer = getattr(module, "offer", None)
    if offer is None:
        return {}
    entry = module.Entry(format=family.format, logs=family.looked)
    found: dict[str, Offer] = {}
    for path in family.looked:
        if (root / path).stat().st_size > LARGE:
            continue
        try:
            log = Log(path, root, entry)
            found[path] = offer(log, entry)
            log.close()
        except (Error, ValueError, msgspec.MsgspecError):
            continue  # the trial tells why
    return found


def _chosen(
    module: Any, offers: Sequence[Offer], ask: Ask, family: Family
) -> list[tuple[str, Names, list[str]]]:
    """Key of the source, the name chosen or the order of them, and the names left out."""
    found: list[tuple[str, Names, list[str]]] = []
    for key in dict.fromkeys(key for offer in offers for key in offer.choices):
        sets = [{*offer.choices[key]} for offer in offers if offer.choices.get(key)]
        several = [names for names in sets if len(names) > 1 or _is_needed(family.format, key)]
        if not several:
            continue
        counts = Counter(name for names in several for name in names)
        names = sorted(counts, key=lambda name: (-counts[name], _rank(name), name))
        common = [name for name in names if all(name in one for one in sets)]
        value: Names
        if told := _shown(offers, key):
            value = told
        elif common:
            answer = ask(f"{family.format}: which {key}?", common) if len(common) > 1 else 0
            value = common[answer or 0]
        else:
            value = _covering(names, several)
            value = value if _is_listed(module, key) else value[0]
        found.append((key, value, [one for one in names if one not in _each(value)]))
    return found


def _shown(offers: Sequence[Offer], key: str) -> str | dict[str, str]:
    """The name that the harness itself shows, or by task where tasks differ; none if unknown."""
    told = [offer.shown[key] for offer in offers if key in offer.shown]
    if not told or len(told) < len(offers):
        return ""
    by_task = dict(sorted(told))
    counts = Counter(name for _, name in told)
    usual = min(counts, key=lambda name: (-counts[name], _rank(name), name))
    others = {task: name for task, name in by_task.items() if name != usual}
    return {**others, "*": usual} if others else usual


def _each(value: Names) -> list[str]:
    """The names that are chosen."""
    if isinstance(value, dict):
        return [*value.values()]
    return [value] if isinstance(value, str) else value


def _covering(names: Sequence[str], sets: Sequence[set[str]]) -> list[str]:
    """The first of some names, so many that each set has one of them."""
    left, found = list(sets), []
    for name in names:
        if any(name in one for one in left):
            found.append(name)
            left = [one for one in left if name not in one]
    return found


def _is_listed(module: Any, key: str) -> bool:
    """Whether the key takes an order of preference."""
    kinds = {field.name: field.type for field in msgspec.structs.fields(module.Entry)}
    return any(get_origin(one) is list for one in get_args(kinds.get(key)))


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
        if not column.full or len(column.distinct()) < 2:
            continue
        if column.name in columns.NEVER or column.name in HANDLING:
            continue
        if columns.is_measure(column) and column.name not in columns.SETTINGS:
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
    known = [read["model"], read["task"]]
    for name in sorted(varied, key=lambda name: name not in columns.SETTINGS):
        values = read[name]
        before = known if name in columns.SETTINGS else [*known, *(read[one] for one in found)]
        told = list(zip(*before, strict=True))
        if columns.depends(values, told) or len({*values}) < 2:
            continue
        if not any(columns.depends(values, read[other]) for other in found):
            found[name] = varied[name]
    return found


def _line(column: str, name: str, values: Sequence[Any]) -> Line:
    kind = columns.Column(name, list(values)).type()
    plain = column == name
    return Line(column, kind if plain else {"type": kind, "field": name}, seen(values))
