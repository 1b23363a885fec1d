"""The frame of every script of the workflow; a job that fails leaves the reason in its log file."""

from __future__ import annotations

import errno
import math
import os
import shutil
import traceback
from collections import defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof import formats, ledger
from heatproof.util import registry, terminal
from heatproof.util.errors import Error, in_order, with_file_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from heatproof.config.entries import Source
    from heatproof.util.hashed import Extent

FULL = "make room (a disk is full, or a quota used up) and run again; it continues from here"
LOGS = Path(".snakemake/heatproof/log")  # of the log files of jobs, `STAGE/NAME.log`
BEGUN = "begun"  # file beside them that is as old as the run


class Known(NamedTuple):
    """What a script tells of its job."""

    digests: dict[str, Extent]  # of inputs that it has read
    written: list[Path]  # outputs that the rule does not name


@contextmanager
def run(snakemake: Any) -> Iterator[Known]:
    """Do a job, then write its piece of the ledger; a failure goes to its log file, and exits."""
    # A job that no worker does, as on a cluster, has one core too: on a large node polars would
    # start as many threads as that has.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    path = Path(snakemake.log[0])
    known = Known({}, [])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        yield known
        if hasattr(snakemake.output, "piece"):
            ledger.write(snakemake, *known)
    except Error as error:
        why = in_order(error.mistakes)
    except Exception as error:  # noqa: BLE001 - the log must have any failure
        why = traceback.format_exc()
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
            why = f"{error}: {FULL}"
    else:
        return
    text = terminal.plain(with_file_names(why)) + "\n"
    terminal.say(f"\n{text}", error=True)
    with suppress(OSError):  # such as a full disk
        path.write_text(text)
    raise SystemExit(1)


def source(settings: Mapping[str, Any]) -> tuple[ModuleType, Source]:
    """The reader and the entry of a source, from the plain values of params and records."""
    reader = registry.find(formats, str(settings["format"]), "format", "log format")
    try:
        return reader, msgspec.convert(settings, reader.Entry)
    except msgspec.ValidationError as error:
        raise Error(f"no entry of a source, as this version reads them: {error}") from None


def forget() -> None:
    """Remove the log files of the run before."""
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    begin()


def begin() -> None:
    """Note that the run begins now: what is written to later is still being written."""
    (LOGS / BEGUN).touch()


def begun() -> float:
    """When the run began, in seconds of the file system; infinity if unknown."""
    try:
        return (LOGS / BEGUN).stat().st_mtime
    except OSError:
        return math.inf


def failures() -> dict[str, str]:
    """Job → why it failed."""
    reasons = {}
    for path in sorted(LOGS.rglob("*.log")):
        if why := path.read_text().rstrip("\n"):
            stage, *names = path.relative_to(LOGS).with_suffix("").parts
            reasons[f"{stage} {'/'.join(names)}".strip()] = why
    return reasons


def text() -> str:
    """All failures, each once, after the jobs that it stopped; empty if there are none."""
    jobs = defaultdict[str, list[str]](list)
    for name, why in failures().items():
        jobs[why].append(name)
    lines = []
    for why, names in jobs.items():
        # A message after the name of a job need not repeat it.
        short = why.removeprefix(f"{names[0].partition(' ')[2]}: ").replace("\n", "\n    ")
        lines.append(f"  {', '.join(names)}: {short}")
    return "\n".join(lines)
