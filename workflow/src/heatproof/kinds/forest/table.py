"""The numbers of a forest on the page: a row per setting."""

from heatproof.kinds.heatmap.views_told import table

__all__ = ["table"]
