"""Normalized samples to 8,000 cells, and instances to bins of pairs, beside DuckDB.

    pip install --require-hashes -r requirements-bench.txt
    python tests/bench/partial.py [--epochs 63] [--instances 10000000] [--rounds 3]

8,000 settings × 198 problems × epochs (6: 10⁷ samples, 63: 10⁸), in 80 shards; value and clustered
standard error of each cell. Each way is a process of its own. `work` is CPU time without the start
of the interpreter and the imports, the other columns are with them.

counts     partial aggregates of all 80 shards to the grid       target: 0.15 of DuckDB, 300 MB
rows       samples to partial aggregates to the grid             target: DuckDB, 2 GB
one        one shard counted anew
pairs      four models in 6 pairs of 10 × 10 bins                target: DuckDB, 2 GB
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from figures import PROJECT, Cost, measure

SHARDS, RUNS, PROBLEMS = 80, 100, 198

HEAD = f"""
import sys, time
sys.path.insert(0, {str(PROJECT / "workflow" / "src")!r})
from pathlib import Path
import numpy as np, polars as pl
from heatproof import counting, tables
from heatproof.heatmaps import grids
from heatproof.pairwise import pairs
from heatproof.config import Columns
from heatproof.figures import heatmap, pairwise
root, shards, runs, problems, epochs = Path(sys.argv[1]), *map(int, sys.argv[2:6])
def paths(kind): return sorted((root / kind).glob("*.parquet"))
from heatproof import statistics
pl.DataFrame({{"a": [1]}}); np.zeros(1)
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
    counting.write(path, root / "counts" / path.name)
"""
ONE = """
path = paths("tables")[3]
counting.write(path, root / "counts" / path.name)
"""
COUNTS = """
grid = grids.aggregate(tables.scan(paths("tables")), entry, tables.shards(paths("counts")))
tables.write(grid, root / "grids" / "counts.parquet")
"""
DUCK = """
import duckdb, sys, time
root = sys.argv[1]
"""
DUCKDB = """
db = duckdb.connect(config={"threads": 2})
db.sql("set enable_progress_bar = false")
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
tables.write(pairs.aggregate(pl.LazyFrame(), entry, tables.shards(paths("wide"))), root / "p.parquet")
"""
PAIR_DUCKDB = """
db = duckdb.connect(config={"threads": 2})
db.sql("set enable_progress_bar = false")
db.sql(f"create table s as select model, task, sample_id, \\"progress.sum\\" / \\"progress.n\\" as m "
       f"from '{root}/wide/*.parquet'")
for x, y in ("ab", "ac", "bc", "ad", "bd", "cd"):
    db.sql(f'''select least(floor(a.m * 10), 9) as i, least(floor(b.m * 10), 9) as j, count(*),
        avg(a.m - b.m) from s a join s b using (task, sample_id)
        where a.model = '{x}' and b.model = '{y}' group by all''').write_parquet(f"{root}/{x}{y}.parquet")
"""


class Timed(NamedTuple):
    """What a way took."""

    cost: Cost
    work: float
    """Seconds of CPU without start and imports."""


def run(script: str, folder: str, sizes: list[int]) -> Timed:
    """Run a script after its imports, in a process of its own."""
    head = DUCK if "db =" in script else HEAD
    told = f"{folder}/work"
    code = f"{head}\nbegun = time.process_time()\n{script}\n"
    code += f"open({told!r}, 'w').write(str(time.process_time() - begun))"
    cost = measure([sys.executable, "-c", code, folder, *map(str, sizes)], Path(folder))
    return Timed(cost, float(Path(told).read_text()))


def middle(found: list[Timed]) -> Timed:
    """Medians."""
    costs = zip(*(one.cost for one in found), strict=True)
    return Timed(Cost(*map(median, costs)), median(one.work for one in found))


def show(title: str, found: dict[str, list[Timed]]) -> None:
    """A row for each way, with its ratio to DuckDB."""
    ways = {name: middle(times) for name, times in found.items()}
    (wall, cpu, _), work = ways["DuckDB"]
    print(f"\n{title}\n{'':10}{'wall s':>8}{'CPU s':>8}{'work s':>8}{'MB':>7}", end="")
    print(f"{'wall':>8}{'CPU':>7}{'work':>7}  of DuckDB")
    for name, (cost, own) in ways.items():
        print(f"{name:10}{cost.wall:8.2f}{cost.cpu:8.2f}{own:8.2f}{cost.memory:7.0f}", end="")
        print(f"{cost.wall / wall:8.2f}{cost.cpu / cpu:7.2f}{own / work:7.2f}", flush=True)


def main() -> None:
    """Make the data, run all ways by turns, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=63)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instances", type=int, default=10_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes = [SHARDS, RUNS, PROBLEMS, given.epochs, given.instances]
        run(MAKE, folder, sizes)
        ways = {"rows": COUNT + COUNTS, "counts": COUNTS, "one": ONE, "DuckDB": DUCKDB}
        found: dict[str, list[Timed]] = {}
        for _ in range(given.rounds):
            for name, script in ways.items():
                found.setdefault(name, []).append(run(script, folder, sizes))
        rows = SHARDS * RUNS * PROBLEMS * given.epochs
        show(f"{rows:,} samples to {SHARDS * RUNS:,} cells", found)
        for kind in ("tables", "counts"):
            size = sum(path.stat().st_size for path in (Path(folder) / kind).iterdir())
            print(f"{kind}: {size / 1e6:.1f} MB")
            shutil.rmtree(Path(folder) / kind)
        run(PAIR_MAKE, folder, sizes)
        pairs = {
            name: [run(s, folder, sizes)] for name, s in (("pairs", PAIR), ("DuckDB", PAIR_DUCKDB))
        }
        show(f"{given.instances:,} instances × 6 pairs", pairs)


if __name__ == "__main__":
    main()
