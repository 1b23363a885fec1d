"""gallery: all figures and their numbers on one page, and a summary of the run."""

import json
from pathlib import Path

from heatproof import page
from heatproof.config import paths
from heatproof.kinds import api
from heatproof.provenance import job
from heatproof.samples import normalize, shard_index, tables
from heatproof.util import terminal
from heatproof.util.lazy import polars as pl

with job.run(snakemake):
    settings, folder = snakemake.params.settings, Path(snakemake.output.page).parent
    entries = [api.read(entry) for entry in settings["entries"].values()]
    cards, pictures = [], 0
    for entry in entries:
        files = {form: paths.picture(entry.name, form) for form in sorted({"svg", *entry.formats})}
        pictures += len(files)
        text = json.loads(Path(paths.numbers(entry.name, "json")).read_text())
        files |= {"caption": paths.caption(entry.name, "tex"), "spec": paths.spec(entry.name)}
        files |= {"grid": paths.grid(entry.name)}
        files |= {form: paths.numbers(entry.name, form) for form in ("csv", "tex")}
        links = [(label, str(Path(path).relative_to(folder))) for label, path in files.items()]
        cards.append({"entry": entry, "files": links, **text})
    sources = page.sources(settings["tables"], Path(), entries, settings["printed"])
    for name, plain in settings["sources"].items():
        _, source = job.source(plain)
        counts = pl.scan_parquet([Path(paths.counts(table)) for table in settings["tables"][name]])
        if source.chooses():
            sources[name]["scored"] = [*normalize.scorer_words(name, source, counts)]
        if (expect := settings["expect"][name]) is not None:
            sources[name]["expect"] = [*shard_index.expectation_words(name, expect, counts)]
    omitted = {card["entry"].name: card["about"]["omitted"] for card in cards}
    omitted = {name: lines for name, lines in omitted.items() if lines}
    every = {"figures": len(cards), "files": pictures, "omitted": omitted, "sources": sources}
    html = page.page(cards, sources)
    plain = json.dumps(every, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    words = page.text(every)
    for text, output in zip((html, plain, f"{words}\n"), snakemake.output[:3], strict=True):
        tables.write_text(text, Path(output))
    if snakemake.params.upstream:  # of a module Snakemake takes no last words
        terminal.say(f"\n{words}", error=True)
