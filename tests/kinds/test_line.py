"""Line figures: points on lines, gaps, errors, and names beside the ends."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from heatproof.charts import quantity
from heatproof.kinds import api, line
from heatproof.util.errors import Error
from support.views import draw, entry, grid
from toys import sweep


def test_scales_that_do_not_go_with_a_column_are_refused() -> None:
    """A log axis of names, before any job; numbers along x are sorted only as names."""
    encoding = {"x": "prompt", "y": "pass@1", "color": "window"}
    (mistake,) = entry("line", encoding=encoding, x_scale="log").mistyped({"prompt": "str"})
    assert mistake.place == ".x_scale"
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
