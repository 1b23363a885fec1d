"""What logs, names and pictures hold steers neither terminals nor spreadsheets; how far a run is."""

import io
import json
import logging
import os
import pty
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from heatproof.cli import views
from heatproof.cli.main import main
from heatproof.cli.run import command
from heatproof.kinds import picture
from heatproof.kinds import trace as tracing
from heatproof.provenance.identify import Match
from heatproof.util import terminal
from heatproof.util.errors import Error
from heatproof.util.terminal import CLEAR

RED, TURNED, C1 = "\x1b[31mred", "a\u202eb", "\x9b31m"
HOSTILE = [RED, TURNED, C1, "\x07", "\r", "\u2066", "\u200b", "\udcff", "\u2028", "\ufffe"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_steers_a_terminal_is_spelled_out(text: str) -> None:
    """Control characters, those that turn the order, those without a shape, halves of others."""
    output = terminal.plain(f"x{text}y")
    assert output.isascii()
    assert output.isprintable()
    assert output.startswith("x")
    assert "\\" in output


def test_what_can_be_read_stays() -> None:
    """Letters of any script, signs, lines and tabs; a name has no lines."""
    for text in ("α × 5 — ٣ 模型 é\u00a0%", "one\ntwo\tthree"):
        assert terminal.plain(text) == text
    assert terminal.name("a\neverything is unchanged") == "a\\neverything is unchanged"


@pytest.mark.parametrize("coding", ["ascii", "latin-1", "utf-8"])
def test_no_terminal_stops_a_word(coding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its encoding lacks is spelled out."""
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, coding))
    terminal.say("模型 ×")
    assert raw.getvalue().decode(coding).endswith("\n")


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    output = capsys.readouterr()
    both = output.out + output.err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", both)
    return both


def test_errors_are_plain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An answer of a command that names what it was given."""
    (tmp_path / "config.yaml").write_text("sources: {}\nfigures: {}\n")
    assert main(["trace", RED, "--project", str(tmp_path)]) == 2
    assert "\\x1b[31mred" in printed(capsys)


def test_records_and_their_places_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a log by any name, with any bytes in it; lines of a record are no lines of the answer."""
    place = {"log": f"data/{RED}\nx", "member": "", "line": 1, "offset": 0, "record_bytes": 9}
    row = place | {"sample_id": TURNED, "epoch": 0, "scorer": C1, "value": 1.0}
    row["record"] = f"{RED}\ncounted anew: 1, as in the figure"
    part = tracing.RecordGroup("all", 1.0, 1, 1, [row])
    what = tracing.Behind({"model": RED}, "pass@1", 1.0, 1, 1, 1.0, True, [part])
    match = Match({"figure": "f", "reconstructed": False}, f"by the record in {RED}")
    terminal.say(views.cell_text(match, what))
    output = printed(capsys)
    assert len(re.findall(r"^counted anew", output, re.MULTILINE)) == 1
    assert "\\nx" in output
    terminal.say(json.dumps({"log": RED, "turned": TURNED, "c1": C1, "half": "\udcff"}))
    assert json.loads(printed(capsys))["turned"] == TURNED


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "＝1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_in_csv_are_texts(text: str) -> None:
    """A quote before what a spreadsheet would run; numbers stay numbers. Either spelling is known."""
    frame = pl.DataFrame({"model": [text, "plain", None], "value": [-1.5, 2.0, None]})
    read = pl.read_csv(picture.grid_csv(frame).encode())
    assert read["model"].to_list() == [f"'{text}", "plain", None]
    assert read["value"].to_list() == [-1.5, 2.0, None]
    for spelling in (text, f"'{text}"):
        assert tracing.pick("model", spelling, ["plain", text]) == text
    with pytest.raises(Error):
        tracing.pick("model", "'plain", ["plain", text])


class Events:
    """A run as Snakemake tells it; each call gives what is written then."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *, terminal: bool) -> None:
        self.capsys = capsys
        plugin = LoggerPluginRegistry().get_plugin("heatproof")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TERM", "xterm")
            patch.setattr("sys.stderr.isatty", lambda: terminal)
            self.handler = plugin.log_handler(SimpleNamespace(), None)

    def tell(self, level: int = logging.INFO, text: str = "", **event: Any) -> str:
        record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
        record.__dict__.update(event)
        self.handler.emit(record)
        return self.capsys.readouterr().err

    def job(self, number: int, rule: str, figure: str) -> str:
        wildcards = {"figure": figure}
        return self.tell(event=LogEvent.JOB_INFO, jobid=number, rule_name=rule, wildcards=wildcards)

    def done(self, number: int, done: int, total: int) -> str:
        words = self.tell(event=LogEvent.JOB_FINISHED, job_id=number)
        return words + self.tell(event=LogEvent.PROGRESS, done=done, total=total)


def test_snakemakes_events_make_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A warning stands above it, chatter nowhere; it names the job that has run longest, and ends."""
    run = Events(capsys, terminal=True)
    run.tell(event=LogEvent.RUN_INFO, stats={"draw_svg": 4, "all": 1, "total": 5})
    run.job(1, "draw_svg", "f")
    run.job(2, "draw_svg", "g")
    line = f"{CLEAR}0 of 5 jobs done · now draw f\r"
    assert run.tell(text="Building DAG of jobs...") == line
    assert run.tell(logging.WARNING, "a disk is slow") == f"{CLEAR}a disk is slow\n{line}"
    assert run.done(1, 1, 5).endswith(f"{CLEAR}1 of 5 jobs done · now draw g\r")
    run.job(3, "draw_svg", "h")
    run.done(3, 3, 5)
    assert run.tell() == f"{CLEAR}3 of 5 jobs done, about 0 s left · now draw g\r"
    assert run.done(2, 5, 5).splitlines()[-1].strip("\r") == CLEAR.strip("\r")
    run.handler.close()


def test_elsewhere_a_stage_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """When its last job is done; at the end the slowest job is told."""
    run = Events(capsys, terminal=False)
    run.tell(event=LogEvent.RUN_INFO, stats={"draw_svg": 1, "draw_pdf": 1, "all": 1, "total": 3})
    assert run.job(1, "draw_svg", "f") + run.job(2, "draw_pdf", "g") == ""
    assert run.done(1, 1, 3) == ""
    assert run.done(2, 2, 3) == "draw: 2 jobs done, 0 s since the start\n"
    run.job(3, "all", "")
    end = run.done(3, 3, 3)
    assert re.fullmatch(r"3 jobs in 0 s; the slowest was draw [fg] \(0 s\)\n", end)
    assert run.tell(text="Nothing to be done (all requested files are present).") == (
        "heatproof: nothing to do, all that was asked for is up to date\n"
    )


@pytest.mark.parametrize(
    ("rest", "visible"),
    [([], True), (["figures"], True), (["-n"], False), (["--logger", "rich"], False)],
)  # fmt: skip
def test_other_words_of_snakemake_are_asked_for(rest: list[str], visible: bool) -> None:
    """Where nobody asks for them, how far a run is has a line."""
    assert ("--logger=heatproof" in command([], rest)) is visible


@pytest.mark.workflow
def test_a_run_at_a_terminal(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`heatproof run` tells how far it is, then what to open; of Snakemake's chatter nothing.

    So does `heatproof verify`, and clears the line before the next.
    """
    monkeypatch.setenv("TERM", "xterm")
    (tiny.root / "results/index.html").unlink()
    output = []

    def read(terminal: int) -> bytes:
        output.append(os.read(terminal, 1024))
        return output[-1]

    def run_at_terminal(*words: str) -> str:
        output.clear()
        command = [sys.executable, "-m", "heatproof", *words, "--project", str(tiny.root)]
        assert pty.spawn(command, read, lambda _: b"") == 0
        return b"".join(output).decode()

    text = run_at_terminal("run")
    assert re.search(r"jobs done.* · now (gallery|values)", text)
    assert "Building DAG" not in text
    assert "results/index.html shows them" in text
    text = run_at_terminal("verify")
    assert re.search(r"building anew from the raw logs: \d of \d+ jobs done", text)
    assert re.search(rf"\r{re.escape(CLEAR)}\rcounted +\d+ cells", text)


def test_off_a_terminal_nothing_tells_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Files and pipes have the answer alone."""
    terminal.show_progress("1 of 5 jobs done")
    assert capsys.readouterr() == ("", "")
