"""Kinds that show the cells of a heatmap otherwise: the same numbers, traced and opened alike."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof import kinds
from heatproof.charts import spec
from heatproof.export import drawing, svg
from heatproof.gallery import gallery
from heatproof.kinds import api
from toys import behind, sweep

ENTRIES: dict[str, dict[str, Any]] = {
    "forest": {"encoding": {"x": "pass@1", "y": "window", "detail": "ratio"}, "panel": "task"},
    "line": {"encoding": {"x": "ratio", "y": "pass@1", "color": "window"}, "panel": "task"},
    "scatter": {
        "encoding": {"x": "mean(score)", "y": "pass@1", "label": "window", "detail": "ratio"},
        "panel": "task",
    },
    "table": {"encoding": {"x": "ratio", "y": "window", "text": "pass@1"}, "panel": "task"},
}
"""Of each kind a figure of the toy sweep."""
HEATMAP = {"encoding": {"x": "ratio", "y": "window", "color": "pass@1"}, "panel": "task"}


def entry(kind: str, **keys: Any) -> Any:
    """A figure of a kind as config.yaml would give it."""
    return api.read({"name": "toy", "kind": kind, "source": "toy"} | ENTRIES[kind] | keys)


def grid(of: Any) -> pl.DataFrame:
    """Its grid."""
    made: pl.DataFrame = api.part(of.kind, "aggregate").aggregate(sweep().lazy(), of)
    return made


def drawn(of: Any, cells: pl.DataFrame | None = None) -> dict[str, Any]:
    """Its spec."""
    chart = api.part(of.kind, "draw").draw(grid(of) if cells is None else cells, of)
    made: dict[str, Any] = json.loads(spec.text(chart, {"reconstructed": False}))
    return made


def test_every_such_kind_is_tried_here() -> None:
    """A new one is to be listed above."""
    assert {*ENTRIES} == {*kinds.VIEWS}


@pytest.mark.parametrize("kind", kinds.VIEWS)
def test_its_numbers_are_those_of_the_heatmap(kind: str) -> None:
    """The same cells under the same keys, whatever they are seen as."""
    of = entry(kind)
    keys = {"name": "toy", "kind": "heatmap", "source": "toy", **HEATMAP}
    heat = api.read(keys | {"uncertainty": of.shown_uncertainty()})
    same = api.part("heatmap", "aggregate").aggregate(sweep().lazy(), heat)
    assert grid(of).select(same.columns).equals(same)
    head = api.part(kind, "numbers").csv(grid(of), of).splitlines()[0]
    assert head.startswith("task,window,ratio,value,")
    assert of.expects()
    assert of.measured()[f"encoding.{of.keys()['color']}"] == "score"


@pytest.mark.parametrize("kind", kinds.VIEWS)
def test_every_number_is_counted_anew_and_traced_by_its_keys(kind: str) -> None:
    """As `verify` and `trace` do it, in fractions from the records; a wrong one is seen."""
    of, cells = entry(kind), grid(entry(kind))
    trace = api.part(kind, "trace")
    assert all(agrees for *_, agrees in trace.recounted(sweep().lazy(), cells, of))
    wanted = {"task": "b's", "ratio": "0.2", "window": "10"}
    found = trace.behind(sweep().lazy(), cells, of, wanted)
    assert (found.agrees, found.metric, found.epochs) == (True, "pass@1", 8)
    wrong = cells.with_columns(value=pl.col("value") / 2)
    assert not all(agrees for *_, agrees in trace.recounted(sweep().lazy(), wrong, of))


@pytest.mark.parametrize("kind", kinds.VIEWS)
def test_every_cell_opens_where_it_is_drawn(kind: str) -> None:
    """Each has a box in its panel, none lies on another's, and the tooltip has the same box."""
    of, cells = entry(kind), grid(entry(kind))
    made = drawn(of, cells)
    text = gallery.figure_text(behind([sweep().lazy()], of, cells), of, cells)
    told = gallery.audit(text["story"], made, svg.write(drawing.draw(made)), ["a.svg"])
    assert len(told["places"]) == len(told["cells"]) == len(cells)
    assert len(told["boxes"]) == 2
    hidden = [n for n, (_, _, wide, _) in enumerate(told["places"]) if not wide]
    assert all(cells["gap"][n] == "no data" for n in hidden)
    each = len(cells) // 2
    for places in (told["places"][:each], told["places"][each:]):
        for (a, b, c, d), (e, f, g, h) in combinations(places, 2):
            apart = a + c <= e + 0.02 or e + g <= a + 0.02 or b + d <= f + 0.02 or f + h <= b + 0.02
            assert apart
    boxes = {
        (round(row["left"], 2), round(row["top"], 2))
        for rows in made["datasets"].values()
        for row in rows
        if "left" in row
    }
    shown = {(round(left, 2), round(top, 2)) for left, top, wide, _ in told["places"] if wide}
    assert boxes == shown


@pytest.mark.parametrize("kind", kinds.VIEWS)
def test_it_is_no_wider_than_asked_and_tells_what_it_shows(kind: str) -> None:
    """Its text for those who cannot see it names the metric and the axes; footer and id can go."""
    made = drawn(entry(kind, width="single"))
    picture = svg.write(drawing.draw(made))
    assert gallery.size(picture)[0] <= 238
    assert all(word in made["description"] for word in ("Pass@1", "percent", "Ratio", "Window"))
    bare = svg.write(drawing.draw(drawn(entry(kind, width="single", footer=False, id=False))))
    assert gallery.size(bare)[1] < gallery.size(picture)[1]
    assert b"heatproof 0" not in bare


@pytest.mark.parametrize("kind", kinds.VIEWS)
def test_mistakes_have_its_own_keys(kind: str) -> None:
    """What a heatmap says of its keys is said of those of the same meaning here."""
    place = entry(kind).keys()["color"]
    encoding = ENTRIES[kind]["encoding"]
    (said,) = entry(kind, encoding=encoding | {place: "best"}).mistakes()
    assert said.startswith(f".encoding.{place}: 'best' is not a metric; there are pass@k")
    assert entry(kind).mistakes() == []
    (said,) = entry(kind, formats=[]).mistakes()
    assert said.startswith(".formats: names none; there are svg, ")


@pytest.mark.parametrize("kind", kinds.VIEWS)
def test_its_caption_tells_what_it_shows(kind: str) -> None:
    """What, of how many problems, what is missing; and the table in LaTeX has every number."""
    of, cells = entry(kind), grid(entry(kind))
    said = " ".join(api.part(kind, "caption").caption(cells, of))
    assert "a panel for each task" in said
    assert "3–4 problems a " in said
    latex = api.part(kind, "numbers").latex(cells, of)
    assert latex.count(r"\midrule") == 2
    assert latex.count(r" \\") >= 6


@pytest.mark.parametrize("kind", kinds.VIEWS)
def test_what_only_shapes_it_is_no_part_of_its_grid(kind: str) -> None:
    """Another look counts nothing anew; all that the grid hangs on is left to it."""
    of = entry(kind)
    counted = {*of.__struct_fields__} - of.drawing()
    grid_of = {"name", "kind", "source", "where", "uncertainty", "encoding", "panel", "mean_over",
               "pool", "family", "best", "sort", "verdict", "ranges"}  # fmt: skip
    assert counted <= grid_of
    assert counted >= grid_of - {"verdict"}
    bare = {key: getattr(of, key) for key in counted}
    assert grid(msgspec.convert(msgspec.to_builtins(bare), type(of))).equals(grid(of))
