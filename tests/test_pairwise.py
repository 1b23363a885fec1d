"""pairwise: what is drawn for bins of pairs, and that its two readings cannot be confused."""

import base64
import json
import re
import zlib
from functools import cache
from itertools import combinations

import msgspec
import numpy as np
import polars as pl
import pytest

from heatproof.charts import colour, scales, theme
from heatproof.charts.lettering import widest
from heatproof.charts.spec import omitted, unchecked
from heatproof.config.entries import Figure
from heatproof.export import drawing
from heatproof.kinds import api, pairwise
from heatproof.kinds.pairwise import aggregate, bins, draw, layout, words
from heatproof.kinds.pairwise import instances as instances_
from heatproof.kinds.pairwise.draw import TITLES

MODELS = ["DeepSeek-R1", "gemini-2.0-flash", "gemini-2.5-flash-preview-04-17", "Llama-4-Maverick"]
PAIRS = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]


def grid(models=MODELS, size=10, instances=60):
    rng = np.random.default_rng(0)
    at = {model: np.round(rng.beta(1, 1.5, instances), 2) for model in models}
    found = []
    for i, j in PAIRS[: len(models) * (len(models) - 1) // 2]:
        x, y = at[models[i]], at[models[j]]
        named = {"x_model": models[i], "y_model": models[j], "pair_n": instances}
        named |= {"wins": int((x > y).sum()), "ties": int((x == y).sum())}
        named |= {"losses": int((x < y).sum())}
        named |= {"mean": 0.031, "mean_low": -0.002, "mean_high": 0.064, "p_holm": 0.212}
        named |= {"simultaneous_low": -0.012, "simultaneous_high": 0.074}
        named |= {"units": instances}
        columns = {name: pl.lit(what) for name, what in named.items()}
        found.append(instances_.bin_instances(x, y, size).with_columns(**columns))
    return pl.concat(found)


def entry(**given):
    given = {
        "name": "f",
        "kind": "pairwise",
        "source": "s",
        "models": MODELS,
        "form": "panels",
    } | given
    return msgspec.convert(given, pairwise.Entry)


@cache
def plain(**given):
    """The spec of the plain grid, made once for all tests that only look at it."""
    return spec(grid(), **given)


def spec(frame, **given):
    """As the workflow draws: the schema is not asked."""
    with unchecked():
        return api.part("pairwise", "draw").draw(frame, entry(**given)).to_dict(validate=False)


@pytest.mark.parametrize("given", [{}, {"color": "difference"}, {"points": False, "columns": 2}])
def test_a_figure_is_valid_vega_lite(given):
    """Whatever is asked for, the schema knows all that the spec says."""
    frame = grid(MODELS[:3])
    drawn = (
        api.part("pairwise", "draw")
        .draw(frame, entry(models=MODELS[:3], **given))
        .to_dict(validate=True)
    )
    assert drawn == spec(frame, models=MODELS[:3], **given)


def test_numbers_are_called_by_their_column():
    """A bare 0.5 below a panel would say nothing."""
    names = ["0.5", "1.0"]
    chart = json.dumps(spec(grid(names), models=[0.5, 1.0], compare="local_window"))
    assert "x: Local Window 0.5 vs y: Local Window 1.0" in chart


def panels(chart):
    return [view for view in chart["concat"] if view["data"]["name"].startswith("bins")]


def texts(view):
    return [layer["mark"]["text"] for layer in view["layer"] if "text" in layer["mark"]]


def test_four_models_make_six_panels_in_two_rows():
    """Each pair has a panel, three in a row beside the one colour bar."""
    chart = plain()
    assert len(panels(chart)) == 6
    assert chart["columns"] == 4
    bar = chart["concat"][3]
    assert (bar["data"]["name"], bar["width"]) == ("colours", 1)
    assert bar["layer"][0]["mark"]["x"] + chart["spacing"]["column"] == layout.GAP


def test_axes_are_the_models_from_0_to_1():
    """The axes run from 0 to 1 with ticks at every fifth, titled with the models."""
    found = panels(plain())[1]["layer"][1]["encoding"]
    assert found["x"]["title"] == "DeepSeek-R1"
    assert found["y"]["title"].startswith("gemini-2.5")
    for axis in (found["x"], found["y"]):
        assert axis["scale"]["domain"] == [0, 1]
        assert axis["axis"]["values"] == [0, 0.2, 0.4, 0.6, 0.8, 1]


def test_titles_and_counts():
    """A panel is titled `x: A vs y: B`; a quiet line tells who is ahead how often."""
    view = panels(plain())[0]
    title, (counts, _) = texts(view)[:2]
    assert title == "x: DeepSeek-R1 vs y: gemini-2.0-flash"
    assert re.fullmatch(r"n 60 · x ahead \d+ · equal \d+ · y ahead \d+", counts)
    bold, quiet, *_ = (layer["mark"] for layer in view["layer"] if "text" in layer["mark"])
    assert (bold["fontWeight"], quiet["color"]) == ("bold", theme.QUIET)
    assert bold["align"] == quiet["align"] == "center"
    assert bold["x"] == quiet["x"] == view["width"] / 2


@pytest.mark.parametrize("width", ["single", "double"])
def test_the_mean_difference_is_told_with_its_interval(width):
    """Below the counts stand the mean of x − y, its interval and p, no wider than the panel."""
    (view, *_) = panels(plain(width=width))
    lines = next(text for text in texts(view) if isinstance(text, list) and text[0][:2] == "n ")
    said = " ".join(lines)
    assert said.endswith("mean x − y +0.031 [−0.012,\u00a0+0.074]")
    assert widest(lines, theme.SMALL) <= view["width"] + layout.GAP
    assert "in brackets: 95 % interval for all 6 pairs together" in json.dumps(plain(width=width))


def test_pairs_without_a_judgement_say_nothing():
    """Pairs of made-up instances have counts alone, and no word of a test."""
    unknown = dict.fromkeys(aggregate.TESTS, pl.lit(None, pl.Float64))
    chart = spec(grid().with_columns(**unknown))
    assert "sign test" not in json.dumps(chart)
    assert texts(panels(chart)[0])[1].startswith("n 60 · x ahead")


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "p = 1.00"), (0.1, "p = 0.10"), (0.0999, "p = 0.100"), (0.0456, "p = 0.046"),
        (0.0051, "p = 0.005"), (0.001, "p = 0.001"), (0.00099, "p < 0.001"), (1e-9, "p < 0.001"),
    ],
)  # fmt: skip
def test_p_values_are_short(p, text):
    """P has two decimals, a third below 0.1, and a bound below 0.001."""
    assert bins.chance(p) == text


