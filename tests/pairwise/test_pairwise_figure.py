"""What is drawn and said of pairs of models, and the records behind it."""

import itertools
import json
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from heatproof.charts.spec import noted
from heatproof.export import drawing
from heatproof.kinds import api
from heatproof.kinds.pairwise import pairs
from heatproof.statistics.estimates import student
from support import defined, lettered, toys
from support.pairs import entry, grid, models_grid, recounted, samples, spec

TRACE = api.kind("pairwise")
REAL = [
    "DeepSeek-R1", "gemini-2.0-flash", "gemini-2.5-flash", "Llama-4-Maverick-17B-128E",
    "claude-3.7-sonnet", "gpt-5-mini", "qwen3-235b-a22b", "Maverick-r16", "phi-4", "grok-3",
    "mistral-large-2411", "command-r-plus",
]  # fmt: skip


def drawn(models: list[str], **keys: Any) -> dict[str, Any]:
    """A figure of these models, each a bit worse than the one before."""
    return spec(models_grid(models), entry(models=models, bins=None, **keys))


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
    equal = models_grid(models, 0).with_columns(value=pl.lit(0.0), low=pl.lit(None, pl.Float64))
    chart = spec(equal, entry(models=models, bins=None))
    assert {row["text"] for row in chart["datasets"]["ranks"]} == {"1"}
    assert {row["fill"] for row in chart["datasets"]["squares"]} == {"#ffffff"}


def test_win_rates_are_counted_from_the_records() -> None:
    """Ties are half; picture, tooltip, page, table, trace and recount have the same number.

    Its interval is that of the share of wins, and says who is told apart; 50 has the middle colour.
    """
    values = {"a": [0.9] * 28 + [0.2], "b": [0.1] * 20 + [0.95] * 8 + [0.2], "c": [0.5] * 29}
    rows = samples({m: {f"q{n}": [v] for n, v in enumerate(own)} for m, own in values.items()})
    figure = entry(models=[*values], form="board", value="win_rate", bins=4)
    cells = grid(rows, figure)
    chart, story = (
        spec(cells, figure),
        TRACE.story(TRACE.records([rows], figure, cells), figure, cells),
    )
    table = {row.cells[:2]: row.cells for row in TRACE.table(cells, figure).rows}
    anew = {cell: number for cell, _, number, agrees in recounted(rows, cells, figure) if agrees}
    told = []
    for n, square in enumerate(chart["datasets"]["squares"]):
        x, y = square["column"], square["row"]
        wins = np.sign(np.subtract(values[x], values[y])) / 2 + 0.5
        skewed = abs(defined.skewness(wins - wins.mean()))
        half = defined.bent(student(1 - 0.05 / 6, 28), skewed) * wins.std(ddof=1) / 29**0.5
        half = max(half, defined.least(3) / 29 / 2)
        low, won, high = (
            f"{100 * min(max(wins.mean() + side * half, 0), 1):.1f}" for side in (-1, 0, 1)
        )
        told.append(not float(low) <= 50 <= float(high))
        assert (square["number"], square["lead"], square["told"]) == (won, won, told[-1])
        assert square["between"] == f"{low} to {high}"
        facts = dict(zip(story["facts"], story["cells"][n]["facts"], strict=True))
        assert (facts[pairs.WON], facts[pairs.INTERVAL]) == (won, f"{low} to {high}")
        assert pairs.DIFFERENCE not in facts
        if (x, y) in table:
            assert table[x, y][-2:] == (won, f"{low} to {high}")
        assert anew[f"model={x}, against={y}"] == pytest.approx(wins.mean())
        behind = TRACE.behind(rows, cells, figure, {"model": x, "against": y})
        numbers = [f"{100 * number:.1f}" for number in (behind.value, behind.counted)]
        assert (behind.agrees, numbers) == (True, [won, won])
    assert {True, False} == {*told}
    squares = chart["datasets"]["squares"]
    assert {square["fill"] for square in squares if not square["told"]} == {"#ffffff"}
    assert "50 lies outside their interval" in " ".join(TRACE.caption(cells, figure))


