"""Forests: one row a setting with its interval, the best at the top."""

from heatproof.kinds.forest.entry import Entry

__all__ = ["Entry"]
