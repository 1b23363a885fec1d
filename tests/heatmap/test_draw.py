"""heatmap: what is drawn for a grid, as numbers in the spec and lengths in the SVG."""

import json
import re
from itertools import product

import polars as pl
import pytest
from vl_convert import vega_to_svg

import lettered
from heatproof.charts import colour, theme
from heatproof.charts.lettering import widest
from heatproof.charts.spec import noted
from heatproof.export import drawing
from heatproof.kinds import api
from heatproof.kinds.heatmap import cells, marks, reasons
from heatproof.kinds.heatmap.layout import NARROWEST, Needs, solve
from heatproof.util.numerals import fitting, log_ticks, show, ticks
from support.heatmaps import (
    RATIOS,
    TASKS,
    WINDOWS,
    borders,
    checked,
    corners,
    entry,
    grid,
    judged,
    panels,
    placed,
    plain,
    quiet,
    rows,
    ruled,
    spec,
    stamps,
    told,
    value,
)


def test_cells_that_tie_with_the_best_are_outlined():
    """One mitred path on the borders of the cells, black on a white casing, below the digits."""
    tied = (pl.col("y") == 3000) & (pl.col("x") > 0.25)
    chart = spec(grid(TASKS[:1]).with_columns(tied=tied))
    (view,) = panels(chart)
    (under, wide, path), (line, narrow, same) = borders(view)
    assert (under, line, path) == (theme.PAPER, theme.INK, same)
    assert wide > narrow
    assert path.count("Z") == 1
    across, up = placed(view)["x"]["scale"]["range"], placed(view)["y"]["scale"]["range"]
    corners = [tuple(map(float, one.split(","))) for one in re.findall(r"[\d.-]+,[\d.-]+", path)]
    step = (across[1] - across[0] + 0.8) / 5
    assert len(corners) == 4
    assert min(corners) == pytest.approx((2 * step + narrow / 2, narrow / 2), abs=0.01)
    assert max(corners)[0] == pytest.approx(across[1] - narrow / 2, abs=0.01)
    assert max(corners)[1] < up[0] / 4
    drawn = [layer["mark"] for layer in view["layer"]]
    digits = next(n for n, mark in enumerate(drawn) if mark.get("fontWeight", {}) and "dy" in mark)
    assert max(n for n, mark in enumerate(drawn) if mark.get("strokeJoin")) < digits


def test_islands_have_a_path_each_and_sets_of_peers_too():
    """What is not compared is not in one outline, though its cells lie side by side."""
    corners = pl.col("x").is_in([0.1, 0.5]) & (pl.col("y") == 3000)
    (_, (*_, path)) = borders(panels(spec(grid(TASKS[:1]).with_columns(tied=corners)))[0])
    assert path.count("Z") == 2
    top = grid(TASKS[:1]).with_columns(tied=pl.col("y") == 3000)
    (_, (*_, path)) = borders(panels(spec(top))[0])
    assert path.count("Z") == 1
    apart_ = top.with_columns(peers=pl.when(pl.col("x") < 0.25).then(0).otherwise(1))
    (_, (*_, path)) = borders(panels(spec(apart_))[0])
    assert path.count("Z") == 2


def test_all_islands_are_closed_in_the_drawing():
    """What draws the spec leaves no side of any of them out."""
    corners = pl.col("x").is_in([0.1, 0.5]) & (pl.col("y") == 3000)
    svg = drawing.draw(spec(grid(TASKS[:1]).with_columns(tied=corners))).svg
    drawn = re.findall(r'<path[^>]*d="([^"]*)"[^>]*stroke-linejoin="miter"', svg)
    assert [path.count("Z") for path in drawn] == [2, 2]


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({"tied": True}, {}),
        ({"tied": None, "reconstructed": pl.lit(value=True)}, {}),
        ({"tied": pl.col("best")}, {"verdict": "none"}),
        ({"tied": None}, {"uncertainty": "se"}),
    ],
)
def test_nothing_is_outlined_where_it_would_say_nothing(changes, given):
    """All tie, nothing is judged, or nobody wants it; where all tie no value is bold either."""
    frame = grid(TASKS[:1]).with_columns(**changes)
    chart = spec(frame, **given)
    assert not borders(panels(chart)[0])
    assert "outline:" not in json.dumps(chart)
    assert any(row["bold"] for row in rows(chart, "cells AIME24")) == (changes["tied"] is not True)