@pytest.mark.slow
def test_a_name_that_is_cut_is_cut_alike_as_a_column_and_as_a_row() -> None:
    """Where a row has room for that."""
    models = [f"an-organisation/{name}-with-instructions-2025" for name in REAL]
    chart = drawn(models)
    rows, columns = ({row["text"] for row in chart["datasets"][k]} for k in ("rows", "columns"))
    assert rows == columns
    assert all("…" in text for text in rows)
    assert noted(chart, "omitted")


@pytest.mark.slow
def test_panels_are_no_higher_than_a_page() -> None:
    """More and smaller ones stand in a row; where that is not enough, the figure says so."""
    models = [f"m{n}" for n in range(6)]
    few, many = (drawn(models, form="panels", width=width) for width in ("double", "1.5in"))
    assert not noted(few, "omitted")
    assert drawing.draw(few).size[1] <= 9 * 72
    assert len(noted(many, "omitted")) == 1


@pytest.mark.parametrize(
    ("models", "width", "full", "digits", "suffix"),
    [(2, "single", True, True, ""), (6, "single", False, True, "-instruct-fp8-2025-04-17"),
     (12, "single", False, False, ""), (8, "double", True, True, "-instruct-fp8-2025-04-17"),
     (12, "double", False, True, "")],
)  # fmt: skip
@pytest.mark.slow
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


BEHIND = {
    "a": {"i": [1.0, 0.5], "j": [0.8], "k": [0.1], "only a": [0.7]},
    "b": {"i": [0.0, 0.2], "j": [0.2], "k": [0.9], "only b": [0.1]},
}


def test_a_pair_is_traced_to_the_records_of_both_models() -> None:
    """Each instance with its means, x before y; records that the figure leaves out are not there."""
    other = samples(BEHIND).with_columns(task=pl.lit("u"), run=pl.col("run") + "2")
    rows, figure = pl.concat([samples(BEHIND), other]), entry(bins=2, where={"task": "t"})
    frame = grid(rows, figure)
    cell = TRACE.behind(rows, frame, figure, {"model": "a", "against": "b"})
    assert cell.cell == {"model": "a", "against": "b"}
    numbers = cell.value, cell.counted, cell.samples, cell.epochs, cell.agrees
    assert numbers == (pytest.approx(0.15), 0.15, 3, 8, True)
    assert [(part.title, part.epochs) for part in cell.parts] == [
        ("task=t, sample_id=i: 0.75 against 0.1", 4),
        ("task=t, sample_id=j: 0.8 against 0.2", 2),
        ("task=t, sample_id=k: 0.1 against 0.9", 2),
    ]
    records = [(r["model"], r["task"], r["epoch"], r["value"]) for r in cell.parts[0].records]
    values = (("a", 0, 1.0), ("a", 1, 0.5), ("b", 0, 0.0), ("b", 1, 0.2))
    assert records == [(model, "t", epoch, value) for model, epoch, value in values]
    for column in ("samples", "value", "wins"):
        forged = frame.with_columns(pl.col(column) + 1)
        assert not TRACE.behind(rows, forged, figure, {"model": "a", "against": "b"}).agrees


@pytest.mark.parametrize(("x", "y"), [("=a", "b"), ("'=a", "Beta")])
def test_models_go_by_any_of_their_names(x: str | None, y: str | None) -> None:
    """As the logs, the figure or a spreadsheet has them."""
    rows = samples({"=a": {"i": [0.5]}, "b": {"i": [0.25]}})
    figure = entry(models=["=a", "b"], names={"model": {"b": "Beta"}})
    names = {"model": x, "against": y}
    cell = {name: value for name, value in names.items() if value is not None}
    behind = TRACE.behind(rows, grid(rows, figure), figure, cell)
    assert (behind.samples, behind.value, behind.agrees) == (1, 0.25, True)


