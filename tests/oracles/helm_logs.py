"""HELM: statistics of instances, written as its runner does, and the means that it merges them to."""

import json
import random
import sys
from pathlib import Path

from helm.benchmark.metrics.metric import PerInstanceStats
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.statistic import Stat, merge_stat
from helm.common.general import asdict_without_nones

NAMES = [MetricName("exact_match", split="test"), MetricName("inference_runtime", split="test")]


def main(folder: str) -> None:
    chance, values = random.Random(11), []
    for model in ("org/tiny-a", "tiny/b"):
        told, merged = [], {}
        for number in range(25):
            stats = [
                Stat(NAMES[0]).add(chance.random() < 0.4),
                Stat(NAMES[1]).add(chance.random()),
            ]
            told.append(PerInstanceStats(f"id{number}", None, 0, stats))
            for stat in stats:
                merge_stat(merged, stat.take_mean())
        spec = {
            "name": f"add:model={model.replace('/', '_')}",
            "scenario_spec": {"class_name": "add", "args": {}},
            "adapter_spec": {"method": "generation", "model": model, "temperature": 0.0},
        }
        home = Path(folder) / "runs" / "v1" / f"add:model={model.replace('/', '_')}"
        home.mkdir(parents=True)
        for name, held in (
            ("run_spec", spec),
            ("per_instance_stats", [asdict_without_nones(one) for one in told]),
            ("stats", [asdict_without_nones(one) for one in merged.values()]),
        ):
            (home / f"{name}.json").write_text(json.dumps(held, indent=2))
        values.append(("add", model, merged[NAMES[0]].mean))
    source = {"metric": "exact_match"}
    print(json.dumps({"source": source, "metric": "pass@1", "values": values}))


main(sys.argv[1])
