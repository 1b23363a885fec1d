"""The records behind a row of a forest, which is a cell of a heatmap."""

from heatproof.kinds.heatmap.views_trace import (
    behind,
    columns,
    expected,
    recounted,
    value_columns,
    within,
)

__all__ = ["behind", "columns", "expected", "recounted", "value_columns", "within"]
