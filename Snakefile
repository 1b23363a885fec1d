"""Raw evaluation logs → samples → grids → specs → figures, each stage a file of its own."""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

# In a clone the library is used from where it lies, and scripts inherit the path; where it is
# installed, this file lies inside it, or comes from a repository elsewhere.
LIBRARY = Path(str(workflow.current_basedir)) / "workflow" / "src"
standing_alone = workflow.modifier.is_main_snakefile()
if (LIBRARY / "heatproof").is_dir():
    found = find_spec("heatproof")
    if not (found and found.origin and (LIBRARY / "heatproof").samefile(Path(found.origin).parent)):
        sys.path.insert(0, str(LIBRARY))
        others = [] if standing_alone else filter(None, [os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join([str(LIBRARY), *others])
elif not find_spec("heatproof"):
    raise ModuleNotFoundError(
        "these are the rules without the library that they run: install heatproof beside snakemake "
        "(pip install heatproof)"
    )
if standing_alone:
    # A job has one core: on a large node polars would start as many threads as that has.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    # Large blocks stay with the process that freed them. By default glibc gives them back and takes
    # them again, page by page: a tenth of the time in which logs are read and counted.
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(1 << 25))
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 26))

pool = os.environ.get("ARROW_DEFAULT_MEMORY_POOL")
from heatproof.build import Build, refused, stopped
from heatproof.config import paths, syntax
from heatproof.crate.jobs import beside
from heatproof.provenance import job, manifest
from heatproof.util import repository
from heatproof.util.errors import Error

if not (standing_alone or pool):  # jobs of the other workflow are left as they are; ours set it
    os.environ.pop("ARROW_DEFAULT_MEMORY_POOL", None)

with syntax.Loading(workflow.configfiles, workflow.is_main_process) as loading:

    configfile: "config.yaml"


try:
    if not Path(str(workflow.current_basedir)).is_dir():
        repository.require_same(lambda path: workflow.source_path(path))
    build = Build(workflow, config, loading)
except Error as error:
    raise refused(workflow, error) from None

plan, asking = build.plan, build.asking
# What jobs said and how long they took differs from run to run: it is no result.
LOGS = job.LOGS.as_posix()
BENCHMARKS = ".snakemake/heatproof/benchmark"


wildcard_constraints:
    source="[^/]+",
    shard="[0-9]+",
    figure="[^/]+",


rule all:
    """Every file of every stage: what is deleted is made anew."""
    input:
        build.every,
        build.left_out,
    localrule: True


# `localrule: True`: what takes less time than its submission runs where `snakemake` was called. Each
# rule says so itself, for `localrules` names them as they are called here, and a module renames them.
include: "workflow/rules/normalize.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/seal.smk"


if build.left_out:

    include: "workflow/rules/left_out.smk"


# Words for what is made at a stage: `snakemake tables`, `snakemake grids`, `snakemake figures`.
for stage, outputs in plan.stages.items():

    rule:
        name:
            stage
        input:
            outputs,
            build.left_out,
        localrule: True


onstart:
    try:
        build.begin()
    except Error as error:
        raise stopped(workflow, error) from None


onerror:
    build.fail()


onsuccess:
    build.end()
