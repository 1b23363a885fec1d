"""The command that writes the first config for a folder of logs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from heatproof.cli import Command
from heatproof.config import roots
from heatproof.util import terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from heatproof.config.entries import Source
    from heatproof.start.source import Ask

USUAL = "config.yaml"


def init(args: argparse.Namespace) -> int:
    """Look through a folder of logs, and write a config.yaml whose figures fit them.

    FOLDER is looked into, not only at its names: formats, models, tasks, settings, scores and their
    scale, repetitions, what is lacking and what cannot be used. Each line that is written says what
    was seen. Where two readings are possible it asks at a terminal; elsewhere the likelier one is
    written, and the other one told. A config that is there is left, but for --add and --force. The
    exit status is 1 if no log can be read.
    """
    from heatproof.config import schema
    from heatproof.plan.plan import SECTIONS
    from heatproof.start import start, telling, writing
    from heatproof.start.block import Line

    if args.add + args.force + args.dry_run > 1:
        raise Error("--add, --force and --dry-run: name one of them")
    root = Path(args.project) if args.project else Path.cwd()
    config = Path(args.configfile[0]) if args.configfile else root / USUAL
    before = _before(config, add=args.add, may=args.force or args.dry_run)
    folder, within, elsewhere = _place(Path(args.folder), root)
    taken, known = _known(before, root) if args.add else (set(), [])
    ask: Ask = _asked if sys.stdin.isatty() and not args.dry_run else _unasked
    with TemporaryDirectory() as spare:
        # What is only printed leaves no link behind, and the config is as it would be with one.
        home = Path(spare) if elsewhere and args.dry_run else root
        mounted = {within: str(folder) if home != root else elsewhere} if elsewhere else {}
        roots.mount(mounted, home)
        found = start.begin(home / within, within, home, ask, taken, known)
    terminal.say(telling.text(found))
    for path in _passed_over(folder) if not within else ():
        terminal.say(f"passed    {path}/: {_elsewhere(path)}")
    if not found.made:
        terminal.say("no log can be read, and nothing is written", error=True)
        return 1
    linked = [Line(within, elsewhere, "this name in the project stands for that folder")]
    sections = {
        roots.SECTION: linked if elsewhere and not (args.add and _names(before, within)) else [],
        "sources": found.sources(),
        "figures": found.figures(),
    }
    text = writing.added(before, sections, config.name) if args.add else writing.new(sections)
    if args.dry_run:
        terminal.say(text, end="")
        return 0
    config.write_text(text, encoding="utf-8")
    if writing.SCHEMA in text:
        schema_text = schema.text(SECTIONS)
        config.with_name(writing.SCHEMA).write_text(schema_text, encoding="utf-8")
    if elsewhere:
        answer = f"{within} stands for {terminal.name(elsewhere)}, as {roots.SECTION} says"
        terminal.say(f"link      {answer}")
    terminal.say(telling.written(found, config.name, "has more" if args.add else "written"))
    terminal.say("next      heatproof run")
    return 0


def _before(config: Path, *, add: bool, may: bool) -> str:
    """The config that is there; empty if there is none.

    Raises:
        Error: there is one, and nothing says what becomes of it; or none to add to.
    """
    if not config.exists():
        if add:
            raise Error(f"--add: there is no {config}")
        return ""
    if not (add or may):
        raise Error(f"{config} is there: --add adds to it, --force replaces it, --dry-run prints")
    return config.read_text(encoding="utf-8")


def _place(folder: Path, root: Path) -> tuple[Path, str, str]:
    """Where the logs lie, what they are called in the project, and the folder that a name for them
    must stand for, if they lie elsewhere.

    Raises:
        Error: there is nothing, or the project lies in it.
    """
    if not folder.exists():
        raise Error(f"{folder}: there is no such folder")
    near, home = Path(os.path.abspath(folder)), Path(os.path.abspath(root))
    if near.is_relative_to(home):
        within = near.relative_to(home).as_posix()
        if within.split("/")[0] in roots.TAKEN:
            raise Error(f"{folder}: {_elsewhere(folder)}")
        return near, "" if within == "." else within, ""
    if home.is_relative_to(near):
        raise Error(f"{folder}: the project lies in it; name the folder of the logs")
    plain = roots.called(near.name)
    number, name = 1, plain
    while (there := root / name).is_symlink() or there.exists():
        if there.resolve() == near.resolve():
            break
        number += 1
        name = f"{plain}-{number}"
    return near, name, os.path.relpath(near, home)


def _elsewhere(folder: Path) -> str:
    """What to do with logs that lie where results are to lie."""
    there = os.path.join("..", folder)
    return (
        "heatproof writes its own files into results/. Make a folder for the figures, and call it "
        f"there: mkdir figures && cd figures && heatproof init {there}"
    )


def _passed_over(folder: Path) -> Iterator[Path]:
    """Folders of results in a project that is looked through, which heatproof has not made."""
    for name in roots.TAKEN:
        there = folder / name
        if there.is_dir() and not (there / "summary.json").exists() and any(there.iterdir()):
            yield Path(name)


def _names(text: str, name: str) -> bool:
    """Whether a config says already what a name stands for."""
    import yaml

    return name in ((yaml.safe_load(text) or {}).get(roots.SECTION) or {})


def _known(text: str, root: Path) -> tuple[set[str], list[Source]]:
    """Names that the config has, and its sources as far as they are sound."""
    import yaml

    from heatproof.start import trial

    raw = yaml.safe_load(text) or {}
    sources, figures = raw.get("sources") or {}, raw.get("figures") or {}
    found = []
    for name, entry in sources.items():
        try:
            found.append(trial.source(str(name), entry, root))
        except Error:
            continue  # the next run tells what is wrong with it
    return {*map(str, sources), *map(str, figures)}, found


def _unasked(question: str, options: Sequence[str]) -> None:
    """Nobody answers."""


def _asked(question: str, options: Sequence[str]) -> int | None:
    """The number of the answer; the first one where nothing is typed, none where input ends."""
    terminal.say(f"?         {question}")
    for number, option in enumerate(options, 1):
        terminal.say(f"          {number}  {option}")
    while True:
        terminal.say(f"          1 to {len(options)} [1]: ", end="")
        line = sys.stdin.readline()
        answer = line.strip()
        if not line:
            terminal.say("")
            return None
        if not answer:
            return 0
        if answer.isdigit() and 1 <= int(answer) <= len(options):
            return int(answer) - 1


COMMAND = Command(
    init,
    [
        ("folder", {"metavar": "FOLDER", "help": "where the logs lie; or a log"}),
        ("--add", {"action": "store_true", "help": "add to the config that is there"}),
        ("--force", {"action": "store_true", "help": "replace the config that is there"}),
        ("--dry-run", {"action": "store_true", "help": "print the config, write nothing"}),
    ],
)
