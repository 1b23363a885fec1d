"""lm_eval: each repeat of lm-evaluation-harness graded, its settings and reruns known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from heatproof.readers import faults, lm_eval_format
from heatproof.readers import lm_eval_grades as filters
from heatproof.readers import lm_eval_grades as match
from heatproof.readers.api import Declared, Log
from heatproof.util.errors import Error
from reading import entry, lines, reasons, run, traced

if TYPE_CHECKING:
    from pathlib import Path

TIME = "2026-01-02T03-04-05.678901"
FIRST = {"name": "take_first", "filter": [{"function": "take_first"}]}
VOTE = {"name": "maj", "filter": [{"function": "majority_vote"}, {"function": "take_first"}]}
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


def amend(root: Path, **keys: Any) -> None:
    """Other keys in the results file."""
    path = root / "tiny" / f"results_{TIME}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


def read(root: Path, **keys: Any) -> Any:
    return run(root, **{"format": "lm_eval", "logs": "**/samples_*.jsonl"} | keys)


def test_each_repeat_is_an_epoch_with_its_own_grade(tmp_path: Path) -> None:
    """The stored metric covers the first repeat; the others are graded, and marked as graded."""
    write(tmp_path, [record(7, ["1", "2", "1"]), record(8, ["2", "1", "1"])])
    result = read(tmp_path)
    assert result.samples.select("sample_id", "epoch", "score", "graded").rows() == [
        ("7", 0, 1.0, False),
        ("7", 1, 0.0, True),
        ("7", 2, 1.0, True),
        ("8", 0, 0.0, False),
        ("8", 1, 1.0, True),
        ("8", 2, 1.0, True),
    ]
    assert result.samples["scorer"].unique().to_list() == ["exact_match,take_first"]
    assert [r["doc_id"] for r in traced(result, tmp_path)] == [7, 7, 7, 8, 8, 8]


def test_repeats_can_be_left_to_the_harness(tmp_path: Path) -> None:
    """`repeats: stored` takes one epoch a problem, with the stored metric."""
    write(tmp_path, [record(7, ["1", "2", "1"])])
    assert read(tmp_path, repeats="stored").samples["score"].to_list() == [1.0]


@pytest.mark.parametrize("resps", [[], ["11"], [["1"], ["1"]], [[1, 1]], [["1"]]])
def test_what_tells_no_repeats_is_one_answer(resps: list[Any], tmp_path: Path) -> None:
    """With the score that is stored."""
    write(tmp_path, [record(1, ["1"]) | {"resps": resps}])
    assert read(tmp_path).samples.select("epoch", "score", "graded").rows() == [(0, 1.0, False)]


def test_filters_that_change_answers_are_applied_to_each_repeat(tmp_path: Path) -> None:
    """A regex filter is applied to the repeats that the harness left unfiltered."""
    one = record(1, ["is 1", "is 2", "none", "1!"], "digits", filtered_resps=["1"], exact_match=1)
    write(tmp_path, [one], filters=(DIGITS,))
    assert read(tmp_path).samples["score"].to_list() == [1.0, 0.0, 0.0, 1.0]


def test_repeats_that_are_stored_filtered_are_taken(tmp_path: Path) -> None:
    """A filter that is not known here does no harm where its answers stand in the log."""
    odd = {"name": "odd", "filter": [{"function": "own"}]}
    one = record(1, ["a", "b", "c"], "odd", filtered_resps=[["1", "2", "1"]], exact_match=1.0)
    write(tmp_path, [one], filters=(odd,))
    assert read(tmp_path).samples["score"].to_list() == [1, 0, 1]


@pytest.mark.parametrize(
    ("rules", "answer", "score"),
    [
        ({}, "a1.", 0), ({}, "A1", 1),
        ({"ignore_case": True}, "a1", 1), ({"ignore_case": True}, "a1.", 0), ({"ignore_case": True}, "ß", 0),
        ({"ignore_punctuation": True}, "A,1.", 1), ({"ignore_punctuation": True}, "A2", 0),
        ({"ignore_numbers": True}, "A23", 1), ({"ignore_numbers": True}, "A.", 0),
        ({"regexes_to_ignore": [",", r"\$"]}, "$A,1", 1), ({"regexes_to_ignore": ","}, "A,1", 0),
        ({"regexes_to_ignore": ["[a-z]"], "ignore_case": True}, "yA1", 1),
    ],
)  # fmt: skip
def test_answers_are_compared_by_the_rules_of_the_metric(
    rules: dict[str, Any], answer: str, score: float
) -> None:
    """Case, signs, digits and patterns are left out of both texts where the metric says so."""
    assert match.exact(answer, ["z", "A1", "SS"], rules) == score


def test_a_pattern_to_ignore_that_is_none_is_told() -> None:
    """It stands in the results file."""
    with pytest.raises(Error, match=r"the metric ignores '\[', no regular expression"):
        match.exact("1", ["1"], {"regexes_to_ignore": ["["]})


@pytest.mark.parametrize(
    ("target", "read"),
    [
        ([1, "b"], [["1", "b"]]),
        ("a", [["a"]]),
        (7, [["7"]]),
        ("['a', 2]", [["['a', 2]"], ["a", "2"]]),
        ("[]", [["[]"]]),
        ("[a]", [["[a]"]]),
        ("[" + "1," * match.LONGEST + "]", [["[" + "1," * match.LONGEST + "]"]]),
        ("[0" + " " * (match.LONGEST - 3) + "]", [["[0" + " " * (match.LONGEST - 3) + "]"], ["0"]]),
    ],
)
def test_targets_are_a_text_or_a_list(target: Any, read: list[list[str]]) -> None:
    """A text that looks like a list may be either."""
    assert match.targets(target) == read


@pytest.mark.parametrize(
    ("given", "answer", "kept"),
    [
        ({"function": "remove_whitespace"}, " a ", "a "),
        ({"function": "lowercase"}, "Ab", "ab"),
        ({"function": "uppercase"}, "Ab", "AB"),
        ({"function": "regex"}, "so #### -1,2.5", "-1,2.5"),
        ({"function": "regex"}, "so", "[invalid]"),
        ({"function": "regex", "regex_pattern": r"\d", "fallback": "?"}, "x", "?"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": -1}, "1 2 3", "3"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": 1}, "1 2 3", "2"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": 3}, "1 2 3", "[invalid]"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": -4}, "1 2 3", "[invalid]"),
        ({"function": "regex", "regex_pattern": r"\d", "group_select": -3}, "1 2 3", "1"),
        ({"function": "regex", "regex_pattern": r"(a)?(b )?c"}, "b c", "b"),
        ({"function": "regex", "regex_pattern": r"(a)?(b)?c"}, "c", "[invalid]"),
        ({"function": "map", "mapping_dict": {"a": 1}}, "a", "1"),
        ({"function": "map", "mapping_dict": {"a": 1}, "default_value": "z"}, "b", "z"),
        ({"function": "map", "mapping_dict": {"a": 1}}, "b", "None"),
    ],
)
def test_steps_of_a_filter(given: dict[str, Any], answer: str, kept: str) -> None:
    """As the harness defines them."""
    (step,) = filters.steps([given, {"function": "take_first"}])
    assert step(answer) == kept


def test_only_the_chosen_filter_has_its_steps() -> None:
    """Other shapes than a list of steps are none."""
    steps = [{"function": "lowercase"}, "odd"]
    settings = {"filter_list": ["odd", {"name": "a", "filter": steps}, {"name": "b", "filter": 1}]}
    assert filters.listed(settings, "a") == steps[:1]
    assert filters.listed(settings, "b") == filters.listed(settings, "c") == []
    assert filters.listed({"filter_list": {"name": "a"}}, "a") == filters.listed({}, "a") == []


def test_a_vote_is_one_answer(tmp_path: Path) -> None:
    """A majority vote makes one answer of all repeats: one epoch, with the stored metric."""
    one = record(1, ["2", "1", "1"], "maj", filtered_resps=["1"], exact_match=1.0)
    write(tmp_path, [record(1, ["2", "1", "1"]), one], filters=(FIRST, VOTE))
    found = read(tmp_path, filter="maj").samples
    assert found.select("epoch", "score", "scorer").rows() == [(0, 1.0, "exact_match,maj")]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (
            {"function": []},
            (
                "repeats cannot be filtered by [] "
                "(`repeats: stored` in config.yaml takes the stored metric alone)"
            ),
        ),
        ({"function": "regex", "regex_pattern": ["1"]}, "the regex filter of the task is not"),
        ({"function": "regex", "regex_pattern": "a{99999999999}"}, "the regex filter of the"),
        ({"function": "regex", "group_select": {}}, "the regex filter of the task is not usable"),
        ({"function": "map", "mapping_dict": []}, "the map filter of the task has no mapping_dict"),
    ],
)
def test_filters_that_make_no_sense_refuse_the_record(
    step: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    """Whatever stands in the results file, the record is told, and nothing breaks off."""
    odd = {"name": "odd", "filter": [step, {"function": "take_first"}]}
    write(tmp_path, [record(1, ["1", "2"], "odd")], filters=(odd,))
    assert reason in read(tmp_path).rejected["reason"].item()


def test_a_pattern_without_end_refuses_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pattern of the log's own may go back over an answer for years: it is tried just once."""
    monkeypatch.setattr(faults, "LONGEST", 0.2)
    step = {"function": "regex", "regex_pattern": "(a+)+$"}
    filters = {"name": "odd", "filter": [step, {"function": "take_first"}]}
    answers = ["a" * 60 + "b", "1"]
    write(tmp_path, [record(n, answers, "odd") for n in range(50)], filters=(filters,))
    found = read(tmp_path)
    assert len(found.samples) == 0
    assert set(found.rejected["reason"]) == {
        "a pattern of task 'add' takes longer than 0.2 seconds"
    }
    assert len(found.rejected) == 50


