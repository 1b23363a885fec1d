"""Where the texts of a drawn figure stand."""

import math
import re
from itertools import combinations
from typing import NamedTuple
from xml.etree import ElementTree as ET

from heatproof.charts import lettering

Matrix = tuple[float, float, float, float, float, float]
SVG = "{http://www.w3.org/2000/svg}"
CAPITALS = 0.66
"""Height of a capital letter as a part of the size; what hangs below the baseline is left out."""


class Text(NamedTuple):
    """A line of text and its box, in pt from the upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    corners: tuple[tuple[float, float], ...]
    """Of the line itself, which may be slanted."""


def texts(svg: str) -> list[Text]:
    """All lines of text that are seen."""
    return _below(ET.fromstring(svg), (1, 0, 0, 1, 0, 0))


def page(svg: str) -> tuple[float, float]:
    """Width and height."""
    _, _, width, height = map(float, re.findall(r'viewBox="([^"]*)"', svg)[0].split())
    return width, height


def _below(node: ET.Element, matrix: Matrix) -> list[Text]:
    matrix = _times(matrix, _matrix(node.get("transform", "")))
    if node.tag != f"{SVG}text":
        return [text for child in node for text in _below(child, matrix)]
    found, down = [], 0.0
    size = float(node.get("font-size", "10").removesuffix("px"))
    for number, line in enumerate([*node.iter(f"{SVG}tspan")] or [node]):
        down += float(line.get("dy", 0)) if number else 0.0
        words = "".join(line.itertext())
        width = lettering.text_width(words, size, node.get("font-weight") in ("bold", "600", "700"))
        left = -width * {"start": 0, "middle": 0.5, "end": 1}[node.get("text-anchor", "start")]
        corners = [(x, y) for x in (left, left + width) for y in (down - CAPITALS * size, down)]
        a, b, c, d, e, f = matrix
        turned = tuple((a * x + c * y + e, b * x + d * y + f) for x, y in corners)
        xs, ys = zip(*turned, strict=True)
        if words.strip() and node.get("opacity") != "0":
            found.append(Text(words, min(xs), min(ys), max(xs), max(ys), turned))
    return found


def _matrix(transform: str) -> Matrix:
    found: Matrix = (1, 0, 0, 1, 0, 0)
    for name, given in re.findall(r"(\w+)\(([^)]*)\)", transform):
        numbers = [float(number) for number in re.split(r"[ ,]+", given.strip())]
        if name == "translate":
            one: Matrix = (1, 0, 0, 1, numbers[0], (*numbers, 0.0)[1])
        else:
            assert name == "rotate", name
            sine, cosine = (of(math.radians(numbers[0])) for of in (math.sin, math.cos))
            one = (cosine, sine, -sine, cosine, 0, 0)
        found = _times(found, one)
    return found


def _times(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    A, B, C, D, E, F = other  # noqa: N806 - as matrices are written
    return (
        a * A + c * B, b * A + d * B, a * C + c * D, b * C + d * D,
        a * E + c * F + e, b * E + d * F + f,
    )  # fmt: skip


def overlap(one: Text, other: Text) -> float:
    """How far two rectangles reach into each other, in pt, along the side where they least do."""
    sides = []
    for (x, y), (x1, y1), (x2, y2), _ in (one.corners, other.corners):
        sides += [(x1 - x, y1 - y), (x2 - x, y2 - y)]
    found = []
    for x, y in sides:
        long = math.hypot(x, y) or 1.0
        reach = [[(px * x + py * y) / long for px, py in text.corners] for text in (one, other)]
        (low, high), (least, most) = ((min(at), max(at)) for at in reach)
        found.append(min(high, most) - max(low, least))
    return min(found)


def collisions(svg: str, slack: float = 0.6) -> list[str]:
    """Texts that stand on one another, or reach out of the page, by more than `slack` pt."""
    width, height = page(svg)
    found = texts(svg)
    return [
        f"{one.text!r} on {other.text!r}"
        for one, other in combinations(found, 2)
        if min(one.right, other.right) - max(one.left, other.left) > slack
        and min(one.bottom, other.bottom) - max(one.top, other.top) > slack
        and overlap(one, other) > slack
    ] + [
        f"{one.text!r} is not on the page"
        for one in found
        if min(one.left, one.top, width - one.right, height - one.bottom) < -slack
    ]
