"""`snakemake --logger heatproof`: at a terminal, one line tells how far the run is.

Snakemake finds the plugin by the name of this module and imports it at every start, before it knows
the Snakefile: so nothing of heatproof is imported, or a workflow with its own library would get it.
"""

from __future__ import annotations

import logging
import shutil
import sys

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

CLEAR = "\r\x1b[K"


class LogHandler(LogHandlerBase):
    """Counts the jobs that are done and names the last one that began; warnings stand above."""

    writes_to_stream = True  # type: ignore[assignment]
    writes_to_file = has_formatter = needs_rulegraph = False  # type: ignore[assignment]
    has_filter = True  # type: ignore[assignment] # else what --quiet hides would not be counted

    def __post_init__(self) -> None:
        self._progress = self._job = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Take up an event, and write the line anew."""
        event, fields = getattr(record, "event", None), record.__dict__
        if event == LogEvent.RUN_INFO:
            self._progress = f"0 of {fields['stats']['total']} jobs done"
        elif event == LogEvent.JOB_INFO:
            wildcards = dict(fields["wildcards"] or {}).values()
            self._job = f" · now {fields['rule_name'].partition('_')[0]} {'/'.join(wildcards)}"
        elif event == LogEvent.PROGRESS:
            done = fields["done"] == fields["total"]
            self._progress = "" if done else f"{fields['done']} of {fields['total']} jobs done"
        elif record.levelno >= logging.WARNING and event is None:
            sys.stderr.write(f"{CLEAR}{self.format(record)}\n")
        line = (self._progress and self._progress + self._job).rstrip()
        end = "\r" if line else ""
        sys.stderr.write(f"{CLEAR}{line[: shutil.get_terminal_size().columns - 1]}{end}")
        sys.stderr.flush()

    def close(self) -> None:
        """At the end nothing is left of the line."""
        if self._progress:
            sys.stderr.write(CLEAR)
        super().close()
