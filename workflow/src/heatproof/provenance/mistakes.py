"""What went wrong in the jobs of a run: told once each, and again together at its end.

A job that fails leaves what is wrong in its log file. Of one mistake in the logs of a source many
figures may fail: then only the first job tells it, and the others name that one.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from heatproof.util import terminal
from heatproof.util.errors import said

LOGS = Path(".snakemake/heatproof/log")
"""Folder of the log files of jobs, `STAGE/NAME.log`: no results, each run has others."""
SAME = "the same as told by "
FRESH = "HEATPROOF_FRESH_LOGS"
"""Environment variable: there are no logs of earlier runs. Without it, as in a module of which
Snakemake leaves the start out, each job tells all."""


def tell(why: str, log: str) -> None:
    """Say what went wrong, here and in the job's log file."""
    told = terminal.plain(said(why)) + "\n"
    others = found() if FRESH in os.environ else []
    before = next((path for path in others if path.read_text() == told), None)
    if before:
        told = f"{SAME}{name(before)}\n"
    terminal.say(f"\n{told}", error=True)
    with suppress(OSError):  # where nothing can be written, those who look on must do
        Path(log).write_text(told)  # Snakemake shows it


def found() -> list[Path]:
    """The log files of jobs that failed."""
    if not LOGS.is_dir():
        return []
    return sorted(path for path in LOGS.rglob("*.log") if path.stat().st_size)


def name(log: Path) -> str:
    """What a job is called: `draw tiny-kv`, `normalize tiny-kv/0003`."""
    stage, *names = log.relative_to(LOGS).with_suffix("").parts
    return f"{stage} {'/'.join(names)}".strip()


def forget() -> None:
    """At the start of a run: what was wrong in earlier ones is over."""
    shutil.rmtree(LOGS, ignore_errors=True)
    os.environ[FRESH] = "1"


def text() -> str:
    """All that went wrong, each once, after the jobs that it stopped; empty if none."""
    words = {name(path): path.read_text().rstrip("\n") for path in found()}
    jobs: dict[str, list[str]] = {}
    for job, why in words.items():
        first = why.removeprefix(SAME) if why.startswith(SAME) else ""
        jobs.setdefault(words.get(first, why), []).append(job)
    return "\n".join(
        f"  {', '.join(names)}: {_after(names[0], why)}" for why, names in jobs.items()
    )


def _after(job: str, why: str) -> str:
    """A reason as it stands after the name of a job, which it need not repeat."""
    return why.removeprefix(f"{job.partition(' ')[2]}: ").replace("\n", "\n    ")
