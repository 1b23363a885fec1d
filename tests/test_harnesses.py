"""qwen_math, helm, every_eval_ever, and what lies beside the logs of dynts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import specimens
from heatproof.readers import (
    dynts_format,
    every_eval_ever_format,
    helm_format,
    qwen_math_format,
)
from heatproof.readers import dynts_format as module
from heatproof.readers.api import Batch, Declared, Log, Place, Reject
from heatproof.util.errors import Error
from reading import entry, lines, reasons, run, traced

if TYPE_CHECKING:
    from pathlib import Path

QWEN = "out/m-7b/math_eval/aime24/test_qwen-boxed_-1_seed0_t0.6_s{}_e{}.jsonl"


def put(root: Path, path: str, content: Any) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    place.write_bytes(text)


def problem(idx: int, score: list[Any], **keys: Any) -> dict[str, Any]:
    size = len(score)
    base = {"idx": idx, "gt": "1", "code": ["x"] * size, "pred": ["1"] * size}
    return base | {"report": [None] * size, "score": score} | keys


def test_qwen_math_lists_are_epochs_and_shards_one_run(tmp_path: Path) -> None:
    """Settings come from the name; shards of a run differ only in start and end."""
    put(tmp_path, QWEN.format(0, 1), lines([problem(0, [True, False])]))
    put(tmp_path, QWEN.format(1, -1), lines([problem(1, [False, True])]))
    result = run(tmp_path, format="qwen_math")
    rows = result.samples.select("sample_id", "epoch", "score").rows()
    assert rows == [("0", 0, 1.0), ("0", 1, 0.0), ("1", 0, 0.0), ("1", 1, 1.0)]
    names = ("model", "task", "prompt", "temperature", "seed", "run")
    assert result.samples.select(names).unique().rows() == [
        ("out/m-7b", "aime24", "qwen-boxed", 0.6, 0, QWEN.split("_s{}", maxsplit=1)[0])
    ]
    assert [r["idx"] for r in traced(result, tmp_path)] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (problem(1, []), "the list of scores is empty"),
        (problem(1, [True], pred=["1", "2"]), "1 scores and 2 of pred"),
        (problem(1, [None]), "epoch 0: score is missing"),
        (problem(1, [3]), "epoch 0: score 3 is not between 0 and 1"),
        ({"idx": 1, "score": True}, "Expected `array`, got `bool`"),
    ],
)
def test_qwen_math_uneven_lists_are_refused(record: Any, reason: str, tmp_path: Path) -> None:
    """A problem whose lists do not fit together is one reject."""
    put(tmp_path, QWEN.format(0, -1), lines([problem(0, [True]), record]))
    result = run(tmp_path, format="qwen_math")
    assert len(result.samples) == 1
    assert reason in reasons(result)[0]


def test_qwen_math_samples_have_their_own_scores_and_lengths(tmp_path: Path) -> None:
    """One that has none is refused by itself, and shown; lists that do not fit are refused whole."""
    records = [
        problem(0, [True, None, 3, 0.5], pred=["a", "b", "c", "d"], output_len=[5, 6, 7, None]),
        problem(1, [True], output_len=[1, 2]),
        problem(2, [], pred=None),
        problem(3, [False, 2], pred=None, output_len=[9, 8]),
        problem(4, [1]),
    ]
    put(tmp_path, "m/t/test_p_4_seed7_t1_s0_e-1.jsonl", lines(records))
    result = run(tmp_path, format="qwen_math", path="(?P<model>m)/(?P<task>t)")
    names = ("sample_id", "epoch", "score", "tokens")
    assert result.samples.select(names).rows() == [
        ("0", 0, 1.0, 5.0), ("0", 3, 0.5, None), ("3", 0, 0.0, 9.0), ("4", 0, 1.0, None),
    ]  # fmt: skip
    settings = (
        '{"model":"m","num_test_sample":4,"prompt":"p","seed":7,"task":"t","temperature":1.0}'
    )
    assert result.samples.select("num_test_sample", "seed").unique().rows() == [(4, 7)]
    assert result.rejected.select("line", "reason", "excerpt", "settings").rows() == [
        (1, "epoch 1: score is missing", '{"idx":0,"epoch":1,"pred":["b"]}', settings),
        (1, "epoch 2: score 3 is not between 0 and 1", '{"idx":0,"epoch":2,"pred":["c"]}', settings),
        (2, "1 scores and 2 of output_len", '{"idx":1,"epoch":0,"pred":["1"]}', ""),
        (3, "the list of scores is empty", '{"idx":2,"epoch":0,"pred":[]}', ""),
        (4, "epoch 1: score 2 is not between 0 and 1", '{"idx":3,"epoch":1,"pred":[]}', settings),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ends", "told", "declared"),
    [
        ("_s0_e-1", {"num_samples": 3, "num_scores": 7}, [(7, 3)]),
        ("_s0_e-1", {"num_samples": 3}, [(6, 2)]),
        ("_s0_e-1", {"num_samples": 1}, [(2, 0)]),
        ("_s0_e3", {"num_samples": 3, "num_scores": 7}, [(None, 3)]),
        ("_s1_e-1", {"num_samples": 3, "num_scores": 7}, [(None, 3)]),
        ("_s0_e-1", {"acc": 1}, []),
    ],
)
def test_qwen_math_logs_of_a_whole_data_set_declare_its_size(
    ends: str, told: dict[str, int], declared: list[Any], tmp_path: Path
) -> None:
    """As the file of metrics tells it; of a part of it only what is lacking is known."""
    path = f"m/t/test_p_-1_seed0_t0.0{ends}"
    put(tmp_path, f"{path}.jsonl", lines([problem(0, [True, False]), problem(1, [True, None])]))
    put(tmp_path, f"{path}_p_metrics.json", told)
    source: Any = entry(format="qwen_math")
    parts = [*qwen_math_format.read(Log(f"{path}.jsonl", tmp_path, source), source)]
    found = [(one.samples, one.lacking) for one in parts if isinstance(one, Declared)]
    assert found == declared


@pytest.mark.parametrize(
    ("logs", "path", "keys", "model"),
    [
        ("data/**/*.jsonl", "data/out/Org/m/math_eval", {}, "Org/m"),
        ("data/out/**/*.jsonl", "data/out/Org/m/math_eval", {}, "Org/m"),
        ("data/out/*/m/**/*.jsonl", "data/out/Org/m", {}, "Org/m"),
        ("data/out/**/*.jsonl", "data/out/m/math_eval", {}, "m"),
        (["data/out/Org/**/*.jsonl"], "data/out/Org/m", {}, "m"),
        ("data/out/Org/m/aime24/*.jsonl", "data/out/Org/m", {}, "m"),
        ("data/**/*.jsonl", "data/out/m", {"path": "out/(?P<model>.)/(?P<task>[^/]+)/"}, "m"),
        ("data/**/*.jsonl", "data/Org/m", {"path": "(?P<model>Org/m)"}, "Org/m"),
    ],
)
def test_qwen_math_models_are_called_by_their_whole_name(
    logs: str | list[str], path: str, keys: dict[str, str], model: str, tmp_path: Path
) -> None:
    """A model is its organisation's; the folder that `logs` names is none. `path` is searched."""
    put(tmp_path, f"{path}/aime24/test_p_-1_seed0_t0.6_s0_e-1.jsonl", lines([problem(0, [True])]))
    result = run(tmp_path, format="qwen_math", logs=logs, **keys)
    assert reasons(result) == []
    assert result.samples["model"].to_list() == [model]


