"""Pairwise figures: from matched samples to bins, panels and the figure."""
