"""A build: what a call of `snakemake` does before its jobs, and says after them."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from heatproof import slurm
from heatproof.config import paths
from heatproof.ledger import pieces
from heatproof.logs import logs
from heatproof.page import summary as told
from heatproof.plan import embedded, left_out, mistakes
from heatproof.provenance import clean, job
from heatproof.samples import tables
from heatproof.util import errors, terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.config.syntax import Loading
    from heatproof.plan.plan import Plan

ROOT = Path()
NAMED = 5
"""Files or figures named at most, of each kind."""


def planned(config: dict[str, Any], workflow: Any, loading: Loading) -> Plan:
    """The plan of a config; `workflow` is Snakemake's, `loading` how it read the files.

    All mistakes are told at once, under the names of the files that they stand in.
    """
    files, main = workflow.configfiles, workflow.is_main_process
    os.environ[errors.NAMED] = errors.JOINED.join(os.path.relpath(path) for path in files)
    keep_going = left_out.is_asked(sys.argv[1:]) or not main
    module = not workflow.modifier.is_main_snakefile()
    try:
        loading.require_sound()
        prefix = embedded.folder(workflow.modifier.path_modifier.replace_prefix)
        raw = embedded.handed_on(config, prefix) if module else config
        plan = mistakes.planned(raw, Path(prefix), upstream=module, keep_going=keep_going)
    except errors.Error as error:
        _refuse(error, workflow.modifier.path_modifier.replace_prefix(""))
    job.tell_refusals(module)
    if module and os.environ.get("ARROW_DEFAULT_MEMORY_POOL") == "system":
        del os.environ["ARROW_DEFAULT_MEMORY_POOL"]  # for jobs of the other workflow; ours set it
    if main and not module:
        # Jobs keep what Snakemake caches in this folder: a node may see no home.
        os.environ["XDG_CACHE_HOME"] = str(Path(".snakemake/cache").resolve())
    if main:
        _prepare(plan)
    return plan


def _refuse(error: errors.Error, prefix: str) -> NoReturn:
    """Tell all mistakes, and nothing but them: Snakemake would add lines of its own."""
    words = errors.in_order(error.mistakes)
    words += f"\nin the module with the prefix {prefix}" if prefix else ""
    if spared := getattr(error, "spared", ()):
        words += f"\n{left_out.way_on(spared)}"
    terminal.say(words, error=True)
    raise SystemExit(1) from None


def _prepare(plan: Plan) -> None:
    """Before Snakemake looks at the results: what is not true any more is to be made again."""
    if plan.left_out:
        words = errors.in_order(plan.left_out.lines())
        names = ", ".join(plan.left_out.figures)
        terminal.say(f"left out ({left_out.OPTION}): {names}; for\n{words}\n", error=True)
    # Snakemake will refuse to run beside another run: what that one goes by is left alone.
    if not clean.is_locked(ROOT):
        if wrong := clean.misplaced(plan):
            wrong.append("move it away (or remove it) and run snakemake again")
            terminal.say("\n".join(wrong), error=True)
            raise SystemExit(1)
        forget(plan)


def forget(plan: Plan) -> None:
    """Remove each piece of the ledger that is not true any more: its job is done again.

    One that an earlier call removed, perhaps a dry run, and that is true again, is put back.
    """
    places = plan.pieces()
    for job_name, piece in pieces.removed(plan.root).items():
        path = pieces.place(job_name)
        if path in places and not plan.is_outdated(piece) and pieces.is_true(piece, plan.root):
            pieces.keep(piece, plan.root)
    for name, differing in pieces.forget_untrue(plan.root).items():
        terminal.say(f"{_some(differing)} changed: {name} is done again", error=True)
    # Snakemake sees the same by its own records; results that came without these are known by this.
    for path in places:
        if (plan.root / path).is_file() and plan.is_outdated(pieces.read(plan.root / path)):
            (plan.root / path).unlink()


def begin() -> None:
    """Before the first job.

    Raises:
        WorkflowError: Slurm has no such partition.
    """
    tables.remove_unfinished(ROOT / "results")
    job.forget()
    try:
        slurm.follow(ROOT, logger, sys.argv)
    except errors.Error as error:
        raise WorkflowError(terminal.plain(str(error))) from None


def failure(plan: Plan) -> str:
    """What is told at the end of a run in which some job failed."""
    words = [*filter(None, [errors.in_order(plan.left_out.lines()), job.text()])]
    if not words:
        return ""
    head = "not everything could be made; what was made stays, and the next run goes on from there"
    return "\n".join([f"\nheatproof: {head}", *words])


def summary(plan: Plan) -> str:
    """What is told at the end of a run in which nothing failed."""
    missing = [pieces.job_of(path) for path in plan.pieces() if not Path(path).is_file()]
    lines = [""]
    if missing:
        read = {
            name: plan.tables_of(name)
            for name, shards in plan.shards.items()
            if not {f"normalize {name}/{shard}" for shard in shards} & {*missing}
        }
        lines.append(f"heatproof: not built: {_jobs(missing)}; `snakemake` makes all")
        lines += told.lines(told.sources(read, plan.root, [], plan.figures.values()))
    elif Path(paths.SUMMARY[1]).is_file():
        lines.append(Path(paths.SUMMARY[1]).read_text().rstrip())
    idle = [terminal.name(line) for line in errors.in_order(plan.unborne()).splitlines()]
    lines += [f"  {line}" for line in _first(idle)]
    lines += [f"  left for the next run: {line}" for line in _first([*_unread(plan)])]
    if strays := clean.strays(plan):
        names = _some([*map(terminal.name, strays)])
        lines.append(f"  no part of what config.yaml asks for: {names}; see `heatproof clean`")
    return "\n".join(lines)


def say(words: str) -> None:
    """Say something at the end, if there is something to be said."""
    if words:
        terminal.say(errors.named(words), error=True)


def _jobs(names: Iterable[str]) -> str:
    """Jobs in words: rule, and of what."""
    rules: defaultdict[str, list[str]] = defaultdict(list)
    for rule, _, name in (one.partition(" ") for one in names):
        rules[rule].append(name)
    return "; ".join(f"{rule} {_some(mine)}" for rule, mine in rules.items())


def _unread(plan: Plan) -> Iterator[str]:
    """What of the logs was left for the next run, for it was written while this one was at work."""
    for source, shards in plan.logs.items():
        for shard, listed in shards.items():
            path = Path(pieces.place(f"normalize {source}/{shard}"))
            inputs = pieces.read(path).inputs if path.is_file() else {}
            for log in (log for log in listed if log in inputs):
                size, now = inputs[log][1], pieces.size(log)
                if now != size:
                    more = f"{numbered(now - size, 'byte')} more" if now > size else "written anew"
                    yield f"still being written: {terminal.name(log)}: {more}"
        there = logs.find(plan.sources[source], plan.root, logs.in_full(plan.sources[source].logs))
        for log in sorted({*there} - {one for listed in shards.values() for one in listed}):
            yield f"new since the run began: {terminal.name(log)}"


def _first(lines: Sequence[str]) -> list[str]:
    more = [f"and {len(lines) - NAMED:,} more"] if len(lines) > NAMED else []
    return [*lines[:NAMED], *more]


def _some(words: Sequence[str]) -> str:
    return ", ".join(_first(words)).replace(", and ", " and ")
