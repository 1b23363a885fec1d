"""The workflow on a real Slurm: the same bytes as on one machine, accidents included.

`../shared/slurm/slurm-up` starts one of three nodes on this machine, where it can.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.project import PROJECT, Project
from support.project import TWO_SHARDS as CONFIG

pytestmark = [pytest.mark.workflow, pytest.mark.slurm]

SCRIPTS = PROJECT.parent / "shared" / "slurm"
PROFILE = ("--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "1")
HASTE = """
from snakemake_executor_plugin_slurm import Executor

build.EVERY = 2.0
Executor.next_seconds_between_status_checks = property(lambda _: 1, lambda *_: None)
"""
"""The end of the Snakefile: the queue is looked at each second.

Of the executor, each look that finds no job ended puts the next one off by ten seconds.
"""
APART = ("--group-components", "tables=1")
"""Each shard is a job of its own."""

NO_HOME = """#!/bin/sh
# sbatch, for nodes that see no home of the one who sends the job; with SLOW, jobs wait so long first
script=$(cat)
[ -n "$script" ] || exec "$SLURM_LAB/bin/sbatch" "$@"
[ -z "$SLOW" ] || script=$(printf '%s\\n' "$script" | sed "1a sleep $SLOW")
case "$* $script" in *"$HOME"*) echo "sbatch: the job names the home" >&2; exit 1;; esac
printf '%s\\n' "$script" | HOME=/proc/no-home exec "$SLURM_LAB/bin/sbatch" "$@"
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a running Slurm; skips where there can be none, and says why."""
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("snakemake-executor-plugin-slurm is not installed: requirements/slurm.txt")
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
    output = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
    environment = dict(line.split("=", 1) for line in output.split("\0") if "=" in line)
    home = tmp_path_factory.mktemp("home")
    # As the node of a killed daemon is taken for lost: the default here is 15 seconds.
    conf = Path(environment["SLURM_CONF"])
    conf.write_text(conf.read_text().replace("SlurmdTimeout=15", "SlurmdTimeout=5"))
    ask(environment, "scontrol", "reconfigure")
    (home / "bin").mkdir()
    (home / "bin/sbatch").write_text(NO_HOME)
    (home / "bin/sbatch").chmod(0o755)
    path = f"{home / 'bin'}:{environment['PATH']}"
    cache = str(tmp_path_factory.mktemp("cache"))
    yield environment | {"HOME": str(home), "PATH": path, "XDG_CACHE_HOME": cache}
    down = [str(SCRIPTS / "slurm-down"), "-d", str(folder)]
    subprocess.run(down, capture_output=True, check=False)


class Hasty(Project):
    """The tiny sweep, with runs that do not put off their looks at the queue."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, CONFIG)
        with (root / "Snakefile").open("a") as file:
            file.write(HASTE)


@pytest.fixture(scope="module")
def local(tiny: Project) -> dict[str, bytes]:
    """What one machine makes."""
    return tiny.results()


def built(project: Project, *options: str, **environment: str) -> dict[str, bytes]:
    """What a run makes that must succeed."""
    status, output = project.run(*options, **environment)
    assert status == 0, output
    return project.results()


@contextmanager
def running(project: Project, slurm: dict[str, str], *options: str) -> Iterator[subprocess.Popen]:
    """A run on the cluster, to be disturbed."""
    command = [sys.executable, "-m", "snakemake", *PROFILE, *options]
    with (project.root / "said").open("w") as output:
        run = subprocess.Popen(command, cwd=project.root, env=slurm, stdout=output, stderr=output)
    try:
        yield run
    finally:
        run.kill()
        run.wait()


def different(found: dict[str, bytes], wanted: dict[str, bytes]) -> list[str]:
    """Artefacts that are not the same bytes, or only on one side."""
    names = found.keys() | wanted.keys()
    return sorted(name for name in names if found.get(name) != wanted.get(name))


