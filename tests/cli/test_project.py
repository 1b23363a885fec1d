"""The config and the project that a command is about."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof import ledger
from heatproof.cli import main as cli
from heatproof.util.errors import Error

CONFIG = {"sources": {"s": {"format": "jsonl", "logs": "data/*"}}, "figures": {}}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(value))
    return path


def test_files_of_the_command_line_are_laid_over_the_usual_one(tmp_path: Path) -> None:
    """Wherever they lie; key by key at any depth, as Snakemake does it."""
    write(tmp_path / "project/config.yaml", CONFIG)
    more = write(tmp_path / "more.yaml", {"sources": {"s": {"shards": 2, "logs": ["a"]}}})
    config = cli.config(tmp_path / "project", [str(more)])
    assert config["sources"]["s"] == {"format": "jsonl", "logs": ["a"], "shards": 2}
    assert config["figures"] == {}


def test_without_a_file_the_config_of_the_last_run_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a module, or where a run had a config of another name; from any folder below."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Error, match=r"no config\.yaml here or in any folder above"):
        cli.project(None)
    assert cli.project(None, configs=["other.yaml"]) == tmp_path
    build = {"config": CONFIG, "upstream": False}
    (tmp_path / "results/.ledger").mkdir(parents=True)
    ledger.join_pieces([], build, tmp_path / ledger.LEDGER)
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert cli.project(None) == tmp_path
    assert cli.config(tmp_path) == CONFIG
    with pytest.raises(Error, match="and no results"):
        cli.project(str(tmp_path / "deep"))
