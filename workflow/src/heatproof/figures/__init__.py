"""One module per figure kind, found by its name; see `heatproof.kinds`."""

NEEDS = ("Entry", "aggregate", "draw")
"""What each module must bring."""
