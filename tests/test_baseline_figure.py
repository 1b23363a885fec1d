"""baseline_figure: cells beside those of another figure of the config."""

from __future__ import annotations

from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.config import configuration
from heatproof.kinds import api, heatmap
from heatproof.util.errors import Error
from test_relative import entry, samples, table

FIGURE: dict[str, Any] = {
    "kind": "heatmap", "source": "s", "panel": "task",
    "where": {"model": "tuned", "ratio": [0.1, 0.3]},
    "encoding": {"x": "ratio", "y": "window", "color": "pass@1"},
}  # fmt: skip
BASE = FIGURE | {"where": {"model": "base", "ratio": [0.1, 0.3, 1.0]}}
FIELDS = {"model": "m", "task": "t", "sample_id": "i", "score": "s"}
SOURCE = {"format": "jsonl", "logs": "a.jsonl", "fields": FIELDS,
          "params": {"ratio": "float", "window": "int"}}  # fmt: skip


def config(own: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"sources": {"s": SOURCE, "r": SOURCE}, "figures": {"f": FIGURE | own, **others}}


def read(given: dict[str, Any]) -> heatmap.Entry:
    found = configuration.read(given).figures["f"]
    assert isinstance(found, heatmap.Entry)
    return found


def beside(**given: Any) -> heatmap.Entry:
    return read(config({"relative_to": {"figure": "g"}, **given}, g=BASE))


@pytest.mark.parametrize("how", ["difference", "ratio"])
def test_cells_are_those_beside_the_model_that_the_other_figure_shows(how: str) -> None:
    """Where nothing but the model differs, the other figure says what the column would say."""
    rows = table(samples()).lazy()
    aggregate = api.part("heatmap", "aggregate").aggregate
    other = aggregate(rows, beside(**{"as": how}))
    column = aggregate(rows, entry(relative_to={"model": "base"}, **{"as": how}))
    assert other.equals(column)
    assert other["paired_problems"].min() > 0
    assert not other["is_baseline"].any()


def test_what_the_other_shows_is_part_of_what_is_read() -> None:
    """Logs of both sides are looked at; columns that the other leaves open limit nothing."""
    assert beside(where={"model": "tuned", "window": 8}).shown() == {"model": ["tuned", "base"]}
    assert beside().shown()["ratio"] == [0.1, 0.3, 0.1, 0.3, 1.0]
    plain = msgspec.to_builtins(beside())
    assert api.read(plain) == beside()
    assert beside().alone().base == {}


def test_trace_and_verify_know_both_sides() -> None:
    """Records of both figures stand behind a cell, and each is counted anew."""
    rows, one = table(samples()).lazy(), beside()
    grid = api.part("heatmap", "aggregate").aggregate(rows, one)
    trace, evidence = (api.part("heatmap", name) for name in ("trace", "evidence"))
    found = trace.behind(rows, grid, one, {"task": "s", "ratio": "0.3", "window": "8"})
    models = {record["model"] for part in found.parts for record in part.records}
    assert (models, found.agrees) == ({"base", "tuned"}, True)
    assert "of the baseline (figure=g)" in found.against
    told = list(trace.recounted(rows, grid, one))
    assert len(told) == len(grid)
    assert all(right for *_, right in told)
    wrong = grid.with_columns(baseline_value=pl.col("baseline_value") + 0.1)
    assert not any(right for *_, right in trace.recounted(rows, wrong, one))
    within = trace.within(rows, one, {"task": "s", "x": 0.3, "y": 8}).collect()
    assert {*within["model"]} == {"base", "tuned"}
    story = evidence.story(evidence.records([rows], one, grid), one, grid)
    assert story["base"] == "Logs of the baseline: figure g"
    assert all(cell["base"] for cell in story["cells"])


def test_a_place_that_the_other_does_not_show_has_no_value() -> None:
    """A gap is not parity: the cell says that its baseline has no record."""
    one = read(
        config(
            {"relative_to": {"figure": "g"}},
            g=BASE | {"where": {"model": "base", "ratio": [0.1, 1.0]}},
        )
    )
    grid = api.part("heatmap", "aggregate").aggregate(table(samples()).lazy(), one)
    there = grid.filter(pl.col("x") == 0.1)
    assert there["value"].null_count() == 0
    gone = grid.filter(pl.col("x") == 0.3)
    assert gone["value"].null_count() == len(gone)
    assert set(gone["gap"]) == {"no baseline (no record of it)"}


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        ({"relative_to": {"figure": "h"}}, BASE, "'h' is not a figure; there are g"),
        ({"relative_to": {"figure": "f"}}, BASE, "this figure itself; name another"),
        ({"relative_to": {"figure": "g", "ratio": 1}}, BASE, "ratio: beside figure, which says"),
        ({"relative_to": {"figure": "g"}}, BASE | {"relative_to": {"ratio": 0.3}}, "a baseline of"),
        ({"relative_to": {"figure": "g"}}, BASE | {"panel": None}, "'g' has panels none"),
        ({"relative_to": {"figure": "g"}}, BASE | {"source": "r"}, "'g' has source 'r'"),
        (
            {"relative_to": {"figure": "g"}},
            BASE | {"encoding": {"x": "window", "y": "ratio", "color": "pass@1"}},
            "'g' has x 'window', and this figure 'ratio'",
        ),
        (
            {"relative_to": {"figure": "g"}},
            {"kind": "line", "source": "s", "encoding": {"x": "ratio", "y": "pass@1"}},
            "'g' is a line, whose cells lie otherwise",
        ),
        ({"base": {}}, BASE, "'base' is not a key here"),
    ],
)
def test_what_can_be_no_baseline_is_refused(own: Any, other: Any, said: str) -> None:
    """Before any job, with the place and the reason."""
    with pytest.raises(Error, match=said) as error:
        configuration.read(config(own, g=other))
    assert str(error.value).startswith("config.yaml: figures.f")


def test_a_column_that_is_called_figure_is_still_a_column() -> None:
    """`figure` names a figure only where no axis and no `where` has such a column."""
    encoding = {"x": "figure", "y": "window", "color": "pass@1"}
    one = entry(encoding=encoding, relative_to={"figure": 1.0})
    assert (one.other, one.apart) == (None, {"figure": 1.0})


def test_without_a_config_the_other_is_not_known() -> None:
    """A figure of the library alone says where it would be."""
    with pytest.raises(Error, match="'g' is known where a config"):
        api.part("heatmap", "aggregate").aggregate(
            table(samples()).lazy(), entry(relative_to={"figure": "g"})
        )
