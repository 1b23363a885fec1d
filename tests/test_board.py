"""pairwise as a board: one matrix of all pairs, each number and verdict from the grid alone."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

import lettered
import toys
from heatproof.charts import spec as charts
from heatproof.charts.spec import omitted, unchecked
from heatproof.export import drawing
from heatproof.kinds import api, pairwise
from heatproof.kinds.pairwise import aggregate, board, board_density, board_layout, naming
from heatproof.kinds.pairwise.instances import bin_instances

REAL = [
    "DeepSeek-R1", "gemini-2.0-flash", "gemini-2.5-flash", "Llama-4-Maverick-17B-128E",
    "claude-3.7-sonnet", "gpt-5-mini", "qwen3-235b-a22b", "Maverick-r16", "phi-4", "grok-3",
    "mistral-large-2411", "command-r-plus",
]  # fmt: skip
LONG = [f"vendor/model-{letter}-large-preview-2025-04-17" for letter in "abcdefgh"]


def entry(models: list[str], **given: Any) -> pairwise.Entry:
    plain = {"name": "f", "kind": "pairwise", "source": "s", "models": models}
    return msgspec.convert(plain | given, pairwise.Entry)


def grid(models: list[str], step: float = 0.05, size: int = 10, n: int = 60) -> pl.DataFrame:
    """Pairs of models, each `step` worse than the one before, as `aggregate` gives them."""
    rng = np.random.default_rng(3)
    hard, noise = rng.random(n), rng.normal(0, 0.1, (len(models), n))
    at = np.clip(1 - hard + noise - step * np.arange(len(models))[:, None], 0, 1).round(2)
    pairs = sorted(itertools.combinations(range(len(models)), 2), key=lambda pair: pair[1])
    from heatproof import statistics

    tests = aggregate.judge_pairs([statistics.paired(at[i], at[j]) for i, j in pairs])
    parts = []
    for (i, j), test in zip(pairs, tests, strict=True):
        lead = at[i] - at[j]
        named = {"x_model": models[i], "y_model": models[j], "pair_n": n}
        named |= {"wins": int((lead > 0).sum()), "ties": int((lead == 0).sum())}
        named |= {"losses": int((lead < 0).sum()), **test, "units": n}
        columns = {
            name: pl.lit(value, pl.Float64 if value is None else None)
            for name, value in named.items()
        }
        parts.append(bin_instances(at[i], at[j], size).with_columns(**columns))
    return pl.concat(parts)


def spec(frame: pl.DataFrame, models: list[str], **given: Any) -> dict[str, Any]:
    with unchecked():
        made = api.part("pairwise", "draw").draw(frame, entry(models, **given))
        return dict(made.to_dict(validate=False))


def data(chart: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return list(chart["datasets"][name])


@pytest.mark.parametrize(
    ("models", "given", "is_board"),
    [(2, {}, False), (3, {}, True), (2, {"form": "board"}, True), (3, {"form": "panels"}, False)],
)
def test_more_than_two_models_are_a_board(
    models: int, given: dict[str, str], is_board: bool
) -> None:
    """Two are one large panel; either form can be asked for."""
    one = entry(REAL[:models], **given)
    assert (one.board, one.mistakes()) == (is_board, [])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"color": "count"}, ".color: 'count' is of panels (form: panels); this figure is a board"),
        ({"points": False}, ".points: false is of panels (form: panels); this figure is a board"),
        ({"columns": 2}, ".columns: 2 is of panels (form: panels); this figure is a board"),
        ({"form": "panels", "sort": "value"}, ".sort: 'value' is how a board is sorted (form: board)"),
        ({"models": [str(n) for n in range(44)]}, ".models: 44 are too many: 'double' has room for 43"),
        ({"width": "single", "models": [str(n) for n in range(21)]},
         ".models: 21 are too many: 'single' has room for 20"),
    ],
)  # fmt: skip
def test_keys_of_the_other_form_are_refused(given: dict[str, Any], said: str) -> None:
    """Nothing is left aside in silence: each is named, with the form that it is of."""
    assert entry(**({"models": REAL[:3]} | given)).mistakes() == [said]


@pytest.mark.parametrize("models", [REAL[:3], REAL])
@pytest.mark.parametrize("given", [{"title": "All of them"}, {"width": "single"}, {"bins": 30}])
def test_a_board_is_valid_vega_lite(models: list[str], given: dict[str, Any]) -> None:
    """Whatever is asked for, the schema knows all that the spec says."""
    frame = grid(models, size=given.get("bins", 10))
    made = api.part("pairwise", "draw").draw(frame, entry(models, **given)).to_dict(validate=True)
    assert made == spec(frame, models, **given)


def test_squares_say_what_the_grid_says() -> None:
    """Column − row, problems won and lost, and the verdict of the interval, seen from the column."""
    models = REAL[:5][::-1]
    frame = grid(models)
    squares = {(row["column"], row["row"]): row for row in data(spec(frame, models), "squares")}
    assert len(squares) == 10
    for row in frame.unique(["x_model", "y_model"], maintain_order=True).iter_rows(named=True):
        pair = row["x_model"], row["y_model"]
        sign = 1 if pair in squares else -1
        square = squares[pair[::sign]]
        assert float(square["lead"].replace("−", "-")) == round(sign * row["mean"], 3)
        tally = [row["wins"], row["losses"]][::sign]
        assert square["tally"] == "{} : {}".format(*tally)
        low, high = sorted(sign * row[f"simultaneous_{end}"] for end in ("low", "high"))
        apart = low > 0 or high < 0
        assert square["told"] == square["bold"] == apart
        assert (square["fill"] == "#ffffff") != apart
        assert square["verdict"] == ("told apart" if apart else "not told apart")


def test_models_are_sorted_and_ranked_by_their_mean_lead() -> None:
    """The best first, unless the order of the config is asked for; ranks stay those of the leads."""
    models = REAL[:4][::-1]
    frame = grid(models, -0.1)
    best = board.read(frame, entry(models))
    assert best.order == models[::-1]
    assert not best.mixed
    leads = [best.leads[model] for model in best.order]
    assert leads == sorted(leads, reverse=True)
    plain = board.read(frame, entry(models, sort="config"))
    assert (plain.order, plain.ranks) == (models, best.ranks)
    assert plain.mixed
    assert best.ranks == {model: n for n, model in enumerate(best.order, 1)}
    shown = spec(frame, models, sort="config")
    assert [row["text"] for row in data(shown, "ranks")] == ["4", "3", "2", "1"]


def test_equal_models_share_a_rank() -> None:
    """Ties everywhere: all are first, no pair is told apart, and nothing is coloured."""
    models = REAL[:4]
    frame = grid(models, 0).with_columns(
        mean=pl.lit(0.0), simultaneous_low=pl.lit(None, pl.Float64)
    )
    chart = spec(frame, models)
    assert {row["text"] for row in data(chart, "ranks")} == {"1"}
    assert {(row["number"], row["fill"]) for row in data(chart, "squares")} == {("0.00", "#ffffff")}
    assert {row["verdict"] for row in data(chart, "squares")} == {"not told apart: too few differ"}


@pytest.mark.parametrize("order", [1, -1])
def test_densities_have_the_column_along_x(order: int) -> None:
    """A bin lies where the model of its column and that of its row put it, whatever the grid."""
    models = ["a", "b"][::order]
    points = {"a": np.array([0.95, 0.95, 0.15]), "b": np.array([0.05, 0.05, 0.15])}
    x, y = (points[name] for name in models)
    tests = {name: pl.lit(None, pl.Float64) for name in aggregate.TESTS}
    counts = {"pair_n": 3, "wins": 2, "ties": 1, "losses": 0}
    named = {"x_model": models[0], "y_model": models[1], **counts}
    columns = tests | {name: pl.lit(value) for name, value in named.items()}
    chart = spec(bin_instances(x, y, 10).with_columns(**columns), models, form="board")
    full, small = sorted(data(chart, "bins"), key=lambda row: -row["samples"])
    assert (full["samples"], full["column"], full["row"]) == (2, "b 0 to 0.1", "a 0.9 to 1")
    assert full["lead"] == "−0.900"
    assert small["x"] > full["x"]  # further right: more of b
    assert small["y"] > full["y"]  # further down: less of a
    (square,) = data(chart, "squares")
    assert (square["column"], square["row"], square["number"]) == ("a", "b", "+0.60")


def test_made_up_instances_have_no_verdict() -> None:
    """Means are shown, for they hold whichever were solved; no tally, no interval, no dash."""
    models = REAL[:3]
    nothing = dict.fromkeys(aggregate.TESTS, pl.lit(None, pl.Float64))
    frame = grid(models)
    chart = spec(frame.with_columns(**nothing), models)
    told = data(spec(frame, models), "squares")
    for row, known in zip(data(chart, "squares"), told, strict=True):
        assert float(row["lead"]) == pytest.approx(float(known["lead"]), abs=0.0011)
        assert (row["tally"], row["verdict"]) == ("", "")
        assert row["fill"] != "#ffffff"
    assert "told apart" not in json.dumps(chart["concat"])


@pytest.mark.parametrize(
    ("models", "width", "bins", "digits"),
    [(2, "single", True, True), (4, "single", True, True), (6, "single", False, True),
     (12, "single", False, False), (8, "double", True, True), (12, "double", False, True)],
)  # fmt: skip
@pytest.mark.parametrize("long", [False, True])
def test_boards_fit_their_page(
    models: int, width: str, bins: bool, digits: bool, long: bool
) -> None:
    """No wider than asked, no higher than 9 in, type of 6 pt or more; less where it is small."""
    suffix = "-instruct-fp8-dynamic-2025-04-17" if long else ""
    names = [f"{name}{suffix * (n % 2)}" for n, name in enumerate(REAL[:models])]
    chart = spec(grid(names), names, width=width, form="board")
    made = drawing.draw(chart)
    asked = {"single": 237, "double": 504}[width]
    assert asked - 4 <= made.size[0] <= asked
    assert lettered.collisions(made.svg) == []
    assert made.size[1] < 9 * 72
    assert min(map(float, re.findall(r'size="([\d.]+)px', made.svg))) >= 6
    assert ("bins" in chart["datasets"]) == bins
    assert ("colours" not in chart["datasets"]) == digits


def test_a_small_board_has_no_blank_sides() -> None:
    """Its page is as wide as names, squares and lines need."""
    made = drawing.draw(spec(grid(REAL[:4]), REAL[:4], width="double"))
    assert 260 <= made.size[0] < 360
    assert lettered.collisions(made.svg) == []


def test_fine_bins_are_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many for rectangles; those that hold any answer, unless these are too many as well."""
    models = REAL[:3]
    frame = grid(models, size=board_density.FINE + 1)
    chart = spec(frame, models)
    assert all(row["url"].startswith("data:image/png") for row in data(chart, "pictures"))
    assert sum(row["samples"] for row in data(chart, "bins")) == 180
    assert omitted(chart) == []
    monkeypatch.setattr(board_density, "ANSWERS", 9)
    chart = spec(frame, models)
    assert "bins" not in chart["datasets"]
    assert omitted(chart)[0].startswith("what a bin answers who points at it, for more than 9 hold")


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        (LONG[:2], ("vendor/model-", "-large-preview-2025-04-17")),
        (["tiny-s96", "tiny-b128", "tiny-s96-path"], ("tiny-", "")),
        (["a", "a-b"], ("", "")),
        (["org/a", "org/b"], ("org/", "")),
        (["a-1", "b-1"], ("", "-1")),
        (["m-a-1", "m-a-1-1"], ("m-a-", "")),
        (["-a", "-b"], ("-", "")),
        (["-a", "b"], ("", "")),
        (["gemini-2.0", "gemini-2.5"], ("gemini-", "")),
        (["window 8", "window 16"], ("window ", "")),
    ],
)
def test_names_lose_what_all_share(names: list[str], shared: tuple[str, str]) -> None:
    """Whole parts at both ends; what is left tells them apart, and some of each is left."""
    assert naming.shared_parts(names) == shared
    apart = naming.told_apart(names)
    assert [shared[0] + apart[name] + shared[1] for name in names] == names
    assert all(apart.values())
    assert len({*apart.values()}) == len(names)


