"""numbers: grids → the same numbers as CSV and as LaTeX tables."""

from pathlib import Path

from heatproof import job, kinds, numbers, provenance, tables

with job.log(snakemake.log[0], snakemake.output):
    outputs = zip(snakemake.output.csv, snakemake.output.tex, strict=True)
    for path, paths in zip(snakemake.input.grids, outputs, strict=True):
        given = snakemake.params.entries[Path(path).stem]
        _, entry = kinds.read(given)
        grid, record = tables.read(Path(path))
        note = " ".join(provenance.notes(record))
        room = kinds.own(numbers, entry.kind)
        texts = room.csv(grid, entry), room.latex(grid, entry, note)
        for text, output in zip(texts, paths, strict=True):
            tables.write_text(text, Path(output))
