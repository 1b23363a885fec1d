"""scales: a value has one colour, in cells, inks and pages, and it is the one that is drawn."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import msgspec
import pytest
from vl_convert import vegalite_to_svg

import heatproof as hp
from heatproof.charts import bars, colour
from heatproof.charts.colour import ColorScale
from heatproof.util.errors import Error
from support.heatmaps import grid, panels, placed, spec

RAMP = ["#000000", "#404040", "#ffffff"]
GREEN = ["#001000", "#20a040", "#fffff0", "#f0c080", "#800040"]

CASES: dict[str, tuple[Any, list[float]]] = {
    "linear": ({"domain": (2, 9)}, [2, 3.3, 5.5, 8.99, 9, 11, -4]),
    "log": ({"domain": (0.02, 7e6), "log": True}, [0.02, 0.5, 33.3, 1e5, 7e6, 1e9]),
    "center": ({"domain": (-1, 6), "center": 0}, [-2, -1, -0.5, 0, 0.3, 3, 6, 7]),
    "beside": ({"domain": (3, 5), "center": 0}, [3, 3.5, 4.9]),
    "ratio": ({"domain": (0.5, 8), "log": True, "center": 1}, [0.5, 0.7, 1, 2, 8]),
}


@pytest.mark.parametrize("name", CASES)
def test_vega_draws_the_computed_colour(name: str) -> None:
    """The fill in the SVG is the colour from which ink is chosen."""
    keys, values = CASES[name]
    scale = colour.scale(colours=GREEN, **keys)
    fill = {"field": "v", "type": "quantitative", "scale": bars.scale(scale).to_dict()}
    chart = {
        "data": {"values": [{"v": value, "n": n} for n, value in enumerate(values)]},
        "mark": {"type": "rect", "clip": False},
        "encoding": {"x": {"field": "n", "type": "ordinal"}, "color": fill},
    }
    part = vegalite_to_svg(json.dumps(chart)).split("mark-rect")[1].split("</g>")[0]
    drawn = [tuple(map(int, rgb)) for rgb in re.findall(r"rgb\((\d+), (\d+), (\d+)\)", part)]
    assert drawn == [colour.rgb(scale.drawn(value)) for value in values]


def test_colours_are_as_far_from_the_middle_as_values() -> None:
    """On both sides of the center alike; a side that reaches less far has a part of its colours."""
    scale = colour.scale((-1, 4), RAMP, center=0)
    assert scale.stops == (-1, 0, 4)
    assert [scale.drawn(value) for value in (0, 4, -1)] == [
        "#404040", "#ffffff", colour.mixed(3 / 8, RAMP),
    ]  # fmt: skip
    assert colour.scale((1, 100), RAMP, log=True).stops == (1, 10, 100)


@pytest.mark.parametrize(
    ("keys", "height", "ticks"),
    [
        ({"domain": (-1, 6)}, 66, [0, 2, 4, 6]),
        ({"domain": (1, 5000), "log": True}, 66, [1, 10, 100, 1000]),
        ({"domain": (41, 58), "log": True}, 66, [45, 50, 55]),
        ({"domain": (5.3, 92.6)}, 18, [20, 60]),
        ({"domain": (0.83, 1.4), "center": 1}, 5, [1]),
        ({"domain": (40, 61), "center": 53}, 12, [53]),
    ],
)
def test_ticks_are_round_and_one_is_the_center(keys: Any, height: float, ticks: Any) -> None:
    """Zero, or the center, is one of them wherever it lies; two at least where there is room."""
    bar = bars.Bar("", colour.scale(colours=RAMP, **keys))
    assert {*ticks} <= {*bar.ticks(height)}


def wish(**keys: Any) -> ColorScale:
    """A scale as config.yaml would give it."""
    return msgspec.convert(keys, ColorScale)


def test_a_scale_is_fitted_to_values() -> None:
    """Clipped ends are percentiles as NumPy has them; one value has a scale around it."""
    values = [0.0, 10, 20, 30, 40, 1000]
    clipped = colour.fitted(values, RAMP, wish(clip=[10, 90]))
    assert clipped
    assert clipped.domain == (5, 520)
    assert clipped.drawn(1000) == clipped.drawn(520) == "#ffffff"
    equal = colour.fitted([3.0] * 9 + [100.0], RAMP, wish(clip=[10, 60]))
    assert equal
    assert equal.domain == pytest.approx((2.97, 3.03))
    alone = colour.fitted([100.0], RAMP, wish(type="log"), share=True)
    assert alone
    assert alone.domain == (99, 101)
    assert colour.fitted([], RAMP, wish(type="log")) is None
    with pytest.raises(Error, match=r"type: log needs values above 0, and there is 0"):
        colour.fitted([0.0, 2.0], RAMP, wish(type="log"))


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ({}, []),
        ({"type": "linear", "center": 0, "clip": [2, 98]}, []),
        ({"clip": [2]}, [".clip"]),
        ({"clip": [50, 101]}, [".clip"]),
        ({"clip": [2, 98], "domain": [0, 1]}, [".clip"]),
        ({"domain": [1, 1]}, [".domain"]),
        ({"type": "log", "center": 0, "domain": [0, 5]}, [".center", ".domain"]),
    ],
)
def test_what_a_scale_may_be(keys: dict[str, Any], places: list[str]) -> None:
    """Keys that do not go together are refused at their place."""
    assert [mistake.place for mistake in wish(**keys).mistakes()] == places


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, ""),
        ({"type": "log", "domain": [1, 50]}, "Colours on a log scale, from 1 to 50"),
        ({"center": -0.5}, "Colours around −0.5"),
        ({"clip": [2, 98]}, "Colours from percentile 2 to 98 of the values: those beyond have the colour of"),
    ],
)  # fmt: skip
def test_a_caption_tells_of_the_scale(keys: dict[str, Any], words: str) -> None:
    """Where it is not the usual one."""
    assert wish(**keys).words().startswith(words)
    assert bool(wish(**keys).words()) == bool(words)


def gains(task: str, window: int, ratio: float) -> float:
    """Of both signs in one task, of one in the other."""
    return (ratio - 0.2) * window / 100 + (50 if task == "b" else 0)


def test_zero_is_the_middle_where_signs_mix() -> None:
    """In all panels of the figure, by a diverging palette; not where the user wants another."""

    def shades(tasks: str, **keys: Any) -> list[dict[str, Any]]:
        chart = spec(grid([*tasks], of=gains), percent=False, **keys)
        return [placed(view)["color"]["scale"] for view in panels(chart)]

    first, second = shades("ab")
    middle = colour.mixed(0.5, colour.palette(colour.SIGNED))
    assert dict(zip(first["domain"], first["range"], strict=True))[0] == middle
    assert middle not in second["range"]
    assert shades("a", palette="viridis")[0]["range"] == colour.palette("viridis")
    (own,) = shades("b", color_scale={"center": 55})
    assert dict(zip(own["domain"], own["range"], strict=True))[55] == middle


@pytest.mark.parametrize("kind", ["heatmap", "line", "forest", "scatter"])
def test_ends_beyond_which_all_values_lie_are_a_mistake(kind: str) -> None:
    """Ends in shares of a figure in percent: all cells would have one colour, and no point a place."""
    rows = {"b": [1, 1, 2, 2], "net": ["u"] * 4, "id": [1, 2, 1, 2], "score": [1, 0, 1, 1]}
    encoding = {
        "heatmap": {"x": "b", "y": "net", "color": "pass@1"},
        "line": {"x": "b", "y": "pass@1", "color": "net"},
        "forest": {"x": "pass@1", "y": "net", "detail": "b"},
        "scatter": {"x": "mean(score)", "y": "pass@1", "label": "b"},
    }[kind]
    call = partial(hp.figure, rows, kind, {"sample_id": "id"}, encoding=encoding)
    with pytest.raises(Error, match=r"values are 50 to 100 in percent; write \[0, 100\]"):
        call(domain=[0, 1])
    assert call(domain=[40, 60])
    with pytest.raises(Error, match="give ends around them, or take it out"):
        call(domain=[120, 130])
