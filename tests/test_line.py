"""Line figures: the cells of a heatmap as points on lines, each told, answered and traced."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.charts import quantity, series, spec
from heatproof.charts.colour import contrast, rgb
from heatproof.config.configuration import read
from heatproof.kinds import api, line
from heatproof.kinds.line import draw, evidence, layout, points
from heatproof.util.errors import Error
from toys import behind, sweep

LINE = {
    "name": "toy-line", "kind": "line", "source": "toy", "panel": "task",
    "encoding": {"x": "ratio", "y": "pass@1", "color": "window"},
}  # fmt: skip


def entry(**keys: Any) -> Any:
    """A line figure of the toy sweep as config.yaml would give it."""
    return msgspec.convert(LINE | keys, line.Entry)


def grid(of: Any) -> pl.DataFrame:
    """Its grid."""
    made: pl.DataFrame = api.part("line", "aggregate").aggregate(sweep().lazy(), of)
    return made


def drawn(of: Any, cells: pl.DataFrame | None = None) -> dict[str, Any]:
    """Its spec."""
    chart = draw.draw(grid(of) if cells is None else cells, of)
    made: dict[str, Any] = json.loads(spec.text(chart, {"reconstructed": False}))
    return made


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, []),
        ({"encoding": {"x": "ratio", "y": "pass@1", "color": "ratio"}},
         [".encoding.color: 'ratio' is encoding.x already"]),
        ({"panel": "ratio"}, [".panel: 'ratio' is encoding.x already"]),
        ({"domain": [1, 0]}, [".domain: [1.0, 0.0] is not [lowest, highest]"]),
        ({"domain": [0, 9], "y_scale": "log"},
         [".domain: [0.0, 9.0] begins at 0 or below, where y_scale: log ends"]),
        ({"columns": 0}, [".columns: 0 is not 1 or more"]),
        ({"columns": 2, "panel": None},
         [".columns: there is one panel; `panel` names the column that makes more"]),
        ({"errors": "bars", "uncertainty": "none"},
         [".errors: 'bars' asks for what `uncertainty: none` leaves out"]),
        ({"encoding": {"x": "ratio", "y": "median(tokens)"}}, []),
        ({"encoding": {"x": "ratio", "y": "median(tokens)"}, "uncertainty": "se"},
         [".uncertainty: 'se' is known of means, not of median(tokens): take it out"]),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_the_keys_of_a_line(keys: dict[str, Any], said: list[str]) -> None:
    """What a heatmap says of its keys is said of those of the same columns here."""
    assert entry(**keys).mistakes() == said


def test_columns_and_scales_that_do_not_go_together_stop_the_run() -> None:
    """A column that is not there with its key, and a log axis of names, before any job."""
    logs = {
        "format": "jsonl",
        "logs": "x/*.jsonl",
        "fields": {"sample_id": "i"},
        "params": {"prompt": "str"},
    }
    wrong = LINE | {"panel": None, "encoding": {"x": "prompt", "y": "pass@1", "color": "modle"}}
    wrong = {key: value for key, value in wrong.items() if key != "name" and value}
    with pytest.raises(Error) as told:
        read({"sources": {"toy": logs}, "figures": {"f": wrong | {"x_scale": "log"}}})
    assert "figures.f.encoding.color: 'modle' is not a column of source 'toy'" in str(told.value)
    assert (
        "figures.f.x_scale: 'log' is for numbers, and 'prompt' holds names; there is ordinal"
    ) in str(told.value)


def test_numbers_along_x_are_not_sorted() -> None:
    """Their places are their sizes, unless they are taken as names."""
    types = {"ratio": "float"}
    (said,) = entry(sort={"ratio": [0.2, 0.1]}).mistyped(types)
    assert said.endswith(
        ": numbers lie along x as large as they are; `x_scale: ordinal` sorts them"
    )
    ordinal = entry(sort={"ratio": "descending"}, x_scale="ordinal")
    assert ordinal.mistyped(types) == []
    assert [*points.points(grid(ordinal), ordinal).x] == [0.3, 0.2, 0.1]


def test_a_log_axis_holds_no_zero() -> None:
    """The value and where it lies are named."""
    of = entry(y_scale="log")
    cells = grid(of).with_columns(pl.lit(0.0).alias("value"))
    with pytest.raises(Error, match=r"f.*\.y_scale: 0\.0 \(x 0\.1, 5\) has no place on a log axis"):
        draw.draw(cells, of)
    none = grid(of).with_columns(x=pl.col("x") - 0.1)
    with pytest.raises(Error, match=r"x_scale: ratio=0.0 has no place on a log axis"):
        draw.draw(none, entry(x_scale="log"))


def test_gaps_are_not_bridged() -> None:
    """A point without a value parts its line, and a cross at the foot says that there is none."""
    of = entry(panel=None, where={"task": "<a>"})
    cells = grid(of).with_columns(
        *(pl.when(pl.col("x") != 0.2).then(pl.col(n)).alias(n) for n in ("value", "low", "high")),
        gap=pl.when(pl.col("x") == 0.2).then(pl.lit("no data")),
    )
    found = points.points(cells, of)
    (rows,) = found.panels.values()
    told = [(row["line"], row["at"], row["segment"], row["alone"]) for row in rows]
    assert [segment for *_, segment, _ in told] == [1, 2, 3, 4, 5, 6]
    assert all(alone for *_, alone in told)
    made = drawn(of, cells)
    assert "band: " in json.dumps(made, ensure_ascii=False)
    assert "×: no data" in json.dumps(made, ensure_ascii=False)
    assert "1 without a value" in made["description"]


def test_what_is_not_finished_is_hollow_and_told() -> None:
    """Run (window 5, ratio 0.3) of the first task lacks a problem."""
    rows = drawn(entry())["datasets"]["points <a>"]
    assert [(r["line"], r["x"]) for r in rows if r["incomplete"]] == [("5", "0.3")]


@pytest.mark.parametrize("uncertainty", ["interval", "se", "none"])
def test_what_is_drawn_around_points_is_of_the_grid(uncertainty: str) -> None:
    """The interval, a standard error to each side, or nothing."""
    of = entry(uncertainty=uncertainty)
    (first, *_), row = points.points(grid(of), of).panels.values(), grid(of).row(0, named=True)
    ends = {
        "interval": (row["low"], row["high"]),
        "se": (row["value"] - row["se"], row["value"] + row["se"]),
        "none": (None, None),
    }[uncertainty]
    wanted = [None if end is None else pytest.approx(100 * end) for end in ends]
    assert [first[0]["lower"], first[0]["upper"]] == wanted


def test_every_point_answers_where_it_is_drawn() -> None:
    """Boxes of points at one place share its height: none is hidden by another."""
    of, cells = entry(), grid(entry())
    story = evidence.story(behind([sweep().lazy()], of, cells), of, cells)
    shown = points.points(cells, of)
    plan = layout.layout(shown, of)
    for label, rows in shown.panels.items():
        boxes = [story["places"][row["cell"]] for row in rows]
        for row, (left, top, wide, high) in zip(rows, boxes, strict=True):
            assert left <= plan.place(row) <= left + wide
            if not row["missing"]:
                down = plan.panel[1] - plan.y[label].place(row["value"])
                assert top - 2 <= down <= top + high + 2
        for (a, b, c, d), (e, f, g, h) in combinations(boxes, 2):
            apart = a + c <= e or e + g <= a or b + d <= f + 0.02 or f + h <= b + 0.02
            assert apart


def test_names_stand_beside_the_ends_of_lines_where_there_is_room() -> None:
    """Of one panel whose lines all reach its right end; else they stand above."""
    one = {"panel": None, "where": {"task": "<a>"}}
    for keys, beside in ((one, True), (one | {"legend": True}, False), ({}, False)):
        of = entry(**keys)
        plan = layout.layout(points.points(grid(of), of), of)
        assert (plan.named, bool(plan.legend.rows)) == (beside, not beside)
        names = [row["name"] for row in drawn(of)["datasets"]["ends" if beside else "legend"]]
        assert {*names} == {"Window 5", "Window 10"}
    of = entry(legend=False)
    plan = layout.layout(points.points(grid(of), of), of)
    assert (plan.named, plan.legend.rows) == (False, [])


@pytest.mark.parametrize("places", [[5, 5, 5], [1, 2, 30], [0, 0, 29, 30], [3.0], []])
def test_names_are_spread_out_in_their_order(places: list[float]) -> None:
    """Apart as asked, within the ends, and moved no further than they must be."""
    found = series.spread_out(places, 4.0, 0.0, 30.0)
    order = sorted(range(len(places)), key=lambda n: (places[n], n))
    ranked = [found[n] for n in order]
    assert all(b - a >= 4 - 1e-9 for a, b in pairwise(ranked))
    assert all(0 <= place <= 30 for place in found)
    if places == [1, 2, 30]:
        assert found == [0.0, 4.0, 30.0]


def test_lines_are_told_apart_by_colour_shape_and_dash() -> None:
    """24 of them by shape and colour; colours 3 : 1 on white, also for red-green blindness apart."""
    styles = series.styles([str(n) for n in range(24)])
    assert len({(one.colour, one.shape) for one in styles.values()}) == 24
    for one in styles.values():
        assert contrast(one.colour, "#ffffff") >= 3
        assert contrast(one.ink, "#ffffff") >= 4.5
    # Machado et al. 2009, severity 1, linear RGB: deutan and protan.
    for matrix in (
        ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
        ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ):  # fmt: skip
        seen = [_seen(colour, matrix) for colour in series.COLOURS]
        assert min(_distance(a, b) for a, b in combinations(seen, 2)) > 13


def _seen(colour: str, matrix: Any) -> tuple[float, ...]:
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb(colour)]
    return tuple(
        min(max(sum(m * c for m, c in zip(row, linear, strict=True)), 0), 1) for row in matrix
    )


def _distance(one: Any, other: Any) -> float:
    """CIE76 in CIELAB, D65."""

    def lab(rgb: Any) -> list[float]:
        r, g, b = rgb
        xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
               0.2126 * r + 0.7152 * g + 0.0722 * b,
               (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)  # fmt: skip
        x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
        return [116 * y - 16, 500 * (x - y), 200 * (y - z)]

    return float(sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5)


def test_ticks_that_are_drawn_are_those_that_are_asked_for() -> None:
    """Vega leaves out every other of many, unless it is told how many there are."""
    axis = quantity.upward((16.0, 78.0), 186.0, log=False)
    assert axis.axis().to_dict()["tickCount"] == len(axis.ticks) == 6
    names = {1.0: "one", 1.5: "a long name", 10.0: "ten"}
    assert quantity.at_values((0.0, 11.0), 60.0, False, names).labels == ["one", "ten"]
    assert quantity.at_values((1.0, 10.0), 60.0, True, {1.0: "1", 10.0: "10"}).place(10.0) == 60.0


@pytest.mark.parametrize("largest", [1_000, 1_000_000_000])
def test_the_last_label_of_x_stays_in_the_figure(largest: int) -> None:
    """A long number below the last point of the last panel takes room from the panels."""
    rows = sweep()
    last = pl.col("window") == rows["window"].max()
    rows = rows.with_columns(window=pl.when(last).then(largest).otherwise("window"))
    own = entry(encoding={"x": "window", "y": "pass@1", "color": "ratio"})
    cells = api.part("line", "aggregate").aggregate(rows.lazy(), own)
    made = layout.layout(points.points(cells, own), own)
    reach = made.left + made.columns * made.panel[0] + (made.columns - 1) * made.gap
    assert isinstance(made.x, quantity.Quantity)
    assert reach + made.x.overhang <= made.width
