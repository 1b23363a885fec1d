"""Figure kinds, a module each: its keys in config.yaml, its grid, its drawing."""
