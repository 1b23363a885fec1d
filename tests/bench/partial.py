"""Normalized samples to 8,000 cells, and instances to bins of pairs, beside DuckDB.

    pip install --require-hashes -r requirements/bench.txt
    python tests/bench/partial.py [--epochs 63] [--instances 10000000] [--rounds 3]

8,000 settings × 198 problems × epochs (6: 10⁷ samples, 63: 10⁸), in 80 shards; value and clustered
standard error of each cell. Each way is a process of its own, which imports what the job of the
workflow does. `work` is CPU time after the imports, the other columns are of the whole process.
DuckDB uses two threads; heatproof one, as jobs of the workflow do. The grids of both are compared.

counts     partial aggregates of all 80 shards to the grid       target: 0.15 of DuckDB, 300 MB
rows       samples to partial aggregates to the grid             target: DuckDB, 2 GB
one        one shard counted anew
lines      the logs and lines behind each cell, for the gallery       target: 2 GB
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

from figures import JOB, PROJECT, Cost, measure

SHARDS, RUNS, PROBLEMS = 80, 100, 198

HEAD = f"""
import sys, time
sys.path.insert(0, {str(PROJECT / "workflow" / "src")!r})
from pathlib import Path
root, shards, runs, problems, epochs, instances = Path(sys.argv[1]), *map(int, sys.argv[2:7])
def paths(kind): return sorted((root / kind).glob("*.parquet"))
"""
COUNTING = """
from heatproof.samples import shard_index
"""
GRIDS = """
import numpy as np, polars as pl
from heatproof import statistics
from heatproof.samples import tables
from heatproof.kinds import api, heatmap
pl.DataFrame({"a": [1]}), np.zeros(1)
entry = heatmap.Entry(name="f", kind="heatmap", source="s", uncertainty="se",
    encoding=heatmap.entry.Encoding(x="x", y="y", color="pass@1"))
"""
PAIRS = """
import numpy as np, polars as pl
from heatproof import statistics
from heatproof.samples import tables
from heatproof.kinds import pairwise
pl.DataFrame({"a": [1]}), np.zeros(1)
entry = pairwise.Entry(name="p", kind="pairwise", source="s", models=list("abcd"))
"""
WRITING = """
import numpy as np, polars as pl
from heatproof.samples import tables
from heatproof.config.entries import Columns
from heatproof.samples import tables
"""
DUCK = """
import duckdb
"""


class Way(NamedTuple):
    """What a process does after its start."""

    imports: str
    work: str


MAKE = Way(
    WRITING,
    """
