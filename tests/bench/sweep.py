"""10,000 logs: what a run costs that has nothing, one log, or everything to do.

    pip install --require-hashes -r requirements/bench.txt
    python tests/bench/sweep.py [--logs 10000] [--records 150] [--text 2000] [--rounds 3]

Ratios come from one run, by turns; the machine's load hits all alike.

bare -n            `snakemake -n` of a workflow of one rule whose file is there
nothing to do      `snakemake` with everything built; target: 1.5 × bare -n + 1 s
one log changed    a record of one log differs: its shard is read again, and all figures are made again;
                   the others must have the bytes of before
everything         the first build
DuckDB             one process of two threads reads the same logs and makes the same cells
no work            the same jobs, by Snakemake, whose scripts only touch their outputs
loading            the same, but each job loads the libraries that it would use

With --keep FOLDER the sweep is built there, stays, and is used again.
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
from figures import JOB, PROJECT, Cost, clean, measure

RATIOS, WINDOWS = 10, 10
WORDS = "so then we need to find the sum of all that is even, wait, let us check: "
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


EMPTY = """
import sys
from pathlib import Path
for path in snakemake.output:
    Path(path).write_text("")
Path(snakemake.log[0]).write_text("")
"""
LOADED = {
    "normalize": "from heatproof.samples import normalize, shard_index",
    "aggregate": "import polars, numpy; from heatproof import statistics",
    "draw": "import polars, altair, vl_convert, pikepdf",
    "gallery": "import polars, jinja2",
}


def write_logs(folder: Path, count: int, records: int, text: int) -> None:
    """A sweep over models, ratios and windows; one task; five epochs of each problem."""
    draw = random.Random(0)
    folder.mkdir(parents=True)
    think = (WORDS * (text // len(WORDS) + 1))[:text]
    for number in range(count):
        lines = [
            {"question_id": n // 5, "answer_id": n % 5, "output": think,
             "score": draw.random() < 0.5}
            for n in range(records)
        ]  # fmt: skip
        (folder / name(number)).write_text("".join(json.dumps(line) + "\n" for line in lines))


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


def prepare(root: Path, count: int, records: int, text: int) -> None:
    """A copy of the workflow with the sweep as its data."""
    copy(root, config(count))
    write_logs(root / "data/sweep", count, records, text)


def copy(root: Path, config: dict[str, object]) -> None:
    """The workflow, to be run with a config and data of its own."""
    root.mkdir(parents=True, exist_ok=True)
    shutil.copy(PROJECT / "Snakefile", root)
    for folder in ("workflow", "profiles"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / folder, root / folder, ignore=ignore)
    (root / "config.yaml").write_text(yaml.safe_dump(config))


def name(number: int) -> str:
    """The name of a log: models, of each ratios, of each windows."""
    model, cell = divmod(number, RATIOS * WINDOWS)
    ratio, window = divmod(cell, WINDOWS)
    return f"m{model:03d}_t_N5-R{ratio / 10 + 0.1:.1f}-KW{500 * window + 500}-PKVL5000.jsonl"


def flip(root: Path) -> Path:
    """Change one score of one log; the file of the one figure that shows it."""
    log = sorted((root / "data/sweep").iterdir())[37]
    first, rest = log.read_text().split("\n", 1)
    record = json.loads(first)
    record["score"] = not record["score"]
    log.write_text(json.dumps(record) + "\n" + rest)
    return root / f"results/figures/{log.name.split('_')[0]}.svg"


def idle(root: Path, folder: Path, loaded: dict[str, str]) -> None:
    """A copy of the sweep whose scripts only load what is told."""
    folder.mkdir()
    for name in ("workflow", "profiles"):
        shutil.copytree(root / name, folder / name)
    for name in ("config.yaml", "Snakefile"):
        shutil.copy(root / name, folder)
    (folder / "data").symlink_to((root / "data").resolve())
    (folder / ".snakemake").mkdir()
    (folder / ".snakemake/home").write_text(str(root.resolve()))
    snakefile = folder / "Snakefile"
    head, _, tail = snakefile.read_text().partition("onsuccess:")
    snakefile.write_text(
        head + "onsuccess:\n    pass\n"
        if tail.split() == ["build.end()"]
        else sys.exit("onsuccess?")
    )
    for script in (folder / "workflow/scripts").glob("*.py"):
        script.write_text(loaded.get(script.stem, "") + EMPTY)


def changed(root: Path, snakemake: list[str]) -> Cost:
    """One record differs; the other figures keep their bytes."""
    figure = flip(root)
    before = {path: path.read_bytes() for path in figure.parent.iterdir()}
    cost = measure(snakemake, root)
    others = [path for path, data in before.items() if path.read_bytes() != data]
    if others != [figure]:
        sys.exit("the figure of the changed log, and no other, must be another")
    return cost


def middle(costs: list[Cost]) -> Cost:
    """Medians."""
    return Cost(*(median(values) for values in zip(*costs, strict=True)))


def measured(root: Path, other: Path, rounds: int) -> dict[str, list[Cost]]:
    """The costs of all kinds of runs; `other` is a folder for what is compared with."""
    bare = other / "bare"
    bare.mkdir()
    (bare / "Snakefile").write_text(BARE)
    snakemake = [sys.executable, "-m", "snakemake"]
    duckdb = [sys.executable, "-c", DUCKDB, "data/sweep/*.jsonl", str(bare / "cells.parquet")]
    measure([*snakemake, "--cores", "1"], bare)
    costs: dict[str, list[Cost]] = {}
    for _ in range(rounds):
        for name, command, folder, given in (
            ("bare -n", [*snakemake, "-n"], bare, {}),
            ("nothing to do", snakemake, root, {}),
            ("DuckDB", duckdb, root, JOB),
        ):
            costs.setdefault(name, []).append(measure(command, folder, given))
        costs.setdefault("one log changed", []).append(changed(root, snakemake))
    firsts = {"everything": root}
    for name, loaded in (("no work", {}), ("loading", LOADED)):
        firsts[name] = other / name.replace(" ", "-")
        idle(root, firsts[name], loaded)
    for _ in range(rounds):
        for name, folder in firsts.items():
            clean(folder)
            costs.setdefault(name, []).append(measure(snakemake, folder))
    return costs


def show(costs: dict[str, Cost]) -> None:
    """Print a row for each kind of run, and each target with what was found."""
    bare, idle, duck = (costs[name] for name in ("bare -n", "nothing to do", "DuckDB"))
    print(f"{'':26}{'wall s':>9}{'CPU s':>9}{'MB':>7}{'wall of bare':>14}{'CPU of bare':>13}")
    for name, cost in costs.items():
        ratios = f"{cost.wall / bare.wall:14.2f}{cost.cpu / bare.cpu:13.2f}"
        print(f"{name:26}{cost.wall:9.2f}{cost.cpu:9.2f}{cost.memory:7.0f}{ratios}")
    every, again = costs["everything"], costs["one log changed"]
    print(f"\n{'ratio':48}{'wall':>8}{'CPU':>8}")
    for what, wall, cpu in (
        ("nothing to do − 1 s, of bare -n", (idle.wall - 1) / bare.wall,
         (idle.cpu - 1) / bare.cpu),
        ("one log changed, of nothing to do", again.wall / idle.wall, again.cpu / idle.cpu),
        *((f"everything, of DuckDB + {name}", *_of(every, duck, costs[name]))
          for name in ("no work", "loading")),
    ):  # fmt: skip
        print(f"{what:48}{wall:8.2f}{cpu:8.2f}")


def _of(cost: Cost, *others: Cost) -> tuple[float, float]:
    return cost.wall / sum(c.wall for c in others), cost.cpu / sum(c.cpu for c in others)


def main() -> None:
    """Measure and print; what was made is removed unless it is to be kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=150)
    parser.add_argument("--text", type=int, default=2000, help="characters of a record's output")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="build here, and use what is there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = given.keep or Path(temporary) / "sweep"
        if not (root / "Snakefile").is_file():
            prepare(root, given.logs, given.records, given.text)
        measure([sys.executable, "-m", "snakemake"], root)
        costs = measured(root, Path(temporary), given.rounds)
        for aside in root.parent.glob("made-*"):
            shutil.rmtree(aside)
        size = sum(path.stat().st_size for path in (root / "data/sweep").iterdir())
        jobs = len(list((root / "results").rglob("*.log")))
        title = f"{given.logs:,} logs × {given.records} records, {size / 1e9:.2f} GB, {jobs} jobs"
        print(f"{title}; medians of {given.rounds}\n")
        show({name: middle(found) for name, found in costs.items()})


if __name__ == "__main__":
    main()
