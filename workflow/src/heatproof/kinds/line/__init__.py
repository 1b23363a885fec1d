"""Lines: a metric over one parameter, a line for each model, or for each value of a column."""

from heatproof.kinds.line.entry import Entry

__all__ = ["Entry"]
