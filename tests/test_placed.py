"""What logs of harnesses tell by their path, and what config.yaml says in its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import specimens
from heatproof.config import configuration
from heatproof.util.errors import Error
from reading import entry, lines, reader, reasons, run

if TYPE_CHECKING:
    from pathlib import Path

TRIED = {"hash": "0f", "eval": {"HumanEval/0": [{"base_status": "pass", "plus_status": "pass"}]}}
REPORT = {"resolved_ids": ["a-1"], "unresolved_ids": ["a-2"], "total_instances": 2}
INSTANCE = {"a-1": {"resolved": True, "patch_successfully_applied": True}}
DETAILS = {"details": {"type": "GEN", "0": {"correct": True}}}
PAGES = {"score": 1, "htmls": ["<p>Score: 1</p>"]}
PLAIN = "eval_results.json"


@pytest.mark.parametrize(
    ("form", "path", "told", "model", "task", "more"),
    [
        ("evalplus", f"org--m_vllm_temp_0.2.{PLAIN}", TRIED, "org/m", "humaneval", ("vllm", 0.2)),
        ("evalplus", f"x/m-1_hf_temp_1.0_{PLAIN}", TRIED, "m-1", "humaneval", ("hf", 1.0)),
        ("evalplus", f"m_chat_temp_0.8/{PLAIN}", TRIED, "m_chat", "humaneval", (None, 0.8)),
        ("evalplus", f"a/m-sanitized.{PLAIN}", TRIED, "m", "humaneval", (None, None)),
        ("swebench", "org__m.run-1.json", REPORT, "org/m", "SWE-bench", ("run-1",)),
        ("swebench", "out/m-1.5.v2.json", REPORT, "m-1.5", "SWE-bench", ("v2",)),
        (
            "swebench",
            "logs/run_evaluation/r1/org__m/a-1/report.json",
            INSTANCE,
            "org/m",
            "SWE-bench",
            ("r1",),
        ),
        ("opencompass", "out/results/m-hf/add.json", DETAILS, "m-hf", "add", ()),
        ("simple_evals", "math_m_1_20260102_030405_allresults.json", PAGES, "m_1", "math", ()),
        (
            "simple_evals",
            "x/healthbench_hard_m_20260102_030405_DEBUG_allresults.json",
            PAGES,
            "m",
            "healthbench_hard",
            (),
        ),
    ],
)
def test_names_that_a_harness_gives_are_taken_apart(
    form: str, path: str, told: Any, model: str, task: str, more: tuple[Any, ...], tmp_path: Path
) -> None:
    """Model, task and what else a name tells, in old releases and new ones."""
    specimens.write(tmp_path, {path: json.dumps(told).encode()})
    result = run(tmp_path, format=form)
    assert reasons(result) == []
    names = ["model", "task", *reader(form).Entry.own]
    assert result.samples.select(names).unique().rows() == [(model, task, *more)]


def test_path_and_set_go_before_names(tmp_path: Path) -> None:
    """Groups of a pattern fill columns of their types; so does `set`, which goes first."""
    name = "runs/s7/org--m_vllm_temp_0.2.eval_results.json"
    specimens.write(tmp_path, {name: json.dumps(TRIED).encode()})
    keys: dict[str, Any] = {
        "path": r"s(?P<seed>\d+)/(?P<model>.+)_vllm",
        "set": {"task": "mine", "temperature": 1, "shots": 3},
        "params": {"seed": "int", "shots": "int"},
    }
    found = run(tmp_path, format="evalplus", **keys).samples
    names = ("model", "task", "temperature", "seed", "shots", "backend")
    assert found.select(names).rows() == [("org--m", "mine", 1.0, 7, 3, None)]
    assert entry(format="evalplus", **keys).from_path(name) == {
        "model": "org--m", "seed": 7, "task": "mine", "temperature": 1.0, "shots": 3,
    }  # fmt: skip
    assert entry(format="evalplus", **keys).from_path("other") is None


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {},
            (
                "nothing tells its model: say `set: {model: …}` in config.yaml, or a group "
                "`(?P<model>…)` in `path`"
            ),
        ),
        ({"path": "no/(?P<model>x)"}, "the path does not match 'no/(?P<model>x)'"),
        (
            {"path": "(?P<seed>report)", "params": {"seed": "int"}},
            "seed: 'report' is not int",
        ),
        ({"path": "(?P<model>report)", "params": {"seed": "int"}}, ""),
    ],
)
def test_a_log_that_nothing_names_is_refused(
    keys: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """With the two ways to name it."""
    specimens.write(tmp_path, {"report.json": json.dumps(REPORT).encode()})
    assert reasons(run(tmp_path, format="swebench", **keys)) == ([said] if said else [])


@pytest.mark.parametrize("form", ["evalplus", "openai_evals", "opencompass", "simple_evals"])
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"path": "("}, ".path: '(' is not a regular expression"),
        ({"path": "(?P<modl>x)"}, ".path.modl: 'modl' is not a column; there are model, task"),
        ({"set": {"seed": 1}}, ".set.seed: 'seed' is not a column; there are model, task"),
        ({"set": {"s": "x"}, "params": {"s": "int"}}, ".set.s: 'x' is not a whole number"),
    ],
)
def test_what_no_column_can_be_filled_with_is_told(
    form: str, keys: dict[str, Any], said: str
) -> None:
    """Before any log is looked at."""
    with pytest.raises(Error) as error:
        configuration.read({"sources": {"s": {"format": form, "logs": "*", **keys}}})
    assert f"config.yaml: sources.s{said}" in str(error.value)


def test_settings_of_a_run_are_found_in_its_spec(tmp_path: Path) -> None:
    """Of OpenAI evals in the arguments of the eval, and in the settings of the call."""
    spec = {
        "completion_fns": ["m", "judge"],
        "eval_name": "add.dev.v0",
        "run_config": {"seed": 7, "eval_spec": {"args": {"shots": 3}}},
    }
    event = {"sample_id": 1, "type": "match", "data": {"correct": True}}
    specimens.write(tmp_path, {"a.jsonl": lines([{"spec": spec}, event])})
    keys: dict[str, Any] = {"format": "openai_evals", "params": {"seed": "int", "shots": "int"}}
    found = run(tmp_path, **keys).samples.select("model", "task", "seed", "shots")
    assert found.rows() == [("m,judge", "add.dev.v0", 7, 3)]
    keys["params"] = {"seed": "bool"}
    assert reasons(run(tmp_path, **keys)) == ["seed: 7 is not bool"]
