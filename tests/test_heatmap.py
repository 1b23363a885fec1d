"""heatmap: what is drawn for a grid, as numbers in the spec and lengths in the SVG."""

import json
import re
from functools import cache
from itertools import product

import msgspec
import polars as pl
import pytest
from vl_convert import vega_to_svg

from heatproof.charts import colour, sheet, theme
from heatproof.charts.lettering import broken, fit, short_names, widest, wrap, wrapped
from heatproof.charts.spec import omitted, unchecked
from heatproof.export import drawing
from heatproof.kinds import api, heatmap
from heatproof.kinds.heatmap import cells, reasons, ruler
from heatproof.kinds.heatmap import words as heatmap_words
from heatproof.kinds.heatmap.judging import CHANCE
from heatproof.kinds.heatmap.layout import NARROWEST, Needs, solve
from heatproof.util.numerals import fitting, log_ticks, show, ticks, words
from toys import peered

TASKS = ("AIME24", "AIME25", "AMC23", "GPQA_D")
RATIOS, WINDOWS = (0.1, 0.2, 0.3, 0.4, 0.5), (500, 1000, 2000, 3000)


def value(task, window, ratio):
    return 0.2 + 0.2 * TASKS.index(task) + window / 1e5 - abs(ratio - 0.3) / 10


def grid(tasks=TASKS, ratios=RATIOS, windows=WINDOWS, of=value, **columns):
    rows = [
        {"task": task, "x": ratio, "y": window, "value": of(task, window, ratio)}
        for task, window, ratio in product(tasks, windows, ratios)
    ]
    frame = pl.DataFrame(rows, schema_overrides={"value": pl.Float64})
    given = {"samples": 30, "epochs": 150, "expected": 150, "se": 0.02, "low": 0.1, "high": 0.2}
    frame = frame.with_columns(**{k: pl.lit(v) for k, v in given.items()}, tied=pl.lit(False))
    frame = frame.with_columns(**dict.fromkeys(CHANCE[1:]), reconstructed=pl.lit(False))
    best = pl.col("value") == pl.col("value").max().over("task")
    return peered(frame.with_columns(best=best).with_columns(**columns), "task")


def entry(**given):
    return msgspec.convert(
        {
            "name": "figure", "kind": "heatmap", "source": "logs", "title": "R1", "panel": "task",
            "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
            "labels": {"local_window": "Local Window Size"},
        } | given,
        heatmap.Entry,
    )  # fmt: skip


def spec(frame, notes=(), **given):
    """As the workflow draws: the schema is not asked."""
    with unchecked():
        return (
            api.part("heatmap", "draw")
            .draw(frame, entry(**given), notes=notes)
            .to_dict(validate=False)
        )


def checked(frame, **given):
    """The same, refused where it is no valid Vega-Lite."""
    return api.part("heatmap", "draw").draw(frame, entry(**given)).to_dict(validate=True)


@cache
def plain(**given):
    """The spec of the plain grid, made once for all tests that only look at it."""
    return spec(grid(), **given)


def rows(chart, name):
    return chart["datasets"][name]


def panels(chart):
    return [view for view in chart["concat"] if view["data"].get("name", "").startswith("cells")]


def placed(view):
    """Channels of the first mark that lies on the axes: the cells."""
    return next(layer["encoding"] for layer in view["layer"] if "encoding" in layer)


def texts(view):
    marks = (layer["mark"] for layer in view["layer"])
    return [mark["text"] for mark in marks if "text" in mark]


def told(chart):
    """The lines below the panels, one after the other."""
    lines = (text for view in chart["concat"] if "layer" in view for text in texts(view))
    return [line for text in lines for line in (text if isinstance(text, list) else [text])]


def stamps(view, flag):
    filters = [(layer, layer.get("transform", [{}])[0].get("filter")) for layer in view["layer"]]
    return [layer["mark"] for layer, found in filters if found == f"datum.{flag}"]


