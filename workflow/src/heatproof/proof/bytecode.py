"""Processes that start without bytecode.

Python takes bytecode for good when its head fits the source: by time and size, or by a digest of
the source (PEP 552). What comes after the head is believed. So `verify` and what it builds use none
that lies there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PRIVATE = "HEATPROOF_BYTECODE"
"""Environment variable: the folder of a cache that only those processes know that made it."""


def is_private() -> bool:
    """Whether this process knows no bytecode but what it, or one that it works with, has made."""
    return sys.pycache_prefix is not None and os.environ.get(PRIVATE) == sys.pycache_prefix


@contextmanager
def private() -> Iterator[dict[str, str]]:
    """The environment of processes that start without any bytecode, whoever made it."""
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
