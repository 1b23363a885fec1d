"""heatproof init: a folder is looked into, and a config written whose figures fit what lies there."""

from __future__ import annotations

import csv
import io
import itertools
import json
import shutil
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from heatproof.cli.main import main
from heatproof.config import configuration
from heatproof.config.configuration import plain_data
from heatproof.formats import detection
from heatproof.start import families, pathparts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODELS, TASKS, TEMPS = ["gpt-nano", "tiny-a", "tiny-b"], ["arith", "pick"], [0.0, 0.3, 0.9]
IDS = [f"q{n}" for n in range(6)]
PAIRS = {"kind": "pairwise", "measure": "score", "models": MODELS}

Files = dict[str, str | bytes]


def right(*keys: Any) -> bool:
    """Right or wrong, always the same for the same keys."""
    return sum(map(ord, "".join(map(str, keys)))) % 3 > 0


def lines(records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def cells(rows: list[list[Any]], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def flat() -> Files:
    """One file: model, task, id and score in each line."""
    each = itertools.product(MODELS, TASKS, IDS)
    return {
        "all.jsonl": lines(
            {"model": m, "task": t, "id": i, "correct": right(m, t, i)} for m, t, i in each
        )
    }


def nested() -> Files:
    """A file for each setting; two numbers vary, in the records."""
    return {
        f"x{x}_{b}.jsonl": lines(
            {
                "config": {"model": "tiny-a", "temperature": x, "max_tokens": b},
                "problem": {"id": i},
                "result": {"correct": right(x, b, i), "tokens": b - n},
            }
            for n, i in enumerate(IDS)
        )
        for x in TEMPS
        for b in (128, 256)
    }


def headed() -> Files:
    """A document a run: settings at its head, a list of samples, seeds."""
    return {
        f"{m}_t{x}_s{s}.json": json.dumps(
            {
                "config": {"model": m, "sampling": {"temperature": x}, "seed": s},
                "samples": [
                    {"id": i, "correct": right(m, x, s, i), "score100": 100 * right(i, s)}
                    for i in IDS
                ],
            },
            indent=1,
        )
        for m, x, s in itertools.product(MODELS, TEMPS, (0, 1))
    }


def table() -> Files:
    """Cells with a semicolon between them and decimal commas, percent; models in names."""
    return {
        f"{m}.csv": cells(
            [
                ["question_id", "dataset", "score"],
                *([n, t, f"{50 * right(m, t, i)},5"] for t in TASKS for n, i in enumerate(IDS)),
            ],
            ";",
        )
        for m in MODELS
    }


def listed() -> Files:
    """A list at the top of each document."""
    return {
        f"{m}.json": json.dumps([{"qid": i, "acc": float(right(m, i))} for i in IDS])
        for m in MODELS
    }


def keyed() -> Files:
    """Documents keyed by problem; model and task in folders."""
    return {
        f"{m}/{t}.json": json.dumps({i: {"passed": right(m, t, i)} for i in IDS})
        for m in MODELS
        for t in TASKS
    }


def worded() -> Files:
    """Verdicts that are texts."""
    return {
        f"{m}/out.jsonl": lines(
            {"id": i, "verdict": "CORRECT" if right(m, i) else "INCORRECT"} for i in IDS
        )
        for m in MODELS
    }


def swept() -> Files:
    """Settings in names of folders and files alone, and seeds."""
    return {
        f"{m}/temperature={x}/seed_{s}.jsonl": lines(
            {"id": i, "success": right(m, x, s, i)} for i in IDS
        )
        for m, x, s in itertools.product(MODELS, TEMPS, (0, 1))
    }


def repeated() -> Files:
    """Attempts with numbers; two settings in names."""
    return {
        f"temp{x}-top_p{p}.jsonl": lines(
            {"problem_id": i, "attempt": k, "is_correct": right(x, p, i, k)}
            for i in IDS
            for k in range(2)
        )
        for x in TEMPS
        for p in (0.5, 1.0)
    }


def unnumbered() -> Files:
    """Attempts that nothing numbers."""
    return {
        f"{m}.jsonl": lines({"id": i, "correct": right(m, i, k)} for i in IDS for k in range(3))
        for m in MODELS
    }


def rerun() -> Files:
    """The same problems of the same settings at two times."""
    return {
        f"{m}_2026-01-0{t}T10-11-12.jsonl": lines({"id": i, "correct": right(m, i, t)} for i in IDS)
        for m in MODELS
        for t in (1, 2)
    }


def attempts() -> Files:
    """Lists of scores in a record."""
    return {
        f"{m}.jsonl": lines(
            {"idx": n, "scores": [int(right(m, i, k)) for k in range(4)]} for n, i in enumerate(IDS)
        )
        for m in MODELS
    }


def single() -> Files:
    """A file for each cell, rated from 1 to 10."""
    return {
        f"{m}/len_{a}_depth_{b}.json": json.dumps(
            {"model": m, "context_length": a, "depth_percent": b, "score": 1 + (a + b // 10) % 10}
        )
        for m in MODELS
        for a in (1000, 2003)
        for b in (0, 50, 100)
    }


def styled() -> Files:
    """A setting that is a word; records deep in a document with an aggregate."""
    return {
        f"run_{m}_{s}.json": json.dumps(
            {
                "meta": {"model_name": m, "prompt_style": s, "date": "2026-01-02"},
                "results": {
                    "accuracy": 0.5,
                    "items": [{"id": i, "correct": right(m, s, i)} for i in IDS],
                },
            }
        )
        for m in MODELS
        for s in ("cot", "plain")
    }


def beside() -> Files:
    """A folder a run: its settings in a hidden one, its problems, and what sums them up."""
    found: Files = {}
    for m, x, s in itertools.product(MODELS, TEMPS, (0, 1)):
        run = f"2026-01-0{s + 1}/{MODELS.index(m)}0-0{TEMPS.index(x)}-00"
        told = {"model": {"name": m}, "sampling": {"temperature": x, "top_p": 1.0}, "seed": s}
        found[f"{run}/.hydra/config.yaml"] = yaml.safe_dump(told)
        found[f"{run}/predictions.jsonl"] = lines({"id": i, "correct": right(m, x, i)} for i in IDS)
        found[f"{run}/metrics.json"] = json.dumps({"accuracy": 0.5})
    return found


def named_beside() -> Files:
    """Settings in a file of the log's own name."""
    found: Files = {}
    for n, (m, x) in enumerate(itertools.product(MODELS, TEMPS)):
        found[f"run{n}.csv"] = cells([["id", "correct"], *([i, int(right(m, x, i))] for i in IDS)])
        found[f"run{n}.args.json"] = json.dumps({"model_path": m, "temperature": x})
    return found


def prompted() -> Files:
    """A column called as texts are, each of whose values every problem meets once."""
    each = itertools.product(MODELS, ("zero", "few"), IDS)
    return {
        "all.csv": cells(
            [
                ["model", "prompt", "qid", "answer", "em", "f1"],
                *([m, p, i, "AB"[right(m, p, i)], int(right(m, p, i)), 0.5] for m, p, i in each),
            ]
        )
    }


SEEDED: dict[str, Any] = {
    "logs": {
        "kind": "heatmap",
        "pool": ["seed"],
        "encoding": {"x": "temperature", "y": "model", "color": "pass@1"},
    },
    "logs-line": {
        "kind": "line",
        "pool": ["seed"],
        "encoding": {"x": "temperature", "y": "pass@1", "color": "model"},
    },
    "logs-pairs": {**PAIRS, "join": ["sample_id", "temperature", "seed"]},
}
"""The figures of models over a temperature, with seeds."""

LAYOUTS: dict[str, tuple[Callable[[], Files], dict[str, Any], dict[str, Any]]] = {
    "flat": (
        flat,
        {
            "format": "jsonl",
            "logs": "logs/all.jsonl",
            "fields": {"model": "model", "task": "task", "sample_id": "id", "score": "correct"},
        },
        {
            "all": {"kind": "heatmap", "encoding": {"x": "task", "y": "model", "color": "pass@1"}},
            "all-pairs": {**PAIRS, "join": ["sample_id", "task"]},
        },
    ),
    "nested": (
        nested,
        {
            "format": "jsonl",
            "logs": "logs/*.jsonl",
            "set": {"task": "mine"},
            "fields": {
                "model": "config.model",
                "sample_id": "problem.id",
                "score": "result.correct",
            },
            "params": {
                "temperature": {"type": "float", "field": "config.temperature"},
                "max_tokens": {"type": "int", "field": "config.max_tokens"},
            },
        },
        {
            "logs": {
                "kind": "heatmap",
                "encoding": {"x": "temperature", "y": "max_tokens", "color": "pass@1"},
            }
        },
    ),
    "headed": (
        headed,
        {
            "format": "json",
            "logs": "logs/*.json",
            "each": "samples",
            "set": {"task": "mine"},
            "fields": {"model": "^config.model", "sample_id": "id", "score": "correct"},
            "params": {
                "temperature": {"type": "float", "field": "^config.sampling.temperature"},
                "seed": {"type": "int", "field": "^config.seed"},
            },
        },
        SEEDED,
    ),
    "table": (
        table,
        {
            "format": "csv",
            "logs": "logs/*.csv",
            "path": r"^logs/(?P<model>[^/]+?)\.csv$",
            "delimiter": ";",
            "decimal": ",",
            "fields": {"task": "dataset", "sample_id": "question_id", "score": "score"},
            "range": {"score": [0, 100]},
        },
        {
            "logs": {
                "kind": "heatmap",
                "encoding": {"x": "task", "y": "model", "color": "mean(score)"},
            },
            "logs-pairs": {**PAIRS, "join": ["sample_id", "task"]},
        },
    ),
    "listed": (
        listed,
        {
            "format": "json",
            "logs": "logs/*.json",
            "path": r"^logs/(?P<model>[^/]+?)\.json$",
            "each": "$",
            "set": {"task": "mine"},
            "fields": {"sample_id": "qid", "score": "acc"},
        },
        {
            "logs": {"kind": "heatmap", "encoding": {"x": "task", "y": "model", "color": "pass@1"}},
            "logs-pairs": PAIRS,
        },
    ),
    "keyed": (
        keyed,
        {
            "format": "json",
            "logs": "logs/**/*.json",
            "path": r"^logs/(?P<model>[^/]+?)/(?P<task>[^/]+?)\.json$",
            "each": "$",
            "fields": {"sample_id": "$key", "score": "passed"},
        },
        {
            "logs": {"kind": "heatmap", "encoding": {"x": "task", "y": "model", "color": "pass@1"}},
            "logs-pairs": {**PAIRS, "join": ["sample_id", "task"]},
        },
    ),
    "worded": (
        worded,
        {
            "format": "jsonl",
            "logs": "logs/**/*.jsonl",
            "path": r"^logs/(?P<model>[^/]+?)/out\.jsonl$",
            "set": {"task": "mine"},
            "fields": {"sample_id": "id", "score": "verdict"},
            "verdicts": {"CORRECT": 1, "INCORRECT": 0},
        },
        {
            "logs": {"kind": "heatmap", "encoding": {"x": "task", "y": "model", "color": "pass@1"}},
            "logs-pairs": PAIRS,
        },
    ),
    "swept": (
        swept,
        {
            "format": "jsonl",
            "logs": "logs/**/*.jsonl",
            "path": (
                r"^logs/(?P<model>[^/]+?)/temperature=(?P<temperature>[\d.]+)"
                r"/seed_(?P<seed>\d+)\.jsonl$"
            ),
            "set": {"task": "mine"},
            "fields": {"sample_id": "id", "score": "success"},
            "params": {"temperature": "float", "seed": "int"},
        },
        SEEDED,
    ),
    "repeated": (
        repeated,
        {
            "format": "jsonl",
            "logs": "logs/*.jsonl",
            "path": r"^logs/temp(?P<temperature>[\d.]+)-top_p(?P<top_p>[\d.]+)\.jsonl$",
            "set": {"model": "mine", "task": "mine"},
            "fields": {"sample_id": "problem_id", "epoch": "attempt", "score": "is_correct"},
            "params": {"temperature": "float", "top_p": "float"},
        },
        {
            "logs": {
                "kind": "heatmap",
                "encoding": {"x": "temperature", "y": "top_p", "color": "pass@1"},
            }
        },
    ),
    "unnumbered": (
        unnumbered,
        {
            "format": "jsonl",
            "logs": "logs/*.jsonl",
            "path": r"^logs/(?P<model>[^/]+?)\.jsonl$",
            "set": {"task": "mine"},
            "fields": {"sample_id": "id", "epoch": "$row", "score": "correct"},
        },
        {
            "logs": {"kind": "heatmap", "encoding": {"x": "task", "y": "model", "color": "pass@1"}},
            "logs-pairs": PAIRS,
        },
    ),
    "rerun": (
        rerun,
        {
            "format": "jsonl",
            "logs": "logs/*.jsonl",
            "path": r"^logs/(?P<model>[^/]+?)_(?P<repeat>[^/]+?)\.jsonl$",
            "set": {"task": "mine"},
            "fields": {"sample_id": "id", "score": "correct"},
            "params": {"repeat": "str"},
        },
        {
            "logs": {
                "kind": "heatmap",
                "pool": ["repeat"],
                "encoding": {"x": "task", "y": "model", "color": "pass@1"},
            },
            "logs-pairs": {**PAIRS, "join": ["sample_id", "repeat"]},
        },
    ),
    "attempts": (
        attempts,
        {
            "format": "jsonl",
            "logs": "logs/*.jsonl",
            "path": r"^logs/(?P<model>[^/]+?)\.jsonl$",
            "epochs": {"lists": ["score"]},
            "set": {"task": "mine"},
            "fields": {"sample_id": "idx", "score": "scores"},
        },
        {
            "logs": {"kind": "heatmap", "encoding": {"x": "task", "y": "model", "color": "pass@1"}},
            "logs-pairs": PAIRS,
        },
    ),
    "single": (
        single,
        {
            "format": "json",
            "logs": "logs/**/*.json",
            "set": {"sample_id": "all", "task": "mine"},
            "fields": {"model": "model", "score": "score"},
            "params": {"context_length": "int", "depth_percent": "int"},
            "range": {"score": [1, 10]},
        },
        {
            "logs": {
                "kind": "heatmap",
                "panel": "model",
                "encoding": {"x": "depth_percent", "y": "context_length", "color": "mean(score)"},
            },
            "logs-pairs": {**PAIRS, "join": ["context_length", "depth_percent"]},
        },
    ),
    "styled": (
        styled,
        {
            "format": "json",
            "logs": "logs/*.json",
            "each": "results.items",
            "set": {"task": "mine"},
            "fields": {"model": "^meta.model_name", "sample_id": "id", "score": "correct"},
            "params": {"prompt_style": {"type": "str", "field": "^meta.prompt_style"}},
        },
        {
            "logs": {
                "kind": "heatmap",
                "encoding": {"x": "prompt_style", "y": "model", "color": "pass@1"},
            },
            "logs-pairs": {**PAIRS, "join": ["sample_id", "prompt_style"]},
        },
    ),
    "beside": (
        beside,
        {
            "format": "jsonl",
            "logs": "logs/**/*.jsonl",
            "sidecar": ".hydra/config.yaml",
            "set": {"task": "mine"},
            "fields": {"model": "^model.name", "sample_id": "id", "score": "correct"},
            "params": {
                "temperature": {"type": "float", "field": "^sampling.temperature"},
                "seed": {"type": "int", "field": "^seed"},
            },
        },
        SEEDED,
    ),
    "named_beside": (
        named_beside,
        {
            "format": "csv",
            "logs": "logs/*.csv",
            "sidecar": "{name}.args.json",
            "set": {"task": "mine"},
            "fields": {"model": "^model_path", "sample_id": "id", "score": "correct"},
            "params": {"temperature": {"type": "float", "field": "^temperature"}},
        },
        {
            "logs": {
                "kind": "heatmap",
                "encoding": {"x": "temperature", "y": "model", "color": "pass@1"},
            },
            "logs-line": {
                "kind": "line",
                "encoding": {"x": "temperature", "y": "pass@1", "color": "model"},
            },
            "logs-pairs": {**PAIRS, "join": ["sample_id", "temperature"]},
        },
    ),
    "prompted": (
        prompted,
        {
            "format": "csv",
            "logs": "logs/all.csv",
            "set": {"task": "mine"},
            "fields": {"model": "model", "sample_id": "qid", "score": "em"},
            "params": {"prompt": "str"},
        },
        {
            "all": {
                "kind": "heatmap",
                "encoding": {"x": "prompt", "y": "model", "color": "pass@1"},
            },
            "all-pairs": {**PAIRS, "join": ["sample_id", "prompt"]},
        },
    ),
}
"""Layout → its files, the source that is written for it, and its figures."""


def put(root: Path, files: Files) -> None:
    """Write files below `logs/`."""
    for name, content in files.items():
        path = root / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def init(root: Path, *options: str) -> dict[str, Any]:
    """What is written for the folder `logs`, as YAML reads it.

    It is a sound config, and so by the schema that its first line names.
    """
    assert main(["init", str(root / "logs"), "--project", str(root), *options]) == 0
    text = (root / "config.yaml").read_text()
    found: dict[str, Any] = yaml.safe_load(text)
    configuration.read(found, root)
    if "--add" not in options:
        named = text.partition("\n")[0].partition("$schema=")[2]
        jsonschema.validate(plain_data(found), json.loads((root / named).read_text()))
    return found


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read_and_its_figures_fit(name: str, tmp_path: Path) -> None:
    """The config says where everything stands, and shows what varies."""
    files, source, figures = LAYOUTS[name]
    put(tmp_path, files())
    found = init(tmp_path)
    [(called, written)] = found["sources"].items()
    assert written == source
    assert found["figures"] == {
        figure: entry | {"source": called} for figure, entry in figures.items()
    }


STEPS = {"agent-a": [3, 9, 4, 8, 12, 30], "agent-b": [7, 5, 6, 11, 10, 13]}
AGENTS = {
    f"{m}/task_{n:03d}/result.json": json.dumps(
        {"task_id": f"task_{n:03d}", "success": right(m, i), "num_steps": STEPS[m][n]}
    )
    for m in STEPS
    for n, i in enumerate(IDS)
}
LANGUAGES = {
    f"{m}/xnli_{lang}.json": json.dumps(
        {"metadata": {"lang": lang, "acc": 0.5}, "rows": [{"id": i, "hit": right(m, i, lang)}
                                                          for i in IDS]}
    )
    for m in MODELS[1:]
    for lang in ("de", "en")
}  # fmt: skip
UNNAMED = {
    "gpt-4o_gsm8k_results.jsonl": lines(
        {"idx": i, "is_chat": True, "good": right(i), "label": 0} for i in IDS
    )
}

NESTED = {
    "all.json": json.dumps(
        {m: {t: {i: right(m, t, i) for i in IDS} for t in TASKS} for m in MODELS}
    )
}
GROUPED = {
    "run.jsonl": lines(
        {"model": m, "example": {"id": i}, "metrics": {"em": right(m, i), "f1": n / 7}}
        for m in MODELS
        for n, i in enumerate(IDS)
    )
}
LAYERS = {
    "heads.csv": cells(
        [["layer", "head", "accuracy"], *([a, b, (a + b) / 9] for a in range(5) for b in range(4))]
    )
}


@pytest.mark.parametrize(
    ("files", "written"),
    [
        (NESTED, {"each": "{model}.{task}", "fields": {"sample_id": "$key", "score": "$value"}}),
        (GROUPED, {"set": {"task": "mine"}, "aggregates": None,
                   "fields": {"model": "model", "sample_id": "example.id", "score": "metrics.em"}}),
        (LAYERS, {"params": {"layer": "int", "head": "int"}, "aggregates": {"accuracy": "accuracy"}}),
        (AGENTS, {"fields": {"sample_id": "task_id", "score": "success"}, "set": {"task": "mine"},
                  "path": "^logs/(?P<model>[^/]+?)/task_"}),
        (LANGUAGES, {"each": "rows", "fields": {"sample_id": "id", "score": "hit"},
                     "params": {"lang": {"type": "str", "field": "^metadata.lang"}}}),
        (UNNAMED, {"set": {"model": "gpt-4o", "task": "gsm8k"},
                   "fields": {"sample_id": "idx", "score": "good"}}),
    ],
    ids=["bare-values-below-two-keys", "scores-in-a-group", "a-number-a-cell", "measured-in-a-file-each", "documents-with-a-mean-in-their-head", "one-file"],
)  # fmt: skip
def test_what_is_measured_is_no_setting(
    files: Files, written: dict[str, Any], tmp_path: Path
) -> None:
    """Numbers that differ from problem to problem, means of a log; names that tell a model."""
    put(tmp_path, files)
    [source] = init(tmp_path)["sources"].values()
    assert {key: source.get(key) for key in written} == written
    assert "params" in written or "params" not in source


def test_files_that_cannot_be_used_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pointers first and by name; empty files, pickles and documents without a score; the rest."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 123456\n"
    put(
        tmp_path,
        keyed()
        | {"big.jsonl": pointer, "old.pkl": "x" * 90, "none.jsonl": " \n", "README.md": "# x"}
        | {"gpt-nano/settings.json": '{"lr": 1}', "plot.png": b"\x89PNG"},
    )
    found = init(tmp_path)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("pointer   logs/big.jsonl is a git-LFS pointer, not logs (123,456 by")
    assert "git lfs pull, then heatproof init --add" in said[0]
    assert (
        "unread    logs/old.pkl: pickles and arrays are not opened; export JSON lines"
        in "\n".join(said)
    )
    assert "unread    logs/gpt-nano/settings.json: no score in its records; they have lr" in said
    assert "empty     logs/none.jsonl" in said
    assert "passed    2 other files (.md, .png)" in said
    [source] = found["sources"].values()
    assert source["logs"] == [f"logs/{m}/{t}.json" for m in MODELS for t in TASKS]


def test_numbers_of_whole_runs_are_no_scores(tmp_path: Path) -> None:
    """With a standard error beside it, a number is of a run: it is not taken for a problem's."""
    put(tmp_path, {"table.csv": cells([["lr", "acc", "acc_stderr"], [1, 0.4, 0.02]])})
    assert main(["init", str(tmp_path / "logs"), "--project", str(tmp_path)]) == 0
    (source,) = yaml.safe_load((tmp_path / "config.yaml").read_text())["sources"].values()
    assert source["aggregates"] == {"acc": {"value": "acc", "stderr": "acc_stderr"}}
    assert "fields" not in source


def test_what_is_lacking_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A combination without a run, and a run with fewer problems."""
    files = keyed()
    del files["tiny-b/pick.json"]
    files["tiny-a/arith.json"] = json.dumps({i: {"passed": True} for i in IDS[:4]})
    put(tmp_path, files)
    init(tmp_path)
    said = capsys.readouterr().out
    assert "runs      5 runs, 6 problems in each, but fewer in 1\n" in said
    assert "lacking   1 of 6 combinations of model × task has no run\n" in said


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A config that is there stays, but for --force; --dry-run prints the new one."""
    put(tmp_path, flat())
    (tmp_path / "config.yaml").write_text("mine\n")
    call = ["init", str(tmp_path / "logs"), "--project", str(tmp_path)]
    assert main(call) == 2
    assert "--add adds to it, --force replaces it" in capsys.readouterr().err
    assert main([*call, "--dry-run"]) == 0
    assert "sources:\n  all:\n" in capsys.readouterr().out
    assert (tmp_path / "config.yaml").read_text() == "mine\n"
    assert main([*call, "--force"]) == 0
    assert "all" in yaml.safe_load((tmp_path / "config.yaml").read_text())["sources"]


GIVEN = """\
# mine
sources:
    own: {format: jsonl, logs: "logs/a/*.jsonl", fields: {sample_id: id, score: correct}}   # kept
figures:
    own:
        kind: heatmap
        source: own
        encoding: {x: task, y: model, color: pass@1}

    # the end
.notes: []
"""


def test_more_is_added_to_a_config_without_touching_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All its lines stay, logs that it names are left out, and names that it has are not taken."""
    one = lines({"id": i, "correct": right(i)} for i in IDS)
    put(tmp_path, {"a/x.jsonl": one, "b/own.jsonl": one})
    (tmp_path / "config.yaml").write_text(GIVEN)
    found = init(tmp_path, "--add")
    text = (tmp_path / "config.yaml").read_text().splitlines()
    assert [line for line in text if line in GIVEN.splitlines()] == GIVEN.splitlines()
    assert [*found["sources"]] == ["own", "own2"]
    assert found["sources"]["own2"]["logs"] == "logs/b/own.jsonl"
    assert [*found["figures"]] == ["own", "own2"]
    assert "known     1 file that the config reads already" in capsys.readouterr().out


def test_logs_elsewhere_have_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder outside of the project has a name in it, and the config says for what it stands."""
    put(tmp_path, flat())
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    assert main(["init", "../logs", "--dry-run"]) == 0
    assert "roots:\n  logs: ../logs" in capsys.readouterr().out
    assert not [*project.iterdir()]
    for options in ([], ["--force"]):
        assert main(["init", "../logs", *options]) == 0
        found = yaml.safe_load((project / "config.yaml").read_text())
        assert found["sources"]["all"]["logs"] == "logs/all.jsonl"
        assert found["roots"] == {"logs": "../logs"}
        assert (project / "logs").readlink().as_posix() == "../logs"
    assert "link      logs stands for ../logs, as roots says" in capsys.readouterr().out
    (tmp_path / "more x").mkdir()
    (tmp_path / "more x/b.jsonl").write_text(flat()["all.jsonl"])  # type: ignore[arg-type]
    assert main(["init", "../more x", "--add"]) == 0
    found = yaml.safe_load((project / "config.yaml").read_text())
    assert found["roots"] == {"logs": "../logs", "more-x": "../more x"}
    assert main(["init", ".."]) == 2


def test_logs_where_results_are_written_stay_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Said with what to do, which then works; results of our own are passed over in silence."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results/all.jsonl").write_text(flat()["all.jsonl"])  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    told = "mkdir figures && cd figures && heatproof init ../results"
    assert main(["init", "."]) == 1
    assert told in capsys.readouterr().out
    assert main(["init", "results"]) == 2
    assert told in capsys.readouterr().err
    (tmp_path / "figures").mkdir()
    monkeypatch.chdir(tmp_path / "figures")
    assert main(["init", "../results"]) == 0
    found = yaml.safe_load((tmp_path / "figures/config.yaml").read_text())
    assert found["roots"] == {"logs": "../results"}
    assert found["sources"]["all"]["logs"] == "logs/all.jsonl"
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(tmp_path / "figures")
    (tmp_path / "results/summary.json").write_text("{}")
    capsys.readouterr()
    assert main(["init", "."]) == 1
    assert told not in capsys.readouterr().out


def test_where_two_places_may_be_the_score_both_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of them as a comment where nobody answers; at a terminal, the one that is chosen."""
    each = [{"id": i, "correct": right(i), "passed": right(i, 1)} for i in IDS]
    put(tmp_path, {"a.jsonl": lines(each)})
    assert init(tmp_path)["sources"]["a"]["fields"]["score"] == "correct"
    assert "      # score: passed" in (tmp_path / "config.yaml").read_text()
    assert "not sure  correct is taken for the score; passed may be it, too" in (
        capsys.readouterr().out
    )
    answers = io.StringIO("7\n2\n")
    monkeypatch.setattr(answers, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", answers)
    assert init(tmp_path, "--force")["sources"]["a"]["fields"]["score"] == "passed"
    assert "?         logs/a.jsonl: which is the score?" in capsys.readouterr().out
    assert "# score" not in (tmp_path / "config.yaml").read_text()


def test_only_the_beginnings_of_many_and_long_logs_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So many files, so many bytes of each: the rest has the format of its neighbours."""
    monkeypatch.setattr(detection, "HEAD", 200)
    monkeypatch.setattr(families, "BUDGET", 0)
    put(tmp_path, swept() | listed())
    monkeypatch.setattr("heatproof.start.inventory.chosen.__defaults__", (9,))
    found = init(tmp_path)
    assert [source["format"] for source in found["sources"].values()] == ["json", "jsonl"]
    said = capsys.readouterr().out
    assert " of 18 logs were read" in said
    assert "18 files, such as logs/gpt-nano/temperature=0.0/seed_0.jsonl" in said


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["gpt-4", "llama-2-7b", "tiny"], ["gpt-4|llama-2-7b|tiny"]),
        (["gpt-4-math", "gpt-4-gsm8k", "tiny-math", "tiny-gsm8k"], ["gpt-4|tiny", "gsm8k|math"]),
        (["tiny-a_s0", "tiny-b_s1"], ["tiny-a|tiny-b", "s: 0|1"]),
        (["model=a,lr=1e-3", "model=b,lr=1e-4"], ["model: a|b", "lr: 1e-3|1e-4"]),
        (
            ["a 2026-01-02T03-04", "b 2026-01-03T03-04"],
            ["a|b", "2026-01-02T03-04|2026-01-03T03-04"],
        ),
        (["token_len_10_depth_5", "token_len_20_depth_6"], ["token_len: 10|20", "depth: 5|6"]),
        (["run_tiny-a_cot", "run_tiny-b_plain"], ["tiny-a_cot|tiny-b_plain"]),
    ],
)
def test_the_parts_of_names(paths: list[str], found: list[str]) -> None:
    """Words that belong together stay so; numbers are named by the word before them."""
    given = [f"runs/{path}.json" for path in paths]
    tokens = pathparts.parts(given)
    parts = [(n, one) for n, one in enumerate(tokens) if isinstance(one, pathparts.Part)]
    told = [
        (f"{one.key}: " if one.key else "") + "|".join(sorted({*one.values})) for _, one in parts
    ]
    assert told == found
    assert pathparts.pattern(tokens, {n: f"g{n}" for n, _ in parts}, given)
