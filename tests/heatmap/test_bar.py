"""The colour of a cell is the colour of its bar at the cell's value, in any figure, as it is drawn."""

import json
import math
import random
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import pytest
from vl_convert import vegalite_to_svg

from heatproof.charts import colour
from support.heatmaps import RATIOS, TASKS, WINDOWS, grid, spec
from support.quick import slow_but

Colour = tuple[float, ...]
PALETTES: list[Any] = ["lagoon", "viridis_r", "poles", "RdBu_r", ["#001000", "#20a040", "#fffff0"]]
SCALES: list[dict[str, Any]] = [
    {}, {"type": "log"}, {"center": 55}, {"clip": [10, 80]}, {"domain": [30, 70]},
    {"type": "log", "center": 40}, {"type": "log", "clip": [5, 95]},
]  # fmt: skip
SEEDS = range(2 * len(SCALES))


def draw(seed: int) -> tuple[dict[str, Any], str]:
    """A figure of random values in one to four panels, as a spec and as SVG."""
    chance = random.Random(seed)
    tasks = TASKS[: chance.randint(1, 4)]
    missing = chance.choice([0.0, 0.3])
    spread = chance.choice([0.02, 0.4])

    def draw_value(*_: object) -> float | None:
        share = 0.5 + spread * chance.uniform(-1, 1)
        return None if chance.random() < missing else share

    frame = grid(tasks, RATIOS[:3], WINDOWS[:2], of=draw_value)
    keys = {"palette": PALETTES[seed % len(PALETTES)], "color_scale": SCALES[seed % len(SCALES)]}
    chart = spec(frame, scale=chance.choice(["shared", "independent"]), **keys)
    return chart, vegalite_to_svg(json.dumps(chart))


def rgb(text: str) -> Colour:
    """Red, green and blue, 0 to 255, of a colour as SVG or Vega writes it."""
    if text.startswith("#"):
        return tuple(bytes.fromhex(text[1:]))
    return tuple(map(float, re.findall(r"[\d.]+", text)))


def find_gradient(view: dict[str, Any]) -> dict[str, Any] | None:
    """The mark with the gradient, if a view of a chart is a bar."""
    for layer in view["layer"]:
        fill = layer["mark"].get("fill")
        if isinstance(fill, dict):
            return layer
    return None


def colour_at(layer: dict[str, Any], value: float) -> Colour:
    """The colour of a bar at a value of its axis; at an end beyond it."""
    scale = layer["encoding"]["y"]["scale"]
    along = math.log if scale["type"] == "log" else float
    low, high = map(along, scale["domain"])
    offset = min(max((along(value) - low) / (high - low), 0.0), 1.0)
    stops = layer["mark"]["fill"]["stops"]
    offsets = [stop["offset"] for stop in stops]
    above = min(max(bisect_right(offsets, offset), 1), len(stops) - 1)
    start, end = stops[above - 1], stops[above]
    part = (offset - start["offset"]) / (end["offset"] - start["offset"])
    ends = zip(rgb(start["color"]), rgb(end["color"]), strict=True)
    return tuple(first + (last - first) * part for first, last in ends)


def fills(svg: str, view: int, layer: int) -> list[str]:
    """The fills of the rectangles of one layer of one view, in the order of their rows."""
    group = svg.split(f"concat_{view}_layer_{layer}_marks", 1)[1].split("</g>", 1)[0]
    return re.findall(r'<path[^>]* fill="([^"]+)"', group)


def coloured_panels(chart: dict[str, Any], svg: str) -> Iterator[tuple[Any, list[Any], list[str]]]:
    """Of each panel the bar, the rows and the fills of its cells with a colour."""
    views = list(enumerate(chart["concat"]))
    bars = [(number, bar) for number, view in views if (bar := find_gradient(view))]
    for number, view in views:
        for place, layer in enumerate(view["layer"]):
            if "color" in layer.get("encoding", {}):
                rows = chart["datasets"][view["data"]["name"]]
                bar = next(bar for behind, bar in bars if behind > number)
                yield bar, rows, fills(svg, number, place)


@pytest.mark.parametrize("seed", slow_but(SEEDS, SEEDS[:5]))
def test_a_cell_has_the_colour_of_its_bar_at_its_value(seed: int) -> None:
    """In each panel, with any palette and scale; a cell without a value has none."""
    chart, svg = draw(seed)
    panels = list(coloured_panels(chart, svg))
    assert panels
    for bar, rows, drawn in panels:
        values = [row["value"] for row in rows if row["value"] is not None]
        assert len(drawn) == len(values)
        for value, fill in zip(values, drawn, strict=True):
            assert rgb(fill) == pytest.approx(colour_at(bar, value), abs=0.6), value


@pytest.mark.parametrize(
    ("color_scale", "usual"), [({}, colour.USUAL), ({"center": 55}, colour.SIGNED)]
)
def test_colours_diverge_where_a_figure_names_their_middle(
    color_scale: dict[str, Any], usual: str
) -> None:
    """Unless it names its palette."""
    frame = grid(TASKS[:1], RATIOS[:3], WINDOWS[:2])
    chart = spec(frame, color_scale=color_scale)
    assert chart == spec(frame, color_scale=color_scale, palette=usual)
    assert chart != spec(frame, color_scale=color_scale, palette="viridis")
