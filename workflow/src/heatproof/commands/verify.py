"""Check that figures still rest on what they were made of.

Rehashes logs, tables, grids, specs, figures, code, environment and config; then builds everything
anew from the raw logs, compares the bytes, and counts every cell once more. FIGURE is a file, a
name or an id; without it all figures are checked. The exit status is 1 if anything fails.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `verify` takes."""
    parser.add_argument("figures", metavar="FIGURE", nargs="*")
    parser.add_argument("--quick", action="store_true", help="rehash only, do not build anew")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(given: argparse.Namespace) -> int:
    """0 if all stands, else 1."""
    import msgspec

    from heatproof import cli
    from heatproof.proof import verify

    plan = cli.plan(cli.project(given.project, given.figures))
    found = []
    for stage in verify.stages(plan, given.figures, quick=given.quick):
        found.append(stage)
        if not given.json:
            print(verify.text(stage), flush=True)
    failed = sum(len(stage.failures) for stage in found)
    untried = any(stage.checked.startswith("not tried") for stage in found)
    if given.json:
        print(json.dumps(msgspec.to_builtins(found), indent=1))
    else:
        print(f"\n{failed} failed" if failed else "\nall of it stands")
    return int(bool(failed or untried))
