"""numbers: grids → the same numbers as CSV, as LaTeX tables, and with what lies behind them."""

from functools import cache
from pathlib import Path

from heatproof.gallery import told
from heatproof.kinds import api
from heatproof.provenance import failed, provenance
from heatproof.provenance.batch import batch
from heatproof.samples import held, near, tables
from heatproof.util import canonical

with batch("numbers", snakemake.log[0]) as figures:
    held_in = cache(held.read)
    outputs = zip(*(snakemake.output[form] for form in ("csv", "tex", "json")), strict=True)
    for path, files in zip(snakemake.input.grids, outputs, strict=True):
        name = Path(path).stem
        with figures.one(name, files):
            failed.require_made([path])
            given, code = snakemake.params.entries[name], snakemake.params.code[name]
            grids = figures.digests([path])  # a grid tells the digests of the logs that it shows
            if figures.stands(name, files, [given, code, grids], grids):
                continue
            entry = api.read(given)
            grid, record = tables.read(Path(path))
            mine = near.near(snakemake.params.tables[entry.source], entry, held_in)
            note = " ".join(provenance.notes(record))
            room = api.part(entry.kind, "numbers")
            behind = canonical.text(told.told(mine.portions(), entry, grid, mine.partial())) + "\n"
            texts = room.csv(grid, entry), room.latex(grid, entry, note), behind
            for text, output in zip(texts, files, strict=True):
                tables.write_text(text, Path(output))
