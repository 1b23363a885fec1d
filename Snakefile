"""Raw evaluation logs → samples → grids → specs → figures, each stage a file of its own."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# The library is used from where it lies; scripts inherit the path.
LIBRARY = str(Path(str(workflow.current_basedir)) / "workflow" / "src")
sys.path.insert(0, LIBRARY)
os.environ["PYTHONPATH"] = LIBRARY

from heatproof.errors import Error
from heatproof.plan import Plan


configfile: "config.yaml"


try:
    plan = Plan(config, Path())
except Error as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    source="[^/]+",
    shard="[0-9]+",
    figure="[^/]+",


rule all:
    """Every stage of every figure: what is deleted is made anew."""
    input:
        plan.samples(),
        plan.grids(),
        plan.specs(),
        plan.files(),
        expand("results/tables/{figure}.{form}", figure=plan.figures, form=["csv", "tex"]),
        expand("results/published/{source}.csv", source=plan.checked()),
        "results/index.html",


include: "workflow/rules/normalize.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/export.smk"
include: "workflow/rules/publish.smk"


onstart:
    for note in plan.config.notes:
        print(note, file=sys.stderr)


onsuccess:
    from heatproof import summary

    print(f"\n{summary.text(plan)}", file=sys.stderr)
