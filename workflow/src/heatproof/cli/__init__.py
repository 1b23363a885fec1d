"""The command `heatproof`: `main`, and a module for each subcommand.

The first line of its docstring is its help; `arguments(parser)` declares what it takes,
`run(given)` does it and returns the exit status.
"""

SHARED = ("main",)
"""Modules that are no subcommand."""
