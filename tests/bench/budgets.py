"""What may cost how much: ratios of CPU time that the load of a machine hardly moves.

    pip install --require-hashes -r requirements/bench.txt
    python tests/bench/budgets.py [NAME …] [--python .venv/bin/python]

Prints a line for each: its budget, what was measured, and both costs. The exit status is 1 if a
number is beyond twice its budget. Each takes at most half a minute. Contenders run by turns in
processes of their own, and the least of `ROUNDS` counts: load only adds. Imports, and the first
log, do not count. `--python` runs heatproof; the others run in the environment of this script, and
are left out where it lacks their library.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from figures import JOB, PLAIN, PROJECT, SKIPPED, clean, measure
from normalize import FIELDS, write_logs

ROUNDS = 3
OURS = """
import gc, os, sys
from pathlib import Path
import polars
from heatproof import worker
from heatproof.formats import dynts_format
from heatproof.samples import normalize
folder, out = map(Path, sys.argv[1:])
paths = sorted(path.name for path in folder.iterdir())
entry = dynts_format.Entry(format="dynts", logs="*", name="bench")
def read(some):
    normalize.write(some, folder, entry, dynts_format.read, out / "samples", out / "rejected")
gc.set_threshold(worker.GARBAGE)
read(paths[:1])
before = os.times()
read(paths)
after = os.times()
print(after.user + after.system - before.user - before.system)
"""
DUCKDB = f"""
import os, sys
import duckdb
folder, out = sys.argv[1:]
one = sorted(os.listdir(folder))[0]
connection = duckdb.connect(config={{"threads": 1}})
connection.execute("set enable_progress_bar = false")  # it would stand between the numbers
def read(name):
    connection.execute(f'''copy (select {", ".join(FIELDS)}, filename
        from read_json('{{folder}}/{{name}}', filename=true)) to '{{out}}/samples' (format parquet)''')
read(one)
before = os.times()
read("*")
after = os.times()
print(after.user + after.system - before.user - before.system)
"""
JUDGE = """
import os, resource, sys
import numpy as np
from heatproof import statistics
cells, problems = map(int, sys.argv[1:])
chance = np.random.default_rng(0)
skill = chance.normal(size=cells) / 3 - chance.normal(size=(problems, 1))
right = (chance.random((problems, cells)) < 1 / (1 + np.exp(-skill))).astype(float)
before = os.times()
statistics.best_p_values(right, np.ones(right.shape, int))
after = os.times()
print(after.user + after.system - before.user - before.system)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


class Measured(NamedTuple):
    """A number to compare with its budget, and how it came about."""

    number: float
    words: str


def numbers_of(python: str, code: str, *words: str) -> list[float]:
    """The numbers that a program prints, in an environment of one thread."""
    command = [python, "-c", code, *words]
    environment = os.environ | JOB
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()]


def ratio(ours: list[float], theirs: list[float]) -> Measured:
    """Our least cost over that of another."""
    own, other = min(ours), min(theirs)
    return Measured(own / other, f"{own:.2f} ÷ {other:.2f} CPU s")


def reading(python: str, logs: int, records: int, size: int) -> Measured:
    """The stage `normalize` beside DuckDB that finds the columns."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root, "logs")
        write_logs(folder, logs, records, size)
        for _ in range(ROUNDS):
            ours += numbers_of(python, OURS, str(folder), root)
            theirs += numbers_of(sys.executable, DUCKDB, str(folder), root)
    return ratio(ours, theirs)


def gallery(python: str) -> Measured:
    """All figures of the repository beside six of them by pandas and seaborn."""
    with tempfile.TemporaryDirectory() as root:
        project = Path(root, "project")
        shutil.copytree(PROJECT, project, ignore=SKIPPED)
        clean(project)  # what is made already would cost nothing
        keep_bytecode(python, project / "workflow/src")
        snakemake = [python, "-m", "snakemake", "--cores", "2"]
        plain = [sys.executable, str(PLAIN), str(project), str(Path(root, "plain"))]
        ours = measure(snakemake, project)
        theirs = measure(plain, project, JOB)
    measured = ratio([ours.cpu], [theirs.cpu])
    wall = f"{ours.wall:.1f} ÷ {theirs.wall:.1f} s of the clock"
    return measured._replace(words=f"{measured.words}; {wall}")


def keep_bytecode(python: str, library: Path) -> None:
    """Compile the library and the packages of a Python, as an installation does."""
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()
    compiling = [python, "-m", "compileall", "-q", str(library), packages]
    subprocess.run(compiling, stdout=subprocess.DEVNULL, check=False)  # some are templates


def judging(python: str) -> Measured:
    """What a cell of 2,000 costs beside one of 200."""
    many, few = [], []
    for _ in range(ROUNDS):
        many.append(numbers_of(python, JUDGE, "2000", "20")[0] / 2000 * 1000)
        few.append(numbers_of(python, JUDGE, "200", "20")[0] / 200 * 1000)
    measured = ratio(many, few)
    return measured._replace(words=measured.words.replace("CPU s", "CPU ms a cell"))


def problems(python: str) -> Measured:
    """The memory of a panel of 100,000 problems."""
    cpu, memory = numbers_of(python, JUDGE, "4", "100000")
    return Measured(memory, f"MB; {cpu:.2f} CPU s")


class Bench(NamedTuple):
    """What is measured, its budget, and the libraries of those beside us."""

    run: Callable[[str], Measured]
    budget: float
    needs: tuple[str, ...] = ()


BENCHES = {
    "1,000 small logs ÷ DuckDB": Bench(lambda own: reading(own, 1000, 150, 12), 2.5, ("duckdb",)),
    "records of 900 bytes ÷ DuckDB": Bench(
        lambda own: reading(own, 4, 12_500, 900), 1.3, ("duckdb",)
    ),
    "records of 20 kB ÷ DuckDB": Bench(lambda own: reading(own, 16, 300, 20_000), 0.8, ("duckdb",)),
    "gallery ÷ pandas and seaborn": Bench(gallery, 1.5, ("pandas", "seaborn")),
    "a cell of 2,000 ÷ one of 200": Bench(judging, 5.0),
    "100,000 problems, MB": Bench(problems, 600.0),
}


def main() -> int:
    """Measure, print, and tell by the exit status whether all is within twice its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginnings of names; else all")
    parser.add_argument("--python", default=sys.executable, help="runs heatproof")
    given = parser.parse_args()
    python = str(Path(given.python).absolute())
    fails = 0
    for name, bench in BENCHES.items():
        if given.names and not name.startswith(tuple(given.names)):
            continue
        missing = [library for library in bench.needs if not importlib.util.find_spec(library)]
        if missing:
            print(f"{name:32} not measured: {', '.join(missing)} is not installed", flush=True)
            continue
        found = bench.run(python)
        verdict = "within its budget"
        if found.number > bench.budget:
            verdict = "BEYOND ITS BUDGET"
        if found.number > 2 * bench.budget:
            verdict = "BEYOND TWICE ITS BUDGET"
            fails += 1
        print(f"{name:32} {found.number:8.2f} of {bench.budget:6.2f}  {verdict}: {found.words}")
    return int(fails > 0)


if __name__ == "__main__":
    sys.exit(main())
