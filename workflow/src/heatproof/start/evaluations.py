"""Evaluations of Every Eval Ever as a whole, without rows of samples: their numbers are aggregates.

A result is known by model, name and id; the id tells metrics and filters of one name apart
(`eval.schema.json`; before version 0.2.2 it may lack, then the name of the metric has to do).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.start.block import Line
from heatproof.start.source import Found, seen

if TYPE_CHECKING:
    from collections.abc import Collection

    from heatproof.start.columns import Records
    from heatproof.start.families import Family

VALUE, MODEL, TASK = "score_details.score", "^model_info.id", "evaluation_name"
STDERR = "score_details.uncertainty.standard_error.value"
N = "score_details.uncertainty.num_samples"
METRICS = ("evaluation_result_id", "metric_config.metric_name")
"""What tells results of one name apart, the surest first."""


def is_whole(places: Collection[str]) -> bool:
    """Whether records are results of such evaluations."""
    return {VALUE, MODEL, TASK, "^schema_version", "^evaluation_id"} <= {*places}


def found(family: Family, records: Records) -> Found:
    """The source: a number for each result."""
    places = records.places()
    fields = [Line("model", MODEL, seen(records.values(MODEL)))]
    fields.append(Line("task", TASK, seen(records.values(TASK))))
    known = {"value": VALUE, "stderr": STDERR, "n": N}
    value = {key: place for key, place in known.items() if place in places}
    lines = [Line("each", "evaluation_results", "a result each"), Line("fields", fields)]
    told = [(MODEL, seen(records.values(MODEL)), "model"),
            (TASK, seen(records.values(TASK)), "task")]  # fmt: skip
    names = list(zip(records.values(MODEL), records.values(TASK), strict=True))
    metric = next((one for one in METRICS if None not in records.values(one)), "")
    if metric and len({*names}) < len(names):
        kinds = seen(records.values(metric))
        entry = Line("metric", {"type": "str", "field": metric}, kinds)
        lines.append(Line("params", [entry], "results of one name are told apart by it"))
        told.append((metric, kinds, "params.metric"))
    lines.append(Line("aggregates", [Line("result", value if len(value) > 1 else VALUE)],
                      "no rows of samples lie beside: *_samples.jsonl would be read"))  # fmt: skip
    told.append((VALUE, seen(records.values(VALUE)), "aggregates.result"))
    return Found(family, lines, told, [], [], printed=["result"])