@pytest.mark.parametrize(("color", "title"), list(TITLES.items()))
def test_the_bar_says_which_reading_it_is(color, title):
    """The colour bar is titled with what colour means: instances, or the mean of x − y."""
    chart = plain(color=color)
    assert texts(chart["concat"][3]) == [title]
    other = set(TITLES.values()) - {title}
    assert not any(word in json.dumps(chart["concat"][3]) for word in other)


def test_counts_are_on_a_log_scale_unless_asked_otherwise():
    """Colours of counts start at 1, on a log scale or a linear one."""
    for scale in ("log", "linear"):
        y = plain(scale=scale)["concat"][3]["layer"][0]["encoding"]["y"]
        assert y["scale"]["type"] == scale
        assert y["scale"]["domain"][0] == 1


def test_differences_are_symmetric_around_zero():
    """The scale of differences ends as far below zero as above."""
    y = plain(color="difference")["concat"][3]["layer"][0]["encoding"]["y"]
    low, high = y["scale"]["domain"]
    assert -low == high > 0
    assert 0 in y["axis"]["values"]


def test_an_empty_bin_has_a_dot_and_no_colour():
    """Bins without instances are not filled but dotted, and the footer says so."""
    chart = plain()
    filters = [layer.get("transform") for layer in panels(chart)[0]["layer"]]
    assert [{"filter": "datum.samples == 0"}] in filters
    assert [{"filter": "datum.samples > 0"}] in filters
    assert "white, dotted: no instances" in json.dumps(chart)


def test_the_area_of_a_difference_is_as_its_instances():
    """A bin with a quarter of the most instances fills a quarter of its area."""
    assert bins.side(4, 16) == pytest.approx(0.5)
    assert bins.side(16, 16) == 1
    assert bins.side(0, 16) == 0
    assert bins.shrunk(0.2, 0.4, 0.5) == pytest.approx((0.25, 0.35))


