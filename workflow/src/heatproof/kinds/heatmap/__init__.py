"""Heatmaps: small panels of cells, coloured by a metric over two settings."""

from heatproof.kinds.heatmap.entry import Entry

__all__ = ["Entry"]
