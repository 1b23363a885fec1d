"""The command `heatproof`: where a figure's numbers come from, and whether they still stand."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof import __version__, cli
from heatproof.plan import called
from heatproof.proof import inputs
from heatproof.util import errors, registry, terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.plan.plan import Plan

MISTAKE = 2
"""Exit status when the question was wrong; 1 says that the answer is no."""
STOPPED = 130
"""That of shells after Ctrl-C."""

UNTRUSTING = {"verify"}
"""Commands whose process believes no bytecode that lies there."""


def parser() -> argparse.ArgumentParser:
    """The arguments of all subcommands."""
    top = argparse.ArgumentParser(prog="heatproof", description=__doc__)
    top.add_argument("--version", action="version", version=f"heatproof {__version__}")
    below = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in registry.names(cli):
        module = registry.find(cli, name, "command", "command")
        text = str(module.__doc__)
        one = below.add_parser(
            name, help=text.splitlines()[0], description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        )  # fmt: skip
        one.add_argument(
            "--project", metavar="FOLDER",
            help="where config.yaml lies; by default sought above the figure, then from here up",
        )  # fmt: skip
        one.add_argument(
            "--configfile", metavar="FILE", action="append", default=[],
            help="the config of the run, if it is neither config.yaml nor that of the last run",
        )  # fmt: skip
        module.arguments(one)
        one.set_defaults(run=module.run, passes=getattr(module, "PASSES", False))
    return top


def project(given: str | None, near: Sequence[str] = (), configs: Sequence[str] = ()) -> Path:
    """The project's folder: the one given, else the first one above a file or here.

    A project is known by its config.yaml, or by what was built in it. `configs`: files that stand
    for it, so that any folder will do.

    Raises:
        Error: there is none.
    """
    if given:
        if called.is_project(Path(given)) or (configs and Path(given).is_dir()):
            return Path(given)
        raise Error(f"--project: {given} holds no config.yaml, and nothing was built in it")
    starts = [*(Path(name).resolve().parent for name in near if Path(name).exists()), Path.cwd()]
    for start in starts:
        for folder in (start, *start.parents):
            if called.is_project(folder):
                return folder
    if configs:
        return Path.cwd()
    raise Error("no config.yaml here or in any folder above; give the project's folder (--project)")


def plan(root: Path, configs: Sequence[str] = (), *, thorough: bool = False) -> Plan:
    """What the project's config asks for: the one of the last run, or of the files `configs`.

    `thorough`: all mistakes are looked for that a run would tell before its jobs.

    Raises:
        Error: it is not valid, or logs are missing.
    """
    from heatproof.plan.plan import Plan

    call = called.last(root, configs)
    try:
        if thorough:
            from heatproof.plan import mistakes

            return mistakes.planned(call.whole(root), root)
        plan = Plan(call.raw(root), root)
        plan.left_out = call.leaving_out(root)
    except Error as error:
        files = [os.path.relpath(root / path) for path in (*call.own, *call.given)]
        raise Error(errors.in_order(errors.said(error, files))) from None
    return plan


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """A command with what it takes; what it does not know is its `rest`, if it passes that on."""
    top = parser()
    given, rest = top.parse_known_args(arguments)
    if rest and not given.passes:
        top.error(f"unrecognized arguments: {' '.join(rest)}")
    given.rest = rest
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 1 if the answer is no, 2 after a mistake, or 130 where
    it was stopped from the keyboard.
    """
    given = parse(arguments)
    if arguments is None and given.command in UNTRUSTING and not inputs.is_private():
        return inputs.again()
    try:
        return int(given.run(given))
    except Error as error:
        terminal.say(f"heatproof: {error}", error=True)
        return MISTAKE
    except KeyboardInterrupt:
        terminal.say("\nheatproof: stopped", error=True)
        return STOPPED
    except BrokenPipeError:  # `heatproof trace … | head` is no mistake
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