def test_parity_is_a_dark_dash_on_a_white_casing():
    """The diagonal is drawn twice, white below and dashed above."""
    rules = [
        layer["mark"] for layer in panels(plain())[0]["layer"] if layer["mark"]["type"] == "rule"
    ]
    assert [rule["stroke"] for rule in rules] == ["#ffffff", "#1a1a1a"]
    assert "strokeDash" in rules[1]


@pytest.mark.parametrize(
    ("given", "drawn"), [({}, 1), ({"points": False}, 0), ({"color": "difference"}, 0)]
)
def test_single_instances_are_grey_points_over_counts(given, drawn):
    """Instances are drawn as points over counts, unless that is turned off."""
    chart = plain(**given)
    assert (
        sum(layer.get("data", {}).get("name") == "points 1" for layer in panels(chart)[0]["layer"])
        == drawn
    )
    assert ("grey dot" in json.dumps(chart)) == bool(drawn)


SEEN = {
    "frame": "rect of one",
    "dot": "circle where datum.samples == 0 at left, bottom",
    "square": "rect where datum.samples > 0 at left, bottom to right, top",
    "picture": "image of one",
    "axes": "point where false at left, bottom",
    "parity": "rule of one",
    "points": "circle of points 1 at x, y",
    "answer": "rect at x0, y0 to x1, y1",
}
ROUNDS = {
    ("count", 4): "frame dot square parity parity points answer",
    ("difference", 4): "frame dot parity parity square answer",
    ("count", 5): "frame square parity parity points answer",
    ("difference", 6): "frame parity parity square answer",
    ("count", 7): "frame picture axes parity parity points answer",
    ("difference", 7): "frame picture axes parity parity answer",
}


def mark(layer):
    """A layer in words: what is drawn, of what data, where."""
    at = {name: channel.get("field") for name, channel in layer.get("encoding", {}).items()}
    words = [layer["mark"]["type"]]
    words += [f"of {layer['data']['name']}"] if "data" in layer else []
    words += [f"where {each['filter']}" for each in layer.get("transform", [])]
    words += [f"at {at['x']}, {at['y']}"] if at.get("x") else []
    words += [f"to {at['x2']}, {at['y2']}"] if at.get("x2") else []
    return " ".join(words)


@pytest.mark.parametrize(("reading", "size"), ROUNDS)
def test_marks_of_a_panel_lie_on_each_other(reading, size, monkeypatch):
    """Bottom first: small squares over the diagonal, full ones under it, what answers above all."""
    assert (draw.FEW, draw.RASTER, draw.MOST) == (40, 100, 10_000)
    monkeypatch.setattr(draw, "FEW", 4)
    monkeypatch.setattr(draw, "RASTER", 6)
    two, named = ["a", "b"], {"a": "a", "b": "b"}
    frame = grid(two, size)
    chart = spec(frame, models=two, color=reading)
    (view,) = panels(chart)
    found = [mark(layer) for layer in view["layer"][1:] if layer["mark"]["type"] != "text"]
    assert found == [SEEN[name] for name in ROUNDS[reading, size].split()]
    (pair,) = bins.pairs(frame, reading, reading == "count", named, "problems")
    points = {"points 1": pair.points} if reading == "count" else {}
    bar = chart["concat"][1]["data"]["name"]
    assert chart["datasets"].keys() == {"bins 1", "one", bar, *points}
    asked = [{k: row[k] for k in draw.ASKED} for row in pair.bins if row["samples"]]
    drawn = {"bins 1": pair.bins if size <= draw.RASTER else asked} | points
    assert {name: chart["datasets"][name] for name in drawn} == drawn
    told = " · ".join(draw.pair_meanings([pair], reading, "Progress", verdicts=False))
    assert f"white{', dotted' * (size == 4)}: no instances" in told
    assert ("area: instances" in told) == (reading == "difference" and size < 7)


