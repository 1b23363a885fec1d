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


def test_cells_without_a_value_are_dashes_with_their_reason() -> None:
    """In the picture and in LaTeX; the mean of their row is one too."""
    figure = entry("table", margins=True)
    _, second = blocks(figure).all
    assert [row["shown"] for row in second.rows].count(DASH) == 1
    assert second.means["10"] == DASH
    assert re.fullmatch(r"\d+\.\d", second.means["5"])
    assert f"{DASH}: no data" in str(draw(figure))
    assert "& -- & " in api.kind("table").latex(grid(figure), figure)


@pytest.mark.parametrize("width", ["187pt", "200pt", "213pt"])
def test_a_table_is_no_wider_than_the_config_says(width: str) -> None:
    """As Vega draws it, which rounds up each part; in widths that it fills."""
    figure = entry("table", width=width, margins=True, color=True)
    chart = api.kind("table").draw(grid(figure), figure)
    text = spec.text(chart, {"figure": "f", "entry": {}})
    assert drawing.draw(json.loads(text)).size[0] <= venues.width(width)


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
