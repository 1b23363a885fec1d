"""HELM: `per_instance_stats.json`, its run in `run_spec.json` beside it.

An instance appears once for each train trial (its epoch here) and perturbation. Splits are a
column: HELM reports each by itself, and so must a figure (`where: {split: test}`).

It printed `stats.json` beside them, means by split. Each is the mean over the instances in every
train trial, and then over the trials (`benchmark/metrics/metric.py`, `statistic.py`). Those of
worst cases are not of single instances.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.logs.streams import Unreadable
from heatproof.readers import preferences
from heatproof.readers.api import (
    Batch,
    Declared,
    Offer,
    Place,
    Printed,
    Reject,
    content_beside,
    excerpt,
    printed_count,
    printed_number,
    score_fault,
)
from heatproof.readers.decoding import Decoder
from heatproof.readers.documents import decoded, document, document_fault, one, places
from heatproof.readers.faults import FAULTS
from heatproof.readers.params import (
    Int64,
    Tuned,
    lookup,
    unit,
)
from heatproof.readers.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heatproof.config.entries import Columns
    from heatproof.config.roles import Type
    from heatproof.readers.api import Log


NAME = "per_instance_stats.json"
OTHERS = {
    "run_spec.json", "scenario.json", "scenario_state.json", "stats.json", "instances.json",
    "display_predictions.json", "display_requests.json",
}  # fmt: skip
"""What else HELM writes into the folder of a run."""


class Entry(Tuned, kw_only=True):
    """Keys of a `helm` source."""

    metric: Preference | None = None
    """Which statistic of an instance is the score: exact_match, quasi_exact_match, f1_score, …; of
    a list the first that a task has, or either by task (`{mmlu:*: exact_match, gsm:*: …}`)."""

    def columns(self) -> Columns:
        told = super().columns()
        params: dict[str, Type] = {"split": "str", "perturbation": "str"}
        return replace(told, params=params | told.params, measures=["tokens", "time"])

    def mistakes(self) -> list[str]:
        return [*super().mistakes(), *preferences.mistakes("metric", self.metric)]

    def chooses(self) -> bool:
        return not isinstance(self.metric, str)

    def unchosen(self, tasks: Sequence[str]) -> list[str]:
        return [*preferences.unknown("metric", self.metric, tasks)]

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] in OTHERS

    def sidecars(self, path: str, root: Path) -> list[str]:
        return [spec for spec in [spec_beside(path)] if (root / spec).is_file()] + self.printed_in(
            path, root
        )

    def printed_in(self, path: str, root: Path) -> list[str]:
        return files(path, root)


class Kind(msgspec.Struct):
    """What a statistic is of."""

    name: str
    split: str = ""


class Stat(msgspec.Struct):
    """A statistic over the outputs of an instance."""

    name: Kind
    count: float = 0
    sum: float | None = None


class Record(msgspec.Struct, gc=False):
    """An instance."""

    instance_id: int | str
    stats: list[Stat]
    train_trial_index: Int64 = 0
    perturbation: dict[str, Any] | None = None


DECODER = Decoder(msgspec.json.Decoder(Record))
USUAL = "exact_match"
QUASI = ("quasi_exact_match",)
F1 = ("f1_score",)
THOUGHT = ("chain_of_thought_correctness",)
MAIN = {
    "narrative_qa": F1, "natural_qa": F1, "quac": F1, "wmt_14": ("bleu_4",),
    "gsm": ("final_number_exact_match", "exact_match_indicator"),
    "math": ("math_equiv_chain_of_thought", "math_equiv"),
    "legalbench": QUASI, "med_qa": QUASI, "boolq": QUASI, "imdb": QUASI, "raft": QUASI,
    "civil_comments": QUASI, "babi_qa": QUASI, "wikifact": QUASI, "lsat_qa": QUASI, "bbq": QUASI,
    "legal_support": QUASI, "synthetic_reasoning": QUASI, "entity_matching": QUASI,
    "entity_data_imputation": QUASI, "synthetic_reasoning_natural": ("f1_set_match",),
    "dyck_language_np": ("exact_match_indicator",), "mmlu_pro": THOUGHT, "gpqa": THOUGHT,
    "ifeval": ("ifeval_strict_accuracy",), "wildbench": ("wildbench_score_rescaled",),
    "omni_math": ("omni_math_accuracy",),
}  # fmt: skip
"""Scenario → its metric in the tables of HELM, where that is not the usual one (`main_name` in
`helm/benchmark/static/schema_*.yaml`, May 2026)."""


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    named = path.rsplit("/", 1)[-1] == NAME
    return f"it is a {NAME}" if named and head.lstrip()[:1] == b"[" else ""


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, and metrics of its first instance."""
    spec = _spec(log, entry)
    raws = msgspec.json.decode(document(log, entry.max_document), type=list[msgspec.Raw])
    first = [one(DECODER, bytes(memoryview(raw))) for raw in raws[:1]]
    names = sorted({stat.name.name for record in first for stat in record.stats})
    scenario, _, told = spec.name.partition(":")
    likely = MAIN.get(scenario, (USUAL,))
    main = next((name for name in likely if name in names), None)
    pattern = f"{scenario}:*" if _task_of(told) else scenario
    shown = {"metric": (pattern, main)} if main else {}
    return Offer(_places(spec), {"metric": names}, shown)


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log.

    Raises:
        Error: config.yaml names no metric, or one that no instance has.
    """
    data = b""
    try:
        told = shared(log, entry)
        yield from declared(log, entry, told)
        data = document(log, entry.max_document)
        raws = msgspec.json.decode(data, type=list[msgspec.Raw])
        if not raws:
            raise Error("the log holds no instances")
    except FAULTS as error:
        yield Reject(Place(1, 0, 0), document_fault(error, data))
        return
    except (Error, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    records: list[tuple[Place, Record]] = []
    for raw, place in zip(raws, places(data, raws), strict=True):
        record = bytes(memoryview(raw))
        try:
            records.append((place, one(DECODER, record)))
        except Error as error:
            yield Reject(place, str(error), excerpt(record))
    if records:
        names = sorted({stat.name.name for _, record in records for stat in record.stats})
        wanted = preferences.of_task(entry.metric, told["task"])
        key = f"config.yaml: sources.{entry.name}.metric"
        metric = preferences.chosen(names, wanted, key, log.path)
        yield from _rows(records, metric, told | {"scorer": metric}, entry)


def _rows(
    records: list[tuple[Place, Record]], metric: str, shared: dict[str, Any], entry: Entry
) -> Iterator[Batch | Reject]:
    rows, found = [], []
    for place, record in records:
        try:
            rows.append(_row(record, metric, entry.range))
            found.append(place)
        except Error as error:
            told = {
                "instance_id": record.instance_id,
                "train_trial_index": record.train_trial_index,
            }
            of = shared | _sample(record)
            yield Reject(place, str(error), excerpt(msgspec.json.encode(told)), of=of)
    names = rows[0] if rows else {}
    yield Batch({name: [row[name] for row in rows] for name in names}, found, shared)


def _row(record: Record, metric: str, ends: list[float]) -> dict[str, Any]:
    stats = [stat for stat in record.stats if stat.name.name == metric]
    if len(stats) != 1:
        raise Error(f"the instance has {len(stats)} values of {metric!r}")
    value = _mean(stats[0])
    score = None if value is None else unit(value, ends)
    if why := score_fault(score, *ends):
        raise Error(why)
    others = {stat.name.name: stat for stat in record.stats}
    return {
        **_sample(record),
        "split": stats[0].name.split,
        "score": score,
        "tokens": _mean(others.get("num_output_tokens")),
        "time": _mean(others.get("inference_runtime")),
    }


def _sample(record: Record) -> dict[str, Any]:
    """What an instance tells of its sample, with or without a score."""
    return {
        "sample_id": str(record.instance_id),
        "epoch": record.train_trial_index,
        "split": next((stat.name.split for stat in record.stats), ""),
        "perturbation": str((record.perturbation or {}).get("name") or ""),
    }


def _mean(stat: Stat | None) -> float | None:
    """The mean over the outputs of an instance; HELM leaves it out where there are none."""
    if stat is None or stat.sum is None or not stat.count:
        return None
    return stat.sum / stat.count


STATS = "stats.json"
INSTANCES = "num_instances"
DERIVED = ("worst", "original")
"""What a mean over several versions of an instance was computed on."""

Of = tuple[str, str, str]
"""Metric, split and perturbation."""


class PrintedKind(msgspec.Struct):
    """What a statistic is of."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class PrintedStat(msgspec.Struct):
    """The mean of a metric."""

    name: PrintedKind
    mean: Any = None
    sum: Any = None
    """Over the train trials."""


