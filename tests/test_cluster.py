"""What jobs ask of Slurm and how it tells that they wait; with commands that print what is given."""

from __future__ import annotations

import logging
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from heatproof.cluster import asking, slurm

if TYPE_CHECKING:
    from pathlib import Path

LOG = "logs/normalize/0.log"


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Slurm whose commands print the files of their names; the folder of these."""
    (tmp_path / "bin").mkdir()
    for name in ("squeue", "sacct", "sinfo"):
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\ncat {tmp_path / name}\n")
        path.chmod(0o755)
        (tmp_path / name).write_text("")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def workflow(plugin: str = asking.PLUGIN, *, main: bool = True, partition: str = "") -> Any:
    """A workflow as Snakemake has it, sent by a plugin."""
    settings = type("Settings", (), {"__module__": plugin})()
    given = SimpleNamespace(raw=partition or None, value=None)
    return SimpleNamespace(
        executor_settings=settings,
        is_main_process=main,
        local_exec=not plugin,
        resource_settings=SimpleNamespace(cores=2),
        group_settings=SimpleNamespace(group_components={"tables": 8}),
        rules=[SimpleNamespace(resources={"slurm_partition": given})],
    )


def tried(monkeypatch: pytest.MonkeyPatch, said: Path, number: str, state: str) -> None:
    """A job begins in Slurm's job of a number, which ends."""
    monkeypatch.setenv("SLURM_JOB_ID", number)
    monkeypatch.setenv(slurm.JOB, "")  # so that it is put back as it was
    slurm.tell()
    slurm.begin(LOG)
    (said / "squeue").write_text(f"{state}\n")


ENDS = {
    "TIMEOUT": (40, 1000),
    "OUT_OF_MEMORY": (10, 2000),
    "CANCELLED": (10, 1000),
    "NODE_FAIL": (10, 1000),
    "FAILED": (10, 1000),
    "PREEMPTED": (10, 1000),
}


