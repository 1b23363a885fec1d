"""The command `heatproof`: `main`, and the subcommands."""
