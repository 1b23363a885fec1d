"""What every script of the workflow does around its one call: log, tell, fail in plain words.

What went wrong in the jobs of a run is told once each, and again together at its end. A job that
fails leaves what is wrong in its log file. Of one mistake in the logs of a source many figures may
fail: then only the first job tells it, and the others name that one.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import time
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import formats
from heatproof.util import registry, terminal
from heatproof.util.errors import Error, in_order, with_file_names
from heatproof.util.status import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from heatproof.config.entries import Source

EVERY = 5.0
"""Seconds between two lines of progress: none for short jobs, some sign of life for long ones."""
FULL = "make room (a disk is full, or a quota used up) and run it again; it goes on from here"
LOGS = Path(".snakemake/heatproof/log")
"""Folder of the log files of jobs, `STAGE/NAME.log`: no results, each run has others."""
BEGUN = "begun"
"""File beside them that is as old as the run. Without it, as in a module of which Snakemake leaves
the start out, logs may be of earlier runs."""
SAME = "the same as told by "


@contextmanager
def log(path: str) -> Iterator[None]:
    """Keep what goes wrong in the job's log file; a user's mistake is told without a traceback.

    Raises:
        SystemExit: with status 1, after any failure.
    """
    # A job has one core: on a large node polars would start as many threads as that has.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("")
        yield
    except Error as error:
        why = in_order(error.mistakes)
    except Exception as error:  # noqa: BLE001 - whatever it is, the log must have it
        full = isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
        why = f"{error}: {FULL}" if full else traceback.format_exc()
    else:
        return
    tell(why, path)
    raise SystemExit(1)


def source(settings: Mapping[str, Any]) -> tuple[ModuleType, Source]:
    """The format and the entry of a source, which params carry as plain values."""
    reader = registry.find(formats, settings["format"], "format", "log format")
    return reader, msgspec.convert(settings, reader.Entry)


def tell(why: str, path: str) -> None:
    """Say what went wrong, here and in the job's log file."""
    text = terminal.plain(with_file_names(why)) + "\n"
    others = failed() if (LOGS / BEGUN).exists() else []
    if before := next((other for other in others if other.read_text() == text), None):
        text = f"{SAME}{name(before)}\n"
    terminal.say(f"\n{text}", error=True)
    with suppress(OSError):  # where nothing can be written, those who look on must do
        Path(path).write_text(text)  # Snakemake shows it


def failed() -> list[Path]:
    """The log files of jobs that failed."""
    return sorted(path for path in LOGS.rglob("*.log") if path.stat().st_size)


def name(path: Path) -> str:
    """What a job is called: `draw tiny-kv`, `normalize tiny-kv/0003`."""
    stage, *names = path.relative_to(LOGS).with_suffix("").parts
    return f"{stage} {'/'.join(names)}".strip()


def forget() -> None:
    """At the start of a run: what was wrong in earlier ones is over."""
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    (LOGS / BEGUN).touch()


def begun() -> float:
    """When the run began, in seconds of the file system; infinity where that is not known."""
    try:
        return (LOGS / BEGUN).stat().st_mtime
    except OSError:
        return math.inf


def text() -> str:
    """All that went wrong, each once, after the jobs that it stopped; empty if none."""
    words = {name(path): path.read_text().rstrip("\n") for path in failed()}
    jobs: dict[str, list[str]] = {}
    for job, why in words.items():
        first = why.removeprefix(SAME) if why.startswith(SAME) else ""
        jobs.setdefault(words.get(first, why), []).append(job)
    lines = []
    for why, names in jobs.items():
        # What stands after the name of a job need not repeat it.
        short = why.removeprefix(f"{names[0].partition(' ')[2]}: ").replace("\n", "\n    ")
        lines.append(f"  {', '.join(names)}: {short}")
    return "\n".join(lines)


class Progress:
    """A line now and then while many logs are read."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.begun = self.last = time.monotonic()

    def __call__(self, item: str) -> None:
        now = time.monotonic()
        if now - self.last >= EVERY:
            line = f"{self.what}: {self.done:,} of {self.total:,}"
            if self.done:
                left = (now - self.begun) / self.done * (self.total - self.done)
                line += f", about {duration(left)} left"
            terminal.say(f"{line}, at {terminal.name(item)}", error=True)
            self.last = now
        self.done += 1