def test_qwen_math_paths_that_do_not_match_are_refused(tmp_path: Path) -> None:
    """The pattern stands in the reason; what it has no group for is empty."""
    put(tmp_path, QWEN.format(0, -1), lines([problem(0, [True])]))
    result = run(tmp_path, format="qwen_math", path="other/(?P<model>[^/]+)/")
    said = "the path does not match 'other/(?P<model>[^/]+)/'"
    assert result.rejected.drop("log").rows() == [("", 1, 0, 0, said, "", "")]
    for path, told in (
        ("(?P<task>aime..)/", ("", "aime24")), ("(?P<model>m-(?P<task>x)?)", ("m-", "")),
    ):  # fmt: skip
        result = run(tmp_path, format="qwen_math", path=path)
        assert result.samples.select("model", "task").rows() == [told]


def test_qwen_math_groups_of_a_path_are_columns() -> None:
    """Model and task alone: all else stands in the name of a log."""
    pattern = r"(?P<org>\w+)/(?P<model>\w+)/(?P<task>\w+)/(?P<seed>\d)"
    source = msgspec.convert(
        {"format": "qwen_math", "logs": "*", "path": pattern}, qwen_math_format.Entry
    )
    assert source.mistakes() == [
        f".path: {name!r} is not a column; there are model, task" for name in ("org", "seed")
    ]
    source.path = "("
    assert [said.split(":")[1] for said in source.mistakes()] == [
        " '(' is not a regular expression"
    ]


@pytest.mark.parametrize("ending", [".json", "_qwen-boxed_metrics.json", "_metrics.jsonl"])
def test_qwen_math_metrics_are_never_data(ending: str, tmp_path: Path) -> None:
    """A metrics file among the logs is refused as what it is."""
    put(tmp_path, QWEN.format(0, -1).replace(".jsonl", ending), {"acc": 33.3})
    said = "a file of metrics: they are computed from the samples, not read"
    assert reasons(run(tmp_path, format="qwen_math")) == [said]


