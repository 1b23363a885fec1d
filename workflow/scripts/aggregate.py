"""aggregate: samples → the grids of figures, with the record of what they were made of."""

from functools import cache
from pathlib import Path

from heatproof.config import paths
from heatproof.kinds import api
from heatproof.provenance import provenance
from heatproof.provenance.batch import batch
from heatproof.samples import held, near, scales, systematic, tables

with batch("aggregate", snakemake.log[0]) as figures:
    held_in = cache(held.read)
    refused = snakemake.params.refused
    for path in map(Path, snakemake.output):
        with figures.one(path.stem, [path]):
            figure = snakemake.params.figures[path.stem]
            entry = api.read(figure["entry"])
            samples = snakemake.params.tables[entry.source]
            source = {entry.source: figure["source"]}
            systematic.require_few(source, {entry.source: samples}, refused, held_in)
            mine = near.near(samples, entry, held_in)
            told = figure["source"]
            mine = mine._replace(expect=told.get("expect"), scales=scales.of(told))
            given = figure["entry"], figure["source"], mine.logs, figure["code"]
            record = provenance.of_grid(*given)
            if figures.stands(path.stem, [path], record, [*map(paths.counts, samples), *samples]):
                continue
            part = api.part(entry.kind, "aggregate")
            tables.write(near.aggregate(part, entry, mine, samples), path, record)
