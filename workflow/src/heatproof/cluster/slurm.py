"""What Slurm says, line by line."""

from __future__ import annotations

import shutil
import subprocess


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