@pytest.mark.parametrize(("key", "wrong"), [("filter", None), ("filter", "mja")])
def test_a_filter_must_be_chosen_among_several(key: str, wrong: Any, tmp_path: Path) -> None:
    """Without a choice among several filters the run stops and says which there are."""
    write(tmp_path, [record(1, ["1"])], filters=(FIRST, VOTE))
    with pytest.raises(Error, match=r"sources.test.filter: .*there are maj, take_first"):
        read(tmp_path, **{key: wrong})


def test_a_log_without_records_of_the_chosen_filter_is_refused(tmp_path: Path) -> None:
    """The results tell of the filter, and the log of another alone."""
    write(tmp_path, [record(1, ["1"])], filters=(FIRST, VOTE))
    result = read(tmp_path, filter="maj")
    told = result.rejected.select("line", "offset", "length", "reason", "excerpt").rows()
    assert told == [(1, 0, 0, "no record of filter 'maj'", "")]


def test_printed_numbers_lie_in_the_results_of_a_run(tmp_path: Path) -> None:
    """Where these are there; another file has none."""
    write(tmp_path, [record(1, ["1"])])
    [path] = [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("samples_*")]
    source = entry(format="lm_eval")
    beside = [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("results_*")]
    assert source.printed_in(path, tmp_path) == beside
    assert source.printed_in("other.jsonl", tmp_path) == []
    (tmp_path / beside[0]).unlink()
    assert source.printed_in(path, tmp_path) == []


