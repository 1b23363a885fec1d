"""gallery: all figures, and the numbers behind them, on one page."""

import json
import sys
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
    files = sum(
        path.startswith("results/figures/")
        for offered in snakemake.params.files.values()
        for _, path in offered
    )
    told = summary.counted(snakemake.params.tables, len(shown), files, Path())
    found = [told["sources"][name] for name in snakemake.params.tables]
    went_in = (sum(one[of] for one in found) for of in ("logs", "rows", "rejected"))
    totals = gallery.Totals(len(found), *went_in)
    words = summary.text(told)
    texts = gallery.page(shown, totals), readme.text(entries), summary.data(told), f"{words}\n"
    for text, output in zip(texts, snakemake.output, strict=True):
        tables.write_text(text, Path(output))
    if job.tells():
        print(f"\n{words}", file=sys.stderr)
