"""Line figures: points on lines, gaps, errors, and names beside the ends."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from heatproof.charts import quantity
from heatproof.config.configuration import read
from heatproof.kinds import api, line
from heatproof.util.errors import Error
from support.views import draw, entry, grid
from toys import sweep

ALONE: dict[str, Any] = {"panel": None, "where": {"task": "<a>"}}


def test_columns_and_scales_that_do_not_go_together_stop_the_run() -> None:
    """A column that is not there with its key, and a log axis of names, before any job."""
    logs = {
        "format": "jsonl", "logs": "x/*.jsonl", "fields": {"sample_id": "i"},
        "params": {"prompt": "str"},
    }  # fmt: skip
    encoding = {"x": "prompt", "y": "pass@1", "color": "modle"}
    figure = {"kind": "line", "source": "toy", "encoding": encoding, "x_scale": "log"}
    with pytest.raises(Error) as error:
        read({"sources": {"toy": logs}, "figures": {"f": figure}})
    assert "figures.f.encoding.color: 'modle' is not a column" in str(error.value)
    assert "figures.f.x_scale: 'log' is for numbers" in str(error.value)


def test_numbers_along_x_are_sorted_only_as_names() -> None:
    """Else their places are their sizes."""
    types: Any = {"ratio": "float"}
    (mistake,) = entry("line", sort={"ratio": [0.2, 0.1]}).mistyped(types)
    assert mistake.place == ".sort.ratio"
    ordinal = entry("line", sort={"ratio": "descending"}, x_scale="ordinal")
    assert ordinal.mistyped(types) == []
    assert [*line.points_of(grid(ordinal), ordinal).x] == [0.3, 0.2, 0.1]


def test_a_log_axis_holds_no_zero() -> None:
    """The value and where it lies are named."""
    figure = entry("line", y_scale="log")
    with pytest.raises(Error, match=r"\.y_scale: 0\.0 \(x 0\.1, 5\) has no place on a log axis"):
        draw(figure, grid(figure).with_columns(value=pl.lit(0.0)))
    with pytest.raises(Error, match=r"\.x_scale: ratio=0.0 has no place on a log axis"):
        draw(entry("line", x_scale="log"), grid(figure).with_columns(x=pl.col("x") - 0.1))


@pytest.mark.parametrize("uncertainty", ["interval", "se", "none"])
def test_what_is_drawn_around_points_is_of_the_grid(uncertainty: str) -> None:
    """The interval, a standard error to each side, or nothing."""
    figure = entry("line", uncertainty=uncertainty)
    cell = grid(figure).row(0, named=True)
    point = line.points_of(grid(figure), figure).rows[0]
    ends: dict[str, tuple[Any, ...]] = {
        "interval": (cell["low"], cell["high"]),
        "se": (cell["value"] - cell["se"], cell["value"] + cell["se"]),
        "none": (None, None),
    }
    percent = [None if end is None else pytest.approx(100 * end) for end in ends[uncertainty]]
    assert [point["lower"], point["upper"]] == percent


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (ALONE, "ends"),
        (ALONE | {"legend": True}, "legend"),
        ({}, "legend"),
        ({"legend": False}, ""),
    ],
)
def test_names_stand_beside_the_ends_of_lines_where_there_is_room(
    keys: dict[str, Any], place: str
) -> None:
    """Of one panel whose lines all reach its right end; else they stand above, or nowhere."""
    data = draw(entry("line", **keys))["datasets"]
    for name in ("ends", "legend"):
        names = {row["name"] for row in data.get(name, [])}
        assert names == ({"Window 5", "Window 10"} if name == place else set())


@pytest.mark.parametrize("largest", [1_000, 1_000_000_000])
def test_the_last_label_of_x_stays_in_the_figure(largest: int) -> None:
    """A long number below the last point of the last panel takes room from the panels."""
    last = pl.col("window") == sweep()["window"].max()
    samples = sweep().with_columns(window=pl.when(last).then(largest).otherwise("window"))
    figure = entry("line", encoding={"x": "window", "y": "pass@1", "color": "ratio"})
    cells = api.kind("line").aggregate(samples.lazy(), figure)
    layout = line.lay_out(line.points_of(cells, figure), figure)
    sheet, columns = layout.sheet, layout.columns
    reach = sheet.left + columns * layout.size[0] + (columns - 1) * sheet.gap
    assert isinstance(layout.x, quantity.Quantity)
    assert reach + layout.x.overhang <= sheet.width
