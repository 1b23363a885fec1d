"""10,000 logs: what a run costs that has nothing, one log, or everything to do.

    pip install --require-hashes -r requirements/bench.txt
    python tests/bench/sweep.py [--logs 10000] [--records 150] [--text 2000] [--rounds 3]

Ratios come from one run, by turns; the machine's load hits all alike.

bare -n            `snakemake -n` of a workflow of one rule whose file is there
nothing to do      `snakemake` with everything built
one log changed    a record of one log differs: its shard is read again, and all figures are made again;
                   the others must have the bytes of before
everything         the first build
DuckDB             one process of two threads reads the same logs and makes the same cells
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

import yaml
from figures import JOB, PROJECT, Cost, clean, measure

RATIOS, WINDOWS = 10, 10
WORDS = "so then we need to find the sum of all that is even, wait, let us check: "
BARE = 'rule all:\n    output: "done"\n    shell: "touch done"\n'
SNAKEMAKE = [sys.executable, "-m", "snakemake"]
DUCKDB = """
import duckdb, sys
db = duckdb.connect(config={"threads": 2})
db.sql(f'''
    select model, task, regexp_extract(filename, '-R([0-9.]+)-', 1)::double as ratio,
           regexp_extract(filename, '-KW([0-9]+)-', 1)::int as local_window,
           avg(mean) as value, count(*) as samples
    from (select regexp_extract(filename, '([^/]+)[.]jsonl', 1) as filename,
                 regexp_extract(filename, '([^/_]+)_', 1) as model,
                 regexp_extract(filename, '_([^_/]+)_N', 1) as task,
                 question_id, avg(score::int) as mean
          from read_json('{sys.argv[1]}', filename=true, format='newline_delimited',
                         columns={{question_id: 'bigint', answer_id: 'bigint', score: 'boolean'}})
          group by all)
    group by all order by all''').write_parquet(sys.argv[2])
"""


def prepare(root: Path, count: int, records: int, text: int) -> None:
    """A copy of the workflow with a sweep as its data, and a figure for each of ten models."""
    for name in ("Snakefile", "workflow", "profiles"):
        source = PROJECT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        root.mkdir(exist_ok=True)
        copy(source, root / name)
    figure = {
        "kind": "heatmap", "source": "sweep", "formats": ["svg"], "uncertainty": "se",
        "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
    }  # fmt: skip
    models = [f"m{n:03d}" for n in range(max(1, count // (RATIOS * WINDOWS)))]
    config = {
        "sources": {"sweep": {"format": "dynts", "logs": "data/sweep/*.jsonl"}},
        "figures": {model: {**figure, "where": {"model": model}} for model in models[:10]},
    }
    (root / "config.yaml").write_text(yaml.safe_dump(config))
    draw, think = random.Random(0), (WORDS * (text // len(WORDS) + 1))[:text]
    (root / "data/sweep").mkdir(parents=True)
    for number in range(count):
        rows = [
            {"question_id": n // 5, "answer_id": n % 5, "output": think,
             "score": draw.random() < 0.5}
            for n in range(records)
        ]  # fmt: skip
        path = root / "data/sweep" / name_of(number)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def name_of(number: int) -> str:
    """The name of a log: models, of each ratios, of each windows."""
    model, cell = divmod(number, RATIOS * WINDOWS)
    ratio, window = divmod(cell, WINDOWS)
    return f"m{model:03d}_t_N5-R{ratio / 10 + 0.1:.1f}-KW{500 * window + 500}-PKVL5000.jsonl"


def changed(root: Path) -> Cost:
    """One record differs; the figures of other models keep their bytes."""
    log = sorted((root / "data/sweep").iterdir())[37]
    first, rest = log.read_text().split("\n", 1)
    record = json.loads(first)
    log.write_text(json.dumps(record | {"score": not record["score"]}) + "\n" + rest)
    figures = [*(root / "results/figures").iterdir()]
    before = {path: path.read_bytes() for path in figures}
    cost = measure(SNAKEMAKE, root)
    models = {path.name.split(".")[0] for path in figures if path.read_bytes() != before[path]}
    if models != {log.name.split("_")[0]}:
        sys.exit(f"the figure of {log.name} must change, and no other; there changed {models}")
    return cost


def measured(root: Path, rounds: int) -> dict[str, Cost]:
    """Medians of all kinds of runs."""
    bare = root.with_name("bare")
    bare.mkdir()
    (bare / "Snakefile").write_text(BARE)
    measure([*SNAKEMAKE, "--cores", "1"], bare)
    duckdb = [sys.executable, "-c", DUCKDB, "data/sweep/*.jsonl", str(bare / "cells.parquet")]
    turns = []
    for _ in range(rounds):
        clean(root)
        turns.append(
            {
                "everything": measure(SNAKEMAKE, root),
                "bare -n": measure([*SNAKEMAKE, "-n"], bare),
                "nothing to do": measure(SNAKEMAKE, root),
                "DuckDB": measure(duckdb, root, JOB),
                "one log changed": changed(root),
            }
        )
    return {
        name: Cost(
            *(median(values) for values in zip(*(turn[name] for turn in turns), strict=True))
        )
        for name in turns[0]
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=150)
    parser.add_argument("--text", type=int, default=2000, help="characters of a record's output")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "sweep"
        prepare(root, options.logs, options.records, options.text)
        costs = measured(root, options.rounds)
    print(f"{options.logs:,} logs × {options.records} records; medians of {options.rounds}\n")
    print(f"{'':18}{'wall s':>9}{'CPU s':>9}{'MB':>7}{'CPU of bare':>13}{'CPU of DuckDB':>15}")
    bare, duck = costs["bare -n"].cpu, costs["DuckDB"].cpu
    for name, cost in costs.items():
        ratios = f"{cost.cpu / bare:13.2f}{cost.cpu / duck:15.2f}"
        print(f"{name:18}{cost.wall:9.2f}{cost.cpu:9.2f}{cost.memory:7.0f}{ratios}")


if __name__ == "__main__":
    main()
