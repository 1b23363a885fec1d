"""Scatters: cost against score, a point a setting, and the front that no other beats."""

from heatproof.kinds.scatter.entry import Entry

__all__ = ["Entry"]
