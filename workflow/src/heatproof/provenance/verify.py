"""Differences between the ledger and the files of now: the views `verify`, `why` and `clean`.

`verify` also builds all anew from the logs in a folder of its own, compares the pieces of both
builds, and counts each cell in exact fractions.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from heatproof import ledger
from heatproof.config import paths, schema
from heatproof.kinds import api
from heatproof.provenance import identify
from heatproof.samples import tables
from heatproof.util import hashed, repository, terminal
from heatproof.util.errors import Error, not_one_of
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.ledger import Piece
    from heatproof.plan import Plan

    Jobs = Mapping[str, Piece]  # job → its piece of the ledger
    Figures = Mapping[str, list[str]]  # job → the figures that it is behind
    Tell = Callable[[str], None]  # says how far something is

INPUTS = {"config", "code", "logs"}  # after changes of these a new build is not compared
UNTRIED = "not tried"
NOT_BUILT = "not built"  # the stage of jobs that nobody asked for: no failure
EVERY = 0.5  # seconds between two looks at how far a build is
LONG = 300  # characters of a value that are shown at most


class Difference(msgspec.Struct):
    """Something that has changed."""

    place: str  # a file, a key in config.yaml, or a package
    before: str
    now: str
    kind: str = ""  # config, code, logs or results
    job: str = ""
    figures: list[str] = []  # those that depend on it

    def __str__(self) -> str:
        """Digests by their beginnings, long values from their first difference."""
        common = os.path.commonprefix([self.before, self.now])  # noqa: RUF071 - of texts
        before = _shortened(self.before, len(common))
        after = _shortened(self.now, len(common))
        return terminal.name(f"{self.place}: was {before}, is {after}")


def _shortened(value: str, first_difference: int) -> str:
    """A digest by its beginning; a long value around the first letter that differs."""
    if len(value) == 64 and " " not in value:
        return f"{value[:16]}…"
    if len(value) <= LONG:
        return value
    start = max(0, first_difference - LONG // 6)
    text = value[start : start + LONG]
    if start:
        text = f"…{text}"
    if len(value) > start + LONG:
        text = f"{text}…"
    return text


def file_difference(
    path: str,
    noted: hashed.Extent,
    root: Path,
    extent: hashed.Extent | None = None,
    unread: str = "cannot be read",
) -> Difference | None:
    """How a file differs from what was `noted`; `extent`: that of now, if it is known."""
    extent = extent or hashed.content(root / path)
    if extent == noted:
        return None
    state = extent.digest or hashed.irregular(root / path) or unread
    return Difference(path, noted.digest or hashed.ABSENT, state)


def piece_differences(
    plan: Plan, piece: Piece, outputs: Collection[str], *, rehash: bool = False
) -> Iterator[Difference]:
    """What has changed of a job's settings, code, inputs and outputs.

    `outputs`: of all jobs, not checked as inputs; `rehash`: hash all files, not only those
    written since the piece was confirmed.
    """
    job = piece.job
    inputs = set(piece.inputs)
    with suppress(KeyError):  # the figure or source was removed
        settings = ledger.plain(plan.settings(piece.rule, piece.name))
        for key, (old, new) in ledger.differing(piece.settings, settings).items():
            yield Difference(_config_place(piece, key), repr(old), repr(new), "config", job)
        if piece.rule == "normalize":
            inputs = set(plan.all_inputs_of(piece.name))
    for name, (old, new) in ledger.differing(piece.code, ledger.code(piece.rule)).items():
        place = name
        if name == "rooms":
            place = f"code of {piece.rule}"
        yield Difference(place, str(old), str(new), "code", job)
    files = set(inputs ^ piece.inputs.keys()) | set(_changed_files(plan, piece, rehash=rehash))
    for path in sorted(files - (set(outputs) - piece.outputs.keys())):
        noted = piece.files.get(path, hashed.UNREAD)
        if path in inputs or path in piece.outputs:
            change = file_difference(path, noted, plan.root)
        else:
            change = file_difference(path, noted, plan.root, hashed.UNREAD, "left out")
        if change:
            kind = "results" if path in piece.outputs else "logs"
            yield msgspec.structs.replace(change, kind=kind, job=job)


def _changed_files(plan: Plan, piece: Piece, *, rehash: bool) -> Iterable[str]:
    """The files of a piece that may have changed since it was confirmed, or all."""
    place = plan.root / ledger.place(piece.job)
    if rehash or not place.is_file():
        return piece.files
    return ledger.changed(place, plan.root)


def _config_place(piece: Piece, key: str) -> str:
    """Where a setting of a piece stands in config.yaml."""
    section, _, name = key.partition(".")
    name = schema.FILLED.get(name.partition(".")[0], name)
    if section not in ("source", "entry"):
        return f"config.yaml: {key}"
    entry = piece.settings["entry"]
    if section == "source":
        return f"config.yaml: sources.{entry['source']}.{name}"
    entries = "sources" if piece.rule == "normalize" else "figures"
    return f"config.yaml: {entries}.{entry['name']}.{name}"


def names_of_figures(questions: Sequence[str], plan: Plan) -> list[str]:
    """The figures of files, papers, ids or names, or all. Raises Error: one is no figure here."""
    names = dict.fromkeys(list[str]())
    for question in questions:
        if question in plan.figures:
            names[question] = None
            continue
        for match in identify.find_figures(question, plan.root):
            name = match.figure
            if name not in plan.figures:
                message = not_one_of(name, "figure of config.yaml", plan.figures)
                raise Error(f"{question}: {message}")
            names[name] = None
    return list(names or plan.figures)


# ----------------------------------------------------------------------------------------- why


def why(plan: Plan, figure: str) -> tuple[list[Difference], list[str], list[str]]:
    """Why parts of a figure would be made again; the stages that would run; those not built.

    Stages run from the first changed input on; those not built nobody has asked for. Raises Error:
    nothing was built yet.
    """
    pieces = ledger.load(plan.root)
    source = plan.figures[figure].source
    jobs = [f"normalize {source}/{shard}" for shard in plan.logs[source]]
    jobs.append(f"aggregate {figure}")
    if "html" in plan.formats_of(figure):
        jobs.append("bundle vega")
    jobs.append(f"draw {figure}")
    outputs = _outputs(pieces.values())
    reasons: list[Difference] = []
    for job in jobs:
        if job in pieces:
            reasons += piece_differences(plan, pieces[job], outputs)
    rules = list(dict.fromkeys(map(_rule_of_job, jobs)))
    changed = [rules.index(_rule_of_job(reason.job)) for reason in reasons]
    repeated = rules[min(changed, default=len(rules)) :]
    if repeated[:1] != ["bundle"]:
        repeated = [rule for rule in repeated if rule != "bundle"]
    absent = dict.fromkeys(_rule_of_job(job) for job in jobs if job not in pieces)
    return reasons, repeated, list(absent)


def _rule_of_job(job: str) -> str:
    return job.partition(" ")[0]


def _outputs(pieces: Iterable[Piece]) -> dict[str, hashed.Extent]:
    """All files that jobs made."""
    outputs: dict[str, hashed.Extent] = {}
    for piece in pieces:
        outputs |= piece.outputs
    return outputs


# --------------------------------------------------------------------------------------- clean


def orphans(plan: Plan) -> list[str]:
    """Extents, links and empty folders below `results/` that no job makes.

    Links are not followed, unless results lie behind them. A folder ends in a slash.
    """
    results = set(plan.results()) | {ledger.LEDGER, paths.CHANGES}
    parents = set[str]()
    for path in results:
        parents |= set(map(str, PurePosixPath(path).parents))
    strays = list[str]()
    folders = list[str]()
    if (plan.root / "results").is_dir():
        folders.append("results")
    while folders:
        folder = folders.pop()
        with os.scandir(plan.root / folder) as entries:
            listed = [(f"{folder}/{entry.name}", entry) for entry in entries]
        if not listed and folder not in parents:
            strays.append(f"{folder}/")
        for path, entry in listed:
            if entry.is_dir(follow_symlinks=path in parents):
                folders.append(path)
            elif path not in results:
                strays.append(path)
    return sorted(strays)


def leftovers(plan: Plan) -> tuple[list[str], list[str]]:
    """The orphans that heatproof made, and all others.

    A file is ours if the ledger has its digest; so is a piece, and an empty folder.
    """
    try:
        pieces = ledger.load(plan.root)
    except Error:
        pieces = {}
    outputs = _outputs(pieces.values())
    places = {ledger.place(job) for job in pieces}
    ours = list[str]()
    foreign = list[str]()
    for path in orphans(plan):
        is_ours = path.endswith("/") or path in places
        if path in outputs and not is_ours:
            is_ours = hashed.content(plan.root / path) == outputs[path]
        if is_ours:
            ours.append(path)
        else:
            foreign.append(path)
    return ours, foreign


def remove(files: Iterable[str], root: Path) -> None:
    """Remove files, and folders that are then empty."""
    for path in files:
        place = root / path
        if not place.is_dir():
            place.unlink(missing_ok=True)
        with suppress(OSError):  # at the first folder that is not empty
            os.removedirs(place if place.is_dir() else place.parent)


# -------------------------------------------------------------------------------------- verify


class Stage(msgspec.Struct):
    """One line of the answer."""

    name: str
    checked: str  # what was checked, in words
    failures: list[Difference]


def stages(
    plan: Plan, questions: Sequence[str], *, quick: bool = False, tell: Tell = lambda _: None
) -> Iterator[Stage]:
    """Each stage as soon as it is known, of the jobs behind the figures asked for.

    `quick`: rehash only. `tell`: is told how far it is. If the new build fails, that stage has
    failed, and says why.
    """
    figures = names_of_figures(questions, plan)
    pieces = ledger.load(plan.root)
    all_asked = set(figures) == set(plan.figures)
    touched = ledger.figures_of(pieces)
    jobs = {
        job: pieces[job]
        for job in plan.jobs
        if job in pieces and (all_asked or not set(figures).isdisjoint(touched.get(job, ())))
    }
    for name in filter(os.path.isfile, questions):
        yield _pictures(name, plan.root)
    missing = [job for job in plan.jobs if job not in pieces]
    if missing and all_asked:
        yield Stage(NOT_BUILT, ", ".join(missing), [])
    yield Stage("ledger", numbered(len(jobs), "job"), list(_piece_changes(plan, jobs, touched)))
    changed = set[str]()
    for stage in _rehashed(plan, jobs, touched, tell):
        if stage.failures:
            changed.add(stage.name)
        yield stage
    yield _strays(plan, all_asked=all_asked)
    if changed & INPUTS and not quick:
        yield Stage("rebuilt", f"{UNTRIED}: its inputs have changed, see above", [])
    elif not quick:
        yield from _rebuilt(plan, jobs, touched, figures, tell)


def _rebuilt(
    plan: Plan, jobs: Jobs, touched: Figures, figures: Sequence[str], tell: Tell
) -> Iterator[Stage]:
    """The outputs of jobs and the cells of figures, compared with a new build."""
    try:
        with fresh(plan, list(map(ledger.place, jobs)), tell) as folder:
            yield _compared(jobs, ledger.load(folder), touched)
            counted = [name for name in figures if f"aggregate {name}" in jobs]
            yield _count_cells(plan, folder, counted, tell)
    except Error as error:
        yield Stage("rebuilt", "cannot be judged", [Difference("rebuilt", "a build", str(error))])


def _pictures(name: str, root: Path) -> Stage:
    """The figures in a file of the user."""
    matches = identify.find_figures(name, root)
    failures = []
    for match in matches:
        if match.fault:
            place = f"{name}: {match.label}"
            change = Difference(place, "as it was drawn", match.fault, figures=[match.figure])
            failures.append(change)
    return Stage("picture", f"{numbered(len(matches), 'figure')} in {name}", failures)


def _strays(plan: Plan, *, all_asked: bool) -> Stage:
    """Files that no job makes: those of former figures are no failure, nor are any of others.

    `all_asked`: all figures are asked for, and so the whole folder.
    """
    left, _ = leftovers(plan)
    kept = {path for path in left if not path.endswith("/")}
    words = "other files in results/"
    if kept:
        words += f"; {numbered(len(kept), 'file')} left of former figures: heatproof clean"
    failures = []
    if all_asked:
        for path in orphans(plan):
            if path not in kept:
                failures.append(Difference(path, hashed.ABSENT, "a file that no job makes"))
    return Stage("strays", words, failures)


def _piece_changes(plan: Plan, jobs: Jobs, touched: Figures) -> Iterator[Difference]:
    """Changed pieces, as files and in the ledger of the last whole run."""
    last = ledger.last(plan.root)
    if last and ledger.encoded(last) != hashed.read(plan.root / ledger.LEDGER):
        yield Difference(ledger.LEDGER, "as it was written", "other bytes")
    for job, piece in jobs.items():
        path = ledger.place(job)
        state = ""
        if not (plan.root / path).is_file():
            state = hashed.ABSENT
        elif ledger.encoded(piece) != hashed.read(plan.root / path):
            state = "other bytes"
        elif last and last.pieces.get(job, piece) != piece:
            path = f"{ledger.LEDGER}: {job}"
            state = "not as its piece"
        if state:
            yield Difference(path, "as it was written", state, figures=touched[job])


def _rehashed(plan: Plan, jobs: Jobs, touched: Figures, tell: Tell) -> Iterator[Stage]:
    """Settings, code, inputs and outputs of jobs, compared with those of now."""
    outputs = _outputs(jobs.values())
    inputs = dict[str, hashed.Extent]()
    for piece in jobs.values():
        inputs |= piece.inputs
    for path in outputs.keys() & inputs.keys():
        del inputs[path]
    checked = {
        "config": numbered(len(plan.figures), "figure"),
        "code": numbered(len(jobs), "job"),
        "logs": _size_words(inputs),
        "results": _size_words(outputs),
    }
    changes: dict[str, Difference] = {}
    for number, (job, piece) in enumerate(jobs.items()):
        tell(f"hashing the files of {number:,} of {numbered(len(jobs), 'job')} · now {job}")
        for change in piece_differences(plan, piece, outputs, rehash=True):
            first = changes.setdefault(change.place, change)
            first.figures = list(dict.fromkeys(first.figures + touched[job]))
    for kind, words in checked.items():
        of_kind = [change for change in changes.values() if change.kind == kind]
        yield Stage(kind, words, of_kind)


def _size_words(files: Mapping[str, hashed.Extent]) -> str:
    size = sum(extent.size for extent in files.values())
    return f"{numbered(len(files), 'file')}, {size / 1e6:,.1f} MB"


def _compared(jobs: Jobs, built: Jobs, touched: Figures) -> Stage:
    """The outputs of jobs, compared with those of a new build."""
    failures = []
    for job in jobs:
        if job not in built:
            continue
        rebuilt = built[job].outputs
        for path, extent in jobs[job].outputs.items():
            digest = rebuilt.get(path, hashed.UNREAD).digest or hashed.ABSENT
            if digest != extent.digest:
                failures.append(Difference(path, extent.digest, digest, figures=touched[job]))
    number = sum(len(piece.outputs) for piece in built.values())
    return Stage("rebuilt", f"{number:,} files, from the raw logs", failures)


@contextmanager
def fresh(plan: Plan, targets: Sequence[str], tell: Tell = lambda _: None) -> Iterator[Path]:
    """A temporary folder with a new build of logs and config. Raises Error: the build fails."""
    root = plan.root.resolve()
    climbs = [log.split("/").count("..") for log in plan.all_logs()]
    parents = root.parents[: max(climbs, default=0)]
    left_out = {root / name for name in ("results", ".snakemake", ".git", "config.yaml")}
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        folder = Path(name, *root.parts[1:])
        folder.mkdir(parents=True)
        # `../` leads to the same logs from there.
        for place in [root] + list(parents):
            for entry in set(place.iterdir()) - left_out:
                link = Path(name, *entry.parts[1:])
                if not link.exists():
                    link.symlink_to(entry)
        config = folder / ".snakemake" / "config.json"
        config.parent.mkdir()
        config.write_bytes(msgspec.json.encode(plan.raw, enc_hook=str))
        command = repository.snakemake("verify", "; --quick does without")
        command += ["--snakefile", str(repository.SNAKEFILE)]
        command += ["--configfile", str(config), "--cores", "all", "--quiet", "all", "--"]
        command += targets
        with _watched(folder, len(targets), tell):
            done = subprocess.run(  # noqa: S603 - our own interpreter and names of our own files
                command, cwd=folder, capture_output=True, text=True, check=False
            )
        if done.returncode:
            words = done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
            raise Error(f"the build from the raw logs failed:\n{words[-2000:]}")
        yield folder


@contextmanager
def _watched(folder: Path, total: int, tell: Tell) -> Iterator[None]:
    """Tell now and then how many jobs of a build are done, by their pieces."""
    is_built = threading.Event()

    def watch() -> None:
        while not is_built.wait(EVERY):
            number = sum(1 for _ in (folder / ledger.FOLDER).rglob("*.json"))
            tell(f"building anew from the raw logs: {number:,} of {total:,} jobs done")

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        is_built.set()
        watching.join()


def _count_cells(plan: Plan, folder: Path, figures: Sequence[str], tell: Tell) -> Stage:
    """Every cell of the grids, counted in exact fractions from the samples of a new build."""
    failures = []
    number = 0
    for done, name in enumerate(figures):
        tell(f"counting anew: {done:,} of {numbered(len(figures), 'figure')} · now {name}")
        path = paths.grid(name)
        figure = plan.figures[name]
        try:
            grid, _ = tables.read(plan.root / path)
            shards = [folder / table for table in plan.tables_of(figure.source)]
            samples = pl.scan_parquet(shards)
            rows = list(api.kind(figure.kind).recounted(samples, grid, figure))
        except Exception as error:  # noqa: BLE001 - a damaged grid may fail in any way
            wrong = f"unreadable: {error}".splitlines()[0]
            failures.append(Difference(path, "a grid", wrong, figures=[name]))
            continue
        number += len(grid)
        for cell, value, anew, agrees in rows:
            if not agrees:
                words = f"{anew} in the logs"
                change = Difference(f"{path}: {cell}", str(value), words, figures=[name])
                failures.append(change)
    return Stage("counted", f"{number:,} cells, from the raw logs", failures)
