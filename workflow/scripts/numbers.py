"""numbers: grids → the same numbers as CSV and as LaTeX tables."""

from pathlib import Path

from heatproof import figures, job, provenance, registry, tables

with job.log(snakemake.log[0], snakemake.output):
    outputs = zip(snakemake.output.csv, snakemake.output.tex, strict=True)
    for path, paths in zip(snakemake.input.grids, outputs, strict=True):
        given = snakemake.params.entries[Path(path).stem]
        kind = registry.find(figures, given["kind"], "kind", "figure kind")
        grid, record = tables.read(Path(path))
        note = " ".join(provenance.notes(record))
        texts = kind.numbers(grid, job.entry(kind.Entry, given), note)
        for text, output in zip(texts, paths, strict=True):
            tables.write_text(text, Path(output))