@pytest.mark.parametrize(("scale", "size"), [("log", 4), ("linear", 5)])
def test_marks_of_a_panel_span_it(scale, size, monkeypatch):
    """On one pair of axes, in the colours of the bar; screen readers hear of bins, not of marks."""
    monkeypatch.setattr(draw, "FEW", 4)
    chart = spec(grid(["a", "b"], size), models=["a", "b"], scale=scale)
    (view, bar), side = chart["concat"], layout.LARGEST
    shown = [layer for layer in view["layer"][1:] if layer["mark"]["type"] != "text"]
    assert {layer["mark"].get("aria") for layer in shown[:-1]} == {False}
    box = {name: shown[0]["mark"][name] for name in ("x", "x2", "y", "y2")}
    assert box == {"x": 0, "x2": side, "y": 0, "y2": side}
    (square,) = (layer for layer in shown if "color" in layer.get("encoding", {}))
    colours = bar["layer"][0]["encoding"]["color"]["scale"]
    assert square["encoding"]["color"]["scale"] == colours
    assert (colours["type"], "stroke" in square["mark"]) == (scale, size == 4)
    common = {"domain": [0, 1], "nice": False, "zero": False}
    scales = {"x": common | {"range": [0, side]}, "y": common | {"range": [side, 0]}}
    titles = {
        "x": {"titleX": side / 2, "titleY": 15, "titleBaseline": "top", "titleAlign": "center"},
        "y": {"titleX": -layout.AXIS, "titleY": side / 2, "titleAngle": -90, "titleAlign": "center"},
    }  # fmt: skip
    encodings = [layer.get("encoding", {}) for layer in shown]
    on_axes = [at for at in encodings if "scale" in at.get("x", {})]
    assert len(on_axes) == 3 + (size == 4)
    for at in on_axes:
        assert {name: at[name]["scale"] for name in "xy"} == scales
        assert all(titles[name].items() <= at[name]["axis"].items() for name in "xy")


@pytest.mark.parametrize(("count", "area"), [(1, 20), (250, 20), (1000, 10)])
def test_points_grow_with_their_instances(count, area):
    """In area, up to nine; where there are many places all are smaller."""
    dots = draw.point_marks("points 1", [], count, 100).to_dict(validate=False)
    size = dots["encoding"]["size"]["scale"]
    assert size == {"domain": [0, 9], "range": [0, pytest.approx(area)], "clamp": True}
    assert dots["mark"]["strokeWidth"] == pytest.approx(0.08 * area**0.5)


@pytest.mark.parametrize(("width", "expected"), [("single", 237.6), ("double", 504)])
def test_the_page_is_exactly_as_wide_as_asked(width, expected):
    """The drawing is as wide as the page, to 1 pt, its text 6 pt or more, its names not cut off."""
    made = drawing.draw(plain(width=width))
    assert made.size[0] == pytest.approx(expected, abs=1)
    assert min(map(float, re.findall(r'size="([\d.]+)px', made.svg))) >= 6


def test_many_bins_are_a_picture():
    """Above a hundred bins along an axis a panel is an image; bins that hold any answer over it."""
    models = MODELS[:2]
    chart = spec(grid(models, 120), models=models)
    (view,) = panels(chart)
    assert [layer["mark"]["type"] for layer in view["layer"]].count("image") == 1
    bins = chart["datasets"]["bins 1"]
    assert 0 < len(bins) <= 60
    assert sum(row["samples"] for row in bins) == 60
    svg = drawing.draw(chart).svg
    said = {f"Instances {row['samples']}; Mean of x − y {row['lead']}" for row in bins}
    assert said == set(re.findall(r"Instances \d+; Mean of x − y [−+.\d]+", svg))
    assert omitted(chart) == []


def test_too_many_bins_of_pictures_answer_nothing(monkeypatch):
    """They would make the files as large as if they were drawn: the last lines of a run say so."""
    models = MODELS[:2]
    frame = grid(models)
    held = int((frame["samples"] > 0).sum())
    monkeypatch.setattr(draw, "MOST", held - 1)
    assert omitted(spec(frame, models=models)) == []
    monkeypatch.setattr(draw, "RASTER", 9)
    chart = spec(frame, models=models)
    assert chart["datasets"]["bins 1"] == []
    assert "Instances" not in drawing.draw(chart).svg
    told = f"what a bin answers who points at it, for more than {held - 1} hold instances"
    assert omitted(chart) == [f"{told}: fewer `bins` answer"]
    monkeypatch.setattr(draw, "MOST", held)
    chart = spec(frame, models=models)
    assert len(chart["datasets"]["bins 1"]) == held
    assert omitted(chart) == []