kinds = tables.samples_kinds(Columns({"x": "int", "y": "int"}, []))
for kind in ("tables", "counts", "grids"): (root / kind).mkdir()
rng = np.random.default_rng(0)
def piece(shard, run):
    n = problems * epochs
    name = f"data/{shard:03d}-{run:03d}.jsonl"
    at = np.arange(n)
    ids = pl.Series(sorted(map(str, range(problems))))
    return pl.DataFrame({
        "log": name, "member": "", "line": at + 1, "offset": at * 900,
        "length": np.full(n, 899), "run": name, "model": "m", "task": "t",
        "x": np.full(n, run), "y": np.full(n, shard),
        "sample_id": ids.gather(at // epochs), "epoch": at % epochs,
        "scorer": "", "score": (rng.random(n) < 0.5).astype(float),
        "reconstructed": np.zeros(n, bool), "graded": np.zeros(n, bool),
    })
for shard in range(shards):
    tables.write_pieces((piece(shard, run) for run in range(runs)), tables.schema(kinds),
                  root / "tables" / f"{shard:04d}.parquet", together=tables.SAMPLE)
""",
)
COUNT = Way(
    COUNTING,
    """
for path in paths("tables"):
    shard_index.write_counts(path, root / "counts" / path.name)
""",
)
COUNTS = Way(
    GRIDS,
    """
grid = api.kind("heatmap").aggregate(tables.scan(paths("tables")), entry, tables.shards(paths("counts")))
tables.write(grid, root / "grids" / "heatproof.parquet")
""",
)
LINES = Way(
    GRIDS + "from heatproof.page import gallery\n",
    """
grid, _ = tables.read(root / "grids" / "heatproof.parquet")
samples = tables.shards(paths("tables"), tables.MANY)
story = gallery.figure_text(samples, entry, grid, tables.shards(paths("counts")))["story"]
assert len(story["cells"]) == len(grid) and all(cell["logs"] for cell in story["cells"])
""",
)
ROWS = Way(COUNTING + GRIDS, COUNT.work + COUNTS.work)
ONE = Way(
    COUNTING,
    """
path = paths("tables")[3]
shard_index.write_counts(path, root / "counts" / path.name)
""",
)
DUCKDB = Way(
    DUCK,
    """
db = duckdb.connect(config={"threads": 2})
db.sql("set enable_progress_bar = false")
db.sql(f'''
    select x, y, avg(mean) as value, stddev_samp(mean) / sqrt(count(*)) as se
    from (select x, y, task, sample_id, avg(score) as mean
          from '{root}/tables/*.parquet' group by all)
    group by x, y order by y, x''').write_parquet(f"{root}/grids/duckdb.parquet")
""",
)
PAIR_MAKE = Way(
    WRITING,
    """
kinds = {**dict.fromkeys(("run", "model", "task", "sample_id", "scorer"), "str"), "epochs": "int",
         "progress.n": "int", "progress.sum": "float", "reconstructed": "bool"}
wanted = pa.schema(field.with_nullable(False) for field in schema(kinds))
rng = np.random.default_rng(1)
(root / "wide").mkdir()
def part(model, first, n):
    same, one = np.zeros(n), pa.array(np.ones(n, np.int64))
    ids = [f"{i:08d}" for i in range(first, first + n)]
    return pa.table({
        "run": word([model], same), "model": word([model], same), "task": word(["t"], same),
        "sample_id": word(ids, np.arange(n)), "scorer": word([""], same), "epochs": one,
        "progress.n": one, "progress.sum": pa.array(rng.random(n)),
        "reconstructed": pa.array(np.zeros(n, bool))}).cast(schema(kinds))
for at in range(10):
    for model in "abcd":
        n = instances // 10
        tables.write_pieces([part(model, at * n, n)], wanted, root / "wide" / f"{model}{at}.parquet")
""",
)
PAIR = Way(
    PAIRS,
    """
grid = api.kind("pairwise").aggregate(pl.LazyFrame(), entry, tables.shards(paths("wide")))
tables.write(grid, root / "p.parquet")
""",
)
PAIR_DUCKDB = Way(
    DUCK,
    """
db = duckdb.connect(config={"threads": 2})
db.sql("set enable_progress_bar = false")
db.sql(f"create table s as select model, task, sample_id, \\"progress.sum\\" / \\"progress.n\\" as m "
       f"from '{root}/wide/*.parquet'")
for x, y in ("ab", "ac", "bc", "ad", "bd", "cd"):
    db.sql(f'''select least(floor(a.m * 10), 9) as i, least(floor(b.m * 10), 9) as j, count(*),
        avg(a.m - b.m) from s a join s b using (task, sample_id)
        where a.model = '{x}' and b.model = '{y}' group by all''').write_parquet(f"{root}/{x}{y}.parquet")
""",
)


class Timed(NamedTuple):
    """What a way took."""

    cost: Cost
    work: float
    """Seconds of CPU without start and imports."""


def run(way: Way, folder: str, sizes: list[int]) -> Timed:
    """Go a way, in a process of its own."""
    told = f"{folder}/work"
    code = f"{HEAD}{way.imports}begun = time.process_time(){way.work}"
    code += f"open({told!r}, 'w').write(str(time.process_time() - begun))"
    cost = measure([sys.executable, "-c", code, folder, *map(str, sizes)], Path(folder), JOB)
    return Timed(cost, float(Path(told).read_text()))


def agree(folder: str) -> None:
    """Both made the same grid, but for the last bits."""
    import polars as pl

    ours, theirs = (pl.read_parquet(f"{folder}/grids/{n}.parquet") for n in ("heatproof", "duckdb"))
    for name in ("value", "se"):
        furthest = (ours[name] - theirs[name]).abs().max()
        assert isinstance(furthest, float)
        assert furthest < 1e-12, (name, furthest)


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
        ways = {"rows": ROWS, "counts": COUNTS, "one": ONE, "lines": LINES}
        ways["DuckDB"] = DUCKDB
        found: dict[str, list[Timed]] = {}
        for _ in range(given.rounds):
            for name, script in ways.items():
                found.setdefault(name, []).append(run(script, folder, sizes))
        rows = SHARDS * RUNS * PROBLEMS * given.epochs
        agree(folder)
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
