"""Small commands: a question to the library, and its answer in words or as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.cli import JSON, Command
from heatproof.cli import main as cli
from heatproof.util import canonical, terminal
from heatproof.util.errors import Error, choices
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from argparse import Namespace

    from heatproof.config.entries import Source

FIGURES = ("figures", {"metavar": "FIGURE", "nargs": "*"})
LOGS_READ = 200
"""Logs that `peek` reads of more."""


def _print_json(value: object) -> None:
    terminal.say(json.dumps(value, indent=1))


def clean(args: Namespace) -> int:
    """Remove results that the config does not ask for any more.

    Lists the files in results/ that no job makes, such as those of a former figure or source. With
    --yes those are removed that heatproof made and nobody changed since; others are listed and
    left. The exit status is 0.
    """
    from heatproof.provenance import clean as cleaning

    root = cli.project(args.project, configs=args.configfile)
    plan = cli.plan(root, args.configfile)
    own, others = cleaning.leftovers(plan)
    if args.yes:
        cleaning.remove(own, plan.root)
    if args.json:
        _print_json({"made": own, "others": others, "removed": args.yes})
        return 0
    lines = [f"  {terminal.name(path)}" for path in own]
    count = numbered(len(own), "file")
    if own and args.yes:
        lines.insert(0, f"removed {count} that config.yaml does not ask for:")
    elif own:
        lines.insert(0, f"{count} of a former build, no part of what config.yaml asks for:")
        lines.append("`heatproof clean --yes` removes them")
    if others:
        lines.append("left alone, for heatproof did not make them, or they were changed since:")
        lines += [f"  {terminal.name(path)}" for path in others]
    terminal.say("\n".join(lines or ["nothing in results/ is left over"]))
    return 0


def diff(args: Namespace) -> int:
    """Compare two builds: which cells changed, by how much, and through which logs.

    A and B are folders with results, or projects. The exit status is 1 if a cell differs.
    """
    from heatproof.provenance import diff as differences

    figures = differences.figures(differences.results(args.a), differences.results(args.b))
    changed = [figure for figure in figures if figure.note or figure.changes]
    if args.json:
        _print_json(msgspec.to_builtins(changed))
    else:
        terminal.say(differences.text(figures))
    return int(bool(changed))


def peek(args: Namespace) -> int:
    """Show what logs hold before any figure: columns and their values, runs, refused records.

    WHAT is a source of config.yaml, or a folder or a file of logs, of which `heatproof init` says
    how they are read. Of many logs some are read, spread over all; --all reads all of them. Nothing
    is written. The exit status is 1 if no record can be used.
    """
    if (path := Path(args.what)).exists():
        return _peek_path(path, args.all)
    if "/" in args.what:
        raise Error(f"{args.what}: there is no such file or folder")
    root = cli.project(args.project, configs=args.configfile)
    sources = cli.plan(root, args.configfile).sources
    if args.what not in sources:
        raise Error(f"{args.what!r} is no file and no source; {choices(args.what, sources)}")
    return int(not _show_contents(sources[args.what], root, args.all))


def _peek_path(path: Path, every: bool) -> int:
    from heatproof.init import folder, report

    near, here = Path(os.path.abspath(path)), Path.cwd()
    root = here if near.is_relative_to(here) else near.parent
    within = near.relative_to(root).as_posix()
    start = folder.begin(near, "" if within == "." else within, root, lambda *_: None)
    terminal.say(report.screen(start) or f"no log in {terminal.name(str(path))}")
    usable = False
    for name, source in start.sources.items():
        terminal.say(f"\n{name}: ", end="")
        usable |= _show_contents(source.trial.source, root, every)
    return int(not usable)


def _show_contents(source: Source, root: Path, every: bool) -> bool:
    """Print what the logs of a source hold; whether any record can be used."""
    from heatproof.library import reading
    from heatproof.logs import logs

    paths = logs.find(source, root)
    # Always the same ones, and in no order that their settings could follow.
    some = paths if every else sorted(sorted(paths, key=canonical.key)[:LOGS_READ])
    part = "" if len(some) == len(paths) else f", of which {len(some)} are read (--all: all)"
    terminal.say(f"{source.format}, {numbered(len(paths), 'log')}{part}")
    result = reading.tables_of(source, some, root)
    terminal.say(reading.contents(result.tables))
    for problem in result.problems:
        terminal.say(str(problem), error=True)
    return bool(len(result.tables.samples))


def schema(_: Namespace) -> int:
    """Print the JSON schema of config.yaml, by which editors complete keys and show help.

    Write it to a file and name that in the first line of config.yaml:
    `# yaml-language-server: $schema=FILE`.
    """
    from heatproof.config import schema as json_schema
    from heatproof.plan.plan import SECTIONS

    terminal.say(json_schema.text(SECTIONS), end="")
    return 0


def verify(args: Namespace) -> int:
    """Check that figures still rest on what they were made of.

    Rehashes logs, tables, grids, specs, figures, code, installed packages and config; then builds
    everything anew from the raw logs, compares the bytes, and counts every cell once more. --quick
    only rehashes, and knows packages by their versions. FIGURE is a file, a name or an id; without
    it all figures are checked. The exit status is 1 if anything fails. Where a part was built, that
    part is built anew and compared; what is not built is listed, and is no failure.
    """
    from heatproof.provenance import verify as verifying
    from heatproof.provenance.why import Difference

    stages: list[verifying.Stage] = []
    try:
        root = cli.project(args.project, args.figures, args.configfile)
        plan = cli.plan(root, args.configfile)
        for stage in verifying.stages(plan, args.figures, quick=args.quick):
            stages.append(stage)
            if not args.json:
                terminal.say(verifying.text(stage))
    except Error as error:
        failure = Difference("asked", "a question", str(error))
        stages.append(verifying.Stage("asked", "not to be judged", [failure]))
        raise
    finally:
        if args.json:
            _print_json(msgspec.to_builtins(stages))
    failed = sum(len(stage.failures) for stage in stages)
    if not args.json:
        part = any(stage.name == verifying.NOT_BUILT for stage in stages)
        stands = "all that is built stands, as far as it was tried" if part else "all of it stands"
        terminal.say(f"\n{failed} failed" if failed else f"\n{stands}")
    return int(failed > 0 or any(s.checked.startswith(verifying.UNTRIED) for s in stages))


def why(args: Namespace) -> int:
    """Say what the next run would make again for a figure, and for which changed input.

    FIGURE is a name, an id or a file; without it all figures are asked. Nothing is run. Where a
    part was built, it answers for what is there, and lists what is not. The exit status is 1 if
    something would be made again.
    """
    from heatproof.provenance import verify as verifying
    from heatproof.provenance import why as reasons

    root = cli.project(args.project, args.figures, args.configfile)
    plan = cli.plan(root, args.configfile)
    answers = {name: reasons.answer(plan, name) for name in verifying.names(args.figures, plan)}
    if args.json:
        _print_json(
            {name: msgspec.to_builtins(answer._asdict()) for name, answer in answers.items()}
        )
    else:
        terminal.say("\n".join(reasons.text(name, answer) for name, answer in answers.items()))
    return int(any(answer.reasons for answer in answers.values()))


COMMANDS = (
    Command(clean, [("--yes", {"action": "store_true", "help": "remove them, too"}), JSON]),
    Command(diff, [("a", {"metavar": "A"}), ("b", {"metavar": "B"}), JSON]),
    Command(
        peek,
        [
            ("what", {"metavar": "WHAT", "help": "a source, or a folder or a file of logs"}),
            ("--all", {"action": "store_true", "help": "read all logs, not some"}),
        ],
    ),
    Command(schema),
    Command(
        verify,
        [
            FIGURES,
            ("--quick", {"action": "store_true", "help": "rehash only, no new build"}),
            JSON,
        ],
    ),
    Command(why, [FIGURES, JSON]),
)
