"""The lines below the panels and the id in the corner, on pages of any content."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from heatproof.charts import lettering, spec, theme
from heatproof.charts.spec import MARK
from heatproof.export import drawing
from support import heatmaps

NOTES = ["Reconstructed from printed digits; the logs were never published, and this goes on."]
WIDTHS = {"single": 237.6, "double": 504.0}


def ends(chart: dict[str, Any]) -> tuple[float, float, float]:
    """Start and end of the longest line beside the id, and where the id starts, from a panel."""
    quiet = [
        layer["mark"]
        for layer in chart["concat"][0]["layer"]
        if "text" in layer["mark"] and layer["mark"].get("baseline") == "top"
    ]
    named = next(mark for mark in quiet if mark["text"] == MARK)
    lines = next(mark for mark in quiet if mark["text"] != MARK and mark["align"] == "left")
    start = lines["x"]
    longest = max(lettering.text_width(line, theme.SMALL) for line in lines["text"])
    return start, start + longest, named["x"] - lettering.text_width(MARK, theme.SMALL)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("ratios", "windows"), [(1, 1), (3, 2), (5, 1), (1, 4), (5, 4)])
@pytest.mark.parametrize("tasks", [1, 2])
@pytest.mark.parametrize("notes", [[], NOTES])
def test_the_lines_end_before_the_id(
    width: str, ratios: int, windows: int, tasks: int, notes: list[str]
) -> None:
    """A figure of few cells is narrower than its page; its lines are, too, but not endlessly so."""
    frame = heatmaps.grid(
        heatmaps.TASKS[:tasks], heatmaps.RATIOS[:ratios], heatmaps.WINDOWS[:windows],
        tied=pl.lit(value=True), epochs=pl.lit(140),
    )  # fmt: skip
    start, end, mark = ends(heatmaps.spec(frame, notes, width=width))
    assert end < mark
    assert mark - start > WIDTHS[width] / 4


@pytest.mark.parametrize(
    ("given", "lines", "named"),
    [({}, True, True), ({"footer": False}, False, True), ({"id": False}, True, False)],
)
def test_lines_and_id_can_be_left_out(given: dict[str, Any], lines: bool, named: bool) -> None:
    """Each by its key; notes go with the lines, the provenance record stays in the file."""
    chart = heatmaps.spec(heatmaps.grid(heatmaps.TASKS[:1]), NOTES, **given)
    drawn = json.dumps(chart["concat"])
    assert ("bold: highest" in drawn) == (NOTES[0][:20] in drawn) == lines
    assert (MARK in drawn) == named
    assert spec.figure_id({**chart, "usermeta": {"heatproof": {}}})


def test_a_figure_without_lines_and_id_ends_below_its_panels() -> None:
    """Their room is no longer left free."""
    frame = heatmaps.grid(heatmaps.TASKS[:1])
    high, low = (
        drawing.draw(heatmaps.spec(frame, **given)).size[1]
        for given in ({}, {"footer": False, "id": False})
    )
    assert low < high - theme.SMALL
