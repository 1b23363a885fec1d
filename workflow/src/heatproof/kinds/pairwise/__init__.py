"""Pairwise figures: each model against each other on the same instances, as binned panels."""

from heatproof.kinds.pairwise.entry import Entry

__all__ = ["Entry"]
