"""What Slurm says of the jobs of a run: why one waits, failed, or was not taken.

Snakemake drops the message of a group of jobs that failed, and nobody tells of jobs that wait.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

from heatproof.util import terminal
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    import logging
    from collections.abc import Sequence
    from pathlib import Path

EVERY = 60.0
"""Seconds between two looks: what waits at two of them is told."""
OPTION = re.compile(r"slurm_(partition|account)=(\S+)")
PARTITIONS = re.compile(r"slurm_partition=(\S+)")


def ask(*command: str) -> str:
    """What a command of Slurm prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout + (done.stderr if done.returncode else "")


def follow(root: Path, logger: logging.Logger, words: Sequence[str]) -> None:
    """Tell of jobs that wait or fail as long as the run goes on; `words`: how it was called.

    Raises:
        Error: Slurm has no such partition.
    """
    if shutil.which("squeue") is None:
        return
    there = ask("sinfo", "-h", "-o", "%R").split()
    asked = ",".join(name for word in words for name in PARTITIONS.findall(word))
    for name in filter(None, asked.split(",")):
        if there and name not in there:
            raise Error(f"slurm_partition: Slurm has no partition {name!r}; {choices(name, there)}")
    options = [f"--{name}={value}" for word in words for name, value in OPTION.findall(word)]

    def heard(record: logging.LogRecord) -> bool:
        if hasattr(record, "job_error_info"):
            terminal.say(f"heatproof: {failure(record, options)}", error=True)
        return True

    logger.addFilter(heard)
    threading.Thread(target=watch, args=[root], daemon=True).start()


def failure(record: Any, options: Sequence[str]) -> str:
    """Why a group of jobs failed, as Slurm has it. `record`: what Snakemake logs of it."""
    logs = [log for job in record.job_error_info for log in job["log"]]
    names = logs[0].partition("/log/")[2].removesuffix(".log")
    names += f" and {len(logs) - 1} more" if logs[1:] else ""
    if not (number := getattr(record, "external_jobid", "")):
        why = ask("sbatch", "--test-only", *options, "--wrap=true").replace("\n", "; ")
        return f"Slurm takes no job for {names}: {why or 'sbatch failed'}"
    state = dict(re.findall(r"(\w+)=(\S+)", ask("scontrol", "show", "job", number)))
    how = f"{state.get('JobState', 'unknown')}, exit code {state.get('ExitCode', 'unknown')}"
    return f"Slurm job {number} ({names}) ended as {how}; its log: {', '.join(record.aux_logs)}"


def watch(root: Path) -> None:
    """Tell of jobs that Slurm keeps waiting: each of its reasons once."""
    told: set[str] = set()
    before: dict[str, str] = {}
    while True:
        time.sleep(EVERY)
        now = waiting(root)
        for job, reason in now.items():
            if before.get(job) == reason and reason not in told:
                told.add(reason)
                more = f"`scontrol show job {job}` says more, `scancel {job}` ends it"
                terminal.say(f"heatproof: Slurm job {job} is waiting: {reason}. {more}", error=True)
        before = now


def waiting(root: Path) -> dict[str, str]:
    """Job → why it waits, as squeue(1) has it, of jobs sent from the project's folder."""
    here = os.path.realpath(root)
    lines = ask("squeue", "--me", "-h", "-t", "PENDING", "-o", "%i|%Z|%r").splitlines()
    rows = (line.split("|", 2) for line in lines if line.count("|") >= 2)
    return {job: reason for job, folder, reason in rows if os.path.realpath(folder) == here}
