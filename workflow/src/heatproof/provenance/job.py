"""What every script of the workflow does around its one call: tell, log, fail in plain words."""

from __future__ import annotations

import errno
import os
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.cluster import remote, tries
from heatproof.provenance import made, mistakes
from heatproof.util import terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EVERY = 5.0
"""Seconds between two lines of progress: none for short jobs, some sign of life for long ones."""
TELL = "HEATPROOF_TELL"
"""Environment variable: jobs tell what was refused. Of a module Snakemake takes the rules alone, so
nobody else would; a run of our own tells it last."""
FULL = "make room (a disk is full, or a quota used up) and run it again; it goes on from here"


@contextmanager
def log(path: str, outputs: Sequence[str] = ()) -> Iterator[None]:
    """Keep what goes wrong in the job's log file; a user's mistake is told without a traceback.

    When all went well, a receipt of the `outputs` is left, by which their content is known.

    Raises:
        SystemExit: with status 1, after any failure.
    """
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("")
        tries.begin(path)
        yield
        made.note([remote.named(path) for path in outputs], Path())
    except Error as error:
        why = str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the log must have it
        why = f"{error}: {FULL}" if is_full(error) else traceback.format_exc()
    else:
        return
    mistakes.tell(why, path)
    raise SystemExit(1)


def is_full(error: Exception) -> bool:
    """Whether there is no room left to write: then nothing else can be made either."""
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def tells() -> bool:
    """Whether this job tells what was refused: see `TELL`."""
    return TELL in os.environ


def entry(kind: Any, params: dict[str, Any]) -> Any:
    """A config entry as the typed struct of its kind; params carry it as plain values."""
    return msgspec.convert(params, kind)


class Progress:
    """A line now and then while many logs are read."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done, self.last = what, total, 0, time.monotonic()

    def __call__(self, item: str) -> None:
        now = time.monotonic()
        if now - self.last >= EVERY:
            told = f"{self.what}: {self.done} of {self.total}, at {terminal.name(item)}"
            terminal.say(told, error=True)
            self.last = now
        self.done += 1
