"""What is drawn and said of pairs of models, as panels and as a board."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import lettered
from heatproof.charts.spec import noted
from heatproof.export import drawing
from heatproof.kinds import api
from heatproof.kinds.pairwise import aggregate, board, board_layout, draw, pairs
from support.pairs import entry, models_grid, spec

REAL = [
    "DeepSeek-R1", "gemini-2.0-flash", "gemini-2.5-flash", "Llama-4-Maverick-17B-128E",
    "claude-3.7-sonnet", "gpt-5-mini", "qwen3-235b-a22b", "Maverick-r16", "phi-4", "grok-3",
    "mistral-large-2411", "command-r-plus",
]  # fmt: skip
LONG = [f"vendor/model-{letter}-large-preview-2025-04-17" for letter in "abcdefgh"]


def drawn(models: list[str], step: float = 0.05, **keys: Any) -> dict[str, Any]:
    """A figure of these models."""
    frame = models_grid(models, step, keys.get("bins") or 10)
    return spec(frame, entry(models=models, **({"bins": None} | keys)))


def views(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The panels of a figure."""
    return [view for view in chart["concat"] if view["data"]["name"].startswith("bins")]


def texts(view: dict[str, Any]) -> list[Any]:
    """What is written in a panel: its title first, where it has one."""
    return [layer["mark"]["text"] for layer in view["layer"] if "text" in layer["mark"]]


@pytest.mark.parametrize(
    "keys",
    [
        {"form": "panels"},
        {"form": "panels", "columns": 2, "bins": 50},
        {"title": "All of them"},
        {"width": "single", "bins": 25},
    ],
)
def test_a_figure_is_valid_vega_lite(keys: dict[str, Any]) -> None:
    """Whatever is asked for, the schema knows all that the spec says."""
    figure, frame = entry(models=REAL[:3], **({"bins": None} | keys)), models_grid(REAL[:3])
    assert figure.mistakes() == []
    chart = api.kind("pairwise").draw(frame, figure)
    assert chart.to_dict(validate=True) == spec(frame, figure)


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"models": REAL[:3], "columns": 2}, ".columns"),
        ({"sort": "value"}, ".sort"),
        ({"models": [str(n) for n in range(44)]}, ".models"),
        ({"models": [str(n) for n in range(21)], "width": "single"}, ".models"),
        ({"models": ["a", "a"]}, ".models"),
        ({"models": ["a"]}, ".models"),
        ({"bins": 0}, ".bins"),
        ({"bins": 101}, ".bins"),
        ({"form": "board", "bins": 26}, ".bins"),
        ({"columns": 0}, ".columns"),
        ({"join": []}, ".join"),
        ({"join": ["sample_id", "sample_id"]}, ".join"),
        ({"join": ["model"]}, ".join"),
        ({"compare": "task"}, ".compare"),
        ({"palette": "nope"}, ".palette"),
        ({"family": "("}, ".family"),
        ({"family": "a"}, ".family"),
        ({"family": "(a)", "join": ["epoch"]}, ".family"),
    ],
)
def test_mistakes_are_at_their_key(keys: dict[str, Any], place: str) -> None:
    """Nothing is left aside in silence, keys of the other form neither."""
    (mistake,) = entry(**keys).mistakes()
    assert mistake.place == place


@pytest.mark.parametrize(
    ("models", "keys", "is_board"),
    [(2, {}, False), (3, {}, True), (2, {"form": "board"}, True), (3, {"form": "panels"}, False)],
)
def test_more_than_two_models_are_a_board(
    models: int, keys: dict[str, str], is_board: bool
) -> None:
    """Two are one large panel; either form can be asked for."""
    assert entry(models=REAL[:models], **keys).board == is_board


# ------------------------------------------------------------------------------------------ panels


