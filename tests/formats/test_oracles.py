"""Values of grids are those that each harness's own summary gives of the same, invented, logs.

A summary here is the harness's definition written anew, from the raw documents and without any of
our code. Where the harness prints it beside its logs, the printed number is found to agree, too.
"""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import pytest

import heatproof
from heatproof import printed as harness_numbers
from reading import entry, lines, reader, run, table
from specimens import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Files = dict[str, bytes]
    Values = dict[tuple[Any, ...], float]

TIME = "2026-01-02T03-04-05.678901"
CHANCE = random.Random(21)
MODELS = {"tiny-a": 0.7, "tiny-b": 0.4}
"""Model → how often it is right."""


def right(model: str) -> bool:
    return CHANCE.random() < MODELS[model]


def document(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def estimate(n: int, c: int, k: int) -> float:
    """pass@k as code harnesses write it: a product, not binomials."""
    if n - c < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1))


def evalplus(tests: str, k: int) -> Callable[[], tuple[Files, Values]]:
    """`evalplus/evaluate.py`: right with the extra tests if all tests are passed."""

    def made() -> tuple[Files, Values]:
        files, values = {}, {}
        for model in MODELS:
            words = {True: "pass", False: "fail"}
            problems = {
                f"HumanEval/{n}": [
                    {"base_status": words[right(model)], "plus_status": words[right(model)]}
                    for _ in range(3 + n % 3)
                ]
                for n in range(20)
            }
            found = {}
            for kind, needed in (("base", ["base"]), ("plus", ["base", "plus"])):
                counts = [
                    (len(held), sum(all(o[f"{t}_status"] == "pass" for t in needed) for o in held))
                    for held in problems.values()
                ]
                found[kind] = {f"pass@{k}": mean(estimate(n, c, k) for n, c in counts)}
            told = {"hash": "0f", "eval": problems, "pass_at_k": found}
            files[f"{model}_hf_temp_0.2.eval_results.json"] = document(told)
            values["humaneval", model] = found[tests][f"pass@{k}"]
        return files, values

    return made


def swebench(unjudged: str) -> Callable[[], tuple[Files, Values]]:
    """`swebench/harness/reporting.py`: resolved of all, or of those that could be judged."""

    def made() -> tuple[Files, Values]:
        files, values = {}, {}
        for model in MODELS:
            names = [f"a-{n}" for n in range(30)]
            empty, error, incomplete, rest = names[:3], names[3:6], names[6:8], names[8:]
            resolved = [name for name in rest if right(model)]
            told = {
                "total_instances": len(names),
                "resolved_instances": len(resolved),
                "resolved_ids": resolved,
                "unresolved_ids": [name for name in rest if name not in resolved],
                "empty_patch_ids": empty,
                "error_ids": error,
                "incomplete_ids": incomplete,
            }
            files[f"{model}.r1.json"] = document(told)
            below = len(names) if unjudged == "wrong" else len(rest) + len(empty)
            values["SWE-bench", model] = len(resolved) / below
        return files, values

    return made


def openai_evals() -> tuple[Files, Values]:
    """`evals/metrics.py`: right ones of all events."""
    files, values = {}, {}
    for model in MODELS:
        spec = {"completion_fns": [model], "eval_name": "add.dev.v0"}
        events = [
            {"sample_id": f"add.{n}", "type": "match", "data": {"correct": right(model)}}
            for n in range(25)
        ]
        value = sum(one["data"]["correct"] for one in events) / len(events)
        report = {"final_report": {"accuracy": value, "boostrap_std": 0.1}}
        files[f"{model}.jsonl"] = lines([{"spec": spec}, *events, report])
        values["add.dev.v0", model] = value
    return files, values


