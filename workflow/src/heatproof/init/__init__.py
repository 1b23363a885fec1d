"""`heatproof init`: profile a folder of logs, propose readings, try each, write a config."""
