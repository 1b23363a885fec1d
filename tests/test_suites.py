"""lm_eval: suites whose tasks have other filters and metrics; the choice among them, and its words."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import polars as pl
import pytest

from heatproof.config import configuration
from heatproof.printed import moments, pairing
from heatproof.readers import lm_eval_format, preferences
from heatproof.samples import scorers
from heatproof.util.errors import Error
from reading import entry, lines, run

TIME = "2026-01-02T03-04-05.678901"
TASKS = {
    "arith": {"exact_match,strict-match": [1, 0, 0], "exact_match,flexible-extract": [1, 1, 0]},
    "pick": {"acc,none": [1, 0, 1, 1], "acc_norm,none": [0, 0, 1, 1]},
    "follow": {"prompt_acc,none": [True, False], "inst_acc,none": [[True, False], [False]]},
    "only": {"f1,none": [0.5, 0.25]},
}
"""Task → metric and filter → the value of each problem."""


def suite(root: Path) -> None:
    """The logs of a run on all tasks, with what the harness prints of them.

    Means and errors as `lm_eval/api/metrics.py` has them: of a sample, n - 1 below.
    """
    results: dict[str, dict[str, Any]] = {}
    for task, columns in TASKS.items():
        rows: dict[tuple[int, str], dict[str, Any]] = {}
        results[task] = {"alias": task}
        for name, values in columns.items():
            metric, _, chosen = name.partition(",")
            for number, value in enumerate(values):
                blank = {"doc_id": number, "target": "1", "arguments": [], "filter": chosen}
                rows.setdefault((number, chosen), blank | {"resps": [["1"]]})[metric] = value
            if not isinstance(values[0], list):
                error = stdev(map(float, values)) / len(values) ** 0.5
                told = {name: mean(map(float, values)), f"{metric}_stderr,{chosen}": error}
                results[task] |= told
            else:
                results[task][name] = 0.5
        (root / f"samples_{task}_{TIME}.jsonl").write_bytes(lines([*rows.values()]))
    told = {"results": results, "config": {"model_args": "pretrained=m"}, "configs": {}}
    (root / f"results_{TIME}.json").write_text(json.dumps(told))


BY_TASK = {"arith": "strict-match"}
BEST = ["acc_norm", "prompt_acc", "exact_match"]
CHOICES: list[tuple[dict[str, Any], dict[str, str]]] = [
    (
        {"filter": BY_TASK, "metric": BEST},
        {"arith": "exact_match,strict-match", "pick": "acc_norm,none", "follow": "prompt_acc,none"},
    ),
    (
        {"filter": ["flexible-extract"], "metric": {"pick": "acc", "f*": ["no", "prompt_acc"]}},
        {"arith": "exact_match,flexible-extract", "pick": "acc,none", "follow": "prompt_acc,none"},
    ),
    (
        {
            "filter": {"*": ["no", "strict-match"]},
            "metric": {"*i*": ["acc", "acc_norm"], "pick": "acc_norm", "follow": "prompt_acc"},
        },
        {"arith": "exact_match,strict-match", "pick": "acc_norm,none", "follow": "prompt_acc,none"},
    ),
]


@pytest.mark.parametrize(("keys", "scored"), CHOICES)
def test_tasks_of_a_suite_are_scored_each_by_its_own_metric(
    keys: dict[str, Any], scored: dict[str, str], tmp_path: Path
) -> None:
    """By task, pattern or preference; the only one of a task has no name. Values are the logs'."""
    suite(tmp_path)
    result = run(tmp_path, format="lm_eval", logs="samples_*", **keys)
    assert len(result.rejected) == 0
    wanted = scored | {"only": "f1,none"}
    found = result.samples.group_by("task", "scorer").agg(pl.col("score")).sort("task")
    assert {task: scorer for task, scorer, _ in found.rows()} == wanted
    for task, scorer, scores in found.rows():
        assert scores == TASKS[task][scorer]