@pytest.mark.parametrize(("verdict", "frames"), [("outline", 0), ("dots", 1), ("none", 0)])
def test_the_best_cell_is_bold(verdict, frames):
    """In each panel the cell of the highest value, and it alone; beside dots it has a frame too."""
    chart = plain(verdict=verdict)
    for view in panels(chart):
        best = [row for row in rows(chart, view["data"]["name"]) if row["bold"]]
        assert [(row["x"], row["y"]) for row in best] == [("0.3", "3000")]
        assert len(stamps(view, "framed")) == frames
        weights = [layer["mark"].get("fontWeight") for layer in view["layer"]]
        assert {"expr": "datum.bold ? 'bold' : 'normal'"} in weights


def borders(view):
    """Colour, width and path of each outline, and of what lies under it."""
    marks = [(layer["mark"], layer.get("encoding", {})) for layer in view["layer"]]
    return [
        (mark["stroke"], mark["strokeWidth"], channels["shape"]["value"])
        for mark, channels in marks
        if mark.get("strokeJoin") == "miter"
    ]


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
        ({"tied": pl.col("best")}, {"verdict": "dots"}),
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


def test_small_cells_have_a_thin_outline():
    """Cells of 35 × 35 have no digits; their outline is half as wide, and bold means nothing."""
    frame = grid(["a"], range(35), range(35), lambda _, y, x: x * y / 35**2)
    chart = spec(frame.with_columns(tied=pl.col("best")), width="single")
    (_, width, _), (_, line, _) = borders(panels(chart)[0])
    assert (width, line) == (1.6, 0.7)
    assert "bold:" not in json.dumps(chart)


def test_a_missing_cell_is_hatched_not_coloured():
    """A cell without data is hatched and not coloured, and the footer says so."""
    hole = pl.when((pl.col("x") == 0.1) & (pl.col("y") == 500)).then(None)
    chart = spec(grid(tasks=["AIME24"], value=hole.otherwise(pl.col("value"))))
    (view,) = panels(chart)
    assert len(stamps(view, "missing")) == 1
    coloured = next(layer for layer in view["layer"] if "color" in layer.get("encoding", {}))
    assert coloured["transform"] == [{"filter": "!datum.missing"}]
    assert "hatched: no data" in json.dumps(chart)


def test_marks_that_do_not_occur_are_neither_drawn_nor_explained():
    """A complete grid with clear winners has no hatches, dots or corners, nor words about them."""
    chart = plain()
    flags = ("missing", "dotted", "incomplete")
    assert not any(stamps(panels(chart)[0], flag) for flag in flags)
    assert not re.search("hatched|dot:|corner", json.dumps(chart))


@pytest.mark.parametrize(("shown", "dots"), [("tied", 1), ("se", 0), ("none", 0)])
def test_dots_mark_what_is_tied_with_the_best(shown, dots):
    """Dots are drawn where the figure shows ties and the grid knows them."""
    frame = grid(TASKS[:1])
    chart = spec(frame.with_columns(tied=True), uncertainty=shown, verdict="dots")
    assert len(stamps(panels(chart)[0], "dotted")) == dots
    assert not any(row["dotted"] and row["best"] for row in rows(chart, "cells AIME24"))
    unknown = spec(frame.with_columns(tied=None), uncertainty=shown, verdict="dots")
    assert not stamps(panels(unknown)[0], "dotted")


def test_errors_stand_below_values_in_smaller_type():
    """± is printed in 6 pt below a value of 7 pt or more, in the ink of the cell."""
    (view, *_) = panels(plain(uncertainty="se"))
    marks = {x["encoding"]["text"]["field"]: x["mark"] for x in view["layer"]
             if "text" in x.get("encoding", {})}  # fmt: skip
    assert marks["label"]["fontSize"] >= 7 > marks["spread"]["fontSize"] == 6
    assert marks["spread"]["color"] == {"expr": "datum.ink"}
    assert "±: standard error over problems" in json.dumps(
        plain(uncertainty="se"), ensure_ascii=False
    )


def test_errors_without_room_are_left_out_with_a_word():
    """Cells too narrow for ± keep their values, and the footer points to the table."""
    frame = grid(TASKS[:1], [n / 10 for n in range(13)], of=lambda *_: 0.5)
    chart = spec(frame, uncertainty="interval", width="single", format=".0f")
    fields = [x.get("encoding", {}).get("text", {}).get("field") for x in panels(chart)[0]["layer"]]
    assert "label" in fields
    assert "spread" not in fields
    assert heatmap_words.NO_ROOM in json.dumps(chart)


