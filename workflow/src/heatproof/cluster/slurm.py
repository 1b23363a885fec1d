"""What Slurm says of the jobs of a run: how the last try ended, and which wait in vain.

Who waits for what does not come by itself is told once. Jobs that a killed run left are ended
before others write what they write: files are put in place whole, so two writers never mix; but a
job left behind would still put there what was right before a log or config.yaml changed, and clear
away what a newer job has made.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.util import terminal
from heatproof.util.atomic_write import swap
from heatproof.util.errors import Error

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator


def ask(*command: str) -> list[str]:
    """Lines that a Slurm command prints; none where there is no Slurm, or it does not answer."""
    if shutil.which(command[0]) is None:
        return []
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.splitlines()


def ended(job: str) -> str:
    """In which state a job ended: TIMEOUT, OUT_OF_MEMORY, CANCELLED …; empty if it is not known."""
    said = ask("squeue", "-h", "-t", "all", "-j", job, "-o", "%T")
    said = said or ask("sacct", "-n", "-X", "-P", "-j", job, "-o", "State")
    return said[0].split()[0] if said and said[0].split() else ""


def partitions() -> dict[str, tuple[int | None, int | None]]:
    """Partition → minutes that a job may take, MB that a node has; None: any. "": the default."""
    found: dict[str, tuple[int | None, int | None]] = {}
    for line in ask("sinfo", "-h", "-e", "-o", "%P|%l|%m"):
        named, time, memory = line.split("|")
        name, size = named.rstrip("*"), memory.rstrip("+")
        _, before = found.get(name, (None, 0))
        has = max(before or 0, int(size)) if size.isdigit() else None
        found[name] = minutes(time), has
        if named.endswith("*"):
            found[""] = found[name]
    return found


def minutes(time: str) -> int | None:
    """Whole minutes of a time as Slurm writes it, `[days-][[hours:]minutes:]seconds`."""
    days, dash, rest = time.rpartition("-")
    parts = rest.split(":")
    if not all(part.isdigit() for part in [*parts, days or "0"]):
        return None  # infinite
    hours, mins, _ = [0] * (3 - len(parts)) + [int(part) for part in parts]
    return (int(days) if dash else 0) * 1440 + hours * 60 + mins


FOLDER = Path(".snakemake/heatproof/tries")
JOB = "HEATPROOF_SLURM_JOB"
"""Environment variable: the number of the Slurm job. What Slurm itself tells is taken from the
processes that a job starts."""


def tell() -> None:
    """Let the processes of this Slurm job know its number."""
    if number := os.environ.get("SLURM_JOB_ID"):
        os.environ[JOB] = number


def begin(log: str, root: Path = Path()) -> None:
    """Note in which Slurm job a job of the workflow begins, known by its log file."""
    if JOB not in os.environ:
        return
    place = _place(log, root)
    place.parent.mkdir(parents=True, exist_ok=True)
    with swap(place) as part:
        part.write_text(os.environ[JOB])


def last(log: str, root: Path = Path()) -> str:
    """Number of the Slurm job that a job was last begun in; empty if there is none."""
    try:
        return _place(log, root).read_text()
    except FileNotFoundError:
        return ""


def forget(root: Path = Path()) -> None:
    """At the start of a run: what earlier runs noted is of no use."""
    for place in (root / FOLDER).glob("*") if (root / FOLDER).is_dir() else ():
        place.unlink(missing_ok=True)


def _place(log: str, root: Path) -> Path:
    return root / FOLDER / log.replace("/", "_")


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
    for line in ask("squeue", "--me", "-h", "-t", "PENDING", "-o", "%i|%Z|%r|%P|%l|%k"):
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
    ask("scancel", *jobs)
    last = time.monotonic() + PATIENCE
    while left(root):
        if time.monotonic() > last:
            raise Error(f"Slurm does not end jobs of an earlier run ({listed}): see `squeue --me`")
        time.sleep(0.5)


def left(root: Path) -> list[str]:
    """Numbers of this user's jobs in Slurm that Snakemake sent from the project's folder."""
    here = os.path.realpath(root)
    lines = (line.split("|", 2) for line in ask("squeue", "--me", "-h", "-o", "%i|%j|%Z"))
    return sorted(
        line[0]
        for line in lines
        if len(line) == 3 and RUN.fullmatch(line[1]) and os.path.realpath(line[2]) == here
    )
