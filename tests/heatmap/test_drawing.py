"""What holds of every heatmap that is drawn, whatever is shown and however it is laid out."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import polars as pl
import pytest

from heatproof.charts import colour, theme
from heatproof.config import venues
from heatproof.export import drawing
from heatproof.kinds import api, trace
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import cells, marks, words
from heatproof.kinds.heatmap.layout import NARROWEST
from heatproof.util.errors import Error
from support import lettered
from support.heatmaps import (
    TASKS,
    borders,
    checked,
    entry,
    grid,
    judged,
    panels,
    placed,
    plain,
    rows,
    ruled,
    spec,
    stamps,
    told,
)  # fmt: skip
from support.panel_grids import MODELS, grid_entry
from support.panel_grids import TASKS as SWEPT
from support.panel_grids import rows as sweep
from support.tasks import entry as of_tasks

NAMES = ["A", "AIME24", "GPQA_D", "a-long-task-name-of-some-kind", "HumanEval+", "mmlu_pro"]
LABELS = {"local_window": "Local Window Size of the cache", "pass@1": "Share solved at once"}
NOTE = "Reconstructed from printed digits; the logs were never published, and this goes on."


def drawn(chart: dict[str, Any]) -> str:
    return drawing.draw(json.loads(json.dumps(chart))).svg


# ------------------------------------------------------------------------------------------- room


def anything(seed: int) -> str:
    """A figure of anything."""
    chance = random.Random(seed)
    pick, often = chance.choice, lambda share: chance.random() < share
    along, up = pick([1, 2, 3, 5, 8, 12, 20, 40]), pick([1, 2, 3, 4, 7, 12, 30])
    x = pick([[round(0.1 * n, 1) for n in range(along)], [f"setting-{n}" for n in range(along)],
              [500 * n for n in range(along)], [2.5e-6 * 2**n for n in range(along)]])  # fmt: skip
    y = pick([[512 * n for n in range(up)], [f"model-{n}-instruct" for n in range(up)]])
    tasks = chance.sample(NAMES, pick([1, 1, 2, 3, 4, 5, 6]))
    size = pick([1, 1, 1, 1e-6, 1e6])
    frame = grid(tasks, x, y, of=lambda *_: size * chance.random() * pick([1, 1, 1, 0.01]))
    gaps, tied = (pl.Series([often(0.2) for _ in range(len(frame))]) for _ in range(2))
    if often(0.3):
        frame = frame.with_columns(value=pl.when(gaps).then(None).otherwise(pl.col("value")))
    frame = frame.with_columns(tied=tied, epochs=pl.lit(pick([140, 150])))
    groups = {"Reasoning models": x[: along // 2], "Chat": x[along // 2 :]} if along > 4 else {}
    keys: dict[str, Any] = {
        "width": pick(["single", "double"]), "scale": pick(["shared", "independent"]),
        "margins": often(0.3), "uncertainty": pick(["none", "se", "interval", "tied"]),
        "percent": size == 1, "groups": {"ratio": groups} if groups and often(0.3) else {},
        **({"labels": LABELS} if often(0.3) else {}),
        **({"columns": pick([1, 2, 3])} if often(0.2) else {}),
        **({"title": "A title that goes on and on over the page"} if often(0.3) else {}),
    }  # fmt: skip
    return drawn(spec(frame, [NOTE] if often(0.4) else [], **keys))


@pytest.mark.parametrize("part", range(3))
def test_no_text_stands_on_another_or_off_the_page(part: int) -> None:
    """Of many figures, each other than the last; none is wider than a page, or in smaller type."""
    figures = {seed: anything(seed) for seed in range(3 * part, 3 * part + 3)}
    collisions = {seed: lettered.collisions(svg) for seed, svg in figures.items()}
    assert {seed: texts for seed, texts in collisions.items() if texts} == {}
    assert max(lettered.page(svg)[0] for svg in figures.values()) <= 7 * 72
    sizes = re.findall(r'size="([\d.]+)px', "".join(figures.values()))
    assert min(map(float, sizes)) >= 6


@pytest.mark.parametrize(
    ("frame", "keys"),
    [
        (grid(["a"], [0.1], [500], lambda *_: 0.5), {}),
        (grid(["a", "b"], of=lambda *_: 0.5), {"scale": "shared", "margins": True}),
        (grid(["a", "b"], of=lambda task, *_: 0.5 if task == "a" else None), {}),
        (grid(["a"], of=lambda *_: None), {}),
        (grid([*"abcdefg"], windows=[5, 6], of=lambda _, y, x: x * y - 2), {"percent": False}),
        (grid(["a"], range(35), range(20), lambda _, y, x: x * y / 35**2), {"width": "single"}),
        (grid(["a"], ["a long name of a method", "b"], ["y" * 60], lambda *_: 0.1), {}),
    ],
)
def test_hard_grids_are_valid_and_no_wider_than_asked(frame: pl.DataFrame, keys: Any) -> None:
    """One cell, equal, missing, negative, many and long-named ones: none breaks page or schema."""
    width, _ = drawing.draw(checked(frame, **keys)).size
    assert NARROWEST <= width <= venues.width(keys.get("width", ""))


@pytest.mark.parametrize("width", ["single", "double", "1in", "1.8in", "nature", "acl-full"])
@pytest.mark.parametrize("panels", [TASKS[:1], TASKS])
def test_a_figure_is_as_wide_as_it_is_asked_to_be(panels: Any, width: str) -> None:
    """Down to an inch, to the pt: cells fill it, and one panel is no higher than a page."""
    cells = grid(panels) if venues.width(width) > 180 else judged()
    for margins in (False, True):
        wide, high = drawing.draw(spec(cells, width=width, title="", margins=margins)).size
        assert wide == venues.width(width)
        assert len(panels) > 1 or high < venues.height("", width)


def test_what_does_not_fit_its_width_is_refused_with_the_width_that_it_takes() -> None:
    """Not drawn wider in silence."""
    venues.require_fit(144.0, "figures.f", "2in")
    with pytest.raises(Error, match=r"^config.yaml: figures.f.width: '2in' is too narrow .* 2.7in"):
        venues.require_fit(192.0, "figures.f", "2in")


# ---------------------------------------------------------------------------------------- colours


@pytest.mark.parametrize("scale", ["independent", "shared"])
def test_cells_are_drawn_in_the_computed_colour_and_ink(scale: str) -> None:
    """The fill of each cell in the SVG is the one from which ink with 4.5 : 1 is chosen."""
    chart = plain(scale=scale)
    data = rows(chart, "cells AIME24")
    scale_of = rows(chart, "cells AIME24") if scale == "independent" else [
        row for task in TASKS for row in rows(chart, f"cells {task}")
    ]  # fmt: skip
    shades = cells.color_scale(scale_of, entry(), signed=False)
    part = drawn(chart).split("concat_0_layer_1_marks")[1].split("</g>")[0]
    fills = [tuple(map(int, f)) for f in re.findall(r'fill="rgb\((\d+), (\d+), (\d+)\)"', part)]
    assert fills == [colour.rgb(shades.drawn(row["value"])) for row in data]
    for row in data:
        assert row["label"] == f"{row['value']:.1f}"
        assert colour.contrast(row["ink"], shades.drawn(row["value"])) >= 4.5


def test_a_share_that_does_not_vary_is_coloured_as_a_part_of_all() -> None:
    """2 % everywhere is not drawn as 97 % everywhere would be, nor a number in another unit."""
    low, high = (
        cells.color_scale(rows(spec(grid(["a"], of=of)), "cells a"), entry(), signed=False)
        for of in (lambda *_: 0.02, lambda *_: 0.97)
    )
    assert low == high
    assert low.domain == (0, 100)


def test_a_panel_of_one_value_is_coloured_among_those_of_the_others() -> None:
    """With a bar that says so: 0 everywhere is not the middle colour that 4.6 has beside it."""
    chart = spec(
        grid(["a", "b", "c"], of=lambda task, _, x: {"a": 0.0, "b": 4.6}.get(task, 2 + x)),
        percent=False,
    )
    scales = [placed(view)["color"]["scale"]["domain"] for view in panels(chart)]
    assert [(ends[0], ends[-1]) for ends in scales] == [(0, 4.6), (0, 4.6), (2.1, 2.5)]


@pytest.mark.parametrize(
    ("scale", "bars", "domains"),
    [("independent", 4, 5), ("row", 2, 2), ("column", 3, 3), ("shared", 1, 1)],
)
def test_what_is_coloured_alike_has_one_bar(scale: str, bars: int, domains: int) -> None:
    """A bar for each panel whose values differ, each row, each column or all, of one domain."""
    one = grid_entry(scale=scale)
    chart = api.kind("heatmap").draw(grids.aggregate(sweep(), one), one).to_dict()
    assert json.dumps(chart).count('"gradient": "linear"') == bars
    shades = [placed(view).get("color", {}).get("scale", {}) for view in panels(chart)]
    assert len({(s["domain"][0], s["domain"][-1]) for s in shades if s}) <= domains


# ------------------------------------------------------------------------------------------ marks

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
def test_no_outline_is_drawn_around_what_it_leaves_out(tied: pl.Expr, bars: int) -> None:
    """Where more than half tie, or with a hole, a thin bar lies under each cell that does not tie.

    Figure, lines below it, caption and LaTeX have the mark that occurs, and not the other.
    """
    frame = grid(TASKS[:1]).with_columns(tied=tied)
    chart = spec(frame)
    (view,) = panels(chart)
    assert sum(row["excluded"] for row in rows(chart, "cells AIME24")) == bars
    assert (len(stamps(view, "excluded")), len(borders(view))) == ((1, 0) if bars else (0, 2))
    assert sum(row["bold"] for row in rows(chart, "cells AIME24")) == 1
    lines = " ".join(told(chart))
    assert (BAR_BELOW in lines, "outline: not told apart" in lines) == (bars > 0, bars == 0)
    caption = " ".join(api.kind("heatmap").caption(frame, entry()))
    assert ("Bar below: " in caption, "Outline: " in caption) == (bars > 0, bars == 0)
    latex = api.kind("heatmap").latex(frame, entry())
    assert latex.count(r"\underline{") == bars
    assert ("dagger" in latex) == (bars == 0)


def test_sets_of_peers_have_an_outline_each() -> None:
    """What is not compared is not in one outline, though its cells lie side by side."""
    corners = pl.col("x").is_in([0.1, 0.5]) & (pl.col("y") == 3000)
    top = grid(TASKS[:1]).with_columns(tied=pl.col("y") == 3000)
    parted = top.with_columns(peers=pl.when(pl.col("x") < 0.25).then(0).otherwise(1))
    for frame, sides in ((grid(TASKS[:1]).with_columns(tied=corners), 8), (top, 12), (parted, 14)):
        paths = [path for _, _, path in borders(panels(spec(frame))[0])]
        assert [path.count("M") for path in paths] == [sides] * 2


@pytest.mark.parametrize(
    ("high", "wide", "keys"),
    [(57, 6, {"width": "single"}), (20, 12, {"margins": True}), (5, 12, {}), (5, 12, {"width": "single"})],
)  # fmt: skip
def test_outlines_cut_no_digits(high: int, wide: int, keys: dict[str, Any]) -> None:
    """In rows as low and columns as narrow as may be, a value is wholly inside its outline."""
    best = pl.col("value") == pl.col("value").max().over("y")
    frame = grid(["a"], range(wide), range(high), lambda _, y, x: 0.5 + (7 * x + 3 * y) % 19 / 40)
    chart = spec(frame.with_columns(peers=pl.col("y"), best=best, tied=best), text=True, **keys)
    (_, casing, path), _ = borders(panels(chart)[0])
    svg = drawn(chart)
    x, y = map(float, re.search(r"translate\(([\d.]+),([\d.]+)\)", svg).groups())
    texts = [text for text in lettered.texts(svg) if re.fullmatch(r"\d\d\.\d", text.text)]
    inside = []
    lines = path.split(" ")
    for n in range(0, len(lines), 4):  # of each cell
        sides = " ".join(lines[n : n + 4])
        ends = [tuple(map(float, end)) for end in re.findall(r"([\d.-]+),([\d.-]+)", sides)]
        (left, top), (right, foot) = (map(side, zip(*ends, strict=True)) for side in (min, max))
        left, top = left + x + casing / 2, top + y + casing / 2
        right, foot = right + x - casing / 2, foot + y - casing / 2
        for text in texts:
            middle = (text.left + text.right) / 2, (text.top + text.bottom) / 2
            if left < middle[0] < right and top < middle[1] < foot:
                assert left < text.left < text.right < right
                assert top < text.top < text.bottom < foot
                inside.append(text)
    assert len(inside) >= high


def test_a_ruler_shows_the_spread_beside_that_of_equal_settings() -> None:
    """On a scale from 0 to 100 points, as long as the panel is wide; filled if beyond chance."""
    chart = spec(judged())
    ends, mark, text = ruled(chart)
    wide = placed(panels(chart)[0])["x"]["scale"]["range"][1]
    assert ends == {marks.HAIR: wide, marks.RULER_BOX: pytest.approx(0.147 * wide, abs=0.01)}
    assert (mark["x"], mark["fill"]) == (pytest.approx(0.1 * wide, abs=0.01), theme.PAPER)
    assert text == ["10.0", "spread"]
    _, mark, _ = ruled(spec(judged(spread_equal=0.6, spread=0.7, chance_p=0.0001)))
    assert mark["fill"] == theme.INK
    assert words.RULER.partition("{")[0] in json.dumps(chart)


def test_a_domain_says_what_it_leaves_out() -> None:
    """Values beyond the colour bar look like those at its ends."""
    values = [round(100 * value, 9) for value in grid()["value"]]
    below, above = sum(value < 40 for value in values), sum(value > 60 for value in values)
    line = f"beyond the colour bar, drawn as its ends: {below} below, {above} above"
    assert line in json.dumps(spec(grid(), domain=[40, 60]))
    assert "beyond the colour bar" not in json.dumps(spec(grid(), domain=[0, 100]))
    for task, ends in (("AIME24", (True, False)), ("GPQA_D", (False, True))):
        lowest = rows(plain(), f"cells {task}")
        bar = cells._bar(lowest, entry(domain=[40, 60]), signed=False)
        assert (bar.below, bar.above) == ends


def test_a_mean_is_of_the_cells_shown_and_hatched_where_one_is_lacking() -> None:
    """Each column has its mean, then each row from the bottom, then the panel."""
    frame = grid(TASKS[:1], [0.1, 0.2], [500, 1000], lambda _, y, x: x + y / 1e4)
    means = rows(spec(frame, margins=True), "means AIME24")
    assert [row["label"] for row in means] == ["17.5", "27.5", "20.0", "25.0", "22.5"]
    hole = pl.when((pl.col("x") == 0.1) & (pl.col("y") == 500)).then(None)
    gaps = frame.with_columns(value=hole.otherwise(pl.col("value")))
    means = rows(spec(gaps, margins=True), "means AIME24")
    assert [n for n, row in enumerate(means) if row["missing"]] == [0, 2]
    assert means[-1]["label"] == ""


# -------------------------------------------------------------------------------- axes


@pytest.mark.parametrize(
    ("windows", "lines"),
    [(["beta", "alpha", "gamma"], ["beta", "alpha", "gamma"]), ([1, 2, 3], ["3", "2", "1"])],
)
def test_names_run_from_the_top_and_numbers_rise(windows: list[Any], lines: list[str]) -> None:
    """Cells, means, frames and brackets lie beside the labels of theirs; a table reads alike."""
    frame = grid(TASKS[:1], [0.5], windows, lambda _, y, x: x / (1 + windows.index(y)))
    keys: dict[str, Any] = {"margins": True, "labels": {"local_window": "Up"}}
    chart = spec(
        frame, highlight=[{"ratio": 0.5, "local_window": windows[0]}],
        groups={"local_window": {"One": windows[:1], "Two": windows[1:]}}, **keys,
    )  # fmt: skip
    at = {text.text: text for text in lettered.texts(drawing.draw(chart).svg)}
    assert sorted(lines, key=lambda name: at[name].top) == lines
    middle = at[str(windows[0])].top
    assert abs(middle - at["50.0"].top) < 3  # the value of the first, and the mean of its row
    assert abs(at["One"].top - middle) < abs(at["Two"].top - middle)
    (frames,) = {path for colour, _, path in borders(panels(chart)[0]) if colour == marks.FRAME}
    heights = [float(y) for y in re.findall(r",([\d.-]+)", frames)]
    step = max(heights) - min(heights)
    assert (min(heights) < step / 2) == (windows[0] == lines[0])
    tex = api.kind("heatmap").latex(frame, entry(**keys), "")
    assert sorted(lines, key=lambda name: tex.index(f"\n{name} &")) == lines


def test_titles_of_axes_and_of_the_bar_can_be_left_out() -> None:
    """What is read out keeps their names."""
    labels = {"ratio": "", "local_window": "", "pass@1": ""}
    chart = spec(grid(TASKS[:1]), labels=labels)
    drawn_texts = {text.text for text in lettered.texts(drawing.draw(chart).svg)}
    assert not drawn_texts & {"Ratio", "Local Window", "Pass@1 (%)"}
    assert "Pass@1 in percent over Ratio (x) and Local Window (y)" in chart["description"]
    encoding = {"x": "ratio", "y": "local_window", "color": "pass^3"}
    assert "Pass³" in drawn(spec(grid(TASKS[:1]), encoding=encoding))


# -------------------------------------------------------------------------------- panels and blocks


def test_a_cell_of_a_grid_of_panels_is_that_of_its_model_alone() -> None:
    """Rows of panels come first, then columns; each cell is traced by both, and counted alike."""
    one = grid_entry()
    frame = grids.aggregate(sweep(), one)
    pairs = [*dict.fromkeys(frame.select("model", "task").iter_rows())]
    assert pairs == [(model, task) for model in MODELS for task in SWEPT]
    alone = grids.aggregate(sweep(), of_tasks("b", "scorer", panel="task", where={"model": "m1"}))
    columns = [name for name in alone.columns if name not in ("task", "peers")]
    assert frame.filter(model="m1").select(columns).equals(alone.select(columns), null_equal=True)
    assert [*frame.filter(model="m2", task="t3")["gap"]] == ["no data"] * 4
    behind = trace.behind(
        sweep(), frame, one, {"model": "m2", "task": "t1", "b": "2", "scorer": "u"}
    )
    assert (behind.agrees, behind.samples) == (True, 8)


@pytest.mark.parametrize(
    ("axes", "keys"),
    [
        ((["task", "b"], "scorer"), {"where": {"model": "m1"}}),
        ((["model", "task", "b"], "scorer"), {}),
        ((["task", "b"], ["model", "scorer"]), {}),
    ],
)
def test_a_block_is_judged_as_a_panel_of_its_own(axes: Any, keys: dict[str, Any]) -> None:
    """Value, interval, best and tied set are those of a figure of the block alone."""
    frame = grids.aggregate(sweep(), of_tasks(*axes, **keys))
    columns = ["x", "y", "value", "samples", "se", "low", "high", "best", "tied", "chance_p"]
    for model in {*frame["model"]} if "model" in frame.columns else ["m1"]:
        for task in SWEPT if model == "m1" else SWEPT[:2]:
            alone = of_tasks("b", "scorer", where={"model": model, "task": task})
            block = frame.filter(task=task)
            block = block.filter(model=model) if "model" in frame.columns else block
            counted = grids.aggregate(sweep(), alone).select(columns)
            assert block.select(columns).equals(counted, null_equal=True)


# --------------------------------------------------------------------------------------- mistakes

STRIP = "beside nested axes (encoding.x): they make the blocks of one strip"


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        ({"palette": "ylgnb"}, ".palette", "'ylgnb' is not a palette"),
        ({"format": "0.0"}, ".format", "'0.0' is not a format"),
        ({"domain": [3, 1]}, ".domain", "is not [lowest, highest]"),
        ({"columns": 0}, ".columns", "0 is not 1 or more"),
        ({"verdict": "outline", "uncertainty": "se"}, ".verdict", "needs `uncertainty: tied`"),
        ({"ruler": True, "uncertainty": "none"}, ".ruler", "needs `uncertainty: tied`"),
        ({"ruler": True, "color": "median(tokens)"}, ".ruler", "a mean of records"),
        ({"color": "pas@1"}, ".encoding.color", "'pas@1' is not a metric"),
        ({"x": []}, ".encoding.x", "lists no columns; there may be 1 to 3"),
        ({"x": [*"abcd"]}, ".encoding.x", "lists 4 columns; there may be 1 to 3"),
        ({"x": ["b", "b"]}, ".encoding.x[0]", "'b' is encoding.x[1] already"),
        ({"x": ["b", "c"], "panel": "d"}, ".panel", f"'d' {STRIP}"),
        ({"x": ["b", "c"], "letters": "a"}, ".letters", "it is of panels, and nested axes"),
        ({"x": ["b", "c"], "scale": "row"}, ".scale", "encoding.y lists no second column"),
        ({"x": ["b", "c"], "scale": "column"}, "", ""),
        ({"highlight": [{"label": "x"}]}, ".highlight[0]", "names no column; there are y, x"),
        ({"highlight": [{"rato": 1}]}, ".highlight[0].rato", "'rato' lies along no axis"),
        ({"sort": {"epoch": "value"}}, ".sort.epoch", "no axis and no panel is of it; there are y"),
        ({"sort": {"x": "config"}}, ".sort.x", "'config': where.x lists no values"),
        ({"groups": {"epoch": {"A": [1]}}}, ".groups.epoch", "groups stand along x or y"),
        ({"groups": {"x": {"A": ["a"], "B": ["a"]}}}, ".groups.x", "'a' stands there twice"),
        ({"groups": {"x": {"A": ["a"]}}, "sort": {"x": ["a"]}}, ".sort.x", "gives the order"),
        ({"annotate": "x"}, ".annotate", "'x' is shown already; name another"),
        ({"annotate": "pass@1"}, ".annotate", "'pass@1' is shown already"),
        ({"annotate": "meen(tokens)"}, ".annotate", "'meen(tokens)' is not a metric"),
        ({"annotate": {"text": "mean(t)", "format": "x"}}, ".annotate.format", "is not a format"),
        ({"annotate": {"text": "run", "format": ".1f"}}, ".annotate.format", "'run' is a column"),
        ({"annotate": "median(t)", "mean_over": "b"}, ".annotate", "is averaged over tasks alone"),
        ({"annotate": "mean(t)", "uncertainty": "se"}, ".annotate", "beside uncertainty: 'se'"),
        ({"annotate": "mean(t)", "text": False, "margins": True}, ".margins", "means of values"),
        ({"annotate": "scorer"}, "", ""),
    ],
)  # fmt: skip
def test_an_entry_tells_its_mistakes(keys: dict[str, Any], place: str, words: str) -> None:
    """What types do not show is told with key, wrong value and valid ones."""
    axes = {"x": "x", "y": "y", "color": "pass@1"}
    encoding = {name: keys.pop(name, column) for name, column in axes.items()}
    mistakes = entry(**{"panel": None, "encoding": encoding} | keys).mistakes()
    assert [mistake.place for mistake in mistakes] == [place] * bool(place)
    assert not place or words in mistakes[0].message
