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
from heatproof.charts import bars, colour, scales
from heatproof.charts.scales import ColorScale
from heatproof.util.errors import Error
from support.heatmaps import grid, panels, placed, spec

RAMP = ["#000000", "#404040", "#ffffff"]
GREEN = ["#001000", "#20a040", "#fffff0", "#f0c080", "#800040"]

CASES: dict[str, tuple[Any, list[float]]] = {
    "linear": ({"domain": (2, 9)}, [2, 3.3, 5.5, 8.99, 9, 11, -4]),
    "log": ({"domain": (0.02, 7e6), "type": "log"}, [0.02, 0.5, 33.3, 1e5, 7e6, 1e9]),
    "symlog": ({"domain": (-300, 8e4), "type": "symlog"}, [-900, -300, -1, 0, 0.4, 70, 8e4, 1e6]),
    "constant": (
        {"domain": (-3, 5), "type": "symlog", "constant": 0.1},
        [-3, -0.1, -0.01, 0, 0.2, 4.4],
    ),
    "center": ({"domain": (-1, 6), "center": 0}, [-2, -1, -0.5, 0, 0.3, 3, 6, 7]),
    "beside": ({"domain": (3, 5), "center": 0}, [3, 3.5, 4.9]),
    "ratio": ({"domain": (0.5, 8), "type": "log", "center": 1}, [0.5, 0.7, 1, 2, 8]),
    "symlog center": ({"domain": (-9, 90), "type": "symlog", "center": 0}, [-9, -1, 0, 1, 9, 90]),
}


@pytest.mark.parametrize("name", CASES)
def test_vega_draws_the_computed_colour(name: str) -> None:
    """For each type of scale the fill in the SVG is the colour from which ink is chosen."""
    keys, values = CASES[name]
    scale = scales.scale(colours=GREEN, **keys)
    fill = {"field": "v", "type": "quantitative", "scale": bars.scale(scale).to_dict()}
    spec = {
        "data": {"values": [{"v": value, "n": n} for n, value in enumerate(values)]},
        "mark": {"type": "rect", "clip": False},
        "encoding": {"x": {"field": "n", "type": "ordinal"}, "color": fill},
    }
    svg = vegalite_to_svg(json.dumps(spec))
    part = svg.split("mark-rect")[1].split("</g>")[0]
    drawn = [tuple(map(int, rgb)) for rgb in re.findall(r"rgb\((\d+), (\d+), (\d+)\)", part)]
    assert drawn == [colour.rgb(scale.drawn(value)) for value in values]


@pytest.mark.parametrize("name", CASES)
def test_slices_of_a_bar_lie_evenly_along_it(name: str) -> None:
    """From end to end of the domain, each as high as the next, of the colours between its ends."""
    scale = scales.scale(colours=GREEN, **CASES[name][0])
    steps = scale.steps(11)
    assert (steps[0], steps[-1]) == scale.domain
    assert [scale.place(step) for step in steps] == pytest.approx([n / 10 for n in range(11)])


def test_colours_are_as_far_from_the_middle_as_values() -> None:
    """On both sides of the center alike; a side that reaches less far has a part of its colours."""
    scale = scales.scale((-1, 4), RAMP, center=0)
    assert scale.stops == (-1, 0, 4)
    assert scale.drawn(0) == "#404040"
    assert scale.drawn(4) == "#ffffff"
    assert scale.drawn(-1) == colour.mixed(3 / 8, RAMP)
    assert scales.scale((2, 4), RAMP, center=0).colours == ("#a0a0a0", "#ffffff")


def test_log_scales_space_ratios_evenly() -> None:
    """10 lies in the middle of 1 and 100; of symlog 0 in the middle of −5 and 5."""
    assert scales.scale((1, 100), RAMP, "log").place(10) == pytest.approx(0.5)
    assert scales.scale((1, 100), RAMP, "log").stops == (1, 10, 100)
    assert scales.scale((-5, 5), RAMP, "symlog").stops == (-5, 0, 5)


@pytest.mark.parametrize(
    ("domain", "constant"), [((-3, 2), 0.01), ((0, 100), 1), ((-0.05, 0.01), 1e-4)]
)
def test_the_constant_of_symlog_is_a_hundredth(domain: Any, constant: float) -> None:
    """Of the largest power of ten that the domain holds."""
    assert scales.scale(domain, RAMP, "symlog").axis.constant == pytest.approx(constant)


