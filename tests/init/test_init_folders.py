"""`heatproof init` on folders that hold one planted sweep each: what it draws is what was planted.

A study is models × settings × problems, graded by a fixed rule. Each layout writes it to files in its
own way; the cells of the first figure must have the values that a plain count finds, whatever the
columns are called.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
import zlib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
import yaml

from heatproof.cli.main import main
from heatproof.config import configuration
from heatproof.library import reading
from heatproof.logs import logs
from support.folders import put

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Files = dict[str, str | bytes]
MODELS, TEMPERATURES, PROBLEMS = ("gpt-4o", "Llama-3.1-8B"), (0.0, 0.5, 0.9), range(10)
STUDY = [*itertools.product(MODELS, TEMPERATURES, PROBLEMS)]


def right(*keys: Any) -> bool:
    """Right or wrong, always the same for the same keys."""
    return zlib.crc32("|".join(map(str, keys)).encode()) % 10 < 6


def lines(records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def table(rows: Any, delimiter: str = ",") -> str:
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


def by_file(name: str, content: Callable[..., str]) -> Files:
    """A file for each model and temperature."""
    pairs = itertools.product(MODELS, TEMPERATURES)
    return {name.format(m=m, t=t): content(m, t) for m, t in pairs}


def graded(m: str, t: float) -> list[dict[str, Any]]:
    return [{"id": f"q{n}", "correct": right(m, t, n), "tokens": 9 * n} for n in PROBLEMS]


LAYOUTS: dict[str, Files] = {
    "lines, all columns": {
        "all.jsonl": lines(
            {"model": m, "temperature": t, "question_id": n, "passed": right(m, t, n)}
            for m, t, n in STUDY
        )
    },
    "a table": {
        "all.csv": table(
            [("model", "temp", "qid", "score"), *((m, t, n, int(right(m, t, n))) for m, t, n in STUDY)]
        )
    },
    "a table of another country": {
        "all.csv": table(
            [("model", "temp", "qid", "score"),
             *((m, f"{t}".replace(".", ","), n, int(right(m, t, n))) for m, t, n in STUDY)], ";",
        ).encode("utf-8-sig")
    },
    "settings in paths": by_file("{m}/temp_{t}.jsonl", lambda m, t: lines(graded(m, t))),
    "settings in names, packed": {
        name: gzip.compress(str(text).encode(), mtime=0)
        for name, text in by_file("{m}_t{t}.jsonl.gz", lambda m, t: lines(graded(m, t))).items()
    },
    "settings at the head": by_file(
        "{m}-{t}.json",
        lambda m, t: json.dumps({"config": {"model": m, "sampling": {"temperature": t}},
                                 "seconds": len(m) + t, "samples": graded(m, t)}),
    ),
    "settings beside": {
        **by_file("{m}_{t}/out.jsonl", lambda m, t: lines(graded(m, t))),
        **by_file("{m}_{t}/config.yaml", lambda m, t: f"model: {m}\nsampling: {{temp: {t}}}\n"),
    },
    "objects keyed by model and problem": by_file(
        "t{t}.json",
        lambda _, t: json.dumps(
            {"results": {m: {f"q{n}": {"ok": right(m, t, n)} for n in PROBLEMS} for m in MODELS}}
        ),
    ),
    "runs in a list": {
        "all.json": json.dumps(
            [{"model": m, "temperature": t, "results": graded(m, t)}
             for m in MODELS for t in TEMPERATURES]
        )
    },
    "a column for each model": {
        f"temp{t}.csv": table(
            [("id", *(f"{m}_correct" for m in MODELS)),
             *((f"q{n}", *(int(right(m, t, n)) for m in MODELS)) for n in PROBLEMS)]
        )
        for t in TEMPERATURES
    },
    "words for grades": {
        "all.jsonl": lines(
            {"model": m, "temperature": t, "id": n, "verdict": "pass" if right(m, t, n) else "fail"}
            for m, t, n in STUDY
        )
    },
    "names that say nothing": {
        "all.jsonl": lines(
            {"a": m, "b": t, "c": f"p{n}", "is_right": right(m, t, n), "d": "always", "e": n * 7}
            for m, t, n in STUDY
        )
    },
    "outcomes beside": {
        "all.jsonl": lines(
            {"model": m, "temperature": t, "id": n, "correct": right(m, t, n),
             "finish_reason": "stop" if right(m, t, n) else "length",
             "steps": 3 + 4 * (not right(m, t, n)), "started": f"2026-01-{n + 1:02}T10:00:00"}
            for m, t, n in STUDY
        )
    },
    "a setting that is absent by default": {
        "all.jsonl": lines(
            {"model": m, "id": n, "correct": right(m, t, n)} | ({"mode": f"x{t}"} if t else {})
            for m, t, n in STUDY
        )
    },
    "a failed judge": {
        "all.jsonl": lines(
            {"model": m, "temperature": t, "id": n, "rating": (-1 if n == 9 else 2 + 7 * right(m, t, n))}
            for m, t, n in STUDY
        )
    },
    "printed shares": {
        "board.csv": table(
            [("model", "temperature", "acc", "acc_stderr"),
             *((m, t, sum(right(m, t, n) for n in PROBLEMS) / 10 + 0.001, 0.02)
               for m in MODELS for t in TEMPERATURES)]
        )
    },
}  # fmt: skip
PROBLEMS_OF = {"a failed judge": range(9)}


def planted(name: str) -> list[float]:
    """The values of the cells of a layout, in their order."""
    problems = PROBLEMS_OF.get(name, PROBLEMS)
    more = 0.001 if name == "printed shares" else 0.0
    shares = (
        sum(right(m, t, n) for n in problems) / len(problems) + more
        for m in MODELS
        for t in TEMPERATURES
    )
    if name == "a failed judge":
        shares = ((1 + 7 * share) / 9 for share in shares)
    return sorted(round(share, 9) for share in shares)


def drawn(root: Path) -> list[float]:
    """The values of the cells of the first figure, counted of what the reader takes of the logs."""
    config = configuration.read(yaml.safe_load((root / "config.yaml").read_text()), root)
    figure = next(iter(config.figures.values()))
    source = config.sources[figure.source]
    samples = reading.tables_of(source, logs.find(source, root), root).tables.samples
    word = next(iter(figure.metrics().values()))
    column = word[len("printed(") : -1] if word.startswith("printed") else "score"
    axes = [name for name in figure.used().values() if name in samples.columns]
    means = samples.group_by(axes).agg(pl.col(column).mean())[column].drop_nulls()
    return sorted(round(value, 9) for value in means)


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_is_drawn_was_planted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each layout gives the same six cells."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, LAYOUTS[name])
    assert main(["init", "logs"]) == 0
    assert drawn(tmp_path) == planted(name)


COUNTS = {"stats": {"generated": 249, "applied": 245}}
QUESTIONS: dict[str, tuple[Files, str]] = {
    "a count is no percentage": (
        {f"run-{n}/report.json": json.dumps({"stats": {**COUNTS["stats"], "resolved": 48 + n}})
         for n in range(3)},
        "stats.resolved counts 48 to 50: what is to be drawn?",
    ),
    "words that are unknown": (
        {"all.jsonl": lines({"model": m, "id": n, "verdict": "ja" if right(m, n) else "nein"}
                            for m in MODELS for n in PROBLEMS)},
        "verdict is one of ja, nein: which is right?",
    ),
    "all cells are equal": (
        {"all.jsonl": lines({"model": m, "id": n, "correct": n % 2 == 0}
                            for m in MODELS for n in PROBLEMS)},
        "correct: all cells are 0.5",
    ),
    "no name says what the score is": (
        {"all.jsonl": lines({"model": m, "id": n, "korrekt": int(right(m, n)), "wert": n / 3}
                            for m in MODELS for n in PROBLEMS)},
        "no column looks like a score; name it: heatproof init --score PLACE",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_not_certain_is_a_question(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is drawn on a guess: no source is active, and the last line says what to decide."""
    monkeypatch.chdir(tmp_path)
    files, question = QUESTIONS[name]
    put(tmp_path, files)
    assert main(["init", "logs"]) == 1
    assert question in capsys.readouterr().out.splitlines()[-1]
    text = (tmp_path / "config.yaml").read_text()
    assert not any((yaml.safe_load(text) or {}).values())
    assert question in text


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        """As a terminal is."""
        return True


