"""Heatmaps: from samples to cells, panels and the figure."""
