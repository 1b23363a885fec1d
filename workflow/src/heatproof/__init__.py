"""heatproof: heatmaps whose every cell can be rebuilt, traced and judged against chance."""

__version__ = "0.1.0"
