"""A call of `snakemake`: the plan before its jobs, and what is said while they run and after.

Of Slurm jobs it says why one waits, failed or was refused, which Snakemake does not.
"""

from __future__ import annotations

import gc
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakemake.logging import logger

from heatproof import changes, gate, ledger, page, preview, worker
from heatproof import plan as plans
from heatproof.config import paths
from heatproof.logs import logs
from heatproof.provenance import diff, job, verify
from heatproof.samples import tables
from heatproof.util import errors, hashed, repository, terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.plan import Plan
    from heatproof.provenance.diff import FigureChange

ROOT = Path()
FORMER_BUILDS = 9  # whose printed numbers are kept
FORMER = Path(".snakemake/heatproof/former")  # grids of the last build, until they are compared
LAST_WORD = gate.LastWord()
MOST = 5  # files, figures or jobs named at most
PAYS = 8  # figures that may be spared, at least: a second start of Snakemake costs as much as four
EVERY = 60.0  # seconds between two looks at Slurm's queue: a job that waits at both is told
PREFIXED = (
    "a module of heatproof takes no prefix: its results lie in results/, as pages and proofs say. "
    "Ask for all figures in one module, or give them a folder of their own by a rule that calls "
    "`heatproof run --project FOLDER` (`heatproof guide embed`)"
)


def planned(config: dict[str, Any], workflow: Any, unsound: list[errors.Mistake]) -> Plan:
    """The plan of a config, or all its mistakes; `unsound`: those of YAML in its files.

    Pieces of the ledger that are no longer true are removed, so that their jobs are done again.
    """
    os.environ[errors.FILES] = errors.JOINED.join(map(os.path.relpath, workflow.configfiles))
    gc.set_threshold(worker.GARBAGE)
    module = not workflow.modifier.is_main_snakefile()
    if workflow.is_main_process:
        logger.addFilter(LAST_WORD.note)
    try:
        if unsound:
            raise errors.Error(unsound)
        if workflow.modifier.path_modifier.replace_prefix(paths.PAGE) != paths.PAGE:
            raise errors.Error(PREFIXED)
        plan = plans.planned(plans.settled(config) if module else config, ROOT, upstream=module)
        if workflow.is_main_process:
            _forget_untrue(plan)
            command = os.environ.get(repository.GRIDS_FIRST)
            if command and len(drawn_of_old_grids(plan)) >= PAYS:
                quietly = os.environ | {repository.GRIDS_FIRST: ""}
                subprocess.run(shlex.split(command), check=False, env=quietly)  # noqa: S603
                _forget_untrue(plan)
            if unfit := gate.unfit_files(plan):
                raise errors.Error(unfit)
            _tell_first_mistakes(plan)
    except errors.Error as error:
        # Snakemake would add lines of its own to an exception.
        terminal.say(errors.in_order(error.mistakes), error=True)
        raise SystemExit(1) from None
    return plan


def _forget_untrue(plan: Plan) -> None:
    for name, differing in ledger.forget_untrue(plan.root, plan.is_outdated).items():
        terminal.say(f"{_first_words(differing)} changed: {name} runs again", error=True)


def drawn_of_old_grids(plan: Plan) -> list[str]:
    """Figures that are drawn and whose grids are to be counted again: some may stay the same."""
    missing = set(ledger.missing_jobs(plan.jobs, ROOT))
    return [name for name in of_old_grids(plan, missing) if f"draw {name}" not in missing]


def of_old_grids(plan: Plan, missing: set[str]) -> list[str]:
    """Figures whose grids are to be counted again; `missing`: jobs that are to be done."""
    figures = []
    for name, figure in plan.figures.items():
        counted = [f"normalize {figure.source}/{shard}" for shard in plan.logs[figure.source]]
        counted.append(f"aggregate {name}")
        if not missing.isdisjoint(counted):
            figures.append(name)
    return figures


def _tell_first_mistakes(plan: Plan) -> None:
    """Tell what the first records show. Raises Error: they show mistakes, and nothing is to run."""
    if not ledger.missing_jobs(plan.jobs, ROOT):
        return
    dry = repository.is_dry(sys.argv[1:])
    # Its libraries are loaded where jobs need them too, and not here.
    mistakes = worker.call(preview.first_mistakes, plan, dry)
    if mistakes and dry:
        raise errors.Error(mistakes)
    if mistakes:
        head = "heatproof: the first records show mistakes; all that has none is made:"
        terminal.say(f"{head}\n{errors.in_order(mistakes)}\n", error=True)


def begin(plan: Plan) -> None:
    """Before the first job."""
    tables.remove_unfinished(ROOT / "results")
    job.forget()
    gate.wait_for_clock(plan, job.begun())
    job.begin()  # a log that was waited for is whole by now
    keep_former_grids(plan)
    keep_former_values(plan)
    if shutil.which("squeue"):
        logger.addFilter(_tell_failure)
        threading.Thread(target=_watch, daemon=True).start()


