"""Logs of lm-evaluation-harness and of Inspect, written as these write them."""

import json
from pathlib import Path
from typing import Any

from support.reading import lines

TIME = "2026-01-02T03-04-05.678901"
FIRST = {"name": "take_first", "filter": [{"function": "take_first"}]}
DIGITS = {
    "name": "digits",
    "filter": [{"function": "regex", "regex_pattern": r"(\d+)"}, {"function": "take_first"}],
}


def record(doc: int, resps: list[str], chosen: str = "take_first", **keys: Any) -> dict[str, Any]:
    first = resps[0]
    base = {
        "doc_id": doc,
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"temperature": 0.7, "until": []}}},
        "resps": [resps],
        "filtered_resps": [first],
        "filter": chosen,
        "exact_match": float(first == "1"),
    }
    return base | keys


def write(
    root: Path,
    records: list[Any],
    time: str = TIME,
    filters: tuple[Any, ...] = (FIRST,),
    metrics: tuple[str, ...] = ("exact_match",),
    task: dict[str, Any] | None = None,
    **config: Any,
) -> None:
    told: dict[str, Any] = {
        "results": {
            "add": {"alias": "add"}
            | {f"{m},{f['name']}": 0.5 for m in metrics for f in filters}
            | {f"{m}_stderr,{f['name']}": 0.1 for m in metrics for f in filters}
        },
        "configs": {
            "add": {
                "filter_list": list(filters),
                "metric_list": [{"metric": "exact_match", "ignore_case": True}],
                "num_fewshot": 3,
            }
            | (task or {})
        },
        "config": {"model_args": "pretrained=tiny,dtype=float32", "gen_kwargs": {}} | config,
    }
    folder = root / "tiny"
    folder.mkdir(exist_ok=True)
    (folder / f"samples_add_{time}.jsonl").write_bytes(lines(records))
    (folder / f"results_{time}.json").write_text(json.dumps(told))


def choice(*repeats: list[float], target: str = "1", **keys: Any) -> dict[str, Any]:
    """A record of two choices, each repeat with their log-likelihoods, as texts."""
    of_each = zip(*repeats, strict=True)
    offered = {f"gen_args_{n}": {"arg_0": "?", "arg_1": f" {w}"} for n, w in enumerate("xy")}
    resps = [[[str(number), "False"] for number in numbers] for numbers in of_each]
    return record(1, ["1"]) | {"resps": resps, "target": target, "arguments": offered} | keys


def sample(name: str, value: Any = "C", epoch: int = 1, **keys: Any) -> dict[str, Any]:
    scores = {"match": {"value": value, "history": []}}
    return {"id": name, "epoch": epoch, "input": "?", "target": "1", "scores": scores} | keys


def head(**keys: Any) -> dict[str, Any]:
    told = {"model": "m/small", "task": "add", "run_id": "r", "task_id": "t", "model_args": {}}
    base: dict[str, Any] = {"version": 2, "status": "success", "eval": told}
    return base | {"plan": {"config": {"temperature": 0.5}}} | keys


def document(root: Path, samples: list[Any], **keys: Any) -> None:
    (root / "log.json").write_text(json.dumps(head(**keys) | {"samples": samples}, indent=1))
