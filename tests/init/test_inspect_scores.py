"""inspect: which of several scores is meant, as suites of tasks with scorers of their own need it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from heatproof.formats.inspect_format import Entry
from support.folders import init, put
from support.reading import run

VALUES: dict[str, Any] = {
    "arith": {"match": {"value": "C"}},
    "code": {"verify": {"value": 0.25}, "match": {"value": "I"}},
    "essay": {"judge": {"value": {"tone": 1, "fact.s": 0.5}}},
}
"""Task → scores of each of its samples."""


def told(task: str) -> list[dict[str, Any]]:
    """The results of a task as Inspect writes them: a key of a mapping tells its scorer."""
    found: list[dict[str, Any]] = []
    for name, score in VALUES[task].items():
        if isinstance(score["value"], dict):
            found.append({"name": name, "scorer": name, "metrics": {}})
            found += [{"name": key, "scorer": name} for key in score["value"]]
        else:
            found.append({"name": name, "scorer": name})
    return [{"metrics": {"accuracy": {"value": 0.5}}} | one for one in found]


def log(task: str, model: str = "tiny-a", status: str = "success") -> bytes:
    of = {"model": model, "task": task, "run_id": "r", "task_id": "t"}
    samples = [{"id": f"q{n}", "epoch": 1, "input": "?", "scores": VALUES[task]} for n in range(3)]
    results = {"scores": told(task)} if status == "success" else None
    scorers = [{"name": name} for name in VALUES[task]]
    return json.dumps(
        {"version": 2, "status": status, "eval": of | {"scorers": scorers}, "results": results}
        | {"samples": samples}
    ).encode()


def write(root: Path, *tasks: str) -> Path:
    for task in tasks or VALUES:
        (root / f"{task}.json").write_bytes(log(task))
    return root


def scored(root: Path, scorer: Any) -> dict[str, dict[str, float]]:
    """Task → scorer → score, the same of all samples."""
    found: dict[str, dict[str, float]] = {}
    table = run(root, format="inspect", logs="**/*.json", scorer=scorer).samples
    for task, name, score in table.select("task", "scorer", "score").unique().sort(
        "task", "scorer"
    ).rows():  # fmt: skip
        found.setdefault(task, {})[name] = score
    return found


def test_a_pattern_is_no_preference() -> None:
    """It takes all that fit, so that it cannot be the first of several."""
    given = {"name": "s", "format": "inspect", "logs": "x", "scorer": {"code": ["m*", "verify"]}}
    [mistake] = msgspec.convert(given, Entry).mistakes()
    assert mistake.place == ".scorer.code"


def test_a_suite_is_one_source_and_one_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where a log failed and has no scores; what else Inspect writes is no log."""
    files = {f"{task}_{model}.json": log(task, model) for task in VALUES for model in ("a", "b")}
    files |= {"failed.json": log("essay", "c", "error"), "arith_c.json": log("arith", "c")}
    files |= {"logs.json": json.dumps({"x.json": json.loads(log("arith"))}).encode()}
    put(tmp_path, {**files})
    written = init(tmp_path)
    said = capsys.readouterr().out
    [source] = written["sources"].values()
    assert source["scorer"] == ["match", "judge.fact.s"]
    assert "beside    logs/logs.json: written by inspect beside its logs" in said
    drawn = {name: one["kind"] for name, one in written["figures"].items()}
    assert drawn == {"inspect": "heatmap", "inspect-pairs": "pairwise"}
    assert "where" not in written["figures"]["inspect-pairs"]
    assert run(tmp_path, **source).samples["model"].n_unique() == 3


def test_the_next_log_is_meant_too(tmp_path: Path) -> None:
    """Of a single log of a harness the pattern has no time."""
    put(tmp_path, {"2026-01-02T03-04-05_arith_Xp5.json": log("arith")})
    [source] = init(tmp_path)["sources"].values()
    assert source["logs"] == "logs/*.json"


def graded(*values: Any) -> bytes:
    """A log whose samples have these scores."""
    told = json.loads(log("arith"))
    told["samples"] = [
        {"id": f"q{n}", "epoch": 1, "scores": {"match": {"value": value}}}
        for n, value in enumerate(values)
    ]
    return json.dumps(told).encode()


@pytest.mark.parametrize(
    ("values", "ends"), [((85, 10, 100), [0, 100]), ((1, 4, 2.5), [0, 10]), ((0.5, 1, 0), None)]
)
def test_init_finds_the_scale_of_scores(
    values: tuple[float, ...], ends: list[int] | None, tmp_path: Path
) -> None:
    """Where scores go beyond 1."""
    put(tmp_path, {"a.json": graded(*values)})
    [source] = init(tmp_path)["sources"].values()
    assert source.get("range") == ends
    low, high = ends or (0, 1)
    scores = run(tmp_path, **source).samples["score"].to_list()
    assert scores == [(value - low) / (high - low) for value in values]


