"""Log formats: `NAME_format.py` has the keys of one in config.yaml, and how its logs are read.

The other modules are what formats are made with; `api` is what each needs.
"""

ENDING = "_format"
"""What the file of a format ends in: `json_format`, for `json` is a module of Python's own."""
INNER = ("joined",)  # formats that no config names
NEEDS = ("Entry", "read")  # what each module must bring