def test_the_picture_has_the_colours_of_the_bins():
    """The first row of bins is the lowest line of the picture; empty ones are transparent."""
    rows = [{"x0": n % 2, "value": value} for n, value in enumerate([1, None, None, 9])]
    url = bins.url(rows, scales.scale((1, 9), ["#000000", "#ffffff"]))
    png = base64.b64decode(url.removeprefix("data:image/png;base64,"))
    start = png.index(b"IDAT") + 4
    pixels = zlib.decompress(png[start : png.index(b"IEND") - 8])
    assert pixels == b"\0" + bytes(4) + b"\xff" * 4 + b"\0" + b"\0\0\0\xff" + bytes(4)


@pytest.mark.parametrize("reading", ["count", "difference"])
def test_many_bins_have_the_colours_of_the_bar(reading):
    """Counts by their logarithm, as the bar beside them says; differences as they are."""
    models = MODELS[:2]
    frame = grid(models, 101, 900)
    chart = json.dumps(spec(frame, models=models, color=reading))
    found = bins.pairs(frame, reading, False, dict(zip(models, models, strict=True)), "problems")
    colours = colour.palette(entry(color=reading).colours)
    urls = [
        bins.url(found[0].bins, scales.scale(bins.domain(found, reading), colours, kind))
        for kind in (["log", "linear"] if reading == "count" else ["linear"])
    ]
    assert urls[0] in chart
    assert not any(url in chart for url in urls[1:])


def test_figure_and_panels_are_described():
    """Screen readers hear what the axes are, what colour means and who is ahead."""
    chart = plain(color="difference")
    each = [view["description"] for view in panels(chart)]
    assert each[0].startswith(
        "Progress of DeepSeek-R1 (x) against gemini-2.0-flash (y) on 60 instances: "
    )
    head = "Pairs of models by Progress on the same instances, from 0 to 1; colour: mean x − y."
    assert chart["description"] == " ".join([head, *each])
    (pair,) = bins.pairs(FOUND, "count", False, CALLED, "problems")
    assert words.spoken_pair(pair, "Score") == (
        "Score of A (x) against B (y) on 9 instances: A ahead on 4, equal on 3, B ahead on 2; "
        "most, 16, at x 0.5 to 1, y 0.5 to 1; mean x − y +0.100."
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"models": ["a"]}, "is not two or more different models"),
        ({"bins": 0}, ".bins: 0 is not 1 or more"),
        ({"columns": 0}, ".columns: 0 is not 1 or more"),
        ({"palette": "puo"}, "'puo' is not a palette"),
    ],
)
def test_an_entry_tells_its_mistakes(given, problem):
    """What types do not show is told with key, wrong value and valid ones."""
    found = entry(**given).mistakes()
    assert len(found) == 1
    assert problem in found[0]


def test_an_entry_without_mistakes_tells_none():
    """One panel in a row and one bin are few, not wrong; one mistake does not hide another."""
    right = {"columns": 1, "bins": 1, "family": "^(.)"}
    assert entry(**right).mistakes() == []
    told = entry(**right | {"family": "("}, join=["sample_id", "model"]).mistakes()
    assert [one.split(":")[0] for one in told] == [".join", ".family"]


def test_what_an_entry_uses_and_what_is_only_drawn():
    """The columns that it needs, by the keys that name them; what no grid depends on."""
    one = entry(join=["sample_id", "task"], compare="ratio", where={"window": 1})
    added = {"compare": "ratio", "join[0]": "sample_id", "join[1]": "task"}
    assert one.used() == Figure.used(one) | added
    drawn = {"form", "sort", "color", "scale", "points", "palette", "columns", "footer", "id"}
    assert one.drawing() == Figure.drawing(one) | drawn


