"""What holds of every heatmap that is drawn, whatever is shown and however it is laid out."""

import json
import random
import re
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.config import venues
from heatproof.export import drawing
from heatproof.kinds import api
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap.layout import NARROWEST
from heatproof.kinds.lattice import Lattice
from heatproof.util.errors import Error
from support import lettered
from support.heatmaps import (
    TASKS,
    checked,
    entry,
    grid,
    judged,
    panels,
    placed,
    rows,
    spec,
)  # fmt: skip
from support.quick import slow_but
from support.tasks import entry as of_tasks
from support.tasks import samples

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
    along, up = pick([1, 2, 3, 5, 8, 12, 20]), pick([1, 2, 3, 4, 7, 12])
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


@pytest.mark.parametrize("seed", slow_but(range(6), [0, 1]))
def test_no_text_stands_on_another_or_off_the_page(seed: int) -> None:
    """Nor is a figure wider than a page, or in smaller type than 6 pt."""
    svg = anything(seed)
    assert lettered.collisions(svg) == []
    assert lettered.page(svg)[0] <= 7 * 72
    assert min(map(float, re.findall(r'size="([\d.]+)px', svg))) >= 6


@pytest.mark.parametrize(
    ("frame", "keys"),
    [
        (grid(["a"], [0.1], [500], lambda *_: 0.5), {}),
        (grid(["a", "b"], of=lambda *_: 0.5), {"scale": "shared", "margins": True}),
        (grid(["a", "b"], of=lambda task, *_: 0.5 if task == "a" else None), {}),
        (grid(["a"], of=lambda *_: None), {}),
        (grid([*"abc"], windows=[5, 6], of=lambda _, y, x: x * y - 2), {"percent": False}),
        (grid(["a"], range(35), range(20), lambda _, y, x: x * y / 35**2), {"width": "single"}),
        (grid(["a"], ["a long name of a method", "b"], ["y" * 60], lambda *_: 0.1), {}),
    ],
)
def test_hard_grids_are_valid_and_no_wider_than_asked(frame: pl.DataFrame, keys: Any) -> None:
    """One cell, equal, missing, negative, many and long-named ones: none breaks page or schema."""
    width, _ = drawing.draw(checked(frame, **keys)).size
    assert NARROWEST <= width <= venues.width(keys.get("width", ""))


@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize(
    ("width", "frame"),
    [("1in", judged()), ("single", grid(TASKS[:1])), ("acl-full", grid(TASKS))],
)
def test_a_figure_is_as_wide_as_it_is_asked_to_be(
    width: str, frame: pl.DataFrame, margins: bool
) -> None:
    """Down to an inch, to the pt: cells fill it, and one panel is no higher than a page."""
    wide, high = drawing.draw(spec(frame, width=width, title="", margins=margins)).size
    assert wide == venues.width(width)
    assert width == "acl-full" or high < venues.height("", width)


def test_what_does_not_fit_its_width_is_refused_with_the_width_that_it_takes() -> None:
    """Not drawn wider in silence."""
    venues.require_fit(144.0, "figures.f", "2in")
    with pytest.raises(Error, match=r"^config.yaml: figures.f.width: '2in' is too narrow .* 2.7in"):
        venues.require_fit(192.0, "figures.f", "2in")


# ------------------------------------------------------------------------------------------ marks

RISING = pl.col("value").rank("ordinal").over("task")


@pytest.mark.parametrize(("tied", "dots"), [(RISING > 9, 10), (RISING > 19, 0), (RISING > 0, 0)])
def test_a_dot_is_on_each_cell_that_ties_with_the_best(tied: pl.Expr, dots: int) -> None:
    """However many these are; none where all tie. LaTeX has one for each."""
    frame = grid(TASKS[:1]).with_columns(tied=tied)
    assert sum(row["dotted"] for row in rows(spec(frame), "cells AIME24")) == dots
    latex = api.kind("heatmap").latex(frame, entry())
    assert latex.count(r"\rlap{$^{\bullet}$}") == dots


# -------------------------------------------------------------------------------- panels and blocks


TRIED = [
    {"model": model, "task": task, "b": b, "scorer": scorer, "sample_id": str(n)}
    | {"score": float(n * (b + m + 1) % (t + 3) < 2), "run": f"{model} {task} {b}"}
    for m, model in enumerate(("m1", "m2"))
    for t, task in enumerate(("t1", "t2", "t3"))
    for b, scorer, n in product((1, 2), "su", range(8))
    if (model, task) != ("m2", "t3")
]
"""2 models × 3 tasks, of which m2 has not run t3, × 2 settings `b` × 2 scorers."""


@pytest.mark.parametrize(
    ("axes", "keys"),
    [
        ((["task", "b"], "scorer"), {"where": {"model": "m1"}}),
        ((["model", "task", "b"], "scorer"), {}),
        ((["task", "b"], ["model", "scorer"]), {}),
        (("b", "scorer"), {"row": "model", "column": "task"}),
    ],
)
def test_a_block_is_judged_as_a_panel_of_its_own(axes: Any, keys: dict[str, Any]) -> None:
    """Value, interval, best and tied set are those of a figure of the block alone."""
    frame = grids.aggregate(samples(TRIED), of_tasks(*axes, **keys)).drop_nulls("value")
    columns = ["x", "y", "value", "samples", "se", "low", "high", "best", "tied", "chance_p"]
    names = [name for name in ("model", "task") if name in frame.columns]
    for block in frame.partition_by(names):
        where = {"model": "m1"} | block.select(names).row(0, named=True)
        alone = grids.aggregate(samples(TRIED), of_tasks("b", "scorer", where=where))
        assert block.select(columns).equals(alone.select(columns), null_equal=True)