def test_panels_stand_three_in_a_row_beside_one_bar() -> None:
    """Counts and means are the grid's; axes run from 0 to 1 and are called as the models."""
    chart = drawn(REAL[:4], form="panels")
    assert [view["data"]["name"] for view in chart["concat"]][3] == "colours"
    assert len(views(chart)) == 6
    (counts, mean), *_ = texts(views(chart)[0])
    assert re.fullmatch(r"n 60 · x ahead \d+ · equal \d+ · y ahead \d+", counts)
    assert re.fullmatch(r"mean x − y \+0\.\d+ \[[+−]0\.\d+,\u00a0[+−]0\.\d+\]", mean)
    axes = views(chart)[1]["layer"][1]["encoding"]
    assert [axes[axis]["title"] for axis in "xy"] == ["DeepSeek-R1", "gemini-2.5-flash"]
    assert all(axes[axis]["scale"]["domain"] == [0, 1] for axis in "xy")


BIN = {"x_model": "a", "y_model": "b", "pair_n": 9, "wins": 4, "ties": 3, "losses": 2, "mean": 0.1,
       "p_holm": None, "simultaneous_low": None, "simultaneous_high": None, "units": 9}  # fmt: skip


def bins(*rows: tuple[float, float, int, float | None], **keys: Any) -> pl.DataFrame:
    """A pair of these bins, of which a row is x0, y0, instances and their mean difference."""
    return pl.DataFrame(
        [
            {**BIN, **keys, "x0": x, "x1": x + 0.5, "y0": y, "y1": y + 0.5, "samples": n, "difference": lead}
            for x, y, n, lead in rows
        ]
    )  # fmt: skip


FOUR = bins((0.0, 0.0, 4, -0.25), (0.5, 0.0, 0, None), (0.0, 0.5, 1, 0.0625), (0.5, 0.5, 16, 0.5))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({}, ["mean x − y +0.100"]),
        ({"mean": None}, []),
        ({"simultaneous_low": -0.2, "simultaneous_high": 0.4}, ["mean x − y +0.100 [−0.200,\u00a0+0.400]"]),
        ({"units": 1200}, ["mean x − y +0.100 by 1,200 families"]),
        ({"units": None}, ["mean x − y +0.100"]),
    ],
)  # fmt: skip
def test_the_mean_difference_in_words(keys: dict[str, Any], text: list[str]) -> None:
    """As far as there is one; of how many families it is where these are fewer than instances."""
    (pair,) = pairs.read_pairs(bins((0.0, 0.0, 9, 0.1), **keys))
    assert draw.difference(pair, entry(family="(.)")) == text


def test_meanings_are_of_marks_that_occur() -> None:
    """Brackets where something was tested, parity unless four numbers."""
    tested = FOUR.with_columns(simultaneous_low=pl.lit(-0.2), simultaneous_high=pl.lit(0.4))
    for frame, keys, parts in (
        (FOUR, {}, ["axes", "dashed", "white, dotted"]),
        (FOUR, {"bins": None}, ["axes"]),
        (tested, {}, ["axes", "dashed", "white, dotted", "in brackets"]),
    ):
        lines = draw.meanings(frame, entry(**({"bins": 2} | keys)))
        assert [line.split(":")[0] for line in lines] == parts


@pytest.mark.parametrize("form", ["panels", "board"])
def test_four_numbers_stand_in_four_squares(form: str) -> None:
    """No line of parity and no dots where each instance is right or wrong."""
    text = json.dumps(spec(FOUR, entry(bins=None, form=form)))
    for count in (4, 1, 16):
        assert f'"text": "{count}"' in text or f'"samples": {count}' in text
    assert "parity" not in text
    assert "line: equal" not in text


def test_panels_are_no_higher_than_a_page() -> None:
    """More and smaller ones stand in a row; where that is not enough, the figure says so."""
    for count, problems in ((8, 0), (12, 1)):
        chart = drawn([f"m{n}" for n in range(count)], form="panels")
        assert len(noted(chart, "omitted")) == problems
        assert (drawing.draw(chart).size[1] > 9 * 72) == bool(problems)
    chart = drawn(REAL[:4], form="panels", columns=1)
    assert {view["width"] for view in views(chart)} == {draw.LARGEST}


