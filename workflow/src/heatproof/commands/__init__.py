"""Subcommands of `heatproof`, a module each.

The first line of its docstring is its help; `arguments(parser)` declares what it takes,
`run(given)` does it and returns the exit status.
"""
