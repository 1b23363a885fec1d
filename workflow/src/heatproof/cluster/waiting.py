"""Jobs that wait in Slurm for what does not come by itself: the user is told, once for each."""

from __future__ import annotations

import os
import re
import threading
import time
from typing import TYPE_CHECKING

from heatproof.cluster import slurm
from heatproof.util import terminal

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator
    from pathlib import Path

EVERY = 20.0
"""Seconds between two looks."""

REASONS = {
    r"PartitionTimeLimit": "it asks for {time}, more than partition {partition} gives to a job",
    r"PartitionNodeLimit": "it asks for more than partition {partition} gives to a job",
    r"Partition(Down|Inactive)": "partition {partition} takes no jobs now",
    r"BadConstraints": "no node has what it asks for",
    r"ReqNodeNotAvail.*|NodeDown": "the nodes it could have are down, drained or reserved",
    r"(Assoc|QOS).*Limit": "a limit of your account or QOS is reached",
    r"Invalid(Account|QOS)|(Account|QOS)NotAllowed": "account or QOS may not be used there",
    r"JobHeld(User|Admin)": "it is held (scontrol release {job})",
    r"DependencyNeverSatisfied": "what it depends on has failed",
}
"""Why a job waits, as squeue(1) tells → what that means."""

NOISE = (
    "No SLURM account given, trying to guess",
    "No account was given, not able to get",
    "Unable to guess SLURM account",
    "Could not retrieve node information",
)
"""How lines begin in which the plug-in tells that it asked sacct in vain."""


def hush(logger: logging.Logger) -> None:
    """Leave out lines of the plug-in that say nothing to the user."""
    logger.addFilter(lambda record: not record.getMessage().startswith(NOISE))


def watch(root: Path) -> None:
    """Tell of jobs of this project as long as the run goes on."""
    told: set[str] = set()

    def look() -> None:
        while True:
            time.sleep(EVERY)
            for line in stuck(root):
                if line not in told:
                    told.add(line)
                    terminal.say(f"heatproof: {line}", error=True)

    threading.Thread(target=look, daemon=True).start()


def stuck(root: Path) -> Iterator[str]:
    """A line for each job sent from the project's folder that does not start by itself."""
    here = os.path.realpath(root)
    for line in slurm.ask("squeue", "--me", "-h", "-t", "PENDING", "-o", "%i|%Z|%r|%P|%l|%k"):
        job, folder, reason, partition, asked, name = [*line.split("|", 5), *[""] * 6][:6]
        if os.path.realpath(folder) != here:
            continue
        for pattern, meaning in REASONS.items():
            if re.fullmatch(pattern, reason.partition(",")[0]):
                why = meaning.format(time=asked, partition=partition, job=job)
                yield (
                    f"Slurm does not start job {job} ({name.removeprefix('rule_')}): {reason}: "
                    f"{why}. `scontrol show job {job}` says more, `scancel {job}` ends it"
                )
