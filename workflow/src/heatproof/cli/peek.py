"""Show what logs hold before any figure: columns and their values, runs, refused records.

WHAT is a source of config.yaml, or files or patterns of logs, whose format is looked for. Of many
logs some are read, spread over all; --all reads all of them. Nothing is written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.logs import logs
from heatproof.util import canonical, terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from heatproof.config.entries import Source

READ = 200
"""Logs that are read of more."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `peek` takes."""
    parser.add_argument("what", metavar="WHAT", nargs="+", help="a source, or paths of logs")
    parser.add_argument("--all", action="store_true", help="read all logs, not some")


def run(given: argparse.Namespace) -> int:
    """0 if some record can be used, else 1."""
    from heatproof.library import contents, reading
    from heatproof.util.numerals import numbered

    source, root, notes = _source(given)
    for note in notes:
        terminal.say(note)
    paths = logs.find(source, root)
    read = paths if given.all else some(paths)
    part = "" if len(read) == len(paths) else f", of which {len(read)} are read (--all: all)"
    terminal.say(f"{source.format}, {numbered(len(paths), 'log')}{part}")
    found = reading.tables_of(source, read, root)
    terminal.say(contents.text(found.tables))
    for line in found.problems:
        terminal.say(line.replace(f"config.yaml: sources.{reading.NAME}: ", ""), error=True)
    return int(not len(found.tables.samples))


def _source(given: argparse.Namespace) -> tuple[Source, Path, list[str]]:
    """The source that is meant, its folder, and what is to be told of how it was found."""
    from heatproof.cli import main as cli
    from heatproof.config import configuration
    from heatproof.library.reading import NAME

    if any(_is_path(one) for one in given.what):
        root = Path(os.path.commonpath([_folder(one) for one in given.what]))
        named = [Path(os.path.abspath(one)).relative_to(root) for one in given.what]
        block = {"format": "auto", "logs": [_all_in(root, one) for one in named]}
        made = configuration.read({"sources": {NAME: block}}, root)
        return made.sources[NAME], root, [_plain(note) for note in made.notes]
    root = cli.project(given.project, configs=given.configfile)
    sources = cli.plan(root, given.configfile).sources
    name, *more = given.what
    if more or name not in sources:
        from heatproof.util.errors import choices

        wrong = more[0] if more else name
        raise Error(f"{wrong!r} is no file and not a source; {choices(wrong, sources)}")
    return sources[name], root, []


def _is_path(one: str) -> bool:
    return Path(one).exists() or any(sign in one for sign in "*?[/")


def _folder(one: str) -> str:
    """The folder from which a path or a pattern can be told."""
    plain = Path(os.path.abspath(logs.literal(one)))
    return str(plain if plain.is_dir() and plain == Path(os.path.abspath(one)) else plain.parent)


def _all_in(root: Path, one: Path) -> str:
    """A folder stands for all files in it."""
    return (one / "**/*.*" if (root / one).is_dir() else one).as_posix()


def _plain(note: str) -> str:
    from heatproof.library.reading import NAME

    return note.replace(f"config.yaml: sources.{NAME}.", "").replace(
        f"config.yaml: sources.{NAME}: ", ""
    )


def some(paths: Sequence[str]) -> list[str]:
    """Some of the paths, always the same, and in no order that their settings could follow."""
    return sorted(sorted(paths, key=canonical.key)[:READ])
