"""heatproof: heatmaps whose every cell can be rebuilt, traced and judged against chance."""

__version__ = "0.1.0"
__date__ = "2026-11-21"
"""The day of this version, as it stands in CITATION.cff."""
