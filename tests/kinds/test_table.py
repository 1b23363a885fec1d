"""Tables as figures: rows and columns as papers print them, the highest bold."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from heatproof.charts import spec
from heatproof.config import venues
from heatproof.export import drawing
from heatproof.kinds import api, table
from heatproof.kinds.table import BELOW, BESIDE, DASH, NOT
from support.views import draw, entry, grid

ALONE: dict[str, Any] = {"panel": None, "where": {"task": "<a>"}}


def blocks(figure: Any) -> Any:
    """Of its grid."""
    return table.blocks_of(grid(figure), figure)


def latex(figure: Any) -> str:
    """Of its grid."""
    text: str = api.kind("table").latex(grid(figure), figure)
    return text


def test_numbers_stand_from_top_to_bottom_as_they_are_sorted() -> None:
    """The first row is the uppermost, in the picture and in LaTeX."""
    figure = entry("table", sort={"window": [10, 5]})
    rows = draw(figure)["datasets"]["cells 0"]
    assert [row["y"] for row in rows] == ["10"] * 3 + ["5"] * 3
    assert [row["top"] for row in rows] == sorted(row["top"] for row in rows)
    assert latex(figure).index("\n10 & ") < latex(figure).index("\n5 & ")
    rows = blocks(entry("table", **ALONE, sort={"window": "-value"})).rows
    first, second = (sum(row["value"] for row in part) for part in (rows[:3], rows[3:]))
    assert first >= second


def test_cells_without_a_value_are_dashes_with_their_reason() -> None:
    """In the picture and in LaTeX; the mean of their row is one too."""
    figure = entry("table", margins=True)
    _, second = blocks(figure).all
    assert [row["shown"] for row in second.rows].count(DASH) == 1
    assert second.means["10"] == DASH
    assert re.fullmatch(r"\d+\.\d", second.means["5"])
    assert f"{DASH}: no data" in str(draw(figure))
    assert "& -- & " in latex(figure)


@pytest.mark.parametrize("width", ["187pt", "200pt", "213pt"])
def test_a_table_is_no_wider_than_the_config_says(width: str) -> None:
    """As Vega draws it, which rounds up each part; in widths that it fills."""
    figure = entry("table", width=width, margins=True, color=True)
    chart = api.kind("table").draw(grid(figure), figure)
    text = spec.text(chart, {"figure": "f", "entry": {}})
    assert drawing.draw(json.loads(text)).size[0] <= venues.width(width)


def test_a_mean_of_a_row_is_of_its_numbers() -> None:
    """Unweighted, in the unit shown."""
    figure = entry("table", **ALONE, margins=True)
    mean: Any = grid(figure).filter(y=10)["value"].mean()
    (block,) = blocks(figure).all
    assert float(block.means["10"]) == pytest.approx(100 * mean, abs=0.051)


@pytest.mark.parametrize(
    ("width", "names", "place", "turned"),
    [("double", "", BESIDE, False), ("1.4in", "", BELOW, False),
     ("1.4in", "quite a longer-name", BELOW, True), ("1.1in", "", NOT, True)],
)  # fmt: skip
def test_uncertainties_stand_where_there_is_room(
    width: str, names: str, place: str, turned: bool
) -> None:
    """Beside the numbers, else below them, else not at all, which is told; names turn before."""
    labels = {"ratio": {str(r): f"{names}{r}" for r in (0.1, 0.2, 0.3)}} if names else {}
    figure = entry("table", **ALONE, width=width, names=labels)
    layout = table.lay_out(blocks(figure), figure)
    assert (layout.spread, layout.turned) == (place, turned)
    omitted = draw(figure)["usermeta"].get("omitted", [])
    left_out = any("`uncertainty: se` beside its numbers" in line for line in omitted)
    assert left_out == (place == NOT)
