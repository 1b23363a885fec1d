"""How fast logs are read, and with how much memory: `python tests/bench/normalize.py [--quick]`.

Generates logs in a temporary folder, then runs each contender in a process of its own, in turns,
and prints medians: seconds of CPU and of wall time for the work alone (imports are not counted),
and the peak of resident memory of the whole process. All have the environment that Snakemake gives
a job of one thread; DuckDB takes the threads that it is told. Where two processes share the logs,
both have imported what they need before either begins, the wall time lasts until the second is
done, CPU is the sum and memory the larger of the two. What else the machine does falls on wall
time: CPU tells what the work costs, wall time what two processes gain where two cores are free.

    long     160 logs, 60,000 records of 20 kB: 1.2 GB
    many     10,000 logs of 150 small records: 0.3 GB
    packed   a part of `long` as .gz and .zst
    large    one log of 4 GB, of long records
    rows     one log of 4 GB, of small records: 24 million

heatproof does everything: decode, validate, hash, note offsets, refuse, sort, write both tables.
DuckDB only copies eight small fields to Parquet, as it finds the columns by itself and once more
with the columns named; pandas reads and selects them. One process of heatproof stands against one
thread of DuckDB, two against two. What two processes can gain on a machine is seen from the same
files read and hashed, and no more, by one process and by two.

What was tried, as time against the time without it (a lower number is a gain):
    read into one buffer again and again, no copies                   0.85 (long)
    1 MiB instead of 4 MiB at a time (it stays in the cache)          0.95 (long)
    jump from newline to newline where lines are long: not done       0.90 (long)
    an index of newlines by numpy where lines are short               0.80 (many)
    places as arrays instead of an object each                        0.75 (many)
    UTF-8 checked by Arrow in place instead of bytes.decode           0.60 (long), nothing (many)
    small logs read ahead, decoded many at a time                     0.73 (many), for 300 lines: not done
    lines as differences, not as numbers of lines; the file is 0.6    0.95 (rows)
    freed memory stays with the process (MALLOC_TRIM_THRESHOLD_)      0.96 (many), 0.91 of counting
    row groups that end where a sample ends                           1.00 (many), 0.80 of counting
    columns encoded 65,536 rows at a time instead of 1,024            0.95 (many), 0.80 of writing
    256 KiB of small logs at a time instead of 1 MiB                  1.10 (many)
    huge pages (glibc.malloc.hugetlb), short numbers in half words    1.00 (many)
    one thread for the linear algebra of numpy                        1.00, minus 0.05 s a process
    no statistics in the tables; zstd 1 instead of 3                  0.70; 0.88 of writing, not done
    Arrow's JSON reader instead of msgspec                            4 times the decoding (many)
    garbage collection off while decoding                             1.00
    texts that nobody asks for cut out before decoding, by numpy      4 times the decoding (long)
    BLAKE3 in pieces of 1 MiB, one thread                             14 % of the time (long)
    repeated keys counted by the decoder                              1.04 (long), 1.30 (many)
    repeated keys by bytes.count of each key                          1.60 (long), 1.25 (many)
    repeated keys by a second parser (Arrow)                          2.40 (long), 1.45 (many)
Parquet: polars writes only whole frames, and with it bytes hung on how a frame was built; the Arrow
writer takes row groups one by one in one thread, so that memory is bounded and bytes are the rows'.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from figures import JOB

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "workflow" / "src"))

FIELDS = {
    "question_id": "BIGINT", "answer_id": "BIGINT", "ground_truth": "VARCHAR",
    "pred_answer": "VARCHAR", "score": "BOOLEAN", "num_decode_tokens": "BIGINT",
    "prompt": "VARCHAR",
}  # fmt: skip


# The contenders. Each imports what it needs, then returns a function that does the work.


def heatproof(folder: Path, out: Path, part: str = "0/1") -> Any:
    import polars  # noqa: F401 - else at the first frame

    from heatproof.formats import dynts_format
    from heatproof.samples import normalize

    number, count = map(int, part.split("/"))
    paths = sorted(path.name for path in folder.iterdir())[number::count]
    entry = dynts_format.Entry(format="dynts", logs="*", name="bench")
    files = out / "a.parquet", out / "b.parquet"

    def work() -> None:
        outcome = normalize.write(paths, folder, entry, dynts_format.read, *files)
        assert all(log.records == log.rows > 0 for log in outcome.manifest)

    return work


def duckdb(folder: Path, out: Path, how: str, threads: str = "1") -> Any:
    import duckdb as duck

    connection = duck.connect()
    connection.execute(f"SET threads={threads}")
    columns = f", columns={FIELDS}" if how == "named" else ""
    query = f"""COPY (SELECT {", ".join(FIELDS)}, filename
        FROM read_json('{folder}/*', filename=true{columns}))
        TO '{out}/a.parquet' (FORMAT parquet)"""
    return lambda: connection.execute(query)


def pandas(folder: Path, out: Path) -> Any:
    import pandas as pd

    def work() -> None:
        frames = [pd.read_json(path, lines=True)[list(FIELDS)] for path in sorted(folder.iterdir())]
        pd.concat(frames).to_parquet(out / "a.parquet")

    return work


def bare(folder: Path, out: Path, part: str = "0/1") -> Any:  # noqa: ARG001
    """Read and hash only: what the disk, the memory and the cores of the machine give."""
    from blake3 import blake3

    number, count = map(int, part.split("/"))
    paths = sorted(folder.iterdir())[number::count]
    buffer = memoryview(bytearray(1 << 20))

    def work() -> None:
        for path in paths:
            digest = blake3()
            with path.open("rb", buffering=0) as file:
                while size := file.readinto(buffer):
                    digest.update(buffer[:size])
            digest.digest()

    return work


def unpack(folder: Path, out: Path, how: str) -> Any:  # noqa: ARG001
    """Decompress only: by the standard library's gzip, or as the readers do."""
    import gzip

    from heatproof.logs.raw import Hashed, decompressed

    def work() -> None:
        for path in sorted(folder.iterdir()):
            raw = Hashed(path)
            stream = gzip.GzipFile(fileobj=raw) if how == "gzip" else decompressed(raw, path.name)
            while stream.read1(1 << 18):
                pass

    return work


