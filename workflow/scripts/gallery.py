"""gallery: all figures, and the numbers behind them, on one page."""

import json
from pathlib import Path

from heatproof import formats, printed
from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.kinds import api
from heatproof.ledger import pieces
from heatproof.page import gallery, summary
from heatproof.provenance import job
from heatproof.samples import declared, normalize, tables
from heatproof.util import registry, terminal

with job.at_home(snakemake):
    settings, page = snakemake.params.settings, Path(snakemake.output.page)
    shown, entries = [], []
    for name, given in settings["entries"].items():
        entry = api.read(given)
        entries.append(entry)
        files = settings["files"][name]
        number = json.loads(Path(paths.numbers(name, "json")).read_text())
        spec = json.loads(Path(paths.spec(name)).read_text())
        drawn = Path(paths.picture(name, "svg")).read_bytes()
        linked = [(label, str(Path(path).relative_to(page.parent))) for label, path in files]
        behind = gallery.audit(number["story"], spec, drawn, [path for _, path in files])
        shown.append(gallery.card(entry, number["table"], drawn, spec, linked, behind))
    pictures = sum(
        label in FORMATS for offered in settings["files"].values() for label, _ in offered
    )
    compared = {name: paths.printed(name) for name in settings["printed"]}
    numbers = [
        printed.on_page(
            name, printed.read_table(Path(table)), str(Path(table).relative_to(page.parent))
        )
        for name, table in compared.items()
    ]
    omitted = {one.name: one.omitted for one in shown if one.omitted}
    made = len(shown), pictures
    every = summary.counted(settings["tables"], *made, Path(), compared, omitted, entries)
    for name, one in settings["followed"].items():
        reader = registry.find(formats, one["entry"]["format"], "format", "log format")
        source, expect = job.entry(reader.Entry, one["entry"]), settings["expect"][name]
        counts = tables.scan([Path(paths.counts(at)) for at in settings["tables"][name]])
        told = every["sources"][name]
        if source.chooses():
            told["scored"] = [*normalize.scorer_words(name, source, counts)]
        if expect is not None:
            told["expect"] = [*declared.expectation_words(name, expect, counts)]
    found = [every["sources"][name] for name in settings["tables"]]
    went_in = (sum(one[of] for one in found) for of in ("logs", "rows", "rejected"))
    totals = gallery.Totals(len(found), *went_in)
    page_text = gallery.page(shown, totals, numbers, settings["left_out"])
    words = summary.text(every)
    texts = page_text, summary.readme_text(entries), summary.data(every), f"{words}\n"
    for text, output in zip(texts, snakemake.output[:4], strict=True):
        tables.write_text(text, Path(output))
    pieces.write(snakemake)
    if job.tells():
        terminal.say(f"\n{job.at(words, paths.PAGE)}", error=True)
