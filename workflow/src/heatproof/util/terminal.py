"""The one way to the terminal: texts of logs, files and pictures cannot steer it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from typing import TextIO

CLEAR = "\r\x1b[K"  # what makes a terminal forget the line that it is at
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode's categories of characters that have no shape of their own: they steer terminals, turn
the order of others around, hide, or are half of one."""


def plain(text: str) -> str:
    """Text with such characters spelled out; line ends and tabs stay."""
    return "\n".join(map(_plain_line, text.split("\n")))


def _plain_line(line: str) -> str:
    if line.isprintable():
        return line
    signs = []
    for sign in line:
        if sign != "\t" and unicodedata.category(sign) in UNSEEN:
            signs.append(sign.encode("unicode_escape").decode())
        else:
            signs.append(sign)
    return "".join(signs)


def name(text: object) -> str:
    """The same on one line: the name of a file, a model, a task."""
    return plain(str(text)).replace("\n", "\\n").replace("\t", "\\t")


def say_json(value: object) -> None:
    """Write a value to standard output as JSON, for programs: letters of ASCII alone."""
    say(json.dumps(msgspec.to_builtins(value), indent=1))


def say(text: str = "", *, error: bool = False, end: str = "\n") -> None:
    """Write text to standard output, or as an `error` to the other stream, at once."""
    stream: TextIO = sys.stderr if error else sys.stdout
    coding = stream.encoding or "utf-8"
    encoded = plain(text).encode(coding, "backslashreplace").decode(coding)
    if error and stream.isatty():  # the line of progress may stand there
        stream.write(CLEAR)
    stream.write(f"{encoded}{end}")
    stream.flush()


def show_progress(text: str = "") -> None:
    """Show at a terminal, on the line of before, how far something is; without text clear it."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return
    line = name(text)[: shutil.get_terminal_size().columns - 1]
    sys.stderr.write(f"{CLEAR}{line}\r")
    sys.stderr.flush()
