"""Jobs that a killed run left on a cluster: ended before others write what they write.

Files are put in place whole, so two writers never mix; but a job left behind would still put there
what was right before a log or config.yaml changed, and clear away what a newer job has made.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from heatproof.cluster import slurm
from heatproof.util import terminal
from heatproof.util.errors import Error

USED = Path(".snakemake/slurm_logs")
"""Made by Snakemake with the first job that it sends to Slurm from a folder."""
RUN = re.compile(r"(?:[\w-]+_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The name of a job that Snakemake sent: the id of its run, after a prefix of the user's."""
PATIENCE = 120.0
"""Seconds for jobs to be gone: Slurm gives them 30 (KillWait) before it kills them."""


def end(root: Path) -> None:
    """Cancel what earlier runs of this project have in Slurm, and wait until it is gone.

    To be called before the first job is sent. The user is told.

    Raises:
        Error: a job is still there after two minutes.
    """
    if not (root / USED).is_dir() or not (jobs := left(root)):
        return
    listed = ", ".join(jobs)
    terminal.say(
        f"heatproof: jobs left by a run that was killed are cancelled: {listed}", error=True
    )
    slurm.ask("scancel", *jobs)
    last = time.monotonic() + PATIENCE
    while left(root):
        if time.monotonic() > last:
            raise Error(f"Slurm does not end jobs of an earlier run ({listed}): see `squeue --me`")
        time.sleep(0.5)


def left(root: Path) -> list[str]:
    """Numbers of this user's jobs in Slurm that Snakemake sent from the project's folder."""
    here = os.path.realpath(root)
    lines = (line.split("|", 2) for line in slurm.ask("squeue", "--me", "-h", "-o", "%i|%j|%Z"))
    return sorted(
        line[0]
        for line in lines
        if len(line) == 3 and RUN.fullmatch(line[1]) and os.path.realpath(line[2]) == here
    )