def instance(name: str, value: float | None, trial: int = 0, **keys: Any) -> dict[str, Any]:
    stats = [
        {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": value},
        {"name": {"name": "num_output_tokens", "split": "test"}, "count": 1, "sum": 5},
        {"name": {"name": "training_co2_cost", "split": "test"}, "count": 0, "sum": 0},
    ]
    return {"instance_id": name, "train_trial_index": trial, "stats": stats} | keys


def helm(root: Path, instances: list[Any]) -> None:
    put(root, "runs/a/per_instance_stats.json", instances)
    spec = {"model": "openai/gpt2", "temperature": 0.0, "max_tokens": 1}
    name = "mmlu:subject=philosophy,method=joint,model=openai_gpt2"
    told = {
        "name": name,
        "adapter_spec": spec,
        "scenario_spec": {"args": {"subject": "philosophy"}},
    }
    put(root, "runs/a/run_spec.json", told)


HELM: dict[str, Any] = {"format": "helm", "logs": "**/per_instance_stats.json"}


def test_helm_instances_get_their_run_from_the_spec(tmp_path: Path) -> None:
    """Model, task and settings come from run_spec.json; split and perturbation are columns."""
    twice = instance("id1", 0, perturbation={"name": "typos"})
    helm(tmp_path, [instance("id1", 1), instance("id1", 1, trial=1), twice])
    params = {"temperature": "float", "subject": "str"}
    result = run(tmp_path, **HELM, metric="exact_match", params=params)
    names = ("sample_id", "epoch", "score", "split", "perturbation", "temperature", "subject")
    assert sorted(result.samples.select(names).rows()) == [
        ("id1", 0, 0.0, "test", "typos", 0.0, "philosophy"),
        ("id1", 0, 1.0, "test", "", 0.0, "philosophy"),
        ("id1", 1, 1.0, "test", "", 0.0, "philosophy"),
    ]
    told = result.samples.select("model", "task", "tokens").unique().rows()
    assert told == [("openai/gpt2", "mmlu:subject=philosophy,method=joint", 5.0)]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {
                "name": "s:model=a=b,x=y:z,model_deployment=d",
                "adapter_spec": {"model_deployment": "d"},
                "scenario_spec": {"args": {"shots": 3}},
            },
            ("d", "s:x=y:z", 3),
        ),
        ({"name": "plain", "adapter_spec": {"model": "m", "shots": 1}}, ("m", "plain", 1)),
        ({"name": "s:shots=2"}, ("", "s:shots=2", 2)),
    ],
)
def test_helm_runs_are_told_by_their_spec(spec: Any, told: Any, tmp_path: Path) -> None:
    """Model, task without the model, and settings: of the adapter, the scenario, the name."""
    put(tmp_path, "a/b/per_instance_stats.json", [instance("id1", 1)])
    put(tmp_path, "a/b/run_spec.json", spec)
    keys = HELM | {"metric": "exact_match", "params": {"shots": "int"}}
    assert run(tmp_path, **keys).samples.select("model", "task", "shots").rows() == [told]
    put(tmp_path, "a/b/run_spec.json", b'{"name": 3}')
    assert reasons(run(tmp_path, **keys)) == [
        "run_spec.json: Expected `str`, got `int` - at `$.name`"
    ]


def test_helm_needs_a_metric(tmp_path: Path) -> None:
    """Instances have many statistics: the run stops and says which."""
    helm(tmp_path, [instance("id1", 1)])
    with pytest.raises(Error, match=r"sources.test.metric: .* there are exact_match, num_output"):
        run(tmp_path, **HELM)
    with pytest.raises(Error, match="did you mean 'exact_match'"):
        run(tmp_path, **HELM, metric="exact_mtch")


@pytest.mark.parametrize(
    ("metric", "scorer"),
    [
        (["f1", "num_output_tokens", "exact_match"], "num_output_tokens"),
        ({"mmlu:*": "exact_match"}, "exact_match"),
        ({"other": "f1", "*philosophy*": ["f1", "exact_match"]}, "exact_match"),
    ],
)
def test_helm_metrics_may_be_preferred_or_be_of_a_task(
    metric: Any, scorer: str, tmp_path: Path
) -> None:
    """As those of lm_eval; what was chosen stands in the scorer, and its mean is compared."""
    helm(tmp_path, [instance("id1", 1)])
    stats = [{"name": {"name": scorer, "split": "test"}, "count": 1, "mean": 1.0}]
    put(tmp_path, "runs/a/stats.json", stats)
    keys = HELM | {"metric": metric, "range": [0, 5]}
    result = run(tmp_path, **keys)
    assert result.samples["scorer"].to_list() == [scorer]
    source: Any = entry(**keys)
    log = Log("runs/a/per_instance_stats.json", tmp_path, source)
    assert [one.scorer for one in helm_format.printed(log, source)] == [scorer]
    assert source.chooses()
    assert not entry(**HELM, metric="exact_match").chooses()


def test_helm_instances_without_a_value_are_refused(tmp_path: Path) -> None:
    """A statistic over nothing is no score."""
    helm(tmp_path, [instance("id1", 1), instance("id2", None), {"instance_id": "id3", "stats": []}])
    told = reasons(run(tmp_path, **HELM, metric="exact_match"))
    assert told == ["score is missing", "the instance has 0 values of 'exact_match'"]


