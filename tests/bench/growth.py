"""How time and memory grow with logs and with samples: in one table, each row ten times the last.

    python tests/bench/growth.py [--logs 100,1000,10000] [--samples 1000000,10000000,100000000]

logs       sweeps of so many logs of 150 records: everything built, then nothing to do
samples    so many samples of 8,000 settings: tables counted shard by shard, counts to the grid
log        one log of so many records: normalized and counted in one process

CPU seconds, and MB of the largest process. `per` is CPU beyond that of the smallest size, for a
unit (log, thousand samples): it stays the same where growth is linear.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import partial
import sweep
from figures import Cost, measure
from large import normalized

ROW = "{:34}{:>14}{:>10}{:>9}{:>8}{:>12}"
PER_EPOCH = partial.SHARDS * partial.RUNS * partial.PROBLEMS


def show(title: str, unit: float, found: dict[int, Cost]) -> None:
    """A row for each size."""
    sizes = list(found)
    for size, cost in found.items():
        per = ""
        if size != sizes[0]:
            more = (cost.cpu - found[sizes[0]].cpu) / (size - sizes[0]) * unit
            per = f"{more * 1e3:.3f} ms"
        numbers = f"{cost.wall:.2f}", f"{cost.cpu:.2f}", f"{cost.memory:.0f}"
        print(ROW.format(title, f"{size:,}", *numbers, per), flush=True)


def sweeps(sizes: list[int]) -> None:
    """Everything, and nothing to do."""
    every: dict[int, Cost] = {}
    nothing: dict[int, Cost] = {}
    snakemake = [sys.executable, "-m", "snakemake"]
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            sweep.prepare(Path(folder), size, 150, 200)
            every[size] = measure(snakemake, Path(folder))
            nothing[size] = measure(snakemake, Path(folder))
    show("logs: everything built", 1, every)
    show("logs: nothing to do", 1, nothing)


def samples(sizes: list[int]) -> None:
    """Tables to counts, counts to the grid."""
    found: dict[str, dict[int, Cost]] = {"COUNT": {}, "COUNTS": {}}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            epochs = max(1, round(size / PER_EPOCH))
            given = [partial.SHARDS, partial.RUNS, partial.PROBLEMS, epochs, 0]
            partial.run(partial.MAKE, folder, given)
            for name, costs in found.items():
                cost = partial.run(getattr(partial, name), folder, given).cost
                costs[epochs * PER_EPOCH] = cost
    show("samples: rows to counts", 1000, found["COUNT"])
    show("samples: counts to the grid", 1000, found["COUNTS"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", default="100,1000,10000")
    parser.add_argument("--samples", default="1000000,10000000,100000000")
    given = parser.parse_args()
    logs, rows = ([int(n) for n in text.split(",") if n] for text in (given.logs, given.samples))
    print(ROW.format("", "size", "wall s", "CPU s", "MB", "per unit"))
    if logs:
        sweeps(logs)
    if rows:
        samples(rows)
        show("log: records of one log", 1000, {size: normalized(size, 12) for size in rows})


if __name__ == "__main__":
    main()