def jobs(slurm: dict[str, str], count: int) -> list[tuple[str, str]]:
    """Number and node of each running job, as soon as there are `count`."""

    def look() -> list[tuple[str, str]]:
        lines = ask(slurm, "squeue", "-h", "-t", "RUNNING", "-o", "%i %N").splitlines()
        return [(line.split()[0], line.split()[1]) for line in lines] if len(lines) >= count else []

    return until(look, 60)


def until(what: Callable[[], list[tuple[str, str]]], seconds: float) -> list[tuple[str, str]]:
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


def lose(slurm: dict[str, str], node: str) -> None:
    """Kill the daemon of a node: after a while Slurm takes the node for lost."""
    daemon = Path(slurm["SLURM_LAB"]) / "run" / f"slurmd-{node}.pid"
    os.kill(int(daemon.read_text()), 9)


@pytest.fixture
def whole(slurm: dict[str, str]) -> Iterator[None]:
    """Nodes that are lost come back."""
    yield
    up = [str(SCRIPTS / "slurm-up"), "-d", slurm["SLURM_LAB"]]
    subprocess.run(up, env=slurm, capture_output=True, check=True)


def test_a_cluster_makes_the_same_bytes(tmp_path, slurm, local):
    """Tables and figures are made by jobs that see this folder and no home, light jobs here."""
    project = Hasty(tmp_path)
    # A second try asks for more time than this Slurm gives, and would wait for ever.
    status, output = project.run(*PROFILE, "--retries", "0", **slurm)
    assert status == 0, output
    assert different(project.results(), local) == []
    assert len(re.findall(r"submitted with SLURM jobid", output)) == 2
    assert "Nothing to be done" in project.run(*PROFILE, **slurm)[1]


@pytest.mark.usefixtures("whole")
def test_a_cancelled_job_and_a_lost_node_change_nothing(tmp_path, slurm, local):
    """The run ends, or ends after one more `snakemake`, with the same bytes."""
    project = Hasty(tmp_path)
    with running(project, slurm | {"SLOW": "15"}, *APART) as run:
        (cancelled, _), (_, lost) = jobs(slurm, 2)[:2]
        lose(slurm, lost)
        ask(slurm, "scancel", cancelled)
        run.wait(timeout=600)
    assert "Trying to restart job" in said_by(project)
    if run.returncode:
        built(project, *PROFILE, **slurm)
    assert different(project.results(), local) == []
    assert "Nothing to be done" in project.run(*PROFILE, **slurm)[1]


def test_a_job_that_waits_for_what_cannot_come_is_named(tmp_path, slurm):
    """By its number and Slurm's reason, once for all jobs that wait for it."""
    project = Hasty(tmp_path)
    # More time than the partition gives: Slurm waits, and says nothing.
    with running(project, slurm, *APART, "--set-resources", "normalize:runtime=100"):
        until(lambda: re.findall(r"Slurm (job) (\d+) is waiting", said_by(project)), 60)
        time.sleep(5)  # two more looks
    assert said_by(project).count("is waiting: PartitionTimeLimit. ") == 1


def test_why_slurm_takes_no_job_is_told(tmp_path: Path, slurm: dict[str, str]) -> None:
    """A partition that there is not, and a closed one, in the words of Slurm."""
    project = Hasty(tmp_path)
    wrong = ("--default-resources", "slurm_partition=mian", "--retries", "0")
    status, output = project.run(*PROFILE, *wrong, **slurm)
    assert status == 1
    assert "accepts no job for normalize/" in output
    assert "invalid partition" in output
    ask(slurm, "scontrol", "update", "PartitionName=main", "State=INACTIVE")
    status, output = project.run(*PROFILE, "--retries", "0", **slurm)
    ask(slurm, "scontrol", "update", "PartitionName=main", "State=UP")
    assert status == 1
    assert "accepts no job for normalize/" in output
    assert "partition not available (inactive" in output


def said_by(project: Project) -> str:
    """What a run has said so far."""
    return (project.root / "said").read_text()
