"""heatproof init on logs of harnesses: the right reader, and the harness's own number in the cells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import heatproof
from heatproof.cli.main import main
from heatproof.start import patterns, scores
from reading import entry, reader, run
from support.oracles import ORACLES
from test_start import init, lines, put

if TYPE_CHECKING:
    from pathlib import Path

    from test_start import Files

FORMATS: dict[str, dict[str, Any]] = {
    "evalplus": {},
    "swebench_all": {"unjudged": "wrong"},
    "openai_evals": {},
    "opencompass": {},
    "lighteval": {"metric": "em"},
    "mt_bench": {},
    "mt_bench_pairs": {},
    "simple_evals": {},
}
"""Logs whose summary by their harness is known → what init chooses for them."""


@pytest.mark.parametrize("name", FORMATS)
def test_the_figure_of_a_harness_shows_its_own_numbers(name: str, tmp_path: Path) -> None:
    """One source of all logs, with what lies beside them; cells by task and model are right."""
    files, keys, metric, _, values = ORACLES[name]
    put(tmp_path, {**files})
    written = init(tmp_path)
    [source] = written["sources"].values()
    assert {key: source[key] for key in source if key != "logs"} == (
        {"format": keys["format"]} | FORMATS[name]
    )
    result = run(tmp_path, **source)
    assert len({*result.samples["log"]}) == sum(not is_beside(path) for path in files)
    first = next(iter(written["figures"].values()))
    assert first["kind"] == "heatmap"
    assert first["encoding"]["color"] == metric or metric == "pass@1"
    pool = [one for one in ("turn", "opponent") if one in result.samples.columns]
    cells = heatproof.grid(result.samples, x="task", y="model", metric=metric, pool=pool)
    found = {(x, y): value for x, y, value in cells.select("task", "model", "value").iter_rows()}
    assert found == pytest.approx(values, abs=1e-12)


def is_beside(path: str) -> bool:
    return "/results_" in path


def test_files_beside_logs_in_folders_of_their_own_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The results of lighteval lie in another folder than its details."""
    put(tmp_path, {**ORACLES["lighteval"].files})
    init(tmp_path)
    said = capsys.readouterr().out
    assert "beside    2 files, such as logs/results/tiny-a/results_2026-01-02T03-04-05" in said
    assert "unread" not in said


def test_what_a_task_tells_is_no_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tasks asked with a number of shots each are drawn by task, and nothing is lacking."""
    files = ORACLES["lighteval"].files
    more = {path.replace("add|0", "pick|5"): data for path, data in files.items()}
    put(tmp_path, {**files, **more})
    first = next(iter(init(tmp_path)["figures"].values()))
    assert first["encoding"] == {"x": "task", "y": "model", "color": "pass@1"}
    said = capsys.readouterr().out
    assert "shots   whole 0, 5" in said
    assert "lacking" not in said


def report(tried: int, **lists: list[str]) -> str:
    names = [f"a-{n}" for n in range(40)]
    told = {"resolved_ids": names[: tried // 2], "unresolved_ids": names[tried // 2 : tried]}
    told |= {"incomplete_ids": names[tried:], **lists}
    return json.dumps({"total_instances": 40, "resolved_instances": tried // 2, **told})


def test_a_part_of_swe_bench_is_not_divided_by_the_whole(tmp_path: Path) -> None:
    """Where most instances have no prediction, they are missing; else wrong, as in the harness."""
    put(tmp_path, {"tiny-a.r1.json": report(30), "tiny-b.r1.json": report(36)})
    [source] = init(tmp_path)["sources"].values()
    assert source["unjudged"] == "wrong"
    put(tmp_path, {"tiny-c.r1.json": report(8)})
    [source] = init(tmp_path, "--force")["sources"].values()
    assert source["unjudged"] == "missing"
    assert {*run(tmp_path, **source).samples["model"]} == {"tiny-a", "tiny-b", "tiny-c"}


def test_names_of_runs_are_not_pooled_as_numbers_are(tmp_path: Path) -> None:
    """Two runs of a model that differ by a word are two settings; by a number, repetitions."""
    named = {f"tiny.{run_}.json": report(40) for run_ in ("base", "tools")}
    put(tmp_path, {**named})
    first = next(iter(init(tmp_path)["figures"].values()))
    assert first["encoding"]["x"] == "run_id"
    for path in named:
        (tmp_path / "logs" / path).unlink()
    put(tmp_path, {f"tiny.run{n}.json": report(40) for n in (1, 2)})
    first = next(iter(init(tmp_path, "--force")["figures"].values()))
    assert (first["encoding"]["x"], first["pool"]) == ("task", ["run_id"])


def test_files_that_tell_no_run_are_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Predictions, and a report that nothing names, beside reports: told, and in no pattern."""
    wanted = {"tiny-a.r1.json": report(40), "tiny-b.r1.json": report(40)}
    predicted = {"instance_id": "a-1", "model_name_or_path": "x", "model_patch": "diff"}
    put(tmp_path, {**wanted, "preds.jsonl": lines([predicted]), "all.json": report(40)})
    [source] = init(tmp_path)["sources"].values()
    assert {*run(tmp_path, **source).samples["log"]} == {f"logs/{path}" for path in wanted}
    said = capsys.readouterr().out
    assert "unread    logs/preds.jsonl: these are predictions, which have no score" in said
    assert "unread    logs/all.json: nothing tells its model: say `set: {model: …}`" in said


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("org__m-4.5.m-4.5-full", ("org/m-4.5", "m-4.5-full")),
        ("m.1.run1", ("m.1", "run1")),
        ("m-4.1.20260102", ("m-4.1", "20260102")),
        ("m.v1.run", ("m.v1", "run")),
    ],
)
def test_points_of_versions_are_not_those_behind_a_model(
    name: str, told: tuple[str, str], tmp_path: Path
) -> None:
    """The name of a report: both the model and the run may have points."""
    (tmp_path / f"{name}.json").write_text(report(40))
    found = run(tmp_path, format="swebench").samples
    assert ({*found["model"]}, {*found["run_id"]}) == ({told[0]}, {told[1]})


