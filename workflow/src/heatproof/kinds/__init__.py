"""The kinds of figures, each found by its name: a folder, or one file (`heatproof.kinds.api`)."""

NEEDS = ("Entry",)
"""What each must bring."""
SHARED = (
    "api",
    "columns",
    "cell_figure",
    "crossings",
    "curves",
    "dumbbells",
    "frame",
    "lattice",
    "looks",
    "pair_grid",
    "pair_records",
    "picture",
    "printed_values",
    "question",
    "recount",
    "references",
    "rules",
    "states",
    "trace",
)
"""Modules beside the kinds: what kinds bring, and what they share."""