SPANS = [(10.0 * n, 10.0 * n + 9) for n in range(5)]
"""Cells of 9 pt with 1 pt of white between them."""
Line = tuple[float, ...]
sets = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25)


def lines(cells: set[tuple[int, int]], inset: float) -> list[Line]:
    """Left, top, right and foot of each line."""
    path = Lattice(((), ()), (SPANS, SPANS)).outline(cells, inset)
    number = r"(-?[\d.]+)"
    ends = re.findall(f"M{number},{number}L{number},{number}", path)
    corners = [tuple(map(float, end)) for end in ends]
    return [(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in corners]


def crossed(line: Line, x: float, y: float, x2: float, y2: float) -> bool:
    """Whether a level or upright way crosses a line."""
    left, top, right, foot = line
    if y == y2:
        return left == right and min(x, x2) < left < max(x, x2) and top <= y <= foot
    return top == foot and min(y, y2) < top < max(y, y2) and left <= x <= right


@settings(max_examples=60)
@given(sets, st.sampled_from([0.7, 1.0, -0.4]))
def test_a_border_parts_what_is_inside_from_what_is_not(
    inside: set[tuple[int, int]], inset: float
) -> None:
    """From each cell to its neighbours; and each line ends on another, so that no corner is open."""
    border = lines(inside, inset)
    for x, y in product(range(-1, 6), repeat=2):
        for x2, y2 in ((x + 1, y), (x, y + 1)):
            way = (10 * x + 4.5, 10 * y + 4.5, 10 * x2 + 4.5, 10 * y2 + 4.5)
            parted = ((x, y) in inside) != ((x2, y2) in inside)
            assert sum(crossed(line, *way) for line in border) == parted
    for left, top, right, foot in border:
        for x, y in ((left, top), (right, foot)):
            near = [(a - 1e-6 <= x <= c + 1e-6) and (b - 1e-6 <= y <= d + 1e-6)
                    for a, b, c, d in border]  # fmt: skip
            assert sum(near) > 1


@pytest.mark.parametrize(
    ("changes", "keys", "ends"),
    [
        ({}, {}, [20.75 - 14.7, 20.75 + 14.7]),
        ({"chance_high": 0.7}, {}, [0, 100]),  # no share is beyond
        ({"chance_high": 0.01}, {}, [18.5, 23]),
        ({"chance_high": 0.5, "chance_p": None}, {}, [18.5, 23]),
        ({"tied": False, "separated": 11}, {}, [18.5, 23]),
        ({}, {"color_scale": {"type": "log"}}, [18.5, 23]),
        ({}, {"color_scale": {"clip": [0, 100]}}, [18.5, 23]),
        ({}, {"domain": [10, 30]}, [10, 30]),
    ],
)
def test_colours_of_what_cannot_be_told_apart_are_near_to_each_other(
    changes: dict[str, Any], keys: dict[str, Any], ends: list[float]
) -> None:
    """Unless the user says where they end; the caption has why the bar is longer."""
    frame = judged(**changes)
    (panel,) = panels(spec(frame, **keys))
    domain = placed(panel)["color"]["scale"]["domain"]
    assert [domain[0], domain[-1]] == pytest.approx(ends)
    why = "colours span twice the spread of equal settings"
    widened = ends[1] - ends[0] > 4.5 and not keys
    assert (why in " ".join(api.kind("heatmap").caption(frame, entry(**keys)))) == widened


def test_long_numbers_are_printed_short_along_both_axes() -> None:
    """Sizes of a computer by 1024, and steps of ten with exponents: as papers write them."""
    chart = spec(grid(TASKS[:1], [1e-5, 1e-4, 1e-3], [8192, 32768, 131072]))
    across = spec(grid(TASKS[:1], [8192, 32768, 131072], [0.5]))
    texts = {text.text for text in lettered.texts(drawing.draw(chart).svg)}
    assert {"8k", "32k", "128k", "1e−5", "1e−4", "1e−3"} <= texts
    assert {"8k", "32k", "128k"} <= {t.text for t in lettered.texts(drawing.draw(across).svg)}


@pytest.mark.parametrize("width", ["single", "4in", "double"])
def test_a_word_over_a_panel_is_not_broken(width: str) -> None:
    """Where the title of the bar leaves it no room, it stands above that."""
    chart = spec(grid(TASKS), width=width, text=False)
    drawn_texts = {text.text for text in lettered.texts(drawing.draw(chart).svg)}
    assert {*TASKS} <= drawn_texts


def test_titles_of_axes_and_of_the_bar_can_be_left_out() -> None:
    """What is read out keeps their names."""
    labels = {"ratio": "", "local_window": "", "pass@1": ""}
    chart = spec(grid(TASKS[:1]), labels=labels)
    drawn_texts = {text.text for text in lettered.texts(drawing.draw(chart).svg)}
    assert not drawn_texts & {"Ratio", "Local Window", "Pass@1 (%)"}
    assert "Pass@1 in percent over Ratio (x) and Local Window (y)" in chart["description"]
    encoding = {"x": "ratio", "y": "local_window", "color": "pass^3"}
    assert "Pass³" in drawn(spec(grid(TASKS[:1]), encoding=encoding))
