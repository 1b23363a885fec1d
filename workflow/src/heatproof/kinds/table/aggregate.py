"""aggregate: samples → the grid of a table, a row per cell: that of a heatmap."""

from heatproof.kinds.heatmap.views_aggregate import aggregate

__all__ = ["aggregate"]