RISING = pl.col("value").rank("ordinal").over("task")
RING = pl.col("x").is_between(0.2, 0.4) & (pl.col("y") < 3000)
HOLE = (pl.col("x") == 0.3) & (pl.col("y") == 1000)
BAR_BELOW = "bar below: told apart from the highest"


@pytest.mark.parametrize(
    ("tied", "bars"),
    [
        (RISING > 2, 2),  # 18 of 20: the outline would run around two that do not tie
        (RISING > 9, 9),  # 11 of 20
        (RISING > 10, 0),  # half: an outline
        (pl.col("best") | RING & ~HOLE, 11),  # few, and one is in a hole
        (pl.col("best") | RING, 0),
    ],
)
def test_no_outline_is_drawn_around_what_it_leaves_out(tied, bars):
    """Where more than half tie, or with a hole, a thin bar lies under each cell that does not tie.

    Figure, lines below it, caption and LaTeX have the mark that occurs, and not the other.
    """
    frame = grid(TASKS[:1]).with_columns(tied=tied)
    chart = spec(frame)
    (view,) = panels(chart)
    below = [row for row in rows(chart, "cells AIME24") if row["excluded"]]
    assert len(below) == bars
    assert (len(stamps(view, "excluded")), len(borders(view))) == ((1, 0) if bars else (0, 2))
    assert sum(row["bold"] for row in rows(chart, "cells AIME24")) == 1
    words = " ".join(told(chart))
    assert (BAR_BELOW in words, "outline: not told apart" in words) == (bars > 0, bars == 0)
    assert "bold: highest" in words
    caption = " ".join(api.kind("heatmap").caption(frame, entry()))
    assert ("Bar below: " in caption, "Outline: " in caption) == (bars > 0, bars == 0)
    latex = api.kind("heatmap").latex(frame, entry())
    assert latex.count(r"\underline{") == bars
    assert ("% underlined: told apart from the highest" in latex) == (bars > 0)
    assert ("dagger" in latex) == (bars == 0)


def test_each_panel_has_the_mark_that_suits_it():
    """And the lines below name both."""
    first = pl.col("task") == TASKS[0]
    frame = grid(TASKS[:2]).with_columns(
        tied=pl.when(first).then(RISING > 18).otherwise(RISING > 1)
    )
    chart = spec(frame)
    marked = [(len(borders(view)), len(stamps(view, "excluded"))) for view in panels(chart)]
    assert marked == [(2, 0), (0, 1)]
    assert all(
        word in " ".join(told(chart)) for word in ("outline: not told", BAR_BELOW, "bold: highest")
    )


def test_a_mark_of_incomplete_cells_lies_above_the_outline_and_inside_it():
    """In outlined cells beyond its casing; in others it is flush with their edges."""
    frame = grid(TASKS[:1], epochs=pl.when(pl.col("y") > 1500).then(100).otherwise(150))
    chart = spec(frame.with_columns(tied=pl.col("y") == 3000))
    (view,) = panels(chart)
    marks = [layer["mark"] for layer in view["layer"]]
    (outside,) = stamps(view, "incomplete && !datum.outlined")
    (inside,) = stamps(view, "incomplete && datum.outlined")
    last = max(n for n, mark in enumerate(marks) if mark.get("strokeJoin") == "miter")
    assert marks.index(inside) > last
    (_, casing, _), (_, line, _) = borders(view)
    flush, inset = corners(outside["shape"]), corners(inside["shape"])
    moved = [abs(a - b) for a, b in zip(flush, inset, strict=True)]
    assert moved == pytest.approx([(line + casing) / 2] * 2, abs=1e-3)