def helm(task: str, model: str, **scores: list[float]) -> Files:
    """A run of HELM: a metric → its value for each instance."""
    home = f"{task},model={model}".replace(":,", ":") if ":" in task else f"{task}:model={model}"
    rows = [
        {
            "instance_id": f"id{n}",
            "train_trial_index": 0,
            "stats": [
                {"name": {"name": name, "split": "test"}, "count": 1, "sum": values[n]}
                for name, values in scores.items()
            ],
        }
        for n in range(4)
    ]
    spec = {"name": home, "adapter_spec": {"model": model}}
    return {
        f"{home}/per_instance_stats.json": json.dumps(rows),
        f"{home}/run_spec.json": json.dumps(spec),
    }


def test_tasks_of_helm_are_shown_by_the_metric_of_its_tables(tmp_path: Path) -> None:
    """Though each task has exact_match too: the others by task, the commonest for the rest."""
    none, some = [0.0] * 4, [1.0, 0.0, 0.5, 1.0]
    for model in ("tiny-a", "tiny-b"):
        put(tmp_path, helm("mmlu:subject=x", model, exact_match=[1.0, 0, 0, 0], f1_score=none))
        put(tmp_path, helm("mmlu:subject=y", model, exact_match=[1.0, 1, 0, 0], f1_score=none))
        put(tmp_path, helm("narrative_qa", model, exact_match=none, f1_score=some, bleu_4=none))
        put(tmp_path, helm("wmt_14:pair=z", model, bleu_4=some, exact_match=none))
    written = init(tmp_path)
    [source] = written["sources"].values()
    assert source["metric"] == {
        "narrative_qa": "f1_score",
        "wmt_14:*": "bleu_4",
        "*": "exact_match",
    }
    found = run(tmp_path, **source).samples
    means = {key[0]: frame["score"].mean() for key, frame in found.group_by("task")}
    assert means == {
        "mmlu:subject=x": 0.25,
        "mmlu:subject=y": 0.5,
        "narrative_qa": 0.625,
        "wmt_14:pair=z": 0.625,
    }


def test_details_of_others_are_none_of_opencompass() -> None:
    """Any document may have details, and in it things with a type."""
    recognises = reader("opencompass").recognises
    assert recognises("a.json", b'{"accuracy": 1, "details": {"type": "GEN", "0": {}}}')
    assert not recognises("a.json", b'{"type": "x"}\n{"details": "none", "type": "string"}')


def test_models_of_evalplus_are_called_alike_everywhere() -> None:
    """What a path tells before any job is what the reader tells: the organisation behind a slash."""
    source = entry(format="evalplus")
    told = source.from_path("logs/org--tiny_hf_temp_0.2_eval_results.json")
    assert told == {"model": "org/tiny", "backend": "hf", "temperature": 0.2}
    own = entry(format="evalplus", path="logs/(?P<model>[^/]+)_hf")
    assert own.from_path("logs/org--tiny_hf.json") == {"model": "org--tiny"}


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (["a_temp_0.2.eval_results.json", "b_temp_0.2.eval_results.json"], "*.eval_results.json"),
        (["samples_a_05.678901.jsonl", "samples_b_05.678901.jsonl"], "*.jsonl"),
        (["a.run1.json.gz", "b.run1.json.gz"], "*.json.gz"),
        (["a_v1.5", "b_v1.5"], "*.5"),
    ],
)
def test_patterns_leave_room_for_the_next_run(names: list[str], pattern: str) -> None:
    """What has digits is of these files: the next one has another time or temperature."""
    assert patterns.patterns([f"logs/{name}" for name in names], []) == f"logs/{pattern}"


def test_numbers_that_no_float_holds_are_no_scores(tmp_path: Path) -> None:
    """A result of a program may be any number; it is none of a problem's score."""
    rows: list[dict[str, Any]] = [{"result": 10**400, "ok": n > 1} for n in range(3)]
    assert [one.place for one in scores.candidates(rows)] == ["ok"]
    put(tmp_path, {"a.jsonl": lines([{"id": n, **row} for n, row in enumerate(rows)])})
    assert main(["init", str(tmp_path / "logs"), "--project", str(tmp_path)]) == 0
