"""Raw evaluation logs → samples → grids → specs → figures, each stage a file of its own."""

import re

from heatproof import build
from heatproof.config import paths, syntax
from heatproof.ledger import pieces

with syntax.Loading(workflow.configfiles, workflow.is_main_process) as loading:

    configfile: "config.yaml"


plan = build.planned(config, workflow, loading)
# What jobs said differs from run to run: it is no result.
LOGS = ".snakemake/heatproof/log"


def outside(paths):
    """Files that no rule here makes: their names are no module's, and they are in no storage."""
    return [local(path) for path in plan.led(paths)]


def together(name):
    """A group on a cluster: several shards, or figures from grids to files, are one job there."""
    return lambda wildcards: None if workflow.local_exec else name


wildcard_constraints:
    source="[^/]+",
    shard="[0-9]+",
    figure="[^/]+",


rule all:
    """Every file of every stage: what is deleted is made anew."""
    input:
        plan.results(),
        pieces.LEDGER,
        plan.never(),
    localrule: True


include: "workflow/rules/normalize.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/paper.smk"


if plan.left_out:

    rule left_out:
        """Fail, so that a run which left something out is not taken for a whole one."""
        output:
            plan.never(),
        priority: -1
        localrule: True
        shell:
            "exit 1"


# Words for what is made at a stage: `snakemake tables`, `snakemake grids`, `snakemake figures`.
for stage, outputs in plan.stages.items():

    rule:
        name:
            stage
        input:
            outputs,
            plan.never(),
        localrule: True


onstart:
    build.begin()


onerror:
    build.say(build.failure(plan))


onsuccess:
    build.say(build.summary(plan))