@pytest.mark.parametrize("given", [{}, {"width": "single"}, {"margins": True}])
@pytest.mark.parametrize(("high", "wide"), [(57, 6), (57, 12), (20, 12), (5, 12)])
def test_outlines_cut_no_digits(high, wide, given):
    """In rows as low and columns as narrow as may be, a value is wholly inside its outline."""
    best = pl.col("value") == pl.col("value").max().over("y")
    frame = grid(["a"], range(wide), range(high), lambda _, y, x: 0.5 + (7 * x + 3 * y) % 19 / 40)
    chart = spec(frame.with_columns(peers=pl.col("y"), best=best, tied=best), text=True, **given)
    (_, casing, path), _ = borders(panels(chart)[0])
    svg = drawing.draw(chart).svg
    x, y = map(float, re.search(r"translate\(([\d.]+),([\d.]+)\)", svg).groups())
    texts = [one for one in lettered.texts(svg) if re.fullmatch(r"\d\d\.\d", one.text)]
    inside = []
    for part in path.split("Z")[:-1]:
        ends = [tuple(map(float, one)) for one in re.findall(r"([\d.-]+),([\d.-]+)", part)]
        left, top, right, foot = (
            at + shift + inset * casing / 2
            for at, shift, inset in zip(
                (*map(min, zip(*ends, strict=True)), *map(max, zip(*ends, strict=True))),
                (x, y, x, y), (1, 1, -1, -1), strict=True,
            )
        )  # fmt: skip
        for one in texts:
            middle = (one.left + one.right) / 2, (one.top + one.bottom) / 2
            if left < middle[0] < right and top < middle[1] < foot:
                assert left < one.left
                assert one.right < right
                assert top < one.top
                assert one.bottom < foot
                inside.append(one)
    assert len(inside) >= high


VERDICT = (
    "spread 10.0; equal settings would spread 10.7 (in 95\u00a0% of samples up to 14.7): no setting can "
    "be told to be highest"
)


NO_TOP = "no setting can be told to be highest"
SOME = pl.col("y") == 3000
ALONE = pl.col("best")


def test_where_some_sets_are_not_judged_the_line_says_how_many():
    """Beside what is found in the others."""
    doubt = pl.when(pl.col("x") == 0.1).then(pl.lit(f"{reasons.NO_BEST}: {reasons.FEW}, too few"))
    first = pl.col("x") == 0.1
    frame = apart("x").with_columns(
        unjudged=doubt, spread=pl.when(~first).then(0.1), best=pl.col("best") & ~first
    )
    assert quiet(spec(frame))[0] == (
        "no setting can be told to be highest of its ratio; in 1 not judged: a few problems make the gaps"
    )


@pytest.mark.parametrize("word", [reasons.FEW, f"{reasons.SMALL} aime (9 problems)", "a riddle"])
def test_the_line_says_why_there_is_no_verdict(word):
    """In a few words where there are such; nothing is outlined or bold."""
    told = judged(spread=None).with_columns(
        unjudged=pl.lit(f"{reasons.NO_BEST}: {word}"), best=False, tied=None
    )
    chart = spec(told)
    short = {reasons.FEW: reasons.FEW, "a riddle": "a riddle"}.get(
        word, "too few problems in one task"
    )
    assert quiet(chart)[0] == f"not judged: {short}"
    assert not borders(panels(chart)[0])


def test_a_ruler_shows_the_spread_beside_that_of_equal_settings():
    """On a scale from 0 to 100 points, as long as the panel is wide."""
    chart = spec(judged())
    (view,) = panels(chart)
    ends, mark, text = ruled(chart)
    wide = placed(view)["x"]["scale"]["range"][1]
    assert ends == {marks.HAIR: wide, marks.RULER_BOX: pytest.approx(0.147 * wide, abs=0.01)}
    assert mark["x"] == pytest.approx(0.1 * wide, abs=0.01)
    assert mark["fill"] == theme.PAPER
    assert text == ["10.0", "spread"]
    assert mark["y"] > view["height"]
    assert "ruler, 0 to 100: diamond: spread seen, filled if beyond chance; grey:" in json.dumps(
        chart, ensure_ascii=False
    )


