"""HELM: `per_instance_stats.json`, its run in `run_spec.json` beside it.

An instance has a record for each train trial (its epoch here) and perturbation. HELM reports each
split by itself, and so must a figure (`where: {split: test}`).
Printed: `stats.json`, means over instances in each train trial, then over trials, by split
(`benchmark/metrics/metric.py`, `statistic.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count, printed_number
from heatproof.formats.harness import Preference  # noqa: TC001  msgspec looks it up
from heatproof.formats.params import Int64  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


NAME = "per_instance_stats.json"
SPEC = "run_spec.json"
STATS = "stats.json"
MODEL = ("model", "model_deployment")  # parts of a run's name with the model
INSTANCES = "num_instances"
DERIVED = ("worst", "original")  # `computed_on` of means over several versions of an instance
EXACT = ("exact_match",)
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
"""Scenario → its metric in the tables of HELM, where that is not `exact_match` (`main_name` in
`helm/benchmark/static/schema_*.yaml`, May 2026)."""


class Entry(harness.Harness, kw_only=True):
    """Keys of a `helm` source."""

    metric: Preference | None = None
    """The statistic that is the score: exact_match, quasi_exact_match, f1_score, …; a list (the
    first that a task has counts), or either by task (`{mmlu:*: exact_match, gsm:*: …}`)."""
    own: ClassVar[dict[str, Any]] = {"split": "str", "perturbation": "str"}
    measures: ClassVar[tuple[str, ...]] = ("tokens", "time")
    prefers: ClassVar[tuple[str, ...]] = ("metric",)
    others: ClassVar[str] = (
        r"(?:.*/)?(?:run_spec|stats|scenario|scenario_state|instances|display_predictions"
        r"|display_requests)\.json"
    )

    def sidecars(self, path: str, root: Path, names: Sequence[str] = (SPEC, STATS)) -> list[str]:
        files = [path[: path.rfind("/") + 1] + name for name in names]
        return [file for file in files if (root / file).is_file()]

    def printed_in(self, path: str, root: Path) -> list[str]:
        return self.sidecars(path, root, [STATS])


class Kind(msgspec.Struct):
    """The name of a statistic, and the instances behind it."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None

    def version(self) -> str:
        return str((self.perturbation or {}).get("name") or "")

    def derived(self) -> bool:
        """Whether it is of several versions of an instance, or of a part of a split."""
        return bool(self.sub_split) or (self.perturbation or {}).get("computed_on") in DERIVED


class Stat(msgspec.Struct):
    """A statistic over the outputs of an instance, or over the instances of a run."""

    name: Kind
    count: float = 0
    sum: Any = None
    mean: Any = None

    def value(self) -> float | None:
        total = printed_number(self.sum)
        if total is not None and self.count:
            return total / self.count
        return None


class Instance(msgspec.Struct, gc=False):
    instance_id: int | str
    stats: list[Stat]
    train_trial_index: Int64 = 0
    perturbation: dict[str, Any] | None = None


class Spec(msgspec.Struct):
    """The specification of a run."""

    name: str = ""
    adapter_spec: dict[str, Any] = {}
    scenario_spec: dict[str, Any] = {}

    def task(self) -> str:
        scenario, _, args = self.name.partition(":")
        settings = [arg for arg in args.split(",") if arg and arg.partition("=")[0] not in MODEL]
        if settings:
            return f"{scenario}:{','.join(settings)}"
        return scenario

    def heads(self) -> list[Any]:
        return [self.adapter_spec, self.scenario_spec.get("args"), self.name.partition(":")[2]]


recognises = harness.sign(f"it is a {NAME}", re.escape(NAME), rb"\A\s*\[")


