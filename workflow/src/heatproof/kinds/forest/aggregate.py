"""aggregate: samples → the grid of a forest, a row per setting: that of a heatmap."""

from heatproof.kinds.heatmap.views_aggregate import aggregate

__all__ = ["aggregate"]
