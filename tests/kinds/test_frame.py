"""Kinds that show the cells of a heatmap otherwise, and the page that shows all kinds."""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof import kinds
from heatproof import page as gallery
from heatproof.config import configuration, schema
from heatproof.export import drawing, export
from heatproof.kinds import api, states
from heatproof.provenance import diff
from heatproof.util import registry
from heatproof.util.errors import Error
from support.guide import config
from support.toys import behind, sweep
from support.views import ENTRIES, draw, entry, grid

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
    heatmap = api.read(block | {"uncertainty": figure.question.uncertainty})
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


@pytest.mark.parametrize("kind", [*VIEWS, "dumbbell"])
def test_every_cell_opens_where_it_is_drawn(kind: str) -> None:
    """Each has a box in its panel, none lies on another's, and the tooltip has the same box."""
    figure = entry("forest", form="dumbbell") if kind == "dumbbell" else entry(kind)
    cells = grid(figure)
    chart = draw(figure, cells)
    svg = export.svg(drawing.draw(chart))
    records = behind([sweep().lazy()], figure, cells)
    story = gallery.text_of_figure(records, api.FigureTexts(cells, figure), chart, svg, ["a.svg"])[
        "story"
    ]
    assert len(story["places"]) == len(story["cells"]) == len(cells)
    assert len(story["boxes"]) == 2
    hidden = [n for n, (_, _, wide, _) in enumerate(story["places"]) if not wide]
    assert all(cells["gap"][n] == states.NOTHING for n in hidden)
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


@pytest.mark.parametrize("data", [b"", b"x", b"PAR1xxxxPAR1", None])
def test_a_damaged_grid_is_named(data: bytes | None, tmp_path: Path) -> None:
    """Whatever lies in its place; a table without a record is none of ours."""
    for build in ("before", "after"):
        folder = tmp_path / build / "grids"
        folder.mkdir(parents=True)
        if data is None:
            pl.DataFrame({"value": [1.0]}).write_parquet(folder / "mine.parquet")
        else:
            (folder / "mine.parquet").write_bytes(data)
    with pytest.raises(
        Error, match=r"mine\.parquet: damaged: it is no longer a grid: call `heatproof run`"
    ):
        diff.compared(tmp_path / "before", tmp_path / "after")


PROJECT = Path(__file__).parent.parent.parent
DOCS = PROJECT / "docs"


def test_the_blocks_of_the_page_are_a_valid_config() -> None:
    """Each of its figures passes the checks of config.yaml."""
    assert set(configuration.read(config()).figures) == set(config()["figures"])


def test_every_figure_of_the_page_has_its_picture() -> None:
    """Each block is followed by what it draws, and no other picture lies there."""
    pictures = re.findall(
        r"!\[[^\]]+\]\(figures/([\w-]+)\.png\)", (DOCS / "figures.md").read_text()
    )
    assert pictures == list(config()["figures"])
    assert sorted(path.stem for path in (DOCS / "figures").iterdir()) == sorted(pictures)


@pytest.mark.parametrize("kind", registry.names(kinds))
def test_every_key_of_a_figure_is_on_the_page(kind: str) -> None:
    """In a block, or named in the text."""
    page = (DOCS / "figures.md").read_text()
    entry = registry.load(kinds, kind).Entry
    keys = {field.encode_name for field in msgspec.structs.fields(entry)} - {"name", *schema.FILLED}
    written = {key for figure in config()["figures"].values() for key in figure}
    assert [key for key in sorted(keys - written) if f"`{key}" not in page] == []
