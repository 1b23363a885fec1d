"""heatproof in a script or a notebook, without a workflow; `heatproof.__all__` is public."""
