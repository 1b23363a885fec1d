"""Print the JSON schema of config.yaml, by which editors complete keys and show help.

Write it to a file and name that in the first line of config.yaml:
`# yaml-language-server: $schema=FILE`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util import terminal

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `schema` takes: nothing."""
    del parser


def run(given: argparse.Namespace) -> int:
    """0."""
    from heatproof.config import schema
    from heatproof.plan.plan import SECTIONS

    del given
    terminal.say(schema.text(SECTIONS), end="")
    return 0
