"""heatproof init on harnesses without a reader: the config says their layout, and values are theirs."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from statistics import mean
from typing import TYPE_CHECKING, Any

import pytest

import heatproof
from heatproof.cli.main import main
from reading import run
from test_start import init, put

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Files = dict[str, str | bytes]
    Values = dict[tuple[str, str], list[float]]

CHANCE = random.Random(12)
MODELS = ("gpt-nano", "tiny-a", "tiny-b")
SIZE = 12


def right() -> bool:
    return CHANCE.random() < 0.5


def live_code_bench(values: Values) -> Files:
    """A list of problems, each with graded attempts; beside it what was answered, and sums."""
    files: Files = {}
    for model in MODELS:
        rows = []
        for number in range(SIZE):
            graded = [right() for _ in range(4)]
            values["livecodebench", model] += [mean(graded)]
            told = {"question_id": f"27{number}", "platform": "x", "code_list": ["y"] * 4}
            rows.append(told | {"graded_list": graded, "pass@1": 0.123, "difficulty": "easy"})
        stem = f"{model}/Scenario.codegeneration_4_0.2"
        files[f"{stem}_eval_all.json"] = json.dumps(rows)
        short = [{"question_id": row["question_id"], "code_list": ["y"]} for row in rows]
        files[f"{stem}.json"] = json.dumps(short)
    return files


def tau_bench(values: Values) -> Files:
    """A list of trials; which model and domain, the path tells."""
    files: Files = {}
    for model in MODELS:
        for domain in ("airline", "retail"):
            rows = []
            for number in range(SIZE):
                for trial in range(3):
                    reward = float(right())
                    values[domain, model] += [reward]
                    more = {"source": "user", "reward_info": {"reward": reward}, "user_cost": 0.1}
                    told = {"task_id": number, "reward": reward, "info": more, "trial": trial}
                    rows.append(told | {"traj": [{"role": "user", "content": "?"}]})
            files[f"{domain}/{model}.json"] = json.dumps(rows)
    return files


def tau2_bench(values: Values) -> Files:
    """Settings at the head: two models, of which the agent is asked, and the domain."""
    files: Files = {}
    for model in MODELS:
        for domain in ("retail", "telecom"):
            rows = []
            for number in range(SIZE):
                for trial in range(2):
                    reward = float(right())
                    values[domain, model] += [reward]
                    info = {"reward": reward, "reward_breakdown": {"DB": reward}}
                    told = {"task_id": str(number), "trial": trial, "seed": 7 + trial}
                    told |= {"termination_reason": "user_stop", "reward_info": info}
                    rows.append(told | {"duration": 0.5 * number})
            head = {
                "user_info": {"llm": "user-x"},
                "agent_info": {"implementation": "llm_agent", "llm": model},
                "environment_info": {"domain_name": domain},
            }
            told_ = {"info": head, "tasks": [{"id": "0"}], "simulations": rows}
            files[f"{model}_{domain}.json"] = json.dumps(told_)
    return files


def promptfoo(values: Values) -> Files:
    """One document, below `results.results` a record for each test of each provider."""
    rows = []
    for at, model in enumerate(MODELS):
        for number in range(SIZE):
            passed = right()
            values["promptfoo", model] += [float(passed)]
            told = {"promptIdx": at, "testIdx": number, "id": f"{at}-{number}", "success": passed}
            told |= {"provider": {"id": model, "label": ""}, "score": float(passed) / 2}
            rows.append(told | {"gradingResult": {"pass": passed, "score": 0.5}, "latencyMs": 3})
    told = {"version": 3, "results": rows, "stats": {"successes": 1, "failures": 2}}
    return {"output.json": json.dumps({"evalId": "x", "results": told, "config": {}})}


def alpaca_eval(values: Values) -> Files:
    """Preferences from 1, the answer of the baseline, to 2, that of the model."""
    files: Files = {}
    for model in MODELS:
        rows = []
        for number in range(SIZE):
            preference = CHANCE.choice([1.0, 1.25, 1.5, 2.0])
            values["alpaca_eval", model] += [preference - 1]
            told = {"instruction": f"Do {number}", "generator_1": "base", "generator_2": model}
            told |= {"output_1": "a", "output_2": "b", "annotator": "x", "dataset": "koala"}
            rows.append(told | {"preference": preference})
        files[f"{model}/x/annotations.json"] = json.dumps(rows)
        answers = [{"instruction": row["instruction"], "output": "b"} for row in rows]
        files[f"{model}/model_outputs.json"] = json.dumps(answers)
    return files


def multipl_e(values: Values) -> Files:
    """A document for each problem, and in it how each program ended."""
    files: Files = {}
    for model in MODELS:
        for number in range(SIZE):
            ends = [CHANCE.choice(["OK", "Exception", "Timeout"]) for _ in range(3)]
            values["lua", model] += [mean(one == "OK" for one in ends)]
            runs = [{"program": "p", "status": one, "exit_code": 0, "stderr": ""} for one in ends]
            told = {"name": f"P_{number}", "language": "lua", "tests": "t", "results": runs}
            files[f"{model}/P_{number}.results.json"] = json.dumps(told)
    return files


def live_bench(values: Values) -> Files:
    """A line for each judgment, all models of a task in one file."""
    files: Files = {}
    for task in ("math_comp", "zebra"):
        rows = []
        for model in MODELS:
            for number in range(SIZE):
                score = CHANCE.choice([0, 0.5, 1])
                values[task, model] += [score]
                told = {"question_id": f"{task}{number}", "task": task, "model": model}
                rows.append(told | {"score": score, "turn": 1, "tstamp": 1.5, "category": "x"})
        text = "".join(json.dumps(row) + "\n" for row in rows)
        files[f"{task}/model_judgment/ground_truth_judgment.jsonl"] = text
    return files


def terminal_bench(values: Values) -> Files:
    """Results of a run, and what was run in a file beside them."""
    files: Files = {}
    for at, model in enumerate(MODELS):
        rows = []
        for number in range(SIZE):
            solved = right()
            values["core", model] += [float(solved)]
            told = {"id": f"{at}-{number}", "task_id": f"task-{number}", "is_resolved": solved}
            rows.append(told | {"parser_results": {"test": "passed"}, "failure_mode": "unset"})
        home = f"2026-01-0{at + 1}__10-00-00"
        files[f"{home}/results.json"] = json.dumps({"id": "x", "results": rows, "accuracy": 0.5})
        about = {"run_id": home, "dataset_name": "core", "model_name": model, "accuracy": 0.5}
        files[f"{home}/run_metadata.json"] = json.dumps(about)
    return files


def deep_eval(values: Values) -> Files:
    """Test cases with whether they passed, and the scores of their metrics below."""
    files: Files = {}
    for model in MODELS:
        cases = []
        for number in range(SIZE):
            passed = right()
            values["mine", model] += [float(passed)]
            metric = {"name": "Relevancy", "success": passed, "score": CHANCE.random()}
            told = {"name": f"case_{number}", "input": f"q{number}", "success": passed}
            cases.append(told | {"metricsData": [metric], "actualOutput": "a", "order": number})
        files[f"{model}/run.json"] = json.dumps({"testFile": "t.py", "testCases": cases})
    return files


def rollouts(values: Values) -> Files:
    """A file for each step of training, several answers to each prompt."""
    files: Files = {}
    for step in (10, 20):
        rows = []
        for number in range(SIZE):
            for _ in range(3):
                score = float(right())
                values[str(step), "mine"] += [score]
                told = {"input": f"{number} + 1?", "output": "x", "gts": "2", "score": score}
                rows.append(told | {"step": step})
        files[f"{step}.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    return files


PLAIN: dict[str, tuple[Callable[[Values], Files], str, str]] = {
    "LiveBench": (live_bench, "task", "mean(score)"),
    "Terminal-Bench": (terminal_bench, "task", "pass@1"),
    "DeepEval": (deep_eval, "task", "pass@1"),
    "verl": (rollouts, "step", "pass@1"),
}
"""What makes logs whose names say enough, what is along x, and the metric of the figure."""


@pytest.mark.parametrize("name", PLAIN)
def test_plain_records_need_no_layout(name: str, tmp_path: Path) -> None:
    """What they are is told by their names; the figure has a value for each, and they are right."""
    make, x, metric = PLAIN[name]
    expected: Values = defaultdict(list)
    put(tmp_path, make(expected))
    written = init(tmp_path)
    [source] = written["sources"].values()
    first = next(iter(written["figures"].values()))
    assert first["encoding"] == {"x": x, "y": "model", "color": metric}
    result = run(tmp_path, **source)
    assert len(result.rejected) == 0
    cells = heatproof.grid(result.samples, x=x, y="model", metric=metric)
    found = {(str(x), y): value for x, y, value in cells.select(x, "model", "value").iter_rows()}
    assert found == pytest.approx({key: mean(told) for key, told in expected.items()}, abs=1e-12)


LAYOUTS: dict[str, tuple[Callable[[Values], Files], str, int]] = {
    "LiveCodeBench": (live_code_bench, "pass@1", len(MODELS) * SIZE * 4),
    "tau-bench": (tau_bench, "pass@1", len(MODELS) * 2 * SIZE * 3),
    "tau2-bench": (tau2_bench, "pass@1", len(MODELS) * 2 * SIZE * 2),
    "promptfoo": (promptfoo, "pass@1", len(MODELS) * SIZE),
    "AlpacaEval": (alpaca_eval, "mean(score)", len(MODELS) * SIZE),
    "MultiPL-E": (multipl_e, "pass@1", len(MODELS) * SIZE * 3),
}
"""What makes the logs, the metric of the figure, and how many samples there are."""


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_first_figure_has_the_numbers_of_the_harness(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Task × model, no setting beside them, each record read, and the layout named."""
    make, metric, size = LAYOUTS[name]
    expected: Values = defaultdict(list)
    put(tmp_path, make(expected))
    written = init(tmp_path)
    assert f": {name}" in capsys.readouterr().out
    [source] = written["sources"].values()
    assert "params" not in source
    first = next(iter(written["figures"].values()))
    assert first["encoding"] == {"x": "task", "y": "model", "color": metric}
    result = run(tmp_path, **source)
    assert (len(result.samples), len(result.rejected)) == (size, 0)
    cells = heatproof.grid(result.samples, x="task", y="model", metric=metric)
    found = {(x, y): value for x, y, value in cells.select("task", "model", "value").iter_rows()}
    assert found == pytest.approx({key: mean(told) for key, told in expected.items()}, abs=1e-12)


