"""heatproof as a module of another workflow, and logs that rules there make."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from heatproof import ledger
from heatproof.cli import main as cli
from heatproof.config import configuration
from heatproof.plan import planned, settled
from heatproof.provenance import verify
from heatproof.util.errors import Error
from support import warm
from support.project import FOLDER, PROJECT, Project, write_folder


def asking(logs: Any, **more: Any) -> dict[str, Any]:
    """The config with these logs."""
    return FOLDER | {"sources": {"own": FOLDER["sources"]["own"] | {"logs": logs} | more}}


def test_logs_named_in_full_settle_what_depends_on_them(tmp_path: Path) -> None:
    """How many tables there are, and that printed numbers are not compared, if nobody says else.

    A plan is the same before such logs are there and after.
    """
    many = [f"logs/{number}.jsonl" for number in range(1001)]
    for more, shards in (({}, 2), ({"shards": 3}, 3), ({"grade": "math"}, 11)):
        (source,) = settled(asking(many, **more))["sources"].values()
        assert (source["shards"], source["compare_printed"]) == (shards, False)
    assert settled(asking("logs/*.jsonl")) == asking("logs/*.jsonl")
    with pytest.raises(Error, match=r"sources\.own\.format: auto looks at logs") as caught:
        settled(asking(["logs/no.jsonl"], format="auto", compare_printed=True))
    assert "sources.own.compare_printed: what a harness prints" in str(caught.value)
    config = settled(asking(["logs/b.jsonl", "logs/a.jsonl"]))
    with pytest.raises(Error, match="no file matches"):
        planned(config, tmp_path)
    before = planned(config, tmp_path, upstream=True)
    assert before.logs["own"] == {"0000": ["logs/a.jsonl", "logs/b.jsonl"]}
    (tmp_path / "logs").mkdir()
    for name in "ab":
        (tmp_path / f"logs/{name}.jsonl").write_text(f'"{name}"\n')
    after = planned(config, tmp_path, upstream=True)
    assert after.logs == before.logs
    assert after.settings("normalize", "own/0000") == before.settings("normalize", "own/0000")


PAGE = (PROJECT / "docs/embed.md").read_text()
PARENT, NESTED, CONFIG = re.findall(
    r"^```(?:python|yaml)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL
)
EVALUATE = """
import json, random, sys
for i in range(COUNT):
    for t in (0.0, 0.5):
        row = {"id": i, "temperature": t, "correct": (i + int(sys.argv[2])) % 3 > t}
        print(json.dumps(row))
"""


def parent(root: Path, snakefile: str, count: int = 4) -> Project:
    """A workflow in an empty folder, with the script that makes its logs."""
    (root / "Snakefile").write_text(snakefile.replace("CLONE", str(PROJECT)))
    (root / "evaluate.py").write_text(EVALUATE.replace("COUNT", str(count)))
    return Project.at(root)


def jobs(output: str) -> dict[str, int]:
    """Rule → how many of its jobs a dry run counts."""
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}


@pytest.mark.workflow
def test_logs_are_made_first_and_made_again(tmp_path, capsys):
    """The page's workflow from nothing: its rules, then ours; what they make anew is read again.

    A prefix is refused, with what there is instead.
    """
    moved = PARENT.replace("    config: ", '    prefix: "figs"\n    config: ', 1)
    status, output = parent(tmp_path, moved).run("-n")
    assert (status, "a module of heatproof takes no prefix" in output) == (1, True)
    project = parent(tmp_path, PARENT)
    status, output = project.run("-n")
    assert status == 0, output
    assert jobs(output) | {"evaluate": 6, "heat_normalize": 1} == jobs(output)
    status, output = project.run()
    assert status == 0, output
    assert "figures in 2 files, results/index.html shows them" in output
    assert "Nothing to be done" in project.run("-n")[1]
    built = ledger.last(tmp_path)
    assert built
    assert built.upstream
    assert "logs/apple-1.jsonl" in built.pieces["normalize evals/0000"].inputs
    stages = [*verify.stages(cli.plan(tmp_path), [])]
    assert [failure for stage in stages for failure in stage.failures] == []
    cells = sum(
        len(pl.read_parquet(path)) for path in (tmp_path / "results/grids").glob("*.parquet")
    )
    assert (stages[-1].name, stages[-1].checked) == ("counted", f"{cells} cells, from the raw logs")
    trace = ["trace", "heat", "--project", str(tmp_path), "--cell", "temperature=0.0,model=apple"]
    assert cli.main(trace) == 0
    assert "12 records" in capsys.readouterr().out
    parent(tmp_path, PARENT, count=6)
    status, output = project.run("results/grids/heat.parquet")
    assert status == 0, output
    assert cli.main(trace) == 1, "the figure itself was not asked for"
    assert "18 records" in capsys.readouterr().out
    log = tmp_path / "logs/apple-1.jsonl"
    before = log.stat()
    log.write_text(log.read_text().replace("true", "1234", 1))
    os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
    status, output = project.run("-n", "results/ledger.json")
    assert "logs/apple-1.jsonl changed: normalize evals/0000 runs again" in output
    assert jobs(output)["heat_normalize"] == 1
    assert "evaluate" not in jobs(output)


@pytest.mark.workflow
def test_logs_whose_names_a_run_alone_knows(tmp_path: Path) -> None:
    """The page's rule that calls heatproof itself: it finds what another rule has put there."""
    project = parent(tmp_path, NESTED)
    (tmp_path / "figs").mkdir()
    (tmp_path / "figs/config.yaml").write_text(CONFIG)
    there = os.pathsep.join([str(Path(warm.EXECUTABLE).parent), os.environ["PATH"]])
    status, output = project.start("--cores", "2", PATH=there)
    assert status == 0, output
    assert "evals  1 log, 8 samples" in (tmp_path / "figs/results/summary.txt").read_text()


@pytest.mark.workflow
def test_rules_from_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetched as from GitHub, by the file that the catalog names."""
    origin = tmp_path / "served/me/heatproof"
    shutil.copytree(PROJECT / "workflow/rules", origin / "workflow/rules")
    shutil.copytree(PROJECT / "workflow/scripts", origin / "workflow/scripts")
    for name in ("Snakefile", "workflow/Snakefile"):
        shutil.copy(PROJECT / name, origin / name)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(origin))
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "rules"], ["tag", "v1"]):
        subprocess.run([*git, *command], check=True)
    for key, value in {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path}/served/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(PROJECT / "workflow/src"),
    }.items():
        monkeypatch.setenv(key, value)
    project = Project.at(write_folder(tmp_path / "here"))
    fetched = 'github("me/heatproof", path="workflow/Snakefile", tag="v1")'
    module = (
        f'configfile: "config.yaml"\nmodule heatproof:\n    snakefile: {fetched}\n'
        "    config: config\nuse rule * from heatproof\n"
    )
    (project.root / "Snakefile").write_text(module)
    status, output = project.run("-n")
    assert status == 0, output
    assert jobs(output) | {"normalize": 1, "draw": 1, "ledger": 1, "whole": 1} == jobs(output)


def test_what_snakedeploy_copies_is_a_right_config() -> None:
    """Its sources and figures have no mistake, but that its logs are those of nobody."""
    raw = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    assert configuration.examined(raw)[1] == []
    assert 'include: "../Snakefile"' in (PROJECT / "workflow/Snakefile").read_text()