def files(path: str, root: Path) -> list[str]:
    """The file of means beside the instances at a path, if it is there."""
    folder = path.rpartition("/")[0]
    found = f"{folder}/{STATS}" if folder else STATS
    return [found] if (root / found).is_file() else []


def declared(log: Log, entry: Entry, shared: dict[str, Any]) -> Iterator[Declared]:
    """How many instances there were of each split and perturbation, by the means of the run.

    `num_instances` is told for each train trial: their sum is that over the trials. A damaged file
    tells nothing here: it is named where printed numbers are compared.
    """
    found = Counter[tuple[str, str]]()
    for path in filter(log.was_there, files(log.path, log.root)):
        with suppress(Error):
            stats = _stats(log.beside(path, entry.max_document))
            for name, number in {repr(stat.name): (stat.name, stat.sum) for stat in stats
                                 if stat.name.name == INSTANCES}.values():  # fmt: skip
                version = name.perturbation or {}
                if version.get("computed_on") not in DERIVED:
                    of = name.split or "", str(version.get("name") or "")
                    found[of] += printed_count(number) or 0
    for (split, perturbation), total in found.items():
        yield Declared(shared | {"split": split, "perturbation": perturbation}, total)


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The means of the metric that is read, or of those among which it is chosen.

    Raises:
        Error: the file is damaged or too large.
    """
    low, high = entry.range or (0.0, 1.0)
    by_task = isinstance(entry.metric, dict)
    wanted = preferences.of_task(entry.metric, shared(log, entry)["task"] if by_task else "")
    names = [wanted] if isinstance(wanted, str) else wanted
    for path in files(log.path, log.root):
        stats = _stats(content_beside(log, path, entry.max_document))
        kinds = {at: _of(stat.name) for at, stat in enumerate(stats)}
        times = Counter(kinds.values())
        sizes = {kinds[at][1:]: printed_count(stat.mean) for at, stat in enumerate(stats)
                 if stat.name.name == INSTANCES}  # fmt: skip
        for at, stat in enumerate(stats):
            metric, split, perturbation = kinds[at]
            if (names and metric not in names) or _is_derived(stat.name):
                continue
            value = printed_number(stat.mean)
            why = "" if value is not None else "it is not a number"
            if times[kinds[at]] > 1:
                why = "several numbers of this name"
            yield Printed(
                file=path,
                name=", ".join(filter(None, (metric, split, perturbation))),
                value=value,
                scorer=metric,
                where={"split": split, "perturbation": perturbation},
                problems=sizes.get((split, perturbation)),
                low=low,
                high=high,
                why=why,
            )


@lru_cache(maxsize=2)
def _stats(data: bytes) -> list[PrintedStat]:
    return decoded(data, list[PrintedStat], STATS)  # type: ignore[no-any-return]


def _of(kind: PrintedKind) -> Of:
    perturbation = str((kind.perturbation or {}).get("name") or "")
    if kind.sub_split or _is_derived(kind):
        perturbation += f" {kind.sub_split or ''} {(kind.perturbation or {}).get('computed_on')}"
    return kind.name, kind.split or "", perturbation


def _is_derived(kind: PrintedKind) -> bool:
    return bool(kind.sub_split) or (kind.perturbation or {}).get("computed_on") in DERIVED


SPEC = "run_spec.json"
MODEL = ("model", "model_deployment")
"""Parts of a run's name that tell the model, not the task."""