CONTENDERS = {f.__name__: f for f in (heatproof, duckdb, pandas, bare, unpack)}


class Cost(NamedTuple):
    """What a run took: seconds of CPU and of wall time, MB of memory."""

    cpu: float
    wall: float
    memory: float


def child(contender: str, folder: str, *rest: str) -> None:
    """What the process of a contender does: waits for the word, works, prints its CPU time."""
    with tempfile.TemporaryDirectory(dir=Path(folder).parent) as out:
        work = CONTENDERS[contender](Path(folder), Path(out), *rest)
        print("ready", flush=True)
        sys.stdin.readline()
        before = os.times()
        work()
        after = os.times()
        print(after.user + after.system - before.user - before.system, flush=True)


def make(what: str, *words: object) -> int:
    """Have a process of its own generate logs: its memory is not to be taken for a contender's.

    Returns the size of what it wrote.
    """
    command = [sys.executable, str(HERE / "workloads.py"), what, *map(str, words)]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def start(*words: str) -> subprocess.Popen[bytes]:
    """A contender's process, ready to begin."""
    command = [sys.executable, __file__, "--child", *words]
    environment = {**os.environ, **JOB}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdout
    assert process.stdout.readline() == b"ready\n", words
    return process


def run(*words: str) -> Cost:
    """One run of a contender; `heatproof2` are two processes, each with half of the logs."""
    if words[0] in ("heatproof2", "bare2"):
        processes = [start(words[0][:-1], *words[1:], f"{n}/2") for n in range(2)]
    else:
        processes = [start(*words)]
    began = time.perf_counter()
    for process in processes:
        assert process.stdin
        process.stdin.write(b"go\n")
        process.stdin.close()
    cpu = [float(process.stdout.readline()) for process in processes if process.stdout]
    wall = time.perf_counter() - began
    return Cost(sum(cpu), wall, max(map(memory, processes)))