def test_names_without_room_are_short_and_whole_below() -> None:
    """What all share stands once below the board; a name that is cut even then is told."""
    chart = spec(grid(LONG), LONG)
    assert [row["text"] for row in data(chart, "rows")] == list("abcdefgh")
    assert "whole names: vendor/model-…-large-preview-2025-04-17" in json.dumps(
        chart["concat"], ensure_ascii=False
    )
    assert omitted(chart) == []
    names = [f"{letter * 90}" for letter in "abc"]
    (line,) = omitted(spec(grid(names), names, width="single"))
    assert "`names` and `labels` give shorter ones" in line


def test_a_board_answers_on_all_its_squares_and_bins() -> None:
    """Who points at one hears both models, numbers and verdict; nothing else is read out."""
    models = REAL[:3]
    chart = spec(grid(models), models)
    svg = drawing.draw(json.loads(charts.text(_Chart(chart), {}))).svg
    said = re.findall(r'aria-label="(Column [^"]*)"', svg)
    assert len(said) == 3
    assert all("95 % interval, all pairs together" in one for one in said)
    bins = re.findall(r'aria-label="x [^"]*; Mean of x − y [^"]*"', svg)
    assert len(bins) == len(data(chart, "bins"))


class _Chart:
    """A spec as a chart that gives it."""

    def __init__(self, made: dict[str, Any]) -> None:
        self.made = made

    def to_dict(self, **_: Any) -> dict[str, Any]:
        return self.made


