"""Normalized samples to 8,000 cells: from partial aggregates, from the rows, and by DuckDB.

    pip install --require-hashes -r requirements-bench.txt
    python tests/bench/partial.py [--epochs 6] [--rounds 3]

8,000 settings × 198 problems × epochs (6: 10⁷ samples, 63: 10⁸), in 80 shards. Each way is a
process of its own, starts included; all give value and clustered standard error of each cell.
`count` is what the 80 shards cost together when they are normalized; `one` is one shard anew.
Then pairwise: 10⁷ instances (or --instances) of four models in 6 pairs of 10 × 10 bins.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from figures import PROJECT, Cost, measure

SHARDS, RUNS, PROBLEMS = 80, 100, 198

HEAD = f"""
import sys
sys.path.insert(0, {str(PROJECT / "workflow" / "src")!r})
from pathlib import Path
import numpy as np, polars as pl
from heatproof import counts, tables
from heatproof.heatmaps import grids
from heatproof.pairwise import pairs
from heatproof.config import Columns
from heatproof.figures import heatmap, pairwise
root, shards, runs, problems, epochs = Path(sys.argv[1]), *map(int, sys.argv[2:6])
def paths(kind): return sorted((root / kind).glob("*.parquet"))
entry = heatmap.Entry(name="f", kind="heatmap", source="s", uncertainty="se",
    encoding=heatmap.Encoding(x="x", y="y", color="pass@1"))
