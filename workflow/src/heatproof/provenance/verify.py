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
from itertools import chain, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof import ledger
from heatproof.config import paths
from heatproof.kinds import api
from heatproof.logs import logs
from heatproof.provenance import clean, identify, why
from heatproof.samples import shard_index, tables
from heatproof.util import hashed, repository, terminal
from heatproof.util.errors import Error, choices
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.ledger import File, Piece
    from heatproof.plan.plan import Plan

INPUTS = {"config", "code", "logs"}
"""Stages without which a new build says nothing of the old one."""
UNTRIED = "not tried"
NOT_BUILT = "not built"
"""The stage that tells what nobody has asked for so far: that is no failure."""
ABSENT = "not there"
LONG = 300
"""Characters of a value that are shown at most."""


class Failure(msgspec.Struct):
    """Something that is not what it should be."""

    path: str
    """The file, or the key in config.yaml, or the package."""
    expected: str
    actual: str = msgspec.field(name="found")
    figures: list[str]
    """Those whose numbers or looks depend on it."""


class Stage(msgspec.Struct):
    """One line of the answer."""

    name: str
    checked: str
    """What was looked at, in words."""
    failures: list[Failure]


class Jobs(dict[str, "Piece"]):
    """Job → its piece, of those that are checked."""

    def __init__(self, pieces: Mapping[str, Piece], figures: Sequence[str], *, every: bool) -> None:
        self.figures = ledger.figures_of(pieces)
        """Job → the figures that it is behind."""
        touched = {job for job in pieces if every or {*self.figures[job]} & {*figures}}
        super().__init__({job: pieces[job] for job in pieces if job in touched})


def names(figures: Sequence[str], plan: Plan) -> list[str]:
    """The figures that files, ids or names stand for, of a paper each; all, if none is given.

    Raises:
        Error: one of them is no figure of config.yaml.
    """
    listed = []
    for name_or_file in figures:
        if lines := plan.left_out.get(name_or_file):
            left = f"{name_or_file}: the last run left it out (--keep-going), for"
            raise Error(f"{left}\n{Error(lines)}")
        own = [name_or_file] if name_or_file in plan.figures else []
        own = own or [entry.figure for entry in identify.figures_in(name_or_file, plan.root)
                      if entry.figure in plan.figures]  # fmt: skip
        for name in own or [identify.find(name_or_file, plan.root).figure]:
            if name not in plan.figures:
                there = choices(name, plan.figures)
                raise Error(f"{name_or_file}: {name!r} is no figure of config.yaml; {there}")
            listed.append(name)
    return [*dict.fromkeys(listed)] or list(plan.figures)


def stages(plan: Plan, questions: Sequence[str], *, quick: bool = False) -> Iterator[Stage]:
    """One stage after the other, as soon as it is known; only what touches the figures asked for.

    `quick`: rehash only. A stage that cannot be judged has failed, and says why; those after it are
    judged all the same.
    """
    figures = names(questions, plan)
    pieces, every = ledger.load(plan.root), {*figures} == {*plan.figures}
    jobs = Jobs(pieces, figures, every=every)
    for name in questions:
        if Path(name).is_file():
            yield from judged("picture", lambda name=name: [picture(name, plan)])  # type: ignore[misc]
    missing = [job for job in map(ledger.job_at, plan.pieces()) if job not in pieces]
    if missing and every:
        yield Stage(NOT_BUILT, ", ".join(missing), [])
    stand = True
    for name, check in {
        "ledger": _pieces, "config": _settings, "code": _code,
        "logs": _inputs, "results": _outputs, "strays": _strays,
    }.items():  # fmt: skip
        for stage in judged(name, lambda check=check: [check(plan, jobs)]):  # type: ignore[misc]
            stand = stand and not (stage.failures and stage.name in INPUTS)
            yield stage
    if quick:
        return
    if not stand:
        yield Stage("rebuilt", f"{UNTRIED}: what it is made of has changed, see above", [])
        return
    yield from judged("rebuilt", lambda: _built_anew(plan, jobs, figures))


def judged(name: str, judge: Callable[[], Iterable[Stage]]) -> Iterator[Stage]:
    """The stages that are asked for; if that fails, one of this name that failed, and why."""
    try:
        yield from judge()
    except Exception as error:  # noqa: BLE001 - whatever is damaged, the other stages must be told
        why = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        yield Stage(name, "not to be judged", [Failure(name, "a stage to be judged", why, [])])


