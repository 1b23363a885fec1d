"""`snakemake --logger heatproof`: how far a run is; a line at a terminal, elsewhere one a stage.

Snakemake finds the plugin by the name of this module and imports it at every start, before it knows
the Snakefile: so nothing of heatproof is imported, or a workflow with its own library would get it.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import time
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

CLEAR = "\r\x1b[K"
JUDGED = 3  # jobs that must be done before the time that is left is told
MINUTE = 60
TARGET = "all"  # the rule that only gathers what the others make


def stage_name(rule: str) -> str:
    """What a rule is called here: all `draw_…` draw."""
    return rule.partition("_")[0]


def span_words(seconds: float) -> str:
    """A time as people say it."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE:.0f} min"


class LogHandler(LogHandlerBase):
    """Counts the jobs that are done, by stage and in all, and knows since when others run."""

    writes_to_stream = True  # type: ignore[assignment]
    writes_to_file = has_formatter = needs_rulegraph = False  # type: ignore[assignment]
    has_filter = True  # type: ignore[assignment] # else what --quiet hides would not be counted

    def __post_init__(self) -> None:
        self._at_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._start = time.monotonic()
        self._total = self._done = 0
        self._counts: dict[str, int] = {}  # stage → its jobs
        self._waiting: dict[str, int] = {}  # stage → its jobs that are not done
        self._running: dict[int, tuple[str, str, float]] = {}  # job → stage, name, begin
        self._slowest = (0.0, "")

    def emit(self, record: logging.LogRecord) -> None:
        """Take up an event, and tell what is new."""
        event, fields = getattr(record, "event", None), record.__dict__
        if event is None:
            self._tell_message(record)
        elif event == LogEvent.RUN_INFO:
            self._plan(fields["stats"])
        elif event == LogEvent.JOB_INFO:
            self._begin(fields)
        elif event == LogEvent.JOB_FINISHED:
            self._finish(fields["job_id"])
        elif event == LogEvent.PROGRESS:
            self._done = fields["done"]
            if self._done == self._total:
                self._tell_end()
        if self._at_terminal:
            line = self._progress_line()[: shutil.get_terminal_size().columns - 1]
            self._write(f"{line}\r" if line else "")

    def _write(self, text: str) -> None:
        start = CLEAR if self._at_terminal else ""
        sys.stderr.write(f"{start}{text}")
        sys.stderr.flush()

    def _tell_message(self, record: logging.LogRecord) -> None:
        words = self.format(record)
        if words.startswith("Nothing to be done"):
            self._write("heatproof: nothing to do, all that was asked for is up to date\n")
        elif record.levelno >= logging.WARNING:
            self._write(f"{words}\n")

    def _plan(self, stats: dict[str, int]) -> None:
        self._total = stats["total"]
        for rule, count in stats.items():
            stage = stage_name(rule)
            self._counts[stage] = self._counts.get(stage, 0) + count
        self._waiting = dict(self._counts)

    def _begin(self, fields: dict[str, Any]) -> None:
        stage = stage_name(fields["rule_name"])
        wildcards = dict(fields["wildcards"] or {}).values()
        name = f"{stage} {'/'.join(wildcards)}".rstrip()
        self._running[fields["jobid"]] = (stage, name, time.monotonic())

    def _finish(self, number: int) -> None:
        stage, name, begin = self._running.pop(number, ("", "", 0.0))
        if stage in ("", TARGET):
            return
        self._slowest = max(self._slowest, (time.monotonic() - begin, name))
        self._waiting[stage] -= 1
        if self._waiting[stage] == 0 and not self._at_terminal:
            count = self._counts[stage]
            jobs = "1 job" if count == 1 else f"{count} jobs"
            self._write(f"{stage}: {jobs} done, {span_words(self._elapsed())} since the start\n")

    def _elapsed(self) -> float:
        return time.monotonic() - self._start

    def _progress_line(self) -> str:
        """How far the run is, how long it will take, and the job that has run longest."""
        if self._done == self._total:
            return ""
        line = f"{self._done} of {self._total} jobs done"
        if self._done >= JUDGED:
            left = self._elapsed() / self._done * (self._total - self._done)
            line += f", about {span_words(left)} left"
        for _, name, _ in self._running.values():
            return f"{line} · now {name}"
        return line

    def _tell_end(self) -> None:
        seconds, name = self._slowest
        if name and self._done > 1:
            slowest = f"the slowest was {name} ({span_words(seconds)})"
            self._write(f"{self._done} jobs in {span_words(self._elapsed())}; {slowest}\n")

    def close(self) -> None:
        """At the end nothing is left of the line."""
        if self._at_terminal:
            self._write("")
        super().close()
