"""Compare two builds: which cells changed, by how much, and through which logs.

A and B are folders with results, projects, or git revisions that hold results. The exit status is 1
if a cell differs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `diff` takes."""
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(given: argparse.Namespace) -> int:
    """0 if all cells are the same, else 1."""
    from pathlib import Path

    import msgspec

    from heatproof.provenance import diff
    from heatproof.util import terminal

    root = Path(given.project or ".")
    with diff.results(given.a, root) as before, diff.results(given.b, root) as after:
        found = diff.figures(before, after)
    different = [one for one in found if one.note or one.changes]
    plain = msgspec.to_builtins(different)
    terminal.say(json.dumps(plain, indent=1) if given.json else diff.text(found))
    return int(bool(different))