def memory(process: subprocess.Popen[bytes]) -> float:
    """The most that a process held, in MB, when it has ended."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"a contender failed: {process.args}")
    return usage.ru_maxrss / 1024


def measure(rows: dict[str, tuple[str, ...]], runs: int) -> dict[str, Cost]:
    """Medians of interleaved runs of each row's contender.

    Each round has another order: what slows the machine down now and then is to meet all alike.
    """
    costs: dict[str, list[Cost]] = {row: [] for row in rows}
    order = list(rows)
    shuffler = random.Random(0)
    for _ in range(runs):
        shuffler.shuffle(order)
        for row in order:
            costs[row].append(run(*rows[row]))
    return {row: Cost(*map(statistics.median, zip(*c, strict=True))) for row, c in costs.items()}


def show(title: str, costs: dict[str, Cost], base: str) -> None:
    print(f"\n{title}\n{'':44}{'CPU s':>8}{'wall s':>8}{'CPU ×':>8}{'wall ×':>8}{'peak MB':>9}")
    for row, cost in costs.items():
        cpu, wall = cost.cpu / costs[base].cpu, cost.wall / costs[base].wall
        print(f"{row:44}{cost.cpu:8.2f}{cost.wall:8.2f}{cpu:8.2f}{wall:8.2f}{cost.memory:9.0f}")
    sys.stdout.flush()


def against(folder: Path) -> dict[str, tuple[str, ...]]:
    """Two processes of heatproof, and DuckDB with one thread and with two."""
    return {
        "DuckDB, columns found": ("duckdb", str(folder), "found"),
        "DuckDB, columns named": ("duckdb", str(folder), "named"),
        "heatproof, two processes": ("heatproof2", str(folder)),
        "DuckDB, columns found, two threads": ("duckdb", str(folder), "found", "2"),
        "DuckDB, columns named, two threads": ("duckdb", str(folder), "named", "2"),
    }


def long(root: Path, runs: int, scale: int) -> None:
    folder = root / "long"
    size = make("write", folder, 160 // scale, 375, 20_000)
    rows = {
        "heatproof": ("heatproof", str(folder)),
        **against(folder),
        "read and hashed only": ("bare", str(folder)),
        "read and hashed only, two processes": ("bare2", str(folder)),
    }
    costs = measure(rows, runs)
    costs |= measure({"pandas": ("pandas", str(folder))}, 1)
    show(f"long: {160 // scale} logs, {size / 1e9:.2f} GB", costs, "heatproof")


def many(root: Path, runs: int, scale: int) -> None:
    folder, tenth = root / "many", root / "tenth"
    size = make("write", folder, 10_000 // scale, 150, 12)
    tenth.mkdir()
    for path in sorted(folder.iterdir())[::10]:
        os.link(path, tenth / path.name)
    rows = {
        "heatproof": ("heatproof", str(folder)),
        "heatproof, a tenth of the logs": ("heatproof", str(tenth)),
        **against(folder),
    }
    title = f"many: {10_000 // scale} logs of 150 records, {size / 1e9:.2f} GB"
    show(title, measure(rows, runs), "heatproof")


def packed(root: Path, runs: int, scale: int) -> None:
    plain, gz, zst = (root / name for name in ("plain", "gz", "zst"))
    size = make("write", plain, max(2, 40 // scale), 375, 20_000)
    make("pack", plain, gz, ".gz")
    make("pack", plain, zst, ".zst")
    rows = {
        "unpack .gz, the standard library's gzip": ("unpack", str(gz), "gzip"),
        "unpack .gz as heatproof does": ("unpack", str(gz), "heatproof"),
        "unpack .zst as heatproof does": ("unpack", str(zst), "heatproof"),
        "heatproof, plain": ("heatproof", str(plain)),
        "heatproof, .gz": ("heatproof", str(gz)),
        "heatproof, .zst": ("heatproof", str(zst)),
    }
    title = f"packed: {size / 1e9:.2f} GB of long records"
    show(title, measure(rows, runs), "unpack .gz, the standard library's gzip")


def one(root: Path, count: int, size: int, what: str) -> None:
    """A single log: what it takes of memory."""
    bytes_ = make("write", root / "one", 1, count, size)
    title = f"one log of {bytes_ / 1e9:.2f} GB, {count:,} {what} records"
    show(title, measure({"heatproof": ("heatproof", str(root / "one"))}, 1), "heatproof")


def large(root: Path, runs: int, scale: int) -> None:  # noqa: ARG001
    one(root, 200_000 // scale, 20_000, "long")


def rows(root: Path, runs: int, scale: int) -> None:  # noqa: ARG001
    one(root, 24_000_000 // scale, 12, "small")


WORKLOADS = {f.__name__: f for f in (long, many, packed, large, rows)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("workloads", nargs="*", help=f"of {', '.join(WORKLOADS)}; all if none")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data, once")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", help="where to put the logs, which are removed afterwards")
    options = parser.parse_args()
    for name in options.workloads or WORKLOADS:
        root = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            WORKLOADS[name](root, 1 if options.quick else options.runs, 10 if options.quick else 1)
        finally:
            shutil.rmtree(root)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        main()
