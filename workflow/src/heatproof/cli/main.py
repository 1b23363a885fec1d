"""Draw figures of evaluation logs; show where their numbers come from, and check them."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import yaml

from heatproof import __version__, ledger
from heatproof.config import syntax
from heatproof.util import errors, hashed, terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from heatproof.plan import Plan

MISTAKE = 2  # exit status when the question was wrong; 1 says that the answer is no
STOPPED = 130  # that of shells after Ctrl-C
Argument = tuple[str, dict[str, Any]]
"""Name and keywords, for argparse."""
JSON: Argument = "--json", {"action": "store_true", "help": "print JSON, for programs"}
HELP = "help"  # the word for which argparse has an option
MEANT = {
    "build": "run", "draw": "run", "figures": "run", "make": "run", "plot": "run", "render": "run",
    "snakemake": "run", "add": "init", "new": "init", "start": "init", "explain": "trace",
    "open": "trace", "show": "trace", "check": "verify", "prove": "verify", "test": "verify",
    "status": "why", "compare": "diff", "logs": "peek", "inspect": "peek", "read": "peek",
    "missing": "coverage", "sweep": "coverage", "remove": "clean", "manuscript": "paper",
}  # fmt: skip
"""What other programs call it → our command."""


class Command(NamedTuple):
    """A subcommand with the name and the docstring of its function."""

    run: Callable[[Namespace], int]  # gives the exit status
    arguments: Sequence[Argument] = ()
    passes: bool = False  # whether unknown words go to another program


class Parser(argparse.ArgumentParser):
    """One whose mistakes are told as all others are, in a line."""

    def error(self, message: str) -> NoReturn:
        """Raises Error: always."""
        command = self.prog.partition(" ")[2]
        if command:
            text = f"{command}: {message}"
        else:
            text = message
        raise Error(f"{text}; `{self.prog} --help` shows what it takes")


@cache
def parser() -> Parser:
    """The arguments of all subcommands."""
    from heatproof.cli import guide, init, papers, run, views

    top = Parser(prog="heatproof", description=__doc__)
    top.add_argument("-V", "--version", action="version", version=f"heatproof {__version__}")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    listed = [init.COMMAND, run.COMMAND]
    for room in (views, papers, guide):
        listed += room.COMMANDS
    for command in sorted(listed, key=lambda command: command.run.__name__):
        text = inspect.getdoc(command.run) or ""
        sub = subparsers.add_parser(
            command.run.__name__, help=text.splitlines()[0], description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        )  # fmt: skip
        sub.add_argument(
            "--project", metavar="FOLDER",
            help="folder of config.yaml; by default searched above the figure, then from here up",
        )  # fmt: skip
        sub.add_argument(
            "--configfile", metavar="FILE", action="append", default=[],
            help="the config of the run; by default that of the last run, or config.yaml",
        )  # fmt: skip
        for flag, keywords in command.arguments:
            sub.add_argument(flag, **keywords)
        flags = [flag for flag, _ in command.arguments if flag.startswith("-")]
        sub.set_defaults(
            run=command.run, passes=command.passes,
            options=flags + ["--project", "--configfile"],
        )  # fmt: skip
    top.set_defaults(commands=list(subparsers.choices))
    return top


def project(args: str | None, near: Sequence[str] = (), configs: Sequence[str] = ()) -> Path:
    """The project's folder: `args`, else the first one above a file or from here up.

    It has a config.yaml or results; with `configs` any folder will do. Raises Error: there is none.
    """

    def is_project(folder: Path) -> bool:
        return (folder / syntax.USUAL).is_file() or (folder / ledger.FOLDER).is_dir()

    if args:
        if is_project(Path(args)) or (configs and Path(args).is_dir()):
            return Path(args)
        raise Error(f"--project: {args} has no config.yaml, and no results")
    starts = [Path(name).resolve().parent for name in near if Path(name).exists()]
    for start in starts + [Path.cwd()]:
        for folder in [start] + list(start.parents):
            if is_project(folder):
                return folder
    if configs:
        return Path.cwd()
    raise Error(
        "no config.yaml here or in any folder above; give the project's folder (--project), or "
        "let `heatproof init FOLDER` write one for a folder of logs"
    )


def plan_of(args: Namespace, near: Sequence[str] = ()) -> Plan:
    """The plan of the project that a command is about."""
    return plan(project(args.project, near, args.configfile), args.configfile)


def plan(root: Path, configs: Sequence[str] = ()) -> Plan:
    """The plan of a project. Raises Error: the config is not valid, or logs are missing."""
    from heatproof.plan import planned

    raw = config(root, configs)
    try:
        last = ledger.last(root)
        return planned(raw, root, upstream=bool(last and last.upstream), any_figure=False)
    except Error as error:
        files = [os.path.relpath(root / path) for path in configs or [syntax.USUAL]]
        raise Error(errors.in_order(error.mistakes, files)) from None


def config(root: Path, files: Sequence[str] = ()) -> dict[str, Any]:
    """The config of a project: config.yaml with `files` over it, else that of the last whole run.

    Raises Error: there is none, or it is no YAML.
    """
    usual = root / syntax.USUAL
    places = list(map(Path, files))
    if usual.is_file():
        places.insert(0, usual)
    if not places and (last := ledger.last(root)):
        return last.config
    layers: dict[str, Any] = {}
    for path in places or [usual]:
        if thing := hashed.irregular(path):
            raise Error(f"{path} is {thing}: name the config of the run by --configfile")
        if path == usual:
            name = syntax.USUAL
        else:
            name = str(path)
        syntax.require_sound(path, name, sections=True)
        layers = _merged(layers, yaml.safe_load(path.read_text()) or {})
    return layers


def _merged(first: Any, second: Any) -> Any:
    """Nested mappings laid over each other, as Snakemake does it."""
    if not (isinstance(first, dict) and isinstance(second, dict)):
        return second
    return first | {key: _merged(first.get(key), value) for key, value in second.items()}


def parse(arguments: Sequence[str] | None = None) -> Namespace:
    """A command with its arguments; `rest`: unknown words, which some commands pass on."""
    top = parser()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == [HELP]:  # `help trace` is `trace --help`
        words = words[1:2] + ["--help"]
    if words[:1] == ["version"]:
        words = ["--version"]
    command = next(iter(words), "")
    commands = top.get_default("commands")
    if command and not command.startswith("-") and command not in commands:
        valid = errors.choices(command, commands)
        replacement = MEANT.get(command.lower())
        if replacement and not valid.endswith("?)"):
            valid = f"{valid} (did you mean {replacement!r}?)"
        raise Error(f"{command!r} is no command; {valid}")
    args, rest = top.parse_known_args(words)
    if rest and not args.passes:
        raise Error(f"{args.command}: {_unknown(rest[0], args.options)}")
    args.rest = rest
    return args


def _unknown(option: str, options: Sequence[str]) -> str:
    """Why a command does not take a word."""
    if not option.startswith("-"):
        return f"{option!r} is one word more than it takes"
    return f"{option} is not an option; {errors.choices(option, options)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Its exit status: 0, 1 if the answer is no, 2 for a mistake, 130 for Ctrl-C."""
    try:
        args = parse(arguments)
        return int(args.run(args))
    except Error as error:
        terminal.say(f"heatproof: {error}", error=True)
        return MISTAKE
    except KeyboardInterrupt:
        terminal.say("\nheatproof: stopped", error=True)
        return STOPPED
    except BrokenPipeError:  # `heatproof trace … | head` is no mistake
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