def test_an_answer_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal a question has numbered answers: here the share of a count."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, QUESTIONS["a count is no percentage"][0])
    monkeypatch.setattr("sys.stdin", Terminal("1\n"))
    assert main(["init", "logs"]) == 0
    assert drawn(tmp_path) == [round((48 + n) / 249, 9) for n in range(3)]


def test_a_score_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What no name tells, the user says; the rest is inferred."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, QUESTIONS["no name says what the score is"][0])
    assert main(["init", "logs", "--score", "korrekt"]) == 0
    source = yaml.safe_load((tmp_path / "config.yaml").read_text())["sources"]["all"]
    assert source["fields"] == {"model": "model", "sample_id": "id", "score": "korrekt"}


def test_every_column_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its role, or why it is left out."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, LAYOUTS["outcomes beside"])
    assert main(["init", "logs"]) == 0
    text = (tmp_path / "config.yaml").read_text()
    roles = dict(
        line[4:].split(maxsplit=1) for line in text.splitlines() if line.startswith("#   ")
    )
    assert {*roles} == {
        "model",
        "temperature",
        "id",
        "correct",
        "finish_reason",
        "steps",
        "started",
    }
    assert roles["finish_reason"].startswith("left out: not crossed")


def test_a_config_that_is_there_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--add adds to it, and leaves logs alone that it names; --dry-run writes nothing."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, {"a/all.jsonl": LAYOUTS["lines, all columns"]["all.jsonl"]})
    assert main(["init", "logs"]) == 0
    before = (tmp_path / "config.yaml").read_text()
    assert main(["init", "logs"]) == 2
    assert "--add adds to it, --force replaces it" in capsys.readouterr().err
    put(tmp_path, {"b/all.csv": LAYOUTS["a table"]["all.csv"]})
    assert main(["init", "logs", "--dry-run"]) == 0
    assert (tmp_path / "config.yaml").read_text() == before
    assert main(["init", "logs", "--add"]) == 0
    after = yaml.safe_load((tmp_path / "config.yaml").read_text())["sources"]
    assert [source["format"] for source in after.values()] == ["jsonl", "csv"]


