"""seal: all that was made → digests of pictures and files, and the run told as an RO-Crate."""

from pathlib import Path

from heatproof import job, remote, tables
from heatproof.crates import crate, jobs
from heatproof.plan import Plan
from heatproof.proof import manifest, pictures

with job.log(snakemake.log[0], snakemake.output):
    seen = pictures.seen(snakemake.params.pictures, Path())
    tables.write_text(manifest.text(seen), Path(snakemake.output.pictures))
    plan = Plan(snakemake.config, Path())
    done = jobs.jobs(plan)
    files, folders = crate.read(done, Path())
    text = crate.crate(done, jobs.settings(plan), files, folders, snakemake.params.program)
    tables.write_text(text, Path(snakemake.output.crate))
    made = [*snakemake.input, snakemake.output.crate, snakemake.output.pictures]
    made = [remote.named(path) for path in made]
    one = manifest.of(snakemake.params.build, made, Path())
    tables.write_text(manifest.text(one), Path(snakemake.output.manifest))
