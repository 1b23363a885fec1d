"""The ledger: each job writes down its inputs, settings, code and outputs in a piece.

A piece is the last output of its rule; `results/ledger.json` joins them. A job whose piece is
missing is done again, so a piece that is no longer true is removed before a run. Each has a digest
of itself, so that nobody believes one that was damaged.

As input of a rule, a piece stands for all files of its job: Snakemake looks at one small file where
it would hash each of these once for every output.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from blake3 import blake3
from msgspec.structs import replace

from heatproof.samples import tables
from heatproof.util import hashed, repository
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

T = TypeVar("T")
FOLDER = Path("results/.ledger")
LEDGER = "results/ledger.json"
version = cache(metadata.version)  # of an installed package


class Piece(msgspec.Struct):
    """The inputs, settings, code and outputs of a job."""

    rule: str
    name: str
    inputs: dict[str, hashed.Extent]  # by path; of a log, the part that was read
    settings: dict[str, Any]  # the part of config.yaml on which the job depends
    code: dict[str, str]  # digest of the rooms that the rule runs, and the versions of libraries
    outputs: dict[str, hashed.Extent]
    digest: str = ""  # of all that stands above

    @property
    def job(self) -> str:
        """Name of the job: `draw tiny-kv`, `normalize tiny-kv/0003`."""
        return f"{self.rule} {self.name}"

    @property
    def files(self) -> dict[str, hashed.Extent]:
        return self.inputs | self.outputs


class Ledger(msgspec.Struct):
    """The config of a build, and the pieces of its jobs."""

    config: dict[str, Any]
    upstream: bool  # whether rules of another workflow may make logs
    pieces: dict[str, Piece]  # job → its piece
    digest: str = ""  # of all that stands above


def place(job: str) -> str:
    """The path of a job's piece."""
    return f"{FOLDER}/{job.replace(' ', '/', 1)}.json"


def missing_jobs(jobs: Iterable[str], root: Path) -> list[str]:
    """Those of some jobs that are to be done: they have no piece."""
    return [job for job in jobs if not (root / place(job)).is_file()]


def job_at(path: str | Path) -> str:
    """The job of a piece at a path."""
    return Path(path).relative_to(FOLDER).with_suffix("").as_posix().replace("/", " ", 1)


def write(
    snakemake: Any, digests: Mapping[str, hashed.Extent], written: Iterable[str | Path]
) -> None:
    """Write the piece of a job.

    `digests`: of inputs that were read; `written`: outputs that the rule does not name.
    """
    path = Path(snakemake.output.piece)
    rule, _, name = job_at(path).partition(" ")
    begun = os.stat(snakemake.log[0]).st_mtime_ns
    inputs: dict[str, hashed.Extent] = {}
    for file in snakemake.input:
        if Path(file).is_relative_to(FOLDER):
            inputs |= read(Path(file)).outputs
        else:
            inputs[file] = digests.get(file) or hashed.content(file)
    # Inputs rewritten since the job began count as not read: the next run reads them.
    for file, then in inputs.items():
        if digests and os.path.exists(file) and os.stat(file).st_ctime_ns > begun:
            now = hashed.content(file)
            inputs[file] = hashed.UNREAD if now[1] == then[1] and now != then else then
    written_files = [*snakemake.output, *map(str, written)]
    outputs = {file: hashed.content(file) for file in written_files if file != str(path)}
    params = snakemake.params
    piece = Piece(rule, name, inputs, params.settings, params.code, outputs)
    tables.write_bytes(encoded(piece), path)


def encoded(value: Piece | Ledger) -> bytes:
    """JSON with a line for each value, and its digest.

    Keys keep their order, on which that of columns depends.
    """
    bare = msgspec.json.encode(replace(value, digest=""))
    sealed = msgspec.json.encode(replace(value, digest=blake3(bare).hexdigest()))
    return msgspec.json.format(sealed, indent=1) + b"\n"


def plain(value: Any) -> Any:
    """A value as JSON reads it back."""
    return msgspec.json.decode(msgspec.json.encode(value))


def read(path: Path) -> Piece:
    """A piece. Raises Error: the file is none, or not as it was written."""
    piece = _decoded(path, Piece, f"{path}: no piece of the ledger")
    if encoded(piece) != hashed.read(path):
        raise Error(f"{path}: not as it was written: call `heatproof run`")
    return piece


def _decoded(path: Path, kind: type[T], wrong: str) -> T:
    try:
        return msgspec.json.decode(hashed.read(path), type=kind)
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise Error(f"{wrong} ({error}): call `heatproof run`") from None


