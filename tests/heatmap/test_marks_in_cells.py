"""Digits stand in the middle of their cell, and no mark of it touches them: measured in the SVG."""

import re
from typing import Any, NamedTuple

import polars as pl
import pytest

from heatproof.charts import lettering
from heatproof.export import drawing
from heatproof.kinds.looks import DOT
from support.heatmaps import JUDGED, TASKS, grid, spec

CELL = re.compile(r'd="M([-\d.]+),([-\d.]+)h([-\d.]+)v([-\d.]+)h[-\d.]+Z" fill="rgb')
NUMBER = re.compile(
    r'<text text-anchor="middle" transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*'
    r'font-size="([\d.]+)px" font-weight="(\w+)"[^>]*>([\d.]+)</text>'
)
MARK = re.compile(r'<path transform="translate\(([-\d.]+),([-\d.]+)\)" d="([^"]+)"')
ENDS = re.compile(r"(?<=[ML])([-\d.]+),([-\d.]+)")
WHOLE = 0.66  # height of digits as a part of their size
AIR = 0.3  # pt that digits and marks are apart at least


class Box(NamedTuple):
    """Sides in pt from the upper left corner of the panel."""

    left: float
    top: float
    right: float
    foot: float

    def is_inside(self, other: "Box") -> bool:
        """Whether no side lies outside of another box."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.foot <= other.foot

    def is_apart(self, other: "Box") -> bool:
        """Whether there is air between both."""
        across = max(self.left - other.right, other.left - self.right)
        return max(across, self.top - other.foot, other.top - self.foot) >= AIR


def cells(svg: str) -> list[Box]:
    """The coloured cells."""
    sides = [[float(side) for side in found] for found in CELL.findall(svg)]
    return [Box(x, y, x + wide, y + high) for x, y, wide, high in sides]


def numbers(svg: str) -> list[Box]:
    """The values in the cells, without what hangs below their foot."""
    boxes = []
    for x, foot, size, weight, text in NUMBER.findall(svg):
        half = lettering.text_width(text, float(size), weight == "bold") / 2
        top = float(foot) - WHOLE * float(size)
        boxes.append(Box(float(x) - half, top, float(x) + half, float(foot)))
    return boxes


def marks(svg: str) -> list[Box]:
    """Dots, curves that begin at their left, and daggers, which have corners."""
    boxes = []
    for x, y, path in MARK.findall(svg):
        ends = [(float(x) + float(a), float(y) + float(b)) for a, b in ENDS.findall(path)]
        xs, ys = zip(*ends, strict=True)
        if len(ends) == 1:
            boxes.append(Box(xs[0], ys[0] - DOT, xs[0] + 2 * DOT, ys[0] + DOT))
        else:
            boxes.append(Box(min(xs), min(ys), max(xs), max(ys)))
    return boxes


@pytest.mark.parametrize("columns", [3, 5, 9, 13])
@pytest.mark.parametrize("keys", [{}, {"width": "double"}, {"width": "single"}])
def test_digits_are_centred_and_marks_stand_free(columns: int, keys: dict[str, Any]) -> None:
    """In cells of all sizes that have digits, each with a dagger, and half of them with a dot."""
    ratios = [0.1 * number for number in range(1, columns + 1)]
    is_tied = pl.col("value") > pl.col("value").median()
    verdict = {name: pl.lit(value) for name, value in JUDGED.items()}
    marked = verdict | {"epochs": pl.lit(140), "tied": is_tied}
    svg = drawing.draw(spec(grid(TASKS[:1], ratios).with_columns(**marked), **keys)).svg
    places, texts, signs = cells(svg), numbers(svg), marks(svg)
    assert len(places) == len(texts) == 4 * columns
    assert len(signs) > len(places), "some have dots too"
    for cell, text in zip(places, texts, strict=True):
        assert text.left - cell.left == pytest.approx(cell.right - text.right, abs=0.05)
        assert text.top - cell.top == pytest.approx(cell.foot - text.foot, abs=0.1)
    for sign in signs:
        (cell,) = [cell for cell in places if sign.is_inside(cell)]
        (text,) = [text for text in texts if text.is_inside(cell)]
        assert sign.is_apart(text), (cell, text, sign)
