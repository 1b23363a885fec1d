"""evalplus, swebench, openai_evals, opencompass, lighteval, mt_bench, simple_evals: every shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import specimens
from heatproof.config import configuration
from heatproof.readers.api import Declared, Log
from heatproof.samples import systematic
from heatproof.util.errors import Error
from reading import entry, lines, reader, reasons, run, table

if TYPE_CHECKING:
    from pathlib import Path

TIME = "2026-01-02T03-04-05.678901"


def read(root: Path, path: str, told: Any, form: str, **keys: Any) -> Any:
    """One log, read as a source of its own."""
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    specimens.write(root, {path: data})
    return run(root, format=form, **keys)


def rows(result: Any, *names: str) -> list[tuple[Any, ...]]:
    return result.samples.select("sample_id", "epoch", *names, "score").rows()  # type: ignore[no-any-return]


def declared(root: Path, path: str, **keys: Any) -> list[Declared]:
    """What a log declares."""
    source: Any = entry(**keys)
    parts = reader(keys["format"]).read(Log(path, root, source), source)
    return [part for part in parts if isinstance(part, Declared)]


PLUS = "m.eval_results.json"


def tried(**problems: list[tuple[Any, Any]]) -> dict[str, Any]:
    told = {
        f"HumanEval/{name}": [{"base_status": base, "plus_status": plus} for base, plus in held]
        for name, held in problems.items()
    }
    return {"hash": "0f", "eval": told}


@pytest.mark.parametrize(("tests", "scores"), [("plus", [1, 0, 0, 0]), ("base", [1, 1, 0, 0])])
def test_evalplus_counts_the_tests_that_are_asked_for(
    tests: str, scores: list[float], tmp_path: Path
) -> None:
    """With the extra tests an attempt must pass the base tests, too; a timeout is wrong."""
    told = tried(a=[("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("timeout", "timeout")])
    result = read(tmp_path, PLUS, told, "evalplus", tests=tests)
    assert rows(result, "scorer") == [
        ("HumanEval/a", epoch, tests, score) for epoch, score in enumerate(scores)
    ]


@pytest.mark.parametrize("size", ["nfiles", "files"])
def test_evalplus_results_of_2023_hold_lists_side_by_side(size: str, tmp_path: Path) -> None:
    """A status with its details for each attempt, in words of that time."""
    base = [["success", [True]], ["success", []], ["failed", []]]
    plus = [["success", [True]], ["timed out", []], ["failed", []]]
    told = {"eval": {"HumanEval_7": {size: 3, "base": base, "plus": plus}}}
    result = read(tmp_path, PLUS, told, "evalplus")
    assert rows(result, "task") == [
        ("HumanEval_7", epoch, "humaneval", score) for epoch, score in enumerate([1, 0, 0])
    ]
    told["eval"]["HumanEval_7"]["plus"] = []
    assert len(read(tmp_path, PLUS, told, "evalplus", tests="base").samples) == 3
    assert (
        reasons(run(tmp_path, format="evalplus"))
        == ["only the base tests were run (`tests: base` in config.yaml)"] * 3
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (tried(a=[("maybe", "pass")]), "base_status: 'maybe' is neither pass nor fail"),
        (tried(a=[(1, "pass")]), "Expected `str | null`, got `int` - at `$.base_status`"),
        (tried(a=[]), "the problem has no attempt"),
        ({"eval": {}}, "the log holds no problems"),
        ({"hash": ""}, "the document has no 'eval': no results of EvalPlus"),
        ({"eval": {"a/1": {"base": [["pass"]], "plus": [["pass"]] * 2}}}, "1 attempts at base, 2"),
        ({"eval": {"a/1": {"base": []}}}, "the problem has no attempt"),
    ],
)
def test_evalplus_attempts_without_an_outcome_are_refused(
    told: Any, said: str, tmp_path: Path
) -> None:
    """One by one, or the log where it has none."""
    [reason] = reasons(read(tmp_path, PLUS, told, "evalplus"))
    assert reason.startswith(said)


LISTS = {
    "total_instances": 9,
    "resolved_ids": ["a-1", "a-2"],
    "unresolved_ids": ["a-3", "a-4", "a-5"],
    "infra_failure_ids": ["a-4"],
    "ambiguous_failure_ids": ["a-5"],
    "empty_patch_ids": ["a-6"],
    "error_ids": ["a-7"],
    "incomplete_ids": ["a-8", "a-9"],
}


def test_swebench_judges_what_can_be_judged(tmp_path: Path) -> None:
    """No patch is wrong; an error or a failed machine is missing, and so is no prediction."""
    result = read(tmp_path, "m.r.json", LISTS, "swebench")
    scores = {"a-1": 1, "a-2": 1, "a-3": 0, "a-6": 0}
    assert rows(result, "scorer") == [(name, 0, "resolved", s) for name, s in scores.items()]
    said = "sample ended in an error: it is told under"
    assert sorted(reasons(result)) == [
        f"{said} {kind}_ids" for kind in ("ambiguous_failure", "error", "infra_failure")
    ]
    assert all(systematic.OWN_WORD.match(reason) for reason in reasons(result))
    [one] = declared(tmp_path, "m.r.json", format="swebench")
    assert (one.samples, sorted(one.each)) == (9, [f"a-{n}" for n in range(1, 10)])


def test_swebench_can_count_as_its_harness_does(tmp_path: Path) -> None:
    """Of all instances, whatever became of them."""
    result = read(tmp_path, "m.r.json", LISTS, "swebench", unjudged="wrong")
    assert rows(result, "scorer") == [
        (f"a-{n}", 0, "resolved of all", float(n < 3)) for n in range(1, 10)
    ]


def test_swebench_reports_of_instances_are_one_run(tmp_path: Path) -> None:
    """Each in a file of its own, or many in one, with what they cost."""
    for name, more in (
        ("a-1", {"resolved": True}),
        ("a-2", {"resolved": False, "infra_failure": True}),
    ):
        path = f"logs/run_evaluation/r1/org__m/{name}/report.json"
        result = read(tmp_path, path, {name: more}, "swebench")
    assert rows(result, "run") == [("a-1", 0, "logs/run_evaluation/r1/org__m", 1.0)]
    assert reasons(result) == ["sample ended in an error: it is told under infra_failure"]
    told = {"a-1": {"resolved": False, "cost": 0.5, "api_calls": 7}, "a-2": {"cost": 1}}
    result = read(tmp_path / "x", "d.json", told, "swebench", set={"model": "m"})
    assert rows(result, "cost", "api_calls") == [("a-1", 0, 0.5, 7.0, 0.0)]
    assert reasons(result) == ["it does not say whether the instance is resolved"]


def test_swebench_older_reports_list_each_step(tmp_path: Path) -> None:
    """What was generated and never applied was no answer; without logs nothing is known."""
    told = {
        "no_generation": ["a-1"],
        "generated": ["a-2", "a-3", "a-4", "a-5"],
        "with_logs": ["a-2", "a-3", "a-4"],
        "no_apply": ["a-4"],
        "applied": ["a-2", "a-3"],
        "resolved": ["a-2"],
    }
    result = read(tmp_path, "m.r.json", told, "swebench")
    assert rows(result) == [("a-1", 0, 0.0), ("a-2", 0, 1.0), ("a-3", 0, 0.0), ("a-4", 0, 0.0)]
    assert reasons(result) == ["sample ended in an error: it is told under generated"]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            b'{"instance_id": "a-1", "model_patch": "x"}\n',
            ("these are predictions, which have no score: the harness writes it to "
            "{model}.{run_id}.json when it evaluates them"),
        ),
        (
            {"no_generation": [], "no_logs": [], "resolved": ["a-1"]},
            ("it names the instances that were resolved, but not all that were tried: "
            "read report.json of the instances, or per_instance_details.json"),
        ),
        ({}, "the log holds no instances"),
        ({"resolved_ids": [1.5]}, "Expected `int | str`, got `float`"),
        ({"a": 1}, "Expected `object`, got `int`"),
        (
            LISTS | {"unresolved_ids": ["a-1"], "error_ids": [], "infra_failure_ids": [],
                     "ambiguous_failure_ids": []},
            "the instance is in resolved_ids, and in a list of others",
        ),
    ],
)  # fmt: skip
def test_swebench_files_that_do_not_tell_are_refused(told: Any, said: str, tmp_path: Path) -> None:
    """With what there is to read in their place."""
    assert reasons(read(tmp_path, "m.r.json", told, "swebench")) == [said]


SPEC = {"spec": {"completion_fns": ["m"], "eval_name": "add.dev.v0"}}


def event(sample: Any, kind: str = "match", **data: Any) -> dict[str, Any]:
    return {"sample_id": sample, "type": kind, "data": data}


def test_openai_evals_pass_over_other_events(tmp_path: Path) -> None:
    """Of those that count each further one of a problem is a repetition, also a refused one."""
    told = [
        SPEC,
        event("a", "sampling", prompt="?"),
        event("a", correct=True),
        event("a", correct="yes"),
        event("a", correct=False),
        event("b", picked="1"),
        {"final_report": {"accuracy": 1}},
    ]
    result = read(tmp_path, "a.jsonl", lines(told), "openai_evals")
    assert rows(result, "scorer") == [("a", 0, "correct", 1.0), ("a", 2, "correct", 0.0)]
    assert reasons(result) == [
        "correct: 'yes' is not a number",
        "the event has no 'correct' (`score` in config.yaml); there are picked",
    ]


def test_openai_evals_may_be_scored_by_other_events(tmp_path: Path) -> None:
    """Their type and key are named; a run that holds none tells which types there are."""
    told = lines([SPEC, event("a", "metrics", f1=0.5), event("b", "metrics", f1=70)])
    keys: dict[str, Any] = {"event": "metrics", "score": "f1"}
    result = read(tmp_path, "a.jsonl", told, "openai_evals", **keys, range=[0, 100])
    assert rows(result, "scorer") == [("a", 0, "f1", 0.005), ("b", 0, "f1", 0.7)]
    said = "no event is of type 'match' (`event`); there are metrics"
    assert reasons(run(tmp_path, format="openai_evals")) == [said]
    result = read(tmp_path / "x", "a.jsonl", lines([event("a", correct=True)]), "openai_evals")
    assert reasons(result) == ["no line with the spec of the run is before it"]


def test_openai_evals_of_two_runs_in_one_file_stay_apart(tmp_path: Path) -> None:
    """Each specification begins a run."""
    other = {"spec": {"completion_fns": ["n"], "eval_name": "add.dev.v0"}}
    told = [SPEC, event("a", correct=True), other, event("a", correct=False)]
    result = read(tmp_path, "a.jsonl", lines(told), "openai_evals")
    assert rows(result, "model") == [("a", 0, "m", 1.0), ("a", 0, "n", 0.0)]


@pytest.mark.parametrize(
    ("details", "found"),
    [
        ([{"example_abbr": "x_1", "correct": [True, False]}], [("x_1", 0, 1), ("x_1", 1, 0)]),
        ([{"example_abbr": "x_1", "is_correct": [True]}], [("x_1", 0, 1)]),
        ({"type": "PPL", "3": {"correct": False, "is_correct": True}}, [("3", 0, 0)]),
        ([{"cascade_correct": True}, {"correct": False}], [("0", 0, 1), ("1", 0, 0)]),
    ],
)
def test_opencompass_details_have_two_shapes(
    details: Any, found: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    """A list with the values of all replicas, or an object with one problem under each number."""
    result = read(tmp_path, "results/m/add.json", {"details": details}, "opencompass")
    assert rows(result) == found


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            {"accuracy": 60.0},
            (
                "it holds aggregates alone: OpenCompass writes the problems too if it is run with "
                "--dump-eval-details"
            ),
        ),
        ({"details": {"type": "GEN"}}, "the log holds no problems"),
        (
            {"details": {"0": {"pred": "1"}}},
            (
                "the problem has none of correct, is_correct, cascade_correct (`score` in "
                "config.yaml); there are pred"
            ),
        ),
        ({"details": [{"correct": []}]}, "correct is an empty list"),
        ({"details": [{"correct": ["yes"]}]}, "correct: 'yes' is not true, false or a number"),
        ({"details": [{"correct": [None]}]}, "score is missing"),
    ],
)
def test_opencompass_problems_without_a_grade_are_refused(
    told: Any, said: str, tmp_path: Path
) -> None:
    """Aggregates are no samples: what would give them is told."""
    assert reasons(read(tmp_path, "results/m/add.json", told, "opencompass")) == [said]


def detail(name: str, **metric: Any) -> dict[str, Any]:
    return {"doc": {"id": name}, "metric": metric}


LIGHT = f"details/org/m/{TIME}/details_add|5_{TIME}.parquet"


@pytest.mark.parametrize(
    ("path", "model"),
    [
        (LIGHT, "org/m"),
        (f"out/details/m/{TIME}/details_lighteval|add|5_{TIME}.parquet", "m"),
        (f"hub/details_org__m/{TIME}/details_harness|add|5|0_{TIME}.parquet", "org/m"),
        (f"a/b/{TIME}/details_add|5_{TIME}.parquet", "b"),
    ],
)
def test_lighteval_names_of_all_releases_are_known(path: str, model: str, tmp_path: Path) -> None:
    """With a suite in front of the task or without, on a disk and on the Hub."""
    result = read(tmp_path, path, table([detail("7", em=1.0)]), "lighteval")
    assert rows(result, "model", "task", "shots", "scorer") == [
        ("7", 0, model, "add", 5, "em", 1.0)
    ]


def test_lighteval_settings_and_sizes_are_in_the_file_of_the_run(tmp_path: Path) -> None:
    """Below generation parameters first; of a task as many problems as were asked for."""
    told = {
        "config_general": {
            "model_name": "org/long",
            "model_config": {"generation_parameters": {"temperature": 0.5}, "dtype": "x"},
        },
        "config_tasks": {"add": {"original_num_docs": 9, "effective_num_docs": 4}},
    }
    for place in (f"results/org/m/results_{TIME}.json", f"details/org/m/results_{TIME}.json"):
        root = tmp_path / place.split("/", 1)[0]
        specimens.write(root, {place: json.dumps(told).encode()})
        keys: dict[str, Any] = {"params": {"temperature": "float", "dtype": "str"}}
        result = read(root, LIGHT, table([detail("7", em=1.0)]), "lighteval", **keys)
        assert rows(result, "model", "temperature", "dtype") == [
            ("7", 0, "org/long", 0.5, "x", 1.0)
        ]
        [one] = declared(root, LIGHT, format="lighteval", **keys)
        assert (one.samples, one.part, one.shared["scorer"]) == (4, (4, 9), "em")
    specimens.write(root, {place: b"{"})
    assert reasons(run(root, format="lighteval"))[0].startswith(f"{place}: the document ends too")


def test_lighteval_rows_of_older_releases_are_numbered(tmp_path: Path) -> None:
    """Their metrics may be text as Python writes it; what is none is refused."""
    texts = ["{'em': np.float64(1.0)}", "{'em': 0}", "{'em': 'x'}", "no", None]
    told = table([{"example": "?", "metrics": text} for text in texts])
    result = read(tmp_path, LIGHT, told, "lighteval")
    assert rows(result) == [("1", 0, 1.0), ("2", 0, 0.0)]
    assert reasons(result) == [
        "em: 'x' is not a number",
        "its metrics are no numbers: 'no'",
        "the row has no metric: no details of lighteval",
    ]


def test_lighteval_needs_a_choice_among_several_metrics(tmp_path: Path) -> None:
    """By name, by preference or by task, as lm_eval."""
    told = table([detail("7", em=1.0, f1=0.5)])
    with pytest.raises(Error, match=r"sources.test.metric: .* has several, name one; there are em"):
        read(tmp_path, LIGHT, told, "lighteval")
    for metric, score in (("f1", 0.5), (["no", "em"], 1.0), ({"a*": "f1"}, 0.5)):
        assert rows(run(tmp_path, format="lighteval", metric=metric)) == [("7", 0, score)]
    assert entry(format="lighteval", metric=["em"]).chooses()


def judged(question: int, score: Any, turn: int = 1) -> dict[str, Any]:
    judge = ["judge-x", "single-v1"]
    return {
        "question_id": question, "model": "m", "judge": judge, "score": score, "turn": turn,
    }  # fmt: skip


def test_mt_bench_scores_have_a_range_of_their_own(tmp_path: Path) -> None:
    """A judgment that failed is missing, by its own word; other numbers are named as they are."""
    told = [judged(81, 10), judged(81, 5.5, 2), judged(82, -1), judged(83, 11), judged(84, None)]
    path = "bench-x/model_judgment/judge-x_single.jsonl"
    result = read(tmp_path, path, lines(told), "mt_bench")
    assert rows(result, "model", "task", "judge", "turn", "scorer") == [
        ("81", 0, "m", "bench-x", "judge-x", 1, "score", 1.0),
        ("81", 0, "m", "bench-x", "judge-x", 2, "score", 0.5),
    ]
    assert reasons(result) == [
        "the sample has no score: the judge gave none, which is told as -1",
        "score 11 is not between 1 and 10",
        "score is missing",
    ]
    assert systematic.OWN_WORD.match(reasons(result)[0])


@pytest.mark.parametrize(
    ("games", "scores"),
    [
        (("model_1", "model_1"), (1.0, 0.0)),
        (("model_2", "model_2"), (0.0, 1.0)),
        (("tie", "tie"), (0.5, 0.5)),
        (("model_1", "model_2"), (0.5, 0.5)),
        (("tie", "model_1"), (0.5, 0.5)),
        (("error", "model_1"), ()),
        (("model_1", "me"), ()),
        (("model_1", None), ()),
    ],
)
def test_mt_bench_pairs_are_a_sample_of_each_model(
    games: tuple[str, str], scores: tuple[float, ...], tmp_path: Path
) -> None:
    """A model wins if it does so in both orders; else it is half a win for each."""
    told = {"question_id": 81, "model_1": "m", "model_2": "n", "judge": "j", "turn": 2}
    told |= {"g1_winner": games[0], "g2_winner": games[1]}
    result = read(tmp_path, "j_pair.jsonl", lines([told]), "mt_bench")
    pair = zip(("m", "n"), ("n", "m"), scores, strict=False)
    assert rows(result, "model", "opponent", "scorer") == [
        ("81", 0, model, other, "wins", score) for model, other, score in pair
    ]
    assert len(reasons(result)) == (not scores)


ALL = "math_m_20260102_030405_allresults.json"


def test_simple_evals_scores_stand_in_the_pages(tmp_path: Path) -> None:
    """The last one counts; what a model wrote is escaped, and is none."""
    pages = [
        "<p>&lt;p&gt;Score: 1&lt;/p&gt;</p><p>Score: 0.0</p>",
        "<p>Score: True</p>",
        "<p>Score: None</p>",
        "<p>Score: 1 of 2</p>",
        "<p>none</p>",
        "<p>Score: 0.25</p>",
    ]
    result = read(tmp_path, ALL, {"score": 0.5, "htmls": pages}, "simple_evals")
    assert rows(result) == [("0", 0, 0.0), ("1", 0, 1.0), ("5", 0, 0.25)]
    none = "the sample has no score: its page tells none"
    assert reasons(result) == [none, "score: '1 of 2' is not a number", none]


def test_simple_evals_repeats_are_epochs(tmp_path: Path) -> None:
    """The data set stands several times, one behind the other; an odd number is refused."""
    pages = [f"<p>Score: {n % 2}</p>" for n in (0, 1, 1, 1, 0, 0)]
    result = read(tmp_path, ALL, {"htmls": pages}, "simple_evals", repeats=2)
    assert rows(result) == [
        ("0", 0, 0), ("0", 1, 1), ("1", 0, 1), ("1", 1, 0), ("2", 0, 1), ("2", 1, 0),
    ]  # fmt: skip
    result = run(tmp_path, format="simple_evals", repeats=4)
    assert reasons(result) == ["6 answers are no 4 repeats (`repeats`)"]
    keys = {"format": "simple_evals", "logs": "*", "repeats": 0}
    with pytest.raises(Error, match=r"sources\.s\.repeats: 0 is not 1 or more"):
        configuration.read({"sources": {"s": keys}})


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"score": 1}, "it has no 'htmls': only files named …_allresults.json tell single answers"),
        ({"htmls": []}, "the log holds no answers"),
        ({"htmls": [1]}, "Expected `str`, got `int`"),
    ],
)
def test_simple_evals_without_pages_are_refused(told: Any, said: str, tmp_path: Path) -> None:
    """Only one of the files that are written tells single answers."""
    assert reasons(read(tmp_path, ALL, told, "simple_evals")) == [said]


def test_harnesses_say_what_their_logs_have(tmp_path: Path) -> None:
    """Settings of a run, and metrics among which one is to be named."""
    specimens.write(tmp_path, specimens.SOURCES["lighteval"][0])
    specimens.write(tmp_path, specimens.SOURCES["openai_evals"][0])
    path = LIGHT
    told = {}
    for form, log in (("lighteval", path), ("openai_evals", "a.jsonl")):
        source: Any = entry(format=form)
        told[form] = reader(form).offer(Log(log, tmp_path, source), source)
    assert told["lighteval"].choices == {"metric": ["em", "f1"]}
    assert {"temperature": 0.5} in told["lighteval"].settings
    assert {"seed": 7} in told["openai_evals"].settings
