"""Tables as figures: rows and columns as papers print them, the best bold, ties marked."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl
import pytest

from heatproof.charts import spec
from heatproof.config import venues
from heatproof.export import drawing
from heatproof.kinds import api
from heatproof.kinds.table import numbers
from heatproof.kinds.table.blocks import DASH, blocks
from heatproof.kinds.table.layout import BELOW, BESIDE, NOT, layout
from test_views import drawn, entry, grid

ONE: dict[str, Any] = {"panel": None, "where": {"task": "<a>"}}


def plan(cells: pl.DataFrame | None = None, **keys: Any) -> Any:
    """The sizes of a table of the toy sweep."""
    of = entry("table", **keys)
    return layout(blocks(grid(of) if cells is None else cells, of), of)


def test_numbers_stand_from_top_to_bottom_as_they_are_sorted() -> None:
    """The first row is the uppermost, on the page, in the picture and in LaTeX."""
    of = entry("table", sort={"window": [10, 5]})
    rows = drawn(of)["datasets"]["cells 0"]
    assert [row["y"] for row in rows] == ["10"] * 3 + ["5"] * 3
    assert [row["top"] for row in rows] == sorted(row["top"] for row in rows)
    best = entry("table", **ONE, sort={"window": "-value"})
    rows = blocks(grid(best), best).rows
    first, second = (sum(r["value"] for r in part) for part in (rows[:3], rows[3:]))
    assert first >= second
    latex = numbers.latex(grid(of), of)
    assert latex.index("\n10 & ") < latex.index("\n5 & ")


def test_marks_are_those_of_the_grid_and_told() -> None:
    """Bold and dots where the grid has the best and what ties, italics where it is not finished."""
    of = entry("table", **ONE)
    found = blocks(grid(of), of)
    for row, cell in zip(found.rows, grid(of).iter_rows(named=True), strict=True):
        assert not row["bold"] or cell["best"]
        assert not row["dotted"] or (cell["tied"] and not row["bold"])
    said = str(drawn(of))
    assert ("dot: not distinguishable" in said) == any(row["dotted"] for row in found.rows)
    assert "italics: incomplete" in said
    none = entry("table", **ONE, verdict="none")
    assert "tied" in grid(of).columns
    assert not any(row["dotted"] for row in blocks(grid(none), none).rows)


def test_cells_without_a_value_are_dashes_with_their_reason() -> None:
    """In the picture and in LaTeX; the mean of their row is one too."""
    of = entry("table", margins=True)
    _, second = blocks(grid(of), of).all
    assert [row["shown"] for row in second.rows].count(DASH) == 1
    assert second.means["10"] == DASH
    assert re.fullmatch(r"\d+\.\d", second.means["5"])
    assert f"{DASH}: no data" in str(drawn(of))
    assert "& -- & " in numbers.latex(grid(of), of)


@pytest.mark.parametrize("width", ["187pt", "200pt", "213pt"])
def test_a_table_is_no_wider_than_asked(width: str) -> None:
    """As Vega draws it, which rounds up each part; in widths that it fills."""
    of = entry("table", width=width, margins=True, color=True)
    text = spec.text(api.part("table", "draw").draw(grid(of), of), {"figure": "f", "entry": {}})
    assert drawing.draw(json.loads(text)).size[0] <= venues.width(width)


def test_a_mean_of_a_row_is_of_its_numbers() -> None:
    """Unweighted, in the unit shown."""
    of = entry("table", **ONE, margins=True)
    cells = grid(of).filter(pl.col("y") == 10)
    (block,) = blocks(grid(of), of).all
    assert float(block.means["10"]) == pytest.approx(100 * cells["value"].mean(), abs=0.051)


@pytest.mark.parametrize(
    ("width", "names", "place", "turned"),
    [("double", "", BESIDE, False), ("1.4in", "", BELOW, False),
     ("1.4in", "quite a longer-name", BELOW, True), ("1.1in", "", NOT, True)],
)  # fmt: skip
def test_uncertainties_stand_where_there_is_room(
    width: str, names: str, place: str, turned: bool
) -> None:
    """Beside the numbers, else below them, else not at all, which is told; names turn before."""
    called = {"ratio": {str(r): f"{names}{r}" for r in (0.1, 0.2, 0.3)}} if names else {}
    of = entry("table", **ONE, width=width, names=called)
    found = layout(blocks(grid(of), of), of)
    assert (found.spread, found.turned) == (place, turned)
    left_out = drawn(of)["usermeta"].get("omitted", [])
    assert any("`uncertainty: se` beside its numbers" in one for one in left_out) == (place == NOT)


def test_colours_are_asked_for() -> None:
    """Grounds are the colours of a heatmap, and the ink on them reads."""
    of = entry("table", color=True, palette="viridis")
    rows = drawn(of)["datasets"]["cells 0"]
    assert all(re.fullmatch("#[0-9a-f]{6}", row["ground"]) for row in rows)
    assert {row["ink"] for row in rows} <= {"#000000", "#ffffff"}
    assert all(row["ground"] is None for row in drawn(entry("table"))["datasets"]["cells 0"])
    wrong = entry("table", palette="viridis")
    assert wrong.mistakes() == [".palette: 'viridis' colours what `color: true` asks for"]
    (said,) = entry("table", color=True, palette="rose").mistakes()
    assert said.startswith(".palette: 'rose' is not a palette")


def test_latex_is_the_table_that_is_drawn() -> None:
    """Uncertainties small behind the numbers, the metric over the columns, blocks with titles."""
    of = entry("table")
    latex = numbers.latex(grid(of), of, note="made by hand")
    assert latex.startswith("% made by hand\n")
    assert r"\multicolumn{3}{c}{Pass@1 (\%) by Ratio}" in latex
    assert re.search(r"\\,\{\\scriptsize \$\\pm\$\d+\.\d\}", latex)
    assert r"\textit{b's}" in latex
    none = entry("table", uncertainty="none")
    assert "scriptsize" not in numbers.latex(grid(none), none)