def test_names_that_are_cut_are_noted():
    """Once each, for the last lines of a run and the page; what all share is no loss."""
    models = [letter * 60 for letter in "abc"]
    [line] = omitted(spec(grid(models), width="single", models=models))
    assert line.startswith(f"the ends of '{models[0]}', '{models[1]}', of 3 in all: `names`")
    assert omitted(spec(grid())) == []
    models = [f"vendor/model-{n}-large-preview-2025-04-17-instruct-once-more" for n in "abc"]
    chart = spec(grid(models), width="single", models=models)
    assert omitted(chart) == []
    assert [texts(view)[0] for view in panels(chart)] == [
        "x: a vs y: b", "x: a vs y: c", "x: b vs y: c"
    ]  # fmt: skip
    shown = json.dumps(chart, ensure_ascii=False)
    assert "whole names: vendor/model-…-large-preview-2025-04-17-" in shown


def test_a_title_never_cuts_two_names_to_the_same():
    """Where both do not fit, what differs in the two of them stands there."""
    models = ["DeepSeek-R1", "gemini-2.0-flash-preview-large", "gemini-2.5-flash-preview-large"]
    titles = [texts(view)[0] for view in panels(spec(grid(models), models=models))]
    assert titles[2] == "x: 2.0 vs y: 2.5"
    assert titles[0].startswith("x: DeepSeek-R1 vs y: gemini-2.0-")
    alike = [f"{'a' * 30}{n}{'b' * 30}" for n in "123"]
    chart = spec(grid(alike), models=alike)
    assert not any("x: " in str(texts(view)[0]) for view in panels(chart))


def test_panels_are_no_higher_than_a_page():
    """More and smaller ones stand in a row; where that is not enough, it is told what is."""
    models = [f"m{n}" for n in range(12)]
    found = grid(MODELS[:2])
    for count, told in ((8, 0), (12, 1)):
        pairs = list(combinations(models[:count], 2))
        many = pl.concat(found.with_columns(x_model=pl.lit(x), y_model=pl.lit(y)) for x, y in pairs)
        chart = spec(many, models=models[:count])
        assert len(omitted(chart)) == told
        assert (drawing.draw(chart).size[1] > 9 * 72) == told
        if told:
            assert "a page 9\u00a0in: `form: board`, or fewer `models`" in omitted(chart)[0]
    three = spec(grid(), columns=1)
    assert {view["width"] for view in panels(three)} == {layout.LARGEST}
    assert "what a page does not hold" in omitted(three)[0]


@pytest.mark.parametrize(("longer", "cut"), [(0, False), (layout.BESIDE, True)])
def test_a_name_may_be_a_little_longer_than_its_axis(longer, cut):
    """By as much as hangs out on both sides without touching anything."""
    letter, side = widest(["A"], theme.LABEL), layout.LARGEST
    name = "A" * (int((side + longer) / letter) + cut)
    chart = spec(grid([name, "b"]), models=[name, "b"])
    (view,) = panels(chart)
    assert view["width"] == side
    title = view["layer"][2]["encoding"]["x"]["title"]
    assert (title != name) == cut
    assert [name in line for line in omitted(chart)] == [True] * cut


def binned(*found, **keys):
    """A pair of these bins, of which a row is x0, y0, instances and their mean difference."""
    named = {"x_model": "a", "y_model": "b", "pair_n": 9, "wins": 4, "ties": 3, "losses": 2, "mean": 0.1,
             "mean_low": None, "mean_high": None, "p_holm": None, "simultaneous_low": None,
             "simultaneous_high": None, "units": 9, "points": None}  # fmt: skip
    columns = [dict(zip(("x0", "y0", "samples", "difference"), one, strict=True)) for one in found]
    ends = [one | {"x1": one["x0"] + 0.5, "y1": one["y0"] + 0.5} for one in columns]
    return pl.DataFrame([named | keys | one for one in ends])


FOUND = binned(
    (0.0, 0.0, 4, -0.25), (0.5, 0.0, 0, None), (0.0, 0.5, 1, 0.0625), (0.5, 0.5, 16, 0.5)
)
JUDGED = FOUND.with_columns(simultaneous_low=pl.lit(-0.2), simultaneous_high=pl.lit(0.4))
CALLED = {"a": "A", "b": "B", "c": "C"}


