"""Jobs of a killed run: found, ended, and told that their run is over; with a queue made of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from heatproof.cluster import slurm as slurm_
from heatproof.provenance import receipts
from heatproof.util.errors import Error

MINE = "0f0e8d1c-9e14-45e0-8fbd-2429292960cc"
SQUEUE = """#!/bin/sh
cat {queue}
"""
SCANCEL = """#!/bin/sh
echo "$@" >{told}
{then} {queue}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which jobs were sent, and a Slurm whose queue is a file."""
    (tmp_path / slurm_.USED).mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    slurm(tmp_path, "truncate -s 0")
    return tmp_path


def slurm(project: Path, then: str) -> None:
    """The two commands; `then`: what becomes of the queue when jobs are cancelled."""
    texts = {"squeue": SQUEUE, "scancel": SCANCEL}
    for name, text in texts.items():
        path = project / "bin" / name
        path.write_text(text.format(queue=project / "queue", told=project / "cancelled", then=then))
        path.chmod(0o755)


def queue(project: Path, *jobs: tuple[str, str, Path]) -> None:
    """Number, name and folder of each job."""
    (project / "queue").write_text("".join(f"{n}|{name}|{at}\n" for n, name, at in jobs))


def test_only_what_snakemake_sent_from_here_is_cancelled(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other folders' jobs, and the user's own in this folder, are left alone."""
    queue(
        project,
        ("7", MINE, project),
        ("8", f"prefix_{MINE}", project),
        ("9", MINE, project / "other"),
        ("10", "interactive", project),
    )
    slurm_.end(project)
    assert (project / "cancelled").read_text() == "7 8\n"
    assert "jobs left by a run that was killed are cancelled: 7, 8" in capsys.readouterr().err


def test_nothing_left_nothing_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty queue is not spoken of."""
    queue(project)
    slurm_.end(project)
    assert capsys.readouterr().err == ""


def test_slurm_is_not_asked_where_it_was_not_used(tmp_path: Path) -> None:
    """A folder from which nothing was sent, or a machine without Slurm: nothing to end."""
    slurm_.end(tmp_path)
    assert not (tmp_path / ".snakemake").exists()


def test_jobs_that_do_not_end_stop_the_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Better no run than two writers of different minds."""
    slurm(project, "true")
    monkeypatch.setattr(slurm_, "PATIENCE", 0.1)
    queue(project, ("7", MINE, project))
    with pytest.raises(Error, match=r"Slurm does not end jobs of an earlier run \(7\)"):
        slurm_.end(project)


def test_a_job_of_a_run_that_is_over_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may wait in any queue that passes the environment on, until long after its run."""
    monkeypatch.setenv(receipts.SENDER, "")
    receipts.require_current(tmp_path)
    receipts.hold(tmp_path)
    receipts.sign()
    receipts.require_current(tmp_path)
    (tmp_path / receipts.HOLDER).write_text("another host 1 2")
    with pytest.raises(Error, match="this job was sent by a run that is over"):
        receipts.require_current(tmp_path)
    monkeypatch.setenv(receipts.SENDER, "")
    receipts.require_current(tmp_path)
