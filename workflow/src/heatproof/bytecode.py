"""Bytecode of the library, known by content.

Python takes bytecode for good when time and size of its source are the same: an edit that keeps
both is seen by our digests, and then the old code would run. Bytecode that names the digest of its
source is checked by it (PEP 552). A job need not compile then, even where Python is told to write
none.
"""

from __future__ import annotations

import importlib.util
import os
import py_compile
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = importlib.util.MAGIC_NUMBER + (0b11).to_bytes(4, "little")
"""Of this Python, and checked by the digest of the source."""
CHECKED = py_compile.PycInvalidationMode.CHECKED_HASH
PRIVATE = "HEATPROOF_BYTECODE"
"""Environment variable: the folder of a cache that only those processes know that made it."""


def renew(folder: Path) -> None:
    """Remove what does not fit its source, and compile beside this process what is lacking.

    From now on neither this process nor the jobs it starts write bytecode: theirs would be known by
    times. A private cache (`private`) is left to Python.
    """
    if is_private():
        return
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if old := lacking(folder):
        for path in old:
            with suppress(OSError):
                _kept(path).unlink()
        subprocess.Popen([sys.executable, __file__, str(folder)])  # noqa: S603 - ourselves


def lacking(folder: Path) -> list[Path]:
    """The modules in a folder whose bytecode is not there, or not known to be of its source."""
    return [path for path in sorted(folder.rglob("*.py")) if not _fits(_kept(path), path)]


def write(folder: Path) -> None:
    """Compile what is lacking. What cannot be, or not be written, is left to who imports it."""
    for path in lacking(folder):
        with suppress(OSError, py_compile.PyCompileError):
            py_compile.compile(str(path), doraise=True, invalidation_mode=CHECKED)


def is_private() -> bool:
    """Whether this process knows no bytecode but what it, or one that it works with, has made."""
    return sys.pycache_prefix is not None and os.environ.get(PRIVATE) == sys.pycache_prefix


@contextmanager
def private() -> Iterator[dict[str, str]]:
    """The environment of processes that start without any bytecode, whoever made it.

    The digest in the head of bytecode is that of its source: what comes after is believed.
    """
    if is_private():
        yield {**os.environ, "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix)}
        return
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        kept = {key: word for key, word in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        yield {**kept, "PYTHONPYCACHEPREFIX": name, PRIVATE: name}


def again() -> int:
    """Run the command of this process once more, without bytecode: its exit status."""
    with private() as surroundings:
        prefix = f"pycache_prefix={surroundings[PRIVATE]}"
        command = [sys.executable, "-X", prefix, *sys.orig_argv[1:]]
        try:
            return subprocess.run(command, env=surroundings, check=False).returncode  # noqa: S603
        except KeyboardInterrupt:
            return 130  # as a shell says it; the other was interrupted too


def _kept(path: Path) -> Path:
    return Path(importlib.util.cache_from_source(str(path)))


def _fits(kept: Path, path: Path) -> bool:
    wanted = HEADER + importlib.util.source_hash(path.read_bytes())
    with suppress(OSError), kept.open("rb") as file:
        return file.read(len(wanted)) == wanted
    return False


if __name__ == "__main__":
    write(Path(sys.argv[1]))
