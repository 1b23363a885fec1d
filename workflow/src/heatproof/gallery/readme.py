"""results/README.md: what the folder holds, for whoever gets it without the project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heatproof.config.entries import Figure

TEXT = """\
# Figures of evaluation sweeps, and what they were made of

| figure | kind | shows |
|---|---|---|
{figures}

- `index.html`: all figures on one page; open a cell to see the lines of the logs behind it.
- `figures/`: the pictures. Each holds a record of what it was made of, and prints a short id.
- `tables/FIGURE.csv`, `.tex`, `.json`: the numbers behind a figure.
- `specs/`, `grids/`: the chart of a figure as Vega-Lite, and its cells.
- `tables/SOURCE/`: every graded sample with the log, line and bytes that it comes from; beside it
  the records that were refused, and a line for each log.
- `counts/SOURCE/`: what each run holds of each problem, of which the cells are made.
- `summary.txt`, `summary.json`: how many logs and samples went in, how many records were refused
  and why.
- `printed/SOURCE.csv`, `.txt`: what the harness printed beside its logs, compared with what was
  counted of them.
- `ro-crate-metadata.json`: all files with digests, all jobs and settings (Workflow Run RO-Crate).
- `manifest.json`, `figures.json`: digests of all files, and of the pixels of the figures.

Made by `snakemake`; in the project's folder, `heatproof verify` makes all of it anew from the logs
and compares every byte, `heatproof trace FIGURE` leads from a picture to its logs.
"""


def text(figures: Iterable[Figure]) -> str:
    """The page in Markdown; it follows from config.yaml alone."""
    rows = (f"| {entry.name} | {entry.kind} | {_cell(entry)} |" for entry in figures)
    return TEXT.format(figures="\n".join(rows))


def _cell(entry: Figure) -> str:
    """Title and words of a figure in one line, free of what Markdown would take for its own."""
    said = ": ".join(filter(None, [entry.title, entry.shows()]))
    return re.sub(r"([\\|<>`*_\[\]&])", r"\\\1", " ".join(said.split()))
