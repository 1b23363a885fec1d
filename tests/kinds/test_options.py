"""Options of the drawing: no number of a grid or a CSV hangs on them, and any other key counts."""

import csv
import io
from typing import Any, ClassVar

import msgspec
import polars as pl
import pytest

from heatproof import kinds
from heatproof.kinds import api, frame
from heatproof.util import registry
from support import views
from support.samples import heat
from support.toys import duel, sweep

ENTRIES: dict[str, dict[str, Any]] = {
    "heatmap": {"encoding": {"x": "ratio", "y": "window", "color": "mean(score)"}},
    "line": {"encoding": {"x": "ratio", "y": "mean(score)", "color": "window"}},
    "pairwise": {"models": ["m", "n"]},
    "forest": views.ENTRIES["forest"],
    "scatter": views.ENTRIES["scatter"],
    "table": views.ENTRIES["table"],
}
USUAL: dict[str, Any] = {"panel": "task", "ranges": {"score": [1.0, 10.0], "progress": [0.0, 5.0]}}
OTHER: dict[str, Any] = {
    "title": "A title", "caption": "Words", "labels": {"ratio": "R"}, "footer": False, "id": False,
    "names": {"ratio": {"0.1": "a"}, "model": {"m": "M"}}, "width": "single", "height": "5in",
    "font": "serif", "type": {"label": 9}, "formats": ["svg"], "percent": True, "format": ".3f",
    "palette": "viridis", "text": False, "domain": [2.0, 9.0], "columns": 1, "letters": "a",
    "margins": True, "color_scale": {"clip": [10, 90]}, "legend": False, "verdict": "none",
    "highlight": [{"ratio": 0.2}], "x_scale": "log", "y_scale": "log", "x_domain": [1.0, 9.0],
    "front": "highest", "color": True, "value": "win_rate", "reference": 5.0,
}  # fmt: skip
"""Key → a value that is not its default."""
OWN: dict[str, dict[str, Any]] = {
    "heatmap": {"scale": "shared"},
    "line": {"scale": "independent", "form": "bars"},
    "forest": {"scale": "log", "form": "dumbbell"},
    "pairwise": {"form": "board", "sort": "config"},
}


def block(kind: str, **keys: Any) -> dict[str, Any]:
    usual = {} if kind == "pairwise" else USUAL
    return {"name": "f", "kind": kind, "source": "toy"} | usual | ENTRIES[kind] | keys


def made(kind: str, **keys: Any) -> tuple[pl.DataFrame, str]:
    """Grid and CSV of a figure."""
    entry, samples = api.read(block(kind, **keys)), duel() if kind == "pairwise" else sweep()
    grid = api.kind(kind).aggregate(samples.lazy(), entry)
    return grid, api.kind(kind).csv(grid, entry)


@pytest.mark.slow
@pytest.mark.parametrize("kind", registry.names(kinds))
def test_no_option_of_the_drawing_changes_a_number(kind: str) -> None:
    """Grid and CSV are the same for each, whatever its value."""
    grid, text = made(kind)
    ways = OTHER | OWN.get(kind, {})
    entry = api.read(block(kind))
    assert entry.drawing() <= {*ways}
    for key in sorted(entry.drawing()):
        assert msgspec.to_builtins(getattr(entry, key)) != ways[key], key
        other, words = made(kind, **{key: ways[key]})
        assert (other.equals(grid), words) == (True, text), key


def units(entry: Any, samples: pl.LazyFrame) -> list[tuple[str, ...]]:
    """Metric and units of the rows of a CSV, each once."""
    grid = api.kind(entry.kind).aggregate(samples, entry)
    rows = csv.DictReader(io.StringIO(api.kind(entry.kind).csv(grid, entry)))
    names = ("metric", "value_unit", "x_value_unit", "note_value_unit")
    return [*dict.fromkeys(tuple(row[name] for name in names if name in row) for row in rows)]


@pytest.mark.parametrize("percent", [None, True, False])
def test_a_csv_is_in_one_unit_that_it_names(percent: bool | None) -> None:
    """That of the logs, of each metric, whatever the figure shows."""
    samples = sweep().with_columns(progress=pl.col("score") / 2, tokens=pl.lit(7.0)).lazy()
    keys: dict[str, Any] = {"ranges": {"score": [1.0, 10.0]}, "percent": percent, "panel": "task"}
    several: Any = ["mean(score)", "count", "mean(progress)", "sum(tokens)"]
    told = ["1 to 10", "records", "0 to 1", "as logged"]
    assert units(heat(color=several, **keys), samples) == [*zip(several, told, strict=True)]
    noted = heat(color="mean(score)", annotate="mean(tokens)", **keys)
    assert units(noted, samples) == [("1 to 10", "as logged")]
    along = {"x": "mean(progress)", "y": "mean(score)", "label": "window", "detail": "ratio"}
    scatter = api.read(block("scatter") | keys | {"encoding": along})
    assert units(scatter, samples) == [("1 to 10", "0 to 1")]


def test_a_reason_of_one_metric_is_not_read_as_that_of_the_other() -> None:
    """Tokens have no bounds; the score beside them has an interval."""
    samples = sweep().with_columns(tokens=pl.col("epoch").cast(pl.Float64) + 7).lazy()
    for x, y in (("mean(score)", "mean(tokens)"), ("mean(tokens)", "mean(score)")):
        encoding = {"x": x, "y": y, "label": "window", "detail": "ratio"}
        figure = api.read(block("scatter", encoding=encoding, ranges={}))
        grid = api.kind("scatter").aggregate(samples, figure)
        said = " ".join(api.kind("scatter").caption(grid, figure))
        assert "Mean tokens: not judged: values have no bounds" in said
        assert "Mean score (%): not judged" not in said


class Weighed(frame.View, kw_only=True):
    """A kind with a key of its own, as docs/extend.md tells people to write one."""

    LOOK: ClassVar[set[str]] = {"thick"}
    encoding: frame.DetailEncoding
    of: str = "score"
    thick: float = 1.0


def test_a_key_of_a_kind_counts_unless_it_is_listed_as_look() -> None:
    """A change of any other makes the grid anew."""
    assert "of" not in Weighed.drawing()
    assert {"thick", "format", "percent", "title"} <= Weighed.drawing()
