"""Log formats, a module each: its keys in config.yaml and how its logs become samples."""

NEEDS = ("Entry", "read")
"""What each module must bring."""