@pytest.mark.parametrize(("shown", "words"), list(heatmap_words.COUNTED_MEANINGS.items()))
def test_errors_from_counts_say_so(shown, words):
    """Where which problems were solved is made up, ± and ranges name what they rest on."""
    frame = grid(TASKS[:1], reconstructed=pl.lit(True))
    chart = json.dumps(spec(frame, uncertainty=shown), ensure_ascii=False)
    assert words in chart
    assert "problems like these" not in chart


def test_an_incomplete_cell_has_a_filled_corner():
    """A cell with fewer rows than a complete run holds is marked in a corner."""
    fewer = pl.when(pl.col("x") == 0.1).then(100).otherwise(150)
    chart = spec(grid(TASKS[:1], epochs=fewer))
    assert len(stamps(panels(chart)[0], "incomplete")) == 1
    assert sum(row["incomplete"] for row in rows(chart, "cells AIME24")) == len(WINDOWS)


def test_y_labels_only_on_the_first_panel_of_a_row():
    """Labels and title of y stand left of each row, once."""
    chart = spec(grid(), columns=2)
    axes = [placed(view)["y"]["axis"] for view in panels(chart)]
    assert [axis is not None for axis in axes] == [True, False, True, False]


def test_rows_ascend_from_the_bottom():
    """500 is the lowest row and 3000 the highest."""
    y = placed(panels(plain())[0])["y"]["scale"]
    assert y["domain"] == ["500", "1000", "2000", "3000"]
    assert y["range"][0] > y["range"][1] == 0


def test_a_title_stands_once_over_the_names_of_the_panels():
    """At the left edge of the page, higher than they are; without one its room is not kept."""
    chart = plain()
    assert [texts(view)[0] for view in panels(chart)] == list(TASKS)
    titles = [
        layer["mark"]
        for view in chart["concat"]
        for layer in view["layer"]
        if layer["mark"].get("text") == "R1"
    ]
    name = next(x["mark"] for x in panels(chart)[0]["layer"] if x["mark"].get("text") == "AIME24")
    assert len(titles) == 1
    assert titles[0]["y"] < name["y"] - theme.TITLE
    assert titles[0]["x"] < name["x"] == 0
    high, low = (drawing.draw(one).size[1] for one in (chart, plain(title="")))
    assert low < high - theme.HEAD


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_titles_of_axes_and_of_bars_stand_once(columns):
    """In the middle of the rows and columns of panels; that of bars over the last of a row."""
    svg = drawing.draw(plain(columns=columns)).svg
    for title in ("Ratio", "Local Window Size", "Pass@1 (%)"):
        assert len(re.findall(f">{re.escape(title)}<", svg)) == 1
    assert len(re.findall(">0.3<", svg)) == 4


@pytest.mark.parametrize("scale", ["independent", "shared"])
def test_a_bar_without_values_beside_it_leaves_the_title_to_another(scale):
    """The last panel of the first row has but one value, and so no bar."""
    values = grid(of=lambda task, y, x: 0.5 if task == TASKS[-1] else y * x / 1e4)
    svg = drawing.draw(spec(values, scale=scale)).svg
    assert len(re.findall(re.escape(">Pass@1 (%)<"), svg)) == 1


def test_a_panel_of_a_number_is_called_by_its_column():
    """A bare 2 over a panel would say nothing; a task speaks for itself."""
    shots = grid((1, 2), of=lambda task, *_: task / 4).rename({"task": "shots"})
    chart = spec(shots, panel="shots", title="")
    assert [texts(panel)[0] for panel in panels(chart)] == ["Shots 1", "Shots 2"]
    chart = spec(shots, panel="shots", title="", labels={"shots": "Examples:"})
    assert [texts(panel)[0] for panel in panels(chart)] == ["Examples: 1", "Examples: 2"]


JUDGED = {"spread": 0.1, "spread_equal": 0.1, "chance_median": 0.107, "chance_high": 0.147, "chance_p": 0.6,
          "separated": 0, "needed": 837}  # fmt: skip
