"""verify: does everything that a figure rests on still stand, down to the raw logs?

Every file is hashed and compared with the ledger; then all is built anew from the logs in a folder
of its own, the pieces of both builds are compared, and each cell is counted in exact fractions.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof import ledger
from heatproof.config import paths
from heatproof.kinds import api
from heatproof.provenance import clean, identify, why
from heatproof.provenance.why import ABSENT, Difference
from heatproof.samples import tables
from heatproof.util import hashed, repository, terminal
from heatproof.util.errors import Error, choices
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heatproof.ledger import Piece
    from heatproof.plan.plan import Plan

INPUTS = {"config", "code", "logs"}
"""Stages without which a new build says nothing of the old one."""
UNTRIED = "not tried"
NOT_BUILT = "not built"
"""The stage that tells what nobody has asked for so far: that is no failure."""


class Stage(msgspec.Struct):
    """One line of the answer."""

    name: str
    checked: str
    """What was looked at, in words."""
    failures: list[Difference]


def names(questions: Sequence[str], plan: Plan) -> list[str]:
    """The figures that files, ids or names stand for, of a paper each; all, if none is given.

    Raises:
        Error: one of them is no figure of config.yaml.
    """
    listed = []
    for question in questions:
        if question in plan.figures:
            listed.append(question)
            continue
        for name in (match.figure for match in identify.find(question, plan.root)):
            if name not in plan.figures:
                there = choices(name, plan.figures)
                raise Error(f"{question}: {name!r} is no figure of config.yaml; {there}")
            listed.append(name)
    return [*dict.fromkeys(listed)] or list(plan.figures)


def stages(plan: Plan, questions: Sequence[str], *, quick: bool = False) -> Iterator[Stage]:
    """One stage after the other, as soon as it is known; only what touches the figures asked for.

    `quick`: rehash only. Where the new build fails, that stage has failed, and says why.
    """
    figures = names(questions, plan)
    pieces, every = ledger.load(plan.root), {*figures} == {*plan.figures}
    touched = ledger.figures_of(pieces)
    jobs = {job: piece for job, piece in pieces.items() if every or {*touched[job]} & {*figures}}
    for name in filter(os.path.isfile, questions):
        yield picture(name, plan)
    missing = [job for job in map(ledger.job_at, plan.pieces()) if job not in pieces]
    if missing and every:
        yield Stage(NOT_BUILT, ", ".join(missing), [])
    yield Stage("ledger", numbered(len(jobs), "job"), [*_pieces(plan, jobs, touched)])
    changed = set[str]()
    for stage in _rehashed(plan, jobs, touched):
        changed |= {stage.name} if stage.failures else set()
        yield stage
    strays = [Difference(path, ABSENT, "a file that no job makes") for path in clean.orphans(plan)]
    yield Stage("strays", "files of the results beside these", strays)
    if quick:
        return
    if changed & INPUTS:
        yield Stage("rebuilt", f"{UNTRIED}: what it is made of has changed, see above", [])
        return
    try:
        yield from _built_anew(plan, jobs, figures, touched)
    except Error as error:
        yield Stage("rebuilt", "not to be judged", [Difference("rebuilt", "a build", str(error))])


def picture(name: str, plan: Plan) -> Stage:
    """A file that was handed in, perhaps from elsewhere, against what was drawn."""
    matches = identify.find(name, plan.root)
    failures = [
        Difference(f"{name}: {match.label}", "as it was drawn", match.fault, figures=[match.figure])
        for match in matches
        if match.fault
    ]
    return Stage("picture", f"{numbered(len(matches), 'figure')} in {name}", failures)


def _rehashed(
    plan: Plan, jobs: Mapping[str, Piece], touched: Mapping[str, list[str]]
) -> Iterator[Stage]:
    """What jobs were given and made, as it is now."""
    made = {path: file for piece in jobs.values() for path, file in piece.outputs.items()}
    read = {path: file for piece in jobs.values() for path, file in piece.inputs.items()
            if path not in made}  # fmt: skip
    checked = {"config": numbered(len(plan.figures), "figure"), "code": numbered(len(jobs), "job")}
    for kind, files in {"logs": read, "results": made}.items():
        size = sum(file[1] for file in files.values())
        checked[kind] = f"{numbered(len(files), 'file')}, {size / 1e6:,.1f} MB"
    changes: dict[str, Difference] = {}
    for job, piece in jobs.items():
        for change in why.differences(plan, piece, made, every=True):
            first = changes.setdefault(change.place, change)
            first.figures = [*dict.fromkeys([*first.figures, *touched[job]])]
    for kind, words in checked.items():
        yield Stage(kind, words, [change for change in changes.values() if change.kind == kind])


def _pieces(
    plan: Plan, jobs: Mapping[str, Piece], touched: Mapping[str, list[str]]
) -> Iterator[Difference]:
    """The pieces, each for itself and in the ledger of the last whole run."""
    last = ledger.last(plan.root)
    if last and ledger.encoded(last) != hashed.read(plan.root / ledger.LEDGER):
        yield Difference(ledger.LEDGER, "as it was written", "other bytes")
    for job, piece in jobs.items():
        path, now = ledger.place(job), ""
        if not (plan.root / path).is_file():
            now = ABSENT
        elif piece.job != job or ledger.encoded(piece) != hashed.read(plan.root / path):
            now = "other bytes"
        elif last and last.pieces.get(job, piece) != piece:
            path, now = f"{ledger.LEDGER}: {job}", "not as its piece"
        if now:
            yield Difference(path, "as it was written", now, figures=touched[job])


def _built_anew(
    plan: Plan,
    jobs: Mapping[str, Piece],
    figures: Sequence[str],
    touched: Mapping[str, list[str]],
) -> Iterator[Stage]:
    with fresh(plan, [ledger.place(job) for job in jobs]) as folder:
        built, failures = ledger.load(folder), []
        for job, piece in jobs.items():
            for path, (digest, _) in piece.outputs.items() if job in built else ():
                anew = built[job].outputs.get(path, ("",))[0] or ABSENT
                if anew != digest:
                    failures.append(Difference(path, digest, anew, figures=touched[job]))
        number = sum(len(piece.outputs) for piece in built.values())
        yield Stage("rebuilt", f"{number:,} files, from the raw logs", failures)
        yield counted(plan, folder, [name for name in figures if f"aggregate {name}" in jobs])


@contextmanager
def fresh(plan: Plan, targets: Sequence[str]) -> Iterator[Path]:
    """A folder in which the project is built anew; it is gone afterwards.

    Logs and config are those of the project; nothing of its results can be seen from there.

    Raises:
        Error: the build fails.
    """
    root = plan.root.resolve()
    logs = (log for shards in plan.logs.values() for listed in shards.values() for log in listed)
    above = max((log.split("/").count("..") for log in logs), default=0)
    own = {root / name for name in ("results", ".snakemake", ".git", "config.yaml")}
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        folder = Path(name, *root.parts[1:])
        folder.mkdir(parents=True)
        # `../` leads to the same logs from there.
        for place in [root, *root.parents[:above]]:
            for entry in {*place.iterdir()} - own:
                if not (link := Path(name, *entry.parts[1:])).exists():
                    link.symlink_to(entry)
        config = folder / ".snakemake" / "config.json"
        config.parent.mkdir()
        config.write_bytes(msgspec.json.encode(plan.raw, enc_hook=str))
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(repository.SNAKEFILE)]
        options = ["--configfile", str(config), "--cores", "all", "--quiet", "all"]
        done = subprocess.run(  # noqa: S603 - our own interpreter and names of our own files
            [*command, *options, "--", *targets],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            words = done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
            raise Error(f"the build from the raw logs failed:\n{words[-2000:]}")
        yield folder


def counted(plan: Plan, folder: Path, figures: Iterable[str]) -> Stage:
    """Every cell of the stored grids, counted in exact fractions from newly read records."""
    failures, number = [], 0
    for name in figures:
        path, figure = paths.grid(name), plan.figures[name]
        try:
            grid, _ = tables.read(plan.root / path)
            samples = tables.scan([folder / table for table in plan.tables_of(figure.source)])
            rows = list(api.kind(figure.kind).recounted(samples, grid, figure))
        except Exception as error:  # noqa: BLE001 - a damaged grid may fail in any way
            wrong = f"unreadable: {error}".splitlines()[0]
            failures.append(Difference(path, "a grid", wrong, figures=[name]))
            continue
        number += len(grid)
        failures += [
            Difference(f"{path}: {cell}", str(value), f"{anew} in the logs", figures=[name])
            for cell, value, anew, agrees in rows
            if not agrees
        ]
    return Stage("counted", f"{number:,} cells, from the raw logs", failures)


def text(stage: Stage) -> str:
    """A line for the stage, and two for each failure."""
    verdict = f"{len(stage.failures)} FAILED" if stage.failures else "ok"
    if stage.checked.startswith(UNTRIED) or stage.name == NOT_BUILT:
        verdict = ""
    lines = [f"{stage.name:12} {terminal.name(stage.checked):44} {verdict}".rstrip()]
    for failure in stage.failures:
        touched = ", ".join(failure.figures) or "no figure"
        lines += [f"  {failure}", f"    touches {touched}"]
    if stage.name == "strays" and stage.failures:
        lines.append("  see `heatproof clean`, which removes what is left of former figures")
    return "\n".join(lines)