def _pieces(plan: Plan, jobs: Jobs) -> Stage:
    """The pieces, each for itself and in the ledger of the last whole run."""
    last, failures = ledger.last(plan.root), []
    if last and ledger.encoded(last) != hashed.read(plan.root / ledger.LEDGER):
        failures.append(Failure(ledger.LEDGER, "as it was written", "other bytes", []))
    for job, piece in jobs.items():
        path, figures = ledger.place(job), jobs.figures[job]
        if not (plan.root / path).is_file():
            failures.append(Failure(path, "a piece", ABSENT, figures))
        elif piece.job != job or ledger.encoded(piece) != hashed.read(plan.root / path):
            failures.append(Failure(path, "as it was written", "other bytes", figures))
        elif last and last.pieces.get(job, piece) != piece:
            key = next(iter(why.differing(*map(msgspec.to_builtins, (last.pieces[job], piece)))))
            wrong = Failure(f"{ledger.LEDGER}: {job}", f"{key} of its piece", "another", figures)
            failures.append(wrong)
    return Stage("ledger", numbered(len(jobs), "job"), failures)


def _settings(plan: Plan, jobs: Jobs) -> Stage:
    """What config.yaml says to each job, key by key; comments and order do not matter."""
    failures: dict[str, Failure] = {}
    for job, piece in jobs.items():
        try:
            now = ledger.plain(plan.settings(piece.rule, piece.name))
        except (KeyError, StopIteration):
            continue  # of a former figure or source: told with the strays
        for key, (old, new) in why.differing(piece.settings, now).items():
            place = why.place(piece, key)
            wrong = Failure(place, repr(old), repr(new), jobs.figures[job])
            failures.setdefault(place, wrong)
    figures, sources = numbered(len(plan.figures), "figure"), numbered(len(plan.sources), "source")
    return Stage("config", f"{figures}, {sources}", [*failures.values()])


def _code(_: Plan, jobs: Jobs) -> Stage:
    """The library, room by room, and the versions of packages."""
    failures, packages = dict[str, Failure](), set[str]()
    for job, piece in jobs.items():
        now = ledger.code(piece.rule)
        packages |= now.keys() - {"rooms"}
        for name, (old, new) in why.differing(piece.code, now).items():
            what = f"code of {piece.rule}" if name == "rooms" else name
            wrong = failures.setdefault(what, Failure(what, str(old), str(new), []))
            wrong.figures = [*dict.fromkeys([*wrong.figures, *jobs.figures[job]])]
    return Stage("code", f"the library, and {len(packages)} packages", [*failures.values()])


def _inputs(plan: Plan, jobs: Jobs) -> Stage:
    """The logs that jobs read, and would read now, and other files that no job makes."""
    outputs = {path for piece in jobs.values() for path in piece.outputs}
    files: dict[str, tuple[File, list[str]]] = {}
    for job, piece in jobs.items():
        name, _, shard = piece.name.partition("/")
        source, read = plan.sources.get(name), piece.inputs
        if piece.rule == "normalize" and shard in plan.shards.get(name, ()):
            read = dict.fromkeys(plan.read_by(piece.name), ("", 0)) | read
        for path in read.keys() - outputs:
            figures = jobs.figures[job]
            # Of figures, those that may show a log, as far as its path tells.
            if piece.rule == "normalize" and source and logs.matches(source, path):
                settings = source.from_path(path)
                figures = [figure for figure in figures if figure in plan.figures
                           and shard_index.may_show(settings, plan.figures[figure])]  # fmt: skip
            files[path] = read[path], figures
    return _rehashed("logs", files, plan.root)


def _outputs(plan: Plan, jobs: Jobs) -> Stage:
    files = {path: (file, jobs.figures[job])
             for job, piece in jobs.items() for path, file in piece.outputs.items()}  # fmt: skip
    return _rehashed("results", files, plan.root)


def _rehashed(name: str, files: Mapping[str, tuple[File, list[str]]], root: Path) -> Stage:
    """Files as they are now."""
    failures = []
    for path, (file, figures) in sorted(files.items()):
        now = ledger.contents(root / path)
        if now != file:
            there = now[0] or hashed.other(root / path) or "not to be read"
            failures.append(Failure(path, file[0] or ABSENT, there, figures))
    size = sum(file[1] for file, _ in files.values())
    return Stage(name, f"{numbered(len(files), 'file')}, {size / 1e6:,.1f} MB", failures)


def _strays(plan: Plan, _: Jobs) -> Stage:
    failures = [
        Failure(path, ABSENT, "a file that no job makes", []) for path in clean.orphans(plan)
    ]
    return Stage("strays", "files of the results beside these", failures)


def _built_anew(plan: Plan, jobs: Jobs, figures: Sequence[str]) -> Iterator[Stage]:
    with fresh(plan, [ledger.place(job) for job in jobs]) as folder:
        built, failures = ledger.load(folder), []
        for job, piece in jobs.items():
            if job not in built or (piece.rule == "gallery" and plan.left_out):
                continue
            anew = built[job].outputs
            failures += [
                Failure(path, anew.get(path, ("", 0))[0] or ABSENT, digest, jobs.figures[job])
                for path, (digest, _) in piece.outputs.items()
                if anew.get(path, ("", 0))[0] != digest
            ]
        number = sum(len(piece.outputs) for piece in built.values())
        yield Stage("rebuilt", f"{number:,} files, from the raw logs", failures)
        counted_figures = [name for name in figures if f"aggregate {name}" in jobs]
        yield from judged("counted", lambda: [counted(plan, folder, counted_figures)])