def test_a_refused_record_is_shown_by_its_answers(tmp_path: Path) -> None:
    """With its number and filter: what else stands in it is long."""
    write(tmp_path, [record(1, ["1"]), record(2, ["a"], exact_match=3)])
    result = read(tmp_path)
    told = result.rejected.select("line", "reason", "excerpt").rows()
    shown = '{"doc_id":2,"filter":"take_first","resps":[["a"]]}'
    assert told == [(2, "score 3 is not between 0 and 1", shown)]


def test_a_metric_must_be_chosen_among_several(tmp_path: Path) -> None:
    """The same for metrics; a chosen one is the score."""
    write(tmp_path, [record(1, ["1"], f1=0.25)], metrics=("exact_match", "f1"))
    with pytest.raises(Error, match=r"sources.test.metric: .*there are exact_match, f1"):
        read(tmp_path)
    assert read(tmp_path, metric="f1").samples["score"].to_list() == [0.25]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"exact_match": 0.0},
            (
                "exact_match of the first repeat is stored as 0.0, "
                "and 1.0 by comparing '1' with its target"
            ),
        ),
        (
            {"filtered_resps": ["3"]},
            "filter 'take_first' gives '1' for the first repeat, and '3' is stored",
        ),
        (
            {"filtered_resps": []},
            "filter 'take_first' gives '1' for the first repeat, and None is stored",
        ),
        (
            {"filtered_resps": [[]]},
            "filter 'take_first' gives '1' for the first repeat, and None is stored",
        ),
        (
            {"filtered_resps": [[1, "2"]]},
            "filter 'take_first' gives '1' for the first repeat, and 1 is stored",
        ),
        ({"exact_match": None}, "exact_match of the first repeat is stored as None"),
        ({"doc_id": None}, "Expected `int | str`"),
    ],
)
def test_a_grade_that_contradicts_the_harness_is_refused(
    change: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    """What is computed must agree with what is stored, where something is stored."""
    write(tmp_path, [record(1, ["1", "2"]), record(2, ["1", "2"], **change)])
    result = read(tmp_path)
    assert len(result.samples) == 2
    assert reason in reasons(result)[0]


def test_the_first_answer_of_those_that_a_filter_kept_is_the_stored_one(tmp_path: Path) -> None:
    """A filter may keep a list of fewer than there are repeats."""
    write(tmp_path, [record(1, ["1", "2", "1"], filtered_resps=[["1", "2"]])])
    assert read(tmp_path).samples["score"].to_list() == [1.0, 0.0, 1.0]


def test_repeats_are_compared_by_the_rules_of_the_task(tmp_path: Path) -> None:
    """Those of the metric itself, of all that the task lists."""
    rows = [record(1, ["a", "B", "A"], target="A", exact_match=1.0)]
    for listed, scores in (
        ([{"metric": "exact_match", "ignore_case": True}], [1.0, 0.0, 1.0]),
        (["odd", {"metric": "f1"}, {"metric": "exact_match", "ignore_case": True}], [1, 0, 1]),
        ([{"metric": "f1", "ignore_case": True}], None),
        ({"metric": "exact_match", "ignore_case": True}, None),
    ):
        write(tmp_path, rows, task={"metric_list": listed})
        found = read(tmp_path)
        assert found.samples["score"].to_list() == (scores or [])
        assert len(reasons(found)) == (scores is None)


def test_repeats_of_other_metrics_are_not_guessed(tmp_path: Path) -> None:
    """A metric that cannot be computed from the log is refused for repeats, with the way out."""
    write(tmp_path, [record(1, ["1", "2"], f1=0.5)], metrics=("f1",))
    assert "`repeats: stored`" in reasons(read(tmp_path))[0]
    assert read(tmp_path, repeats="stored").samples["score"].to_list() == [0.5]


def test_what_is_stored_of_each_repeat_is_its_score(tmp_path: Path) -> None:
    """A metric that is a list of one value a repeat needs no grading."""
    write(tmp_path, [record(1, ["a", "b", "c"], f1=[0.5, True, 0])], metrics=("f1",))
    found = read(tmp_path).samples
    assert found.select("epoch", "score", "graded").rows() == [
        (0, 0.5, False), (1, 1.0, False), (2, 0.0, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stored", "keys", "reason"),
    [
        ([0.5, 1.0], {}, "f1 is a list of 2 values, not one score for each repeat"),
        ([0.5, 1.0, 0.0], {"repeats": "stored"}, "f1 is a list of 3 values, not one score"),
        ([], {"repeats": "stored"}, "f1 is a list of 0 values, not one score"),
        ([0.5, 1.0, "x"], {}, "f1 is a list of other things than numbers"),
        ([0.5, 1.0, 3.0], {}, "score 3 is not between 0 and 1"),
    ],
)
def test_a_list_that_is_no_score_of_each_repeat_is_refused(
    stored: Any, keys: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    """Pairs of counts, as perplexities have, are not taken for two repeats of three."""
    write(tmp_path, [record(1, ["a", "b", "c"], f1=stored)], metrics=("f1",))
    assert reasons(read(tmp_path, **keys)) == [reason]


def test_what_is_stored_is_brought_to_0_1_as_config_says(tmp_path: Path) -> None:
    """A number or a list; null is no score, with repeats and without."""
    rows = [record(n, ["a"], f1=stored) for n, stored in enumerate((50, True, None))]
    write(tmp_path, [*rows, record(3, ["a", "b"], f1=[100, 25])], metrics=("f1",))
    found = read(tmp_path, range=[0, 100])
    assert found.samples.select("sample_id", "epoch", "score", "graded").rows() == [
        ("0", 0, 0.5, False), ("1", 0, 1.0, False), ("3", 0, 1.0, False), ("3", 1, 0.25, False),
    ]  # fmt: skip
    assert reasons(found) == ["score is missing"]


def test_one_of_several_targets_is_enough(tmp_path: Path) -> None:
    """The harness writes a list of targets as text; the stored grade tells that it is one."""
    several = {"target": "['1', 'one']"}
    write(tmp_path, [record(1, ["1", "one", "2"], **several)])
    assert read(tmp_path).samples["score"].to_list() == [1.0, 1.0, 0.0]


def test_a_target_that_may_be_read_in_two_ways_is_refused(tmp_path: Path) -> None:
    """Where the first repeat is wrong either way, nothing tells a list from a text in brackets."""
    bad = record(1, ["2", "1"], target="['1', 'one']")
    good = record(2, ["2", "3"], target="['1', 'one']")
    write(tmp_path, [bad, good])
    result = read(tmp_path)
    assert "may be a text or a list of several" in reasons(result)[0]
    assert result.samples["sample_id"].to_list() == ["2", "2"]


@pytest.mark.parametrize("key", ["process_results", "doc_to_choice"])
def test_a_task_with_its_own_way_of_comparing_is_not_imitated(key: str, tmp_path: Path) -> None:
    """Even where the filtered repeats are all stored, and the first happens to agree."""
    every = record(1, ["1", "2"], filtered_resps=[["1", "2"]])
    write(tmp_path, [every], task={key: "x"})
    assert "is not plain exact_match" in reasons(read(tmp_path))[0]


def test_a_table_that_maps_answers_is_applied_to_each_repeat(tmp_path: Path) -> None:
    """Its default, if it has none, is stored as the word None."""
    table = {"function": "map", "mapping_dict": {"A": "1", "B": "2"}}
    mapped = {"name": "mapped", "filter": [table, {"function": "take_first"}]}
    made = record(1, ["A", "B", "C"], "mapped", filtered_resps=["1"], exact_match=1.0)
    write(tmp_path, [made], filters=(mapped,))
    assert read(tmp_path).samples["score"].to_list() == [1.0, 0.0, 0.0]


def choice(*repeats: list[float], target: str = "1", **keys: Any) -> dict[str, Any]:
    """A record of two choices, each repeat with their log-likelihoods, as texts."""
    of_each = zip(*repeats, strict=True)
    offered = {f"gen_args_{n}": {"arg_0": "?", "arg_1": f" {w}"} for n, w in enumerate("xy")}
    resps = [[[str(number), "False"] for number in numbers] for numbers in of_each]
    return record(1, ["1"]) | {"resps": resps, "target": target, "arguments": offered} | keys


@pytest.mark.parametrize("kind", ["multiple_choice", "loglikelihood"])
@pytest.mark.parametrize(
    ("target", "scores"),
    [("1", [1, 0]), ("y", [1, 0]), ("[0, 1]", [1, 1]), ("['x', 'y', 0, 1]", [1, 1])],
)
def test_choices_are_graded_by_their_log_likelihoods(
    kind: str, target: str, scores: list[float], tmp_path: Path
) -> None:
    """The likeliest one is right if the target names it by number or by text."""
    made = choice([-2.0, -1.0], [-1.0, -2.0], target=target, acc=1.0)
    write(tmp_path, [made], metrics=("acc",), task={"output_type": kind})
    assert read(tmp_path).samples["score"].to_list() == scores


def test_numbers_beyond_all_floats_are_no_log_likelihoods(tmp_path: Path) -> None:
    """JSON may hold 400 digits; the record is refused, and the others are read."""
    huge = choice([-2.0, -1.0], acc=1.0)
    huge["resps"] = [[[10**400, "False"]], [[-1.0, "False"]]]
    made = [huge, choice([-2.0, -1.0], acc=1.0) | {"doc_id": 2}]
    write(tmp_path, made, metrics=("acc",), task={"output_type": "multiple_choice"})
    assert read(tmp_path).samples["sample_id"].to_list()[-1:] == ["2"]


@pytest.mark.parametrize(("greedy", "scores"), [("True", [1, 0]), ("False", [0, 1])])
def test_a_single_text_is_right_if_it_is_the_greedy_one(
    greedy: str, scores: list[float], tmp_path: Path
) -> None:
    """As the harness has it for tasks of log-likelihoods; the number itself says nothing."""
    other = "False" if greedy == "True" else "True"
    made = choice(acc=scores[0]) | {"resps": [[["-1.0", greedy], ["-9.0", other]]]}
    task = {"output_type": "loglikelihood"}
    write(tmp_path, [made], metrics=("acc",), task=task)
    assert read(tmp_path).samples["score"].to_list() == scores
    assert match.likelihoods([["-1.0", "True"]]) == []


def test_choices_of_another_metric_are_not_graded(tmp_path: Path) -> None:
    """Nor those of a task that processes its results itself."""
    made = choice([-2.0, -1.0], [-1.0, -2.0], acc=1.0, acc_norm=1.0)
    why = (
        "repeats cannot be graded: {!r} of task 'add' is not plain acc "
        "(`repeats: stored` in config.yaml takes the stored metric alone)"
    )
    write(tmp_path, [made], metrics=("acc_norm",))
    assert reasons(read(tmp_path)) == [why.format("acc_norm")]
    write(tmp_path, [made], metrics=("acc",), task={"process_results": "own"})
    assert reasons(read(tmp_path)) == [why.format("acc")]


def test_the_same_log_likelihoods_have_the_same_score(tmp_path: Path) -> None:
    """Whatever the metric makes of them: nothing else goes into it."""
    made = choice([-2.0, -1.0], [-2.0, -1.0], acc_norm=0.25)
    write(tmp_path, [made], metrics=("acc_norm",))
    found = read(tmp_path).samples
    assert found.select("epoch", "score", "graded").rows() == [(0, 0.25, False), (1, 0.25, True)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"acc": 0.0}, "acc of the first repeat is stored as 0.0, computed as 1.0"),
        ({"target": "z"}, "the log does not tell which of 2 choices the target is"),
        ({"target": "2"}, "the log does not tell which of 2 choices the target is"),
        ({"target": "\u0661"}, "the log does not tell which of 2 choices the target is"),
        ({"target": "9" * 5000}, "the log does not tell which of 2 choices the target is"),
        (
            {"target": "1", "arguments": [["?", " 1"], ["?", " 0"]]},
            "the target '1' may be the number of a choice or its text",
        ),
        ({"arguments": None}, "the log does not tell which of 2 choices the target is"),
        ({"arguments": [["?"], ["?"]], "target": ""}, "the log does not tell which of 2 choices"),
        ({"arguments": ["?x", "?y"], "target": "x"}, "the log does not tell which of 2 choices"),
        ({"arguments": [None, 3], "target": "x"}, "the log does not tell which of 2 choices"),
    ],
)
def test_choices_that_cannot_be_graded_are_refused(
    change: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    """No target is guessed, and no grade kept that contradicts the harness."""
    made = choice([-2.0, -1.0], [-1.0, -2.0], acc=1.0) | change
    write(tmp_path, [made], metrics=("acc",))
    assert reason in reasons(read(tmp_path))[0]


@pytest.mark.parametrize(
    "given", [{"top_p": 0.5, "temperature": "0.3"}, "top_p=0.5,temperature=0.3"]
)
def test_settings_come_from_generation_then_model_then_arguments(
    given: Any, tmp_path: Path
) -> None:
    """Hyper-parameters are typed; `gen_kwargs` may be a mapping or text."""
    write(tmp_path, [record(1, ["1"])], gen_kwargs=given)
    params = {"temperature": "float", "top_p": "float", "dtype": "str", "num_fewshot": "int"}
    row = read(tmp_path, params=params).samples.row(0, named=True)
    assert [row[name] for name in params] == [0.3, 0.5, "float32", 3]
    assert (row["model"], row["task"]) == ("tiny", "add")


@pytest.mark.parametrize(
    ("given", "seed"),
    [
        ({"gen_args_0": {"arg_0": "?", "arg_1": {"seed": 4}}}, 4),
        ([["?", {"seed": 4}]], 4),
        ({"gen_args_0": {"arg_0": "?"}, "gen_args_1": {"arg_0": "?", "arg_1": {"seed": 4}}}, None),
        ({"gen_args_0": 4}, None),
        ([None], None),
        ([], None),
        ("seed=4", None),
    ],
)
def test_settings_of_a_record_are_those_of_its_first_request(
    given: Any, seed: int | None, tmp_path: Path
) -> None:
    """In either form that the harness writes; what has no such form tells none."""
    write(tmp_path, [record(1, ["1"], arguments=given)])
    assert read(tmp_path, params={"seed": "int"}).samples["seed"].to_list() == [seed]


def test_settings_of_the_task_come_after_those_of_the_run(tmp_path: Path) -> None:
    """Its own generation first; a task of which no settings are told is read all the same."""
    own = {"generation_kwargs": {"top_k": 5, "top_p": 0.1}, "top_k": 6}
    write(tmp_path, [record(1, ["1"])], task=own, gen_kwargs={"top_p": 0.5})
    params = {"top_k": "int", "top_p": "float"}
    assert read(tmp_path, params=params).samples.select(*params).rows() == [(5, 0.5)]
    amend(tmp_path, configs={})
    assert read(tmp_path, params=params).samples.select(*params).rows() == [(None, 0.5)]


@pytest.mark.parametrize(
    ("told", "model"),
    [
        ({"model_args": "trust,pretrained=org/m:v=1=2,model=x"}, "org/m:v=1=2"),
        ({"model_args": {"pretrained": 3, "path": "p", "model": "x"}, "model": "hf"}, "x"),
        ({"model_args": {"path": "p"}, "model": "hf"}, "p"),
        ({"model_args": "a=b", "model": "hf"}, "hf"),
        ({"model_args": None}, ""),
    ],
)
def test_a_model_is_called_as_its_arguments_say(told: Any, model: str, tmp_path: Path) -> None:
    """Else as the kind of model that was run; the harness's own name for it goes before all."""
    write(tmp_path, [record(1, ["1"])], **told)
    assert read(tmp_path).samples["model"].to_list() == [model]
    amend(tmp_path, model_name="own")
    assert read(tmp_path).samples["model"].to_list() == ["own"]


@pytest.mark.parametrize(
    ("sizes", "declared"),
    [
        ({"original": 9, "effective": 3}, [(6, (3, 9))]),
        ({"effective": 3}, [(6, None)]),
        ({"original": 9}, []),
        ({"original": 0, "effective": 0}, [(0, (0, 0))]),
        ({"original": 9, "effective": -1}, []),
        ({"original": -9, "effective": 1}, [(2, None)]),
    ],
)
def test_what_a_run_was_asked_for(sizes: Any, declared: list[Any], tmp_path: Path) -> None:
    """Problems and repeats; of how many problems, where both are told."""
    write(tmp_path, [record(1, ["1", "1"])], task={"repeats": 2})
    amend(tmp_path, **{"n-samples": {"add": sizes}})
    source = entry(format="lm_eval")
    log = Log(f"tiny/samples_add_{TIME}.jsonl", tmp_path, source)
    found = [one for one in lm_eval_format.read(log, source) if isinstance(one, Declared)]
    assert [(one.samples, one.part) for one in found] == declared


def test_settings_may_lie_in_the_record_alone(tmp_path: Path) -> None:
    """What neither generation nor model arguments tell is looked up in the record."""
    write(tmp_path, [record(1, ["1", "2"])])
    params = {"temperature": "float", "seed": "int"}
    found = read(tmp_path, params=params).samples
    assert found.select("temperature", "seed").rows() == [(0.7, None)] * 2


def test_a_rerun_supersedes_the_earlier_run(tmp_path: Path) -> None:
    """The latest run of the same settings counts; each record of the earlier one is refused."""
    later = "2026-01-03T00-00-00.000000"
    write(tmp_path, [record(1, ["1", "1"]), record(2, ["2", "2"])])
    write(tmp_path, [record(1, ["2", "2"])], time=later)
    write(tmp_path, [record(1, ["1", "2"])], time="2026-01-04T00-00-00.0", gen_kwargs={"top_p": 1})
    result = read(tmp_path)
    assert reasons(result) == [f"superseded by the run of tiny/results_{later}.json"] * 2
    assert result.samples["score"].to_list() == [0.0, 0.0, 1.0, 0.0]
    alone = read(tmp_path, logs=f"tiny/samples_add_{TIME}.jsonl")
    assert len(alone.samples) == 4, "a run outside the source supersedes nothing in it"


def test_runs_of_other_tasks_supersede_nothing(tmp_path: Path) -> None:
    """Whatever their results file tells of this one; nor do files that only begin alike."""
    later = "2026-01-03T00-00-00.000000"
    write(tmp_path, [record(1, ["1"])])
    write(tmp_path, [record(1, ["1"])], time=later)
    (tmp_path / "tiny" / "samples_notes.txt").write_bytes(b"")
    path = tmp_path / "tiny" / f"samples_add_{later}.jsonl"
    path.rename(path.with_name(path.name.replace("add", "add2")))
    found = read(tmp_path, logs=f"tiny/samples_add_{TIME}.jsonl")
    assert (len(found.samples), reasons(found)) == (1, [])


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        (
            f"results_{TIME}.json",
            None,
            rf"^no results_{TIME}\.json beside it: the run's settings are there$",
        ),
        (f"results_{TIME}.json", b'{"results": {', "^results_.*: the document ends too early"),
        (
            f"results_{TIME}.json",
            b"{}",
            rf"^results_{TIME}\.json has no results of task 'add'; there are none$",
        ),
        (f"results_{TIME}.json", b'{"results": {"adds": {}}}', "there are adds .did you mean"),
        (f"results_{TIME}.json", b'{"results": {"add": {}}}', "names no filter"),
        (f"samples_add_{TIME}.jsonl", b"", "the log is empty"),
        (f"samples_add_{TIME}.jsonl", b'{"doc_id": 1', "the log ends within this line"),
    ],
)
def test_what_cannot_be_read_is_refused(
    name: str, data: bytes | None, reason: str, tmp_path: Path
) -> None:
    """A missing or broken results file costs the log, with the reason, however deep it lies."""
    (tmp_path / "of" / "all").mkdir(parents=True)
    write(tmp_path / "of" / "all", [record(1, ["1"])])
    path = tmp_path / "of" / "all" / "tiny" / name
    path.unlink() if data is None else path.write_bytes(data)
    refused = read(tmp_path).rejected["reason"]
    assert refused.str.contains(reason).all()