class Spec(msgspec.Struct):
    """The places wanted of a run's specification."""

    name: str = ""
    adapter_spec: dict[str, Any] = {}
    scenario_spec: dict[str, Any] = {}


def spec_beside(path: str) -> str:
    """The specification of the run that the instances at a path are of."""
    return path.rpartition("/")[0] + "/" + SPEC if "/" in path else SPEC


def shared(log: Log, entry: Entry) -> dict[str, Any]:
    """Model, task and hyper-parameters. Raises Error where the specification does not tell."""
    spec = _spec(log, entry)
    scenario, _, told = spec.name.partition(":")
    task = _task_of(told)
    model = next((spec.adapter_spec[key] for key in MODEL if spec.adapter_spec.get(key)), "")
    named = {"model": str(model), "task": f"{scenario}:{task}" if task else scenario}
    return named | lookup(entry.wanted(), _places(spec))


def _task_of(told: str) -> str:
    """What the name of a run tells beside scenario and model."""
    parts = [part for part in told.split(",") if part]
    return ",".join(part for part in parts if part.partition("=")[0] not in MODEL)


def _spec(log: Log, entry: Entry) -> Spec:
    path = spec_beside(log.path)
    if not (log.root / path).is_file():
        raise Error(f"no {SPEC} beside it: model, task and settings are there")
    return decoded(log.beside(path, entry.max_document), Spec, SPEC)  # type: ignore[no-any-return]


def _places(spec: Spec) -> list[Any]:
    """Where a hyper-parameter may lie."""
    return [spec.adapter_spec, spec.scenario_spec.get("args"), spec.name.partition(":")[2]]
