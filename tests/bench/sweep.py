"""10,000 logs: what a run costs that has nothing, one log, or everything to do.

    pip install --require-hashes -r requirements-bench.txt
    python tests/bench/sweep.py [--logs 10000] [--records 150] [--rounds 3] [--keep FOLDER]

Ratios come from one run, by turns; the machine's load hits all alike. The bare workflow is one rule
of one finished file. DuckDB reads the same logs in one process and aggregates the same cells.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

import yaml
from figures import PROJECT, Cost, measure

RATIOS, WINDOWS = 10, 10
BARE = 'rule all:\n    output: "done"\n    shell: "touch done"\n'
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


def write_logs(folder: Path, count: int, records: int) -> None:
    """A sweep over models, ratios and windows; one task; five epochs of each problem."""
    draw = random.Random(0)
    folder.mkdir(parents=True)
    think = "x" * 200
    for number in range(count):
        model, cell = divmod(number, RATIOS * WINDOWS)
        ratio, window = divmod(cell, WINDOWS)
        name = f"m{model:03d}_t_N5-R{ratio / 10 + 0.1:.1f}-KW{500 * window + 500}-PKVL5000.jsonl"
        lines = [
            {"question_id": n // 5, "answer_id": n % 5, "output": think,
             "score": draw.random() < 0.5}
            for n in range(records)
        ]  # fmt: skip
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def config(count: int) -> dict[str, object]:
    """Up to ten figures, each a heatmap of one model's settings."""
    models = [f"m{n:03d}" for n in range(max(1, count // (RATIOS * WINDOWS)))]
    figures = {
        model: {
            "kind": "heatmap", "source": "sweep", "where": {"model": model}, "formats": ["svg"],
            "uncertainty": "se",
            "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
        }
        for model in models[:10]
    }  # fmt: skip
    return {
        "sources": {"sweep": {"format": "dynts", "logs": "data/sweep/*.jsonl"}},
        "figures": figures,
    }


def prepare(root: Path, count: int, records: int) -> None:
    """A copy of the workflow with the sweep as its data."""
    shutil.copy(PROJECT / "Snakefile", root)
    for folder in ("workflow", "profiles"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / folder, root / folder, ignore=ignore)
    write_logs(root / "data/sweep", count, records)
    (root / "config.yaml").write_text(yaml.safe_dump(config(count)))


def flip(root: Path) -> None:
    """Change one score of one log that a figure shows."""
    log = sorted((root / "data/sweep").iterdir())[37]
    first, rest = log.read_text().split("\n", 1)
    record = json.loads(first)
    record["score"] = not record["score"]
    log.write_text(json.dumps(record) + "\n" + rest)


def middle(costs: list[Cost]) -> Cost:
    """Medians."""
    return Cost(*(median(values) for values in zip(*costs, strict=True)))


def main() -> None:
    """Print a row for each kind of run, with its ratio to the bare workflow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="build here, and use what is there")
    given = parser.parse_args()
    temporary = tempfile.TemporaryDirectory()
    root = given.keep or Path(temporary.name)
    if not (root / "Snakefile").is_file():
        root.mkdir(parents=True, exist_ok=True)
        prepare(root, given.logs, given.records)
    bare = Path(temporary.name) / "bare"
    bare.mkdir()
    (bare / "Snakefile").write_text(BARE)
    snakemake = [sys.executable, "-m", "snakemake"]
    duckdb = [sys.executable, "-c", DUCKDB, "data/sweep/*.jsonl", str(bare / "cells.parquet")]
    costs: dict[str, list[Cost]] = {"everything": [measure(snakemake, root)]}
    measure([*snakemake, "--cores", "1"], bare)
    for _ in range(given.rounds):
        for name, command, folder in (
            ("bare -n", [*snakemake, "-n"], bare),
            ("nothing to do", snakemake, root),
            ("DuckDB, cells only", duckdb, root),
        ):
            costs.setdefault(name, []).append(measure(command, folder))
        flip(root)
        costs.setdefault("one log changed", []).append(measure(snakemake, root))
    base = middle(costs["bare -n"]).wall
    print(f"{given.logs:,} logs × {given.records} records, {given.rounds} rounds, medians\n")
    print(f"{'':20}{'wall s':>9}{'CPU s':>9}{'MB':>7}{'ratio to bare':>15}")
    for name, found in costs.items():
        cost = middle(found)
        print(f"{name:20}{cost.wall:9.2f}{cost.cpu:9.2f}{cost.memory:7.0f}{cost.wall / base:15.2f}")


if __name__ == "__main__":
    main()
