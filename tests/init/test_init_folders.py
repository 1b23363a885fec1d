"""`heatproof init` on folders that hold one planted sweep or one trap each (`folders.yaml`,
`harnesses.yaml`).

The cells of the first figure have the values that a plain count finds, whatever columns are called;
or nothing is drawn, and the last line says what to decide.
"""

import gzip
import io
import itertools
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from heatproof.cli.main import main
from heatproof.config import configuration
from heatproof.formats import detection
from heatproof.init import folder
from heatproof.init.layouts import Family
from heatproof.init.roles import Given
from heatproof.init.source import Source
from heatproof.library import reading
from heatproof.logs import logs
from support.data import cases
from support.folders import put
from support.quick import slow_but

FOLDERS = {
    name: case
    for file in ("folders.yaml", "harnesses.yaml", "inference.yaml")
    for name, case in cases(__file__, file).items()
}
Values = dict[str, Any]


class Study:
    """Variables, and whether an attempt is right."""

    def __init__(self, case: Values) -> None:
        self.case = case
        self.axes = {k: [*range(v)] if isinstance(v, int) else v for k, v in case["for"].items()}
        self.pairs = case.get("pairs", {})

    def combinations(self, names: Any) -> list[Values]:
        names = [*names]
        return [
            dict(zip(names, c, strict=True)) for c in itertools.product(*map(self.axes.get, names))
        ]

    def right(self, values: Values) -> bool:
        """Right or wrong, always the same for the same values."""
        key = "|".join(
            str(values[name]) for name in self.axes if name in values and name not in self.pairs
        )
        return zlib.crc32(key.encode()) % 10 < 6

    def share(self, values: Values) -> float:
        """The part that is right, over the variables that have no value."""
        rest = [name for name in self.axes if name not in values and name not in self.pairs]
        rights = [self.right(values | more) for more in self.combinations(rest)]
        return sum(rights) / len(rights)

    def text(self, template: str, values: Values) -> str:
        while (start := template.find("«")) >= 0:
            end, depth = start + 1, 1
            while depth:  # the end that belongs to it
                depth += {"«": 1, "»": -1}.get(template[end], 0)
                end += 1
            names, body = template[start + 1 : end - 1].split("|", 1)
            sep = "" if body.endswith(("\n", "»")) else ", " if "'" in body else ","
            parts = [self.text(body, values | c) for c in self.combinations(names.split(", "))]
            template = template[:start] + sep.join(parts) + template[end:]
        return re.sub("<([a-z]+)>", lambda match: str(self.value(match[1], values)), template)

    def value(self, name: str, values: Values) -> Any:
        if name in self.axes:
            return values[name]
        if name == "share":
            return f"{self.share(values):.4f}"
        if name == "count":
            return 10 + zlib.crc32(repr(sorted(values.items())).encode()) % 90
        right = self.right(values)
        low, high = self.case.get("scale", [0, 1])[:2]
        words = {"right": json.dumps(right), "bit": int(right), "word": "pass" if right else "fail"}
        return (words | {"score": high if right else low})[name]

    def files(self) -> dict[str, bytes]:
        files = {}
        for path, template in self.case["files"].items():
            names = [name for name in self.axes if f"<{name}>" in path]
            for values in self.combinations(names):
                paired = self.paired(values)
                text = self.text(template, paired)
                text = text.replace("'", '"') if ".json" in path else text
                data = text.encode()
                files[self.text(path, paired)] = (
                    gzip.compress(data, mtime=0) if path.endswith(".gz") else data
                )
        return files

    def paired(self, values: Values) -> Values:
        """With the values of the run of a number: 0 is the first of both, 1 the second setting."""
        if "run" not in self.pairs or "run" not in values:
            return values
        first, second = (name for name in self.axes if name not in ("run", "n"))
        size = len(self.axes[second])
        return values | {
            first: self.axes[first][values["run"] // size],
            second: self.axes[second][values["run"] % size],
        }

    def planted(self) -> list[float]:
        low, high, bottom, top = self.case.get("scale", [0, 1, 0, 1])
        shares = [self.share(values) for values in self.combinations(self.case["by"])]
        return sorted(((low + (high - low) * share) - bottom) / (top - bottom) for share in shares)

    def in_logs(self, values: Sequence[float]) -> list[float]:
        """Values of cells in the unit of the logs."""
        _, _, bottom, top = self.case.get("scale", [0, 1, 0, 1])
        return [bottom + (top - bottom) * value for value in values]


def drawn(root: Path) -> list[float]:
    """The values of the cells of the first figure, counted of what the reader takes of the logs."""
    config = configuration.read(yaml.safe_load((root / "config.yaml").read_text()), root)
    figure = next(iter(config.figures.values()))
    source = config.sources[figure.source]
    (samples, _), _, problems = reading.tables_of(source, logs.find(source, root), root)
    assert not problems
    word = next(iter(figure.metrics().values()))
    column = word[len("printed(") : -1] if word.startswith("printed") else "score"
    pooled = getattr(figure, "pool", [])
    axes = [name for name in figure.used().values() if name in samples.columns]
    axes = [name for name in axes if name not in pooled]
    means = samples.group_by(axes).agg(pl.col(column).mean())[column].drop_nulls()
    return sorted(means.to_list())


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", slow_but(FOLDERS, list(FOLDERS)[::8]))
def test_a_folder_is_drawn_as_planted_or_asked_about(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is drawn was planted; what is not certain is a question, and no source is active."""
    monkeypatch.chdir(tmp_path)
    case = FOLDERS[name]
    study = Study(case)
    put(tmp_path, study.files())
    monkeypatch.setattr(detection, "FILES", case.get("looked", detection.FILES))
    if "answers" in case:
        monkeypatch.setattr("sys.stdin", Terminal("\n".join([*case["answers"], ""])))
    status = main(["init", "logs"])
    screen = capsys.readouterr().out
    if case.get("guess"):
        assert status == 1
        assert f"{folder.CONFIRM} " in screen
        assert "such as: heatproof init logs --yes --force" in screen
        status = main(["init", "logs", "--yes", "--force"])
        screen = capsys.readouterr().out
    else:
        assert folder.CONFIRM not in screen
    for words in case.get("says", []):
        assert words in screen
    for words in case.get("never", []):
        assert words not in screen
    for words in case.get("writes", []):
        assert words in (tmp_path / "config.yaml").read_text()
    if "by" in case:
        values = drawn(tmp_path)
        assert values == pytest.approx(study.planted(), abs=2e-4), screen
        ends = {f"{value:.4g}" for value in study.in_logs(values)}
        told = re.findall(r"^cell .*: (\S+), of [\d,]+ records?, such as ", screen, re.MULTILINE)
        is_mean = "mean_over" in (tmp_path / "config.yaml").read_text()  # of several of these
        assert is_mean or set(told[:2]) <= ends, screen
    if "asks" in case:
        assert status == 1
        decisions = screen[screen.index("config.yaml written") :]
        assert case["asks"] in decisions
        text = (tmp_path / "config.yaml").read_text()
        assert not any((yaml.safe_load(text) or {}).values())
        assert case["asks"] in text


def written(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    put(root, Study(FOLDERS[name]).files())


def test_an_answer_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal a question has numbered answers: here the share of a count."""
    written("a count is no percentage (D1)", tmp_path, monkeypatch)
    monkeypatch.setattr("sys.stdin", Terminal("1\n"))
    assert main(["init", "logs"]) == 0
    assert drawn(tmp_path) == pytest.approx([n / 249 for n in (41, 42, 43)])


def test_a_score_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What no name tells, the user says; the rest is inferred."""
    written("no name says what the score is (D11)", tmp_path, monkeypatch)
    assert main(["init", "logs", "--score", "korrekt"]) == 0
    source = yaml.safe_load((tmp_path / "config.yaml").read_text())["sources"]["all"]
    assert source["fields"] == {"model": "model", "sample_id": "id", "score": "korrekt"}


def test_a_named_score_may_have_a_hole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that fit it are one score, by a column that is called as the hole is."""
    written("rates of conditions whose names end alike are offered together", tmp_path, monkeypatch)
    assert main(["init", "logs", "--score", "{condition}_UFR"]) == 0
    source = yaml.safe_load(Path("config.yaml").read_text())["sources"]["all"]
    assert source["fields"]["score"] == "{condition}_UFR"
    assert source["params"] == {"condition": "str"}
    assert main(["init", "logs", "--force", "--score", "{condition}_rate"]) == 2


def test_a_named_score_is_that_of_the_logs_that_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other logs are read as if nothing was said; what no log has is no silent wish."""
    monkeypatch.chdir(tmp_path)
    answers = "".join(
        f'{{"model": "{m}", "id": {n}, "correct": {int(n > 2 * len(m))}}}\n'
        for m in ("kite", "owl")
        for n in range(9)
    )
    table = "model,task,zeal,zest\n" + "".join(
        f"{m},t{n},0.{n}5,0.{n}1\n" for m in "ab" for n in "123"
    )
    put(tmp_path, {"logs/answers.jsonl": answers, "logs/board.csv": table})
    assert main(["init", "logs", "--score", "zest", "--dry-run"]) == 0
    figures = yaml.safe_load(capsys.readouterr().out)["sources"]
    assert figures["answers"]["fields"]["score"] == "correct"
    assert figures["board"]["aggregates"] == {"zest": "zest"}
    assert main(["init", "logs", "--score", "zets"]) == 2
    assert "--score zets: no record has it" in capsys.readouterr().err


def test_each_answer_is_a_block_that_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody answers, uncommented lines of the config are what the answer would have made."""
    written("a flag is no score, in any number of records", tmp_path, monkeypatch)
    assert main(["init", "logs"]) == 1
    text = (tmp_path / "config.yaml").read_text()
    assert "\nfigures:" not in text
    blocks = text[text.index("# sources:") : text.index("\n# decide")]
    (tmp_path / "config.yaml").write_text(re.sub("^# ", "", blocks, flags=re.MULTILINE))
    assert len(drawn(tmp_path)) == 2


def test_a_question_that_its_answer_raises_again_is_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked once; then it is to be decided."""
    written("a flag is no score, in any number of records", tmp_path, monkeypatch)
    monkeypatch.setattr("sys.stdin", Terminal("1\n1\n1\n"))

    def asks(family: Family, *_: Any) -> Source:
        return Source(family.paths, question="which is it?", answers=[("this", Given())])

    monkeypatch.setattr(folder, "best", asks)
    assert main(["init", "logs"]) == 1
    screen = capsys.readouterr().out
    assert screen.count("?         which is it?") == 1
    assert "decide    logs/all.jsonl: which is it?" in screen


def test_an_answer_may_lead_to_another_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer is inferred with; here the score is words, of which only one is right."""
    put(
        tmp_path,
        {
            "logs/a.jsonl": b"".join(
                b'{"model": "m%d", "id": %d, "note": "%s"}\n'
                % (m, n, b"ok" if (m + 1) * n % 5 else b"no")
                for m in range(2)
                for n in range(20)
            )
        },
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", Terminal("1\n2\n"))
    assert main(["init", "logs"]) == 0
    assert drawn(tmp_path) == pytest.approx([0.8, 0.8])


def test_every_column_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the config, with its role, or why it is left out."""
    written("outcomes of a run (D3)", tmp_path, monkeypatch)
    assert main(["init", "logs"]) == 0
    text = (tmp_path / "config.yaml").read_text()
    columns = {line[4:].split()[0] for line in text.splitlines() if line.startswith("#   ")}
    assert columns == {"model", "temperature", "id", "correct", "finish_reason", "steps", "started"}


def test_a_config_that_is_there_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--add adds to it, and leaves logs alone that it names; --dry-run writes nothing."""
    written("lines with all columns", tmp_path, monkeypatch)
    (tmp_path / "logs/all.jsonl").rename(tmp_path / "logs/a.jsonl")
    assert main(["init", "logs"]) == 0
    before = (tmp_path / "config.yaml").read_text()
    assert main(["init", "logs"]) == 2
    assert "--add adds to it, --force replaces it" in capsys.readouterr().err
    put(tmp_path, Study(FOLDERS["a table"]).files())
    assert main(["init", "logs", "--dry-run"]) == 0
    assert (tmp_path / "config.yaml").read_text() == before
    assert main(["init", "logs", "--add"]) == 0
    text = (tmp_path / "config.yaml").read_text()
    assert [line for line in before.splitlines() if line not in text.splitlines()] == []
    sources = yaml.safe_load(text)["sources"]
    assert [source["format"] for source in sources.values()] == ["jsonl", "csv"]
    (tmp_path / "config.yaml").write_text("sources: {")
    assert main(["init", "logs", "--add"]) == 2
    assert "config.yaml:1:11: " in capsys.readouterr().err
