"""draw: grids → Altair charts as Vega-Lite specs, data and provenance inside."""

from pathlib import Path

from heatproof import job, kinds, provenance, remote, tables
from heatproof.charts import spec

with job.log(snakemake.log[0], snakemake.output), spec.unchecked():
    inputs = [Path(remote.named(path)) for path in snakemake.input]
    for path, output in zip(inputs, snakemake.output, strict=True):
        given = snakemake.params.entries[path.stem]
        kind, entry = kinds.read(given)
        grid, record = tables.read(path)
        record = provenance.of_spec(record, given, path, snakemake.params.code[path.stem])
        chart = kind.draw(grid, entry, notes=provenance.notes(record))
        tables.write_text(spec.text(chart, record), Path(output))
