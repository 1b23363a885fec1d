"""The jobs of a run with their inputs and outputs, told from the plan; no log is needed.

Beside them what is known of the files that a crate tells of: digest and size of each.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from heatproof.config import paths
from heatproof.crate.entities import of_entry
from heatproof.plan import code_digest
from heatproof.provenance import manifest, receipts
from heatproof.samples import outcome
from heatproof.util import hashed, pins
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from heatproof.plan.inventory import Noted
    from heatproof.plan.plan import Plan


Files = dict[str, list[str]]
"""What files are to a step → their paths below the project folder."""


@dataclass(frozen=True)
class Job:
    """One job; `step` and `name` tell it from all others."""

    step: str
    name: str
    inputs: Files
    outputs: Files
    settings: list[str] = field(default_factory=list)
    """Keys of config.yaml that it reads, such as `figures.r1-llama.encoding.x`."""

    @property
    def title(self) -> str:
        return f"{self.step} {self.name}".strip()


def jobs(plan: Plan) -> list[Job]:
    """All jobs of a run from nothing but the description of the run, in the order of the stages."""
    return [*_tables(plan), *_figures(plan), *_publish(plan)]


def _read(plan: Plan, *figures: str, without: Collection[str] = ()) -> list[str]:
    """The settings of figures, those of some parts left out."""
    told = (of_entry(f"figures.{name}", plan.figures[name], without) for name in figures)
    return [key for one in told for key, _ in one]


def _tables(plan: Plan) -> Iterator[Job]:
    """From logs to samples."""
    for name in plan.shards:
        source = plan.sources[name]
        noted = plan.noted(name)
        said = [key for key, _ in of_entry(f"sources.{name}", source)]
        for shard in plan.shards[name]:
            table = paths.table(name, shard)
            outputs = {
                "samples": [table],
                "rejected": [paths.rejected(table)],
                "counts": [paths.counts(table)],
                "manifest": [paths.manifest(table)],
            }
            read = {"logs": _logs(noted[shard], table, plan)}
            yield Job("normalize", f"{name}/{shard}", read, outputs, said)


def _logs(noted: Noted, table: str, plan: Plan) -> list[str]:
    """Logs and sidecars of a shard: those that were read for its table, if it is there."""
    manifest = plan.root / paths.manifest(table)
    return sorted(outcome.digests(manifest) if manifest.is_file() else noted.files)


def _figures(plan: Plan) -> Iterator[Job]:
    """From samples to the files of each figure."""
    library = [paths.LIBRARY]
    if plan.has_pages(list(plan.figures)):
        yield Job("bundle", "", {}, {"library": library})
    for name, entry in plan.figures.items():
        grid = {"grid": [paths.grid(name)], "behind": [paths.behind(name)]}
        csv, tex, page = ([paths.numbers(name, form)] for form in paths.NUMBERS)
        tables = {"tables": plan.tables(name), "counts": plan.counts(name)}
        counted = _read(plan, name, without=entry.drawing())
        yield Job("aggregate", name, tables, {**grid, "csv": csv}, counted)
        inputs = {**grid, **({"library": library} if plan.has_pages([name]) else {})}
        inputs |= {"fonts": [*fonts]} if (fonts := plan.fonts(name)) else {}
        spec, files = [paths.spec(name)], plan.files_of(name)
        said = [paths.caption(name, form) for form in paths.CAPTIONS]
        drawn = {"spec": spec, "files": files, "tex": tex, "page": page, "captions": said}
        yield Job("draw", name, inputs, drawn, _read(plan, name))


def _publish(plan: Plan) -> Iterator[Job]:
    """What is made of all figures together."""
    for one in plan.checks:
        grids = [paths.grid(figure) for figure in one.figures]
        inputs = {"grids": grids, "printed": [*one.given.values()]}
        outputs = {form: [path] for form, path in one.outputs.items()}
        said = [f"{one.key}.{name}" for name in one.given]
        yield Job(one.step, one.source, inputs, outputs, [*_read(plan, *one.figures), *said])
    for name in plan.comparable():
        source = plan.sources[name]
        tables = {shard: paths.table(name, shard) for shard in plan.shards[name]}
        noted = plan.noted(name)
        read = [path for shard in tables for path in _logs(noted[shard], tables[shard], plan)]
        inputs = {
            "tables": [*tables.values()],
            "manifests": [paths.manifest(table) for table in tables.values()],
            "printed": [*read, *plan.beside(name)],
        }
        outputs = {form: [paths.printed(name, form)] for form in paths.COMPARISON}
        said = [key for key, _ in of_entry(f"sources.{name}", source)]
        yield Job("compare_printed", name, inputs, outputs, said)
    looked = {"specs": plan.specs(), "files": [*plan.pictures().values()]}
    yield Job("pictures", "", looked, {"pictures": [manifest.PICTURES]})
    inputs = {
        "specs": plan.specs(),
        "files": plan.files(),
        "manifests": plan.manifests(),
        "rejected": [paths.rejected(table) for table in plan.samples()],
        "numbers": plan.numbers(),
        "printed": plan.printed_by_harness(),
    }
    yield Job(
        "gallery",
        "",
        inputs,
        {"page": [paths.PAGE], "readme": [paths.README], "summary": list(paths.SUMMARY)},
        _read(plan, *plan.figures),
    )


LICENSE = "LICENSE"
INDEX = receipts.FOLDER / "crate.json"


class Known(NamedTuple):
    """What is known of a file."""

    digest: str
    size: int
    kind: str = "sha256"
    """Of the digest."""


def beside() -> dict[str, str]:
    """Path → SHA-256 of what lies beside the workflow's code: its licence and its pins."""
    paths = {name: code_digest.REPOSITORY / name for name in (LICENSE, pins.NAME)}
    return {name: hashed.sha256(path) for name, path in paths.items() if path.is_file()}


def read(jobs: Sequence[Job], root: Path) -> dict[str, Known]:
    """What is known of the files of jobs.

    Raises:
        Error: there is a log that no job has read.
    """
    named = {
        path
        for job in jobs
        for side in (job.inputs, job.outputs)
        for paths in side.values()
        for path in paths
    }
    logs = _log_files(jobs, root)
    index = hashed.Index(root / INDEX, hashed.sha256)
    digests = index.digests(sorted(named - logs.keys()), root)
    index.save()
    files = {path: Known(digest, _size(root, path)) for path, digest in digests.items()}
    return files | logs


def _log_files(jobs: Iterable[Job], root: Path) -> dict[str, Known]:
    """What is known of raw logs, from those that read them: they may be too long to read again."""
    found: dict[str, Known] = {}
    for job in jobs:
        if read := job.inputs.get("logs"):
            (manifest,) = job.outputs["manifest"]
            told = outcome.known(root / manifest)
            if new := [path for path in read if path not in told]:
                raise Error(f"{new[0]} came while the logs were read; run snakemake again")
            found |= {path: Known(*told[path], "blake3") for path in read}
    return found


def _size(root: Path, path: str) -> int:
    return os.path.getsize(os.path.join(root, path))  # a Path takes longer to make than to ask