def test_means_of_a_suite_are_those_that_the_harness_prints(tmp_path: Path) -> None:
    """Of each chosen metric, value and standard error; what is not chosen is only counted."""
    suite(tmp_path)
    keys: dict[str, Any] = {"format": "lm_eval", "logs": "samples_*", **CHOICES[0][0]}
    result = run(tmp_path, **keys)
    result.samples.write_parquet(tmp_path / "t.parquet")
    paths = sorted({*result.samples["log"]})
    told = pairing.read(paths, tmp_path, entry(**keys), lm_eval_format.printed)
    compared, others = pairing.compare(
        told, moments.gather([tmp_path / "t.parquet"], ["first"]), {}
    )
    assert [one.agree for one in compared] == [True] * 8
    assert others == 5


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, "filter: .*arith.* has several, name one; there are flexible-extract, strict-match"),
        ({"filter": BY_TASK}, "metric: .*follow.* has several, name one; there are inst_acc, pr"),
        (
            {"filter": "strict-match", "metric": BEST},
            (
                r"filter: 'strict-match' is not a filter of .*follow.*; there are 'none'; "
                r"where tasks differ, a list names several: filter: \[strict-match, none\]"
            ),
        ),
        (
            {"filter": BY_TASK, "metric": ["acc", "no"]},
            "metric: .*follow.* has several and none of acc, no; there are inst_acc, prompt_acc",
        ),
        (
            {"filter": {"arith": "strct-match"}, "metric": BEST},
            r".*did you mean 'strict-match'\?\)$",
        ),
    ],
)
def test_what_is_left_open_or_is_not_there_stops_the_run(
    keys: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """With the key, the log, the names there are, and what to write."""
    suite(tmp_path)
    with pytest.raises(Error, match=f"config.yaml: sources.test.{said}"):
        run(tmp_path, format="lm_eval", logs="samples_*", **keys)


def test_a_metric_that_only_one_filter_has_tells_the_filter() -> None:
    """Where nothing is said of filters; a filter that is named is not doubted."""
    pairs = [("acc", "none"), ("em", "strict"), ("em", "loose")]
    assert preferences.narrowed(pairs, "acc", None) == ["none"]
    assert preferences.narrowed(pairs, ["f1", "em", "acc"], None) == ["loose", "strict"]
    assert preferences.narrowed(pairs, ["f1"], None) == ["loose", "none", "strict"]
    assert preferences.narrowed(pairs, "acc", "none") == ["loose", "none", "strict"]


@pytest.mark.parametrize(
    ("key", "wrong", "said"),
    [
        ("metric", [], ".metric: lists no name"),
        ("filter", {"a": []}, ".filter.a: lists no name"),
        ("filter", ["a", "b", "a"], ".filter: 'a' stands twice"),
        ("metric", 3, ".metric: 3 is not text, a list or a mapping"),
        ("metric", {"a": 3}, ".metric.a: 3 is not text or a list"),
    ],
)
def test_a_preference_that_says_nothing_is_told(key: str, wrong: Any, said: str) -> None:
    """Before any log is looked at."""
    with pytest.raises(Error) as error:
        configuration.read({"sources": {"s": {"format": "lm_eval", "logs": "*", key: wrong}}})
    assert f"config.yaml: sources.s{said}" in str(error.value)


def test_the_choice_is_told_with_its_tasks() -> None:
    """A line for each scorer, its first tasks by name; a choice for no task is told as such."""
    keys: dict[str, Any] = {"format": "lm_eval", "logs": "*"}
    source = entry(**keys, metric={"mmlu_*": "acc", "arth": "em"}, filter="none")
    assert source.chooses()
    assert not entry(**keys, metric="acc", filter="none").chooses()
    rows = [{"scorer": "acc,none", "task": f"mmlu_{n}"} for n in range(8)]
    rows += [{"scorer": "em,none", "task": "arith"}] * 2
    assert [*scorers.words("lm", source, pl.LazyFrame(rows))] == [
        "scored by acc,none: mmlu_0, mmlu_1, mmlu_2, mmlu_3, mmlu_4, mmlu_5, 2 other tasks",
        "scored by em,none: arith",
        "config.yaml: sources.lm.metric.arth: no sample is of task 'arth'; there are arith, "
        + ", ".join(f"mmlu_{n}" for n in range(8))
        + " (did you mean 'arith'?)",
    ]