def test_runs_that_are_there_twice_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table of the same samples beside the logs is named, and no source."""
    monkeypatch.chdir(tmp_path)
    rows = [(m, t, f"q{n}", right(m, t, n)) for m, t, n in STUDY]
    names = ("model", "temperature", "id", "correct")
    records = [dict(zip(names, row, strict=True)) for row in rows]
    put(tmp_path, {"all.jsonl": lines(records), "all.csv": table([names, *rows])})
    assert main(["init", "logs"]) == 0
    assert len(yaml.safe_load((tmp_path / "config.yaml").read_text())["sources"]) == 1
    assert "it holds the same samples as the logs of all" in capsys.readouterr().out


def test_files_that_are_no_logs_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each with its reason, and one broken file takes no other along."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, {
        **LAYOUTS["lines, all columns"], "broken.json": '{"a": [1, ', "empty.jsonl": "",
        "old.zip": "PK", "table.xlsx": "PK", "notes.md": "hello",
        "big.jsonl": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 99\n",
    })  # fmt: skip
    assert main(["init", "logs"]) == 0
    words = capsys.readouterr().out
    for reason in (
        "logs/broken.json: neither a JSON document nor lines of JSON", "unread    logs/empty.jsonl: empty",
        "archives of files are not opened; unpack them", "save them as CSV", "1 other file (.md)",
        "logs/big.jsonl: git-LFS pointers, not logs: git lfs pull",
    ):  # fmt: skip
        assert reason in words