def test_a_spread_beyond_chance_is_filled():
    """The mark is black, wherever on its scale it lies."""
    _, mark, _ = ruled(spec(judged(spread_equal=0.6, spread=0.7, chance_p=0.0001)))
    assert mark["fill"] == theme.INK


def test_a_number_beside_a_ruler_stands_in_no_other_ruler_s_way():
    """Where no bar is between two panels, rulers are shorter than they are wide."""
    two = pl.concat([judged(), judged()]).with_columns(
        task=pl.Series(["a"] * 20 + ["b"] * 20), peers=pl.Series([0] * 20 + [20] * 20)
    )
    chart = spec(two, scale="shared")
    view = panels(chart)[0]
    ends, *_ = ruled(chart)
    number = ends[marks.HAIR] + marks.RULER_APART + widest(["10.0"], theme.SMALL)
    assert number < view["width"] + chart["spacing"]["column"]


def apart(axis, **changes):
    """A panel in which the cells of each x, or y, are compared with each other alone."""
    first = pl.col(axis).rank("dense").cast(pl.Int64)
    best = pl.col("value") == pl.col("value").max().over(axis)
    return judged().with_columns(peers=first, best=best, **changes)


@pytest.mark.parametrize("scale", ["independent", "shared"])
def test_the_bar_spans_the_values_that_it_colours(scale):
    """A bar's domain is that of its panel, or of all panels where the scale is shared."""
    chart = plain(scale=scale)
    bars = [name for name in chart["datasets"] if name.startswith("colours")]
    assert len(bars) == {"independent": 4, "shared": 1}[scale]
    tasks = ["AIME24"] if scale == "independent" else TASKS
    shown = [100 * value(*at) for at in product(tasks, WINDOWS, RATIOS)]
    slices = rows(chart, bars[0])
    assert slices[0]["low"] == pytest.approx(min(shown))
    assert slices[-1]["high"] == pytest.approx(max(shown))


def test_ink_and_label_are_those_of_the_drawn_colour():
    """Each value is printed in percent, in the ink that contrasts with its cell by 4.5 : 1."""
    chart = plain()
    found = rows(chart, "cells AMC23")
    scale = cells.color_scale(found, entry(), signed=False)
    for row in found:
        assert row["label"] == f"{row['value']:.1f}"
        shade = scale.drawn(row["value"])
        assert colour.contrast(row["ink"], shade) >= 4.5


@pytest.fixture(scope="module")
def drawings():
    """Figures of both widths, drawn: (spec, SVG)."""
    made = [plain(width=width) for width in ("single", "double")]
    return [(chart, drawing.draw(chart).svg) for chart in made]


def test_figures_are_exactly_as_wide_as_a_page(drawings):
    """A figure is 3.3 in or 7 in wide, to 1 pt."""
    widths = [float(re.search(r'<svg [^>]*width="([\d.]+)"', svg)[1]) for _, svg in drawings]
    assert widths == pytest.approx([237.6, 504], abs=1)


def test_no_text_is_smaller_than_6_pt(drawings):
    """Every text of a figure has 6 pt or more, whatever the width."""
    sizes = [float(size) for _, svg in drawings for size in re.findall(r'size="([\d.]+)px', svg)]
    assert min(sizes) >= 6


def test_cells_are_drawn_in_the_computed_colour(drawings):
    """The fill of each cell in the SVG is the colour computed for it."""
    chart, svg = drawings[1]
    found = rows(chart, "cells AIME24")
    part = svg.split("concat_0_layer_1_marks")[1].split("</g>")[0]
    fills = [tuple(map(int, f)) for f in re.findall(r'fill="rgb\((\d+), (\d+), (\d+)\)"', part)]
    scale = cells.color_scale(found, entry(), signed=False)
    assert fills == [colour.rgb(scale.drawn(row["value"])) for row in found]


