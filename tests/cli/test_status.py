"""The line that tells how far a run is."""

from __future__ import annotations

import logging
import os
import pty
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from heatproof.cli.run import command
from heatproof.util.terminal import CLEAR


def test_snakemakes_events_make_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Found by its name; a warning stands above the line, chatter nowhere; at the end it is gone."""
    handler = LoggerPluginRegistry().get_plugin("heatproof").log_handler(SimpleNamespace(), None)

    def tell(level: int = logging.INFO, text: str = "", **event: Any) -> str:
        record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
        record.__dict__.update(event)
        handler.emit(record)
        return capsys.readouterr().err

    tell(event=LogEvent.RUN_INFO, stats={"draw": 2, "total": 2})
    tell(event=LogEvent.JOB_INFO, jobid=1, rule_name="draw_svg", wildcards={"figure": "f"})
    line = f"{CLEAR}0 of 2 jobs done · now draw f\r"
    assert tell(text="Building DAG of jobs...") == line
    assert tell(logging.WARNING, "a disk is slow") == f"{CLEAR}a disk is slow\n{line}"
    assert "1 of 2 jobs done" in tell(event=LogEvent.PROGRESS, done=1, total=2)
    assert tell(event=LogEvent.PROGRESS, done=2, total=2) == CLEAR
    handler.close()


@pytest.mark.parametrize(
    ("rest", "visible"),
    [([], True), (["figures"], True), (["-n"], False), (["--quiet"], False), (["--logger", "rich"], False), (["--verbose"], False), (["--dry-run"], False)],
)  # fmt: skip
def test_only_a_terminal_has_the_line(rest: list[str], visible: bool) -> None:
    """And only where nobody asks Snakemake for other words."""
    assert ("heatproof" in command([], rest, terminal=True)) is visible
    assert "heatproof" not in command([], rest, terminal=False)


@pytest.mark.workflow
def test_a_run_at_a_terminal(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`heatproof run` tells how far it is, then what to open; of Snakemake's chatter nothing."""
    monkeypatch.setenv("TERM", "xterm")
    (tiny.root / "results/index.html").unlink()
    output = []

    def read(terminal: int) -> bytes:
        output.append(os.read(terminal, 1024))
        return output[-1]

    words = [sys.executable, "-m", "heatproof", "run", "--project", str(tiny.root)]
    assert pty.spawn(words, read, lambda _: b"") == 0
    text = b"".join(output).decode()
    assert "jobs done · now gallery" in text
    assert "Building DAG" not in text
    assert "results/index.html shows them" in text
