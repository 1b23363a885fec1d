"""The gate to Snakemake: what it would stumble over is refused before it, and its stops explained.

It takes braces and <words> in paths for wildcards, calls names periodic that repeat themselves,
makes no file from one that is dated later, and says nothing of its own errors where it is to be
`--quiet`.
"""

from __future__ import annotations

import atexit
import re
import time
from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from heatproof import ledger
from heatproof.util import terminal
from heatproof.util.errors import Mistake
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from logging import LogRecord
    from pathlib import Path

    from heatproof.plan import Plan

WILDCARD = re.compile(r"\{\s*[\w.]+\s*(,[^}]*)?\}|<[a-z][a-z0-9_]*>")  # also `pathvars`
PATIENCE = 60.0  # seconds ahead of now that a file may be dated: a run waits so long
SKEW = (
    "a log is dated later than what was made of it: the clocks of two machines differ, or it is "
    "still being written; run again, and if that does not help, set the clock or `touch` the log"
)
STOPS = {
    "LockException": "another run works in this folder, or one was killed: wait for it, or remove "
    "its lock by `snakemake --unlock` (`heatproof run --unlock`)",
    "MissingRuleException": "there is nothing of this name to make; there are files such as "
    "results/figures/FIGURE.svg, and the words tables, grids and figures",
}
"""Error of Snakemake → what it means here."""


def files_of_user(plan: Plan) -> Iterator[tuple[str, str]]:
    """Key of the config, and a file of the user that a job reads which is to be done."""
    for job in ledger.missing_jobs(plan.jobs, plan.root):
        rule, _, name = job.partition(" ")
        key, paths = f"sources.{name.partition('/')[0]}.logs", list[str]()
        if rule == "normalize":
            paths = plan.inputs_of(name)
        elif rule == "compare_printed":
            paths = plan.printed_in(name)
        elif rule == "draw":
            key, paths = f"figures.{name}.font", plan.font_files(name)
        for path in paths:
            yield key, path


def unfit_files(plan: Plan) -> list[Mistake]:
    """Files with names that Snakemake would change, and files from a later time."""
    mistakes, now = [], time.time()
    later = defaultdict[str, list[str]](list)
    for place, path in files_of_user(plan):
        if wildcard := WILDCARD.search(path):
            why = f"{path!r}: Snakemake takes {wildcard[0]} for a wildcard; "
            why += "rename the file or folder"
            mistakes.append(Mistake(place, why))
        elif seconds_ahead(plan.root / path, now) > PATIENCE:
            later[place].append(path)
    for place, paths in later.items():
        time_of_first = datetime.fromtimestamp((plan.root / paths[0]).stat().st_mtime).astimezone()
        more = f" and {numbered(len(paths) - 1, 'more file')}" if paths[1:] else ""
        why = f"{paths[0]!r}{more}: dated {time_of_first:%Y-%m-%d %H:%M:%S}, which is yet to come, "
        why += "so that nothing made of it would be newer; set the clock, or `touch` it"
        mistakes.append(Mistake(place, why))
    return list(dict.fromkeys(mistakes))


def seconds_ahead(path: Path, now: float) -> float:
    """By how much a file is newer than `now`; 0 if it is not there."""
    try:
        return max(path.stat().st_mtime - now, 0.0)
    except OSError:
        return 0.0


def wait_for_clock(plan: Plan, now: float) -> None:
    """Wait until no file is from a later time than `now`, by the clock of the file system."""
    ahead = [(seconds_ahead(plan.root / path, now), path) for _, path in files_of_user(plan)]
    seconds, path = max(ahead, default=(0.0, ""))
    if 0 < seconds <= PATIENCE:
        words = f"{terminal.name(path)} is dated {seconds:.0f} s from now: waiting for that time"
        terminal.say(f"heatproof: {words}", error=True)
        time.sleep(seconds + 1.0)


class LastWord:
    """At the end of a call: why Snakemake stopped, where nobody else has said so."""

    def __init__(self) -> None:
        self.said = False
        self._errors: list[tuple[str, str]] = []
        atexit.register(self.say)

    def note(self, record: LogRecord) -> bool:
        """Note an error of Snakemake's log, whether it is shown or not."""
        kind: Any = getattr(record, "exception", None)
        if kind:
            self._errors.append((kind, record.getMessage()))
        return True

    def say(self) -> None:
        if self.said or not self._errors:
            return
        kind, message = self._errors[-1]
        why = SKEW if "older modification time" in message else STOPS.get(kind, message.strip())
        terminal.say(f"\nheatproof: Snakemake stopped before all was made: {why}", error=True)
