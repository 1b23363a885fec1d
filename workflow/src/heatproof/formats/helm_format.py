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
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.formats import harness, preferences
from heatproof.formats.api import Declared, Offer, printed_count, printed_number
from heatproof.formats.decoding import Decoder
from heatproof.formats.documents import decoded
from heatproof.formats.params import Int64  # noqa: TC001  msgspec looks it up
from heatproof.formats.preferences import Preference  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.formats.api import Log, Printed

NAME, SPEC, STATS = "per_instance_stats.json", "run_spec.json", "stats.json"
OTHERS = {
    SPEC, STATS, "scenario.json", "scenario_state.json", "instances.json",
    "display_predictions.json", "display_requests.json",
}  # fmt: skip
"""What else HELM writes into the folder of a run."""
MODEL = ("model", "model_deployment")
"""Parts of a run's name that tell the model, not the task."""
INSTANCES = "num_instances"
DERIVED = ("worst", "original")
"""What a mean over several versions of an instance was computed on."""
QUASI, F1 = ("quasi_exact_match",), ("f1_score",)
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
"""Scenario → its metric in the tables of HELM, where that is not `exact_match` (`main_name` in
`helm/benchmark/static/schema_*.yaml`, May 2026)."""


class Entry(harness.Tuned, kw_only=True):
    """Keys of a `helm` source."""

    metric: Preference | None = None
    """Which statistic of an instance is the score: exact_match, quasi_exact_match, f1_score, …; of
    a list the first that a task has, or either by task (`{mmlu:*: exact_match, gsm:*: …}`)."""
    own: ClassVar[dict[str, Any]] = {"split": "str", "perturbation": "str"}
    measures: ClassVar[tuple[str, ...]] = ("tokens", "time")
    prefers: ClassVar[tuple[str, ...]] = ("metric",)

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return path.rsplit("/", 1)[-1] in OTHERS

    def sidecars(self, path: str, root: Path) -> list[str]:
        files = [beside(path, name) for name in (SPEC, STATS)]
        return [file for file in files if (root / file).is_file()]

    def printed_in(self, path: str, root: Path) -> list[str]:
        return [file for file in [beside(path, STATS)] if (root / file).is_file()]


def beside(path: str, name: str) -> str:
    """A file of the run that the instances at a path are of."""
    folder, slash, _ = path.rpartition("/")
    return folder + slash + name


class Kind(msgspec.Struct):
    """What a statistic is of."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None

    def version(self) -> str:
        """Which version of the instances it is of."""
        return str((self.perturbation or {}).get("name") or "")

    def derived(self) -> bool:
        """Whether it is of several versions of an instance, or a part of a split."""
        of = (self.perturbation or {}).get("computed_on")
        return bool(self.sub_split) or of in DERIVED


class Stat(msgspec.Struct):
    """A statistic: of an instance, over its outputs; of a run, over its instances."""

    name: Kind
    count: float = 0
    sum: Any = None
    mean: Any = None

    def value(self) -> float | None:
        """The mean over the outputs of an instance; HELM leaves it out where there are none."""
        return (
            self.sum / self.count if printed_number(self.sum) is not None and self.count else None
        )


class Instance(msgspec.Struct, gc=False):
    """An instance."""

    instance_id: int | str
    stats: list[Stat]
    train_trial_index: Int64 = 0
    perturbation: dict[str, Any] | None = None


class Spec(msgspec.Struct):
    """The places wanted of a run's specification."""

    name: str = ""
    adapter_spec: dict[str, Any] = {}
    scenario_spec: dict[str, Any] = {}

    def task(self) -> str:
        """Scenario and what else the name of the run tells, but for the model."""
        scenario, _, told = self.name.partition(":")
        parts = [one for one in told.split(",") if one and one.partition("=")[0] not in MODEL]
        return f"{scenario}:{','.join(parts)}" if parts else scenario

    def heads(self) -> list[Any]:
        """Where a hyper-parameter may lie."""
        return [self.adapter_spec, self.scenario_spec.get("args"), self.name.partition(":")[2]]


INSTANCE = Decoder(msgspec.json.Decoder(Instance))


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    named = path.rsplit("/", 1)[-1] == NAME
    return f"it is a {NAME}" if named and head.lstrip()[:1] == b"[" else ""


