"""The workflow on a real Slurm: the same bytes as on one machine, accidents included.

`../shared/slurm/slurm-up` starts one of three nodes on this machine, where it can.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from test_workflow import CONFIG as ONE_SHARD
from test_workflow import PROJECT, Project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.workflow, pytest.mark.slurm]

SCRIPTS = PROJECT.parent / "shared" / "slurm"
RUNS = ONE_SHARD["sources"]["runs"] | {"shards": 2}
CONFIG = ONE_SHARD | {"sources": {"runs": RUNS}}
PROFILE = ("--profile", "profiles/slurm")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a running Slurm; skips where there can be none, and says why."""
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("snakemake-executor-plugin-slurm is not installed: requirements-slurm.txt")
    if not (SCRIPTS / "slurm-up").is_file():
        pytest.skip("no shared/slurm/slurm-up beside the project")
    if os.geteuid() != 0:
        pytest.skip("slurm-up needs root")
    folder = tmp_path_factory.mktemp("slurm")
    up = [str(SCRIPTS / "slurm-up"), "-d", str(folder)]
    started = subprocess.run(up, capture_output=True, text=True, check=False)
    if started.returncode:
        pytest.skip(f"Slurm cannot be started here: {started.stderr.strip().splitlines()[-1]}")
    shell = ["bash", "-c", f"eval '{started.stdout}'; env -0"]
    said = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
    yield dict(line.split("=", 1) for line in said.split("\0") if "=" in line)
    down = [str(SCRIPTS / "slurm-down"), "-d", str(folder)]
    subprocess.run(down, capture_output=True, check=False)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one machine makes."""
    project = Project(tmp_path_factory.mktemp("local"), CONFIG)
    status, said = project.run()
    assert status == 0, said
    return project.results()


def different(found: dict[str, bytes], wanted: dict[str, bytes]) -> list[str]:
    """Artefacts that are not the same bytes, or only on one side."""
    names = found.keys() | wanted.keys()
    return sorted(name for name in names if found.get(name) != wanted.get(name))


def until(what: Callable[[], str], seconds: float) -> str:
    """What is waited for, as soon as it is there."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, f"waited {seconds} s"
        time.sleep(0.3)
    return found


def ask(slurm: dict[str, str], *command: str) -> str:
    """What a Slurm command prints."""
    done = subprocess.run(command, env=slurm, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def test_a_cluster_makes_the_same_bytes(
    tmp_path: Path, slurm: dict[str, str], local: dict[str, bytes]
) -> None:
    """Tables and figures are made by jobs on nodes, light jobs here; a second run has nothing."""
    project = Project(tmp_path, CONFIG)
    status, said = project.run(*PROFILE, **slurm)
    assert status == 0, said
    assert different(project.results(), local) == []
    assert len(re.findall(r"submitted with SLURM jobid", said)) == 2
    assert "Nothing to be done" in project.run(*PROFILE, **slurm)[1]


def test_a_cancelled_job_and_a_lost_node_change_nothing(
    tmp_path: Path, slurm: dict[str, str], local: dict[str, bytes]
) -> None:
    """The run ends, or ends after one more `snakemake`, with the same bytes."""
    project = Project(tmp_path, CONFIG)
    running = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *PROFILE, "--group-components", "tables=1"],
        cwd=project.root, env=slurm, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        lost, cancelled = until(lambda: two_jobs(slurm), 60).splitlines()
        daemon = Path(slurm["SLURM_LAB"]) / "run" / f"slurmd-{lost.split()[1]}.pid"
        os.kill(int(daemon.read_text()), 9)
        ask(slurm, "scancel", cancelled.split()[0])
        said = running.communicate(timeout=300)[0]
    finally:
        running.kill()
    assert said.count("Trying to restart job") >= 1, said
    if running.returncode:
        status, said = project.run(*PROFILE, **slurm)
        assert status == 0, said
    assert different(project.results(), local) == []


def two_jobs(slurm: dict[str, str]) -> str:
    """Two running jobs and their nodes, a line each."""
    lines = ask(slurm, "squeue", "-h", "-t", "RUNNING", "-o", "%i %N").splitlines()
    return "\n".join(lines) if len(lines) == 2 else ""
