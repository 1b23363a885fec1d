"""What a sweep holds: which runs are complete, incomplete or missing.

A sweep is every combination of the values that its settings take. `--todo` writes the runs that are
not complete as tab-separated values, a line each under their names, so that task n of a job array
takes line n + 1:

    sbatch --array=1-$(($(wc -l <todo.tsv) - 1)) run.sh
    # in run.sh: sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" todo.tsv

The exit status is 1 if a run is not complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `coverage` takes."""
    parser.add_argument("source", metavar="SOURCE", help="a source in config.yaml")
    parser.add_argument(
        "--expect", action="append", default=[], metavar="COLUMN=VALUE,…",
        help="values that the sweep should have too, although no log has them yet",
    )  # fmt: skip
    parser.add_argument("--todo", metavar="FILE", help="write the runs that are not complete")
    parser.add_argument("--csv", action="store_true", help="all runs, for programs")


def run(given: argparse.Namespace) -> int:
    """0 if all runs are complete, else 1."""
    from pathlib import Path

    from heatproof import cli, coverage, tables
    from heatproof.errors import Error, choices

    root = cli.project(given.project)
    paths = sorted((root / "results/counts" / given.source).glob("*.parquet"))
    if not paths:
        there = [path.name for path in (root / "results/counts").glob("*")]
        raise Error(f"no tables of {given.source!r}; {choices(given.source, there)}; run snakemake")
    wanted = dict(one.split("=", 1) for one in given.expect if "=" in one)
    if len(wanted) < len(given.expect):
        raise Error(f"--expect {given.expect}: not COLUMN=VALUE,… once for each column")
    values = {name: listed.split(",") for name, listed in wanted.items()}
    rows = coverage.coverage(tables.scan(paths).collect(), values)
    print(rows.write_csv() if given.csv else coverage.text(rows))
    if given.todo:
        tables.write_text(coverage.todo(rows), Path(given.todo))
    return int((rows["state"] != "complete").any())