class Reader(harness.Reader):
    """The log is a list of instances."""

    def begin(self) -> harness.Sizes:
        spec = self.spec()
        model = next((m for key in MODEL if (m := spec.adapter_spec.get(key))), "")
        self.settle({"model": str(model), "task": spec.task()}, spec.heads())
        for name in self.entry.own:
            del self.shared[name]
        self.scenario = spec.name.partition(":")[0]
        yield from self.declared()

    def spec(self) -> Spec:
        """The specification of the run. Raises Error: there is none."""
        for path in self.entry.sidecars(self.path, self.log.root, [SPEC]):
            return self.beside(path, Spec)  # type: ignore[no-any-return]
        raise Error(f"no {SPEC} beside it, which has model, task and settings", "missing")

    def declared(self) -> harness.Sizes:
        """Instances of each split and perturbation, over all train trials.

        A damaged file is reported where printed numbers are compared.
        """
        sizes = Counter[tuple[str, str]]()
        stats = dict[str, Stat]()
        for path in filter(self.log.was_there, self.entry.printed_in(self.path, self.log.root)):
            with suppress(Error):
                stats = {repr(stat.name): stat for stat in self.beside(path, list[Stat])}
        for stat in stats.values():
            kind = stat.name
            if kind.name == INSTANCES and (not kind.derived() or kind.sub_split):
                sizes[kind.split or "", kind.version()] += printed_count(stat.sum) or 0
        for (split, perturbation), size in sizes.items():
            settings = self.shared | {"split": split, "perturbation": perturbation}
            yield harness.Declared(settings, size)

    def records(self) -> harness.Records:
        records = list(self.items(self.document(), Instance, harness.LIST))
        if not records:
            raise Error("the log holds no instances")
        instances = [r.value for r in records if isinstance(r.value, Instance)]
        if instances:
            metrics: set[str] = set()
            for instance in instances:
                metrics.update(stat.name.name for stat in instance.stats)
            names = sorted(metrics)
            if main := next((n for n in MAIN.get(self.scenario, EXACT) if n in names), None):
                if ":" in self.shared["task"]:
                    pattern = f"{self.scenario}:*"
                else:
                    pattern = self.scenario
                self.offered.shown["metric"] = pattern, main
            self.metric = self.shared["scorer"] = self.choose("metric", names)
        return iter(records)

    def samples(self, record: harness.Record) -> harness.Rows:
        instance: Instance = record.value
        self.stats = [stat for stat in instance.stats if stat.name.name == self.metric]
        values = {stat.name.name: stat.value() for stat in instance.stats}
        split = next((stat.name.split or "" for stat in (self.stats + instance.stats)), "")
        yield {
            "sample_id": str(instance.instance_id), "epoch": instance.train_trial_index,
            "split": split, "perturbation": str((instance.perturbation or {}).get("name") or ""),
            "tokens": values.get("num_output_tokens"), "time": values.get("inference_runtime"),
        }  # fmt: skip

    def score(self, record: harness.Record, row: dict[str, Any]) -> float | None:
        if len(self.stats) != 1:
            raise Error(f"the instance has {len(self.stats)} values of {self.metric!r}")
        return self.stats[0].value()

    def printed_numbers(self) -> harness.Numbers:
        """The means of the metrics that config.yaml names, or of all."""
        task = ""
        if isinstance(self.entry.metric, dict):
            task = self.spec().task()
        names = harness.names_of(self.entry.metric, task)
        for path in self.entry.printed_in(self.path, self.log.root):
            means = [
                ((stat.name.name, stat.name.split or "", stat.name.version()), stat.mean)
                for stat in self.beside(path, list[Stat]) if not stat.name.derived()
            ]  # fmt: skip
            times = Counter(key for key, _ in means)
            sizes = {key[1:]: printed_count(mean) for key, mean in means if key[0] == INSTANCES}
            for key, mean in means:
                metric, split, perturbation = key
                if not names or metric in names:
                    if times[key] > 1:
                        repeated = {"why": "several numbers of this name"}
                    else:
                        repeated = {}
                    yield self.number(
                        ", ".join(filter(None, key)), mean, file=path, scorer=metric,
                        where={"split": split, "perturbation": perturbation},
                        problems=sizes.get(key[1:]), **repeated,
                    )  # fmt: skip


read = Reader.read
printed = Reader.printed
offer = Reader.offer
