"""What a sweep holds: which runs are complete, incomplete or missing.

A sweep is every combination of the values that its settings take; runs that lack a hyper-parameter,
as baselines do, are a sweep of their own. The logs are asked, not the figures: where no tables were
made of them yet, they are read. `--figure` draws it as a heatmap. `--todo` writes the runs that are
not complete as tab-separated values, a line each under their names, so that task n of a job array
takes line n + 1:

    sbatch --array=1-$(($(wc -l <todo.tsv) - 1)) run.sh
    line=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" todo.tsv)    # in run.sh
    ratio=$(cut -f3 <<<"$line")

The exit status is 1 if a run is not complete.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.provenance import provenance
from heatproof.util import terminal
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from heatproof.plan.plan import Plan
    from heatproof.util.lazy import polars as pl


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `coverage` takes."""
    parser.add_argument("source", metavar="SOURCE", help="a source in config.yaml")
    parser.add_argument(
        "--expect", action="append", default=[], metavar="COLUMN=VALUE,…",
        help="values that the sweep should have too, although no log has them yet",
    )  # fmt: skip
    parser.add_argument("--todo", metavar="FILE", help="write the runs that are not complete")
    parser.add_argument("--csv", action="store_true", help="all runs, for programs")
    parser.add_argument(
        "--figure", action="append", default=[], metavar="FILE",
        help="draw it: NAME.svg, .png, .pdf or .html; several times for several files",
    )  # fmt: skip
    for axis in "xy":
        said = (
            f"setting along {axis} in the figure; by default as the source's first heatmap has it"
        )
        parser.add_argument(f"--{axis}", metavar="COLUMN", help=said)


def run(given: argparse.Namespace) -> int:
    """0 if all runs are complete, else 1."""
    from heatproof import sweep
    from heatproof.cli import main as cli
    from heatproof.plan import present
    from heatproof.samples import declared, tables

    root = cli.project(given.project, configs=given.configfile)
    plan = cli.plan(root, given.configfile)
    if given.source not in plan.sources:
        raise Error(f"{given.source!r} is not a source; {choices(given.source, plan.sources)}")
    formats = _formats(given.figure)
    there = present.present(plan, given.source)
    rows = sweep.coverage(there.counts, _expected(given.expect), there.logs)
    notes = provenance.notes({"reconstructed": there.logs.made_up})
    for note in notes:
        terminal.say(f"heatproof: {note}", error=True)
    for line in declared.expectation_words(given.source, there.logs.expect, there.counts):
        terminal.say(line, error=True)
    _say(rows.write_csv() if given.csv else sweep.text(rows), as_is=given.csv)
    if given.todo:
        tables.write_text(sweep.todo(rows), Path(given.todo))
    if formats:
        wanted = {axis: name for axis in "xy" if (name := getattr(given, axis))}
        files = _drawn(rows, given.source, wanted, plan, notes, sorted({*formats.values()}))
        for path, form in formats.items():
            tables.write_bytes(files[form], path)
    return int((rows["state"] != "complete").any())


def _say(text: str, *, as_is: bool) -> None:
    """To the terminal; for a program that reads it, as it is."""
    if as_is and not sys.stdout.isatty():
        sys.stdout.write(f"{text}\n")
    else:
        terminal.say(text)


def _expected(given: Sequence[str]) -> dict[str, list[str]]:
    wanted = dict(one.split("=", 1) for one in given if "=" in one)
    if len(wanted) < len(given):
        raise Error(f"--expect {list(given)}: not COLUMN=VALUE,… once for each column")
    return {name: listed.split(",") for name, listed in wanted.items()}


def _formats(given: Sequence[str]) -> dict[Path, str]:
    """File → its format."""
    from heatproof.config import paths
    from heatproof.config.entries import FORMATS

    found = {}
    for path in given:
        form = paths.form_of(path)
        if form is None:
            end = Path(path).suffix.removeprefix(".")
            raise Error(
                f"--figure {path}: {end!r} is not a file format; {choices(end, FORMATS.values())}"
            )
        found[Path(path)] = form
    return found


def _drawn(
    rows: pl.DataFrame,
    source: str,
    wanted: dict[str, str],
    plan: Plan,
    notes: list[str],
    formats: Sequence[str],
) -> dict[str, bytes]:
    """Format → bytes of the figure; axes and words as in the source's first heatmap."""
    import json

    from heatproof import sweep
    from heatproof.charts import spec
    from heatproof.export import export
    from heatproof.kinds.heatmap.entry import Entry

    shown = plan.figures.values()
    alike = [one for one in shown if isinstance(one, Entry) and one.source == source]
    usual = {"x": alike[0].x, "y": alike[0].y} if alike else {}
    x, y = sweep.axes(rows, wanted or usual)
    labels, names = (alike[0].labels, alike[0].names) if alike else ({}, {})
    entry = sweep.figure_entry(source, x, y, labels, names, rows)
    record = {"figure": f"coverage of {source}", "coverage": rows.write_csv()}
    text = spec.text(sweep.draw(rows, entry, notes), record)
    return export.render(json.loads(text), formats)