@pytest.mark.parametrize(
    ("keys", "ticks"),
    [
        ({"domain": (-1, 6)}, [-1, 0, 1, 2, 3, 4, 5, 6][1::2]),
        ({"domain": (1, 5000), "type": "log"}, [1, 10, 100, 1000]),
        ({"domain": (-3, 2), "type": "symlog"}, [-1, 0, 1]),
        ({"domain": (-0.4, 90), "type": "symlog", "constant": 1}, [0, 1, 10]),
    ],
)
def test_zero_is_a_tick(keys: Any, ticks: list[float]) -> None:
    """Wherever it lies between the ends, also in a bar in which few ticks have room."""
    bar = bars.Bar("", scales.scale(colours=RAMP, **keys))
    high, low = bar.ticks(66), bar.ticks(12)
    assert set(ticks) <= set(high) | {1, 3, 5}
    assert (0 in high) == (0 in low) == (0 in ticks)


@pytest.mark.parametrize("type", ["log", "symlog"])
def test_a_narrow_bar_has_ticks_too(type: str) -> None:  # noqa: A002
    """Between two powers of ten they are those of a linear one."""
    bar = bars.Bar("", scales.scale((41, 58), RAMP, type=type))
    assert bar.ticks(66) == [45, 50, 55]


@pytest.mark.parametrize(
    ("domain", "type", "center"), [((0.83, 1.4), "linear", 1), ((40, 61), "linear", 53), ((0.3, 9), "log", 1)]
)  # fmt: skip
def test_the_center_is_a_tick(domain: Any, type: Any, center: float) -> None:  # noqa: A002
    """Also where no multiple of a round step falls on it, and in a low bar."""
    bar = bars.Bar("", scales.scale(domain, RAMP, type, center))
    for height in (100, 40, 12, 5):
        assert center in bar.ticks(height)


def test_a_low_bar_has_two_ticks() -> None:
    """50 alone between 5 and 93 would not say which way colours run."""
    bar = bars.Bar("", scales.scale((5.3, 92.6), RAMP))
    assert bar.ticks(18) == [20, 60]
    assert len(bar.ticks(5)) == 1


def asked(**keys: Any) -> ColorScale:
    """A scale as config.yaml would give it."""
    return msgspec.convert(keys, ColorScale)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, ""),
        ({"reverse": True}, ""),
        ({"type": "log", "domain": [1, 50]}, "Colours on a log scale, from 1 to 50"),
        ({"center": -0.5}, "Colours around −0.5"),
        (
            {"clip": [2, 98]},
            "Colours from percentile 2 to 98 of the values: those beyond have the colour of the nearer end",
        ),
    ],
)  # fmt: skip
def test_a_caption_tells_of_the_scale(keys: dict[str, Any], said: str) -> None:
    """Where it is not the usual one."""
    assert asked(**keys).words() == said


def test_clipped_ends_are_percentiles() -> None:
    """Between two values in proportion, as NumPy has it; what is beyond has the colour of an end."""
    values = [0.0, 10, 20, 30, 40, 1000]
    scale = scales.fitted(values, RAMP, asked(clip=[10, 90]))
    assert scale is not None
    assert scale.domain == (5, 520)
    assert scale.drawn(1000) == scale.drawn(520) == "#ffffff"
    equal = scales.fitted([3.0] * 9 + [100.0], RAMP, asked(clip=[10, 60]))
    assert equal is not None
    assert equal.domain == pytest.approx((2.97, 3.03))


def test_a_reversed_scale_has_the_colours_from_the_other_end() -> None:
    """As a palette's `_r`."""
    scale = scales.fitted([1.0, 2.0], RAMP, asked(reverse=True))
    assert scale is not None
    assert scale.colours == tuple(RAMP[::-1])


