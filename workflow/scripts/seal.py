"""seal: all that was made → the run told as an RO-Crate, and the digests of all files."""

from pathlib import Path

from heatproof.cluster import remote
from heatproof.crate import crate, jobs
from heatproof.crate.entities import settings
from heatproof.plan.plan import Plan
from heatproof.provenance import job, manifest
from heatproof.samples import tables

with job.at_home(snakemake):
    plan = Plan(snakemake.params.config, Path(), scan=False)
    done = jobs.jobs(plan)
    found = jobs.read(done, Path())
    program = {**snakemake.params.build["code"], **snakemake.params.beside}
    text = crate.crate(done, settings(plan), found, program)
    tables.write_text(text, Path(snakemake.output.crate))
    made = [remote.named(path) for path in [*snakemake.input, snakemake.output.crate]]
    digests = {path: one.digest for path, one in found.items() if one.kind == "sha256"}
    one = manifest.of(snakemake.params.build, made, Path(), digests)
    tables.write_text(manifest.text(one), Path(snakemake.output.manifest))
