"""colour: the colours that are drawn, and ink that reads on every one of them."""

import json
import math
import re
from collections.abc import Iterator
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vl_convert import vegalite_to_svg

import heatproof as hp
from heatproof.charts import bars, colour
from heatproof.charts.colour import ColorScale
from heatproof.util.errors import Error
from support.heatmaps import grid, panels, placed, spec

NAMES = sorted(colour.PALETTES)
BLIND = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""How linear red, green and blue are seen: Machado, Oliveira and Fernandes (2009), severity 1."""
SEEN = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
XYZ = ((0.412456, 0.357576, 0.180437), (0.212673, 0.715152, 0.072175),
       (0.019334, 0.119192, 0.950304))  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_ink_reads_on_every_colour(name: str) -> None:
    """On every value of every palette, 60 or more is perceived where black or white can have it."""
    colours = colour.palette(name)
    shades = [colour.mixed(step / 400, colours) for step in range(401)]
    assert (shades[0], shades[-1]) == (colours[0], colours[-1])
    for shade in shades:
        both = {ink: colour.perceived_contrast(ink, shade) for ink in ("#000000", "#ffffff")}
        assert both[colour.ink(shade)] == max(both.values()) >= 54


@settings(max_examples=300)
@given(name=st.sampled_from(NAMES), row=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_ink_of_a_row_reads_wherever_either_can(name: str, row: list[float]) -> None:
    """60 or more is perceived on each cell on which black or white has it, whatever is beside it."""
    shades = [colour.mixed(value, colour.palette(name)) for value in row]
    for ink, shade in zip(colour.row_inks(shades), shades, strict=True):
        either = max(colour.perceived_contrast(one, shade) for one in ("#000000", "#ffffff"))
        if either >= colour.ENOUGH:
            assert colour.perceived_contrast(ink, shade) == either


@pytest.mark.parametrize(
    ("ink", "ground", "contrast"),
    [
        ("#888888", "#ffffff", 63.056),
        ("#ffffff", "#888888", 68.541),
        ("#000000", "#aaaaaa", 58.146),
        ("#aaaaaa", "#000000", 56.241),
        ("#112233", "#ddeeff", 91.668),
        ("#ffffff", "#ffffff", 0.0),
    ],
)
def test_contrast_is_perceived(ink: str, ground: str, contrast: float) -> None:
    """The values that the authors of APCA give for a check."""
    assert colour.perceived_contrast(ink, ground) == pytest.approx(contrast, abs=0.001)


def test_cells_side_by_side_on_which_no_ink_reads_well_have_one() -> None:
    """The one that reads best on the hardest of them; cells on which one reads well have that."""
    white, black = "#ffffff", "#000000"
    blues = ["#57b6c0", "#49aac0", "#57b6c0", "#49aac0"]
    assert {colour.ink(blue) for blue in blues} == {white, black}
    assert colour.row_inks(blues) == colour.row_inks(blues[::-1]) == [black] * 4
    assert colour.row_inks(["#57b6c0", *["#46a7c0"] * 2]) == [white] * 3
    assert colour.row_inks(["#ffffd9", *blues, "#081d58"]) == [black] * 5 + [white]
    assert colour.row_inks(["#081d58", *blues, "#ffffd9"]) == [white] + [black] * 5
    scale = colour.scale((0.0, 1.0), ["#000000", "#ffffff"])
    assert scale.row_inks([0.0, None, 1.0]) == [white, black, black]


def test_colours_are_mixed_linearly_and_contrast_follows_wcag() -> None:
    """Rounded half up, as in d3; beyond the ends with their colours."""
    assert colour.mixed(0.5, ["#000000", "#ffff01"]) == "#808001"
    assert colour.mixed(1.5, ["#000000", "#ffffff"]) == "#ffffff"
    assert colour.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert colour.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def times(matrix: Any, vector: Any) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(channels: Any, eye: Any = SEEN) -> tuple[float, float, float]:
    """CIELAB (D65) of red, green and blue, 0 to 255, as an eye sees them that mixes them so."""
    parts = [channel / 255 for channel in channels]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    mixed = [min(max(part, 0), 1) for part in times(eye, linear)]
    ratios = [a / sum(row) for a, row in zip(times(XYZ, mixed), XYZ, strict=True)]
    x, y, z = (
        ratio ** (1 / 3) if ratio > (6 / 29) ** 3 else ratio * (29 / 6) ** 2 / 3 + 4 / 29
        for ratio in ratios
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ramp(name: str, steps: int = 400) -> Iterator[list[float]]:
    """Red, green and blue, unrounded, of values that are evenly spaced over a palette."""
    stops = [colour.rgb(shade) for shade in colour.palette(name)]
    for step in range(steps + 1):
        at = step / steps * (len(stops) - 1)
        below = min(int(at), len(stops) - 2)
        ends = zip(stops[below], stops[below + 1], strict=True)
        yield [low + (high - low) * (at - below) for low, high in ends]


@pytest.mark.parametrize("name", NAMES)
def test_equal_differences_look_equal_anywhere(name: str) -> None:
    """A twentieth of a palette holds at most a tenth of its distance in CIELAB (even: 5 %)."""
    steps = [math.dist(*pair) for pair in pairwise(lab(shade) for shade in ramp(name))]
    sums = [0, *accumulate(steps)]
    assert max(sums[n + 20] - sums[n] for n in range(len(sums) - 20)) <= 0.1 * sums[-1]


def arms(name: str, eye: Any, steps: int = 100) -> list[list[tuple[float, float, float]]]:
    """The colours of a palette as an eye sees them: of a diverging one both sides from its middle."""
    shades, half = [lab(shade, eye) for shade in ramp(name, steps)], steps // 2
    return [shades[half::-1], shades[half:]] if colour.is_diverging(name) else [shades]


@pytest.mark.parametrize("eye", [SEEN, *BLIND.values()], ids=["all", *BLIND])
@pytest.mark.parametrize("name", NAMES)
def test_each_side_of_a_palette_grows_darker_or_lighter(name: str, eye: Any) -> None:
    """So it is read in grey, and by the colour-blind."""
    for arm in arms(name, eye):
        lightness = [shade[0] for shade in arm]
        steps = [b - a for a, b in pairwise(lightness)]
        assert all(step < 0 for step in steps) or all(step > 0 for step in steps)


@pytest.mark.parametrize("name", [name for name in NAMES if colour.is_diverging(name)])
def test_sides_that_the_colour_blind_see_alike_are_told(name: str) -> None:
    """They see less than half as much between two values that are as far from the middle."""
    apart = [
        min(math.dist(*pair) for pair in list(zip(*arms(name, eye), strict=True))[15:])
        for eye in (SEEN, *BLIND.values())
    ]
    lines = colour.sides_alike(name.upper() + "_r")
    assert bool(lines) == (min(apart) < apart[0] / 2)
    assert all(name.upper() in line for line in lines)
    assert not colour.sides_alike(colour.palette(name))


@pytest.mark.parametrize("eye", [SEEN, *BLIND.values()], ids=["all", *BLIND])
@pytest.mark.parametrize("name", ["lagoon", "ember", "poles", "dusk"])
def test_our_palettes_are_told_step_by_step(name: str, eye: Any) -> None:
    """By the colour-blind and in grey; the middle is a grey that paper sets off."""
    sides = arms(name, eye, len(colour.palette(name)) - 1)
    for side in sides:
        assert all(pale[0] > dark[0] + 0.9 for pale, dark in pairwise(side))
        assert all(math.dist(*step) > 2.3 for step in pairwise(side))
    if len(sides) == 2:
        pairs = [*zip(*sides, strict=True)][1:]
        assert all(math.dist(*pair) > 8 for pair in pairs)
        middle = colour.palette(name)[20]
        assert len({*colour.rgb(middle)}) == 1
        assert colour.contrast(middle, "#ffffff") > 1.3


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("VIRIDI", r"'VIRIDI' is not a palette; there are .*\(did you mean 'viridis'\?\)"),
        ([], r"\[\] is not two or more hex colours"),
        (["#08519c", "Blues"], r"'Blues' is not a hex .*; a palette is named without a list"),
        (["#08519c", "#12345"], r"'#12345' is not a hex colour such as '#08519c'$"),
    ],
)
def test_palettes_go_by_names_in_any_case_and_as_lists(name: Any, words: str) -> None:
    """What is none is refused with those there are, and the likeliest."""
    assert colour.palette("YLGNBU_R") == colour.palette("YlGnBu")[::-1]
    assert colour.palette(["#FFFFFF", "#08519c"]) == ["#ffffff", "#08519c"]
    with pytest.raises(Error, match=words):
        colour.palette(name)


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
    clipped: Any = colour.fitted(values, RAMP, wish(clip=[10, 90]))
    assert clipped.domain == (5, 520)
    assert clipped.drawn(1000) == clipped.drawn(520) == "#ffffff"
    equal: Any = colour.fitted([3.0] * 9 + [100.0], RAMP, wish(clip=[10, 60]))
    assert equal.domain == pytest.approx((2.97, 3.03))
    alone: Any = colour.fitted([100.0], RAMP, wish(type="log"), share=True)
    assert alone.domain == (99, 101)
    assert colour.fitted([], RAMP, wish(type="log")) is None
    with pytest.raises(Error, match=r"type: log needs values above 0, but there is 0"):
        colour.fitted([0.0, 2.0], RAMP, wish(type="log"))


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


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("heatmap", {"x": "b", "y": "net", "color": "pass@1"}),
        ("line", {"x": "b", "y": "pass@1", "color": "net"}),
        ("forest", {"x": "pass@1", "y": "net", "detail": "b"}),
        ("scatter", {"x": "mean(score)", "y": "pass@1", "label": "b"}),
    ],
)
def test_ends_beyond_which_all_values_lie_are_a_mistake(kind: str, axes: dict[str, str]) -> None:
    """Ends in shares of a figure in percent: all cells would have one colour, and no point a place."""
    rows = {"b": [1, 1, 2, 2], "net": ["u"] * 4, "id": [1, 2, 1, 2], "score": [1, 0, 1, 1]}
    call = partial(hp.figure, rows, kind, {"sample_id": "id"}, encoding=axes)
    with pytest.raises(Error, match=r"values are 50 to 100 in percent; write \[0, 100\]"):
        call(domain=[0, 1])
    with pytest.raises(Error, match="give ends around them, or remove it"):
        call(domain=[10, 20])
    with pytest.raises(Error, match="pass@1 goes from 0 to 100; give ends within, or remove it"):
        call(domain=[120, 130])
