"""Say what the next run would make again for a figure, and for which changed input.

FIGURE is a name, an id or a file; without it all figures are told. Nothing is run. Where a part was
built, it answers for what is there, and tells what is not. The exit status is 1 if something would
be made again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from heatproof.util import terminal

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `why` takes."""
    parser.add_argument("figures", metavar="FIGURE", nargs="*")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(given: argparse.Namespace) -> int:
    """0 if all figures are up to date, else 1."""
    from heatproof.cli import main as cli
    from heatproof.provenance import verify, why

    root = cli.project(given.project, given.figures, given.configfile)
    plan = cli.plan(root, given.configfile)
    names = verify.names(given.figures, plan)
    answers = {name: why.answer(plan, name) for name in names}
    if given.json:
        plain = {
            name: {"stages": one.stages, "reasons": [reason._asdict() for reason in one.reasons]}
            | ({"not_built": one.not_built} if one.not_built else {})
            for name, one in answers.items()
        }
        terminal.say(json.dumps(plain, indent=1))
    else:
        terminal.say("\n".join(why.text(name, one) for name, one in answers.items()))
    return int(any(one.reasons for one in answers.values()))