def test_helm_values_are_means_over_the_outputs_of_an_instance(tmp_path: Path) -> None:
    """In the split of the score; a record without one says all the same of which sample it was."""

    def stat(name: str, count: int, total: float, split: str = "valid") -> dict[str, Any]:
        return {"name": {"name": name, "split": split}, "count": count, "sum": total}

    lengths = [stat("inference_runtime", 2, 3, "other"), stat("num_output_tokens", 4, 10)]
    rows = [
        {"instance_id": 7, "stats": [*lengths, stat("em", 2, 1)], "perturbation": {"name": "typos"}},
        {"instance_id": "b", "train_trial_index": 1, "stats": [stat("em", 1, 1, "")]},
        {"instance_id": "c", "train_trial_index": 2, "stats": [stat("em", 0, 0)], "perturbation": {}},
        {"instance_id": "d", "stats": [stat("em", 1, 1)] * 2, "perturbation": {"name": "case"}},
        {"instance_id": "e", "stats": [stat("em", 2, 30), stat("num_output_tokens", 0, 0)]},
        {"instance_id": "f", "stats": [stat("em", 4, 10), stat("num_output_tokens", 0, 0)]},
        {"instance_id": "g"},
        {"instance_id": "h", "stats": []},
    ]  # fmt: skip
    helm(tmp_path, rows)
    keys: dict[str, Any] = HELM | {"metric": "em", "range": [0, 10]}
    result = run(tmp_path, **keys, params={"temperature": "float"})
    names = ("sample_id", "epoch", "split", "perturbation", "scorer", "score", "tokens", "time")
    assert sorted(result.samples.select(names).rows()) == [
        ("7", 0, "valid", "typos", "em", 0.05, 2.5, 1.5),
        ("b", 1, "", "", "em", 0.1, None, None),
        ("f", 0, "valid", "", "em", 0.25, None, None),
    ]
    settings = (
        '{{"model":"openai/gpt2","perturbation":"{}","split":"{}",'
        '"task":"mmlu:subject=philosophy,method=joint","temperature":0.0}}'
    )
    assert result.rejected.select("reason", "excerpt", "settings").rows() == [
        ("score is missing", '{"instance_id":"c","train_trial_index":2}', settings.format("", "valid")),
        ("the instance has 2 values of 'em'", '{"instance_id":"d","train_trial_index":0}', settings.format("case", "valid")),
        ("score 15 is not between 0 and 10", '{"instance_id":"e","train_trial_index":0}', settings.format("", "valid")),
        ("Object missing required field `stats`", '{"instance_id": "g"}', ""),
        ("the instance has 0 values of 'em'", '{"instance_id":"h","train_trial_index":0}', settings.format("", "")),
    ]  # fmt: skip


def test_helm_without_instances_is_refused(tmp_path: Path) -> None:
    """A run that ended before its first instance."""
    helm(tmp_path, [])
    assert reasons(run(tmp_path, **HELM, metric="exact_match")) == ["the log holds no instances"]


def test_helm_without_a_spec_is_refused(tmp_path: Path) -> None:
    """Without run_spec.json nothing tells whose instances they are."""
    put(tmp_path, "per_instance_stats.json", [instance("id1", 1)])
    assert "no run_spec.json beside it" in reasons(run(tmp_path, **HELM, metric="exact_match"))[0]


def test_helm_real_runs_agree_with_their_stats(real_logs: Path) -> None:
    """Over real runs the mean of each split is the one that HELM reports."""
    folder = real_logs / "every_eval_ever/tests/data/helm"
    result = run(folder, **HELM, metric="exact_match")
    assert not len(result.rejected)
    for (path, split), rows in result.samples.group_by("log", "split"):
        stats = json.loads((folder / str(path)).with_name("stats.json").read_text())
        [told] = [
            stat["mean"]
            for stat in stats
            if stat["name"] == {"name": "exact_match", "split": split}
        ]
        assert rows["score"].mean() == pytest.approx(told)


def eee(sample: str, score: Any, **keys: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.2.1",
        "evaluation_id": "e",
        "model_id": "org/m",
        "evaluation_name": "gsm8k",
        "sample_id": sample,
        "interaction_type": "single_turn",
        "evaluation": {"score": score, "is_correct": bool(score)},
        "token_usage": {"input_tokens": 1, "output_tokens": 9, "total_tokens": 10},
        "performance": {"generation_time_ms": 1500},
        "error": None,
        "metadata": {"epoch": "2", "level": "hard"},
    } | keys


def test_every_eval_ever_rows_are_samples(tmp_path: Path) -> None:
    """Rows tell model, task and score; settings come from the evaluation's own file."""
    put(tmp_path, "e_samples.jsonl", lines([eee("a", 1.0), eee("b", 0.5)]))
    config = {"generation_args": {"temperature": 0.6}}
    results = [{"evaluation_name": "gsm8k", "generation_config": config}]
    put(tmp_path, "e.json", {"evaluation_results": results})
    params = {"temperature": "float", "level": "str"}
    result = run(tmp_path, format="every_eval_ever", logs="*.jsonl", params=params, epoch="epoch")
    names = (
        "model",
        "task",
        "sample_id",
        "epoch",
        "score",
        "temperature",
        "level",
        "tokens",
        "time",
    )
    assert result.samples.select(names).rows() == [
        ("org/m", "gsm8k", "a", 2, 1.0, 0.6, "hard", 9.0, 1.5),
        ("org/m", "gsm8k", "b", 2, 0.5, 0.6, "hard", 9.0, 1.5),
    ]


