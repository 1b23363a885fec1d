"""draw: grids → Altair charts as Vega-Lite specs, data and provenance inside."""

from pathlib import Path

from heatproof.charts import spec
from heatproof.cluster import remote
from heatproof.kinds import api
from heatproof.provenance import failed, provenance
from heatproof.provenance.batch import batch
from heatproof.samples import tables

with batch("draw", snakemake.log[0]) as figures:
    inputs = [Path(remote.named(path)) for path in snakemake.input]
    for path, output in zip(inputs, snakemake.output, strict=True):
        with figures.one(path.stem, [output]):
            failed.require_made([path])
            given, code = (snakemake.params[of][path.stem] for of in ("entries", "code"))
            grids = figures.digests([path])
            if figures.stands(path.stem, [output], [given, code, grids], grids):
                continue
            entry = api.read(given)
            grid, record = tables.read(path)
            record = provenance.of_spec(record, given, grids, code)
            # here, not around all: where nothing is drawn Altair is not loaded
            with spec.unchecked():
                notes = provenance.notes(record)
                chart = api.part(entry.kind, "draw").draw(grid, entry, notes=notes)
                tables.write_text(spec.text(chart, record), Path(output))
