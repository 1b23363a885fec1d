"""Check that figures still rest on what they were made of.

Rehashes logs, tables, grids, specs, figures, code, installed packages and config; then builds
everything anew from the raw logs, compares the bytes, and counts every cell once more. --quick only
rehashes, and knows packages by their versions. FIGURE is a file, a
name or an id; without it all figures are checked. The exit status is 1 if anything fails. Where a
part was built, that part is built anew and compared, and what is not built is told: that is no
failure.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from heatproof.util import terminal

if TYPE_CHECKING:
    import argparse

    from heatproof.plan.plan import Plan
    from heatproof.provenance.checks import Stage


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `verify` takes."""
    parser.add_argument("figures", metavar="FIGURE", nargs="*")
    parser.add_argument("--quick", action="store_true", help="rehash only, no new build")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(given: argparse.Namespace) -> int:
    """0 if all stands, else 1.

    Raises:
        Error: the question is wrong, or config.yaml; with `--json` that is printed too.
    """
    from heatproof.cli import main as cli
    from heatproof.provenance.checks import Failure, Stage
    from heatproof.util.errors import Error

    found: list[Stage] = []
    try:
        root = cli.project(given.project, given.figures, given.configfile)
        plan = cli.plan(root, given.configfile)
        status = _told(plan, given, found)
    except Error as error:
        found.append(Stage("asked", "not to be judged", [Failure("asked", "", str(error), [])]))
        raise
    finally:
        if given.json:
            terminal.say(json.dumps(msgspec.to_builtins(found), indent=1))
    return status


def _told(plan: Plan, given: argparse.Namespace, found: list[Stage]) -> int:
    """The stages, added to those `found` and told in words as soon as they are known."""
    from heatproof.provenance import verify

    for stage in verify.stages(plan, given.figures, quick=given.quick):
        found.append(stage)
        if not given.json:
            terminal.say(verify.text(stage))
    failed = sum(len(stage.failures) for stage in found)
    untried = any(stage.checked.startswith(verify.UNTRIED) for stage in found)
    if not given.json:
        part = any(stage.name == verify.NOT_BUILT for stage in found)
        stands = "all that is built stands, as far as it was tried" if part else "all of it stands"
        left = f"; left out of it: {', '.join(plan.left_out.figures)}" if plan.left_out else ""
        terminal.say((f"\n{failed} failed" if failed else f"\n{stands}") + left)
    return int(bool(failed or untried))
