"""What config.yaml says of printed digits, and the jobs that compare our cells with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from heatproof.config.paths import COMPARISON, Check
from heatproof.kinds.heatmap.entry import Entry as Heatmap

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from heatproof.config.entries import Figure

STEP = "check_published"
"""The rule that compares."""


class Entry(msgspec.Struct):
    """Digits printed of what the logs of a source hold; `paper` in config.yaml has one a source."""

    cells: str
    """A table of printed digits: see `published.read`."""
    means: str | None = None
    """A table of printed means over the benchmarks: see `published.read_means`."""


def checks(
    entries: Mapping[str, Entry], figures: Mapping[str, Figure], shown: Collection[str]
) -> Iterator[Check]:
    """A job for each source of `entries` that some figure shows."""
    for name in sorted(entries.keys() & shown):
        one = entries[name]
        printed = {"cells": one.cells, **({"means": one.means} if one.means else {})}
        compared = [of for of, figure in figures.items() if _shows(figure, name)]
        outputs = {form: f"results/published/{name}.{form}" for form in COMPARISON}
        yield Check(STEP, name, f"paper.{name}", one, compared, printed, outputs)


def _shows(figure: Figure, source: str) -> bool:
    """Whether the cells of a figure are Pass@1 of a source, as the printed digits are."""
    if not isinstance(figure, Heatmap) or figure.source != source:
        return False
    return figure.encoding.color == "pass@1"
