"""How fast logs are read, and with how much memory: `python tests/bench/normalize.py [--quick]`.

Generates logs in a temporary folder, runs each contender in a process of its own, by turns, and
prints medians: seconds of CPU for the work alone (imports are not counted), and the peak of resident
memory of the whole process. All have the environment that Snakemake gives a job of one thread.

    long     160 logs, 60,000 records of 20 kB: 1.2 GB
    middle   80 logs, 200,000 records of 900 bytes: 0.2 GB
    many     10,000 logs of 150 small records: 0.3 GB

heatproof does everything: decode, validate, hash, note offsets, refuse, sort, write both tables.
DuckDB only copies eight small fields to Parquet, as it finds the columns by itself and once more
with the columns named.

What was tried, as time against the time without it (a lower number is a gain):
    read into one buffer again and again, no copies                   1.00 (long): not done
    places as arrays, columns by attribute, what a log shares once    0.7 (many), 0.6 (middle)
    UTF-8 checked by Arrow in place                                  0.85 (long), nothing (many)
    small logs read ahead, decoded many at a time, besides            0.7 (many)
    no copy by the raw file; line ends sought once, long ones singly  0.6 (long), 0.95 (many)
    keys counted by one call back a value, not by two                 0.95 (many)
    records with all keys of the first decoded without counting keys  0.9 (many), 1.1 (long): not done
    row groups that end where a sample ends                           1.00 (many), 0.80 of counting
    no statistics in the tables; zstd 1 instead of 3                  0.70; 0.88 of writing, not done
    Arrow's JSON reader instead of msgspec                            4 times the decoding (many)
    texts that nobody asks for cut out before decoding, by numpy      4 times the decoding (long)
    repeated keys sought by counting names in the bytes, not by the decoder   2.2 (long), 1.1 (many)
    the same by numpy, for records that all have the keys of the first: 0.7 of decoding, 1.3 of reading
        columns from the larger records                              0.97 (many): not done
    rows leave with their logs, not when all are sorted              0.86 (many), 1.00 (its tenth)
    tuples of values, which become columns, instead of structs        0.93 (many)
    small logs read in one go each                                   0.95 (many)
    32 small logs together, not 64; freed memory is kept for ten seconds   0.9 (many)
    records of a document decoded 256 at a time                      1.0 (HELM, 60 µs a row): not done
Parquet: polars writes only whole frames, and its bytes depend on how a frame was built; the Arrow
writer takes row groups one by one in one thread, so that memory is bounded and bytes are the rows'.
"""

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from figures import JOB

FIELDS = {
    "question_id": "BIGINT", "answer_id": "BIGINT", "ground_truth": "VARCHAR",
    "pred_answer": "VARCHAR", "score": "BOOLEAN", "num_decode_tokens": "BIGINT",
    "prompt": "VARCHAR",
}  # fmt: skip
WORKLOADS = {"long": (160, 375, 20_000), "middle": (80, 2500, 900), "many": (10_000, 150, 12)}
"""Name → logs, records of each, characters of a record."""
ROUNDS = 5
WORDS = [
    "the",
    "so",
    "then",
    "need",
    "to",
    "find",
    "sum",
    "of",
    "all",
    "let",
    "us",
    "check",
    "that",
    "wait",
    "but",
    "maybe",
    "equation",
    "answer",
]


def write_logs(folder: Path, count: int, records: int, size: int) -> None:
    """Logs of so many records of so many characters: words, formulas, line breaks; always the same."""
    rng, pieces = random.Random(f"{count} {records} {size}"), []
    for _ in range(500):
        text = ""
        while len(text) < min(size, 2000):
            aside = rng.choices(
                ("", " \\(x^2 + \\frac{1}{2} = 3\\)", ' "maybe"', " √2 ≤ θ"), (70, 24, 5, 1)
            )
            text += (
                " ".join(rng.choices(WORDS, k=12)) + aside[0] + rng.choice((". ", ", ", ".\n\n"))
            )
        pieces.append(text)
    folder.mkdir(parents=True)
    for log in range(count):
        name = f"R1-Llama_AIME24_N5-R0.{log % 5 + 1}-KW{500 * (log % 4 + 1)}-PKVL{5000 + log}.jsonl"
        with (folder / name).open("w", encoding="utf-8") as file:
            for n in range(records):
                record = {"question_id": n // 5, "answer_id": n % 5, "prompt": f"Problem {n // 5}"}
                record |= {"decode_text": "".join(rng.choices(pieces, k=max(1, size // 2000)))}
                record |= {"ground_truth": "73", "pred_answer": f"{rng.randrange(100)}"}
                record |= {"score": rng.random() < 0.5, "num_decode_tokens": rng.randrange(16384)}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


def heatproof(folder: Path, out: Path) -> Any:
    """Import what a job needs; the function that does its work."""
    import polars  # noqa: F401 - else at the first frame

    from heatproof import worker
    from heatproof.formats import dynts_format
    from heatproof.samples import normalize

    gc.set_threshold(worker.GARBAGE)
    paths = sorted(path.name for path in folder.iterdir())
    entry = dynts_format.Entry(format="dynts", logs="*", name="bench")
    files = out / "a.parquet", out / "b.parquet"
    return lambda: normalize.write(paths, folder, entry, dynts_format.read, *files)


def duckdb(folder: Path, out: Path, columns: str = "") -> Any:
    """The same of DuckDB in one thread; `columns`: what it is told of them."""
    import duckdb as duck

    connection = duck.connect(config={"threads": 1})
    query = f"""COPY (SELECT {", ".join(FIELDS)}, filename
        FROM read_json('{folder}/*', filename=true{columns}))
        TO '{out}/a.parquet' (FORMAT parquet)"""
    return lambda: connection.execute(query)


CONTENDERS = {
    "heatproof": heatproof,
    "DuckDB, columns found": duckdb,
    "DuckDB, columns named": lambda folder, out: duckdb(folder, out, f", columns={FIELDS}"),
}


def work(contender: str, folder: Path) -> None:
    """What the process of a contender does: it works, and prints its CPU time."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as out:
        run = CONTENDERS[contender](folder, Path(out))
        before = os.times()
        run()
        after = os.times()
        print(after.user + after.system - before.user - before.system)


def measured(contender: str, folder: Path) -> tuple[float, float]:
    """CPU seconds and MB of one run."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--contender", contender, "--folder", str(folder)],
        stdout=subprocess.PIPE, env={**os.environ, **JOB},
    )  # fmt: skip
    assert process.stdout
    cpu = float(process.stdout.read())
    _, _, usage = os.wait4(process.pid, 0)
    return cpu, usage.ru_maxrss / 1024


def main() -> None:
    """Print a table for each workload."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the data, once")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        return work(options.contender, options.folder)
    for name, (count, records, size) in WORKLOADS.items():
        logs = count // 10 if options.quick else count
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / name
            write_logs(folder, logs, records, size)
            rounds = [
                {contender: measured(contender, folder) for contender in CONTENDERS}
                for _ in range(1 if options.quick else ROUNDS)
            ]
        print(
            f"\n{name}: {logs} logs × {records} records\n{'':24}{'CPU s':>8}{'CPU ×':>8}{'MB':>6}"
        )
        own = median(costs["heatproof"][0] for costs in rounds)
        for contender in CONTENDERS:
            cpu, memory = (median(costs[contender][n] for costs in rounds) for n in (0, 1))
            print(f"{contender:24}{cpu:8.2f}{cpu / own:8.2f}{memory:6.0f}", flush=True)
    return None


if __name__ == "__main__":
    main()
