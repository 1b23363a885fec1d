"""How it is told what Slurm does with jobs; with commands that print what is given."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

import pytest

from heatproof import slurm
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("squeue", "sinfo", "scontrol", "sbatch")


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Slurm whose commands print the files of their names; the folder of these."""
    (tmp_path / "bin").mkdir()
    for name in COMMANDS:
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\ncat {tmp_path / name}\n")
        path.chmod(0o755)
        (tmp_path / name).write_text("")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(slurm, "EVERY", 3600.0)
    return tmp_path


DRAINED = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority"


@pytest.mark.parametrize("reason", ["PartitionTimeLimit", "ReqNodeNotAvail, Reserved", DRAINED])
def test_a_job_that_waits_has_the_reason_of_slurm(reason: str, said: Path) -> None:
    """Whole, whatever it is; jobs of other folders are none of ours."""
    (said / "squeue").write_text(f"7|{said}|{reason}\n8|/elsewhere|PartitionTimeLimit\n")
    assert slurm.waiting(said) == {"7": reason}


@pytest.fixture
def logger() -> logging.Logger:
    """What Snakemake tells."""
    logger = logging.getLogger("heatproof.failing")
    logger.propagate = False
    logger.handlers = [logging.NullHandler()]
    logger.filters.clear()
    return logger


def test_an_unknown_partition_is_refused_with_those_there_are(
    said: Path, logger: logging.Logger
) -> None:
    """Before the first job; where Slurm does not say what it has, it is left to Slurm."""
    (said / "sinfo").write_text("main\nlong\n")
    slurm.follow(said, logger, ["--default-resources", "slurm_partition=long,main"])
    with pytest.raises(Error, match="'mian'; there are main, long"):
        slurm.follow(said, logger, ["slurm_partition=mian"])
    (said / "sinfo").write_text("")
    slurm.follow(said, logger, ["slurm_partition=mian"])


def failed(logger: logging.Logger, **more: Any) -> None:
    """What Snakemake logs of a group of jobs that failed."""
    jobs = [{"log": [f".snakemake/heatproof/log/normalize/s/{n:04}.log"]} for n in range(3)]
    logger.error("Error in group 1", extra={"job_error_info": jobs, "aux_logs": [], **more})


def test_a_job_that_failed_is_told_in_a_line(
    logger: logging.Logger, said: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its state, its exit code, its log."""
    told = "JobId=7 JobName=x\n   JobState=FAILED ExitCode=1:0 Comment=a b\n"
    (said / "scontrol").write_text(told)
    slurm.follow(said, logger, [])
    failed(logger, external_jobid="7", aux_logs=["slurm_logs/7.log"])
    assert capsys.readouterr().err == (
        "heatproof: Slurm job 7 (normalize/s/0000 and 2 more) ended as FAILED, exit code 1:0; "
        "its log: slurm_logs/7.log\n"
    )


def test_a_job_that_slurm_does_not_take_is_told_with_its_reason(
    logger: logging.Logger, said: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In Slurm's words: Snakemake drops those of sbatch."""
    place = said / "bin" / "sbatch"
    place.write_text("#!/bin/sh\necho $* >&2; echo Invalid account >&2; exit 1\n")
    slurm.follow(said, logger, ["slurm_account=nobody"])
    failed(logger)
    told = capsys.readouterr().err
    assert "takes no job for normalize/s/0000 and 2 more: --test-only --account=nobody" in told
    assert "; Invalid account" in told
