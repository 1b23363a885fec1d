"""All the way with many samples: logs of 10⁸ records to figures and gallery, in bounded memory.

    pip install --require-hashes -r requirements/bench.txt
    python tests/bench/whole.py [--logs 8000] [--records 12500] [--keep FOLDER]

Two figures of one sweep: `all` shows every sample, 100 cells that pool all models; `one` shows the
samples of one model. Time and the memory of the largest process, in which `snakemake` counts with
its jobs; beside it DuckDB, which reads the same logs and makes the cells of all models.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import sweep
from figures import JOB, Cost, clean, measure

EPOCHS = 5
LINE = '{"question_id": %d, "answer_id": %d, "output": "so then we need to find it", "score": %s}\n'
FIGURE = {
    "kind": "heatmap",
    "source": "sweep",
    "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
    "uncertainty": "se",
    "formats": ["svg", "png"],
}
CONFIG: dict[str, object] = {
    "sources": {"sweep": {"format": "dynts", "logs": "data/sweep/*.jsonl"}},
    "figures": {
        "all": FIGURE | {"pool": ["model"]},
        "one": FIGURE | {"where": {"model": "m000"}},
    },
}


def write_logs(folder: Path, count: int, records: int) -> int:
    """The logs of a sweep over models, ratios and windows; their size in bytes."""
    draw = random.Random(0)
    folder.mkdir(parents=True)
    lines = [
        [LINE % (n // EPOCHS, n % EPOCHS, score) for score in ("false", "true")]
        for n in range(records)
    ]
    total = 0
    for number in range(count):
        right = f"{draw.getrandbits(records):0{records}b}"
        text = "".join([line[bit == "1"] for line, bit in zip(lines, right, strict=True)])
        total += (folder / sweep.name(number)).write_text(text)
    return total


def prepare(root: Path, logs: int, records: int) -> None:
    """A copy of the workflow with the sweep as its data."""
    sweep.copy(root, CONFIG)
    size = write_logs(root / "data/sweep", logs, records)
    print(f"{logs:,} logs, {logs * records:,} samples, {size / 1e9:.1f} GB", flush=True)


def main() -> None:
    """Build, measure, print; what was made is removed unless it is to be kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=8000)
    parser.add_argument("--records", type=int, default=12_500)
    parser.add_argument("--keep", type=Path, help="build here, and use what is there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = given.keep or Path(temporary) / "sweep"
        if not (root / "Snakefile").is_file():
            prepare(root, given.logs, given.records)
        clean(root)
        snakemake = [sys.executable, "-m", "snakemake"]
        duckdb = [sys.executable, "-c", sweep.DUCKDB, "data/sweep/*.jsonl", "cells.parquet"]
        costs: dict[str, Cost] = {
            "everything": measure(snakemake, root),
            "nothing to do": measure(snakemake, root),
            "DuckDB": measure(duckdb, root, JOB),
        }
    print(f"{'':16}{'wall s':>9}{'CPU s':>9}{'MB':>7}{'wall':>8}{'CPU':>7}  of DuckDB")
    duck = costs["DuckDB"]
    for name, cost in costs.items():
        ratios = f"{cost.wall / duck.wall:8.2f}{cost.cpu / duck.cpu:7.2f}"
        print(f"{name:16}{cost.wall:9.1f}{cost.cpu:9.1f}{cost.memory:7.0f}{ratios}")


if __name__ == "__main__":
    main()
