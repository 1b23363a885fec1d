"""What changed from one build to another, as a page."""

import re

from heatproof import changes
from heatproof.provenance.diff import CellChange, FigureChange


def cell(ratio: float, before: float | None, after: float | None) -> CellChange:
    """A changed cell whose former interval reached .1 to each side."""
    interval = None if before is None else (before - 0.1, before + 0.1)
    return CellChange({"ratio": ratio}, {"value": (before, after)}, interval)


FIGURE = FigureChange("grid", cells=9, changes=[cell(0.1, 0.5, 0.55), cell(0.2, 0.4, 0.8)])


def test_each_change_is_a_line_and_noise_is_pale() -> None:
    """The largest first, from the former value to the new one; each leads to its cell."""
    page = changes.changes_page([FIGURE], "a", "b")
    links = re.findall(r'href="([^"]+)"', page)
    assert links == ["index.html#grid?ratio=0.2", "index.html#grid?ratio=0.1"]
    lines = re.findall(r'<line class="(\w+)" x1="([\d.]+)" x2="([\d.]+)" stroke', page)
    assert lines == [("up", "0.0", "300.0"), ("pale", "75.0", "112.5")]
    assert "2 of 9 cells changed, 1 of them within noise" in page
    assert re.search(r"0\.40* → 0\.80*", page)


def test_what_has_no_former_value_is_told() -> None:
    """Of a new cell there is a dot; of a new figure a line."""
    new = FigureChange("grid", cells=1, changes=[cell(0.1, None, 0.5)])
    page = changes.changes_page([new, FigureChange("other", "is new")], "a", "b")
    assert "no value → 0.5" in page
    assert "<circle" in page
    assert not re.search(r"stroke-width", page)
    assert "<p>is new</p>" in page
    assert changes.changes_summary([new, FIGURE]) == "3 cells of 2 figures"


def test_the_largest_changes_are_drawn() -> None:
    """Of many; nothing that a figure is called becomes part of the page's code."""
    many = [cell(n / 100, 0.0, n / 100) for n in range(1, 61)]
    page = changes.changes_page([FigureChange("<b>", cells=60, changes=many)], "<i>", "b")
    assert page.count("<circle") == changes.SHOWN
    assert "the 40 largest changes" in page
    assert "<b>" not in page
    assert "<i>" not in page
