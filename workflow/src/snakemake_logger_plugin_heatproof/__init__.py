"""`snakemake --logger heatproof`: at a terminal, one line that tells how far the run is.

Warnings and mistakes stand above it. Snakemake finds the plugin by the name of this module, and
imports it at every start, before it knows the Snakefile: so it imports nothing heavy, and nothing
of heatproof until it is used, or a workflow with a library of its own would get this one.
"""

from __future__ import annotations

import logging
import shutil
import sys
from typing import TYPE_CHECKING, Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class LogHandler(LogHandlerBase):
    """Tells what Snakemake does."""

    def __post_init__(self) -> None:
        from heatproof.util.status import Status
        from heatproof.util.terminal import CLEAR

        self.status, self._clear = Status(), CLEAR
        self._on: Mapping[str, Callable[[Any], None]] = {
            LogEvent.RUN_INFO: lambda event: self.status.plan(event.stats),
            LogEvent.JOB_INFO: self._note_job,
            LogEvent.JOB_STARTED: lambda event: [self.status.start(job) for job in event.jobs],
            LogEvent.JOB_FINISHED: lambda event: self.status.end(event.job_id),
            # The job itself has said why.
            LogEvent.JOB_ERROR: lambda event: self.status.end(event.jobid),
        }

    def _note_job(self, event: Any) -> None:
        what = "/".join(map(str, dict(event.wildcards or {}).values()))
        self.status.name(event.jobid, event.rule_name, what)

    def emit(self, record: logging.LogRecord) -> None:
        """Take up an event, and write the line anew; other words above it if they are a warning."""
        event = getattr(record, "event", None)
        if event in self._on:
            self._on[str(event)](record)
        elif record.levelno >= logging.WARNING and event is None:
            self._write(f"{self._clear}{self.format(record)}\n")
        line = self.status.text(shutil.get_terminal_size().columns - 1)
        self._write(self._clear if self.status.done else f"{self._clear}{line}\r")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def close(self) -> None:
        """At the end nothing is left of the line."""
        if self.status.text(1):
            self._write(self._clear)
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        return True

    @property
    def writes_to_file(self) -> bool:
        return False

    @property
    def has_filter(self) -> bool:
        return True  # else what --quiet hides would not be counted

    @property
    def has_formatter(self) -> bool:
        return False

    @property
    def needs_rulegraph(self) -> bool:
        return False
