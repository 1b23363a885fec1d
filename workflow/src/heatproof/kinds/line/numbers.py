"""The points of a line figure as CSV, and as LaTeX tables: a row a line, a column for each x."""

from heatproof.kinds.heatmap.views_told import csv, latex

__all__ = ["csv", "latex"]
