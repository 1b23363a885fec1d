"""The numbers behind a figure, a module per kind: see `heatproof.kinds.Numbers`."""
