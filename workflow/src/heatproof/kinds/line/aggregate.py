"""aggregate: samples → the grid of a line figure, a row per point: that of a heatmap."""

from heatproof.kinds.heatmap.views_aggregate import aggregate

__all__ = ["aggregate"]
