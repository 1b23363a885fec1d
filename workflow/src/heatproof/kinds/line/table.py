"""The table of a line figure: a row per point."""

from heatproof.kinds.heatmap.views_told import table

__all__ = ["table"]