NEEDED = "at least 840 problems, not 30, would part the best from the runner-up"
VERDICT = (
    "spread 10.0; equal settings would spread 10.7 (95\u00a0%: 14.7): no evidence of a best setting"
)


def judged(**changes):
    columns = {name: pl.lit(what) for name, what in (JUDGED | changes).items()}
    return grid(TASKS[:1], tied=pl.lit(value=True)).with_columns(**columns)


def quiet(chart):
    """The small grey lines of the first panel: what stands right above its cells comes first."""
    layers = panels(chart)[0]["layer"]
    marks = [x["mark"] for x in layers if x["mark"].get("color") == theme.QUIET]
    return [" ".join(mark["text"]) for mark in marks if isinstance(mark["text"], list)]


@pytest.mark.parametrize("width", ["single", "double"])
def test_a_verdict_stands_above_each_panel(width):
    """One short line below its name; the sentences are read out and stand in the caption."""
    chart = spec(judged(), width=width)
    assert quiet(chart)[0] == "no best setting: all 20 tie"
    (view,) = panels(chart)
    name = next(x["mark"] for x in view["layer"] if x["mark"].get("text") == "AIME24")
    line = next(x["mark"] for x in view["layer"] if x["mark"].get("color") == theme.QUIET)
    assert name["y"] < line["y"] < 0
    assert (name["x"], line["x"]) == (0, 0)
    assert VERDICT.capitalize() in chart["description"]
    assert NEEDED.capitalize() in chart["description"]


SOME = pl.col("y") == 3000
ALONE = pl.col("best")


@pytest.mark.parametrize(
    ("changes", "given", "words"),
    [
        ({}, {}, "no best setting: all 20 tie"),
        ({"chance_p": 0.01}, {}, "no best setting: all 20 tie, yet not all are equal"),
        ({"chance_p": None}, {}, "too few problems: all 20 tie"),
        ({}, {"best": "lowest"}, "no lowest setting: all 20 tie"),
        ({"tied": SOME}, {}, "5 of 20 tie with the best, 23.0"),
        ({"tied": SOME}, {"best": "lowest"}, "5 of 20 tie with the lowest, 23.0"),
        ({"tied": SOME, "best": SOME}, {}, "5 of 20 tie with the best"),
        ({"tied": ALONE}, {}, "none of 19 others ties with the best, 23.0"),
    ],
)
def test_the_line_says_what_ties_with_the_best(changes, given, words):
    """How many, of how many, and the value of the best where it is one."""
    drawn = spec(judged(**{k: v for k, v in changes.items() if k in JUDGED}).with_columns(
        **{k: v for k, v in changes.items() if k not in JUDGED}
    ), **given)  # fmt: skip
    assert quiet(drawn)[0] == words


def test_two_cells_that_tie_are_both():
    """The number of two would be a riddle."""
    frame = judged().filter(pl.col("y") == 3000, pl.col("x").is_in([0.2, 0.3]))
    assert quiet(spec(frame))[0] == "no best setting: both tie"
    alone = frame.with_columns(tied=pl.col("best"))
    assert quiet(spec(alone))[0] == "the other does not tie with the best, 23.0"


def test_lines_of_a_row_begin_at_one_height():
    """Below the names, however many lines another panel needs."""
    two = pl.concat([judged(), apart("x")]).with_columns(
        task=pl.Series(["a"] * 20 + ["b"] * 20),
        peers=pl.Series([99] * 20 + [n % 5 for n in range(20)]),
    )
    chart = spec(
        two.with_columns(tied=pl.col("best") | (pl.col("x") > 0.1)), width="single", columns=2
    )
    lines = [
        next(x["mark"] for x in view["layer"] if x["mark"].get("color") == theme.QUIET)
        for view in panels(chart)
    ]
    assert [len(one["text"]) > 1 for one in lines] == [False, True]
    assert lines[0]["y"] == lines[1]["y"]


