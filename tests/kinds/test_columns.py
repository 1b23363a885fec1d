"""docs/results.md has each column of a grid, and each code with its words."""

import re
from pathlib import Path

from heatproof.kinds import columns, states

PAGE = (Path(__file__).parents[2] / "docs/results.md").read_text(encoding="utf-8")
LINES = [re.split(r" *\| *", line)[1:-1] for line in PAGE.splitlines() if line[:3] == "| `"]


def test_every_column_of_a_grid_is_documented() -> None:
    """In order, with its meaning and the key that asks for it."""
    wanted = [(f"`{c.prefix}{c.name}`", c.meaning, c.block) for c in columns.GRID]
    assert [(line[0], line[2], line[3]) for line in LINES if len(line) == 4] == wanted


def test_every_state_of_a_cell_is_documented() -> None:
    """Gaps, what is lacking, and doubts, each by its code."""
    wanted = [f"`{kind}`" for kind in (*states.GAPS, *states.LACKS, *states.DOUBTS)]
    told = [line for line in LINES if len(line) == 2]
    assert [line[0] for line in told] == wanted
    assert all(line[1] for line in told)
