"""What lies behind each cell of a figure, a module per kind: see `heatproof.kinds.Evidence`."""
