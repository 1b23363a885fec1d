"""The numbers of a table on the page: a row per cell."""

from heatproof.kinds.heatmap.views_told import table

__all__ = ["table"]
