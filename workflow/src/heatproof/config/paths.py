"""Paths of the results of each stage, by the name of the source or figure."""

from __future__ import annotations

from heatproof.config.entries import FORMATS

LIBRARY = "results/vega.js"  # the drawing library that every page carries inside
PAGE = "results/index.html"  # the gallery
CHANGES = "results/changes.html"  # how cells differ from the last build; no result of a job
SUMMARY = ("results/summary.json", "results/summary.txt")  # read and refused records
VALUES = ("results/values.tex", "results/values.json")  # the numbers of all figures by name
FORMER_VALUES = ".snakemake/heatproof/values"  # those of the last builds, by their digests
REJECTED, LOGS = ".rejected.parquet", ".logs.csv"  # ends of names beside a samples table
CAPTIONS = ("tex", "md")  # files of the caption of a figure

tables = "results/tables/{}".format  # the samples tables of a source
table = "results/tables/{}/{}.parquet".format  # the samples of a shard, by source and shard
printed = "results/printed/{}.csv".format  # counted and printed numbers of a source
grid = "results/grids/{}.parquet".format  # the cells of a figure
behind = "results/grids/{}.json".format  # records behind each cell, by place, and counts
spec = "results/specs/{}.vl.json".format  # the chart of a figure, as Vega-Lite
caption = "results/figures/{}.caption.{}".format  # the caption of a figure, by its format
numbers = "results/tables/{}.{}".format  # the numbers of a figure, as csv, tex, json of the page
script = "results/pages/{}.js".format  # the last, as the page loads it


def rejected(table: str) -> str:
    """The refused records beside a samples table."""
    return table.removesuffix(".parquet") + REJECTED


def manifest(table: str) -> str:
    """A line for each log of a samples table."""
    return table.removesuffix(".parquet") + LOGS


def counts(table: str) -> str:
    """The partial aggregates of a samples table."""
    return table.replace("/tables/", "/counts/", 1)


def beside(table: str) -> list[str]:
    """What is made of logs beside a samples table."""
    return [rejected(table), counts(table), manifest(table)]


def picture(figure: str, form: str) -> str:
    """An exported file of a figure, by its format."""
    return f"results/figures/{figure}.{FORMATS[form]}"


def form_of(path: str) -> str | None:
    """The format of an exported file, by how its name ends; None if it has another end."""
    forms = [form for form, end in FORMATS.items() if path.endswith(f".{end}")]
    return max(forms, key=lambda form: len(FORMATS[form]), default=None)