@pytest.mark.parametrize(
    ("frame", "given"),
    [
        (grid(["a"], [0.1], [500], lambda *_: 0.5), {}),
        (grid(["a", "b"], of=lambda *_: 0.5), {"scale": "shared"}),
        (grid(["a", "b"], of=lambda task, *_: 0.5 if task == "a" else None), {}),
        (grid(["a"], of=lambda *_: None), {}),
        (grid([*"abcdefg"], windows=[5, 6], of=lambda _, y, x: x * y - 2), {"percent": False}),
        (grid(["a"], range(35), range(20), lambda _, y, x: x * y / 35**2), {"width": "single"}),
        (grid(["a"], ["a long name of a method", "b"], ["y" * 60], lambda *_: 0.1), {}),
    ],
)
def test_hard_grids_are_drawn_on_a_page_no_wider_than_asked(frame, given):
    """One cell, equal, missing, negative, many and long-named ones: none breaks page or schema."""
    chart = checked(frame, **given)
    width, _ = drawing.draw(chart).size
    assert NARROWEST <= width <= {"single": 237.6}.get(given.get("width"), 504) + 1


@pytest.mark.parametrize(
    ("shape", "width", "high"),
    [
        ((5, 4), 36, 24.4),
        ((1, 20), 36, 12),
        ((2, 2), 36, 24.4),
        ((20, 20), 22.5, 19),
        ((3, 1), 36, 24.4),
    ],
)
def test_no_side_of_a_page_stays_blank(shape, width, high):
    """Cells have a sensible size, and a page is as wide as its panels, or as its words need it."""
    found = solve(Needs(504, 1, shape, (14, 9), 28, 28))
    assert found.step == (pytest.approx(width, abs=1), pytest.approx(high, abs=1))
    used = 28 + found.box[0] + 28
    assert found.page == min(max(used + 6, NARROWEST), 504)


def test_cells_are_as_wide_as_their_names():
    """Cells of named columns are wider, as far as there is room: names stay on one line."""
    named = solve(Needs(504, 1, (5, 4), (14, 9), 28, 28, label=50))
    assert named.step[0] == pytest.approx(50, abs=0.5)
    assert solve(Needs(200, 1, (5, 4), (14, 9), 28, 28, label=50)).page == 200


@pytest.mark.parametrize(
    "given",
    [
        {"scale": "shared", "margins": True},
        {"width": "single", "text": False},
        {"uncertainty": "se", "columns": 2},
        {"panel": None, "mean_over": "task"},
    ],
)
def test_a_figure_is_valid_vega_lite(given):
    """Whatever is asked for, the schema knows all that the spec says."""
    frame = grid() if given.get("panel", "task") else grid().filter(task="AIME24").drop("task")
    assert checked(frame, **given) == spec(frame, **given)


def test_many_cells_have_no_values_and_few_labels():
    """35 × 35 cells are colours alone, with labels that do not touch."""
    chart = spec(grid(["a"], range(35), range(35), lambda _, y, x: x * y / 35**2), width="single")
    (view,) = panels(chart)
    assert not any("text" in layer.get("encoding", {}) for layer in view["layer"])
    assert len(placed(view)["x"]["axis"]["values"]) < 35


def test_a_share_that_does_not_vary_is_coloured_as_a_part_of_all():
    """2 % everywhere is not drawn as 97 % everywhere would be, nor a number in another unit."""
    low, high = (
        cells.color_scale(rows(spec(grid(["a"], of=of)), "cells a"), entry(), signed=False)
        for of in (lambda *_: 0.02, lambda *_: 0.97)
    )
    assert low == high
    assert low.domain == (0, 100)
    number = entry(percent=False)
    drawn = rows(spec(grid(["a"], of=lambda *_: 0.4), percent=False), "cells a")
    assert cells.color_scale(drawn, number, signed=False).domain == pytest.approx((0.396, 0.404))