def test_init_finds_no_scale_where_scorers_differ(tmp_path: Path) -> None:
    """A range is of all scores of a source: it would make one of ten of the others."""
    put(tmp_path, {"a.json": graded(7, 3), "b.json": log("code"), "c.json": log("essay")})
    [source] = init(tmp_path)["sources"].values()
    assert "range" not in source


def test_init_takes_a_scorer_for_each_task(tmp_path: Path) -> None:
    """Of rows that have several, and of which no one is common to all tasks."""
    scores = {"add": ("exact",), "pick": ("acc", "acc_norm")}
    rows = [
        {"evaluation_id": "e", "model_id": model, "evaluation_name": task, "sample_id": str(n)}
        | {"evaluation_result_id": name, "evaluation": {"score": int(n < 2 + (model == "a")), "is_correct": True}}
        for model in ("a", "b") for task, names in scores.items() for name in names
        for n in range(4)
    ]  # fmt: skip
    put(tmp_path, {"x_samples.jsonl": b"".join(json.dumps(row).encode() + b"\n" for row in rows)})
    config = init(tmp_path)
    assert next(iter(config["figures"].values()))["encoding"]["y"] == "model"


def test_how_a_run_was_carried_out_is_no_setting(tmp_path: Path) -> None:
    """Connections, limits and epochs differ between runs, and are no axis of a figure."""
    files = {}
    for n, model in enumerate("abab"):
        told = json.loads(log("arith", model))
        told["eval"]["config"] = {"epochs": n + 1, "max_samples": 5 * n, "message_limit": n // 2}
        told["eval"]["model_generate_config"] = {"max_connections": n + 3}
        files[f"{n}.json"] = json.dumps(told).encode()
    put(tmp_path, files)
    [source] = init(tmp_path)["sources"].values()
    assert [*source["params"]] == ["message_limit"]


def test_a_task_without_the_score_that_its_head_names_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Inspect counts how often a judge says each word as if the word were a score; others go on."""
    said = json.loads(log("code", "a"))
    for sample in said["samples"]:
        sample["scores"] = {"judge": {"value": "left"}}
    said["results"] = {"scores": [{"name": "judge", "scorer": "judge", "metrics": {}}]}
    for word in ("left", "right"):
        metric = {"name": word, "scorer": "judge", "metrics": {"mean": {"value": 0.5}}}
        said["results"]["scores"].append(metric)
    put(tmp_path, {"arith.json": log("arith"), "bias.json": json.dumps(said).encode()})
    [source] = init(tmp_path)["sources"].values()
    assert "unread    logs/bias.json: no score by 'judge.left'" in capsys.readouterr().out
    assert set(run(tmp_path, **source).samples["task"]) == {"arith"}


def test_a_run_that_was_repeated_is_a_repetition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs of the same settings are told apart by when they began, and pooled."""
    files = {}
    for n, model in enumerate("aab"):
        repeated = json.loads(log("arith", model))
        repeated["eval"]["created"] = f"2026-01-0{n + 1}T00:00:00+00:00"
        files[f"{n}.json"] = json.dumps(repeated).encode()
    put(tmp_path, files)
    config = init(tmp_path)
    assert config["sources"]["inspect"]["params"] == {"created": "str"}
    assert config["figures"]["inspect"]["pool"] == ["created"]
    assert "created: repetitions of a run, pooled" in capsys.readouterr().out


def test_a_score_without_a_metric_is_no_grade(tmp_path: Path) -> None:
    """Of several scores of a task that is drawn which Inspect itself sums up."""
    changed = json.loads(log("arith"))
    changed["results"]["scores"].insert(0, {"name": "diff", "scorer": "diff", "metrics": {}})
    for sample in changed["samples"]:
        sample["scores"] = {"diff": {"value": "C"}, "match": {"value": "I"}}
    files = {"a.json": json.dumps(changed).encode(), "b.json": log("arith", "b")}
    unmeasured = json.loads(log("arith", "c"))
    unmeasured["results"]["scores"][0]["metrics"] = {}
    for scorer in ("match", {"arith": ["match"]}):
        put(tmp_path, files)
        [source] = init(tmp_path)["sources"].values()
        assert source["scorer"] == scorer
        scores = run(tmp_path, **source).samples.filter(model="tiny-a")["score"]
        assert scores.to_list() == [0.0, 0.0, 0.0]
        files["c.json"] = json.dumps(unmeasured).encode()
        (tmp_path / "config.yaml").unlink()