def differing(old: Any, new: Any) -> dict[str, tuple[Any, Any]]:
    """Differences of nested mappings: key of keys → value before and now."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    return {
        key: (before.get(key), after.get(key))
        for key in before | after
        if before.get(key) != after.get(key)
    }


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else str(name))
    else:
        yield key, value


def join_pieces(paths: Iterable[str], build: Mapping[str, Any], path: Path) -> None:
    """Write the pieces of all jobs as one ledger; `build`: its other fields."""
    pieces = (read(Path(place)) for place in paths)
    ledger = Ledger(**build, pieces={piece.job: piece for piece in pieces})
    tables.write_bytes(encoded(ledger), path)


def last(root: Path) -> Ledger | None:
    """The ledger of the last whole run; None before the first. Raises Error: it is damaged."""
    path = root / LEDGER
    if hashed.irregular(path) in hashed.NOTHING:
        return None
    return _decoded(path, Ledger, f"{LEDGER}: damaged")


def load(root: Path) -> dict[str, Piece]:
    """Job → its last piece; if that is damaged, the one of the last whole run.

    Raises Error: nothing was made, or all that is known of a job is damaged.
    """
    joined = last(root)
    pieces = dict(joined.pieces) if joined else {}
    for path in sorted((root / FOLDER).rglob("*.json")):
        job = job_at(path.relative_to(root))
        try:
            piece = read(path)
        except Error:
            if job not in pieces:
                raise
        else:
            pieces[job] = piece if piece.job == job else pieces.get(job, piece)
    if not pieces:
        raise Error(f"{root.resolve()}: nothing is built here: call `heatproof run`")
    return pieces


def figures_of(pieces: Mapping[str, Piece]) -> dict[str, list[str]]:
    """Job → the figures that depend on it."""
    maker = {file: job for job, piece in pieces.items() for file in piece.outputs}
    figures: dict[str, list[str]] = {job: [] for job in pieces}
    drawn = (piece.name for piece in pieces.values() if piece.rule in ("aggregate", "draw"))
    for name in dict.fromkeys(drawn):
        last_job = f"draw {name}" if f"draw {name}" in pieces else f"aggregate {name}"
        waiting, behind = [last_job], set[str]()
        while waiting:
            if (job := waiting.pop()) not in behind:
                behind.add(job)
                figures[job].append(name)
                waiting += (maker[file] for file in pieces[job].inputs if file in maker)
    return figures


def forget_untrue(
    root: Path, outdated: Callable[[Piece], bool] = lambda _: False
) -> dict[str, list[str]]:
    """Remove pieces that are no longer true, or `outdated`; job → its changed files.

    The joined ledger is removed if it is not as it was written, or not of these pieces.
    """
    untrue: dict[str, list[str]] = {}
    kept: dict[str, Piece] = {}
    for path in sorted((root / FOLDER).rglob("*.json")):
        inside = path.relative_to(root)
        try:
            piece = read(path)
            is_caller = place(piece.job) == str(inside)
            differing = changed(path, root, piece) if is_caller else [str(inside)]
            gone = bool(differing) or outdated(piece)
        except Error:
            differing, gone = [str(inside)], True
        if differing:
            untrue[job_at(inside)] = differing
        if gone:
            path.unlink()
        else:
            kept[piece.job] = piece
    if not _is_joined(root, kept):
        (root / LEDGER).unlink(missing_ok=True)
    return untrue


def _is_joined(root: Path, pieces: Mapping[str, Piece]) -> bool:
    """Whether the joined ledger is as it was written, with these pieces."""
    try:
        joined = last(root)
    except Error:
        return False
    if joined is None or encoded(joined) != hashed.read(root / LEDGER):
        return False
    return all(joined.pieces.get(job) == piece for job, piece in pieces.items())


def changed(path: Path, root: Path, piece: Piece | None = None) -> list[str]:
    """Files that differ from their piece.

    A file is read only if its ctime, which nobody can set, is newer than the piece, which is then
    confirmed as of the time before reading.
    """
    piece, written = piece or read(path), path.stat()
    since = dict.fromkeys(piece.inputs, written.st_mtime_ns)
    since |= dict.fromkeys(piece.outputs, written.st_ctime_ns)
    newer, differing = [], []
    for file, (digest, size) in piece.files.items():
        try:
            now = os.stat(os.path.join(root, file))
        except OSError:
            differing += [file] if digest or file in piece.outputs else []
            continue
        if now.st_size != size:
            differing.append(file)
        elif now.st_ctime_ns > since[file]:
            newer.append((file, digest))
    if newer and not differing:
        with tempfile.NamedTemporaryFile(dir=root / FOLDER, prefix=".now-") as clock:
            before = os.fstat(clock.fileno()).st_mtime_ns
        differing = [file for file, digest in newer if hashed.content(root / file)[0] != digest]
        if not differing:
            with suppress(OSError):  # looked at once more by the next run
                os.utime(path, ns=(before, before))
    return differing


READ = "util config logs formats samples"
COUNT = f"{READ} statistics metrics.py kinds provenance"
DRAW = f"{COUNT} charts export page.py"
RUNS = {
    "normalize": READ,
    "aggregate": COUNT,
    "draw": DRAW,
    "publish": f"{DRAW} printed.py",
    "values": f"{COUNT} charts export paper/values.py paper/macros.tex",
}
"""Rule → rooms that it runs, rather too many than too few."""
LIBRARIES = {
    "normalize": "isal msgspec numpy polars pyarrow",
    "aggregate": "numpy polars",
    "draw": "altair font-source-sans-pro font-source-serif-pro jinja2 pikepdf pillow polars "
    "pyarrow uharfbuzz vl-convert-python",
    "publish": "jinja2 polars pyarrow",
    "values": "msgspec polars",
}


@cache
def code(rule: str) -> dict[str, str]:
    """The code of a rule: digest of its script and rooms, and library → version."""
    kind = rule if rule in RUNS else "publish"
    script = digest_of(repository.ROOT / "workflow" / "scripts" / f"{rule}.py")
    digests = [script, *(digest_of(repository.LIBRARY / room) for room in RUNS[kind].split())]
    return {"rooms": blake3("".join(digests).encode()).hexdigest()} | versions(kind)


def versions(*rules: str) -> dict[str, str]:
    """Library → version, of the libraries of rules."""
    return {name: version(name) for rule in rules for name in LIBRARIES[rule].split()}


@cache
def digest_of(place: Path) -> str:
    """BLAKE3 of all files of a room, which is a folder or a module."""
    hasher = blake3()
    for path in [place] if place.is_file() else sorted(place.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            hasher.update(f"{path.relative_to(place.parent)}\n".encode() + path.read_bytes())
    return hasher.hexdigest()
