"""verify, part two: everything once more, from the raw logs, with nothing made before.

Where a part was built no manifest tells of it, but receipts do, and a new build. The results
themselves are compared with the manifest and with the records inside each other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from heatproof.config import paths, roots
from heatproof.kinds import api
from heatproof.plan import called
from heatproof.plan.left_out import OPTION
from heatproof.proof import closing, inputs
from heatproof.proof.checks import ABSENT, Failure, Stage, compare
from heatproof.provenance import identify, manifest, receipts
from heatproof.samples import shard_index, tables
from heatproof.util import hashed, repository
from heatproof.util.errors import Error
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.kinds.cell_records import Recounted
    from heatproof.plan.called import Call
    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.lazy import polars as pl


LEFT_OUT = {"results", ".snakemake", ".git"}
CONFIG = ".snakemake/over.json"
"""The config that a new build is called with."""


@contextmanager
def fresh(root: Path, targets: Sequence[str] = (), call: Call | None = None) -> Iterator[Path]:
    """A folder in which the project is built anew, as the last run was or the one of a `call`.

    It is gone afterwards.

    Logs, config and code are those of the project; nothing of its results can be seen from there.
    Of a workflow that takes ours for a module no rule is run: it could write to the logs.

    Raises:
        Error: the build fails.
    """
    call = call or called.last(root)
    left_out = LEFT_OUT | ({*call.own} if call.module else set())
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        folder = Path(name)
        for entry in root.resolve().iterdir():
            if entry.name not in left_out:
                (folder / entry.name).symlink_to(entry)
        (folder / roots.HOME).parent.mkdir()
        (folder / roots.HOME).write_text(str(root.resolve()), encoding="utf-8")
        given = {called.PARENT: str(root.resolve() / call.snakefile)} if call.module else {}
        done = _snakemake(folder, _options(call, root, folder), targets, given)
        if done.returncode and not _is_whole(call, folder, targets):
            said = done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
            raise Error(f"the build from the raw logs failed:\n{said[-2000:]}")
        yield folder


def _is_whole(call: Call, folder: Path, targets: Sequence[str]) -> bool:
    """Whether a build that fails for what is left out has made all else."""
    asked = targets or [manifest.MANIFEST]
    return bool(call.left_out) and all((folder / path).is_file() for path in asked)


def _options(call: Call, root: Path, folder: Path) -> list[str]:
    """Options that name Snakefile and config of a call; what it laid over, as a file of its own."""
    own = str(repository.SNAKEFILE if call.module else folder / call.snakefile)
    options = ["--snakefile", own, *([OPTION] if call.left_out else [])]
    over = call.whole(root) if call.module else call.over(root)
    if folders := roots.given(call.raw(root)):
        # From elsewhere a relative path leads elsewhere.
        there = {name: str((root / path).resolve()) for name, path in folders.items()}
        over = called.merged([over, {roots.SECTION: there}])
    if not over:
        return options
    (folder / CONFIG).write_bytes(msgspec.json.encode(over, enc_hook=str))
    return [*options, "--configfile", str(folder / CONFIG)]


def _snakemake(
    folder: Path, options: Sequence[str], targets: Sequence[str], more: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """A run in a folder, with no setting of the surroundings and no bytecode made before."""
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--quiet", "all"]
    with inputs.private() as given:
        surroundings = {k: v for k, v in given.items() if not k.startswith("SNAKEMAKE_")} | {**more}
        return subprocess.run(  # noqa: S603 - our own interpreter and names of our own files
            [*command, *options, "--", *targets],
            cwd=folder, env=surroundings, capture_output=True, text=True, check=False,
        )  # fmt: skip


def targets(plan: Plan, names: Sequence[str]) -> list[str]:
    """What must be built to see these figures; nothing given, all is built."""
    if len(names) == len(plan.figures):
        return []
    return [path for name in names for path in (paths.grid(name), *plan.files_of(name))]


def same(
    one: Manifest, plan: Plan, folder: Path, files: dict[str, str], names: Sequence[str]
) -> Stage:
    """The bytes of the new build of these figures against those of the results."""
    built = {path: hashed.sha256(folder / path) for path in one.files if (folder / path).is_file()}
    found = {path: files[path] for path in built if path in files}
    failures = compare(built, found, lambda path: manifest.figures(path, plan))
    failures += [
        Failure(
            f"{manifest.MANIFEST}: {path}", digest, one.files[path], manifest.figures(path, plan)
        )
        for path, digest in built.items()
        if digest == found.get(path) != one.files[path]
    ]
    if not targets(plan, names):
        failures += [
            Failure(path, ABSENT, "a file that no job makes", manifest.figures(path, plan))
            for path in files
            if path not in built
        ]
    return Stage("rebuilt", f"{len(built):,} files, from the raw logs", failures)


def counted(plan: Plan, folder: Path, names: Sequence[str]) -> Stage:
    """Every cell of the stored grids, counted in exact fractions from newly read records."""
    failures, number = [], 0
    for name in names:
        path = paths.grid(name)
        entry = plan.figures[name]
        if not api.has(entry.kind, "trace") or not (plan.root / path).is_file():
            continue
        samples = tables.scan([folder / table for table in plan.tables(name)])
        try:
            grid, _ = tables.read(plan.root / path)
            rows = _recounted(samples, grid, entry, _logs(plan, folder, name))
        except Exception as error:  # noqa: BLE001 - a damaged grid may fail in any way
            failures.append(Failure(path, "a grid", f"unreadable: {error}".splitlines()[0], [name]))
            continue
        number += len(grid)
        failures += [
            Failure(f"{path}: {cell}", str(counted), str(value), [name])
            for cell, value, counted, agrees in rows
            if not agrees
        ]
    return Stage("counted", f"{number:,} cells, from the raw logs{_untold(plan, names)}", failures)


def _recounted(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Figure, logs: ShardIndex
) -> list[Recounted]:
    """What a kind counts once more, and what logs declare where it tells that."""
    told = api.part(entry.kind, "trace")
    rows = list(told.recounted(samples, grid, entry))
    return rows + list(told.expected(samples, grid, entry, logs) if entry.expects() else ())


def _logs(plan: Plan, folder: Path, name: str) -> ShardIndex:
    """What the logs of a figure hold and declare, newly read."""
    shards = [shard_index.read_index(folder / paths.counts(table)) for table in plan.tables(name)]
    figure = plan.figures[name]
    expect = plan.sources[figure.source].expect
    return shard_index.ShardIndex(
        shards[0].columns, shard_index.shown_logs(shards, figure), expect=expect
    )


def _untold(plan: Plan, names: Sequence[str]) -> str:
    """The figures whose cells nothing but their own kind can count."""
    told = [name for name in names if not api.has(plan.figures[name].kind, "trace")]
    return f"; but not those of {', '.join(told)}" if told else ""


NOT_BUILT = "not built"
"""The stage that tells what nobody has asked for so far: that is no failure."""


def is_part(plan: Plan) -> bool:
    """Whether there are results, and no manifest was made since."""
    place = plan.root / manifest.MANIFEST
    if hashed.other(place) != hashed.ABSENT or receipts.receipt(manifest.MANIFEST, plan.root):
        return False
    return any(receipts.is_there(path, plan.root) for path in manifest.everything(plan))


class Part:
    """What there is of some figures, and of what they share with others."""

    def __init__(self, plan: Plan, wanted: Sequence[str]) -> None:
        self.plan, self.wanted = plan, wanted
        every = [path for path in manifest.everything(plan) if self._concerns(path)]
        self.outputs = [path for path in every if receipts.is_there(path, plan.root)]
        absent = [path for path in every if path not in {*self.outputs}]
        self.gone = [path for path in absent if receipts.receipt(path, plan.root)]
        self.not_built = [path for path in absent if path not in self.gone]
        self.files = dict[str, str]()
        for output in self.outputs:
            self.files |= receipts.contents(output, plan.root)

    def _concerns(self, path: str) -> bool:
        figures = manifest.figures(path, self.plan)
        return not figures or bool({*figures} & {*self.wanted})

    def not_built_stage(self) -> Stage:
        """What is not built."""
        return Stage(NOT_BUILT, closing.parts(self.not_built, self.plan), [])

    def receipts(self, *, quick: bool) -> Stage:
        """The files against what their jobs noted of them, in the private folder."""
        known = {path: receipts.receipt(path, self.plan.root) for path in self.outputs}
        none = [path for path, one in known.items() if one is None]
        if none and quick:
            why = f"not tried: no receipts of {len(none):,} files, only a new build can tell"
            return Stage("receipts", why, [])
        failures = [Failure(path, "a file", ABSENT, self._touches(path)) for path in self.gone]
        for one in known.values():
            for path, digest in one.files.items() if one else ():
                if (found := self.files.get(path, ABSENT)) != digest:
                    failures.append(Failure(path, digest, found, self._touches(path)))
        without = f"; {len(none):,} have none" if none else ""
        return Stage("receipts", f"{len(self.files):,} files, as jobs left them{without}", failures)

    def _touches(self, path: str) -> list[str]:
        return manifest.figures(path, self.plan)

    def pictures(self, given: Sequence[str]) -> Iterator[Stage]:
        """Files that were handed in, against those that were made."""
        one = manifest.Manifest({}, self.files)
        for name in given:
            if Path(name).is_file():
                yield picture(name, one, self.plan)

    def built_anew(self, call: Call | None) -> Iterator[Stage]:
        """The same part, built anew from the raw logs, and each cell of its grids counted."""
        one = manifest.Manifest({}, self.files)
        with fresh(self.plan.root, self.outputs, call) as folder:
            yield same(one, self.plan, folder, self.files, self.wanted)
            drawn = [name for name in self.wanted if paths.grid(name) in self.files]
            if drawn:
                yield counted(self.plan, folder, drawn)


KINDS = ("tables", "grids", "specs", "figures", "pages")


def kind(path: str) -> str:
    """The stage that a file of the results belongs to."""
    parts = PurePosixPath(path).parts
    if parts[1] == "counts":
        return "tables"
    if parts[1] in KINDS and (parts[1] != "tables" or len(parts) == 4):
        return parts[1]
    return "pages"


def present(one: Manifest, plan: Plan) -> dict[str, str]:
    """Path → SHA-256 of the files that the manifest names, as they are now."""
    places = {path: plan.root / path for path in one.files}
    return {path: hashed.sha256(place) for path, place in places.items() if place.is_file()}


def results(
    one: Manifest, plan: Plan, files: dict[str, str], told: Mapping[str, str]
) -> list[Stage]:
    """The files of each stage against the manifest, and against what is `told` beside it."""
    stages = []
    for name in KINDS:
        mine = {path: digest for path, digest in one.files.items() if kind(path) == name}
        found = {path: files[path] for path in mine if path in files}
        lies = {path: hashed.other(plan.root / path) for path in mine if path not in files}
        failures = compare(mine, found, lambda path: manifest.figures(path, plan))
        # Where the next stage confirms a file, it is the manifest that is wrong.
        failures = [f for f in failures if told.get(f.path) != f.found]
        for failure in failures:
            failure.found = lies.get(failure.path, failure.found)  # a folder, say
        known = {f.path for f in failures}
        failures += [
            Failure(path, told[path], files[path], manifest.figures(path, plan))
            for path in found
            if path not in known and told.get(path, files[path]) != files[path]
        ]
        stages.append(Stage(name, f"{len(mine):,} files", failures))
    return stages


def sound(
    one: Manifest, data: bytes, plan: Plan, files: dict[str, str], told: Mapping[str, str]
) -> Stage:
    """The manifest: its own digest, its spelling, and what is `told` beside it."""
    failures = []
    if not manifest.is_sound(one, data):
        expected = manifest.signed(one).digest
        failures = [Failure(manifest.MANIFEST, expected, one.digest, list(plan.figures))]
    for path, digest in one.files.items():
        if digest != files.get(path) and told.get(path) == files.get(path, ""):
            wrong = f"{manifest.MANIFEST}: {path}"
            failures.append(Failure(wrong, told[path], digest, manifest.figures(path, plan)))
    known = {*one.files, manifest.MANIFEST}
    failures += [
        Failure(f"{manifest.MANIFEST}: {path}", "a digest", ABSENT, manifest.figures(path, plan))
        for path in sorted({*manifest.outputs(plan)} - known)
    ]
    return Stage("manifest", f"{len(one.files):,} digests", failures)


def _paper(given: str, several: Sequence[identify.Held], plan: Plan) -> Stage:
    failures = [
        Failure(f"{given}: {one.figure or one.id} ({one.where})", "as drawn", why, [one.figure])
        for one in several
        if (why := identify.standing(one, plan.root))
    ]
    return Stage("picture", numbered(len(several), "figure") + " in it", failures)


def picture(given: str, one: Manifest, plan: Plan) -> Stage:
    """A file that was handed in, perhaps from elsewhere, against the one that was made.

    Of a paper, each figure in it.
    """
    if several := identify.held(given, plan.root):
        return _paper(given, several, plan)
    found = identify.find(given, plan.root)
    form = paths.form_of(given)
    name = paths.picture(found.figure, form) if form else ""
    if found.figure not in plan.figures:
        raise Error(f"{given} shows {found.figure!r}, which is no figure of config.yaml")
    if name not in one.files:
        return Stage("picture", f"{found.figure}, found {found.how}", [])
    failures = compare(
        {given: one.files[name]}, {given: hashed.sha256(given)}, lambda _: [found.figure]
    )
    return Stage("picture", f"{found.figure}, found {found.how}", failures)
