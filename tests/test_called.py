"""What asks of results later asks with the Snakefile and the config of the run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli import main as cli
from heatproof.cli.main import main
from heatproof.plan import called
from heatproof.proof import rebuild
from heatproof.util import hashed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = {"sources": {"s": {"format": "jsonl", "logs": "data/*"}}, "figures": {}}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(value))
    return path


def test_mappings_are_laid_over_each_other() -> None:
    """As Snakemake does with several config files: key by key, at any depth."""
    base, more = {"a": {"b": 1, "c": [1]}, "d": 1}, {"a": {"c": [2]}, "d": {"e": 1}}
    assert called.merged([base, more]) == {"a": {"b": 1, "c": [2]}, "d": {"e": 1}}
    assert base == {"a": {"b": 1, "c": [1]}, "d": 1}


def test_before_a_run_the_usual_config_counts(tmp_path: Path) -> None:
    """Without a Snakefile in the project, the one beside the library."""
    write(tmp_path / "config.yaml", CONFIG)
    call = called.last(tmp_path)
    assert call.raw(tmp_path) == CONFIG
    assert call.snakefile == str(called.code_digest.REPOSITORY / "Snakefile")
    (tmp_path / "Snakefile").write_text("")
    assert called.last(tmp_path).snakefile == "Snakefile"


def test_files_and_values_of_the_command_line_count(tmp_path: Path) -> None:
    """They are read anew: an edit since the run is seen; files beside the project keep their place."""
    root = tmp_path / "project"
    own = write(root / "config.yaml", CONFIG)
    given = write(tmp_path / "more.yaml", {"sources": {"s": {"shards": 2}}})
    values = {"figures": {"f": {"width": "single"}}}
    config = called.merged([CONFIG, yaml.safe_load(given.read_text()), values])
    called.note(root, str(tmp_path / "Snakefile"), [given, own], [given], values, config)
    call = called.last(root)
    assert (call.own, call.given) == (["config.yaml"], [str(given)])
    assert call.snakefile == str(tmp_path / "Snakefile")
    assert call.raw(root) == config
    write(given, {"sources": {"s": {"shards": 3}}})
    assert called.last(root).raw(root)["sources"]["s"]["shards"] == 3
    assert called.last(root).over(root) == {"sources": {"s": {"shards": 3}}, **values}
    other = write(tmp_path / "other.yaml", {"sources": {"s": {"shards": 4}}})
    asked = called.last(root, [str(other)]).raw(root)
    assert (asked["sources"]["s"]["shards"], asked["figures"]) == (4, {})


def test_a_part_that_a_module_hands_on_is_kept(tmp_path: Path) -> None:
    """While its file is as it was; then only its Snakefile knows what would be handed on."""
    own = write(tmp_path / "conf.yaml", {"heatproof": CONFIG, "other": 1})
    called.note(tmp_path, str(tmp_path / "Snakefile"), [own], [], {}, CONFIG)
    assert called.last(tmp_path).raw(tmp_path) == CONFIG
    write(own, {"heatproof": CONFIG, "other": 2})
    with pytest.raises(Error, match=r"conf\.yaml changed since the last run"):
        called.last(tmp_path).raw(tmp_path)


def test_a_project_is_known_by_its_config_or_by_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From any folder in it; files that stand for the config will do anywhere."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Error, match=r"no config\.yaml here or in any folder above"):
        cli.project(None)
    assert cli.project(None, configs=["other.yaml"]) == tmp_path
    called.note(tmp_path, "Snakefile", [], [], {}, CONFIG)
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert cli.project(None) == tmp_path
    with pytest.raises(Error, match="nothing was built in it"):
        cli.project(str(tmp_path / "deep"))


def test_a_snakefile_of_the_project_is_told_by_its_bytes(tmp_path: Path) -> None:
    """One that takes ours for a module; ours, or a copy of it, is told with the code."""
    assert called.snakefile(tmp_path) == {}
    shutil.copy(called.code_digest.REPOSITORY / "Snakefile", tmp_path)
    assert called.snakefile(tmp_path) == {}
    (tmp_path / "Snakefile").write_text("module heatproof: ...\n")
    assert called.snakefile(tmp_path) == {"Snakefile": hashed.sha256(tmp_path / "Snakefile")}


def test_a_library_behind_a_link_is_the_same(tmp_path: Path) -> None:
    """A project may link to the workflow: its code is that which lies there."""
    (tmp_path / "workflow").symlink_to(called.code_digest.REPOSITORY / "workflow")
    asks = "from heatproof.plan import code_digest as code; from heatproof.util import pins; print(code.REPOSITORY, pins.FILE.parents[1])"
    done = subprocess.run(
        [sys.executable, "-c", asks], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "workflow/src")},
    )  # fmt: skip
    assert done.stdout.split() == [str(called.code_digest.REPOSITORY)] * 2


@pytest.mark.workflow
@pytest.mark.usefixtures("compiled")
def test_a_project_outside_the_clone_is_verified(
    small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakefile elsewhere, config of another name and on the command line, another folder."""
    root = tmp_path / "far"
    shutil.copytree(small.root / "data", root / "data")
    config = yaml.safe_load((small.root / "config.yaml").read_text())
    config["figures"] = {"pair": config["figures"]["pair"] | {"formats": ["svg"]}}
    given = write(tmp_path / "conf" / "mine.yaml", config)
    snakefile = small.root / "Snakefile"
    status, said = small.run(
        "--snakefile", str(snakefile), "--directory", str(root), "--configfile", str(given),
        "--config", "figures={pair: {title: Other}}",
    )  # fmt: skip
    assert status == 0, said
    assert not (root / "config.yaml").exists()
    call = called.last(root)
    assert call.raw(root)["figures"]["pair"]["title"] == "Other"
    with rebuild.fresh(root, ["results/specs/pair.vl.json"]) as folder:
        made = folder / "results/specs/pair.vl.json"
        assert made.read_bytes() == (root / "results/specs/pair.vl.json").read_bytes()
    assert main(["why", "--project", str(root)]) == 0
    assert main(["coverage", "runs", "--project", str(root), "--csv"]) in (0, 1)
    monkeypatch.chdir(root)
    assert main(["trace", "pair", "--json"]) == 0
    assert main(["why", "--configfile", str(small.root / "config.yaml"), "grid"]) == 1
    given.write_text(given.read_text() + "# more\n")
    capsys.readouterr()
    assert main(["verify", "--quick", "--json"]) in (0, 1)
    stages = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert stages["config"]["failures"] == stages["figures"]["failures"] == []
