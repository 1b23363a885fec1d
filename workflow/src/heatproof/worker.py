"""Jobs in processes that stay: Python, its libraries and Vega's JavaScript start once, not a job.

A rule says `run: worker.run("draw", input, output, params, log)`, and the script of that name finds
these as `snakemake`. A process does one job at a time, so there are as many as jobs run side by
side; they end with Snakemake. A job that fails or is killed fails alone.

Snakemake does a `run:` in its own process only with `force-use-threads` (profiles/default). Without
it each job starts a Snakemake of its own, and that a worker: slower, with the same bytes.
"""

from __future__ import annotations

import atexit
import gc
import os
import runpy
import signal
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util import repository
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

ALGEBRA = ("OMP", "GOTO", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR")
"""Libraries that would start a thread for each core of the machine."""
USUAL = {
    "POLARS_MAX_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:10000",
}
"""What libraries find unless the user says otherwise. A job has one core: on a large node polars
would start as many threads as that has. C and polars give back memory at once, to ask for it anew:
an eighth of the time of reading."""
GARBAGE = 50_000
"""Objects made before Python looks for circles of garbage, of which jobs make few: with its usual
700, counting a grid takes a tenth longer."""


class Files(list[str]):
    """Paths in their order; those of one name in the rule are an attribute too."""


class Job(NamedTuple):
    """What a script of the workflow finds as `snakemake`."""

    input: Files
    output: Files
    params: SimpleNamespace
    log: list[str]


class Worker:
    """A process that does one job after the other."""

    def __init__(self) -> None:
        self._jobs, end = Pipe()
        serves = f"from heatproof import worker; worker.serve({end.fileno()})"
        folder = str(repository.LIBRARY.parent)
        threads = {f"{name}_NUM_THREADS": "1" for name in ALGEBRA}
        places = {"PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
        with end:
            self._process = subprocess.Popen(  # noqa: S603 - our own
                [sys.executable, "-P", "-c", serves],
                env=USUAL | os.environ | threads | places,
                pass_fds=[end.fileno()],
            )

    def stop(self) -> None:
        """Let the process end."""
        self._jobs.close()
        self._process.wait()

    def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function returns. Raises Error: the process ended within it."""
        try:
            self._jobs.send((function, arguments))
            return self._jobs.recv()
        except (EOFError, OSError):
            status = self._process.wait()
            how = f"signal {-status}" if status < 0 else f"status {status}"
            killed = "; was there too little memory?" if -status == signal.SIGKILL else ""
            raise Error(f"its process ended with {how}{killed}") from None


idle: list[Worker] = []


@atexit.register
def stop_workers() -> None:
    """Let the processes end, as no more jobs come."""
    while idle:
        idle.pop().stop()
    gc.freeze()  # else Python looks through all objects again and again as it ends, for 0.4 s


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns in a process that is idle. Raises Error: it ended within it."""
    try:
        worker = idle.pop()
    except IndexError:
        worker = Worker()
    result = worker.do(function, *arguments)
    idle.append(worker)
    return result


def run(name: str, files_in: Any, files_out: Any, params: Any, log: Any) -> None:
    """Do a job with the script of a `name`. Raises Error: it failed; its log says why."""
    script = repository.ROOT / "workflow" / "scripts" / f"{name}.py"
    values = SimpleNamespace(**dict(params.items()))
    job = Job(_files(files_in), _files(files_out), values, list(map(str, log)))
    try:
        is_done = call(execute, str(script), job)
    except Error as error:
        Path(job.log[0]).write_text(f"{error}\n")
        raise
    if not is_done:
        raise Error(f"{job.log[0]} says why it failed")


def _files(listed: Any) -> Files:
    """The files of a job as plain texts."""
    files = Files(map(str, listed))
    for name, paths in listed.items():
        is_one = isinstance(paths, str)
        setattr(files, name, str(paths) if is_one else list(map(str, paths)))
    return files


def serve(number: int) -> None:
    """Do the jobs that come through an open file, by its number, until Snakemake ends."""
    jobs = Connection(number)
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, _stop_job)
    gc.set_threshold(GARBAGE)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        while True:
            function, arguments = jobs.recv()
            jobs.send(function(*arguments))
    except EOFError:
        gc.freeze()
    except _Stopped as stopped:
        sys.exit(*stopped.args)


def _stop_job(number: int, _frame: object) -> None:
    """Leave a job as an exception does, so that its temporary folders go; Snakemake tells of it."""
    raise _Stopped(128 + number)


class _Stopped(KeyboardInterrupt):
    """A signal has ended the process; its exit status, as a shell tells it."""


def execute(script: str, job: Job) -> bool:
    """Whether a script came to its end."""
    try:
        runpy.run_path(script, {"snakemake": job})
    except SystemExit:
        return False
    return True