def test_where_some_sets_are_not_judged_the_line_says_how_many():
    """Beside what is found in the others."""
    doubt = pl.when(pl.col("x") == 0.1).then(pl.lit(f"{reasons.NO_BEST}: {reasons.FEW}, too few"))
    first = pl.col("x") == 0.1
    frame = apart("x").with_columns(
        unjudged=doubt, spread=pl.when(~first).then(0.1), best=pl.col("best") & ~first
    )
    assert quiet(spec(frame))[0] == (
        "no best setting: all tie that are compared, within each ratio; "
        "in 1 no best setting is told: a few problems make the gaps"
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
    assert quiet(chart)[0] == f"no best setting is told: {short}"
    assert not borders(panels(chart)[0])


def test_no_verdict_where_nothing_was_judged():
    """Panels without a chance range, or of one cell, have no line; a clear best needs no more."""
    lines = "tie|best setting|spread"
    assert not any(re.search(lines, text) for text in quiet(plain()))
    assert not any(re.search(lines, text) for text in quiet(spec(judged(spread=None))))
    assert not any(re.search(lines, text) for text in quiet(spec(judged(), uncertainty="se")))
    assert not any(re.search(lines, text) for text in quiet(spec(judged(), verdict="none")))
    assert heatmap_words.verdicts_of(
        judged().head(1).with_columns(peers=None), entry(), 100, ".1f"
    ) == {("AIME24",): []}
    alone = judged().with_columns(tied=pl.col("best"))
    assert "runner-up" not in spec(alone)["description"]


def ruled(chart):
    """Of the first panel's ruler: name, number, and where box, median and mark end, in pt."""
    (view, *_) = panels(chart)
    marks = [layer["mark"] for layer in view["layer"]]
    boxes = [mark for mark in marks if mark.get("fill") in (ruler.BOX, ruler.HAIR)]
    mark = next((m for m in marks if m["type"] == "point" and m.get("strokeWidth") == 0.8), None)
    text = [
        m["text"] for m in marks if m.get("baseline") == "middle" and m.get("color") == theme.QUIET
    ]
    return {m["fill"]: m["x2"] for m in boxes}, mark, text


def test_a_ruler_shows_the_spread_beside_that_of_equal_settings():
    """On a scale from 0 to 100 points, as long as the panel is wide."""
    chart = spec(judged())
    (view,) = panels(chart)
    ends, mark, text = ruled(chart)
    wide = placed(view)["x"]["scale"]["range"][1]
    assert ends == {ruler.HAIR: wide, ruler.BOX: pytest.approx(0.147 * wide, abs=0.01)}
    assert mark["x"] == pytest.approx(0.1 * wide, abs=0.01)
    assert mark["fill"] == theme.PAPER
    assert text == ["10.0", "spread"]
    assert mark["y"] > view["height"]
    assert "ruler, 0 to 100: grey, spread of equal settings" in json.dumps(
        chart, ensure_ascii=False
    )


def test_a_spread_beyond_chance_is_filled():
    """The mark is black, wherever on its scale it lies."""
    _, mark, _ = ruled(spec(judged(spread_equal=0.6, spread=0.7, chance_p=0.0001)))
    assert mark["fill"] == theme.INK


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({"spread_equal": None, "chance_median": None, "chance_high": None}, {}),
        ({"chance_p": None, "chance_high": None}, {}),
        ({"spread": None}, {}),
        ({}, {"ruler": False}),
        ({}, {"verdict": "dots"}),
        ({}, {"verdict": "none"}),
    ],
)
def test_there_is_no_ruler_where_chance_is_not_known_or_nobody_wants_it(changes, given):
    """Few problems in common, too few problems, no verdict, or by the keys."""
    chart = spec(judged(**changes), **given)
    assert ruled(chart) == ({}, None, [])
    assert "ruler" not in json.dumps(chart)


@pytest.mark.parametrize("verdict", ["dots", "none"])
def test_a_ruler_can_be_had_without_an_outline(verdict):
    """Whatever marks the best."""
    _, mark, text = ruled(spec(judged(), verdict=verdict, ruler=True))
    assert mark
    assert text == ["10.0", "spread"]