def opencompass() -> tuple[Files, Values]:
    """`icl_base_evaluator.py`: the mean of the replicas' accuracies, in percent."""
    files, values = {}, {}
    for model in MODELS:
        held = [{"example_abbr": f"a_{n}", "correct": [right(model) for _ in range(4)]}
                for n in range(20)]  # fmt: skip
        runs = [100 * mean(float(one["correct"][at]) for one in held) for at in range(4)]
        told = {"accuracy (4 runs average)": mean(runs), "details": held}
        files[f"results/{model}/add.json"] = document(told)
        values["add", model] = mean(runs) / 100
    return files, values


def lighteval() -> tuple[Files, Values]:
    """`info_loggers.py`: the mean over the problems, and its standard error with n − 1 below."""
    files, values = {}, {}
    for model in MODELS:
        scores = [float(right(model)) for _ in range(20)]
        rows = [{"doc": {"id": str(n)}, "metric": {"em": s, "f1": 0.5}}
                for n, s in enumerate(scores)]  # fmt: skip
        told = {"em": mean(scores), "em_stderr": stdev(scores) / math.sqrt(len(scores))}
        run_ = {"config_general": {"model_name": model}, "results": {"add|0": told}}
        files[f"details/{model}/{TIME}/details_add|0_{TIME}.parquet"] = table(rows)
        files[f"results/{model}/results_{TIME}.json"] = document(run_)
        values["add", model] = told["em"]
    return files, values


def mt_bench() -> tuple[Files, Values]:
    """`show_result.py`, single: the mean of all scores of a model that are not -1."""
    rows, held = [], defaultdict(list)
    for model in MODELS:
        for question in range(81, 101):
            for turn in (1, 2):
                score = CHANCE.choice([1, 4, 5.5, 7, 10])
                judge = ["judge-x", "single-v1" if turn == 1 else "single-v1-multi-turn"]
                told = {"question_id": question, "model": model, "judge": judge}
                rows.append(told | {"score": score, "turn": turn})
                held[model].append(score)
        rows.append({"question_id": 101, "model": model, "judge": ["judge-x", "s"], "score": -1})
    values = {("mt_bench", model): (mean(scores) - 1) / 9 for model, scores in held.items()}
    return {"mt_bench/model_judgment/judge-x_single.jsonl": lines(rows)}, values


def pairs() -> tuple[Files, Values]:
    """`show_result.py`, pairs: `win_rate_adjusted`, in which a tie is half a win."""
    rows, won = [], dict.fromkeys(MODELS, 0.0)
    first, second = MODELS
    for question in range(40):
        games = [CHANCE.choice(["model_1", "model_2", "tie"]) for _ in range(2)]
        rows.append(
            {"question_id": question, "model_1": first, "model_2": second, "judge": "j", "turn": 1}
            | {"g1_winner": games[0], "g2_winner": games[1]}
        )
        if games[0] == "tie" or games[0] != games[1]:
            won[first] += 0.5
            won[second] += 0.5
        else:
            won[first if games[0] == "model_1" else second] += 1
    values = {("mt_bench", model): wins / len(rows) for model, wins in won.items()}
    return {"mt_bench/model_judgment/j_pair.jsonl": lines(rows)}, values


def simple_evals() -> tuple[Files, Values]:
    """`common.py`: the mean over all answers."""
    files, values = {}, {}
    for model in MODELS:
        scores = [float(right(model)) for _ in range(12)]
        told = {"score": mean(scores), "htmls": [f"<p>Score: {s}</p>" for s in scores]}
        files[f"math_{model}_20260102_030405_allresults.json"] = document(told)
        values["math", model] = told["score"]
    return files, values


def lm_eval() -> tuple[Files, Values]:
    """`api/metrics.py`: the mean over the problems of a task, each of its own metric."""
    files, values = {}, {}
    for model in MODELS:
        results = {}
        for task, metric in (("add", "acc"), ("pick", "acc_norm")):
            scores = [float(right(model)) for _ in range(20)]
            rows = [{"doc_id": n, "target": "1", "arguments": [], "resps": [["1"]],
                     "filter": "none", metric: s}
                    for n, s in enumerate(scores)]  # fmt: skip
            files[f"{model}/samples_{task}_{TIME}.jsonl"] = lines(rows)
            results[task] = {f"{metric},none": mean(scores)}
            values[task, model] = mean(scores)
        told = {"results": results, "config": {"model_args": f"pretrained={model}"}}
        files[f"{model}/results_{TIME}.json"] = document(told)
    return files, values