def test_bins_say_what_is_drawn_of_them():
    """Of counts the whole square, of differences one as large as its instances are many."""
    (pair,) = bins.pairs(FOUND, "count", False, CALLED, "problems")
    assert [row["value"] for row in pair.bins] == [4, None, 1, 16]
    assert [(row["left"], row["right"]) for row in pair.bins] == [
        (0, 0.5),
        (0.75, 0.75),
        (0, 0.5),
        (0.5, 1),
    ]
    assert [row["lead"] for row in pair.bins] == ["−0.250", "", "+0.062", "+0.500"]
    assert [(row["x_told"], row["y_told"]) for row in pair.bins[1:3]] == [
        ("0.5 to 1", "0 to 0.5"),
        ("0 to 0.5", "0.5 to 1"),
    ]
    (pair,) = bins.pairs(FOUND, "difference", False, CALLED, "problems")
    assert [row["value"] for row in pair.bins] == [-0.25, None, 0.0625, 0.5]
    sides = [(row["right"] - row["left"], row["top"] - row["bottom"]) for row in pair.bins]
    assert sides == [(0.25, 0.25), (0, 0), (0.125, 0.125), (0.5, 0.5)]
    assert (pair.bins[2]["bottom"], pair.bins[2]["top"]) == (0.6875, 0.8125)
    assert (pair.across, pair.x, pair.y) == (2, "A", "B")
    assert pair.tally == ["n 9", "x ahead 4", "equal 3", "y ahead 2"]
    assert bins.side(1, 10_000) == bins.SMALLEST
    assert bins.side(9, 4) == 1


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, ["mean x − y +0.100"]),
        ({"mean": None}, []),
        (
            {"simultaneous_low": -0.2, "simultaneous_high": 0.4},
            ["mean x − y +0.100 [−0.200,\u00a0+0.400]"],
        ),
        ({"simultaneous_low": -0.2}, ["mean x − y +0.100"]),
        ({"units": 1200}, ["mean x − y +0.100 by 1,200 families"]),
        ({"units": None}, ["mean x − y +0.100"]),
    ],
)
def test_what_is_said_of_a_pair(keys, words):
    """As far as it is known; of how many families it is where these are fewer than instances."""
    (pair,) = bins.pairs(binned((0.0, 0.0, 9, 0.1), **keys), "count", False, CALLED, "families")
    assert pair.verdict == words


@pytest.mark.parametrize(
    ("reading", "values", "ends"),
    [
        ("count", [1], (1, 2)), ("count", [1, 16, 3], (1, 16)),
        ("difference", [0.5, -0.25], (-0.6, 0.6)), ("difference", [-0.52, 0.1], (-0.6, 0.6)),
        ("difference", [0.0], (-1, 1)), ("difference", [0.3], (-0.3, 0.3)), ("difference", [], (-1, 1)),
    ],
)  # fmt: skip
def test_the_colours_of_bins_reach_as_far_as_they_do(reading, values, ends):
    """Counts from one on, to two at least; differences to a round number on both sides of zero."""
    found = [(0.0, n / 2, v if reading == "count" else 1, v / 1) for n, v in enumerate(values)]
    frame = binned(*found, (0.5, 0.5, 0, None))
    assert bins.domain(bins.pairs(frame, reading, False, CALLED, "problems"), reading) == ends


def test_what_marks_of_pairs_mean():
    """Axes, squares, points and tests, as far as there are any."""
    three = pl.concat([JUDGED.with_columns(y_model=pl.lit(name)) for name in "bc"])
    drawn = three.with_columns(points=pl.lit([{"x": 0.1, "y": 0.1, "n": 1}]))
    told = draw.pair_meanings(
        bins.pairs(drawn, "difference", True, CALLED, "problems"),
        "difference",
        "Progress",
        verdicts=False,
    )
    assert told == [
        "axes: progress of an instance",
        "dashed: parity",
        "grey dot: one instance, larger for several",
        "area: instances (largest: 16)",
        "white, dotted: no instances",
        "in brackets: 95 % interval for all 2 pairs together (paired t, Bonferroni), for problems like these",
    ]
    one = bins.pairs(JUDGED, "count", False, CALLED, "problems")
    assert draw.pair_meanings(one, "count", "Progress", verdicts=False)[1:] == [
        "dashed: parity",
        "white, dotted: no instances",
        "in brackets: 95 % interval (paired t), for problems like these",
    ]
    untested = bins.pairs(FOUND, "count", False, CALLED, "problems")
    assert (
        draw.pair_meanings(untested, "count", "Score", verdicts=False)[-1]
        == "white, dotted: no instances"
    )
