"""crate: all that was made → its description as an RO-Crate."""

from pathlib import Path

from heatproof import job, tables
from heatproof.crates import crate, jobs
from heatproof.plan import Plan

with job.log(snakemake.log[0], snakemake.output):
    plan = Plan(snakemake.config, Path())
    done = jobs.jobs(plan)
    files, folders = crate.read(done, Path())
    settings, program = jobs.settings(plan), snakemake.params.program
    text = crate.crate(done, settings, files, folders, program)
    tables.write_text(text, Path(snakemake.output[0]))