# ------------------------------------------------------------------------------------------- board


def test_squares_say_what_the_grid_says() -> None:
    """Column − row, problems won and lost, and the verdict of the interval, seen from the column."""
    models = REAL[:5][::-1]
    frame = models_grid(models)
    squares = {
        (row["column"], row["row"]): row
        for row in spec(frame, entry(models=models, bins=None))["datasets"]["squares"]
    }
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
    best = board.read_board(frame, entry(models=models, bins=None))
    plain = board.read_board(frame, entry(models=models, bins=None, sort="config"))
    assert (best.order, plain.order, best.mixed, plain.mixed) == (models[::-1], models, False, True)
    assert best.ranks == plain.ranks == {model: n for n, model in enumerate(best.order, 1)}
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
    tests = {name: pl.lit(None, pl.Float64) for name in aggregate.NUMBERS} | {
        "units": pl.lit(None, pl.Int64)
    }
    row = {
        "x_model": models[0],
        "y_model": models[1],
        "pair_n": 3,
        "wins": 2,
        "ties": 1,
        "losses": 0,
    }
    frame = aggregate.bin_instances(*(points[name] for name in models), 10)
    frame = frame.with_columns(**tests, **{name: pl.lit(value) for name, value in row.items()})
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
    ("models", "width", "full", "digits"),
    [(2, "single", True, True), (4, "single", True, True), (6, "single", False, True),
     (12, "single", False, False), (8, "double", True, True), (12, "double", False, True)],
)  # fmt: skip
@pytest.mark.parametrize("long", [False, True])
def test_boards_fit_their_page(
    models: int, width: str, full: bool, digits: bool, long: bool
) -> None:
    """No wider than asked, no higher than 9 in, type of 6 pt or more; less where it is small."""
    suffix = "-instruct-fp8-dynamic-2025-04-17" if long else ""
    chart = drawn(
        [f"{m}{suffix * (n % 2)}" for n, m in enumerate(REAL[:models])], width=width, form="board"
    )
    picture = drawing.draw(chart)
    asked = {"single": 237, "double": 504}[width]
    small = width == "double" and models < 5
    assert small or asked - 4 <= picture.size[0] <= asked
    assert picture.size[1] < 9 * 72
    assert lettered.collisions(picture.svg) == []
    assert min(map(float, re.findall(r'size="([\d.]+)px', picture.svg))) >= 6
    assert ("bins" in chart["datasets"]) == full
    assert ("colours" not in chart["datasets"]) == digits


def test_a_board_answers_on_all_its_squares_and_bins() -> None:
    """Who points at one hears both models, numbers and verdict; nothing else is read out."""
    chart = drawn(REAL[:3])
    svg = drawing.draw(chart).svg
    squares = re.findall(r'aria-label="(Column [^"]*)"', svg)
    assert len(squares) == 3
    assert all(board.INTERVAL in text for text in squares)
    answers = re.findall(r'aria-label="x [^"]*; Mean of x − y [^"]*"', svg)
    assert len(answers) == len(chart["datasets"]["bins"])


def test_most_models_have_names_beside_their_squares() -> None:
    """At the limit of a width, each row is as high as the smallest type."""
    models = [f"model-{n}" for n in range(20)]
    plan = board_layout.plan_board(models, entry(models=models, width="single"), 18.0, 40.0)
    assert plan.step >= 7
    assert plan.bar


def test_names_without_room_are_cut_and_in_the_notes() -> None:
    """No two to the same."""
    chart = drawn([f"{'a' * 30}{n}{'b' * 90}" for n in "123"], width="single", form="board")
    assert len({row["text"] for row in chart["datasets"]["rows"]}) == 3
    assert len(noted(chart, "omitted")) == 1