def test_most_models_have_names_beside_their_squares() -> None:
    """At the limit of a width, each row is as high as the smallest type."""
    names = [f"model-{n}" for n in range(20)]
    plan = board_layout.plan(names, entry(names, width="single"), 18.0, 40.0)
    assert plan.step >= plan.name
    assert not plan.digits


def test_squares_and_densities_can_be_opened_where_they_are_drawn() -> None:
    """The middle of each lies where the page looks for it, and tells what stands there."""
    made = toys.drawn("board")[3]
    story = toys.story("board")
    assert len(story["boxes"]) == len(story["panels"]) == 6
    left, top, *_ = story["boxes"][0]
    origin = left - data(made, "squares")[0]["x"], top - data(made, "squares")[0]["y"]
    found = 0
    for n, (panel, box) in enumerate(zip(story["panels"], story["boxes"], strict=True)):
        x, y = (text[3:] for text in (panel["x"], panel["y"]))
        if panel.get("one"):
            (square,) = (r for r in data(made, "squares") if (r["column"], r["row"]) == (x, y))
            assert box[0] == pytest.approx(origin[0] + square["x"])
            assert box[1] == pytest.approx(origin[1] + square["y"])
            facts = dict(zip(story["facts"], story["cells"][n]["facts"], strict=True))
            assert facts["Mean of x − y"] == square["lead"]
            assert f"{facts['x ahead']} : {facts['y ahead']}" == square["tally"]
            assert len(story["cells"][n]["pairs"]) == 12
            continue
        cells = story["cells"][3 + 25 * (n - 3) :][:25]
        for row in data(made, "bins"):
            names = row["column"].split()[0], row["row"].split()[0]
            if names != (x, y):
                continue
            middle = (row["x"] + row["x2"]) / 2 + origin[0], (row["y"] + row["y2"]) / 2 + origin[1]
            column = int((middle[0] - box[0]) / box[2] * 5)
            up = 4 - int((middle[1] - box[1]) / box[3] * 5)
            assert cells[up * 5 + column]["facts"][:2] == [str(row["samples"]), row["lead"]]
            assert len(cells[up * 5 + column]["pairs"]) == row["samples"]
            found += 1
    assert found == len(data(made, "bins")) > 9


def test_a_pair_is_traced_from_either_side() -> None:
    """All instances of two models, or a bin; named in the order of the board, x is its column."""
    entry, samples, grid, *_ = toys.drawn("board")
    trace = api.part("pairwise", "trace")
    for x, y in itertools.permutations("mno", 2):
        pair = {"x_model": x, "y_model": y}
        whole = trace.behind(samples.lazy(), grid, entry, pair)
        assert (whole.cell, whole.samples, whole.agrees) == (pair, 12, True)
        assert whole.epochs == 48
        leads = [part.value for part in whole.parts]
        assert whole.value == pytest.approx(sum(leads) / 12)
        one = trace.behind(samples.lazy(), grid, entry, pair | {"x": "0.5", "y": "0.1"})
        other = trace.behind(
            samples.lazy(), grid, entry, {"x_model": y, "y_model": x, "x": "0.1", "y": "0.5"}
        )
        assert (one.agrees, other.agrees) == (True, True)
        assert one.samples == other.samples
        assert (one.value or 0) == -(other.value or 0)
        assert (one.cell["x0"], one.cell["y0"]) == (0.4, 0.0)
