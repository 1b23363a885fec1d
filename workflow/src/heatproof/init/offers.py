"""Columns made of columns that a source may want: sizes in the names of models, bins of numbers.

They stand as comments in the block of the source, to be uncommented: a size where all models have
one, bins of a number with many values that each problem has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heatproof.init.source import Source

MODEL_SIZE = r"(?i)(\d+(?:\.\d+)?)b(?![a-z])"
"""Billions of parameters in the name of a model: 7b, 1.5B."""
REPEATED = 2  # records of a problem, on average, that show that a number is its own
ENTANGLED = ("columns", "measures", "each", "groups", "sidecar")
"""Keys beside which an offer might not work."""


def comments(source: Source) -> list[str]:
    """The lines of the offers, as comments within the block of the source."""
    if set(ENTANGLED) & source.entry.keys():
        return []
    columns = []
    sizes = [re.search(MODEL_SIZE, model) for model in source.trial.samples["model"].unique()]
    if all(sizes) and len({match[1] for match in sizes if match}) > 1:
        columns.append(f"model_size: {{match: model, pattern: '{MODEL_SIZE}', type: float}}")
    samples = source.trial.samples
    problems = samples.select("task", "sample_id").n_unique()
    numbers = source.numbers if len(samples) >= REPEATED * problems else {}
    columns += [f"{name}_band: {{bin: {name}, quantiles: 4}}" for name in numbers]
    lines = []
    if numbers:
        places = ", ".join(f"{name}: {place}" for name, place in numbers.items())
        lines.append(f"measures: {{{places}}}")
    if columns:
        lines.append("columns:  # an offer: uncomment it, and put one on an axis")
        lines += [f"  {column}" for column in columns]
    return [f"  # {line}" for line in lines]
