"""Know results by content: what each job made, and which of it was changed since.

Each job leaves receipts, small files in the workflow's private folder, with the SHA-256 of what
it made. The next run compares it with what is there, at one `stat` for each file that was not
written since; what differs is made again, with all that depends on it.

Before a run: results that are not as they were made, and what a killed run left behind.
"""

from __future__ import annotations

import hashlib
import os
import socket
from base64 import urlsafe_b64encode
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.util import hashed, terminal
from heatproof.util.atomic_write import swap
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


FOLDER = Path(".snakemake/heatproof")
RECEIPTS = FOLDER / "receipts"
INDEX = FOLDER / "artefacts.json"


class Receipt(msgspec.Struct):
    """What a job made."""

    output: str
    files: dict[str, str]
    """The output → SHA-256."""


def name(output: str) -> str:
    """What the files are called that tell of an output in the private folder."""
    return hashlib.sha256(output.encode()).hexdigest()[:16]


def note(outputs: Sequence[str], root: Path) -> None:
    """Leave the receipts of a job that has made `outputs`, files below `root`.

    Each output has its own: which others a job made beside it changes, and a receipt of a job that
    is no more must not contradict the newer one.
    """
    (root / RECEIPTS).mkdir(parents=True, exist_ok=True)
    for output in outputs:
        one = Receipt(output, contents(output, root))
        with swap(_place(output, root)) as part:
            part.write_bytes(msgspec.json.encode(one, order="sorted"))


def _place(output: str, root: Path) -> Path:
    return root / RECEIPTS / f"{name(output)}.json"


def contents(output: str, root: Path) -> dict[str, str]:
    """Path below `root` → SHA-256 of an output; nothing if it is not there."""
    return {output: hashed.sha256(root / output)} if is_there(output, root) else {}


def is_there(output: str, root: Path) -> bool:
    """Whether an output is there, as a file."""
    return (root / output).is_file()


def receipt(output: str, root: Path) -> Receipt | None:
    """The receipt of an output; a damaged one proves nothing."""
    try:
        found = msgspec.json.decode(_place(output, root).read_bytes(), type=Receipt)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.output == output else None


def receipts(root: Path) -> Iterator[Receipt]:
    """All receipts that can be read."""
    for path in sorted((root / RECEIPTS).glob("*.json")):
        with suppress(OSError, msgspec.DecodeError):
            yield msgspec.json.decode(path.read_bytes(), type=Receipt)


def forget(output: str, root: Path) -> None:
    """Remove the receipt of an output: it counts as never made."""
    _place(output, root).unlink(missing_ok=True)


def damaged(outputs: Iterable[str], root: Path) -> list[str]:
    """Of `outputs`, those that are there but not as they were made."""
    index = hashed.Index(root / INDEX, hashed.sha256)
    found = [
        output
        for output in outputs
        if is_there(output, root)
        and (known := receipt(output, root))
        and index.digests([output], root) != known.files
    ]
    index.save()
    return found


HOLDER = FOLDER / "holder"
"""Host, process and its start: who ran last, so that a lock can be told from a left-over."""
SENDER = "HEATPROOF_RUN"
"""Environment variable: the run, as in `HOLDER`, that sent a job."""
LONGEST = 254
"""Characters of a name on the file systems of Linux and macOS, but one."""
MARKS = Path(".snakemake/incomplete")
RECORDS = Path(".snakemake/metadata")
LOCKS = Path(".snakemake/locks")


AGAIN = "it is made again"
ASKED = "with --rerun-incomplete, snakemake makes it again"


def mark(
    damaged: Iterable[str], root: Path, why: str = "is not as it was made", then: str = AGAIN
) -> None:
    """Have results made again although nothing before them changed.

    They get the mark that Snakemake gives the results of jobs that were killed, for its rules of
    what to redo cannot be added to, and with `rerun-incomplete` it makes such results anew. Our
    profile sets it; in a module that of the other workflow counts, and Snakemake may ask for it.

    Args:
        damaged: the results, paths below `root`.
        root: the project, as seen from where Snakemake runs.
        why: what the user is told of them.
        then: what becomes of them.
    """
    for path in damaged:
        terminal.say(f"heatproof: {root / path} {why}: {then}", error=True)
        mark = MARKS / _record(path, root)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text('{"external_jobid": null}')


def is_recorded(path: str, root: Path) -> bool:
    """Whether Snakemake has noted with which settings a result was made."""
    return (RECORDS / _record(path, root)).is_file()


def _record(path: str, root: Path) -> str:
    """Where Snakemake keeps what it knows of a file: its name in base 64, in pieces if long.

    Both are named from where Snakemake runs, which is here.
    """
    name = urlsafe_b64encode((root / path).as_posix().encode()).decode()
    *folders, last = [name[i : i + LONGEST] for i in range(0, len(name), LONGEST)]
    return "/".join([*(f"@{folder}" for folder in folders), last])


def free(root: Path) -> None:
    """Remove the locks of a run that is dead for certain.

    Snakemake never removes locks of a killed run by itself, for it cannot know whether the run is
    dead: it keeps no process. Only a run on this host can be known to be.
    """
    path = root / HOLDER
    locks = list((root / LOCKS).glob("*.lock")) if locked(root) else []
    last = path.read_text() if path.is_file() else ""
    if locks and _is_dead(last):
        for lock in locks:
            lock.unlink(missing_ok=True)
    if not locks or _is_dead(last):
        hold(root)


def locked(root: Path) -> bool:
    """Whether another run is at work here, as far as its locks tell."""
    return (root / LOCKS).is_dir() and any((root / LOCKS).glob("*.lock"))


def hold(root: Path) -> None:
    """Write down that this process runs now."""
    path = root / HOLDER
    path.parent.mkdir(parents=True, exist_ok=True)
    with swap(path) as part:
        part.write_text(_self())


def sign() -> None:
    """Let the jobs of this run carry its name, wherever a scheduler passes the environment on."""
    os.environ[SENDER] = _self()


def require_current(root: Path) -> None:
    """Stop a job that was still waiting in a queue when its run was killed and another began.

    It would clear away what the newer run has made.

    Raises:
        Error: the run that sent this job is not the last one.
    """
    path, sender = root / HOLDER, os.environ.get(SENDER)
    if sender and path.is_file() and path.read_text() != sender:
        raise Error(f"this job was sent by a run that is over ({sender}): nothing is done")


def _self() -> str:
    return f"{socket.gethostname()} {os.getpid()} {_start(os.getpid())}"


def _is_dead(holder: str) -> bool:
    """Whether it ran on this host, and no process of its number and start is left."""
    parts = holder.split()
    if len(parts) != 3 or parts[0] != socket.gethostname() or parts[2] == "?":
        return False
    return _start(int(parts[1])) != parts[2]


def _start(process: int) -> str:
    """Start of a process in ticks since the boot, as Linux tells it (proc(5), field 22)."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "" if Path("/proc/self/stat").is_file() else "?"