@pytest.mark.parametrize("score", [True, False, 1, 0.0])
def test_every_eval_ever_scores_of_version_0_2_may_be_true_or_false(
    score: Any, tmp_path: Path
) -> None:
    """Where the reference and the output are single texts, too."""
    older = {
        "schema_version": "0.2.0",
        "input": {"raw": "?", "reference": "1"},
        "output": {"raw": "1"},
    }
    put(tmp_path, "e_samples.jsonl", lines([eee("a", score, **older)]))
    result = run(tmp_path, format="every_eval_ever")
    assert result.samples["score"].to_list() == [float(score)]


def test_every_eval_ever_ids_of_version_0_2_may_be_numbers(tmp_path: Path) -> None:
    """They are the same problems as those that another run writes as text."""
    rows = [eee("7", 1.0) | {"sample_id": 7}, eee("8", 0.0)]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    found = run(tmp_path, format="every_eval_ever", logs="*.jsonl")
    assert found.samples["sample_id"].to_list() == ["7", "8"]


def test_every_eval_ever_folders_may_have_the_ending_of_logs(tmp_path: Path) -> None:
    """The evaluation's own file lies beside its rows."""
    put(tmp_path, "of.jsonl.d/e_samples.jsonl", lines([eee("a", 1.0)]))
    config = {"generation_args": {"temperature": 0.6}}
    results = [{"evaluation_name": "gsm8k", "generation_config": config}]
    put(tmp_path, "of.jsonl.d/e.json", {"evaluation_results": results})
    params = {"temperature": "float"}
    result = run(tmp_path, format="every_eval_ever", logs="**/*.jsonl", params=params)
    assert result.samples["temperature"].to_list() == [0.6]


def test_rows_of_an_evaluation_that_are_lacking() -> None:
    """Written less seen, of one run; what was seen of a log that is spoilt counts for nothing."""
    names = {"model": "m", "task": "t", "scorer": "s", "seed": 1}
    place = Place(1, 0, 0)

    def rows(number: int) -> Batch:
        return Batch({name: [v] * number for name, v in names.items()}, [place] * number, {})

    refused = Reject(place, "", of=names)
    parts = [rows(2), rows(1), refused, refused, Reject(place, "")]
    seen = every_eval_ever_format.Seen(["seed"])
    assert list(seen.declared(3)) == []
    for part in parts:
        seen.add(part)
    assert [one.lacking for one in seen.declared(8)] == [3]
    assert [one.shared for one in seen.declared(6)] == [names]
    assert list(seen.declared(5)) == list(seen.declared(None)) == []
    seen.add(Reject(place, "", spoils=True))
    assert list(seen.declared(8)) == []
    seen.add(rows(1))
    assert [one.lacking for one in seen.declared(3)] == [2]


def test_every_eval_ever_errors_and_units(tmp_path: Path) -> None:
    """Rows with an error are incomplete; percent is brought to 0–1 only where config says so."""
    put(tmp_path, "e.jsonl", lines([eee("a", 80.0), eee("b", 0.0, error="timeout")]))
    keys: dict[str, Any] = {"format": "every_eval_ever"}
    assert len(run(tmp_path, **keys).samples) == 0
    result = run(tmp_path, **keys, range=[0, 100])
    assert result.samples["score"].to_list() == [0.8]
    assert reasons(result) == ["sample ended in an error: 'timeout'"]
    for percent in ([], [0, 100]):  # true and false are no percentages
        correct = run(tmp_path, **keys, score="is_correct", range=percent)
        assert correct.samples["score"].to_list() == [1.0]


def test_every_eval_ever_rows_that_are_refused_tell_what_they_were(tmp_path: Path) -> None:
    """With the reason, the grade, and the settings where the row could be read so far."""
    times = [{"latency_ms": 2500}, None, {"generation_time_ms": 0, "latency_ms": 9}, {}]
    kept = [
        eee(f"k{n}", 1, metadata={"run": n, "hot": n / 2}, performance=p)
        for n, p in enumerate(times)
    ]
    rows = [
        eee("a", None, metadata={"run": 4, "hot": 1}),
        eee("b", 12.5, metadata={"run": "5"}),
        eee("c", 0.0, metadata={"run": 6}, error="timed out " * 9),
        eee("d", 1.0, metadata={"run": "one"}),
        eee("e", 1.0, metadata=None),
        eee("f", 1.0, metadata={"run": 9, "hot": "x"}),
        {"sample_id": "g"},
    ]
    put(tmp_path, "e.jsonl", lines([*kept, *rows]))
    keys: dict[str, Any] = {"params": {"hot": "float"}, "epoch": "run", "range": [0, 10]}
    result = run(tmp_path, format="every_eval_ever", **keys)
    assert result.samples.select("sample_id", "epoch", "score", "hot", "time").rows() == [
        ("k0", 0, 0.1, 0.0, 2.5), ("k1", 1, 0.1, 0.5, None), ("k2", 2, 0.1, 1.0, 0.0),
        ("k3", 3, 0.1, 1.5, None),
    ]  # fmt: skip
    hint = "`epoch: $row` in config.yaml numbers repetitions that have names, '' takes none"
    shown = '{{"sample_id":"{}","evaluation":{{"score":{},"is_correct":{}}}}}'
    settings = '"model":"org/m","task":"gsm8k"}'
    assert result.rejected.select("reason", "excerpt", "settings").rows() == [
        ("score is missing", shown.format("a", "null", "false"), f'{{"hot":1.0,{settings}'),
        ("score 12.5 is not between 0 and 10", shown.format("b", "12.5", "true"), f"{{{settings}"),
        (f"sample ended in an error: {'timed out ' * 9!r:.57}...", shown.format("c", "0.0", "false"), f"{{{settings}"),
        (f"run: 'one' is not int; {hint}", shown.format("d", "1.0", "true"), ""),
        ("its metadata has no 'run'", shown.format("e", "1.0", "true"), ""),
        ("hot: 'x' is not float", shown.format("f", "1.0", "true"), ""),
        ("Object missing required field `model_id`", '{"sample_id": "g"}', ""),
    ]  # fmt: skip


