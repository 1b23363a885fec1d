"""narrow: figures as wide as they are asked to be, down to an inch, and names over slim panels."""

from __future__ import annotations

import json
from typing import Any

import pytest

from heatproof.charts import sheet, theme
from heatproof.charts.lettering import text_width
from heatproof.config import venues
from heatproof.export import drawing, export
from heatproof.kinds.heatmap import marks as stamps
from heatproof.util.errors import Error
from support.heatmaps import TASKS, grid, judged, panels, spec

NAMES = {"task": {"AIME24": "Pathfinding (hard)", "AIME25": "Summation of numbers"}}


def marks(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """Of all panels."""
    return [layer["mark"] for view in panels(chart) for layer in view["layer"]]


@pytest.mark.parametrize("width", ["1in", "1.8in"])
def test_a_heatmap_is_as_narrow_as_it_is_asked_to_be(width: str) -> None:
    """Lines below it take the whole width, and the id stands under them."""
    chart, room = spec(judged(), width=width, title=""), venues.width(width)
    svg = export.render(json.loads(json.dumps(chart)), ["svg"])["svg"].decode()
    assert drawing.size(svg)[0] == pytest.approx(room)
    quiet = [mark for mark in marks(chart) if mark.get("baseline") == "top"]
    below = [mark for mark in quiet if isinstance(mark["text"], list) and mark["y"] > 0]
    [name] = [mark for mark in quiet if mark.get("align") == "right"]
    assert len(below) == (width != "1in")  # where no ruler has room, nothing is to be said
    for lines in below:
        assert room * 0.6 < max(text_width(line, theme.SMALL) for line in lines["text"]) <= room
        under = lines["y"] + len(lines["text"]) * theme.line_height(theme.SMALL)
        assert name["y"] == pytest.approx(under)


@pytest.mark.parametrize(("width", "under"), [(100.0, True), (200.0, False)])
def test_the_page_has_room_for_the_id(width: float, under: bool) -> None:
    """A line more where it stands below."""
    tall = [
        sheet.Sheet(
            width=width, left=0, above=0, below=0, height=50, gap=0, rows=1, margin=0, named=named
        ).tall(["a", "b"])
        for named in (True, False)
    ]
    assert (tall[0] > tall[1]) == under


@pytest.mark.parametrize("given", [{}, {"legend": False}, {"width": "single"}])
def test_a_name_over_one_cell_is_not_broken_within_a_word(given: dict[str, Any]) -> None:
    """It may reach over the bar of its panel, or its cell is wider."""
    chart = spec(grid(TASKS[:2], ratios=(0.1,)), names=NAMES, title="", **given)
    bold = [
        mark["text"]
        for mark in marks(chart)
        if mark.get("fontSize") == theme.TITLE and "text" in mark
    ]
    lines = [line for text in bold for line in ([text] if isinstance(text, str) else text)]
    assert " ".join(lines).split() == ["Pathfinding", "(hard)", "Summation", "of", "numbers"]


def test_the_name_of_a_ruler_keeps_clear_of_a_mark_at_its_beginning() -> None:
    """The mark of no spread reaches to the left of the ruler."""
    [name] = [mark for mark in marks(spec(judged())) if mark.get("text") == stamps.RULER_NAME]
    assert name["x"] + stamps.DIAMOND <= -2
    assert stamps.ruler_left() >= text_width(stamps.RULER_NAME, theme.SMALL) - name["x"]


def test_what_does_not_fit_its_width_is_refused_with_the_width_that_it_takes() -> None:
    """Not drawn wider in silence."""
    venues.require_fit(144.0, "config.yaml: figures.f", "2in")
    with pytest.raises(Error, match=r"^config.yaml: figures.f.width: '2in' is too narrow .* 2.7in"):
        venues.require_fit(192.0, "config.yaml: figures.f", "2in")