def test_a_panel_of_one_value_is_coloured_among_those_of_the_others():
    """With a bar that says so: 0 everywhere is not the middle colour that 4.6 has beside it."""

    def of(task, _, ratio):
        return {"a": 0.0, "b": 4.6}.get(task, 2 + ratio)

    chart = spec(grid(["a", "b", "c"], of=of), percent=False)
    scales = [placed(view)["color"]["scale"] for view in panels(chart)]
    assert [(one["domain"][0], one["domain"][-1]) for one in scales] == [
        (0, 4.6),
        (0, 4.6),
        (2.1, 2.5),
    ]
    bars = [view for view in chart["concat"] if view["data"].get("name", "").startswith("colours")]
    assert [view["data"]["name"] for view in bars] == ["colours a", "colours b", "colours c"]


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ((39.3, 49.3), [40, 42, 44, 46, 48]),
        ((49.1, 56.3), [50, 52, 54, 56]),
        ((84, 89), [84, 85, 86, 87, 88, 89]),
        ((-0.3, 0.3), [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3][1:-1]),
    ],
)
def test_ticks_are_few_and_round(domain, expected):
    """Ticks are the multiples of 1, 2 or 5 · 10ⁿ inside the domain, six at most."""
    assert len(ticks(*domain)) <= 6
    assert set(ticks(*domain)) <= set(expected) | {0.0, -0.2, 0.2}


def test_log_ticks_are_1_2_5():
    """Counts on a log scale have ticks at 1, 2, 5, 10, …, fewer where these are too many."""
    assert log_ticks(1, 33) == [1, 2, 5, 10, 20]
    assert log_ticks(1, 5000) == [1, 10, 100, 1000]


@pytest.mark.parametrize(
    ("number", "spec", "text"),
    [
        (42.5, ".6~g", "42.5"),
        (1234, ".3~s", "1.23k"),
        (13000, ".3s", "13.0k"),
        (-3.21, ".1f", "−3.2"),
        (-0.01, ".1f", "0.0"),
        (12345, ",d", "12,345"),
        (0.25, ".0%", "25%"),
        (0, ".3~s", "0"),
        (5.4e-6, ".6~g", "0.0000054"),
        (-5e-6, ".1e", "−5.0e−6"),
        (0, ".1e", "0"),
    ],
)
def test_numbers_are_printed_as_d3_does(number, spec, text):
    """Formats are a subset of d3's, with its minus sign, prefixes and trimming."""
    assert show(number, spec) == text


def test_a_domain_says_what_it_leaves_out():
    """Values beyond the colour bar look like those at its ends."""
    told = [
        re.findall(r"beyond the colour bar, drawn as its ends: [^\"·]+", json.dumps(drawn))
        for drawn in (spec(grid(), domain=domain) for domain in (None, [0, 100], [40, 60]))
    ]
    shown = [round(100 * value, 9) for value in grid()["value"]]
    below, above = sum(value < 40 for value in shown), sum(value > 60 for value in shown)
    counts = ", ".join([f"{below} below"] * (below > 0) + [f"{above} above"] * (above > 0))
    assert counts
    assert told == [[], [], [f"beyond the colour bar, drawn as its ends: {counts}"]]


def test_all_formats_are_those_of_d3():
    """As the library that draws prints them: widths are measured by ours, bars lettered by it."""
    numbers = [s * m * 10.0**n for n in range(-9, 8) for m in (1, 2.7, 9.9996) for s in (1, -1)]
    specs = [
        ".1f",
        ".0f",
        ",.2f",
        "+.3f",
        ".6~g",
        ".3g",
        ".2~g",
        ".1e",
        ".3~e",
        ".3s",
        ".4~s",
        ".0%",
        "d",
    ]
    asked = [(number, spec) for spec in specs for number in [*numbers, 0, 0.3, 1234.6]]
    values = [{"v": number, "f": spec} for number, spec in asked]
    formula = {"type": "formula", "as": "t", "expr": "format(datum.v, datum.f)"}
    mark = {"type": "text", "from": {"data": "d"}, "encode": {"enter": {"text": {"field": "t"}}}}
    spec = {"data": [{"name": "d", "values": values, "transform": [formula]}], "marks": [mark]}
    drawn = [text or "" for text in re.findall(r"<text[^>]*>([^<]*)</text>", vega_to_svg(spec))]
    assert len(drawn) == len(asked)
    for (number, form), text in zip(asked, drawn, strict=True):
        # A zero has no exponent here, and no sign.
        if abs(number) >= (0.001 if form[0] == "+" else 1e-300 if form[-1] == "e" else 0):
            assert show(number, form) == text.replace("e-", "e−"), (number, form)