def keep_former_grids(plan: Plan) -> None:
    """Copy grids that are to be counted again; those of a run that was stopped stay as they are."""
    for name in of_old_grids(plan, set(ledger.missing_jobs(plan.jobs, ROOT))):
        grid, kept = Path(paths.grid(name)), FORMER / "grids" / f"{name}.parquet"
        if grid.is_file() and not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(grid, kept)


def keep_former_values(plan: Plan) -> None:
    """Copy numbers that may become others: `paper` knows stale ones by them."""
    values, folder = Path(paths.VALUES[1]), Path(paths.FORMER_VALUES)
    if values.is_file() and ledger.missing_jobs(plan.jobs, ROOT):
        folder.mkdir(parents=True, exist_ok=True)
        digest, _ = hashed.content(values)
        shutil.copyfile(values, folder / f"{digest[:16]}.json")
    kept = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    for path in kept[:-FORMER_BUILDS]:
        path.unlink()


def tell_changes(plan: Plan) -> list[str]:
    """Draw how cells differ from those of the grids that were kept, and say so in a line.

    The page of figures leads there, so there is such a page from the first build on.
    """
    names = [name for name in plan.figures if (FORMER / "grids" / f"{name}.parquet").is_file()]
    figures: list[FigureChange] = []
    for name in names:
        with suppress(errors.Error):  # a damaged grid, which is no build to compare with
            figures += diff.compared(FORMER, ROOT / "results", [name])
    shutil.rmtree(FORMER, ignore_errors=True)
    if names or not Path(paths.CHANGES).exists():
        _write_changes(figures)
    if not figures:
        return []
    return [
        f"  changed since the last build: {changes.changes_summary(figures)}, see {paths.CHANGES}"
    ]


def _write_changes(figures: Sequence[FigureChange]) -> None:
    text = changes.changes_page(figures, "the last build", "this one")
    tables.write_text(text, Path(paths.CHANGES))


def fail(plan: Plan) -> None:
    """After a run with failures, say which jobs failed, and why; the page shows all others."""
    if _is_first_pass() or not (words := job.text()):
        return
    LAST_WORD.said = True
    head = "not everything could be made; the next run continues from what is done"
    terminal.say(errors.with_file_names(f"\nheatproof: {head}\n{words}"), error=True)
    if not Path(paths.CHANGES).exists():
        _write_changes([])
    Path(ledger.place("gallery page")).unlink(missing_ok=True)
    texts = page.gallery(*what_is_drawn(plan, job.failures()))
    for text, path in zip(texts, (paths.PAGE, *paths.SUMMARY), strict=True):
        tables.write_text(text, Path(path))
    made = "results/index.html shows all that could be made"
    terminal.say(f"  {made}", error=True)


