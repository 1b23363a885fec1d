"""The records behind a number of a figure, a module per kind: see `heatproof.kinds.Traces`."""