def test_every_eval_ever_repetitions_are_told_by_the_metadata(tmp_path: Path) -> None:
    """`epoch` in the metadata, where converters write it, needs no word in config.yaml."""
    rows = [eee(s, float(s == "a"), metadata={"epoch": str(e)}) for s in "ab" for e in (1, 2)]
    put(tmp_path, "e.jsonl", lines([*rows, eee("c", 1.0, metadata=None)]))
    result = run(tmp_path, format="every_eval_ever")
    told = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 0)]
    assert result.samples.select("sample_id", "epoch").rows() == told
    assert reasons(result) == []


def test_every_eval_ever_repetitions_without_the_key_are_refused(tmp_path: Path) -> None:
    """Of several rows of a sample none would be told from the others."""
    put(tmp_path, "e_samples.jsonl", lines([eee("a", 1.0), eee("b", 1.0, metadata={"level": "x"})]))
    result = run(tmp_path, format="every_eval_ever", logs="*.jsonl", epoch="epoch")
    assert result.samples["epoch"].to_list() == [2]
    assert reasons(result) == ["its metadata has no 'epoch'"]


def test_every_eval_ever_repetitions_with_names_can_be_numbered(tmp_path: Path) -> None:
    """A name is no number; the reason tells what to write, and so does that of repeats."""
    rows = [eee("a", 1.0, metadata={"epoch": f"run-{e}"}) for e in range(3)]
    put(tmp_path, "e.jsonl", lines(rows))
    keys = {"format": "every_eval_ever"}
    refused = reasons(run(tmp_path, **keys))
    assert [reason.split(";")[0] for reason in refused] == [
        f"epoch: 'run-{e}' is not int" for e in range(3)
    ]
    assert all("`epoch: $row` in config.yaml" in reason for reason in refused)
    assert run(tmp_path, **keys, epoch="$row").samples["epoch"].to_list() == [1, 2, 3]
    assert [entry(**keys, epoch=name).repeated() for name in ("$row", "run", "")] == [
        "", "", "`epoch: $row`",
    ]  # fmt: skip
    repeats = reasons(run(tmp_path, **keys, epoch=""))
    assert len(repeats) == 2
    assert "`epoch: $row` in config.yaml" in repeats[0]


def test_every_eval_ever_metrics_of_one_name_stay_apart(tmp_path: Path) -> None:
    """Two scorers may measure the same: then each result keeps its whole name."""
    ids = ["choice:accuracy", "match:accuracy", "f1#org/m"]
    names = ["accuracy", "accuracy", "f1"]
    put(tmp_path, "e.jsonl", lines([eee("a", 1.0, evaluation_result_id=one) for one in ids]))
    results = [
        {"evaluation_result_id": one, "metric_config": {"metric_id": name}}
        for one, name in zip(ids, names, strict=True)
    ]
    put(tmp_path, "e.json", {"evaluation_results": results})
    result = run(tmp_path, format="every_eval_ever")
    assert reasons(result) == []
    assert set(result.samples["scorer"]) == {*ids[:2], "f1"}


def test_every_eval_ever_settings_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    """Of two results of one name, with other settings, none is chosen; ids tell them apart."""
    put(tmp_path, "e.jsonl", lines([eee("a", 1.0), eee("b", 1.0, evaluation_result_id="r2")]))
    results = [
        {
            "evaluation_name": "gsm8k",
            "evaluation_result_id": f"r{n}",
            "metric_config": {"metric_id": "accuracy"},
            "generation_config": {"generation_args": {"temperature": n / 4}},
        }
        for n in (1, 2)
    ]
    other: dict[str, Any] = {"evaluation_name": "mmlu", "evaluation_result_id": "org/m/mmlu"}
    other["metric_config"] = {"metric_id": "accuracy"}
    put(tmp_path, "e.json", {"evaluation_results": [*results, other]})
    row = eee("c", 1.0, evaluation_result_id="org/m/mmlu", evaluation_name="mmlu")
    with (tmp_path / "e.jsonl").open("ab") as file:
        file.write(lines([row]))
    keys: dict[str, Any] = {"format": "every_eval_ever", "params": {"temperature": "float"}}
    result = run(tmp_path, **keys)
    names = ("sample_id", "temperature", "scorer")
    assert result.samples.sort("sample_id").select(names).rows() == [
        ("b", 0.5, "r2"),
        ("c", None, "accuracy"),
    ]
    assert reasons(result) == ["the evaluation's own file tells several settings of this result"]
    assert len(run(tmp_path, format="every_eval_ever").samples) == 3


