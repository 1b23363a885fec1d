"""gallery: all figures, and the numbers behind them, on one page."""

import json
from pathlib import Path

from heatproof import ledger
from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.kinds import api
from heatproof.page import gallery, summary
from heatproof.provenance import job
from heatproof.samples import declared, normalize, tables
from heatproof.util import terminal

with job.log(snakemake.log[0]):
    settings, page = snakemake.params.settings, Path(snakemake.output.page)
    entries = [api.read(entry) for entry in settings["entries"].values()]
    cards = []
    for entry in entries:
        files = settings["files"][entry.name]
        links = [(label, str(Path(path).relative_to(page.parent))) for label, path in files]
        numbers = json.loads(Path(paths.numbers(entry.name, "json")).read_text())
        spec = json.loads(Path(paths.spec(entry.name)).read_text())
        svg = Path(paths.picture(entry.name, "svg")).read_bytes()
        audit = gallery.audit(numbers["story"], spec, svg, [path for _, path in files])
        cards.append(gallery.card(entry, numbers["table"], svg, spec, links, audit))
    pictures = sum(label in FORMATS for files in settings["files"].values() for label, _ in files)
    omitted = {card.entry.name: card.omitted for card in cards if card.omitted}
    compared = {name: paths.printed(name) for name in settings["printed"]}
    every = summary.counted(
        settings["tables"], len(cards), pictures, Path(), compared, omitted, entries
    )
    for name, source in settings["sources"].items():
        _, entry = job.source(source["entry"])
        counts = tables.scan([Path(paths.counts(table)) for table in settings["tables"][name]])
        if entry.chooses():
            scorers = normalize.scorer_words(name, entry, counts)
            every["sources"][name]["scored"] = [*scorers]
        if (expect := settings["expect"][name]) is not None:
            words = declared.expectation_words(name, expect, counts)
            every["sources"][name]["expect"] = [*words]
    comparisons = [
        {"source": name, "address": str(Path(table).relative_to(page.parent))}
        | every["sources"][name]["printed"]
        for name, table in compared.items()
    ]
    read = [every["sources"][name] for name in settings["tables"]]
    sums = (sum(source[count] for source in read) for count in ("logs", "rows", "rejected"))
    totals = gallery.Totals(len(read), *sums)
    html = gallery.page(cards, totals, comparisons)
    words = summary.text(every)
    texts = html, summary.readme_text(entries), summary.data(every), f"{words}\n"
    for text, output in zip(texts, snakemake.output[:4], strict=True):
        tables.write_text(text, Path(output))
    ledger.write(snakemake)
    if snakemake.params.upstream:  # of a module Snakemake takes no last words
        terminal.say(f"\n{words}", error=True)
