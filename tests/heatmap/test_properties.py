"""Columns that are no settings: what a problem has, and what an answer decides, lacks nothing."""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import polars as pl
import pytest

from heatproof.kinds import api, states
from heatproof.util.errors import Error
from support.samples import heat, table

PARAMS = {"temp": "float", "seed": "int", "lang": "str", "level": "str", "bin": "int", "end": "str"}
LANGS, LEVELS = ("de", "en", "fr"), ("easy", "hard")


def records(epochs: int = 1, **changes: Any) -> Iterator[dict[str, Any]]:
    """Two models at two temperatures, whole; confidence and end differ from answer to answer.

    No hard problem is French.
    """
    draw = random.Random(4)
    for model, temp, problem, epoch in product("mn", (0.0, 1.0), range(30), range(epochs)):
        lang = LANGS[problem % 3]
        yield {
            "model": model, "temp": temp, "seed": 0, "sample_id": f"p{problem}", "epoch": epoch,
            "run": f"{model}{temp}", "lang": lang, "level": LEVELS[lang != "fr" and problem > 14],
            "bin": draw.randrange(4), "end": draw.choice(["stop"] * 9 + ["length"]),
            "score": float(draw.random() < 0.5),
        } | {key: change(problem, epoch) for key, change in changes.items()}  # fmt: skip


def grid(rows: Any, x: str, y: str = "model", **keys: Any) -> pl.DataFrame:
    """The grid of a heatmap of some records."""
    pool = [name for name in PARAMS if name not in (x, y, keys.get("panel"))]
    entry = heat(x, y, "mean(score)", **{"pool": pool} | keys)
    made: pl.DataFrame = api.kind("heatmap").aggregate(table(rows, PARAMS), entry)
    table_of = api.kind("heatmap").table(made, entry)
    assert not (table_of.incomplete and (made["epochs"] == made["expected"]).all())
    return made


@pytest.mark.parametrize("epochs", [1, 3])
@pytest.mark.parametrize("x", ["bin", "end"])
def test_what_the_answer_decides_says_nothing_on_completeness(x: str, epochs: int) -> None:
    """Bins of confidence, how a run ended: each cell holds what fell into it."""
    cells = grid(records(epochs), x, panel="temp")
    assert cells["epochs"].sum() == 120 * epochs
    assert (cells["epochs"] == cells["expected"]).all()


def test_there_is_no_mean_over_what_each_problem_has_once() -> None:
    """The message names the property, and where it can stand."""
    pool = [name for name in PARAMS if name not in ("lang", "temp")]
    with pytest.raises(Error, match=r"mean_over: each problem has one 'lang', so .* on an axis"):
        grid(records(), "temp", mean_over="lang", pool=pool)


def test_a_property_of_problems_divides_them() -> None:
    """A cell is to hold the problems of its language alone; one that lacks some is incomplete."""
    whole = grid(records(), "lang")
    assert whole["expected"].to_list() == [20] * 6
    cut = [row for row in records() if (row["model"], row["sample_id"]) != ("n", "p3")]
    cells = grid(cut, "lang").filter(x="de")
    assert cells.select("y", "epochs", "expected").rows() == [("m", 20, 20), ("n", 18, 20)]


def test_no_cell_lacks_problems_that_there_are_not() -> None:
    """No hard problem is French, so that none is missing; of the other model some are."""
    rows = [row for row in records() if (row["model"], row["lang"]) != ("n", "en")]
    cells = grid(rows, "lang", "level", panel="model")
    gaps = {tuple(cell): gap for *cell, gap in cells.select("model", "x", "y", "gap").rows() if gap}
    assert gaps == {
        ("m", "fr", "hard"): states.NONE_SUCH,
        ("n", "fr", "hard"): states.NONE_SUCH,
        ("n", "en", "easy"): states.NOTHING,
        ("n", "en", "hard"): states.NOTHING,
    }
    assert {*cells.filter(gap=states.NONE_SUCH)["expected"]} == {0}


def test_pooled_properties_add_nothing_to_what_is_expected() -> None:
    """A cell with two ends of answers is not to hold twice as many as one with a single end."""
    rows = [row | {"end": "stop" if row["model"] == "m" else row["end"]} for row in records(2)]
    cells = grid(rows, "temp")
    assert (cells["epochs"] == cells["expected"]).all()


@pytest.mark.parametrize("epochs", [1, 2])
def test_settings_are_none(epochs: int) -> None:
    """One that was tried on a part of the problems is incomplete, though its run is going on."""
    rows = [
        row for row in records(epochs)
        if row["temp"] == 0 or row["model"] == "m" or int(row["sample_id"][1:]) < 12
    ]  # fmt: skip
    cells = grid(rows, "temp")
    told = dict(
        zip(cells.select("y", "x").rows(), cells["epochs"] - cells["expected"], strict=True)
    )
    assert told == {("m", 0.0): 0, ("m", 1.0): 0, ("n", 0.0): 0, ("n", 1.0): -18 * epochs}


def test_a_setting_of_one_model_is_none() -> None:
    """Each model has a temperature of its own, and one was not finished."""
    rows = [row for row in records() if (row["temp"] == 0) == (row["model"] == "m")]
    cells = grid(rows[:-5], "temp").filter(pl.col("value").is_not_null())
    assert (cells["epochs"] - cells["expected"]).to_list() == [0, -5]


def test_a_baseline_is_no_row() -> None:
    """Not even in the order of the config, though it lies outside `where`."""
    rows = [row | {"end": f"e{n}"} for n in range(3) for row in records()]
    keys = {"where": {"end": ["e1", "e2"]}, "sort": {"end": "config"}}
    cells = grid(rows, "model", "end", relative_to={"end": "e0"}, **keys)
    assert sorted({*cells["y"]}) == ["e1", "e2"]


@pytest.mark.parametrize("panel", [{}, {"panel": "end"}])
def test_cells_that_answers_divide_have_no_verdict(panel: dict[str, str]) -> None:
    """Which samples they hold is a result: no best, no outline, no axis, no difference told.

    Their intervals are those of any mean.
    """
    x = "temp" if panel else "end"
    parted = records(4, score=lambda problem, _: float(problem % 2))
    rows = [row | {"score": row["score"] * (row["temp"] < 1)} for row in parted]
    cells = grid(rows, x, **panel)
    assert {*cells["unjudged"]} == {states.ANSWERED}
    assert not cells["best"].any()
    assert not any(cells[name].count() for name in ("tied", "spread", "top_x", "top_y"))
    told = grid(rows, x, uncertainty="interval", **panel)
    assert not told["unjudged"].count()
    assert told["low"].count() == len(told)
    against = grid(rows, x, relative_to={"model": "m"}, **panel)
    others = against.filter(~pl.col("is_baseline"))
    assert not others["differs"].count()
    assert {*others["unjudged"].drop_nulls()} <= {states.ANSWERED}
