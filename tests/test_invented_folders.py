"""heatproof init on folders that nobody has written: what it draws is what a plain count finds."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

import heatproof as hp
from heatproof.cli.main import main
from heatproof.start import pathparts
from test_start import init, put

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (
            [f"{m}_{t}_b{b}_{q}" for m in ("alpha", "beta") for t in ("qa", "math_500")
             for b in (1, 2) for q in ("int4", "fp16")],
            ["alpha|beta", "math_500|qa", "b: 1|2", "fp16|int4"],
        ),
        (
            [f"{t}_noise-{n}_{r}_seed-{s}" for t in ("ifeval", "gpqa_diamond") for n in (0.0, 0.1)
             for r in ("bm25", "dense") for s in (0, 1)],
            ["gpqa_diamond|ifeval", "noise: 0.0|0.1", "bm25|dense", "seed: 0|1"],
        ),
        (["easy_prompt_style-cot", "easy_prompt_style-direct"], ["prompt_style: cot|direct"]),
        (
            [f"mod {m}_{t}_{r}_s{s}" for m in "xy" for t in ("ifeval", "gpqa_diamond")
             for r in ("bm25", "dense") for s in (0, 1)],
            ["x|y", "gpqa_diamond|ifeval", "bm25|dense", "s: 0|1"],
        ),
        (["mistral-7b-v0.3_ifeval", "mistral-7b-v0.3_gpqa_diamond"], ["gpqa_diamond|ifeval"]),
        (
            [f"tiny_{m}_{t}_s{s}" for m in "ab" for t in ("ifeval", "gpqa_diamond") for s in (0, 1)],
            ["tiny_a|tiny_b", "gpqa_diamond|ifeval", "s: 0|1"],
        ),
        (
            [f"retriever={r},seed={s}" for r in ("bm25", "dense") for s in (0, 1)],
            ["retriever: bm25|dense", "seed: 0|1"],
        ),
        (["retriever_bm25", "retriever_dense_2"], ["retriever: bm25|dense_2"]),
    ],
)  # fmt: skip
def test_parts_around_numbers_are_taken_apart(names: list[str], found: list[str]) -> None:
    """However many separators their values have; a known word names the text behind it."""
    given = [f"runs/{name}.json" for name in names]
    tokens = pathparts.parts(given)
    parts = [one for one in tokens if isinstance(one, pathparts.Part)]
    told = [f"{one.key}: " * bool(one.key) + "|".join(sorted({*one.values})) for one in parts]
    assert told == found


def run(number: int, **head: Any) -> str:
    """A document with a head, and three problems."""
    samples = [{"id": f"q{n}", "correct": (n + number) % 3 > 0} for n in range(3)]
    return json.dumps({**head, "n_problems": 3 + number % 2, "samples": samples})


def test_what_names_a_run_is_no_setting(tmp_path: Path) -> None:
    """A name, a time and a size that each file has, where settings tell files apart."""
    settings = [(m, x, s) for m in ("tiny-a", "tiny-b") for x in (0.0, 0.5) for s in (0, 1)]
    files: dict[str, str | bytes] = {
        f"run{n:03d}.json": run(
            n, run_name=f"{m}-{n}", started=f"2026-01-0{n + 1}T10:00:00", model=m, t=x, seed=s
        )
        for n, (m, x, s) in enumerate(settings)
    }
    put(tmp_path, files)
    source = init(tmp_path)["sources"]["logs"]
    assert {*source["params"]} == {"t", "seed"}
    assert "path" not in source


def test_a_name_that_alone_tells_runs_apart_is_one(tmp_path: Path) -> None:
    """Then it is all that is known of them."""
    names = ("plain", "with tools", "with search")
    put(tmp_path, {f"run{n}.json": run(n, run_name=name) for n, name in enumerate(names)})
    [figure, *_] = init(tmp_path)["figures"].values()
    assert "run_name" in figure["encoding"].values()


def test_settings_are_found_without_ids(tmp_path: Path) -> None:
    """Records are numbered, and what stays the same for some in a row is a setting."""
    each = [(s, x, n) for s in ("bm25", "dense") for x in (0.5, 0.9) for n in range(6)]
    rows = [{"retrieval": s, "noise": x, "pred": n, "ok": (n * x) % 2 > 1} for s, x, n in each]
    put(tmp_path, {"all.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    source = init(tmp_path)["sources"]["all"]
    assert source["fields"]["sample_id"] == "$row"
    assert source["params"] == {"retrieval": "str", "noise": "float"}


def test_a_word_for_all_problems_is_no_problem(tmp_path: Path) -> None:
    """A prompt that many records have in common is a way to ask."""
    rows = [{"prompt": p, "ok": n % 3 > 0} for p in ("cot", "direct") for n in range(20)]
    put(tmp_path, {"all.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert init(tmp_path)["sources"]["all"]["fields"]["sample_id"] == "$row"


MODELS, TASKS = ("gpt-4o", "Llama-3.1-8B"), ("gsm8k", "arc")


def bit(*keys: Any) -> int:
    """0 or 1, always the same for the same keys."""
    return sum(map(ord, "".join(map(str, keys)))) % 3 % 2


WIDE: dict[str, tuple[str, str, list[tuple[Any, ...]]]] = {
    "a column a model": (
        "all.csv",
        "id," + ",".join(f"{m}_correct" for m in MODELS) + "\n"
        + "".join(f"q{n}," + ",".join(str(bit(m, n)) for m in MODELS) + "\n" for n in range(6)),
        [(m, 0, f"q{n}", bit(m, n)) for m in MODELS for n in range(6)],
    ),
    "a column a repetition": (
        "gpt-4o.csv",
        "id,s1,s2\n" + "".join(f"q{n},{bit(n, 1)},{bit(n, 2)}\n" for n in range(6)),
        [("gpt-4o", e, f"q{n}", bit(n, e)) for e in (1, 2) for n in range(6)],
    ),
    "a repetition in the middle": (
        "gpt-4o.csv",
        "id,run_1_ok,run_2_ok\n" + "".join(f"q{n},{bit(n, 1)},{bit(n, 2)}\n" for n in range(6)),
        [("gpt-4o", e, f"q{n}", bit(n, e)) for e in (1, 2) for n in range(6)],
    ),
    "an object a model": (
        "all.jsonl",
        "".join(
            json.dumps({"id": f"q{n}"} | {m: {"ok": bit(m, n) > 0, "tokens": n} for m in MODELS})
            + "\n"
            for n in range(6)
        ),
        [(m, 0, f"q{n}", bit(m, n)) for m in MODELS for n in range(6)],
    ),
    "an object of scores": (
        "all.jsonl",
        "".join(
            json.dumps({"id": f"q{n}", "scores": {m: bit(m, n) for m in MODELS}}) + "\n"
            for n in range(6)
        ),
        [(m, 0, f"q{n}", bit(m, n)) for m in MODELS for n in range(6)],
    ),
    "runs in a list": (
        "all.json",
        json.dumps(
            [
                {"model": m, "seconds": 3, "out": [{"id": f"q{n}", "ok": bit(m, n)} for n in range(6)]}
                for m in MODELS
            ]
        ),
        [(m, 0, f"q{n}", bit(m, n)) for m in MODELS for n in range(6)],
    ),
    "objects keyed by model and task": (
        "all.json",
        json.dumps(
            {
                "made": "by me",
                "results": {
                    m: {t: {f"{t}{n}": {"ok": bit(m, t, n) > 0} for n in range(6)} for t in TASKS}
                    for m in MODELS
                },
            }
        ),
        [(m, 0, f"{t}{n}", bit(m, t, n)) for m in MODELS for t in TASKS for n in range(6)],
    ),
}  # fmt: skip
"""Layout → the file, what it holds, and model, epoch, problem, score of its samples."""


@pytest.mark.parametrize("name", WIDE)
def test_records_of_several_samples_are_spread(name: str, tmp_path: Path) -> None:
    """A group of columns for each model or repetition."""
    path, text, rows = WIDE[name]
    put(tmp_path, {path: text})
    [keys] = init(tmp_path)["sources"].values()
    found = hp.normalize_logs(**keys, root=tmp_path, refused=0.5).samples
    assert sorted(found.select("model", "epoch", "sample_id", "score").rows()) == sorted(rows)


def test_lists_side_by_side_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scores of problems in a list are no repetitions of one."""
    put(tmp_path, {"a.json": json.dumps({"model": "a", "ids": ["x", "y"], "correct": [1, 0]})})
    assert main(["init", str(tmp_path / "logs"), "--project", str(tmp_path)]) == 1
    said = "it holds lists side by side, ids and correct: write a record a problem"
    assert said in capsys.readouterr().out


