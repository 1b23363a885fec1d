"""The command that writes the first config for a folder of logs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.cli.main import JSON, Command
from heatproof.config import syntax
from heatproof.util import terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from heatproof.config.entries import Source


def init(args: argparse.Namespace) -> int:
    """Look through a folder of logs, and write a config.yaml whose figures fit them.

    It looks into the files of FOLDER, not only at their names: formats, models, tasks, settings,
    scores and their scale, repetitions. Each reading is tried as a run would read it. If only you
    can say what a number means, it asks at a terminal; elsewhere it writes the readings as
    comments, and the last lines say what to decide. It changes no existing config without --add or
    --force. The exit status is 1 if nothing can be drawn yet.
    """
    from heatproof.config import schema
    from heatproof.init import folder as folders
    from heatproof.init import text

    root = Path(args.project) if args.project else Path.cwd()
    config = Path(args.configfile[0]) if args.configfile else root / syntax.USUAL
    folder, subfolder = _place(Path(args.folder), root)
    _require_free(config, args)
    before = config.read_text(encoding="utf-8") if args.add else ""
    is_asked = sys.stdin.isatty() and not (args.dry_run or args.json)
    ask = _asked if is_asked else lambda *_: None
    configured = _configured(before, root)
    start = folders.Start(folder, subfolder, root, ask, *configured, args.score, sure=args.yes)
    content = ""
    if start.sources or start.open:
        content = text.added(before, start, config.name) if args.add else text.new(start)
    writes = bool(content) and not args.dry_run
    if writes:
        config.write_text(content, encoding="utf-8")
        if text.SCHEMA in content:
            config.with_name(text.SCHEMA).write_text(schema.text(), encoding="utf-8")
    if args.json:
        written = str(config) if writes else None
        terminal.say_json(text.facts(start) | {"config": written, "text": content})
    elif not content:
        terminal.say(text.screen(start))
    elif args.dry_run:
        terminal.say(content, end="")
    else:
        terminal.say(text.written(start, config.name, is_added=args.add))
    if not content:
        terminal.say(text.skeleton(start), error=True)
    return int(not (start.sources or (content and args.dry_run)))


def _require_free(config: Path, args: argparse.Namespace) -> None:
    """Raises Error: what is asked does not go together, or with the config that there is."""
    if args.add + args.force + args.dry_run > 1:
        raise Error("--add, --force and --dry-run exclude each other: choose one")
    if args.add and not config.exists():
        raise Error(f"--add: there is no {config}")
    if config.exists() and not (args.add or args.force or args.dry_run):
        ways = "--add adds to it, --force replaces it, --dry-run prints only"
        raise Error(f"{config} exists: {ways}")
    if args.add:
        syntax.require_sound(config, config.name)


def _place(folder: Path, root: Path) -> tuple[Path, str]:
    """The folder of the logs, and its path from the project. Raises Error: it does not fit."""
    if not folder.exists():
        raise Error(f"{folder}: no such folder")
    path = Path(os.path.abspath(folder))
    home = Path(os.path.abspath(root))
    subfolder = Path(os.path.relpath(path, home)).as_posix()
    if subfolder.split("/")[0] == "results":
        raise Error(
            "heatproof writes its own files into results/. Make a folder for the figures, and call "
            f"it there: mkdir figures && cd figures && heatproof init {os.path.join('..', folder)}"
        )
    if home.is_relative_to(path) and home != path:
        raise Error(f"{folder}: this folder holds the project; name the folder of the logs")
    return path, "" if subfolder == "." else subfolder


def _configured(text: str, root: Path) -> tuple[set[str], list[Source]]:
    import yaml

    from heatproof.config import configuration

    raw = yaml.safe_load(text) or {}
    sources = raw.get("sources") or {}
    figures = raw.get("figures") or {}
    config, _ = configuration.examined({"sources": sources}, root)  # the next run tells mistakes
    names = set(map(str, sources)) | set(map(str, figures))
    return names, list(config.sources.values())


def _asked(question: str, options: Sequence[str]) -> int | None:
    """The number of the answer; an empty line is the first, the end of input none."""
    indent = "\n".ljust(11)
    terminal.say(f"?         {indent.join(question.splitlines())}")
    for number, option in enumerate(options, 1):
        terminal.say(f"          {number}  {option}")
    while True:
        terminal.say(f"          1 to {len(options)} [1]: ", end="")
        line = sys.stdin.readline()
        answer = line.strip() or "1"
        if not line:
            terminal.say("")
            return None
        if answer.isdigit() and 1 <= int(answer) <= len(options):
            return int(answer) - 1


COMMAND = Command(
    init,
    [
        ("folder", {"metavar": "FOLDER", "help": "the folder of the logs, or a log"}),
        (
            "--score",
            {
                "metavar": "PLACE",
                "action": "append",
                "default": [],
                "help": "a score's place in a record, for the logs that have it; may be repeated",
            },
        ),
        ("--yes", {"action": "store_true", "help": "draw doubtful readings, too"}),
        ("--add", {"action": "store_true", "help": "add to the existing config"}),
        ("--force", {"action": "store_true", "help": "replace the existing config"}),
        ("--dry-run", {"action": "store_true", "help": "print the config, write nothing"}),
        JSON,
    ],
)
