"""What init offers as comments is true, and works when it is uncommented."""

import json
import re
from pathlib import Path

import pytest
import yaml

from heatproof.cli.main import main
from heatproof.config import configuration
from heatproof.kinds import api
from heatproof.library import reading
from heatproof.logs import logs

MODELS = {"Qwen2.5-7B-Instruct": 7.0, "qwen2.5-1.5b": 1.5, "qwen2.5-72b": 72.0}


def write_logs(root: Path, models: list[str]) -> None:
    """40 problems, each with its own number of context tokens, and tokens of each answer."""
    (root / "logs").mkdir()
    for number, model in enumerate(models):
        records = []
        for problem in range(40):
            record = {"id": f"q{problem}", "model": model, "correct": problem % (number + 2) > 0}
            numbers = {"context_tokens": 1000 + 37 * problem, "output_tokens": len(model) * problem}
            records.append(json.dumps(record | numbers))
        (root / "logs" / f"{model}.jsonl").write_text("\n".join(records))


def uncommented(text: str) -> str:
    return re.sub(r"^( +)# ( *\w[\w ]*:)", r"\1\2", text, flags=re.MULTILINE)


def test_offers_work_when_they_are_uncommented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sizes of models as their names say, and four bins of as many problems; none of answers."""
    write_logs(tmp_path, [*MODELS])
    monkeypatch.chdir(tmp_path)
    assert main(["init", "logs"]) == 0
    text = (tmp_path / "config.yaml").read_text()
    assert "columns" not in yaml.safe_load(text)["sources"]["logs"]
    raw = yaml.safe_load(uncommented(text))
    offered = raw["sources"]["logs"]["columns"]
    assert [*offered] == ["model_size", "context_tokens_band"]
    encoding = {"x": "context_tokens_band", "y": "model_size", "color": "pass@1"}
    raw["figures"] = {"mine": {"kind": "heatmap", "source": "logs", "encoding": encoding}}
    config = configuration.read(raw, tmp_path)
    source = config.sources["logs"]
    (samples, _), _, problems = reading.tables_of(source, logs.find(source, tmp_path), tmp_path)
    assert not problems
    assert dict(samples.select("model", "model_size").iter_rows()) == MODELS
    grid = api.kind("heatmap").aggregate(samples.lazy(), config.figures["mine"])
    assert grid["samples"].to_list() == [10] * 12


@pytest.mark.parametrize(
    "models", [["gpt-4o", "qwen2.5-7b"], ["a-7b", "b-7b"], ["x-8bit", "y-4bit"]]
)
def test_no_size_is_offered_where_some_or_all_lack_one(
    models: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_logs(tmp_path, models)
    monkeypatch.chdir(tmp_path)
    assert main(["init", "logs"]) == 0
    assert "model_size" not in (tmp_path / "config.yaml").read_text()


def test_nothing_is_offered_of_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one record for each problem nobody knows whether a number is its own or its answer's."""
    write_logs(tmp_path, ["gpt-4o"])
    monkeypatch.chdir(tmp_path)
    assert main(["init", "logs"]) == 0
    assert "# columns:" not in (tmp_path / "config.yaml").read_text()
