"""The command that lists the runs that a sweep lacks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.cli import Command
from heatproof.provenance import record
from heatproof.util import terminal
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    import argparse


def coverage(args: argparse.Namespace) -> int:
    """What a sweep holds: which runs are complete, incomplete or missing.

    A sweep is every combination of the values that its settings take; runs that lack a
    hyper-parameter, as baselines do, are a sweep of their own. The logs are asked, not the figures:
    where no tables were made of them yet, they are read. `--todo` writes the runs that are not
    complete as tab-separated values, a line each under their names, so that task n of a job array
    takes line n + 1:

        sbatch --array=1-$(($(wc -l <todo.tsv) - 1)) run.sh
        line=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" todo.tsv)    # in run.sh
        ratio=$(cut -f3 <<<"$line")

    The exit status is 1 if a run is not complete.
    """
    from heatproof import sweep
    from heatproof.cli import main as cli
    from heatproof.plan.present import present
    from heatproof.samples import declared, tables

    root = cli.project(args.project, configs=args.configfile)
    plan = cli.plan(root, args.configfile)
    if args.source not in plan.sources:
        raise Error(f"{args.source!r} is not a source; {choices(args.source, plan.sources)}")
    expected = dict(pair.split("=", 1) for pair in args.expect if "=" in pair)
    if len(expected) < len(args.expect):
        raise Error(f"--expect {args.expect}: not COLUMN=VALUE,… once for each column")
    there = present(plan, args.source)
    values = {column: listed.split(",") for column, listed in expected.items()}
    rows = sweep.coverage(there.counts, values, there.logs)
    for note in record.notes(
        {"reconstructed": any(log.reconstructed for log in there.logs.logs.values())}
    ):
        terminal.say(f"heatproof: {note}", error=True)
    for line in declared.expectation_words(args.source, there.logs.expect, there.counts):
        terminal.say(line, error=True)
    text = rows.write_csv() if args.csv else sweep.text(rows)
    if args.csv and not sys.stdout.isatty():  # as it is, for a program
        sys.stdout.write(f"{text}\n")
    else:
        terminal.say(text)
    if args.todo:
        tables.write_text(sweep.todo(rows), Path(args.todo))
    return int((rows["state"] != "complete").any())


COMMAND = Command(
    coverage,
    [
        ("source", {"metavar": "SOURCE", "help": "a source in config.yaml"}),
        (
            "--expect",
            {
                "action": "append",
                "default": [],
                "metavar": "COLUMN=VALUE,…",
                "help": "values that the sweep should have too, although no log has them yet",
            },
        ),
        ("--todo", {"metavar": "FILE", "help": "write the runs that are not complete"}),
        ("--csv", {"action": "store_true", "help": "all runs, for programs"}),
    ],
)
