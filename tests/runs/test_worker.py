"""Jobs in processes that stay: one that fails or is killed takes no other with it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from heatproof import worker
from heatproof.util.errors import Error
from heatproof.worker import Files, Job, Worker

SCRIPT = """
import os, signal
from pathlib import Path

if snakemake.params.wish == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if snakemake.params.wish in ("SIGINT", "SIGTERM"):
    from heatproof.charts import typefaces
    typefaces.register(typefaces.SANS)
    os.kill(os.getpid(), signal.Signals[snakemake.params.wish])
    raise SystemExit(1)
if snakemake.params.wish == "fail":
    raise SystemExit(1)
Path(snakemake.output.told).write_text(f"{os.getpid()} {[*snakemake.input]} {snakemake.input.logs}")
"""


def told_by(process: Worker, folder: Path, wish: str) -> list[str] | None:
    """What a job wrote; None if it failed."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    files, made = Files(["a", "b"]), Files([f"{folder}/made"])
    files.logs, made.told = ["b"], f"{folder}/made"  # type: ignore[attr-defined]
    job = Job(files, made, SimpleNamespace(wish=wish), [f"{folder}/log"])
    is_done = process.do(worker.execute, str(script), job)
    return Path(made[0]).read_text().split(" ", 1) if is_done else None


def test_a_process_does_one_job_after_the_other(tmp_path: Path) -> None:
    """Each finds its files in order and by name; after one that failed comes the next."""
    process = Worker()
    first = told_by(process, tmp_path, "")
    assert told_by(process, tmp_path, "fail") is None
    assert told_by(process, tmp_path, "") == first
    assert first is not None
    assert first[1] == "['a', 'b'] ['b']"
    process.stop()


def test_of_a_job_that_is_killed_is_told_how(tmp_path: Path) -> None:
    """Its process is gone, and no other waits for it."""
    with pytest.raises(Error, match="signal 9; was there too little memory"):
        told_by(Worker(), tmp_path, "kill")


@pytest.mark.parametrize(("ending", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_job_that_is_stopped_leaves_no_temporary_folder(
    ending: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C and Slurm's scancel reach its process too; the typefaces that it draws with go."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with pytest.raises(Error, match=f"ended with status {status}$"):
        told_by(Worker(), tmp_path, ending)
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_jobs_share_idle_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of a job that fails says why, and its process is there for the next."""
    monkeypatch.chdir(tmp_path)
    named = {"input": {}, "output": {}, "params": {"settings": {}, "code": {}}}
    for _ in range(2):
        with pytest.raises(Error, match="log says why"):
            worker.run("bundle", *map(listed, named.values()), ["log"])
        assert "Traceback" in Path("log").read_text()
    assert len(worker.idle) == 1
    worker.stop_workers()


def listed(names: dict[str, object]) -> object:
    """What Snakemake gives to a rule: a list with names."""
    files = worker.Files(map(str, names.values()))
    files.items = names.items  # type: ignore[attr-defined]
    return files
