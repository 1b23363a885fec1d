"""Kinds that show the cells of a heatmap otherwise: the same numbers, traced and opened alike."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof import kinds
from heatproof import page as gallery
from heatproof.export import drawing, export
from heatproof.kinds import api
from heatproof.util import registry
from support.toys import behind, sweep
from support.views import ENTRIES, METRIC, draw, entry, grid

VIEWS = sorted(ENTRIES)
HEATMAP = {"encoding": {"x": "ratio", "y": "window", "color": "pass@1"}, "panel": "task"}


def test_every_kind_of_one_file_is_tried_here() -> None:
    """A new one is to be listed in `support.views`."""
    assert {*ENTRIES} == {*registry.names(kinds)} - {"heatmap", "pairwise"}


@pytest.mark.parametrize("kind", VIEWS)
def test_the_grid_is_that_of_the_heatmap_with_the_same_cells(kind: str) -> None:
    """What only shapes the drawing is no part of it."""
    figure = entry(kind)
    block = {"name": "toy", "kind": "heatmap", "source": "toy", **HEATMAP}
    heatmap = api.read(block | {"uncertainty": figure.grid_uncertainty()})
    cells = api.kind("heatmap").aggregate(sweep().lazy(), heatmap)
    assert grid(figure).select(cells.columns).equals(cells)
    keys = {name: getattr(figure, name) for name in figure.__struct_fields__}
    counted = {name: value for name, value in keys.items() if name not in figure.drawing()}
    same = msgspec.convert(msgspec.to_builtins(counted), type(figure))
    assert grid(same).equals(grid(figure))
    csv = api.kind(kind).csv(grid(figure), figure)
    assert csv.startswith("task,window,ratio,value,")


@pytest.mark.parametrize("kind", VIEWS)
def test_every_number_is_counted_anew_and_traced(kind: str) -> None:
    """In fractions from the records; a wrong one is seen."""
    figure, cells = entry(kind), grid(entry(kind))
    trace = api.kind(kind)
    assert all(agrees for *_, agrees in trace.recounted(sweep().lazy(), cells, figure))
    wrong = cells.with_columns(value=pl.col("value") / 2)
    assert not all(agrees for *_, agrees in trace.recounted(sweep().lazy(), wrong, figure))
    cell = {"task": "b's", "ratio": "0.2", "window": "10"}
    records = trace.behind(sweep().lazy(), cells, figure, cell)
    assert (records.agrees, records.metric, records.epochs) == (True, "pass@1", 8)


@pytest.mark.parametrize("kind", VIEWS)
def test_every_cell_opens_where_it_is_drawn(kind: str) -> None:
    """Each has a box in its panel, none lies on another's, and the tooltip has the same box."""
    figure, cells = entry(kind), grid(entry(kind))
    chart = draw(figure, cells)
    text = gallery.figure_text(behind([sweep().lazy()], figure, cells), figure, cells)
    story = gallery.audit(text["story"], chart, export.svg(drawing.draw(chart)), ["a.svg"])
    assert len(story["places"]) == len(story["cells"]) == len(cells)
    assert len(story["boxes"]) == 2
    hidden = [n for n, (_, _, wide, _) in enumerate(story["places"]) if not wide]
    assert all(cells["gap"][n] == "no data" for n in hidden)
    half = len(cells) // 2
    for places in (story["places"][:half], story["places"][half:]):
        assert all(_apart(*pair) for pair in combinations(places, 2))
    boxes = {
        (round(row["left"], 2), round(row["top"], 2))
        for rows in chart["datasets"].values()
        for row in rows
        if "left" in row
    }
    places = {(round(left, 2), round(top, 2)) for left, top, wide, _ in story["places"] if wide}
    assert boxes == places


def _apart(box: Any, other: Any) -> bool:
    (a, b, c, d), (e, f, g, h) = box, other
    return bool(a + c <= e + 0.02 or e + g <= a + 0.02 or b + d <= f + 0.02 or f + h <= b + 0.02)


