"""What a harness printed beside its logs is compared with what is counted, and is never data."""

from __future__ import annotations

import csv
import io
import json
import random
import statistics
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import specimens
from heatproof import formats
from heatproof import printed as harness_numbers
from heatproof.formats import (
    helm_format,
    qwen_math_format,
)
from heatproof.formats import inspect_format as inspect_reader
from heatproof.formats.api import Log, Printed
from heatproof.logs import logs
from heatproof.page import gallery, summary
from heatproof.samples import normalize
from heatproof.statistics.repeats import is_known, reduced
from heatproof.util import registry
from heatproof.util.errors import Error
from reading import entry, lines
from reading import table as table_of

if TYPE_CHECKING:
    from pathlib import Path

QWEN = "m/t/test_p_-1_seed0_t0.0_s0_e-1"
FORMATS = [name for name in registry.names(formats)
           if hasattr(registry.load(formats, name), "printed")]  # fmt: skip


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _inspect(samples: list[dict[str, Any]], scores: list[dict[str, Any]], **keys: Any) -> bytes:
    head = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}
    return _json(head | {"results": {"scores": scores}, "samples": samples} | keys)


def _metric(name: str, **keys: Any) -> dict[str, Any]:
    """What Inspect prints of a scorer, a number a metric."""
    metrics = {key: {"name": key, "value": value} for key, value in keys.items()}
    return {"name": name, "scorer": name, "scored_samples": 4, "metrics": metrics}


MATCHED = [{"id": n, "epoch": 1, "scores": {"match": {"value": "C" if n else "I"}}}
           for n in range(4)]  # fmt: skip
STATS = [
    {"name": {"name": "em", "split": "test"}, "count": 1, "mean": 1.0},
    {"name": {"name": "num_instances", "split": "test"}, "count": 1, "mean": 4.0},
    {"name": {"name": "em", "split": "test", "perturbation": {"name": "robustness",
     "computed_on": "worst"}}, "count": 1, "mean": 0.0},
]  # fmt: skip
OF_RUN = {"model_name": "m", "data_name": "t", "ratio": 0.1, "kept_window": 500,
          "prune_kvlength": 5000, "avg@2": 100.0}  # fmt: skip
PASSED = [{"base_status": "pass", "plus_status": "pass"}]
IDS = {"resolved_ids": ["a-1"], "unresolved_ids": ["a-2", "a-3", "a-4"]}
SPEC = {"spec": {"completion_fns": ["m"], "eval_name": "add.dev.v0"}}
MATCHES = [{"sample_id": str(n), "type": "match", "data": {"correct": True}} for n in range(4)]
ALL_RIGHT = [{"example_abbr": f"a_{n}", "correct": [True]} for n in range(4)]
IN_LOGS: dict[str, tuple[str, bytes, dict[str, bytes], str]] = {
    "evalplus": (
        "org--m_vllm_temp_0.2.eval_results.json",
        _json({"eval": {"HumanEval/1": PASSED}, "pass_at_k": {"plus": {"pass@1": 1.0}}}),
        {},
        "",
    ),
    "swebench": ("org__m.run1.json", _json({"resolved_instances": 1.0, **IDS}), {}, ""),
    "openai_evals": (
        "a.jsonl",
        lines([SPEC, *MATCHES, {"final_report": {"accuracy": 1.0}}]),
        {},
        "",
    ),
    "opencompass": (
        "results/m/add.json",
        _json({"accuracy": 100.0, "details": ALL_RIGHT}),
        {},
        "",
    ),
    "lighteval": (
        f"results/org/m/results_{specimens.TIME}.json",
        _json({"config_general": {"model_name": "m"}, "results": {"add|5": {"em": 1.0}}}),
        {
            f"details/org/m/{specimens.TIME}/details_add|5_{specimens.TIME}.parquet": table_of(
                [{"doc": {"id": str(n)}, "metric": {"em": 1}} for n in range(4)]
            )
        },
        "details/**/*.parquet",
    ),
    "simple_evals": (
        "math_m_20260102_030405_allresults.json",
        _json({"score": 1.0, "htmls": ["<p>Score: 1</p>"] * 4}),
        {},
        "",
    ),
}
"""Format → file of the printed numbers, its bytes, what lies beside it, the logs if not that."""
GOOD: dict[str, tuple[dict[str, bytes], dict[str, Any], int, str]] = {
    "lm_eval": ({}, {}, 1, f"results_{specimens.TIME}.json"),
    "inspect": (
        {"log.json": _inspect(MATCHED, [_metric("match", accuracy=0.75, stderr=0.25)])},
        {"logs": "*.json"},
        2,
        "log.json",
    ),
    "helm": ({"stats.json": _json(STATS)}, {}, 1, "stats.json"),
    "qwen_math": (
        {f"{QWEN}_p_metrics.json": _json({"num_samples": 4, "acc": 100.0})},
        {"logs": "m/t/*.jsonl"},
        1,
        f"{QWEN}_p_metrics.json",
    ),
    "dynts": ({"s/metrics.jsonl": lines([OF_RUN])}, {}, 1, "s/metrics.jsonl"),
    **{
        name: ({path: data, **beside}, {"logs": log or path}, 1, path)
        for name, (path, data, beside, log) in IN_LOGS.items()
    },
}
"""Format → files beside those of the specimen, keys, how many numbers agree, where they stand."""


