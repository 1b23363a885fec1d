"""The command `heatproof`: `main`, and the subcommands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence


class Command(NamedTuple):
    """A subcommand: its name and its help are those of the function that runs it."""

    run: Callable[[Namespace], int]  # gives the exit status
    arguments: Sequence[tuple[str, dict[str, Any]]] = ()  # as argparse takes them
    passes: bool = False  # whether words that it does not know are for another program


JSON = ("--json", {"action": "store_true", "help": "for programs"})
