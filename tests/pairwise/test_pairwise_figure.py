"""What is drawn and said of pairs of models, as panels and as a board."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from heatproof.charts.spec import noted
from heatproof.export import drawing
from heatproof.kinds.pairwise import aggregate, pairs
from support import lettered
from support.pairs import entry, models_grid, spec

REAL = [
    "DeepSeek-R1", "gemini-2.0-flash", "gemini-2.5-flash", "Llama-4-Maverick-17B-128E",
    "claude-3.7-sonnet", "gpt-5-mini", "qwen3-235b-a22b", "Maverick-r16", "phi-4", "grok-3",
    "mistral-large-2411", "command-r-plus",
]  # fmt: skip


def drawn(models: list[str], **keys: Any) -> dict[str, Any]:
    """A figure of these models, each a bit worse than the one before."""
    return spec(models_grid(models), entry(models=models, bins=None, **keys))


MISTAKES: list[tuple[str, dict[str, Any]]] = [
    (".sort", {"sort": "value"}),
    (".models", {"models": [str(n) for n in range(44)]}),
    (".models", {"models": [str(n) for n in range(21)], "width": "single"}),
    (".models", {"models": ["a", "a"]}),
    (".models", {"models": ["a"]}),
    (".bins", {"bins": 0}),
    (".bins", {"bins": 101}),
    (".bins", {"form": "board", "bins": 26}),
    (".join", {"join": []}),
    (".join", {"join": ["sample_id", "sample_id"]}),
    (".join", {"join": ["model"]}),
    (".compare", {"compare": "task"}),
    (".palette", {"palette": "nope"}),
    (".family", {"family": "("}),
    (".family", {"family": "a"}),
    (".family", {"family": "(a)", "join": ["epoch"]}),
]


@pytest.mark.parametrize(("place", "keys"), MISTAKES)
def test_mistakes_are_at_their_key(place: str, keys: dict[str, Any]) -> None:
    """Nothing is left aside in silence, keys of the other form neither."""
    (mistake,) = entry(**keys).mistakes()
    assert mistake.place == place


def test_panels_are_no_higher_than_a_page() -> None:
    """More and smaller ones stand in a row; where that is not enough, the figure says so."""
    few, many = (drawn([f"m{n}" for n in range(count)], form="panels") for count in (6, 12))
    assert not noted(few, "omitted")
    assert drawing.draw(few).size[1] <= 9 * 72
    assert len(noted(many, "omitted")) == 1


def test_squares_say_what_the_grid_says() -> None:
    """Column − row, problems won and lost, and the verdict of the interval, seen from the column."""
    models = REAL[:5][::-1]
    frame, data = models_grid(models), drawn(models)["datasets"]["squares"]
    squares = {(row["column"], row["row"]): row for row in data}
    assert len(squares) == 10
    for row in frame.unique(["x_model", "y_model"], maintain_order=True).iter_rows(named=True):
        pair = row["x_model"], row["y_model"]
        sign = 1 if pair in squares else -1
        square = squares[pair[::sign]]
        assert float(square["lead"].replace("−", "-")) == round(sign * row["mean"], 3)
        assert square["tally"] == "{} : {}".format(*[row["wins"], row["losses"]][::sign])
        apart = row["simultaneous_low"] > 0 or row["simultaneous_high"] < 0
        assert square["bold"] == (square["fill"] != "#ffffff") == apart
        assert square["verdict"] == ("told apart" if apart else "not told apart")


def test_models_are_sorted_and_ranked_by_their_mean_lead() -> None:
    """The best first, unless the order of the config is asked for; ranks stay those of the leads."""
    models = REAL[:4][::-1]
    frame = models_grid(models, -0.1)
    best, plain = (
        pairs.read_board(frame, entry(models=models, bins=None, sort=sort))
        for sort in (None, "config")
    )
    assert ([*best.titles], [*plain.titles]) == (models[::-1], models)
    for figure in (best, plain):
        assert [figure.rank(model) for model in models[::-1]] == [1, 2, 3, 4]
    equal = models_grid(models, 0).with_columns(
        mean=pl.lit(0.0), simultaneous_low=pl.lit(None, pl.Float64)
    )
    chart = spec(equal, entry(models=models, bins=None))
    assert {row["text"] for row in chart["datasets"]["ranks"]} == {"1"}
    assert {row["fill"] for row in chart["datasets"]["squares"]} == {"#ffffff"}


@pytest.mark.parametrize("order", [1, -1])
def test_densities_have_the_column_along_x(order: int) -> None:
    """A bin lies where the model of its column and that of its row put it, whatever the grid."""
    models = ["a", "b"][::order]
    points = {"a": np.array([0.95, 0.95, 0.15]), "b": np.array([0.05, 0.05, 0.15])}
    row = {"x_model": models[0], "y_model": models[1], "pair_n": 3, "wins": 2, "ties": 1}
    frame = aggregate.bin_instances(*(points[name] for name in models), 10).with_columns(
        **{name: pl.lit(None, pl.Float64) for name in aggregate.NUMBERS},
        **{name: pl.lit(value) for name, value in (row | {"losses": 0}).items()},
        units=pl.lit(None, pl.Int64),
    )
    data = spec(frame, entry(models=models, form="board", bins=10))["datasets"]
    full, small = sorted(data["bins"], key=lambda row: -row["samples"])
    assert (full["samples"], full["column"], full["row"]) == (2, "b 0 to 0.1", "a 0.9 to 1")
    assert full["lead"] == "−0.900"
    assert small["x"] > full["x"]  # further right: more of b
    assert small["y"] > full["y"]  # further down: less of a
    (square,) = data["squares"]
    assert (square["column"], square["row"], square["number"]) == ("a", "b", "+0.60")
    # Made-up instances: the mean holds whichever were solved, and there is no verdict.
    assert (square["tally"], square["verdict"]) == ("", "")
    assert square["fill"] != "#ffffff"


@pytest.mark.parametrize(
    ("models", "width", "full", "digits", "suffix"),
    [(2, "single", True, True, ""), (6, "single", False, True, "-instruct-fp8-2025-04-17"),
     (12, "single", False, False, ""), (8, "double", True, True, "-instruct-fp8-2025-04-17"),
     (12, "double", False, True, "")],
)  # fmt: skip
def test_boards_fit_their_page(
    models: int, width: str, full: bool, digits: bool, suffix: str
) -> None:
    """As wide as asked, no higher than 9 in, type of 6 pt or more; less where it is small."""
    names = [f"{name}{suffix * (n % 2)}" for n, name in enumerate(REAL[:models])]
    chart = drawn(names, width=width, form="board")
    picture = drawing.draw(chart)
    assert picture.size[0] == {"single": 237, "double": 504}[width]
    assert picture.size[1] < 9 * 72
    assert lettered.collisions(picture.svg) == []
    assert min(map(float, re.findall(r'size="([\d.]+)px', picture.svg))) >= 6
    assert ("bins" in chart["datasets"]) == full
    assert ('"gradient"' not in json.dumps(chart)) == digits
