"""Where the results of each stage lie, by the name of the source or of the figure."""

from __future__ import annotations

from heatproof.config.entries import FORMATS

LIBRARY = "results/vega.js"  # the drawing library that every page carries inside
PAGE = "results/index.html"  # the gallery
SUMMARY = ("results/summary.json", "results/summary.txt")
"""What went in and what was refused: for programs, and in words."""
REJECTED, LOGS = ".rejected.parquet", ".logs.csv"
"""Ends of the names of what lies beside a samples table."""
CAPTIONS = ("tex", "md")  # files of the caption of a figure

tables = "results/tables/{}".format  # the samples tables of a source
table = "results/tables/{}/{}.parquet".format  # the samples of a shard, by source and shard
printed = "results/printed/{}.csv".format
"""How what a harness printed compares with what is counted of the logs of a source."""
published = "results/published/{}.{}".format
"""How cells compare with the digits that a paper prints of a source, by the format."""
grid = "results/grids/{}.parquet".format  # the cells of a figure
behind = "results/grids/{}.json".format
"""What lies behind each cell: records by their places, and counts."""
spec = "results/specs/{}.vl.json".format  # the chart of a figure, as Vega-Lite
caption = "results/figures/{}.caption.{}".format  # the caption of a figure, by its format
numbers = "results/tables/{}.{}".format
"""The numbers behind a figure: csv is made with its grid, tex and json with its picture; the last
is what the gallery tells of them."""
script = "results/pages/{}.js".format  # the same, as the gallery loads it


def rejected(table: str) -> str:
    """The refused records beside a samples table."""
    return table.removesuffix(".parquet") + REJECTED


def manifest(table: str) -> str:
    """What became of the logs that a samples table was read from."""
    return table.removesuffix(".parquet") + LOGS


def counts(table: str) -> str:
    """The partial aggregates of a samples table."""
    return table.replace("/tables/", "/counts/", 1)


BESIDE = (rejected, counts, manifest)  # what is made of logs beside a samples table


def picture(figure: str, form: str) -> str:
    """An exported file of a figure, by its format."""
    return f"results/figures/{figure}.{FORMATS[form]}"


def form_of(path: str) -> str | None:
    """The format of an exported file, by how its name ends; None if it has another end."""
    forms = [form for form, end in FORMATS.items() if path.endswith(f".{end}")]
    return max(forms, key=lambda form: len(FORMATS[form]), default=None)
