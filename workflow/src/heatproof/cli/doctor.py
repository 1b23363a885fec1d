"""Look at what a run needs: installation, typefaces, room on disk, the config, its logs, results.

What is wrong begins with an exclamation mark, and says what mends it. The exit status is 1 if
something is. No log is read, and nothing is made.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.util import terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from heatproof.provenance.health import Finding


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `doctor` takes."""
    parser.add_argument("--json", action="store_true", help="for programs")


def run(given: argparse.Namespace) -> int:
    """0 if all is well, else 1."""
    from heatproof.provenance import health

    found = list(_all(given.project, given.configfile))
    if given.json:
        terminal.say(json.dumps([one._asdict() for one in found], indent=1))
    else:
        terminal.say(health.text(found))
    return int(not all(one.good for one in found))


def _all(folder: str | None, configs: Sequence[str]) -> Iterator[Finding]:
    from heatproof.cli import main as cli
    from heatproof.provenance import health

    try:
        root = cli.project(folder, configs=configs)
    except Error as error:
        yield from health.installation(Path())
        yield health.Finding("config", str(error), good=False)
        return
    yield from health.installation(root)
    try:
        plan = cli.plan(root, configs, thorough=True)
        found = list(health.project(plan))
    except Error as error:
        yield health.Finding("config", str(error).replace("\n", "\n    "), good=False)
        return
    yield health.Finding("config", "no mistake")
    yield from found