def test_rulers_of_other_measures_share_a_round_end():
    """From 0 to a number above the largest spread of any panel."""
    frame = pl.concat([judged(), judged(spread=480.0, spread_equal=480.0, chance_high=310.0)])
    frame = frame.with_columns(
        task=pl.Series(["a"] * 20 + ["b"] * 20), peers=pl.Series([0] * 20 + [20] * 20)
    )
    given = {"encoding": {"x": "ratio", "y": "local_window", "color": "mean(tokens)"}}
    chart = spec(frame.with_columns(best=False), **given)
    assert "ruler, 0 to 500: " in json.dumps(chart)


def test_a_number_beside_a_ruler_stands_in_no_other_ruler_s_way():
    """Where no bar is between two panels, rulers are shorter than they are wide."""
    two = pl.concat([judged(), judged()]).with_columns(
        task=pl.Series(["a"] * 20 + ["b"] * 20), peers=pl.Series([0] * 20 + [20] * 20)
    )
    chart = spec(two, scale="shared")
    view = panels(chart)[0]
    ends, *_ = ruled(chart)
    number = ends[ruler.HAIR] + ruler.APART + widest(["10.0"], theme.SMALL)
    assert number < view["width"] + chart["spacing"]["column"]


def apart(axis, **changes):
    """A panel in which the cells of each x, or y, are compared with each other alone."""
    first = pl.col(axis).rank("dense").cast(pl.Int64)
    best = pl.col("value") == pl.col("value").max().over(axis)
    return judged().with_columns(peers=first, best=best, **changes)


@pytest.mark.parametrize(("axis", "name"), [("x", "ratio"), ("y", "Local Window Size")])
def test_cells_that_share_no_problems_have_a_best_of_their_own(axis, name):
    """The footer says of which cells the best is, the verdict speaks of each."""
    chart = spec(apart(axis), verdict="dots")
    said = json.dumps(chart, ensure_ascii=False)
    assert f"framed: best of each {name}" in said
    assert f"dot: not distinguishable from the best of its {name}" in said
    assert quiet(chart)[0] == f"no best setting: all tie that are compared, within each {name}"
    assert f"Within each {name}: no evidence of a best setting." in chart["description"]
    count = len(WINDOWS if axis == "y" else RATIOS)
    assert f"best of each {name} in {count} cells" in chart["description"]


@pytest.mark.parametrize(
    ("tied", "words"),
    [
        (pl.lit(value=True), "no best setting: all tie that are compared, within each ratio"),
        ((pl.col("x") > 0.1) | pl.col("best"), "compared within each ratio: all tie in 4 of 5"),
        (pl.col("best"), "compared within each ratio"),
    ],
)
def test_of_several_sets_of_cells_the_line_tells_in_how_many_all_tie(tied, words):
    """Their outlines tell the rest; the legend says that each ratio has a best of its own."""
    chart = spec(apart("x").with_columns(tied=tied))
    assert quiet(chart)[0] == words
    assert ruled(chart) == ({}, None, [])
    if borders(panels(chart)[0]):
        said = json.dumps(chart, ensure_ascii=False)
        assert "outline: ties with the best of its ratio (95\u00a0%, paired, 30 problems)" in said
        assert "bold: best of each ratio" in said


def test_few_sets_of_cells_are_named_and_of_many_the_number_is_told():
    """One that differs is named; of five, how many have a best that can be told."""
    lowest = pl.col("y") == 500
    clear = {"separated": pl.when(lowest).then(2).otherwise(0)}
    words = "500: 2 of 5 settings can be told from the best; 1000, 2000, 3000: no evidence of a"
    assert words in spec(apart("y", **clear))["description"]
    clear = {"separated": pl.when(pl.col("x") == 0.1).then(2).otherwise(0)}
    words = "Within each ratio, settings can be told from the best in 1 of 5"
    assert words in spec(apart("x", **clear))["description"]