def test_other_files_are_no_samples(tmp_path: Path) -> None:
    """A results file among the logs holds no records; any other file is refused."""
    write(tmp_path, [record(1, ["1"])])
    assert reasons(read(tmp_path, logs="**/*.*")) == []
    (tmp_path / "tiny" / "notes.txt").write_bytes(b"x")
    assert reasons(read(tmp_path, logs="**/*.*")) == [
        "the file name is not samples_{task}_{time}.jsonl"
    ]


def test_real_runs_have_their_true_pass_at_1(real_logs: Path) -> None:
    """Over a real sweep the first epochs give what the harness reports, all epochs the truth."""
    folder = real_logs / "lm_eval"
    params = {"temperature": "float", "top_p": "float"}
    result = read(folder, filter="take_first", params=params)
    assert not len(result.rejected)
    for path, rows in result.samples.group_by("log"):
        told = json.loads(
            (folder / str(path[0]).replace("samples_tiny_add", "results"))
            .with_suffix(".json")
            .read_text()
        )
        first = rows.filter(epoch=0)["score"]
        assert first.sum() / len(first) == told["results"]["tiny_add"]["exact_match,take_first"]
    cell = result.samples.filter(pl.col("temperature") == 1.0, pl.col("top_p") == 0.9)["score"]
    assert (len(cell), cell.sum() / len(cell)) == (200, 0.505)