def what_is_drawn(
    plan: Plan, reasons: Mapping[str, str]
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """What the page is made of, and the figures that failed; `reasons`: job → why it failed."""
    missing = set(ledger.missing_jobs(plan.jobs, ROOT))
    read = [
        source for source, shards in plan.logs.items()
        if source in plan.shown
        and not {f"normalize {source}/{shard}" for shard in shards} & missing
    ]  # fmt: skip
    settings, failed = plan.settings("gallery", "page"), []
    drawn = {n: entry for n, entry in settings["entries"].items() if f"draw {n}" not in missing}
    for name in settings["entries"].keys() - drawn.keys():
        figure = plan.figures[name]
        jobs = [f"{rule} {name}" for rule in ("draw", "aggregate")]
        jobs += [f"normalize {figure.source}/{shard}" for shard in plan.logs[figure.source]]
        why = next((reasons[job] for job in jobs if job in reasons), "not reached yet")
        failed.append({"name": name, "title": figure.title, "why": errors.with_file_names(why)})
    settings["entries"] = drawn
    for key in ("tables", "sources", "expect"):
        settings[key] = {source: settings[key][source] for source in read}
    settings["printed"] = [n for n in settings["printed"] if f"compare_printed {n}" not in missing]
    return settings, sorted(failed, key=lambda figure: figure["name"])


def end(plan: Plan) -> None:
    """After a run without failures, say what was made."""
    if not _is_first_pass():
        lines = [summary(plan)] + tell_changes(plan)
        terminal.say(errors.with_file_names("\n".join(lines)), error=True)


def _is_first_pass() -> bool:
    """Whether grids alone are made, before all."""
    return os.environ.get(repository.GRIDS_FIRST) == ""


def summary(plan: Plan) -> str:
    """What was made, and what is left for the next run."""
    absent = set(ledger.missing_jobs(plan.jobs, ROOT))
    missing = [name for name in plan.jobs if name in absent]
    lines = [""]
    if missing:
        read = {
            name: plan.tables_of(name)
            for name, shards in plan.logs.items()
            if not {f"normalize {name}/{shard}" for shard in shards} & absent
        }
        rules: defaultdict[str, list[str]] = defaultdict(list)
        for rule, _, name in (job_name.partition(" ") for job_name in missing):
            rules[rule].append(name)
        jobs = "; ".join(f"{rule} {_first_words(names)}" for rule, names in rules.items())
        lines.append(f"heatproof: not built: {jobs}; `snakemake` makes all")
        lines += page.lines(page.sources(read, plan.root, plan.figures.values()))
    elif Path(paths.SUMMARY[1]).is_file():
        lines.append(Path(paths.SUMMARY[1]).read_text().rstrip())
    unused = errors.in_order(plan.unused_values()).splitlines()
    lines += [f"  {line}" for line in _first_lines(list(map(terminal.name, unused)))]
    lines += [f"  left for the next run: {line}" for line in _first_lines(list(_unread(plan)))]
    if orphans := verify.orphans(plan):
        names = _first_words(list(map(terminal.name, orphans)))
        lines.append(f"  no longer asked for by config.yaml: {names}; see `heatproof clean`")
    return "\n".join(lines)


def _unread(plan: Plan) -> Iterator[str]:
    """Records and logs written during this run; the next run reads them."""
    for source, shards in plan.logs.items():
        if plan.joins(source):
            continue
        for shard, listed in shards.items():
            path = Path(ledger.place(f"normalize {source}/{shard}"))
            inputs = ledger.read(path).inputs if path.is_file() else {}
            for log in (log for log in listed if log in inputs):
                size, now = inputs[log][1], plan.size(log)
                if now != size:
                    more = f"{numbered(now - size, 'byte')} more" if now > size else "written anew"
                    yield f"still being written: {terminal.name(log)}: {more}"
        there = logs.find(plan.sources[source], plan.root, logs.in_full(plan.sources[source].logs))
        for log in sorted(set(there) - {log for listed in shards.values() for log in listed}):
            yield f"new since the run began: {terminal.name(log)}"


def _first_lines(lines: Sequence[str]) -> list[str]:
    more = [f"and {len(lines) - MOST:,} more"] if len(lines) > MOST else []
    return [*lines[:MOST], *more]


def _first_words(words: Sequence[str]) -> str:
    return ", ".join(_first_lines(words)).replace(", and ", " and ")


# --------------------------------------------------------------------------------------- Slurm


def _ask(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout + (done.stderr if done.returncode else "")


TOO_LARGE = (
    "no node or partition has what it asks for, though a small job is accepted; "
    "--cores 1 asks for fewer cores, --set-resources draw:mem_mb=1000 draw:runtime=5 for less"
)
"""Why a job is refused, where Slurm says nothing against one without its resources."""


def _tell_failure(record: Any) -> bool:
    """Say why Slurm failed or refused a group of jobs; `record`: of Snakemake's log."""
    if not hasattr(record, "job_error_info"):
        return True
    places = [log for job in record.job_error_info for log in job["log"]]
    names = places[0].partition("/log/")[2].removesuffix(".log")
    names += f" and {len(places) - 1} more" if places[1:] else ""
    if number := getattr(record, "external_jobid", ""):
        state = dict(re.findall(r"(\w+)=(\S+)", _ask("scontrol", "show", "job", number)))
        how = f"{state.get('JobState', 'unknown')}, exit code {state.get('ExitCode', 'unknown')}"
        aux = ", ".join(record.aux_logs)
        words = f"Slurm job {number} ({names}) ended as {how}; its log: {aux}"
    else:
        options = re.findall(r"slurm_(partition|account)=(\S+)", " ".join(sys.argv))
        arguments = [f"--{name}={value}" for name, value in options]
        why = _ask("sbatch", "--test-only", *arguments, "--wrap=true").replace("\n", "; ")
        words = f"Slurm accepts no job for {names}: {why or TOO_LARGE}"
    terminal.say(f"heatproof: {words}", error=True)
    return True


def _watch() -> None:
    """Say why jobs of this folder wait on Slurm, each reason once."""
    before, reasons = dict[str, str](), set[str]()
    while True:
        time.sleep(EVERY)
        rows = _ask("squeue", "--me", "-h", "-t", "PENDING", "-o", "%i|%Z|%r").splitlines()
        parts = (row.split("|", 2) for row in rows if row.count("|") >= 2)
        now = {job: why for job, folder, why in parts if os.path.realpath(folder) == os.getcwd()}
        for number, why in now.items():
            if before.get(number) == why and why not in reasons:
                reasons.add(why)
                more = f"`scontrol show job {number}` says more, `scancel {number}` ends it"
                terminal.say(f"heatproof: Slurm job {number} is waiting: {why}. {more}", error=True)
        before = now
