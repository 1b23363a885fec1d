"""The whole clean `snakemake` run against one plain pandas + seaborn script.

    pip install --require-hashes -r requirements/bench.txt
    python tests/bench/figures.py --rounds 5

`snakemake` makes everything (all figures in four formats, tables, gallery), from the raw logs and
with its own start; `plain.py` makes six of the figures in three formats from the same logs. Both
run by turns in a copy of the project; the table gives medians, last that of a rerun with nothing to
do. Install with pip, which compiles what it installs; after uv each process would do so anew. With
`--python .venv/bin/python`, `snakemake` runs in the environment that README.md makes.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
PLAIN = Path(__file__).with_name("plain.py")
sys.path.insert(0, str(PROJECT / "workflow" / "src"))

from heatproof.worker import ALGEBRA, USUAL  # noqa: E402

JOB = USUAL | {f"{name}_NUM_THREADS": "1" for name in ALGEBRA}
"""The environment of a job. Without it numpy's library for linear algebra starts threads that spin
for a while, a tenth of a second of CPU."""
SKIPPED = shutil.ignore_patterns(".*_cache", ".git", ".snakemake", ".venv", "__pycache__")


class Cost(NamedTuple):
    """What a process and all it waited for took."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds, user and system."""
    memory: float
    """MB of the largest process."""


KEPT = {"PYTHONDONTWRITEBYTECODE": ""}


def measure(command: list[str], folder: Path, environment: Mapping[str, str] = {}) -> Cost:
    """Run a command to its end; `environment` adds to what this process has.

    Bytecode is kept, as it is where people work: else each start of Snakemake compiles it anew.

    Raises:
        SystemExit: it failed; its output is shown.
    """
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=subprocess.STDOUT,
            env={**os.environ, **KEPT, **environment},
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            sys.exit(f"{output.read()}\nfailed: {' '.join(command)}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def clean(project: Path) -> None:
    """Put aside all that `snakemake` made.

    Not removed: for a minute after, ext4 takes long to make new files, a second for two thousand.
    """
    aside = Path(tempfile.mkdtemp(prefix="made-", dir=project.parent))
    for made in ("results", ".snakemake"):
        if (project / made).exists():
            (project / made).rename(aside / made)


def rounds(
    count: int, cores: int, python: str, project: Path, output: Path
) -> dict[str, list[Cost]]:
    """The costs of each contestant, by turns; a first round warms caches and does not count."""
    snakemake = [python, "-m", "snakemake", "--cores", str(cores)]
    plain = [sys.executable, str(PLAIN), str(project), str(output)]
    costs: dict[str, list[Cost]] = {
        "clean snakemake": [],
        "plain script": [],
        "snakemake again": [],
    }
    for number in range(count + 1):
        clean(project)
        commands = ((snakemake, {}), (plain, JOB), (snakemake, {}))
        for (name, seen), (command, given) in zip(costs.items(), commands, strict=True):
            cost = measure(command, project, given)
            print(f"{number or 'warm-up'}: {name} {cost.wall:.1f} s", file=sys.stderr)
            if number:
                seen.append(cost)
    return costs


def table(costs: dict[str, list[Cost]]) -> str:
    """Medians, and their ratios to the plain script."""
    medians = {n: Cost(*map(median, zip(*seen, strict=True))) for n, seen in costs.items()}
    peer = medians["plain script"]
    lines = [f"{'':16} {'wall s':>8} {'CPU s':>8} {'MB':>6} {'wall':>7} {'CPU':>7}  (÷ plain)"]
    lines += [
        f"{name:16} {cost.wall:8.2f} {cost.cpu:8.2f} {cost.memory:6.0f}"
        f" {cost.wall / peer.wall:7.2f} {cost.cpu / peer.cpu:7.2f}"
        for name, cost in medians.items()
    ]
    return "\n".join(lines)


def main() -> None:
    """Run the comparison and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--python", default=sys.executable, help="runs snakemake")
    given = parser.parse_args()
    python = str(Path(given.python).absolute())
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        shutil.copytree(PROJECT, project, ignore=SKIPPED)
        costs = rounds(given.rounds, given.cores, python, project, Path(folder) / "plain")
    print(f"medians of {given.rounds} rounds by turns, --cores {given.cores}")
    print(table(costs))


if __name__ == "__main__":
    main()