"""
MAKE = """
from heatproof.reading.rows import schema
from heatproof.reading import parquet
import pyarrow as pa
for kind in ("tables", "counts", "grids"): (root / kind).mkdir()
kinds = tables.samples_kinds(Columns({"x": "int", "y": "int"}, []))
rng = np.random.default_rng(0)
def word(values, codes):
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(values))
def piece(shard, run):
    n = problems * epochs
    name = f"data/{shard:03d}-{run:03d}.jsonl"
    at = np.arange(n)
    same = np.zeros(n)
    ids = sorted(map(str, range(problems)))
    return pa.table({
        "log": word([name], same), "member": word([""], same), "line": pa.array(at + 1),
        "offset": pa.array(at * 900), "length": pa.array(np.full(n, 899)),
        "run": word([name], same), "model": word(["m"], same), "task": word(["t"], same),
        "x": pa.array(np.full(n, run)), "y": pa.array(np.full(n, shard)),
        "sample_id": word(ids, at // epochs), "epoch": pa.array(at % epochs),
        "scorer": word([""], same), "score": pa.array((rng.random(n) < 0.5).astype(float)),
        "reconstructed": pa.array(np.zeros(n, bool)), **({"graded": pa.array(np.zeros(n, bool))}
        if "graded" in kinds else {})}).cast(schema(kinds))
for shard in range(shards):
    parquet.write((piece(shard, run) for run in range(runs)), schema(kinds),
                  root / "tables" / f"{shard:04d}.parquet")
"""
COUNT = """
for path in paths("tables"):
    tables.write(counts.table(tables.scan([path])), root / "counts" / path.name)
"""
ONE = """
path = paths("tables")[3]
tables.write(counts.table(tables.scan([path])), root / "counts" / path.name)
"""
PARTIAL = """
grid = grids.aggregate(tables.scan(paths("tables")), entry, tables.scan(paths("counts")))
tables.write(grid, root / "grids" / "partial.parquet")
"""
ROWS = """
grid = grids.aggregate(tables.scan(paths("tables")), entry)
tables.write(grid, root / "grids" / "rows.parquet")
"""
DUCKDB = """
import duckdb, sys
root = sys.argv[1]
db = duckdb.connect(config={"threads": 2})
db.sql(f'''
    select x, y, avg(mean) as value, stddev_samp(mean) / sqrt(count(*)) as se
    from (select x, y, task, sample_id, avg(score) as mean
          from '{root}/tables/*.parquet' group by all)
    group by x, y order by y, x''').write_parquet(f"{root}/grids/duckdb.parquet")
"""
PAIR_MAKE = """
rng = np.random.default_rng(1)
n = int(sys.argv[6])
(root / "wide").mkdir()
for part in range(10):
    size = n // 10
    ids = pl.Series([f"{i:08d}" for i in range(part * size, part * size + size)])
    for m in "abcd":
        pl.DataFrame({"run": pl.Series([m]).new_from_index(0, size), "sample_id": ids}).with_columns(
            model=pl.col("run"), task=pl.lit("t"), scorer=pl.lit(""), epochs=pl.lit(1),
            **{"progress.n": pl.lit(1, pl.Int64), "progress.sum": pl.Series(rng.random(size)),
               "reconstructed": pl.lit(False)},
        ).select("run", "model", "task", "sample_id", "scorer", "epochs", "progress.n",
                 "progress.sum", "reconstructed").write_parquet(root / "wide" / f"{m}{part}.parquet")
"""
PAIR = """
entry = pairwise.Entry(name="p", kind="pairwise", source="s", models=list("abcd"))
tables.write(pairs.aggregate(pl.LazyFrame(), entry, tables.scan(paths("wide"))), root / "p.parquet")
"""
PAIR_DUCKDB = """
import duckdb, sys
root = sys.argv[1]
db = duckdb.connect(config={"threads": 2})
db.sql(f"create table s as select model, task, sample_id, \\"progress.sum\\" / \\"progress.n\\" as m "
       f"from '{root}/wide/*.parquet'")
for x, y in ("ab", "ac", "bc", "ad", "bd", "cd"):
    db.sql(f'''select least(floor(a.m * 10), 9) as i, least(floor(b.m * 10), 9) as j, count(*),
        avg(a.m - b.m) from s a join s b using (task, sample_id)
        where a.model = '{x}' and b.model = '{y}' group by all''').write_parquet(f"{root}/{x}{y}.parquet")
"""


def main() -> None:
    """Print a row for each way, with its ratio to DuckDB."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instances", type=int, default=10_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes = [SHARDS, RUNS, PROBLEMS, given.epochs, given.instances]

        def run(script: str) -> Cost:
            head = "" if "import duckdb" in script else HEAD
            command = [sys.executable, "-c", head + script, folder, *map(str, sizes)]
            return measure(command, Path(folder))

        run(MAKE)
        rows = SHARDS * RUNS * PROBLEMS * given.epochs
        first = {"count": run(COUNT), "one": run(ONE)}
        ways = {"partial": PARTIAL, "rows": ROWS, "DuckDB": DUCKDB}
        _show(f"{rows:,} samples to {SHARDS * RUNS:,} cells", first, run, ways, given.rounds)
        for kind in ("tables", "counts"):
            size = sum(path.stat().st_size for path in (Path(folder) / kind).iterdir())
            print(f"{kind}: {size / 1e6:.1f} MB")
        run(PAIR_MAKE)
        ways = {"pairs": PAIR, "DuckDB": PAIR_DUCKDB}
        _show(f"{given.instances:,} instances × 6 pairs", {}, run, ways, 1)


def _show(
    title: str, first: dict[str, Cost], run: object, ways: dict[str, str], rounds: int
) -> None:
    found = {name: [cost] for name, cost in first.items()}
    for _ in range(rounds):
        for name, script in ways.items():
            found.setdefault(name, []).append(run(script))  # type: ignore[operator]
    middle = {name: sorted(costs)[len(costs) // 2] for name, costs in found.items()}
    base = middle["DuckDB"]
    print(f"\n{title}\n{'':10}{'wall s':>9}{'CPU s':>9}{'MB':>7}{'wall':>8}{'CPU':>8}  of DuckDB")
    for name, cost in middle.items():
        ratios = f"{cost.wall / base.wall:8.2f}{cost.cpu / base.cpu:8.2f}"
        print(f"{name:10}{cost.wall:9.2f}{cost.cpu:9.2f}{cost.memory:7.0f}{ratios}", flush=True)


if __name__ == "__main__":
    main()
