"""A build: what a call of `snakemake` does before its jobs, and says after them."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakemake.logging import logger

from heatproof import ledger, slurm
from heatproof.config import paths
from heatproof.logs import logs
from heatproof.page import summary as summaries
from heatproof.plan import mistakes
from heatproof.provenance import clean, job
from heatproof.samples import tables
from heatproof.util import errors, terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.plan.plan import Plan

ROOT = Path()
MOST = 5
"""Files, figures or jobs named at most."""
PREFIXED = (
    "a module of heatproof takes no prefix: its results lie in results/, as pages and proofs say. "
    "Ask for all figures in one module, or give them a folder of their own by a rule that calls "
    "`heatproof run --project FOLDER` (docs/embed.md)"
)


def planned(config: dict[str, Any], workflow: Any, unsound: list[errors.Mistake]) -> Plan:
    """The plan of a config; `workflow` is Snakemake's; `unsound`: what is no YAML in its files.

    All mistakes are told at once, under the names of the files that they stand in.
    """
    os.environ[errors.NAMED] = errors.JOINED.join(map(os.path.relpath, workflow.configfiles))
    module = not workflow.modifier.is_main_snakefile()
    try:
        if unsound:
            raise errors.Error(unsound)
        if workflow.modifier.path_modifier.replace_prefix(paths.PAGE) != paths.PAGE:
            raise errors.Error(PREFIXED)
        raw = mistakes.settled(config) if module else config
        plan = mistakes.planned(raw, ROOT, upstream=module)
    except errors.Error as error:
        # Nothing but the mistakes: Snakemake would add lines of its own.
        terminal.say(errors.in_order(error.mistakes), error=True)
        raise SystemExit(1) from None
    if workflow.is_main_process:
        forget(plan)
    return plan


def forget(plan: Plan) -> None:
    """Remove each piece of the ledger that is not true any more: its job is done again."""
    for name, differing in ledger.forget_untrue(plan.root).items():
        terminal.say(f"{_some(differing)} changed: {name} is done again", error=True)
    # Snakemake sees the same by its own records; results that came without these are known by this.
    for path in (plan.root / place for place in plan.pieces()):
        if path.is_file() and plan.is_outdated(ledger.read(path)):
            path.unlink()


def begin() -> None:
    """Before the first job."""
    tables.remove_unfinished(ROOT / "results")
    job.forget()
    slurm.follow(logger, sys.argv)


def fail() -> None:
    """At the end of a run in which some job failed, say which, and why."""
    if words := job.text():
        head = "not everything could be made; what was made stays, the next run goes on from there"
        terminal.say(errors.with_file_names(f"\nheatproof: {head}\n{words}"), error=True)


def end(plan: Plan) -> None:
    """At the end of a run in which nothing failed, say what was made."""
    terminal.say(errors.with_file_names(summary(plan)), error=True)


def summary(plan: Plan) -> str:
    """What was made, and what is left for the next run."""
    missing = [ledger.job_at(path) for path in plan.pieces() if not Path(path).is_file()]
    lines = [""]
    if missing:
        read = {
            name: plan.tables_of(name)
            for name, shards in plan.shards.items()
            if not {f"normalize {name}/{shard}" for shard in shards} & {*missing}
        }
        lines.append(f"heatproof: not built: {_jobs(missing)}; `snakemake` makes all")
        lines += summaries.lines(summaries.sources(read, plan.root, [], plan.figures.values()))
    elif Path(paths.SUMMARY[1]).is_file():
        lines.append(Path(paths.SUMMARY[1]).read_text().rstrip())
    unused = errors.in_order(plan.unused_values()).splitlines()
    lines += [f"  {line}" for line in _first([*map(terminal.name, unused)])]
    lines += [f"  left for the next run: {line}" for line in _first([*_unread(plan)])]
    if orphans := clean.orphans(plan):
        names = _some([*map(terminal.name, orphans)])
        lines.append(f"  no part of what config.yaml asks for: {names}; see `heatproof clean`")
    return "\n".join(lines)


def _jobs(names: Iterable[str]) -> str:
    """Jobs in words: rule, and of what."""
    rules: defaultdict[str, list[str]] = defaultdict(list)
    for rule, _, name in (job_name.partition(" ") for job_name in names):
        rules[rule].append(name)
    return "; ".join(f"{rule} {_some(listed)}" for rule, listed in rules.items())


def _unread(plan: Plan) -> Iterator[str]:
    """What of the logs was left for the next run, for it was written while this one was at work."""
    for source, shards in plan.logs.items():
        for shard, listed in shards.items():
            path = Path(ledger.place(f"normalize {source}/{shard}"))
            inputs = ledger.read(path).inputs if path.is_file() else {}
            for log in (log for log in listed if log in inputs):
                size, now = inputs[log][1], plan.size(log)
                if now != size:
                    more = f"{numbered(now - size, 'byte')} more" if now > size else "written anew"
                    yield f"still being written: {terminal.name(log)}: {more}"
        there = logs.find(plan.sources[source], plan.root, logs.in_full(plan.sources[source].logs))
        for log in sorted({*there} - {log for listed in shards.values() for log in listed}):
            yield f"new since the run began: {terminal.name(log)}"


def _first(lines: Sequence[str]) -> list[str]:
    more = [f"and {len(lines) - MOST:,} more"] if len(lines) > MOST else []
    return [*lines[:MOST], *more]


def _some(words: Sequence[str]) -> str:
    return ", ".join(_first(words)).replace(", and ", " and ")