class Terminal(io.StringIO):
    """What a person types; the keyboard interrupts where nothing is left."""

    def isatty(self) -> bool:
        """As a terminal is."""
        return True

    def readline(self, size: int | None = -1) -> str:  # noqa: ARG002
        """A line, or Ctrl-C."""
        line = super().readline()
        if line == "^C":
            raise KeyboardInterrupt
        return line


DOUBTFUL = "".join(
    json.dumps({"id": n, "correct": n < 3, "passed": n > 3}) + "\n" for n in range(6)
)


def asked(root: Path, typed: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit status of `init` on records with two scores, where a person types this."""
    put(root, {"a.jsonl": DOUBTFUL})
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    return main(["init", str(root / "logs"), "--project", str(root)])


def test_questions_can_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C writes nothing and says so in a word; where input ends, both readings are told."""
    assert asked(tmp_path, "7\n^C", monkeypatch) == 130
    assert capsys.readouterr().err == "\nheatproof: stopped\n"
    assert not (tmp_path / "config.yaml").exists()
    assert asked(tmp_path, "7\n", monkeypatch) == 0
    assert "      # score: passed" in (tmp_path / "config.yaml").read_text()
    assert "not sure  correct is taken for the score; passed may be it" in capsys.readouterr().out


def test_a_sum_beside_the_logs_is_no_source(tmp_path: Path) -> None:
    """Finished numbers in the folder of the logs are theirs."""
    one = "".join(json.dumps({"id": n, "correct": n < 3}) + "\n" for n in range(6))
    put(tmp_path, {"a.jsonl": one, "summary.json": json.dumps({"mean": 0.5, "runs": 1})})
    assert [*init(tmp_path)["sources"]] == ["a"]


@pytest.mark.parametrize("name", ["id", "question_id"])
def test_metrics_of_problems_are_scores(name: str, tmp_path: Path) -> None:
    """`metrics.accuracy` of a problem is no number of a whole run."""
    rows = [f"q{n},{bit(n)},1" for n in range(6)]
    put(tmp_path, {"a.csv": "\n".join([f"{name},metrics.accuracy,metrics.length", *rows, ""])})
    source = init(tmp_path)["sources"]["a"]
    assert source["fields"] == {"sample_id": name, "score": "metrics.accuracy"}
