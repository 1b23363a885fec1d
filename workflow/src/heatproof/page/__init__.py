"""The gallery: all figures on one page, and behind each cell its records."""
