"""Raw evaluation logs → samples → grids → specs → figures, each stage a file of its own."""

import re

from heatproof import build, ledger, worker
from heatproof.config import paths, syntax

with syntax.loading(workflow.configfiles, thorough=workflow.is_main_process) as unsound:

    configfile: "config.yaml"


plan = build.planned(config, workflow, unsound)
# Log files differ from run to run: they are no results.
LOGS = ".snakemake/heatproof/log"


def together(name):
    """A group of jobs on a cluster: several shards, or figures from grids to files."""
    return lambda wildcards: None if workflow.local_exec else name


wildcard_constraints:
    source="[^/]+",
    shard="[0-9]+",
    figure="[^/]+",


rule all:
    """Every file of every stage; deleted files are made anew."""
    input:
        plan.pieces(),
        ledger.LEDGER,
    localrule: True


include: "workflow/rules/normalize.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/publish.smk"


# A word for the files of a stage: `snakemake tables`, `snakemake grids`, `snakemake figures`.
for stage, outputs in plan.stages.items():

    rule:
        name:
            stage
        input:
            outputs,
        localrule: True


onstart:
    build.begin(plan)


onerror:
    build.fail(plan)


onsuccess:
    build.end(plan)
