"""heatproof init on aggregates: printed numbers are not taken for problems, nor these for those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from heatproof.cli.main import main
from heatproof.config import configuration
from heatproof.samples import normalize
from reading import reader

ARC = {"acc": 0.41, "acc_stderr": 0.01, "acc_norm": 0.5, "acc_norm_stderr": 0.02}
FILTERED = {
    "alias": "gsm8k",
    "exact_match,strict-match": 0.3,
    "exact_match_stderr,strict-match": 0.1,
}
WANDB = """\
"Name","State","Created","lr","seed","eval/acc","eval/acc_stderr","eval/n","eval/loss"
"a-1","finished","2024","0.1","0","0.41","0.02","600","1.25"
"a-2","finished","2024","0.1","1","0.43","0.02","600","1.15"
"a-3","finished","2024","0.01","0","0.52","0.02","600","0.95"
"a-4","crashed","2024","0.01","1","0.12","0.02","600","3.5"
"""
MLFLOW = """\
run_id,status,start_time,metrics.acc,params.lr,params.model
0a1,FINISHED,1,0.5,0.1,tiny-a
0a2,FINISHED,2,0.6,0.01,tiny-a
0a3,FAILED,3,,0.1,tiny-b
0a4,FINISHED,4,0.7,0.01,tiny-b
"""
PLAIN = "model,task,accuracy\na,gsm8k,0.41\na,math,0.12\nb,gsm8k,0.5\nb,math,0.25\n"
WIDE = "model,params,gsm8k,math,license\na,7,41.5,12.0,open\nb,70,82.0,35.5,open\n"
SUMMARY = "dataset,version,metric,mode,tiny-a-hf,tiny-b-hf\ngsm8k,1,acc,gen,41.5,52\nmath,2,acc,gen,12.5,22\n"


def bigcode(model: str, heat: float, one: float) -> str:
    config = {"model": model, "temperature": heat, "n_samples": 20, "tasks": "humaneval"}
    return json.dumps({"humaneval": {"pass@1": one, "pass@10": 0.5}, "config": config})


def old(model: str) -> str:
    config = {"model": "hf-causal", "model_args": f"pretrained=org/{model}", "num_fewshot": 0}
    results = {"arc_easy": ARC, "piqa": ARC | {"acc": 0.61}}
    return json.dumps({"results": results, "versions": {"arc_easy": 0}, "config": config})


def new(model: str) -> str:
    results = {
        "gsm8k": FILTERED,
        "piqa": {"alias": "piqa", "acc,none": 0.7, "acc_stderr,none": "N/A"},
    }
    told = {"results": results, "configs": {"gsm8k": {"task": "gsm8k"}}, "n-shot": {"gsm8k": 5}}
    return json.dumps(told | {"config": {"model": "hf"}, "model_name": f"org/{model}"})


CASES: dict[str, tuple[dict[str, str], dict[str, Any], dict[str, list[float]]]] = {
    "wandb": (
        {"runs.csv": WANDB},
        {"finished": {"State": "finished"}, "x": "lr", "mean_over": "seed"},
        {"acc": [0.41, 0.43, 0.52], "acc_stderr": [0.02] * 3, "acc_n": [600] * 3},
    ),
    "runs of equal settings": (
        {"runs.csv": WANDB.replace(',"seed"', "").replace(',"0",', ",").replace(',"1",', ",")},
        {"finished": {"State": "finished"}, "x": "lr", "mean_over": "run_name"},
        {"acc": [0.41, 0.43, 0.52]},
    ),
    "mlflow": (
        {"runs.csv": MLFLOW},
        {"finished": {"status": "FINISHED"}, "x": "lr", "y": "model"},
        {"acc": [0.5, 0.6, 0.7]},
    ),
    "plain": ({"r.csv": PLAIN}, {"x": "task", "y": "model"}, {"accuracy": [0.12, 0.25, 0.41, 0.5]}),
    "wide": ({"r.csv": WIDE}, {"x": "task", "y": "model"}, {"acc": [12, 35.5, 41.5, 82]}),
    "decimal commas": (
        {"r.csv": "Model;GSM8K;MATH;Avg\nQwen-7B;41,2%;12,5%;N/A\nLlama-70B;82,0%;35,5%;70,1%\n"},
        {"decimal": ",", "x": "task", "y": "model"},
        {"acc": [12.5, 35.5, 41.2, 70.1, 82]},
    ),
    "opencompass": ({"s.csv": SUMMARY}, {"x": "task", "y": "model"}, {"acc": [12.5, 22, 41.5, 52]}),
    "bigcode": (
        {f"{m}_{t}/results.json": bigcode(m, t, n)
         for m, t, n in (("a", 0.2, 0.1), ("a", 0.8, 0.2), ("b", 0.2, 0.3), ("b", 0.8, 0.0))},
        {"each": "$", "x": "temperature", "y": "model"},
        {"pass_at_1": [0.0, 0.1, 0.2, 0.3], "pass_at_10": [0.5] * 4},
    ),
    "lm_eval, old": (
        {"a/results.json": old("a"), "b/results.json": old("b")},
        {"each": "results", "x": "task", "y": "model"},
        {"acc": [0.41, 0.41, 0.61, 0.61], "acc_norm_stderr": [0.02] * 4},
    ),
    "lm_eval, new": (
        {f"{m}/results_2024-05-01T10-00-00.1.json": new(m) for m in ("a", "b")},
        {"each": "results", "x": "task", "y": "model"},
        {"acc_none": [0.7, 0.7], "exact_match_strict_match": [0.3, 0.3]},
    ),
    "a file each": (
        {f"{t}_{m}.json": json.dumps({"accuracy": a, "std": 0.4})
         for m, t, a in (("tiny-a", "gsm8k", 0.1), ("tiny-a", "math", 0.2),
                         ("tiny-b", "gsm8k", 0.3), ("tiny-b", "math", 0.4))},
        {"x": "task", "y": "model"},
        {"accuracy": [0.1, 0.2, 0.3, 0.4]},
    ),
    "numbers alone": (
        {"r.json": json.dumps({"results": {"gsm8k": 0.25, "math": 0.5}, "model": "a"})},
        {"each": "results", "x": "task"},
        {"number": [0.25, 0.5]},
    ),
}  # fmt: skip


def begun(folder: Path, files: dict[str, str]) -> configuration.Config:
    """The config that `init` writes for files, checked."""
    for path, text in files.items():
        (folder / "logs" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "logs" / path).write_text(text)
    assert main(["init", "logs", "--project", str(folder)]) == 0
    raw = yaml.safe_load((folder / "config.yaml").read_text())
    return configuration.read(configuration.plain_data(raw), folder)


def rows(found: configuration.Config, folder: Path, files: dict[str, str]) -> Any:
    """What is read by the source that was written; nothing is refused."""
    (source,) = found.sources.values()
    read = reader(source.format).read
    paths = [f"logs/{path}" for path in files]
    told = normalize.normalize(paths, folder, source, read)
    assert told.rejected.is_empty()
    return told.samples


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_printed_numbers_are_known(name: str, tmp_path: Path) -> None:
    """With what is known of them; each has a figure, and no board of pairs is drawn."""
    files, wanted, values = CASES[name]
    found = begun(tmp_path, files)
    (source,) = found.sources.values()
    told = rows(found, tmp_path, files)
    for column, numbers in values.items():
        span = source.range.get(column, [0, 1])[1]
        assert sorted(told[column].drop_nulls() * span) == pytest.approx(numbers)
    first, *_ = found.figures.values()
    assert {one.kind for one in found.figures.values()} == {"heatmap"}
    assert first.encoding.color == f"printed({next(iter(values))})" or name == "lm_eval, new"
    seen = {"x": first.encoding.x, "y": first.encoding.y, "mean_over": first.mean_over}
    for key, value in wanted.items():
        assert (seen[key] if key in seen else getattr(source, key)) == value


def table(columns: str, *records: str) -> dict[str, str]:
    return {"r.csv": "\n".join([columns, *records]) + "\n"}


@pytest.mark.parametrize(
    "files",
    [
        table("model,id,correct", *(f"{m},q{n},{n % 2}" for m in "ab" for n in range(9))),
        table("model,task,question,score", *(f"{m},t,q{n},0.{n}" for m in "ab" for n in range(9))),
        table("model,task,accuracy", *(f"{m},t,0.{n}" for m in "ab" for n in range(9))),
        table("model,task,accuracy", "a,t,1", "a,u,0", "b,t,0", "b,u,1"),
        {"r.json": json.dumps({"results": {f"q{n}": {"score": n / 9} for n in range(9)}})},
        {"r.json": json.dumps({f"HumanEval/{n}": {"passed": n % 2} for n in range(9)})},
    ],
)
def test_problems_are_not_taken_for_them(files: dict[str, str], tmp_path: Path) -> None:
    """Records with ids, several of the same settings, or with verdicts alone."""
    (source,) = begun(tmp_path, files).sources.values()
    assert source.aggregates == {}
    assert {"score"} <= {*source.fields}


def test_results_of_temperatures(real_logs: Path, tmp_path: Path) -> None:
    """A public table of runs: each number is that of its row."""
    path = real_logs / "jhu_temperature" / "data" / "results" / "results.csv"
    files = {"results.csv": path.read_text()}
    found = begun(tmp_path, files)
    told = rows(found, tmp_path, files).to_pandas()
    frame = pd.read_csv(path)
    assert len(told) == len(frame) == 259
    key = ["model", "agent_name", "task", "temperature"]
    names = ["Model Name", "Agent Name", "Exam Name", "Temperature"]
    both = told.merge(frame, left_on=key, right_on=names)
    assert (both.accuracy == both.Accuracy).all()
    assert (both.accuracy_n == both.Questions).all()
    assert len(both) == 259
