"""Scatters: cost against score, the front that no other beats, and names that lie on nothing."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import polars as pl
import pytest

from heatproof.charts.lettering import text_width
from heatproof.kinds import api, scatter
from heatproof.kinds.scatter import HALF, Spot, doubtful, points_of, unbeaten
from heatproof.util.errors import Error
from support.views import draw, entry, grid
from toys import sweep, words

COSTS = {"x_value": [3.0, 1.0, 2.0, 2.0, 5.0, 4.0], "value": [0.2, 0.1, 0.5, 0.5, 0.4, 0.9]}
ON = [False, True, True, True, False, True]
"""Of these the points that no other beats: the third and the fourth are the same."""
ONE: dict[str, Any] = {"panel": None, "where": {"task": "<a>"}}


def spot(x: float, y: float, around: float = 0.0) -> Spot:
    """A point with intervals of the same width in both."""
    return Spot(x, y, x - around, x + around, y - around, y + around)


def priced(figure: Any) -> pl.DataFrame:
    """The grid of one task with costs and scores of our own, half a unit around."""
    cells = grid(figure).with_columns(*(pl.Series(name, those) for name, those in COSTS.items()))
    around = {f"{x}{end}": pl.col(f"{x}value") + sign * 0.05 for x in ("x_", "")
              for end, sign in (("low", -1), ("high", 1))}  # fmt: skip
    return cells.with_columns(**around)


def test_the_front_is_what_no_other_beats() -> None:
    """Ties are all on it; by the definition, over every pair."""
    rng = random.Random(3)
    for _ in range(50):
        spots = [spot(rng.randrange(5), rng.randrange(5)) for _ in range(8)]
        for one, on in zip(spots, unbeaten(spots), strict=True):
            better = [
                o for o in spots if o.x <= one.x and o.y >= one.y and (o.x, o.y) != (one.x, one.y)
            ]
            assert on == (not better)
    same = [spot(*at) for at in zip(*COSTS.values(), strict=True)]
    assert unbeaten(same) == ON


def test_beaten_within_intervals_is_not_beaten_beyond_doubt() -> None:
    """Only where the whole interval of another is better in both."""
    far, near = spot(1, 5, 0.5), spot(1.5, 4.5, 0.5)
    assert doubtful([far, near, spot(9, 1, 0.5)]) == [True, True, False]
    assert unbeaten([far, near]) == [True, False]


@pytest.mark.parametrize(("front", "best"), [("lowest", "highest"), ("highest", "lowest")])
def test_good_ends_are_the_users(front: str, best: str) -> None:
    """Lowest cost and highest score by default; turned, the same points turned are on the front."""
    figure = entry("scatter", **ONE, front=front, best=best)
    sign = 1 if front == "lowest" else -1
    cells = priced(figure).with_columns(
        x_value=sign * pl.col("x_value"), value=sign * pl.col("value")
    )
    turned = cells.with_columns(x_low=None, x_high=None, low=None, high=None)
    rows = points_of(
        turned.cast({"x_low": float, "x_high": float, "low": float, "high": float}), figure
    ).rows
    assert [row["front"] for row in rows] == ON
    none = entry("scatter", **ONE, front="none")
    assert not any(row["front"] for row in points_of(priced(none), none).rows)
    assert "front" not in draw(none, priced(none))["description"]


def test_both_numbers_of_a_point_are_told_and_counted_anew() -> None:
    """On the page, in the table, in CSV and LaTeX; a wrong cost is seen."""
    figure, cells = entry("scatter"), grid(entry("scatter"))
    trace = api.kind("scatter")
    wrong = cells.with_columns(x_value=pl.col("x_value") + 0.5)
    rows = [
        cell for cell, *_, agrees in trace.recounted(sweep().lazy(), wrong, figure) if not agrees
    ]
    assert rows
    assert all(cell.endswith(": mean(score)") for cell in rows)
    cell = {"task": "<a>", "ratio": "0.1", "window": "5"}
    records = trace.behind(sweep().lazy(), cells, figure, cell)
    assert records.agrees
    assert records.beside.startswith("mean(score) = ")
    assert not trace.behind(sweep().lazy(), wrong, figure, cell).agrees
    story = words([sweep().lazy()], figure, cells)
    assert len(story["facts"]) == len(story["cells"][0]["facts"])
    assert story["facts"][-2] == "Mean score (%)"
    table = scatter.table(cells, figure)
    assert len(table.columns) == len(table.rows[0].cells)
    assert "Mean score" in api.kind("scatter").latex(cells, figure)
    assert scatter.csv(cells, figure).splitlines()[0].endswith("x_samples,x_epochs,x_gap")


def test_names_lie_on_no_other_name_and_on_no_point() -> None:
    """Wherever the points are; what has no place is left out, and that is told."""
    rng = random.Random(1)
    figure = entry("scatter", **ONE)
    points = points_of(priced(figure), figure)
    layout = scatter.lay_out(points, figure)
    (xs, ys), none = (layout.x.domain, layout.y.domain), dict.fromkeys(("lower", "upper"))
    none |= dict.fromkeys(("left_end", "right_end"))
    rows = [
        points.rows[0] | none
        | {"cost": rng.uniform(*xs), "value": rng.uniform(*ys), "name": f"model-{n}", "cell": n}
        for n in range(25)
    ]  # fmt: skip
    placed = scatter.placed_rows(rows, layout)
    names = scatter.name_rows(placed, layout)
    wide = text_width("model-1", 8)
    boxes = [(n["px"], n["py"] - HALF + 1, n["px"] + wide, n["py"] + HALF - 1) for n in names]
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for left, top, right, foot in boxes:
        places = map(layout.place, placed)
        assert not any(left < x < right and top < y < foot for x, y in places)
    crowd = [row | {"cost": xs[0], "value": ys[0]} for row in placed]
    assert 0 < len(scatter.name_rows(crowd, layout)) < 25
    long = {
        "ratio": {"0.1": "a name far too long for any panel that a page can hold, however wide"}
    }
    figure = entry("scatter", **ONE, width="2in", names=long)
    assert "the names of 2 points" in draw(figure, priced(figure))["usermeta"]["omitted"][0]


def test_both_metrics_are_measured() -> None:
    """Under the keys of a scatter; a log axis refuses what it cannot hold."""
    figure = entry("scatter", encoding={"x": "mean(tokens)", "y": "pass@1", "label": "window"})
    assert figure.measured() == {"encoding.y": "score", "encoding.x": "tokens"}
    assert figure.used() == {"encoding.label": "window", "panel": "task"}
    log = entry("scatter", **ONE, x_scale="log")
    cells = priced(log).with_columns(x_value=pl.col("x_value") - 1)
    with pytest.raises(Error, match=r"x_scale: 0.* has no place on a log axis; there is linear"):
        points_of(cells, log)