def test_values_get_about_three_digits():
    """The format of values follows from the largest of them."""
    assert [fitting(v) for v in ([3, 10], [0.51], [7.5], [250.5], [1370.2], [14329.8])] == [
        "d", ".3f", ".2f", ".0f", ".0f", ".3s",
    ]  # fmt: skip


def test_panels_are_spread_evenly_over_rows():
    """Six panels of which four fit side by side make two rows of three."""
    needs = Needs(504, 6, (5, 4), (14, 9), 28, 28)
    assert (solve(needs).columns, solve(needs).rows) == (3, 2)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"palette": "ylgnb"}, "'ylgnb' is not a palette"),
        ({"format": "0.0"}, "'0.0' is not a format"),
        ({"domain": [3, 1]}, "is not [lowest, highest]"),
        ({"columns": 0}, "0 is not 1 or more"),
        (
            {"verdict": "outline", "uncertainty": "se"},
            ".verdict: 'outline' needs `uncertainty: tied`",
        ),
        ({"ruler": True, "uncertainty": "none"}, ".ruler: true needs `uncertainty: tied`"),
        (
            {"ruler": True, "encoding": {"x": "a", "y": "b", "color": "median(tokens)"}},
            ".ruler: ties are known of means",
        ),
        ({"encoding": {"x": "a", "y": "b", "color": "pas@1"}}, "'pas@1' is not a metric"),
    ],
)
def test_an_entry_tells_its_mistakes(given, problem):
    """What types do not show is told with key, wrong value and valid ones."""
    found = entry(**given).mistakes()
    assert len(found) == 1
    assert problem in found[0]


LONG = "Retained tokens and the local window of a compressed key-value-cache"
WORD = "vendor_model_a_large_preview_2025_04_17_instruct_tuned_once_more"


def squeezed(text):
    return text.replace(" ", "")


def strings(part):
    """All lists of texts in a spec."""
    if isinstance(part, dict):
        return [one for value in part.values() for one in strings(value)]
    if isinstance(part, list):
        found = [one for value in part for one in strings(value)]
        return [*found, part] if part and all(isinstance(one, str) for one in part) else found
    return []


NARROW = {"ratios": tuple(n / 20 for n in range(20)), "windows": (1,), "of": lambda *at: at[2]}
MANY = {"ratios": range(21), "windows": range(20), "of": lambda *at: at[2] / 21}
NAMED = {"ratios": [f"{WORD}-{n}" for n in range(9)], "of": lambda *at: at[1] / 1e4}


@pytest.mark.parametrize(
    ("cells", "given", "told"),
    [
        ({}, {}, []),
        (NARROW, {}, []),
        (NARROW, {"width": "single"}, ["the numbers in its cells", "a larger `width`"]),
        (NARROW, {"width": "single", "text": False}, []),
        (NARROW, {"width": "single", "text": True}, []),
        (MANY, {}, ["the numbers in its cells", "fewer `columns`"]),
        (NAMED, {}, [f"the ends of '{WORD}-0', '{WORD}-1', of 9 in all: `names`"]),
        (NARROW, {"uncertainty": "interval"}, ["the `uncertainty: interval` below its numbers"]),
    ],
)
def test_what_has_no_room_is_noted(cells, given, told):
    """Numbers, their uncertainty, names: with the keys that help; not what nobody asked for."""
    found = noted(spec(grid(["a", "b"], **{"of": lambda *at: at[2]} | cells), **given), "omitted")
    assert len(found) == bool(told)
    assert all(part in found[0] for part in told)