def test_log_refuses_what_it_does_not_hold() -> None:
    """Zero has no logarithm: the message says what takes it."""
    with pytest.raises(Error, match=r"\.type: log needs values above 0, and there is 0; symlog"):
        scales.fitted([0.0, 2.0], RAMP, asked(type="log"))
    assert scales.fitted([], RAMP, asked(type="log")) is None
    alone = scales.fitted([100.0], RAMP, asked(type="log"), share=True)
    assert alone is not None
    assert alone.domain == (99, 101)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, []),
        ({"type": "symlog", "constant": 2, "center": 0, "clip": [2, 98]}, []),
        ({"clip": [2]}, [".clip: [2.0] is not two percentiles, 0 to 100, such as [2, 98]"]),
        ({"clip": [50, 101]}, [".clip: [50.0, 101.0] is not two percentiles, 0 to 100, such as [2, 98]"]),
        ({"clip": [2, 98], "domain": [0, 1]}, [".clip: domain says where the colours end; choose one"]),
        ({"domain": [1, 1]}, [".domain: [1.0, 1.0] is not [lowest, highest]"]),
        ({"constant": 2}, [".constant: 2 is of symlog, not linear"]),
        ({"type": "symlog", "constant": -1}, [".constant: -1 is not above 0"]),
        (
            {"type": "log", "center": 0, "domain": [0, 5]},
            [
                ".center: 0 is not above 0, as log needs; symlog takes it",
                ".domain: 0 is not above 0, as log needs; symlog takes it",
            ],
        ),
    ],
)  # fmt: skip
def test_what_a_scale_may_be(keys: dict[str, Any], said: list[str]) -> None:
    """Keys that do not go together are told, with what would."""
    assert asked(**keys).mistakes() == said


def gains(task: str, window: int, ratio: float) -> float:
    """Of both signs in one task, of one in the other."""
    return (ratio - 0.2) * window / 100 + (50 if task == "b" else 0)


def colours(chart: Any) -> list[dict[str, Any]]:
    """The scale of colour of each panel."""
    return [placed(view)["color"]["scale"] for view in panels(chart)]


def test_zero_is_the_middle_where_signs_mix() -> None:
    """In all panels of the figure, by a diverging palette; not where the user wants another."""
    first, second = colours(spec(grid(["a", "b"], of=gains), percent=False))
    middle = colour.mixed(0.5, colour.palette(colour.SIGNED))
    assert dict(zip(first["domain"], first["range"], strict=True))[0] == middle
    assert middle not in second["range"]
    (plain,) = colours(spec(grid(["a"], of=gains), percent=False, palette="viridis"))
    assert plain["range"] == colour.palette("viridis")
    (given,) = colours(spec(grid(["b"], of=gains), percent=False, color_scale={"center": 55}))
    assert dict(zip(given["domain"], given["range"], strict=True))[55] == middle


def test_values_beyond_a_clipped_bar_are_marked() -> None:
    """An arrow head at the end beyond which values lie, in the colour of that end."""
    chart = spec(grid(["a"], of=lambda _, y, x: x * y), color_scale={"clip": [0, 90]})
    marks = [layer["mark"] for layer in chart["concat"][1]["layer"]]
    (head,) = [mark for mark in marks if mark["type"] == "point"]
    assert head["fill"] == colours(chart)[0]["range"][-1]
    assert "beyond the colour bar, drawn as its ends: 2 above" in json.dumps(chart)


def test_a_scale_that_does_not_hold_the_values_is_told_with_its_place() -> None:
    """The figure and the key; nothing is drawn."""
    with pytest.raises(Error, match=r"figures\.\w+\.color_scale\.type: log needs values above 0"):
        spec(grid(["a"], of=gains), percent=False, color_scale={"type": "log"})


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
    with pytest.raises(Error) as refused:
        call(domain=[0, 1])
    said = "domain: no value lies between 0 and 1: values are 50 to 100 in percent; write [0, 100]"
    assert str(refused.value) == f"{said}, or take it out"
    assert call(domain=[0, 100])
    assert call(domain=[40, 60])
    with pytest.raises(Error, match="give ends around them, or take it out"):
        call(domain=[120, 130])


def test_one_panel_may_lie_beyond_the_ends() -> None:
    """They are of all panels, and of each that has its own scale; ends of a scale are meant alike."""
    rows = {"b": [1, 2] * 4, "net": ["u"] * 8, "t": ["x"] * 4 + ["y"] * 4, "id": [1, 1, 2, 2] * 2,
            "score": [0, 0, 0, 0, 1, 0, 1, 1]}  # fmt: skip
    of = {"sample_id": "id", "task": "t"}
    drawn = partial(hp.heatmap, rows, x="b", y="net", panel="task", fields=of)
    assert drawn(domain=[30, 60])
    with pytest.raises(Error, match=r"color_scale\.domain: no value lies between 0 and 1"):
        drawn(color_scale={"domain": [0, 1]})
