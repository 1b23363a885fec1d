"""Questions about papers: each a function, and its row of COMMANDS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.cli import main as cli
from heatproof.cli.main import Argument, Command
from heatproof.util import terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from argparse import Namespace

    from heatproof.paper.check import Report
    from heatproof.paper.findings import Finding

LOOKED_AT = 20  # numbers that no figure tells of, listed at most


def paper(args: Namespace) -> int:
    """Compare a manuscript with the figures of the build, number by number.

    MANUSCRIPT is a .tex, .typ, .md, .qmd or .pdf. It says which figures are of this build, which
    names lead to no number, and where tables and sentences print another number than the figure
    whose settings they name. Words such as "best" or "significantly" that the figure does not bear
    are asked about; --words lists all of them. What no figure tells is "to look at".

    The exit status is 1 if something contradicts a figure.
    """
    from heatproof.paper import check

    path = Path(args.manuscript)
    root = cli.project(args.project, [args.manuscript], args.configfile)
    report = check.check(path, root, words=args.words)
    if args.json:
        plain = msgspec.to_builtins(report)
        terminal.say(json.dumps(plain, indent=1, ensure_ascii=False))
    else:
        terminal.say("\n".join(map(terminal.name, report_lines(report))))
    return int(report.is_contradicted)


def report_lines(report: Report) -> list[str]:
    """What a check found, in words."""
    lines = []
    for shown in report.figures:
        state = shown.fault or "of this build"
        lines.append(f"{shown.file}:{shown.line}: {shown.figure} (heatproof {shown.id}): {state}")
    looked_at = 0
    for item in report.findings:
        looked_at += item.sort == "look"
        if item.sort != "look" or looked_at <= LOOKED_AT:
            lines += _finding_lines(item)
    if looked_at > LOOKED_AT:
        lines.append(f"and {looked_at - LOOKED_AT:,} more to look at: --json lists all")
    sorts = [item.sort for item in report.findings]
    numbers = numbered(report.named, "number")
    lines.append(
        f"{numbers} by name, {report.compared:,} as in the figures, "
        f"{numbered(sorts.count('contradiction'), 'contradiction')}, "
        f"{numbered(sorts.count('question'), 'question')}, {looked_at:,} to look at"
    )
    return lines


TITLES = {"contradiction": "CONTRADICTS", "question": "is it so?", "look": "to look at"}


def _finding_lines(item: Finding) -> list[str]:
    lines = [f"{item.place}: {TITLES[item.sort]}: {item.says}", f"    {item.why}"]
    if item.command:
        lines.append(f"    {item.command}")
    return lines


def _flag(name: str, words: str) -> Argument:
    return f"--{name}", {"action": "store_true", "help": words}


COMMANDS = (
    Command(
        paper,
        [
            ("manuscript", {"metavar": "MANUSCRIPT", "help": "its main file"}),
            _flag("words", "list all words of comparison, each with what the figure says"),
            _flag("json", "print JSON"),
        ],
    ),
)