@contextmanager
def fresh(plan: Plan, targets: Sequence[str]) -> Iterator[Path]:
    """A folder in which the project is built anew; it is gone afterwards.

    Logs and config are those of the project; nothing of its results can be seen from there.

    Raises:
        Error: the build fails.
    """
    root = plan.root.resolve()
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        folder = Path(name, *root.parts[1:])
        folder.mkdir(parents=True)
        for entry in root.iterdir():
            if entry.name not in {"results", ".snakemake", ".git", "config.yaml"}:
                (folder / entry.name).symlink_to(entry)
        for path in _outside(plan):  # `../` leads to the same logs from there
            common = Path(os.path.commonpath([root, path]))
            top = path.relative_to(common).parts[0]
            link = Path(name, *common.parts[1:], top)
            if not link.exists():
                link.symlink_to(common / top)
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


def _outside(plan: Plan) -> list[Path]:
    """Logs that lie outside the project, with what is read beside them."""
    paths = {
        path
        for name, shards in plan.logs.items()
        for log in chain(*shards.values())
        if log.startswith("../")
        for path in (log, *plan.sources[name].sidecars(log, plan.root))
    }
    return [Path(os.path.normpath(plan.root.resolve() / path)) for path in sorted(paths)]


def counted(plan: Plan, folder: Path, figures: Sequence[str]) -> Stage:
    """Every cell of the stored grids, counted in exact fractions from newly read records."""
    failures, number = [], 0
    for name in figures:
        path = paths.grid(name)
        if not (plan.root / path).is_file():
            continue
        try:
            grid, _ = tables.read(plan.root / path)
            figure = plan.figures[name]
            samples = tables.scan([folder / table for table in plan.tables_of(figure.source)])
            rows = list(api.kind(figure.kind).recounted(samples, grid, figure))
        except Exception as error:  # noqa: BLE001 - a damaged grid may fail in any way
            failures.append(Failure(path, "a grid", f"unreadable: {error}".splitlines()[0], [name]))
            continue
        number += len(grid)
        failures += [
            Failure(f"{path}: {cell}", str(anew), str(value), [name])
            for cell, value, anew, agrees in rows
            if not agrees
        ]
    return Stage("counted", f"{number:,} cells, from the raw logs", failures)


def picture(path: str, plan: Plan) -> Stage:
    """A file that was handed in, perhaps from elsewhere, against the one that was made.

    Of a paper, each figure in it.
    """
    if several := identify.figures_in(path, plan.root):
        reasons = [(entry, identify.standing(entry, plan.root)) for entry in several]
        failures = [
            Failure(f"{path}: {entry.figure or entry.id}, {entry.where}", "as drawn", why,
                    [entry.figure])
            for entry, why in reasons if why
        ]  # fmt: skip
        return Stage("picture", numbered(len(several), "figure") + " in it", failures)
    match = identify.find(path, plan.root)
    if match.figure not in plan.figures:
        raise Error(f"{path} shows {match.figure!r}, which is no figure of config.yaml")
    form = paths.form_of(path)
    piece = ledger.load(plan.root).get(f"draw {match.figure}")
    drawn = piece.outputs.get(paths.picture(match.figure, form)) if form and piece else None
    failures, now = [], ledger.contents(path)
    if drawn and now != drawn:
        failures = [Failure(path, drawn[0], now[0] or ABSENT, [match.figure])]
    return Stage("picture", f"{match.figure}, found {match.how}", failures)


def text(stage: Stage) -> str:
    """A line for the stage, and two for each failure."""
    verdict = f"{len(stage.failures)} FAILED" if stage.failures else "ok"
    if stage.checked.startswith(UNTRIED) or stage.name == NOT_BUILT:
        verdict = ""
    lines = [f"{stage.name:12} {stage.checked:44} {verdict}".rstrip()]
    for failure in stage.failures:
        expected, there = _short(failure.expected, failure.actual)
        lines.append(f"  {terminal.name(failure.path)}: expected {expected}, found {there}")
        lines.append(f"    touches {', '.join(failure.figures) or 'no figure'}")
    if stage.name == "strays" and stage.failures:
        lines.append("  see `heatproof clean`, which removes what is left of former figures")
    return "\n".join(lines)


def _short(*values: str) -> list[str]:
    """Values that differ: digests by their beginnings, long ones from where they part."""
    apart = sum(1 for _ in takewhile(lambda signs: len({*signs}) == 1, zip(*values, strict=False)))
    short = []
    for value in values:
        if len(value) == 64 and set(value) <= set("0123456789abcdef"):
            short.append(f"{value[:16]}…")
            continue
        start = max(0, apart - LONG // 6) if len(value) > LONG else 0
        head, tail = "…" * (start > 0), "…" * (len(value) > start + LONG)
        short.append(f"{head}{value[start : start + LONG]}{tail}")
    return short
