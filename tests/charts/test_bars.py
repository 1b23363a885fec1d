"""bars: a colour bar has, at each value, the colour of the cells with this value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from support import heatmaps
from toys import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

CHARTS = {
    "heatmap": heatmaps.plain,
    "heatmap, a bar of all": lambda: heatmaps.plain(scale="shared"),
    "heatmap, log": lambda: heatmaps.spec(
        heatmaps.grid(), color_scale={"type": "log"}, palette="ember"
    ),
    "heatmap, reversed": lambda: heatmaps.plain(palette="lagoon_r"),
    "pairwise": lambda: drawn("pairwise")[3],
}
Spec = dict[str, Any]
Colour = tuple[float, ...]


def parts(spec: Any) -> Iterator[Spec]:
    """Every chart in a spec, data aside; those that are layers of another come before it."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            yield from parts(value) if key != "datasets" else ()
        if "layer" in spec or "encoding" in spec:
            yield spec
    elif isinstance(spec, list):
        for value in spec:
            yield from parts(value)


def coloured(chart: Spec, field: str) -> Spec | None:
    """What a chart encodes, if it colours this field of its data."""
    encoding: Spec = chart.get("encoding", {})
    return encoding if encoding.get("color", {}).get("field") == field else None


def at(scale: Spec, value: float) -> Any:
    """What a scale of a spec makes of a value: a place, or the red, green and blue of a colour."""
    log = scale["type"] == "log"
    domain = [math.log(end) if log else end for end in scale["domain"]]
    value = math.log(value) if log else value
    above = next((n for n, end in enumerate(domain) if n and value <= end), len(domain) - 1)
    share = (value - domain[above - 1]) / (domain[above] - domain[above - 1])
    low, high = scale["range"][above - 1 : above + 1]
    if isinstance(low, str):
        pairs = zip(channels(low), channels(high), strict=True)
        return tuple(a + share * (b - a) for a, b in pairs)
    return low + share * (high - low)


def channels(colour: str) -> Colour:
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def bar_slices(spec: Spec) -> list[tuple[float, float, Colour]]:
    """Of the first bar the values at the ends of each slice, and its colour; the lowest first."""
    for chart in parts(spec):
        for layer in chart.get("layer", ()):
            if encoding := coloured(layer, "middle"):
                fill, y = (encoding[channel]["scale"] for channel in ("color", "y"))
                rows = sorted(
                    spec["datasets"][chart["data"]["name"]], key=lambda row: -at(y, row["middle"])
                )
                return [(row["low"], row["high"], at(fill, row["middle"])) for row in rows]
    raise AssertionError("there is no bar")


def cell_colours(spec: Spec) -> dict[float, Colour]:
    """Value → colour of cells of the first panel, or of its bins."""
    charts = [*parts(spec)]
    encodings = (coloured(chart, field) for chart in charts for field in ("value", "samples"))
    scale = next(encoding["color"]["scale"] for encoding in encodings if encoding)
    return {value: at(scale, value) for value in scale["domain"]}


@pytest.mark.parametrize("name", CHARTS)
def test_a_bar_has_the_colours_of_the_cells(name: str) -> None:
    """High values on top; at both ends and between, the colours are those of cells."""
    spec = CHARTS[name]()
    colours, slices = cell_colours(spec), bar_slices(spec)
    assert slices == sorted(slices)
    least, most = slices[0][0], slices[-1][1]
    assert least <= min(colours) + 1e-9
    assert max(colours) <= most + 5e-4
    for low, high, shade in slices:
        for value, colour in colours.items():
            if low <= value <= high:
                assert shade == pytest.approx(colour, abs=20)
    ends = colours[min(colours)], colours[max(colours)]
    assert math.dist(*ends) > 200
    assert slices[0][2] == pytest.approx(ends[0], abs=6)
    assert slices[-1][2] == pytest.approx(ends[1], abs=6)
