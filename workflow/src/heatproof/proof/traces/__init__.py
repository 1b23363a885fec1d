"""What lies behind a number of a figure, a module per kind of figure.

Each has `KEYS(entry) -> names` of what tells its cells apart and
`behind(samples, grid, entry, wanted) -> Behind`.
"""