def test_a_pair_is_traced_from_either_side() -> None:
    """All instances of two models; the first less the second."""
    figure, rows, frame, *_ = toys.drawn("board")
    for x, y in itertools.permutations("mno", 2):
        pair = {"model": x, "against": y}
        there = TRACE.behind(rows.lazy(), frame, figure, pair)
        assert (there.cell, there.samples, there.epochs, there.agrees) == (pair, 12, 48, True)
        assert there.value == pytest.approx(sum(part.value or 0 for part in there.parts) / 12)
        back = TRACE.behind(rows.lazy(), frame, figure, {"model": y, "against": x})
        assert back.value == pytest.approx(-(there.value or 0))


@pytest.mark.parametrize("column", ["samples", "value", "wins", "ties", "losses", "epochs"])
def test_every_pair_is_counted_again(column: str) -> None:
    """What is wrong of a pair is seen at it alone."""
    rows, figure = samples(BEHIND | {"c": BEHIND["b"]}), entry(bins=2, models=[*"abc"])
    frame = grid(rows, figure)
    cells = recounted(rows, frame, figure)
    assert cells[1] == ("model=a, against=b", pytest.approx(0.15), 0.15, True)
    assert len(cells) == 9
    which = (pl.col("y") == "a") & (pl.col("x") == "b")
    forged = frame.with_columns(pl.when(which).then(pl.col(column) + 1).otherwise(column))
    wrong = [cell for cell, *_, same in recounted(rows, forged, figure) if not same]
    assert wrong == ["model=a, against=b"]


@pytest.mark.parametrize(
    ("column", "bin_"), [("bin_samples", 2), ("bin_leads", 1), ("bin_leads", 0)]
)
def test_every_bin_is_counted_again(column: str, bin_: int) -> None:
    """An instance, or a lead, in the wrong bin is seen at its pair."""
    rows, figure = samples(BEHIND), entry(bins=2)
    frame = grid(rows, figure)
    bins = frame[column].to_list()
    (number,) = (n for n, row in enumerate(frame.iter_rows(named=True)) if row["y"] < row["x"])
    assert frame["bin_samples"][number].to_list() == [0, 2, 1, 0]
    bins[number][bin_] = (bins[number][bin_] or 0) + 1
    forged = frame.with_columns(pl.Series(column, bins, frame.schema[column]))
    wrong = [cell for cell, *_, same in recounted(rows, forged, figure) if not same]
    assert wrong == ["model=a, against=b"]


def test_squares_and_densities_can_be_opened_where_they_are_drawn() -> None:
    """Each lies where the page looks for it, and says what stands there, with its instances."""
    chart, story = toys.drawn("board")[3], toys.story("board")
    squares, frames = chart["datasets"]["squares"], chart["datasets"]["frames"]
    left, top, *_ = story["boxes"][0]
    left, top = left - squares[0]["left"], top - squares[0]["top"]
    assert len(story["panels"]) == len(story["boxes"]) == len(squares) + len(frames) == 6
    for n, (panel, box) in enumerate(zip(story["panels"], story["boxes"], strict=True)):
        x, y = (panel[axis].removeprefix(f"{axis}: ") for axis in "xy")
        assert panel["pick"] == [["model", x], ["against", y]]
        facts = dict(zip(story["facts"], story["cells"][n]["facts"], strict=True))
        assert facts["Instances"] == "12"
        assert len(story["cells"][n]["parts"]) == 12
        first, second = (float(side) for side in story["cells"][n]["parts"][0][1].split(" − "))
        assert abs(first - second) == max(abs(float(a) - float(b)) for a, b in
                                          (part[1].split(" − ") for part in story["cells"][n]["parts"]))  # fmt: skip
        if n >= len(squares):
            frame = frames[n - len(squares)]
            assert box[:2] == pytest.approx([left + frame["left"], top + frame["top"]])
            continue
        (square,) = (row for row in squares if (row["column"], row["row"]) == (x, y))
        assert box[:2] == pytest.approx([left + square["left"], top + square["top"]])
        assert facts["Mean of x − y"] == square["lead"]
        assert f"{facts['x ahead']} : {facts['y ahead']}" == square["tally"]