def failures(total: int, wrong: int) -> str:
    told = {"accuracy": 1 - wrong / total, "correct_count": total - wrong, "total_count": total}
    rows: list[dict[str, Any]] = [told]
    rows += [{"id": f"simple_{n}", "valid": False, "error": ["x"]} for n in range(wrong)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_files_of_failures_are_drawn_by_their_sums(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """BFCL names the problems that failed alone: its sums are the numbers, with what is behind."""
    sums = {("gpt-nano", "simple"): (40, 4), ("gpt-nano", "parallel"): (20, 0)}
    sums |= {("tiny-a", "simple"): (40, 22), ("tiny-a", "parallel"): (20, 15)}
    files = {f"{m}/BFCL_v3_{t}_score.json": failures(*held) for (m, t), held in sums.items()}
    put(tmp_path, {**files})
    written = init(tmp_path)
    assert "BFCL: sums in its first line, failures alone below" in capsys.readouterr().out
    [source] = written["sources"].values()
    assert source["aggregates"] == {"accuracy": {"value": "accuracy", "n": "total_count"}}
    first = next(iter(written["figures"].values()))
    assert first["encoding"] == {"x": "task", "y": "model", "color": "printed(accuracy)"}
    result = run(tmp_path, **source)
    found = result.samples.select("model", "task", "accuracy").rows()
    assert {(model, task): value for model, task, value in found} == {
        key: 1 - wrong / total for key, (total, wrong) in sums.items()
    }
    assert len(result.rejected) == 0


def test_a_leaderboard_has_a_row_for_each_model(tmp_path: Path) -> None:
    """AlpacaEval's: a name is a model there, not a problem."""
    put(tmp_path, {"lb.csv": "name,length_controlled_winrate,win_rate,avg_length\n"
                             "gpt-nano,12.5,10.25,900\ntiny-a,80.5,76.0,1900\n"})  # fmt: skip
    written = init(tmp_path)
    [source] = written["sources"].values()
    assert source["fields"] == {"model": "name"}
    assert [*source["aggregates"]] == ["length_controlled_winrate", "win_rate"]
    found = run(tmp_path, **source).samples.select("model", "task", "win_rate").rows()
    assert found == [("gpt-nano", "alpaca_eval", 10.25), ("tiny-a", "alpaca_eval", 76.0)]


def games(model: str) -> str:
    told = {"uid": "0f", "category": "hard", "judge": "j", "model": model, "baseline": "base"}
    return json.dumps(told | {"games": [{"score": "A>B"}, {"score": "B>A"}]}) + "\n"


def test_verdicts_that_turn_with_their_place_are_not_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arena-Hard: of two games, A is the baseline in the first and the model in the second."""
    put(tmp_path, {f"{model}/judge.jsonl": games(model) for model in MODELS})
    assert main(["init", str(tmp_path / "logs"), "--project", str(tmp_path)]) == 1
    said = "3 files, such as logs/gpt-nano/judge.jsonl: Arena-Hard: A is the baseline in the first"
    assert said in capsys.readouterr().out