@pytest.mark.parametrize("name", ["lm_eval", "helm", "every_eval_ever", "qwen_math"])
def test_what_lies_beside_logs_is_no_refused_record(name: str, tmp_path: Path) -> None:
    """A broad pattern names the files beside logs too: they are known, and hold no records."""
    files, keys = specimens.SOURCES[name]
    other = {
        "helm": "stats.json",
        "every_eval_ever": "e.json",
        "qwen_math": "m/t/test_p_-1_seed0_t0.0_s0_e-1_p_metrics.json",
    }
    specimens.write(tmp_path, files | ({other[name]: b"{}"} if name in other else {}))
    result = run(tmp_path, **keys | {"logs": "**/*.*"})
    assert reasons(result) == []
    assert len(result.samples) >= 4


@pytest.mark.parametrize("kind", ["jsonl", "csv", "json"])
def test_repetitions_that_nothing_tells_apart_are_told_with_the_cure(
    kind: str, tmp_path: Path
) -> None:
    """However many records repeat, there is one reason, and it names the key that mends them."""
    rows = [{"id": n % 3, "run": f"r{n}", "score": 1} for n in range(12)]
    cells = "".join(f"{row['id']},{row['run']},1\n" for row in rows)
    content = {
        "jsonl": lines(rows),
        "csv": b"id,run,score\n" + cells.encode(),
        "json": json.dumps(rows).encode(),
    }
    put(tmp_path, f"a.{kind}", content[kind])
    keys: dict[str, Any] = {"format": kind} | ({"each": "$"} if kind == "json" else {})
    number = "$key" if kind == "json" else "$row"
    fields = {"sample_id": "id", "score": "score"}
    for told, count in ((fields, 9), (fields | {"epoch": "run"}, 12)):
        found = reasons(run(tmp_path, **keys, fields=told))
        assert len(found) == count
        assert all(f"epoch: {number}" in reason for reason in found)
        assert count == 12 or len({*found}) == 1
    mended = run(tmp_path, **keys, fields=fields | {"epoch": number})
    assert (len(mended.samples), len(mended.rejected)) == (12, 0)


DYNTS = "sweep/files/m_t_N2-R0.1-KW500-PKVL5000.jsonl"


def dynts(root: Path, average: float, statistics: bytes | None = None) -> None:
    rows = [
        {"question_id": q, "answer_id": a, "score": q == a, "num_decode_tokens": 7}
        for q in range(2)
        for a in range(2)
    ]
    put(root, DYNTS, lines(rows))
    group = {
        "info_id": [[0, 0], [0, 1], [1, 0]],
        "peak_kvcache": 86,
        "time_per_decode_step": [0.25, 0.5],
        "kvmem_per_decode_step": [1.0, 3.0],
        "num_decode_tokens": [7, 7, 7],
    }
    put(root, DYNTS.replace("files", "statistics"), statistics or lines([group]))
    run_of = {"model_name": "m", "data_name": "t", "ratio": 0.1, "kept_window": 500}
    metrics = [run_of | {"prune_kvlength": 5000, "avg@2": value} for value in (10.0, average)]
    put(root, "sweep/metrics.jsonl", lines([*metrics, run_of | {"ratio": 0.2, "avg@2": 1}]))


@pytest.mark.parametrize("made", [(True, True), (True, False), (False, False)])
def test_dynts_rows_may_be_reconstructed(made: tuple[bool, bool], tmp_path: Path) -> None:
    """Each by itself; a log that says nothing of it was written by the harness."""
    rows = [
        {"question_id": n, "answer_id": 0, "score": 1} | ({"reconstructed": True} if m else {})
        for n, m in enumerate(made)
    ]
    put(tmp_path, DYNTS, lines(rows))
    result = run(tmp_path, format="dynts", logs="sweep/files/*")
    assert tuple(result.samples["reconstructed"]) == made


def test_dynts_files_beside_logs_are_known_by_their_places() -> None:
    """By the folder that they lie in, or by name."""
    paths = ["metrics.jsonl", "a/metrics.jsonl", "a/statistics/x.jsonl", "statistics/a/x.jsonl"]
    assert [module.Entry.is_sidecar(path) for path in paths] == [True, True, True, False]


def test_dynts_statistics_are_joined_by_sample(tmp_path: Path) -> None:
    """Measures of a batch belong to the samples that its info_id names; others have none."""
    dynts(tmp_path, 50.0)
    result = run(tmp_path, format="dynts", logs="sweep/files/*", statistics=True)
    names = ("sample_id", "epoch", "peak_kvcache", "decode_time", "memory", "tokens")
    assert result.samples.select(names).rows() == [
        ("0", 0, 86.0, 0.75, 3.0, 7.0),
        ("0", 1, 86.0, 0.75, 3.0, 7.0),
        ("1", 0, 86.0, 0.75, 3.0, 7.0),
        ("1", 1, None, None, None, 7.0),
    ]


