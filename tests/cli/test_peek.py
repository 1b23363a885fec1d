"""peek: what logs hold, before any figure."""

import json
from pathlib import Path

import pytest

from heatproof.cli.main import main

CONFIG = """
sources:
  own:
    format: jsonl
    logs: "data/*.jsonl"
    fields: {sample_id: id, score: score, model: m}
    params: {ratio: float}
    set: {task: t}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two logs of a model each, at three ratios; the second lacks a score."""
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "data").mkdir()
    for model in "ab":
        rows = [
            {
                "id": f"q{n}",
                "m": model,
                "ratio": ratio,
                "score": int(n < 2 + (model < "b") * (ratio > 0.2)),
            }
            for ratio in (0.1, 0.25, 0.5)
            for n in range(4)
        ]
        rows += [{"id": "q9", "m": "b", "ratio": 0.1}] * (model == "b")
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"data/{model}.jsonl").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_source_of_the_config(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns with types and values, runs, and each reason of a refusal with its place."""
    before = sorted(path for path in folder.rglob("*") if ".snakemake" not in path.parts)
    assert main(["peek", "own"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in lines if line.startswith("  ")}
    assert lines[:2] == ["own: jsonl, 2 logs", "24 samples, 1 record refused"]
    assert rows["model"] == "text a, b"
    assert rows["ratio"] == "number 0.10, 0.25, 0.50"
    assert rows["sample_id"] == "text 4 problems, q0 … q3"
    assert rows["score"] == "number 0, 1"
    assert "6 runs of 4 samples" in lines
    assert "score" in rows["1"]
    assert rows["1"].endswith("(first: data/b.jsonl:13)")
    assert sorted(path for path in folder.rglob("*") if ".snakemake" not in path.parts) == before


def test_what_no_config_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a folder a record with its places, what init makes of each, then the same as of a source; a
    file stands for itself; of what is neither, the sources that there are.
    """
    assert main(["peek", "onw"]) == 2
    message = "'onw' is neither a file nor a source; there are own (did you mean 'own'?)"
    assert message in capsys.readouterr().err
    (folder / "config.yaml").unlink()
    assert main(["peek", "data"]) == 0
    text = capsys.readouterr().out
    assert "ratio                     setting" in text
    assert "24 samples, 1 record refused" in text
    assert main(["peek", "data/a.jsonl"]) == 0
    assert "12 samples, 0 records refused" in capsys.readouterr().out


def test_logs_of_which_nothing_can_be_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit status says so, and the reason stands there."""
    for path in (folder / "data").iterdir():
        path.write_text('{"m": "a", "ratio": 0.1, "score": 1}\n')
    assert main(["peek", "own"]) == 1
    assert "0 samples, 2 records refused" in capsys.readouterr().out
    (folder / "data/a.jsonl").write_text("no log\n")
    assert main(["peek", "data/a.jsonl"]) == 1
