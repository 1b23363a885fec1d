"""Questions about papers: each a function, and its row of COMMANDS."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.cli import main as cli
from heatproof.cli.main import JSON, Argument, Command
from heatproof.util import terminal
from heatproof.util.errors import Error
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from argparse import Namespace

    from heatproof.paper.check import Report
    from heatproof.paper.findings import Finding
    from heatproof.paper.rebuild import Rebuilt

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
        terminal.say_json(report)
    else:
        terminal.say("\n".join(map(terminal.name, report_lines(report))))
    return int(report.is_contradicted)


def crate(args: Namespace) -> int:
    """Write the build into a folder for an archive, as an RO-Crate.

    It holds config.yaml, results with the ledger, the logs and their digests, and what a reviewer
    is to type. --without-logs leaves the logs out: for private ones, their digests remain.
    """
    from heatproof.paper import crate as crates

    plan = cli.plan_of(args)
    date = args.date or datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    _require_date(date)
    left_out = crates.write_crate(plan, Path(args.folder), date=date, logs=not args.without_logs)
    if args.json:
        figures = list(plan.figures)
        terminal.say_json({"folder": args.folder, "figures": figures, "left_out": left_out})
        return 0
    lines = [f"left out, because it lies elsewhere: {path}" for path in left_out]
    lines.append(f"{args.folder}: {numbered(len(plan.figures), 'figure')} as an RO-Crate")
    terminal.say("\n".join(map(terminal.name, lines)))
    return 0


def _require_date(text: str) -> None:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        raise Error(f"--date: {text!r} is no date; write it as 2026-11-28") from None


def rebuild(args: Namespace) -> int:
    """Draw the figures in a file again, from the file alone.

    FILE is a figure (svg, pdf, png, html, spec), or a PDF that includes some. It says what each
    figure is, and writes its svg, pdf and png into a folder; no project is needed.

    Where counts of problems are inside, cells and verdicts are counted anew from them. The exit
    status is 1 if these are others, or if a figure is not the one that its id names.
    """
    from heatproof.paper import rebuild as rebuilding

    path = Path(args.file)
    if not path.is_file():
        raise Error(f"{args.file}: no such file")
    figures = rebuilding.rebuild(path)
    written = rebuilding.write(figures, Path(args.to))
    if args.json:
        plain = []
        for figure in figures:
            item = msgspec.to_builtins(msgspec.structs.replace(figure, files={}))
            plain.append(item | {"how": figure.how})
        files = [str(place) for place in written]
        terminal.say_json({"figures": plain, "files": files})
    else:
        lines = []
        for figure in figures:
            lines += _rebuilt_lines(figure)
        lines += [f"written: {place}" for place in written]
        terminal.say("\n".join(map(terminal.name, lines)))
    return int(not all(figure.sound and agrees(figure) for figure in figures))


def agrees(figure: Rebuilt) -> bool:
    """Whether a figure draws what its counts give, if it has some."""
    return figure.counted is None or figure.counted.agrees


def _rebuilt_lines(figure: Rebuilt) -> list[str]:
    lines = [f"{figure.figure} (heatproof {figure.id}): {figure.title}"]
    if figure.pages:
        lines[0] += f", page {', '.join(map(str, figure.pages))}"
    if not figure.sound:
        lines.append("  CHANGED: its id is not that of the spec inside")
    if figure.reconstructed:
        lines.append("  its logs are reconstructed from printed digits")
    lines += [f"  {sentence}." for sentence in figure.says.rstrip(".").split(". ")]
    count = figure.logs.get("count")
    digest = figure.logs.get("blake3")
    lines.append(f"  {numbered(len(figure.cells), 'cell')}, of {count} logs (blake3 {digest})")
    lines.append(f"  {_counts_words(figure)}")
    lines.append(f"  {figure.how}")
    if figure.is_file:
        lines.append("  the file itself came out byte for byte")
    return lines


def _counts_words(figure: Rebuilt) -> str:
    """What the counts inside a figure give."""
    counted = figure.counted
    if counted is None:
        return "no counts of problems inside" + (
            ": its logs are private" if figure.withheld else ""
        )
    words = f"counted anew of {numbered(counted.problems, 'problem')} inside"
    words += f" ({counted.records:,} records): {numbered(len(counted.cells), 'cell')}"
    if counted.tied_sets:
        words += f" and {numbered(counted.tied_sets, 'verdict')}"
    return f"{words}, {'as drawn' if counted.agrees else 'NOT AS DRAWN'}"


def report_lines(report: Report) -> list[str]:
    """What a check found, in words."""
    lines = []
    for graphic in report.figures:
        state = graphic.fault or "of this build"
        lines.append(
            f"{graphic.file}:{graphic.line}: {graphic.figure} (heatproof {graphic.id}): {state}"
        )
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
        crate,
        [
            ("folder", {"metavar": "FOLDER", "help": "where it is written; it is new or empty"}),
            ("--date", {"metavar": "DATE", "help": "of publication, as 2026-11-28; today's"}),
            _flag("without-logs", "leave the logs out"),
            JSON,
        ],
    ),
    Command(
        paper,
        [
            ("manuscript", {"metavar": "MANUSCRIPT", "help": "its main file"}),
            _flag("words", "list all words of comparison, each with what the figure says"),
            JSON,
        ],
    ),
    Command(
        rebuild,
        [
            ("file", {"metavar": "FILE", "help": "a figure, or a paper as PDF"}),
            ("--to", {"metavar": "FOLDER", "default": "rebuilt", "help": "where files go"}),
            JSON,
        ],
    ),
)