def compared(
    root: Path, files: dict[str, bytes], keys: dict[str, Any]
) -> tuple[list[harness_numbers.Comparison], str, list[dict[str, str]]]:
    """The comparison of a source as the workflow makes it: numbers, text and table."""
    specimens.write(root, files)
    source = entry(**keys)
    reader = registry.find(formats, source.format, "format", "log format")
    found = normalize.write(
        logs.find(source, root), root, source, reader.read, root / "s.pq", root / "r.pq"
    )
    refused = {one.log: one.rejected for one in found.manifest if one.records}
    printed = list(harness_numbers.read(refused, root, source, reader.printed))
    scored = harness_numbers.gather([root / "s.pq"], {one.over for _, one in printed})
    rows, others = harness_numbers.compare(printed, scored, refused)
    settings = ["model", "task", *source.columns().params]
    table = [harness_numbers.table_row(one, settings) for one in rows]
    text = harness_numbers.table(table, settings)
    assert list(csv.DictReader(io.StringIO(text))) or not table
    return rows, harness_numbers.summary(table, others), table


def good(name: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    files, keys = specimens.SOURCES[name]
    return files | GOOD[name][0], keys | GOOD[name][1]


def inspect(root: Path, scores: list[dict[str, Any]], values: Any, **keys: Any) -> Any:
    """The comparison of an Inspect log; `values`: of each problem, by epoch."""
    samples = [
        {"id": n, "epoch": e + 1, "scores": {"s": {"value": value}}}
        for n, epochs in enumerate(values)
        for e, value in enumerate(epochs)
    ]
    return compared(root, {"a.json": _inspect(samples, scores)}, {"format": "inspect"} | keys)


@pytest.mark.parametrize("name", FORMATS)
def test_good_logs_agree_with_what_is_printed(name: str, tmp_path: Path) -> None:
    """Of every format that has them, the numbers beside the specimen are found, and agree."""
    files, keys = good(name)
    rows, said, _ = compared(tmp_path, files, keys)
    assert [(row.agree, row.told.file) for row in rows] == [(True, GOOD[name][3])] * GOOD[name][2]
    assert said.startswith(f"Printed by the harness: {len(rows)} of {len(rows)} values agree.")
    source = entry(**keys)
    paths = logs.find(source, tmp_path)
    assert {f for path in paths for f in source.printed_in(path, tmp_path)} == {GOOD[name][3]}


@pytest.mark.parametrize("name", FORMATS)
def test_other_numbers_disagree_and_are_named(name: str, tmp_path: Path) -> None:
    """A number changed beside the logs is named with both values; samples stay as they were."""
    files, keys = good(name)
    old = b"0.75" if name == "inspect" else b"100.0" if b"100.0" in files[GOOD[name][3]] else b"1.0"
    changed = files | {GOOD[name][3]: files[GOOD[name][3]].replace(old, b"0.3")}
    (tmp_path / "a").mkdir()
    before, _, _ = compared(tmp_path / "a", files, keys)
    (tmp_path / "b").mkdir()
    rows, said, _ = compared(tmp_path / "b", changed, keys)
    [wrong] = [row for row in rows if row.agree is False]
    assert (wrong.printed, wrong.counted) == (0.3, before[0].counted)
    assert f"printed 0.3, counted {before[0].counted:g} (no reason is known)" in said
    assert [row.scored for row in rows] == [row.scored for row in before]


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_numbers_are_told_and_break_nothing(name: str, tmp_path: Path) -> None:
    """Whatever is done to the file, the comparison ends, and its text is plain."""
    files, keys = good(name)
    chance, path = random.Random(name), GOOD[name][3]
    damages = [b"", b"[]", b"{}", b"\x00", b"\xff\xfe", b"null", b"[" * 3000, b'{"results": 3}']
    damages += [specimens.mutated(files[path], chance) for _ in range(16)]
    for at, data in enumerate(damages):
        root = tmp_path / str(at)
        root.mkdir()
        _, said, _ = compared(root, files | {path: data}, keys)
        assert said.replace("\n", "").isprintable()


@pytest.mark.parametrize("name", [name for name in FORMATS if name in ("helm", "qwen_math")])
def test_damaged_files_are_named_at_the_end_of_a_run_and_on_the_page(
    name: str, tmp_path: Path
) -> None:
    """As numbers that do not agree are: by file and reason, not in the table alone."""
    files, keys = good(name)
    _, _, table = compared(tmp_path, files | {GOOD[name][3]: files[GOOD[name][3]][:-9]}, keys)
    said = f"{GOOD[name][3]} cannot be read: the document ends too early"
    [line] = harness_numbers.on_page("s", table, "s.csv").damaged
    assert line.startswith(said)
    assert line.count(GOOD[name][3]) == 1
    lines = summary.lines(
        {"s": {"logs": 1, "rows": 4, "rejected": 0, "printed": harness_numbers.outcome(table)}}
    )
    assert lines[-2].endswith("1 cannot be compared (results/printed/s.csv):")
    assert lines[-1] == f"        {line}"
    page = gallery.page(
        [], gallery.Totals(1, 1, 4, 0), [harness_numbers.on_page("s", table, "s.csv")]
    )
    assert f"<li>{escape(line)}</li>" in page


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """A file that is no document, and one that is too large, are told, each with its reason."""
    files, keys = good("helm")
    rows, said, _ = compared(tmp_path, files | {"stats.json": b'{"a": '}, keys)
    assert [row.agree for row in rows] == [None]
    assert "Cannot be compared:\n  1 × stats.json: " in said
    _, said, _ = compared(tmp_path, files, keys | {"max_document": 100})
    assert "1 × larger than the limit of 100 bytes" in said
    (tmp_path / "stats.json").unlink()
    (tmp_path / "stats.json").mkdir()
    assert entry(**keys).printed_in("per_instance_stats.json", tmp_path) == []


def test_texts_of_logs_are_shown_plainly(tmp_path: Path) -> None:
    """What steers a terminal is spelled out, and no cell of the table begins a formula."""
    scores = [_metric("s", **{"accuracy": 0.0, "=1+1": 1, "\x1b[31m": 2})]
    _, said, table = inspect(tmp_path, scores, [[1], [1], [1], [1]])
    assert said.replace("\n", "").isprintable()
    assert "\\x1b[31m" in said
    text = harness_numbers.table(
        [{**row, "model": "=1+1", "task": "-0.5"} for row in table], ["model", "task"]
    )
    assert text.count(",-0.5,") == len(table)
    assert not any(cell.startswith("=") for row in csv.reader(io.StringIO(text)) for cell in row)
    (tmp_path / "table.csv").write_text(text)
    back = harness_numbers.read_table(tmp_path / "table.csv")
    assert {row["model"] for row in back} == {"=1+1"}
    assert [row["name"] for row in back] == [row["name"] for row in table]
    assert json.dumps(harness_numbers.outcome(table)).isprintable()


@pytest.mark.parametrize(
    ("over", "value"),
    [
        ("mean", 1.75 / 3),
        ("median", 1.75 / 3),
        ("mode", 1.5 / 3),
        ("max", 2.5 / 3),
        ("at_least_1", 2 / 3),
        ("at_least_2", 1 / 3),
        ("pass_at_1", 1.5 / 3),
        ("pass_at_2", 2 / 3),
        ("pass_k_2", 1 / 3),
    ],
)
def test_epochs_are_reduced_as_inspect_does(over: str, value: float, tmp_path: Path) -> None:
    """Each reducer of Inspect, by hand: two right, one of two right, a half and nothing."""
    values = [[1, 1], [0, 1], [0.5, 0.0]]
    score = _metric("s", accuracy=value) | {"reducer": over, "scored_samples": 3}
    rows, _, _ = inspect(tmp_path, [score], values)
    assert [row.agree for row in rows] == [True]


def test_reductions_are_those_of_their_definitions() -> None:
    """Over problems of unlike size each reduction is what its definition says, by brute force."""
    chance = random.Random(0)
    groups = [[chance.choice([0.0, 0.5, 1.0]) for _ in range(chance.randint(1, 6))]
              for _ in range(50)]  # fmt: skip
    scores = np.array([score for group in groups for score in group])
    first = np.cumsum([0, *map(len, groups)])[:-1]

    def subsets(group: list[float], k: int, test: Any) -> float:
        found = [test(score >= 1 for score in some) for some in combinations(group, k)]
        return sum(found) / len(found) if found else float("nan")

    by_hand: dict[str, Any] = {
        "mean": statistics.fmean,
        "median": statistics.median,
        "mode": statistics.mode,
        "max": max,
        "first": lambda group: group[0],
        "at_least_2": lambda group: float(sum(score >= 1 for score in group) >= 2),
        "pass_at_3": lambda group: subsets(group, 3, any),
        "pass_k_2": lambda group: subsets(group, 2, all),
    }
    for over, plain in by_hand.items():
        np.testing.assert_allclose(reduced(scores, first, over), [plain(one) for one in groups])
        assert is_known(over)
    assert reduced(scores, first, "all") is scores
    assert not any(map(is_known, ["", "at_least_0", "best", "pass_at_", "mean_2"]))


def test_moments_do_not_depend_on_how_the_table_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read in pieces of a few rows, a table has the mean and spread that numpy gives of all."""
    chance = np.random.default_rng(0)
    values = chance.random((40, 3)).round(3)
    monkeypatch.setattr("heatproof.samples.parquet.GROUP", 7)
    score = _metric("s", mean=values.mean(), std=values.mean(axis=1).std(ddof=1),
                    var=values.mean(axis=1).var(ddof=1)) | {"scored_samples": 40}  # fmt: skip
    rows, _, _ = inspect(tmp_path, [score], values.tolist())
    assert [row.agree for row in rows] == [True] * 3
    assert rows[0].scored is not None
    assert (rows[0].problems, rows[0].scored.samples) == (40, 120)


@pytest.mark.parametrize(
    ("printed", "decimals", "agree"),
    [
        (66.66666666666667, None, True),
        (66.6666666666666, None, True),
        (66.666667, None, False),
        (66.7, None, False),
        (66.7, 1, True),
        (66.6, 1, False),
        (66.66, 2, False),
        (0.6666666666666666, None, False),
    ],
)
def test_digits_that_are_printed_must_be_right(
    printed: float, decimals: int | None, agree: bool
) -> None:
    """Rounded numbers have half a unit of their last digit to spare, others the noise of floats."""
    by = {"mean": harness_numbers.Moments(3, 2 / 3, 2 / 3)}
    scored = harness_numbers.Scored("log", "run", {"scorer": ""}, {}, 3, by)
    row = harness_numbers.Comparison("log", Printed(file="f", name="acc", value=printed, high=100,
                                  decimals=decimals), scored)  # fmt: skip
    assert row.agree is agree


def test_reasons_are_given_where_they_are_known(tmp_path: Path) -> None:
    """Fewer problems, refused records, percent, another reduction: each is said."""
    right = [[1], [1], [0], [0]]

    def notes(value: Any, values: Any = right, **keys: Any) -> str:
        score = _metric("s", accuracy=value) | keys
        rows, _, _ = inspect(tmp_path, [score], values)
        return rows[0].note

    assert notes(0.5) == ""
    assert notes(0.5, scored_samples=20) == "printed of 20, 4 problems read"
    assert notes(50) == "it is in percent"
    assert notes(0.5, [[1, 0]] * 4, reducer="max") == "it is the mean of all repeats"
    assert notes(1, [[1, 0]] * 4, reducer="max") == "the max of the repeats; the mean of all is 0.5"
    assert notes(0.4, [[1], [1], [0], [0], [None]], scored_samples=5) == (
        "printed of 5, 4 problems read; 1 record of the log refused"
    )
    assert notes(0.4, [[None]]) == "none of its samples is read; 1 record of the log refused"
    assert "not known here" in notes(0.5, reducer="best_of")
    assert notes("much") == "it is not a number"
    assert notes(10**400) == "it is not a number"


def test_lm_eval_prints_the_first_repeat_alone(tmp_path: Path) -> None:
    """With repeats the printed mean is of the first; that the mean of all differs is said."""
    files, keys = good("lm_eval")
    path = f"samples_add_{specimens.TIME}.jsonl"
    rows = [json.loads(line) for line in files[path].splitlines()]
    rows[0] |= {"resps": [["2", "1"]], "filtered_resps": ["2"], "exact_match": 0.0}
    results = {
        "add": {
            "alias": "add",
            "sample_len": 4,
            "exact_match,first": 0.75,
            "exact_match_stderr,first": 0.25,
            "exact_match,vote": 0.1,
            "f1,first": 0.3,
        }
    }
    beside = f"results_{specimens.TIME}.json"
    told_ = json.loads(files[beside]) | {"results": results}
    found, said, _ = compared(
        tmp_path, files | {path: lines(rows), beside: _json(told_)}, keys | {"metric": "exact_match",
        "filter": "first"},
    )  # fmt: skip
    assert [(row.told.name, row.agree) for row in found] == [
        ("exact_match,first", True),
        ("exact_match_stderr,first", True),
    ]
    assert found[0].note == "the first repeat alone; the mean of all is 0.5"
    assert "Of scores that config.yaml does not choose: 2." in said
    short = files | {path: lines(rows[:3]), beside: _json(told_)}
    found, _, _ = compared(tmp_path, short, keys | {"metric": "exact_match", "filter": "first"})
    assert found[0].note == "printed of 4, 3 problems read"


METRICS = [
    "odd",
    {"metric": "f1", "aggregation": "median"},
    {"metric": "exact_match"},
    {"metric": "acc", "aggregation": "nanmean"},
]
MEDIAN = "the task aggregates by 'median', not by the mean"
NANMEAN = "the task aggregates by 'nanmean', not by the mean"


@pytest.mark.parametrize(
    ("document", "told_"),
    [
        ({"acc": 66.7, "num_samples": 3}, ("acc", 66.7, 3, 1, "")),
        ({"acc": 67}, ("acc", 67.0, None, 1, "")),
        ({"acc": 66.67}, ("acc", 66.67, None, None, "")),
        ({"num_samples": 3}, ("acc", None, 3, None, "it has no number `acc`")),
        ({"acc": "66.7"}, ("acc", None, None, None, "it has no number `acc`")),
    ],
)
def test_numbers_of_qwen_math_with_what_they_are_of(
    document: dict[str, Any], told_: tuple[Any, ...], tmp_path: Path
) -> None:
    """The accuracy in percent as it is rounded; of two files the one that is named by the prompt."""
    path = f"old.jsonl/{QWEN}.jsonl"
    first, other = f"old.jsonl/{QWEN}_p_metrics.json", f"old.jsonl/{QWEN}_metrics.json"
    specimens.write(tmp_path, {path: b"", first: _json(document), other: _json({"acc": 1})})
    source = entry(format="qwen_math")
    log = Log(path, tmp_path, source)
    (one,) = qwen_math_format.printed(log, source)
    assert (one.name, one.value, one.problems, one.decimals, one.why) == told_
    assert (one.file, one.over, one.low, one.high) == (first, "first", 0, 100)
    assert source.printed_in("m/t/odd.jsonl", tmp_path) == []
    specimens.write(tmp_path, {first: b'{"acc": '})
    with pytest.raises(Error, match=f"^{first}: the document ends too early"):
        list(qwen_math_format.printed(log, source))
    (tmp_path / first).unlink()
    assert [(one.file, one.value) for one in qwen_math_format.printed(log, source)] == [
        (other, 1.0)
    ]


def test_shards_of_one_run_may_be_printed_together(tmp_path: Path) -> None:
    """A number of more problems than its log holds is compared with the run that has as many."""
    parts = {f"m/t/test_p_-1_seed0_t0.0_s{n}_e{n + 2}": [{"idx": n, "score": [n > 0]},
             {"idx": n + 1, "score": [True]}] for n in (0, 2)}  # fmt: skip
    files = {f"{stem}.jsonl": lines(rows) for stem, rows in parts.items()}
    one, two = parts
    files |= {f"{one}_p_metrics.json": _json({"num_samples": 2, "acc": 50.0})}
    files |= {f"{two}_p_metrics.json": _json({"num_samples": 4, "acc": 75.0})}
    rows, _, _ = compared(tmp_path, files, {"format": "qwen_math", "logs": "m/t/*.jsonl"})
    assert [(row.agree, row.problems) for row in rows] == [(True, 2), (True, 4)]


def test_numbers_of_helm_with_what_they_are_of(tmp_path: Path) -> None:
    """By split and perturbation; those of worst cases and of parts of a split are of none here."""
    worst = {"name": "r", "computed_on": "worst"}
    stats = [
        {"name": {"name": "em", "split": "test"}, "mean": 0.5},
        {"name": {"name": "em", "split": "test", "perturbation": {"name": "typos"}}, "mean": 0.25},
        {"name": {"name": "em"}, "mean": "x"},
        {"name": {"name": "em", "split": "test", "sub_split": "a"}, "mean": 0.75},
        {"name": {"name": "em", "split": "test", "perturbation": worst}, "mean": 0},
        {"name": {"name": "f1", "split": "test"}, "mean": 1},
        {"name": {"name": "num_instances", "split": "test"}, "mean": 4, "sum": 8},
        {"name": {"name": "num_instances", "split": "test", "perturbation": {"name": "typos"}},
         "mean": 2, "sum": 2},
        {"name": {"name": "num_instances", "split": "test", "perturbation": worst}, "sum": 9},
        {"name": {"name": "num_instances"}, "mean": 1, "sum": "?"},
    ]  # fmt: skip
    path = "a/b/per_instance_stats.json"
    specimens.write(tmp_path, {path: b"[]", "a/b/stats.json": _json(stats)})
    source = entry(format="helm", metric="em")
    log = Log(path, tmp_path, source)
    found = [(one.file, one.name, one.value, one.problems, one.why)
             for one in helm_format.printed(log, source)]  # fmt: skip
    assert found == [
        ("a/b/stats.json", "em, test", 0.5, 4, ""),
        ("a/b/stats.json", "em, test, typos", 0.25, 2, ""),
        ("a/b/stats.json", "em", None, 1, "it is not a number"),
    ]


def test_numbers_of_inspect_with_what_they_are_of(tmp_path: Path) -> None:
    """A key of a score that is a mapping, reduced; how many were graded, and completed."""
    metrics = {"accuracy": {"value": 0.5}}
    scores = [
        {"name": "tone", "scorer": "judge", "reducer": "max", "scored_samples": 3,
         "metrics": metrics},
        {"name": "match", "metrics": metrics},
    ]  # fmt: skip
    results = {"scores": scores, "completed_samples": 9}
    specimens.write(tmp_path, {"a.json": _inspect(MATCHED, [], results=results)})
    source = entry(format="inspect", range=[0, 10])
    found = [(one.name, one.scorer, one.over, one.problems, one.run, one.why)
             for one in inspect_reader.printed(Log("a.json", tmp_path, source), source)]  # fmt: skip
    assert found == [
        ("tone/max/accuracy", "judge.tone", "max", 3, 9, ""),
        ("match/accuracy", "match", "mean", None, 9, ""),
    ]


def test_scales_of_the_harness_are_kept(tmp_path: Path) -> None:
    """Scores that `range` brings to 0–1 are compared on the harness's own scale, spreads too."""
    score = _metric("s", mean=4.0, var=12.0, stderr=3**0.5)
    rows, _, _ = inspect(tmp_path, [score], [[1], [3], [3], [9]], range=[1, 10])
    assert [row.agree for row in rows] == [True] * 3


@pytest.mark.parametrize("kind", ["lm_eval", "inspect_sweep", "inspect_json"])
def test_real_logs_agree_with_what_their_harness_printed(
    kind: str, real_logs: Path, tmp_path: Path
) -> None:
    """Every number that lm-evaluation-harness and Inspect printed of real logs is found again."""
    keys: dict[str, Any] = {"format": kind.partition("_s")[0].partition("_j")[0]}
    if kind == "lm_eval":
        keys |= {"logs": "**/samples_*.jsonl", "filter": "take_first"}
    (tmp_path / kind).symlink_to(real_logs / kind)
    rows, _, _ = compared(tmp_path, {}, keys | {"logs": f"{kind}/{keys.get('logs', '*.*')}"})
    assert len(rows) == {"lm_eval": 40, "inspect_sweep": 24, "inspect_json": 4}[kind]
    assert all(row.agree for row in rows)
