"""Remove results that the config does not ask for any more.

Lists the files in results/ that no job makes, such as those of a former figure or source. With
--yes those are removed that heatproof made and nobody changed since; others are named and left. The
exit status is 0.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from heatproof.util import terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `clean` takes."""
    parser.add_argument("--yes", action="store_true", help="remove them, do not only list them")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(given: argparse.Namespace) -> int:
    """0; a mistake is told as an error."""
    from heatproof.cli import main as cli
    from heatproof.provenance import clean

    root = cli.project(given.project, configs=given.configfile)
    plan = cli.plan(root, given.configfile)
    mine, others = clean.leftovers(plan)
    if given.yes:
        clean.remove(mine, plan.root)
    if given.json:
        terminal.say(json.dumps({"made": mine, "others": others, "removed": given.yes}, indent=1))
    else:
        terminal.say(text(mine, others, removed=given.yes))
    return 0


def text(mine: Sequence[str], others: Sequence[str], *, removed: bool) -> str:
    """What is listed: files that heatproof made, and others that it leaves alone."""
    lines = [f"  {terminal.name(path)}" for path in mine]
    if mine and removed:
        lines.insert(0, f"removed {numbered(len(mine), 'file')} that config.yaml does not ask for:")
    elif mine:
        count = numbered(len(mine), "file")
        lines.insert(0, f"{count} of a former build, no part of what config.yaml asks for:")
        lines.append("`heatproof clean --yes` removes them")
    if others:
        lines.append("left alone, for heatproof did not make them, or they were changed since:")
        lines += [f"  {terminal.name(path)}" for path in others]
    return "\n".join(lines or ["nothing in results/ is left over"])