class Reader(harness.Reader):
    """The log is a list of instances."""

    shown = ("instance_id", "train_trial_index")

    def begin(self) -> Iterator[Declared]:
        spec = self.spec()
        model = next((m for key in MODEL if (m := spec.adapter_spec.get(key))), "")
        self.settle({"model": str(model), "task": spec.task()}, spec.heads())
        for name in self.entry.own:
            del self.shared[name]
        yield from self.declared()

    def spec(self) -> Spec:
        """The specification of the run."""
        path = beside(self.path, SPEC)
        if not (self.log.root / path).is_file():
            raise harness.Refused(
                f"no {SPEC} beside it: model, task and settings are there", "missing"
            )
        try:
            return decoded(self.log.beside(path, self.entry.max_document), Spec, SPEC)  # type: ignore[no-any-return]
        except Error as error:
            raise harness.Refused(str(error), error.kind) from error

    def declared(self) -> Iterator[Declared]:
        """How many instances there were of each split and perturbation, over all train trials.

        A damaged file tells nothing here: it is named where printed numbers are compared.
        """
        found = Counter[tuple[str, str]]()
        for path in filter(self.log.was_there, self.entry.printed_in(self.path, self.log.root)):
            with suppress(Error):
                stats = decoded(self.log.beside(path, self.entry.max_document), list[Stat])
                told = {repr(one.name): one for one in stats if one.name.name == INSTANCES}
                for one in told.values():
                    if not one.name.derived() or one.name.sub_split:
                        of = one.name.split or "", one.name.version()
                        found[of] += printed_count(one.sum) or 0
        for (split, perturbation), total in found.items():
            yield Declared(self.shared | {"split": split, "perturbation": perturbation}, total)

    def records(self) -> Iterator[harness.Record]:
        found = [*self.each(self.document(), INSTANCE, harness.LIST)]
        if not found:
            raise harness.Refused("the log holds no instances")
        good = [one.value for one in found if isinstance(one.value, Instance)]
        if good:
            names = sorted({stat.name.name for one in good for stat in one.stats})
            self.metric = self.shared["scorer"] = self.choose("metric", names)
        return iter(found)

    def samples(self, record: harness.Record) -> Iterator[dict[str, Any]]:
        one: Instance = record.value
        self.mine = [stat for stat in one.stats if stat.name.name == self.metric]
        others = {stat.name.name: stat.value() for stat in one.stats}
        split = next((stat.name.split or "" for stat in [*self.mine, *one.stats]), "")
        yield {
            "sample_id": str(one.instance_id), "epoch": one.train_trial_index, "split": split,
            "perturbation": str((one.perturbation or {}).get("name") or ""),
            "tokens": others.get("num_output_tokens"), "time": others.get("inference_runtime"),
        }  # fmt: skip

    def score(self, record: harness.Record, row: dict[str, Any]) -> float | None:
        if len(self.mine) != 1:
            raise Error(f"the instance has {len(self.mine)} values of {self.metric!r}")
        return self.mine[0].value()

    def printed_numbers(self) -> Iterator[Printed]:
        """The means of the metric that is read, or of those among which it is chosen."""
        wanted = self.entry.metric
        if isinstance(wanted, dict):
            wanted = preferences.of_task(wanted, self.spec().task())
        names = [wanted] if isinstance(wanted, str) else wanted
        for path in self.entry.printed_in(self.path, self.log.root):
            stats = self.told_beside(path, list[Stat])
            plain = [one for one in stats if not one.name.derived()]
            times = Counter(_of(one) for one in plain)
            sizes = {_of(one)[1:]: printed_count(one.mean) for one in plain
                     if one.name.name == INSTANCES}  # fmt: skip
            for one in plain:
                metric, split, perturbation = _of(one)
                if names and metric not in names:
                    continue
                several = {"why": "several numbers of this name"} if times[_of(one)] > 1 else {}
                yield self.number(
                    ", ".join(filter(None, _of(one))), one.mean, file=path, scorer=metric,
                    where={"split": split, "perturbation": perturbation},
                    problems=sizes.get((split, perturbation)), **several,
                )  # fmt: skip


def _of(stat: Stat) -> tuple[str, str, str]:
    return stat.name.name, stat.name.split or "", stat.name.version()


def offer(log: Log, entry: Entry) -> Offer:
    """What a log has: settings of its run, and metrics of its first instance."""
    reader = Reader(log, entry)
    spec = reader.spec()
    first = next(reader.each(reader.document(), INSTANCE), None)
    names = sorted({stat.name.name for stat in getattr(first and first.value, "stats", ())})
    scenario = spec.name.partition(":")[0]
    main = next((name for name in MAIN.get(scenario, ("exact_match",)) if name in names), None)
    pattern = f"{scenario}:*" if ":" in spec.task() else scenario
    found = harness.offer_of(spec.heads(), metric=names)
    return msgspec.structs.replace(found, shown={"metric": (pattern, main)} if main else {})


read, printed = Reader.read, Reader.printed
