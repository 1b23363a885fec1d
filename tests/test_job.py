"""What scripts say when they fail: a user's mistake and a full disk plainly, all else whole."""

import errno
import os
from pathlib import Path

import pytest

from heatproof.provenance import job
from heatproof.util.errors import Error


def failing(error: Exception) -> str:
    """What stands in a job's log file after an error."""
    with pytest.raises(SystemExit) as ended, job.log("logs/one.log"):
        raise error
    assert ended.value.code == 1
    return Path("logs/one.log").read_text()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_job_that_ends_well_leaves_an_empty_log() -> None:
    with job.log("logs/one.log"):
        pass
    assert Path("logs/one.log").read_text() == ""


def test_a_users_mistake_is_told_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    said = failing(Error("config.yaml: that is wrong"))
    assert said == "config.yaml: that is wrong\n"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_in_plain_words(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    said = failing(OSError(number, os.strerror(number), "results/x.parquet"))
    assert "results/x.parquet" in said
    assert "make room" in said
    assert "Traceback" not in said
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("error", [ValueError("odd"), OSError(errno.EIO, "bad disk")])
def test_what_nobody_expects_has_its_traceback(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    said = failing(error)
    assert said.startswith("Traceback")
    assert str(error) in said
    assert said in capsys.readouterr().err


def test_where_the_log_cannot_be_written_it_is_told_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("logs").write_text("a file, where a folder should be")
    with pytest.raises(SystemExit), job.log("logs/one.log"):
        raise AssertionError
    assert "logs" in capsys.readouterr().err
