"""How wide figures are, and how high they may be: lengths and the pages of venues."""

from types import SimpleNamespace
from typing import Any

import pytest

from heatproof.charts import wording
from heatproof.config import venues
from heatproof.util.errors import Error


@pytest.mark.parametrize(
    ("word", "width"),
    [
        ("single", 237), ("double", 504), ("89mm", 252), ("8 cm", 226), ("240pt", 240),
        ("NeurIPS", 396), ("icml", 234), ("icml-full", 486), ("nature-full", 518),
    ],
)  # fmt: skip
def test_widths_are_whole_points_and_never_wider_than_asked(word: str, width: float) -> None:
    """By hand: inches × 72, cut."""
    assert venues.width(word) == width


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("5.5", "'5.5' is not a width; there are lengths (5.5in, 89mm, 8cm, 240pt) and there are"),
        ("0.5in", "'0.5in' is not between 1in and 40in"),
        ("icml-ful", "(did you mean 'icml-full'?)"),
        ("iclr-full", "'iclr-full' is not a width"),
    ],
)
def test_what_is_no_width_is_told_with_those_there_are(word: str, message: str) -> None:
    """Numbers without a unit among them, and both columns of a page that has one."""
    with pytest.raises(Error) as error:
        venues.width(word)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("height", "width", "most"),
    [("", "double", 648), ("", "5in", 648), ("", "nature", 170 / 25.4 * 72), ("6in", "icml", 432)],
)
def test_a_page_is_as_high_as_its_venue_or_as_said(height: str, width: str, most: float) -> None:
    """9 in where nothing tells it."""
    assert venues.height(height, width) == pytest.approx(most)


@pytest.mark.parametrize(
    ("high", "message"),
    [
        (649.0, []),
        (700.0, [("what does not fit on a page: it is 9.72\u00a0in high, a page 9\u00a0in: less; "
                 "`height` sets the height of your page")]),
    ],
)  # fmt: skip
def test_a_figure_higher_than_its_page_is_told(high: float, message: list[str]) -> None:
    """With what would make it lower; a point more is none."""
    entry: Any = SimpleNamespace(height="", width="double")
    assert wording.beyond_page(high, entry, "less") == message
