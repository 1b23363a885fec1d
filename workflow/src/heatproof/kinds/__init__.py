"""The kinds of figures, each found by its name: a folder, or one file (`heatproof.kinds.api`)."""

NEEDS = ("Entry", "aggregate", "draw")
"""What each must bring."""
SHARED = ("api", "captions", "cell_records", "plain", "recount", "tables")
"""Modules beside the kinds: what kinds bring, what they share, and what is told without it."""
VIEWS = ("forest", "line", "scatter", "table")
"""Kinds that show the cells of a heatmap otherwise: what counts and tells of these is its own."""
