"""gallery: all figures, and the numbers behind them, on one page."""

import json
from pathlib import Path

from heatproof import job, kinds, paths, remote, summary, tables
from heatproof.gallery import audit, cards, gallery, readme

with job.log(snakemake.log[0], snakemake.output):
    page = Path(remote.named(snakemake.output[0]))
    shown, entries = [], []
    for name, given in snakemake.params.entries.items():
        _, entry = kinds.read(given)
        entries.append(entry)
        told = json.loads(Path(paths.numbers(name, "json")).read_text())
        spec = json.loads(Path(paths.spec(name)).read_text())
        drawn = Path(paths.picture(name, "svg")).read_bytes()
        files = snakemake.params.files[name]
        linked = [(label, str(Path(path).relative_to(page.parent))) for label, path in files]
        behind = audit.audit(told["story"], spec, drawn, [path for _, path in files])
        shown.append(cards.card(entry, told["table"], drawn, spec, linked, behind))
    found = summary.totals([Path(path) for path in snakemake.input.manifests])
    totals = gallery.Totals(snakemake.params.sources, found.logs, found.rows, found.rejected)
    tables.write_text(gallery.page(shown, totals), Path(snakemake.output[0]))
    tables.write_text(readme.text(entries), Path(snakemake.output[1]))
