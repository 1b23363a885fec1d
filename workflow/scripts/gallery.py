"""gallery: all figures, and the numbers behind them, on one page."""

import json
from pathlib import Path

from heatproof import audit, cards, figures, gallery, job, registry, summary, tables

with job.log(snakemake.log[0]):
    page = Path(snakemake.output[0])
    shown = []
    for name, given in snakemake.params.entries.items():
        kind = registry.find(figures, given["kind"], "kind", "figure kind")
        grid, _ = tables.read(Path(f"results/grids/{name}.parquet"))
        spec = json.loads(Path(f"results/specs/{name}.vl.json").read_text())
        drawn = Path(f"results/figures/{name}.svg").read_bytes()
        files = [(label, str(Path(path).relative_to(page.parent))) for label, path in snakemake.params.files[name]]
        entry = job.entry(kind.Entry, given)
        exported = [path for label, path in snakemake.params.files[name] if path.startswith("results/figures/")]
        samples = tables.scan(list(map(Path, snakemake.params.tables[name])))
        behind = audit.audit(entry, grid, samples, spec, drawn, exported)
        shown.append(cards.card(entry, grid, drawn, spec, files, behind))
    found = summary.totals([Path(path) for path in snakemake.input.manifests])
    totals = gallery.Totals(snakemake.params.sources, found.logs, found.rows, found.rejected)
    tables.write_text(gallery.page(shown, totals), page)
