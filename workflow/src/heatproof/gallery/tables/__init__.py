"""The numbers below a figure, a module per kind: see `heatproof.kinds.Tables`."""
