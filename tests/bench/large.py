"""One log of 10 GB, and one of 10⁸ records: normalized and counted in bounded memory.

    python tests/bench/large.py [--bytes 10e9] [--records 100000000]

The log of long records (20 kB each) comes from a generator and is compressed on its way to the
disk: at 10 GB it takes a few hundred MB there, and reading it costs what unpacking costs. The log
of small records is plain text. What is made is removed at once.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import workloads
from figures import JOB, PROJECT, Cost, measure
from workloads import zstd

LONG = 20_000

WORK = f"""
import sys
sys.path.insert(0, {str(PROJECT / "workflow" / "src")!r})
from pathlib import Path
from heatproof.samples import shard_index
from heatproof.formats import dynts_format
from heatproof.samples import normalize
root = Path(sys.argv[1])
entry = dynts_format.Entry(format="dynts", logs="*", name="bench")
tables = [root / f"{{name}}.parquet" for name in ("samples", "rejected", "counts")]
made = normalize.write([sys.argv[2]], root, entry, dynts_format.read, *tables[:2])
shard_index.write_counts(tables[0], tables[2])
assert sum(log.rows for log in made.manifest) == int(sys.argv[3]), made
"""


def write(path: Path, records: int, size: int) -> int:
    """Write a log; packed by zstd if its name says so.

    Returns:
        Its bytes before they are packed.
    """
    rng = random.Random(size)
    parts = workloads.pieces(min(size, workloads.PIECE), rng)
    file = zstd.open(path, "wb", level=1) if path.suffix == ".zst" else path.open("wb")
    with file:
        return sum(map(file.write, workloads.records(records, size, parts, rng)))


def normalized(records: int, size: int, ending: str = "") -> Cost:
    """Write a log in a process of its own, then normalize it in another."""
    with tempfile.TemporaryDirectory() as folder:
        name = workloads.name(0) + ending
        make = [sys.executable, __file__, "--write", f"{folder}/{name}", str(records), str(size)]
        measure(make, Path(folder))
        return measure([sys.executable, "-c", WORK, folder, name, str(records)], Path(folder), JOB)


def main() -> None:
    """Print a row for each log."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=float, default=10e9)
    parser.add_argument("--records", type=int, default=100_000_000)
    parser.add_argument("--write", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write(Path(given.write[0]), *map(int, given.write[1:]))
        return
    print(f"{'one log of':40}{'records':>14}{'wall s':>9}{'CPU s':>9}{'MB':>7}")
    for what, records, size, ending in (
        (
            f"{given.bytes / 1e9:g} GB of long records, packed",
            int(given.bytes / LONG),
            LONG,
            ".zst",
        ),
        ("small records, plain", given.records, 12, ""),
    ):
        if records:
            cost = normalized(records, size, ending)
            numbers = f"{cost.wall:9.1f}{cost.cpu:9.1f}{cost.memory:7.0f}"
            print(f"{what:40}{records:14,}{numbers}", flush=True)


if __name__ == "__main__":
    main()
