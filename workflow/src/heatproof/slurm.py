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

if TYPE_CHECKING:
    import logging

EVERY = 60.0
"""Seconds between two looks: what waits at two of them is told."""


def ask(*command: str) -> str:
    """What a command of Slurm prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout + (done.stderr if done.returncode else "")


def follow(logger: logging.Logger, words: list[str]) -> None:
    """Tell of jobs that wait or fail as long as the run goes on; `words`: how it was called."""
    if shutil.which("squeue") is None:
        return
    options = re.findall(r"slurm_(partition|account)=(\S+)", " ".join(words))
    arguments = [f"--{name}={value}" for name, value in options]

    def tell_failure(record: logging.LogRecord) -> bool:
        if hasattr(record, "job_error_info"):
            terminal.say(f"heatproof: {failure(record, arguments)}", error=True)
        return True

    logger.addFilter(tell_failure)
    threading.Thread(target=watch, daemon=True).start()


def failure(record: Any, options: list[str]) -> str:
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


def watch() -> None:
    """Tell of jobs of this folder that Slurm keeps waiting: each of its reasons once."""
    before, reasons = dict[str, str](), set[str]()
    while True:
        time.sleep(EVERY)
        rows = ask("squeue", "--me", "-h", "-t", "PENDING", "-o", "%i|%Z|%r").splitlines()
        parts = (row.split("|", 2) for row in rows if row.count("|") >= 2)
        now = {job: why for job, folder, why in parts if os.path.realpath(folder) == os.getcwd()}
        for job, why in now.items():
            if before.get(job) == why and why not in reasons:
                reasons.add(why)
                more = f"`scontrol show job {job}` says more, `scancel {job}` ends it"
                terminal.say(f"heatproof: Slurm job {job} is waiting: {why}. {more}", error=True)
        before = now
