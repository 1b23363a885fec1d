"""reconstruct: a table of printed digits → per-run logs with exactly these counts."""

from pathlib import Path

from heatproof.paper import published, reconstruction
from heatproof.provenance import job

with job.log(snakemake.log[0], snakemake.output):
    rows = published.read(Path(snakemake.input[0]).read_text())
    folder = Path(snakemake.output[0])
    folder.mkdir(parents=True)
    for name, text in reconstruction.reconstruct(rows).items():
        (folder / name).write_text(text)