@pytest.mark.parametrize("state", ENDS)
def test_more_is_asked_only_of_what_ran_out(
    state: str, said: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Time after TIMEOUT, memory after OUT_OF_MEMORY, else the same again; the user is told."""
    those = asking.Asking(workflow())
    minutes, memory = those.minutes(LOG, 10), those.memory(LOG, 1000)
    assert (minutes({}, 1), memory({}, 1)) == (10, 1000)
    tried(monkeypatch, said, "7", state)
    assert (minutes({}, 2), memory({}, 2)) == ENDS[state]
    assert f"Slurm job 7 ended as {state}: {LOG} is done again " in capsys.readouterr().err
    assert (minutes({}, 2), memory({}, 2)) == ENDS[state]
    assert capsys.readouterr().err == ""


def test_each_try_counts_by_itself(said: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancelled, out of time, cancelled before it began, out of time: four times, then sixteen."""
    those = asking.Asking(workflow())
    minutes, memory = those.minutes(LOG, 10), those.memory(LOG, 1000)
    tried(monkeypatch, said, "7", "CANCELLED by 0")
    assert minutes({}, 2) == 10
    tried(monkeypatch, said, "8", "TIMEOUT")
    assert minutes({}, 3) == 40
    assert minutes({}, 4) == 40
    tried(monkeypatch, said, "10", "TIMEOUT")
    assert minutes({}, 5) == 160
    assert memory({}, 5) == 1000


@pytest.mark.parametrize(
    ("plugin", "main", "times"),
    [(asking.PLUGIN, True, 1), ("", True, 0), (asking.PLUGIN, False, 0)],
)
def test_before_the_first_job_is_sent_the_watch_begins(
    plugin: str, main: bool, times: int, said: Path
) -> None:
    """Once, in a module too, whose `onstart` nobody runs; not here, and not in the jobs."""
    begun: list[Path] = []
    those = asking.Asking(workflow(plugin, main=main), lambda: begun.append(said))
    for ask in (those.minutes(LOG, 10), those.memory(LOG, 1000), those.minutes("other", 10)):
        ask({}, 1)
    assert len(begun) == times


def test_accounting_is_asked_where_the_queue_has_forgotten(
    said: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Squeue knows ended jobs for MinJobAge seconds, sacct for ever."""
    tried(monkeypatch, said, "7", "")
    (said / "squeue").write_text("")
    (said / "sacct").write_text("OUT_OF_MEMORY\n")
    assert slurm.ended("7") == "OUT_OF_MEMORY"
    (said / "sacct").write_text("")
    assert slurm.ended("7") == ""


def test_what_another_run_noted_is_forgotten(said: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that never began is sent again as it was, whatever happened the day before."""
    tried(monkeypatch, said, "7", "TIMEOUT")
    slurm.forget()
    assert asking.Asking(workflow()).minutes(LOG, 10)({}, 2) == 10


def test_other_schedulers_do_not_tell(said: Path) -> None:
    """There each try asks for more of both."""
    assert said
    those = asking.Asking(workflow("snakemake_executor_plugin_cluster_generic"))
    assert [those.minutes(LOG, 10)({}, n) for n in (1, 2, 3)] == [10, 40, 160]
    assert [those.memory(LOG, 500)({}, n) for n in (1, 2, 3)] == [500, 1000, 2000]


def test_a_job_by_itself_asks_for_nothing_more(said: Path) -> None:
    """What it may have was settled when it was sent."""
    assert said
    assert asking.Asking(workflow(main=False)).minutes(LOG, 10)({}, 4) == 10


PARTITIONS = "main*|1:00:00|8000\nlong|infinite|8000\nlong|infinite|4000\nshort|4:30|8000+\n"
LIMITS = {
    ("", "figures"): (30, 4000),
    ("", "tables"): (15, 4000),
    ("long", "figures"): (2560, 4000),
    ("short", "tables"): (1, 4000),
    ("short,main", "figures"): (30, 4000),
    ("unheard", "figures"): (2560, 16000),
}


@pytest.mark.parametrize(("partition", "group"), LIMITS)
def test_no_more_is_asked_than_the_partition_gives(
    partition: str, group: str, said: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shared among the jobs of a group: their times add up, and the memory of those at once."""
    (said / "sinfo").write_text(PARTITIONS)
    found = []
    for state in ("TIMEOUT", "OUT_OF_MEMORY"):
        those = asking.Asking(workflow(partition=partition))
        minutes, memory = those.minutes(LOG, 10, group), those.memory(LOG, 1000)
        for number in range(4):
            tried(monkeypatch, said, f"{number}", state)
            asked = minutes({}, number + 2), memory({}, number + 2)
        found.append(asked[len(found)])
    assert tuple(found) == LIMITS[partition, group]


@pytest.mark.parametrize(
    ("time", "minutes"),
    [("infinite", None), ("n/a", None), ("30", 0), ("10:00", 10), ("1:00:00", 60), ("2-01:00:00", 2940)],
)  # fmt: skip
def test_times_as_slurm_writes_them(time: str, minutes: int | None) -> None:
    """In whole minutes, for so they are asked for."""
    assert slurm.minutes(time) == minutes


REASONS = {
    "PartitionTimeLimit": "it asks for 1:20:00, more than partition main gives to a job",
    "ReqNodeNotAvail, UnavailableNodes:n[1-3]": "down, drained or reserved",
    "AssocGrpCpuLimit": "a limit of your account or QOS is reached",
    "QOSMaxWallDurationPerJobLimit": "a limit of your account or QOS is reached",
    "BadConstraints": "no node has what it asks for",
    "JobHeldUser": "it is held (scontrol release 7)",
}


@pytest.mark.parametrize("reason", REASONS)
def test_a_job_that_does_not_start_by_itself_is_named(reason: str, said: Path) -> None:
    """With its number, its rule, Slurm's reason, what that means and what can be done."""
    (said / "squeue").write_text(f"7|{said}|{reason}|main|1:20:00|rule_tables\n")
    [line] = slurm.stuck(said)
    assert line.startswith(f"Slurm does not start job 7 (tables): {reason}: ")
    assert REASONS[reason] in line
    assert "`scancel 7` ends it" in line


@pytest.mark.parametrize("reason", ["Resources", "Priority", "None", "Dependency", "BeginTime"])
def test_a_job_that_waits_for_its_turn_is_not(reason: str, said: Path) -> None:
    """Nor one of another folder, whatever it waits for."""
    (said / "squeue").write_text(
        f"7|{said}|{reason}|main|10:00|rule_a\n8|/elsewhere|PartitionTimeLimit|main|9|(null)\n"
    )
    assert list(slurm.stuck(said)) == []


def test_what_the_plug_in_asked_in_vain_is_not_told() -> None:
    """Its three lines on a guess at an account, on clusters that want none."""
    heard: list[str] = []
    logger = logging.getLogger("heatproof.test")
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    slurm.hush(logger)
    logger.warning(
        "No account was given, not able to get a SLURM account via sacct: /usr/bin/sacct"
    )
    logger.warning("No SLURM account given, trying to guess.")
    logger.warning("Guessed SLURM account: lab")
    assert heard == ["Guessed SLURM account: lab"]