@pytest.mark.parametrize("kind", VIEWS)
def test_a_figure_is_no_wider_than_the_config_says(kind: str) -> None:
    """Its alternative text names metric and axes; footer and id can go."""
    chart = draw(entry(kind, width="single"))
    picture = export.svg(drawing.draw(chart))
    assert gallery.size(picture)[0] <= 238
    assert all(word in chart["description"] for word in ("Pass@1", "percent", "Ratio", "Window"))
    bare = export.svg(drawing.draw(draw(entry(kind, width="single", footer=False, id=False))))
    assert gallery.size(bare)[1] < gallery.size(picture)[1]
    assert b"heatproof 0" not in bare


@pytest.mark.parametrize("kind", VIEWS)
def test_mistakes_name_the_keys_of_the_kind(kind: str) -> None:
    """What a heatmap says of its keys is said of those of the same meaning here."""
    key = METRIC[kind]
    (mistake,) = entry(kind, encoding=ENTRIES[kind]["encoding"] | {key: "best"}).mistakes()
    assert mistake.sentence.startswith(f".encoding.{key}: 'best' is not a metric; there are pass@k")
    assert entry(kind).mistakes() == []
    assert entry(kind).expects()
    assert entry(kind).measured()[f"encoding.{key}"] == "score"
    (mistake,) = entry(kind, formats=[]).mistakes()
    assert mistake.sentence.startswith(".formats: names none; there are svg, ")


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("line", {"encoding": {"x": "ratio", "y": "pass@1", "color": "ratio"}}, ".encoding.color"),
    ("line", {"panel": "ratio"}, ".panel"),
    ("line", {"domain": [1, 0]}, ".domain"),
    ("line", {"domain": [0, 9], "y_scale": "log"}, ".domain"),
    ("line", {"columns": 0}, ".columns"),
    ("line", {"columns": 2, "panel": None}, ".columns"),
    ("line", {"encoding": {"x": "ratio", "y": "median(tokens)"}, "uncertainty": "se"},
     ".uncertainty"),
    ("forest", {"domain": [1, 0]}, ".domain"),
    ("forest", {"domain": [0, 1], "scale": "log"}, ".domain"),
    ("scatter", {"encoding": {"x": "cost", "y": "pass@1", "label": "window"}}, ".encoding.x"),
    ("scatter", {"x_domain": [0, 1], "x_scale": "log"}, ".x_domain"),
    ("scatter", {"best": "none"}, ".best"),
    ("table", {"palette": "viridis"}, ".palette"),
    ("table", {"color": True, "palette": "rose"}, ".palette"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "keys", "place"), MISTAKES)
def test_mistakes_are_told_at_their_key(kind: str, keys: dict[str, Any], place: str) -> None:
    """One for each, before any job."""
    (mistake,) = entry(kind, **keys).mistakes()
    assert mistake.sentence.startswith(f"{place}: ")


EXAMPLES = Path(__file__).parent.parent / "examples"


def test_a_kind_of_one_file_has_all_that_figures_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spec, caption, LaTeX, CSV, page, trace and recount."""
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(EXAMPLES)])
    encoding = {"x": "window", "y": "pass@1", "detail": "ratio"}
    block = {"name": "toy", "kind": "bar", "source": "toy", "panel": "task", "encoding": encoding}
    figure: Any = api.read(block)
    assert figure.mistakes() == []
    cells, samples = grid(figure), sweep().lazy()
    chart = draw(figure, cells)
    text = gallery.figure_text(behind([samples], figure, cells), figure, cells)
    story = gallery.audit(text["story"], chart, export.svg(drawing.draw(chart)), ["a.svg"])
    assert len(story["places"]) == len(cells) == len(text["table"]["rows"])
    assert "3–4 problems a bar" in " ".join(api.kind("bar").caption(cells, figure))
    assert api.kind("bar").latex(cells, figure).count(r"\midrule") == 2
    assert api.kind("bar").csv(cells, figure).startswith("task,window,ratio,value")
    trace = api.kind("bar")
    assert all(agrees for *_, agrees in trace.recounted(samples, cells, figure))
    assert trace.behind(
        samples, cells, figure, {"task": "<a>", "ratio": "0.1", "window": "5"}
    ).agrees
