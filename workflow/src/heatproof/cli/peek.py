"""Show what logs hold before any figure: columns and their values, runs, refused records.

WHAT is a source of config.yaml, or a folder or a file of logs. Of a folder it is told what
`heatproof init` makes of it, and of logs of any layout a record with its places, to be pasted into
config.yaml. Of many logs some are read, spread over all; --all reads all of them. Nothing is
written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.logs import logs
from heatproof.util import canonical, terminal
from heatproof.util.errors import Error, choices
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from heatproof.config.entries import Source

READ = 200
"""Logs that are read of more."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `peek` takes."""
    parser.add_argument("what", metavar="WHAT", help="a source, or a folder or a file of logs")
    parser.add_argument("--all", action="store_true", help="read all logs, not some")


def run(given: argparse.Namespace) -> int:
    """0 if some record can be used, else 1."""
    from heatproof.cli import main as cli

    if (path := Path(given.what)).exists():
        return int(not any([*_of_path(path, all_=given.all)]))
    if "/" in given.what:
        raise Error(f"{given.what}: there is no such file or folder")
    root = cli.project(given.project, configs=given.configfile)
    sources = cli.plan(root, given.configfile).sources
    if given.what not in sources:
        raise Error(f"{given.what!r} is no file and no source; {choices(given.what, sources)}")
    return int(not _contents(sources[given.what], root, all_=given.all))


def _of_path(path: Path, *, all_: bool) -> Iterator[bool]:
    """Tell of each family of logs; yields whether some record of it can be used."""
    from heatproof.start import sheets, start, telling, trial
    from heatproof.start.block import plain

    near, here = Path(os.path.abspath(path)), Path.cwd()
    root = here if near.is_relative_to(here) else near.parent
    within = near.relative_to(root).as_posix()
    found = start.begin(near, "" if within == "." else within, root, lambda *_: None)
    for family in found.sorted.families:
        if family.sheets and family.sheets[0].rows:
            terminal.say(sheets.record(family.sheets[0]))
    terminal.say(telling.text(found) or f"no log in {terminal.name(str(path))}")
    for made in found.made:
        terminal.say(f"\n{made.name}: ", end="")
        yield _contents(trial.source(made.name, plain(made.line.value), root), root, all_=all_)


def _contents(source: Source, root: Path, *, all_: bool) -> bool:
    """Tell what the logs of a source hold; whether any record can be used."""
    from heatproof.library import contents, reading

    paths = logs.find(source, root)
    read = paths if all_ else some(paths)
    part = "" if len(read) == len(paths) else f", of which {len(read)} are read (--all: all)"
    terminal.say(f"{source.format}, {numbered(len(paths), 'log')}{part}")
    found = reading.tables_of(source, read, root)
    terminal.say(contents.text(found.tables))
    for problem in found.problems:
        terminal.say(str(problem), error=True)
    return bool(len(found.tables.samples))


def some(paths: Sequence[str]) -> list[str]:
    """Some of the paths, always the same, and in no order that their settings could follow."""
    return sorted(sorted(paths, key=canonical.key)[:READ])