def test_sets_that_no_axis_tells_apart_share_problems():
    """Where neither x nor y says which cells are compared, the words do."""
    place = pl.int_range(pl.len())
    chart = spec(apart("x").with_columns(peers=place // 10, best=place == 3), verdict="dots")
    said = " ".join(told(chart))
    assert "framed: best of cells that share problems" in said
    assert "dot: not distinguishable from the best of those that share its problems" in said
    assert quiet(chart)[0] == "no best setting: all tie that are compared, where they can be"
    assert "Within each set of cells that share problems: no evidence" in chart["description"]


def test_the_best_on_equal_problems_is_called_so():
    """Where cells lack problems of their peers, the footer says what bold rests on."""
    said = json.dumps(spec(grid(TASKS[:1]).with_columns(common=20)), ensure_ascii=False)
    assert "bold: best, on equal problems" in said
    assert "equal problems" not in json.dumps(plain())


def test_a_cell_with_records_and_no_value_is_no_cell_without_data():
    """It is hatched and has a filled corner; footer, tooltip and spoken words say why."""
    hole = pl.when((pl.col("x") == 0.1) & (pl.col("y") == 500)).then(None)
    frame = grid(TASKS[:1], value=hole.otherwise(pl.col("value")))
    gap = "incomplete: no value, task t2 missing"
    lost = frame.with_columns(gap=pl.when(pl.col("gap").is_not_null()).then(pl.lit(gap)))
    chart = spec(lost)
    (view,) = panels(chart)
    assert [len(stamps(view, flag)) for flag in ("missing", "incomplete")] == [1, 1]
    said = json.dumps(chart, ensure_ascii=False)
    assert f"hatched, filled corner: {gap}" in said
    assert "no data" not in said
    assert "1 incomplete and without a value" in chart["description"]
    assert [row["told"] for row in rows(chart, "cells AIME24") if row["missing"]] == [gap]


def test_verdicts_without_room_stand_in_the_footer():
    """Above a panel of a few narrow cells a line would be a column of words."""
    frame = pl.concat(
        judged(chance_p=0.01)
        .head(4)
        .with_columns(x=pl.lit(0.1), y=pl.Series([1, 2, 3, 4]), task=pl.lit(task))
        for task in "abcdefgh"
    )
    chart = spec(frame, columns=8, scale="shared", width="single", text=False)
    words = "no best setting: all 4 tie, yet not all are equal"
    assert f"a: {words}" in " ".join(told(chart))


@pytest.mark.parametrize(("sharing", "frames"), [(3, True), (4, False), (5, False)])
def test_frames_are_left_out_where_they_would_be_noise(sharing, frames):
    """More than three cells and a tenth of the panel at the best: no frames, and words for it."""
    order = pl.int_range(pl.len())
    value = pl.when(order < sharing).then(1.0).otherwise(0.5)
    frame = grid(TASKS[:1]).with_columns(value=value, best=order < sharing, tied=True)
    chart = spec(frame, verdict="dots")
    assert bool(stamps(panels(chart)[0], "framed")) is frames
    words = f"best: {sharing} cells share the highest value, not framed"
    assert (words in json.dumps(chart)) is not frames
    dotted = [row["dotted"] for row in rows(chart, "cells AIME24")]
    assert dotted == [not frames] * sharing + [True] * (20 - sharing)


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (1, "best: 5 cells share the highest value, not in bold"),
        (2, "best in AIME25: 6 cells share the highest value, not in bold"),
        (3, "best: up to 7 cells of a panel share the highest value, not in bold"),
    ],
)
def test_panels_without_a_bold_best_are_named_while_they_are_few(tasks, words):
    """One needs no name, two are named each, and of more the largest crowd is told."""
    order = pl.int_range(pl.len()).over("task")
    crowd = pl.col("task").replace_strict({TASKS[n]: 5 + n for n in range(tasks)})
    value = pl.when(order < crowd).then(1.0).otherwise(0.5)
    chart = spec(grid(TASKS[:tasks]).with_columns(value=value, best=order < crowd))
    assert words in " ".join(told(chart))


def test_frames_of_the_lowest_say_so():
    """Where less is better the footer says that the lowest is framed."""
    chart = spec(grid(TASKS[:3], tied=pl.lit(True)), best="lowest", verdict="dots")
    assert "framed: lowest · dot: not distinguishable from the lowest" in json.dumps(
        chart, ensure_ascii=False
    )


def test_the_estimand_is_said_where_it_fits():
    """`for problems like these` stands in the footer unless it would take another line."""
    part = f"dot: not distinguishable from the best{sheet.LIKE}"
    assert sheet.lines([], [part], 400) == [part]
    assert sheet.lines([], [part], sheet.ID_ROOM + 130) == [part.removesuffix(sheet.LIKE)]


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


