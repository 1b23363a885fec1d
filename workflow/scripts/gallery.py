"""gallery: all figures, and the numbers behind them, on one page."""

import json
from pathlib import Path

from heatproof import readers
from heatproof.cluster import remote
from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.gallery import gallery, summary
from heatproof.kinds import api
from heatproof.plan import inventory
from heatproof.printed import report
from heatproof.provenance import growing, job
from heatproof.samples import declared, scorers, tables
from heatproof.util import registry, terminal

with job.at_home(snakemake):
    page = Path(remote.named(snakemake.output[0]))
    shown, entries = [], []
    for name, given in snakemake.params.entries.items():
        entry = api.read(given)
        entries.append(entry)
        files = snakemake.params.files[name]
        number = json.loads(Path(paths.numbers(name, "json")).read_text())
        spec = json.loads(Path(paths.spec(name)).read_text())
        drawn = Path(paths.picture(name, "svg")).read_bytes()
        linked = [(label, str(Path(path).relative_to(page.parent))) for label, path in files]
        behind = gallery.audit(number["story"], spec, drawn, [path for _, path in files])
        shown.append(gallery.card(entry, number["table"], drawn, spec, linked, behind))
    pictures = sum(
        label in FORMATS for offered in snakemake.params.files.values() for label, _ in offered
    )
    compared = {name: paths.printed(name, "csv") for name in snakemake.params.printed}
    printed = [
        report.on_page(name, report.read(Path(table)), str(Path(table).relative_to(page.parent)))
        for name, table in compared.items()
    ]
    omitted = {one.name: one.omitted for one in shown if one.omitted}
    made = len(shown), pictures
    every = summary.counted(snakemake.params.tables, *made, Path(), compared, omitted, entries)
    for name, one in snakemake.params.followed.items():
        reader = registry.find(readers, one["entry"]["format"], "format", "log format")
        source, expect = job.entry(reader.Entry, one["entry"]), snakemake.params.expect[name]
        counts = tables.scan([Path(paths.counts(at)) for at in snakemake.params.tables[name]])
        told = every["sources"][name]
        if source.chooses():
            told["scored"] = [*scorers.words(name, source, counts)]
        if expect is not None:
            told["expect"] = [*declared.expectation_words(name, expect, counts)]
    found = [every["sources"][name] for name in snakemake.params.tables]
    went_in = (sum(one[of] for one in found) for of in ("logs", "rows", "rejected"))
    left = {
        name: [one.removeprefix("config.yaml: ") for one in why]
        for name, why in snakemake.params.get("left_out", {}).items()
    }
    page_text = gallery.page(shown, gallery.Totals(len(found), *went_in), printed, left)
    words = summary.text(every)
    texts = page_text, summary.readme_text(entries), summary.data(every), f"{words}\n"
    for text, output in zip(texts, snakemake.output, strict=True):
        tables.write_text(text, Path(output))
    if job.tells():
        followed = {}
        for name, one in snakemake.params.followed.items():
            if any(map(inventory.is_made, one["logs"].values())):
                continue  # who made them is done
            reader = registry.find(readers, one["entry"]["format"], "format", "log format")
            noted = {shard: inventory.noted(of, Path()) for shard, of in one["logs"].items()}
            followed[name] = job.entry(reader.Entry, one["entry"]), noted
        said = filter(None, [job.seen(words, paths.PAGE), growing.text(followed, Path())])
        terminal.say("\n" + "\n".join(said), error=True)