def test_dynts_statistics_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """A damaged or missing statistics file is a reject; the scores stay."""
    dynts(tmp_path, 50.0, b'{"info_id": 3}\n')
    keys: dict[str, Any] = {"format": "dynts", "logs": "sweep/files/*", "statistics": True}
    result = run(tmp_path, **keys)
    assert "Expected `array`, got `int`" in reasons(result)[0]
    assert len(result.samples) == 4
    dynts(tmp_path, 50.0, b"\xff\n")
    assert (
        "statistics/m_t_N2-R0.1-KW500-PKVL5000.jsonl:1: invalid UTF-8"
        in reasons(run(tmp_path, **keys))[0]
    )
    beside = tmp_path / DYNTS.replace("files", "statistics")
    beside.unlink()
    assert "no statistics file" in reasons(run(tmp_path, **keys))[0]


def test_dynts_files_lie_beside_those_of_their_run(tmp_path: Path) -> None:
    """However deep; a bad line or an empty one costs no other, and is named with its place."""
    group = {"info_id": [[0, 0]], "peak_kvcache": 1e999}
    data = b'{"info_id": 3}\n\n' + lines([group | {"time_per_decode_step": []}])
    for above in ("", "a/b/"):
        log = above + "files/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
        put(tmp_path, log, lines([{"question_id": 0, "answer_id": 0, "score": True}]))
        assert dynts_format.metrics(log, tmp_path) == ""
        put(tmp_path, f"{above}metrics.jsonl", b"")
        assert dynts_format.metrics(log, tmp_path) == f"{above}metrics.jsonl"
        path = log.replace("files", "statistics")
        put(tmp_path, path, data.replace(b"Infinity", b"2"))
        assert dynts_format.statistics(log, tmp_path) == path
        found, said = dynts_format.joined(Log(log, tmp_path, entry(format="dynts")))
        assert found == {("0", 0): (2.0, None, None)}
        assert said == [f"{path}:1: Expected `array`, got `int` - at `$.info_id`"]


def test_dynts_times_that_add_up_to_no_number_are_none(tmp_path: Path) -> None:
    """A sum beyond all floats costs the time of its batch, nothing else; an endless one is none."""
    group = {"peak_kvcache": 8, "kvmem_per_decode_step": [1.0, 3.0]}
    groups = [
        group | {"info_id": [[0, 0]], "time_per_decode_step": [1e308, 1e308]},
        group | {"info_id": [[0, 1]], "time_per_decode_step": [1.0, 0.5]},
        group | {"info_id": [[1, 0]], "time_per_decode_step": [1e999]},
    ]
    dynts(tmp_path, 50.0, lines(groups).replace(b"Infinity", b"1e999"))
    result = run(tmp_path, format="dynts", logs="sweep/files/*", statistics=True)
    told = result.samples.select("sample_id", "epoch", "peak_kvcache", "decode_time", "memory")
    assert told.rows() == [
        ("0", 0, 8.0, None, 3.0),
        ("0", 1, 8.0, 1.5, 3.0),
        ("1", 0, None, None, None),
        ("1", 1, None, None, None),
    ]
    (reason,) = reasons(result)
    assert reason.endswith(".jsonl:3: Number out of range - at `$.time_per_decode_step[0]`")


def test_dynts_names_tell_the_settings_or_none() -> None:
    """None of the parts may be missing, and what is `None` is no number."""
    told = module.settings("a_b_GPQA_D_N2-R0.1-KWNone-PKVL5.jsonl", ["a", "a_b"])
    assert told == {
        "model": "a_b",
        "task": "GPQA_D",
        "ratio": 0.1,
        "local_window": None,
        "prune_kvlength": 5,
    }
    for wrong in (
        "_t_N2-R0.1-KW1-PKVL5.jsonl",
        "m__N2-R0.1-KW1-PKVL5.jsonl",
        "m_N2-R0.1-KW1-PKVL5.jsonl",
        "m_t.jsonl",
    ):
        assert not (module.settings(wrong, []) or {}).get("task"), wrong


@pytest.mark.parametrize(
    ("average", "values"),
    [
        (50.0, [(50.0, [10.0])]),
        (43.3, [(43.3, [10.0])]),
        (10**400, [(10.0, [])]),
    ],
)
def test_dynts_metrics_are_a_second_opinion(
    average: float, values: list[Any], tmp_path: Path
) -> None:
    """Of the lines of a run all numbers are told, none of them as data; `metrics: false` none."""
    dynts(tmp_path, average)
    keys: dict[str, Any] = {"format": "dynts", "logs": "sweep/files/*"}
    assert reasons(run(tmp_path, **keys, metrics=True)) == []
    for told, expected in ((True, values), (False, [])):
        source = entry(**keys, metrics=told)
        found = module.printed(Log(DYNTS, tmp_path, source), source)
        assert [(one.value, one.earlier) for one in found] == expected
        assert source.printed_in(DYNTS, tmp_path) == ["sweep/metrics.jsonl"] * told


def test_dynts_gallery_logs_are_whole(project: Path) -> None:
    """No record of the gallery is refused, and each has the statistics of its batch."""
    keys: dict[str, Any] = {"format": "dynts", "logs": "full-cache/files/*"}
    result = run(project / "data/tiny-kv/logs/sweep", **keys, statistics=True, metrics=True)
    assert not len(result.rejected)
    assert not result.samples["peak_kvcache"].null_count()
