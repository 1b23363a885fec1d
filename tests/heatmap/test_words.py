"""Sentences of a figure, letter for letter: what marks mean, and of what the highest is."""

from typing import Any

from msgspec.structs import replace

from heatproof.kinds.heatmap import reasons, words
from heatproof.kinds.heatmap.cell import Drawn
from support.samples import heat


def cell(**keys: Any) -> Drawn:
    """A cell with a value, compared with all others."""
    base = {"number": 0, "metric": "pass@1", "panel": (), "x": "0.1", "y": "5", "value": 0.5}
    sizes = {"peers": 0, "samples": 30, "epochs": 30, "expected": 30}
    return Drawn(**base | sizes | keys)


def test_which_cells_the_best_is_of() -> None:
    """Nothing where all are compared; else the axis that tells, or that they share problems."""
    pair = [cell(y="5"), cell(y="6")]
    apart = [replace(row, peers=n, x=str(n)) for n in range(2) for row in pair]
    cases = {
        "highest": pair,
        "lowest": [pair[0], replace(pair[1], panel=("u",), peers=7)],
        "highest on equal problems": [cell(uneven=True)],
        "highest of each ratio": apart,
        "highest of each window": [replace(row, x=row.y, y=row.x) for row in apart],
        f"highest of each {reasons.SETS.name}": [replace(row, x="1", y="1") for row in apart],
    }
    for top, rows in cases.items():
        best = top.partition(" ")[0]
        asked = heat(panel="task", best=best).question
        assert words.MEANINGS["bold"].words(rows, rows, asked)[0] == top
    asked = heat(panel="task", labels={"ratio": "Share"}).question
    tied, how = words.MEANINGS["dot"].words(apart, apart, asked)
    assert tied == "cannot be told apart from the highest of its Share"
    assert how.startswith(" (95\u00a0%, paired test on 30 problems")