def inspect() -> tuple[Files, Values]:
    """`scorer/_metrics/accuracy.py` over `mean_score`: of each problem the mean of its epochs."""
    files, values = {}, {}
    for model in MODELS:
        epochs = {n: ["C" if right(model) else "I" for _ in range(3)] for n in range(10)}
        value = mean(mean(float(one == "C") for one in held) for held in epochs.values())
        score = {"name": "match", "reducer": "mean", "metrics": {"accuracy": {"value": value}}}
        samples = [
            {"id": n, "epoch": at + 1, "scores": {"match": {"value": one}}}
            for n, held in epochs.items()
            for at, one in enumerate(held)
        ]
        head = {"version": 2, "status": "success", "eval": {"model": model, "task": "add"}}
        told = head | {"results": {"scores": [score]}, "samples": samples}
        files[f"{model}.json"] = document(told)
        values["add", model] = value
    return files, values


ORACLES: dict[str, tuple[Callable[[], tuple[Files, Values]], dict[str, Any], str, int]] = {
    "evalplus": (evalplus("plus", 1), {"format": "evalplus"}, "pass@1", 2),
    "evalplus, base": (evalplus("base", 3), {"format": "evalplus", "tests": "base"}, "pass@3", 2),
    "swebench": (swebench("missing"), {"format": "swebench"}, "pass@1", 2),
    "swebench, all": (
        swebench("wrong"),
        {"format": "swebench", "unjudged": "wrong"},
        "pass@1",
        2,
    ),
    "openai_evals": (openai_evals, {"format": "openai_evals"}, "pass@1", 2),
    "opencompass": (opencompass, {"format": "opencompass"}, "pass@1", 2),
    "lighteval": (lighteval, {"format": "lighteval", "metric": "em"}, "pass@1", 4),
    "mt_bench": (mt_bench, {"format": "mt_bench"}, "mean(score)", 0),
    "mt_bench, pairs": (pairs, {"format": "mt_bench"}, "mean(score)", 0),
    "simple_evals": (simple_evals, {"format": "simple_evals"}, "pass@1", 2),
    "lm_eval": (
        lm_eval,
        {"format": "lm_eval", "logs": "*/samples_*", "metric": ["acc_norm", "acc"]},
        "pass@1",
        4,
    ),
    "inspect": (inspect, {"format": "inspect"}, "pass@1", 2),
}
"""What makes logs and their summary, the source, the metric, and how many numbers are printed."""


@pytest.mark.parametrize("name", ORACLES)
def test_a_grid_has_the_values_of_the_harness(name: str, tmp_path: Path) -> None:
    """By task and model, to the last digits of a float; what is printed beside them agrees."""
    made, keys, metric, printed = ORACLES[name]
    files, values = made()
    write(tmp_path, files)
    result = run(tmp_path, **keys)
    pool = [name for name in ("turn", "opponent") if name in result.samples.columns]
    cells = heatproof.grid(result.samples, x="task", y="model", metric=metric, pool=pool)
    found = {(x, y): value for x, y, value in cells.select("task", "model", "value").iter_rows()}
    assert found == pytest.approx(values, abs=1e-12)
    assert len(values) >= len(MODELS)

    source, module = entry(**keys), reader(keys["format"])
    paths = sorted({*result.samples["log"]})
    numbers = [*harness_numbers.read(paths, tmp_path, source, module.printed)] if printed else []
    result.samples.write_parquet(tmp_path / "t.parquet")
    scored = harness_numbers.gather([tmp_path / "t.parquet"], {n.over for _, n in numbers})
    assert [row.agree for row in harness_numbers.compare(numbers, scored, {})] == [True] * printed
