"""verify: does everything that a figure rests on still stand, down to the raw logs?

Every file is hashed and compared with the ledger; then all is built anew from the logs in a folder
of its own, the pieces of both builds are compared, and each cell is counted in exact fractions.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.config import paths, roots
from heatproof.kinds import api
from heatproof.ledger import chains, pieces
from heatproof.logs import logs
from heatproof.provenance import clean, identify, why
from heatproof.provenance.checks import ABSENT, Failure, Stage
from heatproof.samples import shard_index, tables
from heatproof.util import hashed, repository, terminal
from heatproof.util.errors import Error, choices
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.ledger.pieces import File, Piece
    from heatproof.plan.plan import Plan

INPUTS = {"config", "code", "logs"}
"""Stages without which a new build says nothing of the old one."""
UNTRIED = "not tried"
NOT_BUILT = "not built"
"""The stage that tells what nobody has asked for so far: that is no failure."""
LONG = 300
"""Characters of a value that are shown at most."""


def names(given: Sequence[str], plan: Plan) -> list[str]:
    """The figures that files, ids or names stand for, of a paper each; all, if none is given.

    Raises:
        Error: one of them is no figure of config.yaml.
    """
    found = []
    for one in given:
        for name in _named(one, plan):
            if name not in plan.figures:
                raise Error(
                    f"{one}: {name!r} is no figure of config.yaml; {choices(name, plan.figures)}"
                )
            found.append(name)
    return [*dict.fromkeys(found)] or list(plan.figures)


def _named(given: str, plan: Plan) -> list[str]:
    if given in plan.figures:
        return [given]
    if lines := plan.left_out.figures.get(given):
        raise Error(f"{given}: the last run left it out (--keep-going), for\n{Error(lines)}")
    mine = [one.figure for one in identify.held(given, plan.root) if one.figure in plan.figures]
    return mine or [identify.find(given, plan.root).figure]


def stages(plan: Plan, given: Sequence[str], *, quick: bool = False) -> Iterator[Stage]:
    """One stage after the other, as soon as it is known; only what touches the figures asked for.

    `quick`: rehash only. A stage that cannot be judged has failed, and says why; those after it are
    judged all the same.
    """
    wanted = names(given, plan)
    ledger = pieces.load(plan.root)
    touched = chains.touched(ledger)
    every = set(wanted) == set(plan.figures)
    jobs = {job: one for job, one in ledger.items() if every or {*touched[job]} & {*wanted}}
    for name in given:
        if Path(name).is_file():
            yield from judged("picture", lambda name=name: [picture(name, plan)])  # type: ignore[misc]
    missing = [path for path in plan.pieces() if pieces.job_of(path) not in ledger]
    if missing and every:
        yield Stage(NOT_BUILT, ", ".join(map(pieces.job_of, missing)), [])
    stand = True
    for stage in _rehash(plan, jobs, touched):
        stand = stand and not (stage.failures and stage.name in INPUTS)
        yield stage
    if quick:
        return
    if not stand:
        yield Stage("rebuilt", f"{UNTRIED}: what it is made of has changed, see above", [])
        return
    yield from judged("rebuilt", lambda: _built_anew(plan, jobs, touched, wanted))


def judged(name: str, judge: Callable[[], Iterable[Stage]]) -> Iterator[Stage]:
    """The stages that are asked for; if that fails, one of this name that failed, and why."""
    try:
        yield from judge()
    except Exception as error:  # noqa: BLE001 - whatever is damaged, the other stages must be told
        said = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        yield Stage(name, "not to be judged", [Failure(name, "a stage to be judged", said, [])])


def _rehash(
    plan: Plan, jobs: Mapping[str, Piece], touched: Mapping[str, list[str]]
) -> Iterator[Stage]:
    """What can be seen of the files that lie here, and of config and code."""
    yield from judged("ledger", lambda: [_joined(plan, jobs, touched)])
    yield from judged("config", lambda: [_settings(plan, jobs, touched)])
    yield from judged("code", lambda: [_code(plan, jobs, touched)])
    made = {path for piece in jobs.values() for path in piece.outputs}
    inputs = {
        path: (file, _shown_by(plan, piece, path, touched[job]))
        for job, piece in jobs.items()
        for path, file in (dict.fromkeys(_read_by(plan, piece), ("", 0)) | piece.inputs).items()
        if path not in made
    }
    yield from judged("logs", lambda: [_files("logs", inputs, plan.root)])
    outputs = {
        path: (file, touched[job])
        for job, piece in jobs.items()
        for path, file in piece.outputs.items()
    }
    yield from judged("results", lambda: [_files("results", outputs, plan.root)])
    yield from judged("strays", lambda: [_strays(plan)])


def _read_by(plan: Plan, piece: Piece) -> list[str]:
    """The logs that a job would read now, and what lies beside them."""
    source, _, shard = piece.name.partition("/")
    there = piece.rule == "normalize" and shard in plan.shards.get(source, ())
    return plan.read_by(piece.name) if there else []


def _shown_by(plan: Plan, piece: Piece, path: str, figures: list[str]) -> list[str]:
    """Of figures, those that may show a log, as far as its path tells; of a sidecar it does not."""
    source = plan.sources.get(piece.name.partition("/")[0])
    if piece.rule != "normalize" or source is None or not logs.matches(source, path):
        return figures
    told = source.from_path(path)
    shown = (name for name in figures if name in plan.figures)
    return [name for name in shown if shard_index.may_show(told, plan.figures[name])]


def _joined(plan: Plan, jobs: Mapping[str, Piece], touched: Mapping[str, list[str]]) -> Stage:
    """The pieces, each for itself and in the ledger of the last whole run."""
    last, failures = pieces.whole(plan.root), []
    if last and pieces.encoded(last) != hashed.read(plan.root / pieces.LEDGER):
        failures.append(Failure(pieces.LEDGER, "as it was written", "other bytes", []))
    for job, piece in jobs.items():
        apart = plan.root / pieces.place(job)
        if not apart.is_file():
            wrong = Failure(pieces.place(job), "a piece", ABSENT, touched[job])
            failures.append(wrong)
        elif piece.job != job or pieces.encoded(piece) != hashed.read(apart):
            wrong = Failure(pieces.place(job), "as it was written", "other bytes", touched[job])
            failures.append(wrong)
        elif last and last.pieces.get(job, piece) != piece:
            key = next(iter(why.differing(*map(msgspec.to_builtins, (last.pieces[job], piece)))))
            place = f"{pieces.LEDGER}: {job}"
            failures.append(Failure(place, f"{key} of its piece", "another", touched[job]))
    return Stage("ledger", numbered(len(jobs), "job"), failures)


def _settings(plan: Plan, jobs: Mapping[str, Piece], touched: Mapping[str, list[str]]) -> Stage:
    """What config.yaml says to each job, key by key; comments and order do not matter."""
    failures: dict[str, Failure] = {}
    for job, piece in jobs.items():
        try:
            now = pieces.plain(plan.settings(piece.rule, piece.name))
        except (KeyError, StopIteration):
            continue  # of a former figure or source: told with the strays
        for key, (old, new) in why.differing(piece.settings, now).items():
            place = why.place(piece, key)
            failures.setdefault(place, Failure(place, repr(old), repr(new), touched[job]))
    figures, sources = numbered(len(plan.figures), "figure"), numbered(len(plan.sources), "source")
    return Stage("config", f"{figures}, {sources}", [*failures.values()])


def _code(plan: Plan, jobs: Mapping[str, Piece], touched: Mapping[str, list[str]]) -> Stage:
    """The library, room by room, and the versions of packages."""
    failures, number = dict[str, Failure](), set[str]()
    for job, piece in jobs.items():
        now = plan.code(piece.rule)
        number |= now.keys()
        for name, (old, new) in why.differing(piece.code, now).items():
            what = f"code of {piece.rule}" if name == "rooms" else name
            one = failures.setdefault(what, Failure(what, str(old), str(new), []))
            one.figures = [*dict.fromkeys([*one.figures, *touched[job]])]
    return Stage("code", f"the library, and {len(number) - 1} packages", [*failures.values()])


def _files(name: str, known: Mapping[str, tuple[File, list[str]]], root: Path) -> Stage:
    """Files as they are now."""
    failures = []
    for path, (file, figures) in sorted(known.items()):
        now = pieces.contents(root / path)
        if now != file:
            found = now[0] or hashed.other(root / path) or "not to be read"
            failures.append(Failure(path, file[0] or ABSENT, found, figures))
    size = sum(file[1] for file, _ in known.values())
    return Stage(name, f"{numbered(len(known), 'file')}, {size / 1e6:,.1f} MB", failures)


def _strays(plan: Plan) -> Stage:
    found = clean.strays(plan)
    failures = [Failure(path, ABSENT, "a file that no job makes", []) for path in found]
    return Stage("strays", "files of the results beside these", failures)


def _built_anew(
    plan: Plan,
    jobs: Mapping[str, Piece],
    touched: Mapping[str, list[str]],
    wanted: Sequence[str],
) -> Iterator[Stage]:
    with fresh(plan, [pieces.place(job) for job in jobs]) as folder:
        built, failures = pieces.load(folder), []
        for job, piece in jobs.items():
            if job not in built or (piece.rule == "gallery" and plan.left_out):
                continue
            anew = built[job].outputs
            failures += [
                Failure(path, anew.get(path, ("", 0))[0] or ABSENT, digest, touched[job])
                for path, (digest, _) in piece.outputs.items()
                if anew.get(path, ("", 0))[0] != digest
            ]
        number = sum(len(piece.outputs) for piece in built.values())
        yield Stage("rebuilt", f"{number:,} files, from the raw logs", failures)
        shown = [name for name in wanted if f"aggregate {name}" in jobs]
        yield from judged("counted", lambda: [counted(plan, folder, shown)])


@contextmanager
def fresh(plan: Plan, targets: Sequence[str]) -> Iterator[Path]:
    """A folder in which the project is built anew; it is gone afterwards.

    Logs and config are those of the project; nothing of its results can be seen from there.

    Raises:
        Error: the build fails.
    """
    root = plan.root.resolve()
    folders = {name: str((root / path).resolve()) for name, path in plan.roots.items()}
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        folder = Path(name)
        for entry in root.iterdir():
            if entry.name not in {"results", ".snakemake", ".git", "config.yaml", *folders}:
                (folder / entry.name).symlink_to(entry)
        config = folder / ".snakemake" / "config.json"
        config.parent.mkdir()
        config.write_bytes(msgspec.json.encode(plan.raw | {roots.SECTION: folders}, enc_hook=str))
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(repository.SNAKEFILE)]
        options = ["--configfile", str(config), "--cores", "all", "--quiet", "all"]
        done = subprocess.run(  # noqa: S603 - our own interpreter and names of our own files
            [*command, *options, "--", *targets],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
            raise Error(f"the build from the raw logs failed:\n{said[-2000:]}")
        yield folder


def counted(plan: Plan, folder: Path, shown: Sequence[str]) -> Stage:
    """Every cell of the stored grids, counted in exact fractions from newly read records."""
    failures, number = [], 0
    for name in shown:
        path = paths.grid(name)
        if not (plan.root / path).is_file():
            continue
        try:
            grid, _ = tables.read(plan.root / path)
            figure = plan.figures[name]
            samples = tables.scan([folder / table for table in plan.tables(name)])
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


def picture(given: str, plan: Plan) -> Stage:
    """A file that was handed in, perhaps from elsewhere, against the one that was made.

    Of a paper, each figure in it.
    """
    if several := identify.held(given, plan.root):
        failures = [
            Failure(f"{given}: {one.figure or one.id}, {one.where}", "as drawn", said, [one.figure])
            for one in several
            if (said := identify.standing(one, plan.root))
        ]
        return Stage("picture", numbered(len(several), "figure") + " in it", failures)
    found = identify.find(given, plan.root)
    if found.figure not in plan.figures:
        raise Error(f"{given} shows {found.figure!r}, which is no figure of config.yaml")
    form = paths.form_of(given)
    piece = pieces.load(plan.root).get(f"draw {found.figure}")
    made = piece.outputs.get(paths.picture(found.figure, form)) if form and piece else None
    failures, now = [], pieces.contents(given)
    if made and now != made:
        failures = [Failure(given, made[0], now[0] or ABSENT, [found.figure])]
    return Stage("picture", f"{found.figure}, found {found.how}", failures)


def text(stage: Stage) -> str:
    """A line for the stage, and two for each failure."""
    verdict = f"{len(stage.failures)} FAILED" if stage.failures else "ok"
    if stage.checked.startswith(UNTRIED) or stage.name == NOT_BUILT:
        verdict = ""
    lines = [f"{stage.name:12} {stage.checked:44} {verdict}".rstrip()]
    for one in stage.failures:
        expected, found = _short(one.expected, one.found)
        lines.append(f"  {terminal.name(one.path)}: expected {expected}, found {found}")
        lines.append(f"    touches {', '.join(one.figures) or 'no figure'}")
    if stage.name == "strays" and stage.failures:
        lines.append("  see `heatproof clean`, which removes what is left of former figures")
    return "\n".join(lines)


def _short(*values: str) -> list[str]:
    """Values that differ: digests by their beginnings, long ones from where they part."""
    apart = sum(1 for _ in takewhile(lambda signs: len({*signs}) == 1, zip(*values, strict=False)))
    return [
        f"{one[:16]}…" if _is_digest(one) else _cut(one, apart if len(one) > LONG else 0)
        for one in values
    ]


def _cut(value: str, apart: int) -> str:
    start = max(0, apart - LONG // 6)
    head, tail = "…" * (start > 0), "…" * (len(value) > start + LONG)
    return f"{head}{value[start : start + LONG]}{tail}"


def _is_digest(value: str) -> bool:
    return len(value) == 64 and set(value) <= set("0123456789abcdef")
