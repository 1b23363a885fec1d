"""What every script of the workflow does around its one call: tell, log, fail in plain words.

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

from heatproof.util import terminal
from heatproof.util.errors import Error, in_order, named
from heatproof.util.status import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


EVERY = 5.0
"""Seconds between two lines of progress: none for short jobs, some sign of life for long ones."""
TELL = "HEATPROOF_TELL"
"""Environment variable: jobs tell what was refused. Of a module Snakemake takes the rules alone, so
nobody else would; a run of our own tells it last."""
FULL = "make room (a disk is full, or a quota used up) and run it again; it goes on from here"


HOME = "HEATPROOF_HOME"
"""Environment variable: the folder of a module with a prefix, for what its jobs tell."""


class Files(list[str]):
    """Paths of a job's files, by number and by name, as Snakemake hands them on."""


@contextmanager
def at_home(snakemake: Any) -> Iterator[None]:
    """Do the work of a script in the folder of its project, with `log` around it.

    A module with a prefix has a folder of that name, and Snakemake names files from above it.
    """
    # A job has one core: on a large node polars would start as many threads as that has.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    home = snakemake.log[0].partition(LOGS.as_posix())[0]
    links = {
        os.path.normpath(os.path.join(home, os.readlink(link))): link.name
        for link in Path(home).iterdir()
        if link.is_symlink()
    }
    for side in ("input", "output", "log"):
        setattr(snakemake, side, _seen_from(home, links, getattr(snakemake, side)))
    if home:
        os.chdir(home)
        os.environ[HOME] = home
    with log(snakemake.log[0]):
        yield


def at(words: str, path: str) -> str:
    """Words that name a result, which is told as it is seen from where Snakemake runs."""
    return words.replace(path, os.environ.get(HOME, "") + path)


def _seen_from(home: str, links: Mapping[str, str], given: Any) -> Files:
    """Files of a job, as the project in the folder `home` calls them; `given`: as Snakemake does.

    `links`: where links of the project lead to → their names.
    """
    named = {path: _called(path, home, links) for path in given}
    files = Files(named.values())
    for name in given.keys():  # noqa: SIM118 - a list whose parts have names, and no mapping
        some = given.get(name)
        own = named[some] if isinstance(some, str) else _seen_from(home, links, some)
        setattr(files, name, own)
    return files


def _called(path: str, home: str, links: Mapping[str, str]) -> str:
    """A path below the project; where a link there leads to the file, it is named by that."""
    for end, name in links.items():
        if path.startswith(f"{end}/") or path == end:
            return name + path.removeprefix(end)
    return os.path.relpath(path, home or ".")


@contextmanager
def log(path: str) -> Iterator[None]:
    """Keep what goes wrong in the job's log file; a user's mistake is told without a traceback.

    Raises:
        SystemExit: with status 1, after any failure.
    """
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("")
        yield
    except Error as error:
        why = in_order(error.mistakes)
    except Exception as error:  # noqa: BLE001 - whatever it is, the log must have it
        why = f"{error}: {FULL}" if is_full(error) else traceback.format_exc()
    else:
        return
    tell(why, path)
    raise SystemExit(1)


def is_full(error: Exception) -> bool:
    """Whether there is no room left to write: then nothing else can be made either."""
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def tell_refusals(now: bool) -> None:
    """Let jobs tell what was refused, or not: see `TELL`."""
    os.environ.pop(TELL, None)
    if now:
        os.environ[TELL] = "1"


def tells() -> bool:
    """Whether this job tells what was refused: see `TELL`."""
    return TELL in os.environ


def entry(kind: Any, params: dict[str, Any]) -> Any:
    """A config entry as the typed struct of its kind; params carry it as plain values."""
    return msgspec.convert(params, kind)


class Progress:
    """A line now and then while many logs are read."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.begun = self.last = time.monotonic()

    def __call__(self, item: str) -> None:
        now = time.monotonic()
        if now - self.last >= EVERY:
            told = f"{self.what}: {self.done:,} of {self.total:,}"
            if self.done:
                left = (now - self.begun) / self.done * (self.total - self.done)
                told += f", about {duration(left)} left"
            terminal.say(f"{told}, at {terminal.name(item)}", error=True)
            self.last = now
        self.done += 1


LOGS = Path(".snakemake/heatproof/log")
"""Folder of the log files of jobs, `STAGE/NAME.log`: no results, each run has others."""
SAME = "the same as told by "
BEGUN = "begun"
"""File beside them that is as old as the run."""
FRESH = "HEATPROOF_FRESH_LOGS"
"""Environment variable: there are no logs of earlier runs. Without it, as in a module of which
Snakemake leaves the start out, each job tells all."""


def tell(why: str, log: str) -> None:
    """Say what went wrong, here and in the job's log file."""
    told = terminal.plain(named(why)) + "\n"
    others = found() if FRESH in os.environ else []
    before = next((path for path in others if path.read_text() == told), None)
    if before:
        told = f"{SAME}{name(before)}\n"
    terminal.say(f"\n{told}", error=True)
    with suppress(OSError):  # where nothing can be written, those who look on must do
        Path(log).write_text(told)  # Snakemake shows it


def found() -> list[Path]:
    """The log files of jobs that failed."""
    if not LOGS.is_dir():
        return []
    return sorted(path for path in LOGS.rglob("*.log") if path.stat().st_size)


def name(log: Path) -> str:
    """What a job is called: `draw tiny-kv`, `normalize tiny-kv/0003`."""
    stage, *names = log.relative_to(LOGS).with_suffix("").parts
    return f"{stage} {'/'.join(names)}".strip()


def forget() -> None:
    """At the start of a run: what was wrong in earlier ones is over."""
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    (LOGS / BEGUN).touch()
    os.environ[FRESH] = "1"


def begun() -> float:
    """When the run began, in seconds of the file system; infinity where that is not known."""
    try:
        return (LOGS / BEGUN).stat().st_mtime
    except OSError:
        return math.inf


def text() -> str:
    """All that went wrong, each once, after the jobs that it stopped; empty if none."""
    words = {name(path): path.read_text().rstrip("\n") for path in found()}
    jobs: dict[str, list[str]] = {}
    for job, why in words.items():
        first = why.removeprefix(SAME) if why.startswith(SAME) else ""
        jobs.setdefault(words.get(first, why), []).append(job)
    return "\n".join(
        f"  {', '.join(names)}: {_after(names[0], why)}" for why, names in jobs.items()
    )


def _after(job: str, why: str) -> str:
    """A reason as it stands after the name of a job, which it need not repeat."""
    return why.removeprefix(f"{job.partition(' ')[2]}: ").replace("\n", "\n    ")
