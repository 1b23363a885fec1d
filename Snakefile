"""Raw evaluation logs → samples → grids → specs → figures, each stage a file of its own."""

import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# The library is used from where it lies; scripts inherit the path.
LIBRARY = str(Path(str(workflow.current_basedir)) / "workflow" / "src")
sys.path.insert(0, LIBRARY)
os.environ["PYTHONPATH"] = LIBRARY
# A job has one core: on a large node polars would start as many threads as that has.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# Large blocks stay with the process that freed them. By default glibc gives them back and takes them
# again, page by page: a tenth of the time in which logs are read and counted.
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(1 << 25))
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 26))

from heatproof.crate.files import beside
from heatproof.provenance import artefacts, manifest, mistakes
from heatproof.proof import brought, closing
from heatproof.cluster import orphans
from heatproof.provenance import runs, unsettled
from heatproof.plan import called
from heatproof.util import errors, terminal
from heatproof.provenance import job
from heatproof.config import paths, syntax
from heatproof.cluster import remote
from heatproof.cluster import tries, waiting
from heatproof.cluster.asking import Asking
from heatproof.util.errors import Error
from heatproof.plan.plan import Plan
from heatproof.samples import temporary

with syntax.Loading(workflow.configfiles, workflow.is_main_process) as loading:

    configfile: "config.yaml"


# Mistakes are told under the name of the file they stand in; a module has it from whoever uses it.
named = [os.path.relpath(path) for path in workflow.configfiles]
os.environ[errors.NAMED] = " + ".join(dict.fromkeys(named)) or "config"
# Of a module Snakemake takes the rules, not the last words of a run: there, jobs tell them.
os.environ.pop(job.TELL, None)
if not workflow.modifier.is_main_snakefile():
    os.environ[job.TELL] = "1"


def told(error):
    """What is wrong with what a user wrote or has, in plain words."""
    # Under `--quiet all` Snakemake says nothing, not even why it ends.
    if any(one.name == "ALL" for one in workflow.output_settings.quiet or ()):
        terminal.say(f"heatproof: {errors.said(error)}", error=True)
    return WorkflowError(terminal.plain(errors.said(error)))


try:
    loading.require_sound()
    if workflow.modifier.path_modifier.replace_prefix(artefacts.MANIFEST) != artefacts.MANIFEST:
        raise Error(
            "results stay in results/, for pages and proofs name them so: leave prefix and "
            "replace_prefix out of the module, and call snakemake in a folder of its own (--directory)"
        )
    if not workflow.is_main_process:
        runs.require_current(Path())
        tries.tell()
    plan = Plan(config, Path(), scan=workflow.is_main_process)
    if workflow.is_main_process:
        plan.require_figures()
        plan.require_known()
        settings = workflow.config_settings
        files, over = workflow.configfiles, settings.configfiles
        called.note(Path(), workflow.main_snakefile, files, over, settings.config, config)
    every = artefacts.everything(plan)
except Error as error:
    raise told(error) from None


def watch() -> None:
    """Tell of jobs that Slurm does not start; not in `onstart`, which a module does not hand on."""
    waiting.hush(logger)
    waiting.watch(Path())


# What the rules ask for fits what Slurm counted for a job: 230 MB for Snakemake, 370 MB for each table
# in work (reading logs takes no more when they are longer), 450 MB for a figure.
asking = Asking(workflow, watch)
# What jobs said and how long they took differs from run to run: it is no result.
LOGS = mistakes.LOGS.as_posix()
BENCHMARKS = ".snakemake/heatproof/benchmark"
# On a cluster, several shards, or figures from grids to files, are one job: `group-components`.
groups = {name: None if workflow.local_exec else name for name in ("tables", "figures")}

# Jobs keep what Snakemake caches in this folder: a node may see no home. What a killed run locked is
# set free.
if workflow.is_main_process:
    os.environ["XDG_CACHE_HOME"] = str(Path(".snakemake/cache").resolve())
    runs.sign()
    runs.free(Path())


before = {}
# With remote storage, `results` leads to local copies of what lies there. Without, what is not as
# its job left it is made again.
if workflow.storage_settings.default_storage_provider:
    prefix = workflow.storage_settings.default_storage_prefix.rstrip("/")
    place = workflow.storage_registry.default_storage_provider.object(f"{prefix}/results")
    try:
        remote.link(every, str(place.local_path()), Path())
    except Error as error:
        raise told(error) from None
elif workflow.is_main_process:
    remote.unlink(every, Path())
    try:
        artefacts.require_places(plan)
    except Error as error:
        raise told(error) from None
    if not runs.locked(Path()):
        temporary.clear(Path("results"))
    damaged, doubtful = artefacts.damaged(plan), brought.doubtful(plan)
    changed = [path for path in unsettled.results(Path()) if path in every and Path(path).exists()]
    runs.mark(damaged, Path())
    runs.mark(doubtful, Path(), "came without a record that confirms it")
    runs.mark(changed, Path(), "is of logs that changed while they were read")


wildcard_constraints:
    source="[^/]+",
    shard="[0-9]+",
    figure="[^/]+",


rule all:
    """Every file of every stage: what is deleted is made anew."""
    input:
        every,
    localrule: True


# `localrule: True`: what takes less time than its submission runs where `snakemake` was called. Each
# rule says so itself, for `localrules` names them as they are called here, and a module renames them.
include: "workflow/rules/normalize.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/seal.smk"


# Words for what is made at a stage: `snakemake tables`, `snakemake grids`, `snakemake figures`.
for stage, outputs in plan.stages.items():

    rule:
        name:
            stage
        input:
            outputs,
        localrule: True


onstart:
    runs.hold(Path())
    try:
        orphans.end(Path())
    except Error as error:
        raise told(error) from None
    tries.forget(Path())
    manifest.forget_absent(every, Path())
    mistakes.forget()
    before.update(closing.seen(every, Path()))
    for note in plan.config.notes:
        terminal.say(errors.said(note), error=True)
    # So many jobs a second is a limit for clusters; here its timer would hold up the end of the run.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onerror:
    if said := closing.failure():
        terminal.say(f"\nheatproof: {errors.said(said)}", error=True)


onsuccess:
    from heatproof.provenance import growing

    words = closing.text(plan, closing.asked(workflow.dag_settings), before)
    said = "\n".join(filter(None, [words, growing.text(plan.followed(), Path())]))
    terminal.say(f"\n{errors.said(said)}", error=True)
