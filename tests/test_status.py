"""The line that tells how far a run is."""

from __future__ import annotations

import logging
import os
import pty
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from heatproof.cli.main import main
from heatproof.cli.run import command
from heatproof.util.status import Status
from heatproof.util.terminal import CLEAR

if TYPE_CHECKING:
    from pathlib import Path

    from snakemake_logger_plugin_heatproof import LogHandler


class Clock:
    """Time that passes when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_line_tells_what_how_far_and_how_long() -> None:
    """Jobs by stage, the oldest at work, and the time that the rest takes at the pace so far."""
    clock = Clock()
    status = Status(clock)
    assert status.text(80) == ""
    status.plan({"normalize": 2, "aggregate": 2, "draw": 1, "draw_pdf": 1, "all": 1, "total": 7})
    for job, rule in enumerate(["normalize", "normalize", "aggregate", "aggregate", "draw"]):
        status.name(job, rule, "own/0" if rule == "normalize" else "mine")
    status.start(0)
    assert status.text(200) == (
        "0/2 shards read · 0/2 figures counted · 0/2 figures drawn · now normalize own/0"
    )
    for job in range(3):
        status.start(job)
        clock.now += 10
        status.end(job)
    status.start(3)
    # One cell and two figures and the last at 10 s each, of which none has passed.
    assert status.text(200) == (
        "2/2 shards read · 1/2 figures counted · 0/2 figures drawn · about 40 s left · "
        "now aggregate mine"
    )
    clock.now += 5
    assert "about 35 s left" in status.text(200)
    assert status.text(60).startswith("2/2 read · 1/2 counted · 0/2 drawn · about 35 s left")
    assert status.text(20) == "2/2 read · 1/2 coun…"


def handler() -> LogHandler:
    """As Snakemake makes it."""
    plugin = LoggerPluginRegistry().get_plugin("heatproof")
    return plugin.log_handler(SimpleNamespace(), None)


def tell(to: LogHandler, level: int = logging.INFO, text: str = "", **event: Any) -> None:
    """Hand over a record."""
    record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    record.__dict__.update(event)
    to.emit(record)


def test_snakemakes_events_make_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Found by its name; a warning stands above the line, chatter nowhere; at the end it is gone."""
    one = handler()
    tell(one, event=LogEvent.RUN_INFO, stats={"draw": 2, "total": 2})
    for job in (1, 2):
        tell(one, event=LogEvent.JOB_INFO, jobid=job, rule_name="draw", wildcards={"figure": "f"})
    tell(one, event=LogEvent.JOB_STARTED, jobs=[1, 2])
    tell(one, text="Building DAG of jobs...")
    tell(one, logging.WARNING, "a disk is slow")
    said = capsys.readouterr().err
    assert said.endswith(f"{CLEAR}0/2 figures drawn · now draw f\r")
    assert f"{CLEAR}a disk is slow\n" in said
    assert "Building" not in said
    tell(one, event=LogEvent.JOB_FINISHED, job_id=1)
    tell(one, event=LogEvent.JOB_ERROR, jobid=2)
    assert capsys.readouterr().err.endswith(CLEAR)
    one.close()


@pytest.mark.parametrize(
    ("rest", "shown"),
    [([], True), (["figures"], True), (["-n"], False), (["--quiet"], False), (["--logger", "rich"], False), (["--verbose"], False), (["--dry-run"], False)],
)  # fmt: skip
def test_only_a_terminal_has_the_line(rest: list[str], shown: bool) -> None:
    """And only where nobody asks Snakemake for other words."""
    assert ("heatproof" in command([], rest, terminal=True)) is shown
    assert "heatproof" not in command([], rest, terminal=False)


@pytest.mark.workflow
def test_a_run_at_a_terminal(copy_of_tiny: Any) -> None:
    """`heatproof run` tells how far it is, then what to open; of Snakemake's chatter nothing."""
    root = copy_of_tiny.root
    for path in (root / "results/figures").iterdir():
        path.unlink()
    said = b""

    def read(terminal: int) -> bytes:
        nonlocal said
        data = os.read(terminal, 1024)
        said += data
        return data

    words = [sys.executable, "-m", "heatproof", "run", "--project", str(root)]
    assert pty.spawn(words, read, lambda _: b"") == 0
    text = said.decode()
    assert "figures drawn" in text
    assert "Building DAG" not in text
    assert "results/index.html shows them" in text


@pytest.mark.parametrize(("term", "shown"), [("xterm-256color", True), ("dumb", False)])
def test_a_dumb_terminal_has_no_line_that_changes(
    term: str, shown: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It would fill up with all that the line has said."""
    (tmp_path / "config.yaml").write_text("sources: {}\n")
    called: list[list[str]] = []

    def execv(_: str, words: list[str]) -> None:
        called.append(words)
        raise SystemExit

    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("os.execv", execv)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["run"])
    assert ("--logger" in called[0]) is shown