def test_a_figure_and_its_panels_are_described():
    """Screen readers hear what is shown, the range, and where the best is."""
    chart = plain()
    assert chart["description"].startswith("Heatmap of Pass@1 in percent over Ratio (x)")
    assert panels(chart)[0]["description"] == (
        "R1 | AIME24: Pass@1 from 18.5 to 23.0 in 20 cells; "
        "best at Ratio 0.3, Local Window Size 3000."
    )


def test_notes_come_first_and_are_wrapped():
    """Notes stand before what the marks mean, in lines no wider than the page."""
    chart = spec(
        grid(TASKS[:1]), notes=["Reconstructed from printed digits; no logs were published."] * 2
    )
    lines = next(text for text in texts(chart["concat"][0]) if isinstance(text, list))
    assert lines[:2] == ["Reconstructed from printed digits; no logs were published."] * 2
    assert lines[-1] == "bold: best"


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


@pytest.mark.parametrize(
    ("given", "ticks"),
    [
        ({}, None),
        ({"legend": True}, [0, 20, 40, 60, 80, 100]),
        ({"legend": True, "percent": False}, [0.396, 0.398, 0.4, 0.402, 0.404]),
        ({"domain": [0, 60]}, [0, 20, 40, 60]),
        ({"domain": [0, 60], "legend": False}, None),
    ],
)
def test_one_value_has_no_bar(given, ticks):
    """Unless the user wants one, or says where the colours end."""
    chart = spec(grid(["a"], of=lambda *_: 0.4), **given)
    assert len(chart["concat"]) == (1 if ticks is None else 2)
    if ticks:
        assert chart["concat"][1]["layer"][0]["encoding"]["y"]["axis"]["values"] == ticks
    (view,) = panels(chart)
    assert placed(view)["color"]["scale"]


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


def test_labels_of_an_axis_differ():
    """Numbers that would look alike are written out."""
    assert words([0.1, 3000.0, True, None]) == ["0.1", "3000", "yes", "none"]
    assert words([0.12345671, 0.12345672]) == ["0.12345671", "0.12345672"]


def test_labels_of_an_axis_are_of_one_style():
    """Learning rates have exponents; where only one value is tiny, the others need none."""
    assert words([1e-6, 2.5e-5, 1e-4, 0.0]) == ["1e−6", "2.5e−5", "1e−4", "0"]
    assert words([1e-5, 0.5, 1.0]) == ["1e−5", "0.5", "1"]
    assert words([0.0001, 0.001]) == ["0.0001", "0.001"]


def test_text_is_cut_wrapped_and_told_apart_by_width():
    """Cut text ends in an ellipsis; names that differ at their end stay different."""
    assert fit("Local Window Size", 30, 7).endswith("…")
    assert broken("beam search", 30, 7) == ["beam", "search"]
    assert wrapped("beam abcdefghijklmn", 30, 7) == ["beam", "abcdefghi", "jklmn"]
    assert len(wrap(["one part", "another part"], 40, 6)) == 2
    names = short_names(["tiny-s96-path", "tiny-s96-path16"], 30, 7)
    assert len(set(names.values())) == 2


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
            {"verdict": "dots", "best": "none"},
            ".verdict: 'dots' needs `best: highest` or `best: lo",
        ),
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


def test_no_title_is_cut():
    """Titles of figure, panel, axis and bar take the lines they need; a long word is broken."""
    labels = {"ratio": LONG * 2, "pass@1": LONG}
    chart = spec(grid([WORD, "b"], of=lambda _, y, x: x * y), title=LONG * 2, labels=labels)
    said = json.dumps(chart, ensure_ascii=False)
    assert "…" not in said
    drawn = [one for one in strings(chart) if isinstance(one, list)]
    for whole in (LONG * 2, LONG, WORD):
        assert any(squeezed(whole) in squeezed("".join(lines)) for lines in drawn)


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
    found = omitted(spec(grid(["a", "b"], **{"of": lambda *at: at[2]} | cells), **given))
    assert len(found) == bool(told)
    assert all(part in found[0] for part in told)
