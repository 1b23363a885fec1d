"""verify, part two: everything once more, from the raw logs, with nothing made before."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.config import paths
from heatproof.kinds import api
from heatproof.plan import called
from heatproof.proof import bytecode
from heatproof.proof.checks import ABSENT, Failure, Stage, compare
from heatproof.provenance import artefacts
from heatproof.samples import held, tables
from heatproof.util import hashed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.config.entries import Figure
    from heatproof.kinds.cell_records import Recounted
    from heatproof.plan.called import Call
    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest
    from heatproof.samples.held import Held
    from heatproof.util.lazy import polars as pl

LEFT_OUT = {"results", ".snakemake", ".git"}


@contextmanager
def fresh(root: Path, targets: Sequence[str] = (), call: Call | None = None) -> Iterator[Path]:
    """A folder in which the project is built anew, as the last run was or the one of a `call`.

    It is gone afterwards.

    Logs, config and code are those of the project; nothing of its results can be seen from there.

    Raises:
        Error: the build fails.
    """
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        folder = Path(name)
        for entry in root.resolve().iterdir():
            if entry.name not in LEFT_OUT:
                (folder / entry.name).symlink_to(entry)
        done = _snakemake(folder, _options(call or called.last(root), root, folder), targets)
        if done.returncode:
            said = done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
            raise Error(f"the build from the raw logs failed:\n{said[-2000:]}")
        yield folder


def _options(call: Call, root: Path, folder: Path) -> list[str]:
    """Options that name Snakefile and config of a call; what it laid over, as a file of its own."""
    options = ["--snakefile", str(folder / call.snakefile)]
    if over := call.over(root):
        path = folder / ".snakemake" / "over.json"
        path.parent.mkdir()
        path.write_bytes(msgspec.json.encode(over, enc_hook=str))
        options += ["--configfile", str(path)]
    return options


def _snakemake(
    folder: Path, options: Sequence[str], targets: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    """A run in a folder, with no setting of the surroundings and no bytecode made before."""
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--quiet", "all"]
    with bytecode.private() as given:
        surroundings = {k: v for k, v in given.items() if not k.startswith("SNAKEMAKE_")}
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
    failures = compare(built, found, lambda path: artefacts.figures(path, plan))
    failures += [
        Failure(
            f"{artefacts.MANIFEST}: {path}", digest, one.files[path], artefacts.figures(path, plan)
        )
        for path, digest in built.items()
        if digest == found.get(path) != one.files[path]
    ]
    if not targets(plan, names):
        failures += [
            Failure(path, ABSENT, "a file that no job makes", artefacts.figures(path, plan))
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
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Figure, logs: Held
) -> list[Recounted]:
    """What a kind counts once more, and what logs declare where it tells that."""
    told = api.part(entry.kind, "trace")
    rows = list(told.recounted(samples, grid, entry))
    return rows + list(told.expected(samples, grid, entry, logs) if entry.expects() else ())


def _logs(plan: Plan, folder: Path, name: str) -> Held:
    """What the logs of a figure hold and declare, newly read."""
    shards = [held.read(folder / paths.counts(table)) for table in plan.tables(name)]
    figure = plan.figures[name]
    expect = plan.sources[figure.source].expect
    return held.Held(shards[0].columns, held.shown(shards, figure), expect=expect)


def _untold(plan: Plan, names: Sequence[str]) -> str:
    """The figures whose cells nothing but their own kind can count."""
    told = [name for name in names if not api.has(plan.figures[name].kind, "trace")]
    return f"; but not those of {', '.join(told)}" if told else ""
