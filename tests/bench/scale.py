"""What grows with what: logs, figures, cells, rows, and the bytes of one log.

    python tests/bench/scale.py [NAME …] [--python .venv/bin/python] [--write workflow/SCALE.md]

Each project is generated, built from nothing, and asked for again with nothing to do. A line says
the CPU seconds of all its processes, and the memory of the largest. `--write` puts the table in
place of the one in a file, between its two marks; lines of projects that were not measured stay.
"""

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml
from figures import PROJECT, Cost, clean, measure

EPOCHS = 5
THOUGHT = "so then we need to find the sum of all that is even, wait, let us check: "
FAULT = '{"question_id": 0, "answer_id": 0, "score": tru\n'
BARE = """
from pathlib import Path
logs = sorted(str(path) for path in Path("data/sweep").iterdir())
shards = [logs[number::{shards}] for number in range({shards})]
rule all:
    input: [f"made/{{number}}" for number in range({shards})]
rule shard:
    input: lambda wildcards: shards[int(wildcards.number)]
    output: "made/{{number}}"
    shell: "touch {{output}}"
"""
MARKS = "<!-- measured: tests/bench/scale.py -->", "<!-- end -->"
HEAD = """\
| | built CPU s | MB | nothing to do CPU s | MB |
|---|---|---|---|---|
"""
ROW = re.compile(r"\| (?P<name>[^|]+) \|.*")


class Sweep(NamedTuple):
    """A project: its logs, and the figures of them."""

    logs: int
    records: int = 20  # of each log
    characters: int = 12  # of the text in a record
    figures: int = 2
    side: int = 10  # cells of a figure, along each of its sides
    faults: int = 0  # logs that have a record which cannot be read
    bare: bool = False  # whether Snakemake alone is measured, with as many inputs


SWEEPS = {
    "300 logs × 20 records": Sweep(300, bare=True),
    "10,000 logs × 20 records": Sweep(10_000, bare=True),
    "50,000 logs × 20 records": Sweep(50_000, bare=True),
    "10,000 logs, a fault in each hundredth": Sweep(10_000, faults=100),
    "1 figure of 100 logs": Sweep(100, figures=1),
    "10 figures of 100 logs": Sweep(100, figures=10),
    "100 figures of 100 logs": Sweep(100, figures=100),
    "300 figures of 100 logs": Sweep(100, figures=300),
    "30 × 30 cells": Sweep(900, figures=1, side=30),
    "60 × 60 cells": Sweep(3600, figures=1, side=60),
    "100 × 100 cells": Sweep(10_000, figures=1, side=100),
    "10,000,000 rows": Sweep(100, records=100_000),
    "one log of 3 GB": Sweep(1, records=1_000_000, characters=3000, figures=1, side=1),
}


def lines_of(sweep: Sweep, chance: random.Random) -> Iterator[str]:
    """The lines of a log."""
    text = (THOUGHT * (sweep.characters // len(THOUGHT) + 1))[: sweep.characters]
    for number in range(sweep.records):
        problem, epoch = divmod(number, EPOCHS)
        score = "true" if chance.getrandbits(1) else "false"
        yield f'{{"question_id": {problem}, "answer_id": {epoch}, "output": "{text}", '
        yield f'"score": {score}}}\n'


def write_logs(sweep: Sweep, folder: Path) -> None:
    """The logs of a sweep: models, each with a log for each cell."""
    chance = random.Random(0)
    folder.mkdir(parents=True)
    for number in range(sweep.logs):
        model, cell = divmod(number, sweep.side**2)
        ratio, window = divmod(cell, sweep.side)
        name = f"m{model:03d}_t_N{EPOCHS}-R{ratio + 1}-KW{window + 1}-PKVL5000.jsonl"
        with (folder / name).open("w") as log:
            log.writelines(lines_of(sweep, chance))
            if sweep.faults and number % sweep.faults == 0:
                log.write(FAULT)


def write_project(sweep: Sweep, root: Path) -> None:
    """A copy of the workflow with a sweep as its data, and its figures."""
    root.mkdir()
    for name in ("Snakefile", "workflow", "profiles"):
        source = PROJECT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, root / name)
    write_logs(sweep, root / "data/sweep")
    models = max(1, sweep.logs // sweep.side**2)
    figures = {}
    for number in range(sweep.figures):
        figures[f"f{number:03d}"] = {
            "kind": "heatmap",
            "source": "sweep",
            "title": f"Figure {number}",
            "where": {"model": f"m{number % models:03d}"},
            "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
        }
    sources = {"sweep": {"format": "dynts", "logs": "data/sweep/*.jsonl"}}
    config = {"sources": sources, "figures": figures}
    (root / "config.yaml").write_text(yaml.safe_dump(config))


def measured(sweep: Sweep, python: str, folder: Path) -> list[tuple[str, Cost, Cost]]:
    """What it costs to build a sweep, and to find nothing to do; the same of Snakemake alone."""
    root = folder / "project"
    snakemake = [python, "-m", "snakemake", "--cores", "2"]
    write_project(sweep, root)
    costs = [("", measure(snakemake, root), measure(snakemake, root))]
    if sweep.bare:
        clean(root)
        for name in ("Snakefile", "workflow", "profiles", "config.yaml"):
            (root / name).rename(folder / name)
        shards = max(2, min(12, sweep.logs // 1000))
        (root / "Snakefile").write_text(BARE.format(shards=shards))
        snakemake.append("--quiet")
        built, again = measure(snakemake, root), measure(snakemake, root)
        costs.append((", Snakemake alone", built, again))
    return costs


def with_row(text: str, name: str, row: str) -> str:
    """A file with a row of its table in its place, or as the last."""
    head, rest = text.split(f"{MARKS[0]}\n{HEAD}")
    table, tail = rest.split(MARKS[1])
    rows = {}
    for line in table.splitlines():
        if match := ROW.fullmatch(line):
            rows[match["name"]] = line
    rows[name] = row
    lines = "\n".join(rows.values())
    return f"{head}{MARKS[0]}\n{HEAD}{lines}\n{MARKS[1]}{tail}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginnings of names; else all")
    parser.add_argument("--python", default=sys.executable, help="runs heatproof")
    parser.add_argument("--write", type=Path, metavar="FILE", help="whose table gets the lines")
    given = parser.parse_args()
    python = str(Path(given.python).absolute())
    print(HEAD, end="")
    for name, sweep in SWEEPS.items():
        if given.names and not name.startswith(tuple(given.names)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            costs = measured(sweep, python, Path(folder))
        for of_what, built, again in costs:
            numbers = [f"{built.cpu:.1f}", f"{built.memory:.0f}"]
            numbers += [f"{again.cpu:.2f}", f"{again.memory:.0f}"]
            row = f"| {name}{of_what} | {' | '.join(numbers)} |"
            print(row, flush=True)
            if given.write:
                text = given.write.read_text()
                given.write.write_text(with_row(text, f"{name}{of_what}", row))


if __name__ == "__main__":
    main()
