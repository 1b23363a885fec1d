"""Digits: what is printed is the number, and a ± or an interval that is there is never nothing.

Figures of all kinds that show cells, of numbers of all sizes: each printed number, in spec, page,
LaTeX and alt text alike, is that of the grid within half of its last place.
"""

from __future__ import annotations

import json
import random
import re
from functools import cache
from typing import Any

import polars as pl
import pytest

import heatproof as hp
from heatproof import page as gallery
from heatproof.charts import spec
from heatproof.config.entries import Columns
from heatproof.kinds import api
from heatproof.kinds.heatmap import cells
from heatproof.samples import tables
from heatproof.util.numerals import Digits, fitting
from support.toys import BOARD, PAIRWISE, behind, row, trio

MEASURES = ("turns", "cost", "tokens", "rating", "shift", "near", "wide", "same")
RANGES = {"turns": [0.0, 3.0], "shift": [-1.0, 1.0], "near": [0.0, 1.0]}
"""What 0 and 1 are in the logs; the others have no bounds, and so no interval."""
PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}
NUMBER = re.compile(r"([−-]?[\d,]*\.?\d+)(?:e([+−-]\d+))?([nµmkMG](?![a-z]))?")


def measured(b: int, net: str, n: int, luck: random.Random) -> dict[str, float]:
    """A sample's numbers: whole, tiny, long, far from 0, around 0, all but certain, of all sizes."""
    step = b + (net == "v")
    return {
        "score": float(luck.random() < 0.6),
        "turns": (b - 1 + n % 3) / 3,
        "cost": 4e-4 * step * luck.uniform(0.9, 1.1),
        "tokens": 12_000.0 * step + luck.randint(-400, 400),
        "rating": 1_000_000.0 + step / 4 + luck.uniform(-0.1, 0.1),
        "shift": float(n % 2),
        "near": 0.9999 + luck.uniform(-1e-4, 1e-4),
        "wide": (10.0 ** (2 * step - 6)) * luck.uniform(0.5, 1.5),
        "same": step * 0.1 + 0.2,
    }


@cache
def samples() -> pl.DataFrame:
    """Two settings of two nets, 30 problems each."""
    luck = random.Random(7)
    rows = [
        row(n + 1, log=f"data/{net}{b}.jsonl", model="m", b=b, net=net, epoch=0, sample_id=str(n))
        | measured(b, net, n, luck)
        for net in "uv"
        for b in (1, 2)
        for n in range(30)
    ]
    return pl.DataFrame(
        rows, schema=tables.samples_schema(Columns({"b": "int", "net": "str"}, MEASURES))
    )


KINDS: dict[str, dict[str, Any]] = {
    "heatmap": {"encoding": {"x": "b", "y": "net", "color": "?"}, "uncertainty": "se"},
    "interval": {"encoding": {"x": "b", "y": "net", "color": "?"}, "uncertainty": "interval"},
    "tied": {"encoding": {"x": "b", "y": "net", "color": "?"}},
    "less": {
        "encoding": {"x": "b", "y": "net", "color": "?"},
        "relative_to": {"b": 1},
        "uncertainty": "se",
    },
    "table": {"encoding": {"x": "b", "y": "net", "text": "?"}},
    "line": {"encoding": {"x": "b", "y": "?", "color": "net"}},
    "forest": {"encoding": {"x": "?", "y": "net", "detail": "b"}},
    "scatter": {"encoding": {"x": "mean(cost)", "y": "?", "label": "net", "detail": "b"}},
}
WORDS = ["pass@1", "mean(score)", *(f"mean({name})" for name in MEASURES)]


def figure(name: str, word: str, **keys: Any) -> tuple[Any, pl.DataFrame]:
    """A figure of a metric, and its grid."""
    block = KINDS[name]
    encoding = {key: word if told == "?" else told for key, told in block["encoding"].items()}
    kind = name if name in ("table", "line", "forest", "scatter") else "heatmap"
    made = api.read(
        {**block, "encoding": encoding, "kind": kind, "name": "f", "source": "s"}
        | {"ranges": RANGES, **keys}
    )
    assert made.mistakes() == []
    return made, api.kind(kind).aggregate(samples().lazy(), made)


def parsed(text: str) -> list[tuple[float, float]]:
    """The numbers of a text, each with half of its last place."""
    found = []
    for digits, power, prefix in NUMBER.findall(text):
        plain = digits.replace("−", "-").replace(",", "")
        unit = 10.0 ** int((power or "0").replace("−", "-")) * PREFIXES.get(prefix, 1.0)
        last = 10.0 ** -len(plain.partition(".")[2])
        found.append((float(plain) * unit, last * unit / 2))
    return found


def is_printed(text: str, *numbers: float) -> bool:
    """Whether a text has just these numbers, to the digit; no other than 0 as 0."""
    got = parsed(text)
    assert len(got) == len(numbers), text
    return all(
        abs(value - number) <= half * (1 + 1e-6)
        for (value, half), number in zip(got, numbers, strict=True)
    )


def holds(text: str, row: dict[str, Any], keys: tuple[str, ...]) -> None:
    """What is printed of a cell is what the grid has of it."""
    assert is_printed(text, *(row[key] for key in keys)), (text, row)
    printed = [value for value, _ in parsed(text)]
    if keys == ("se",):
        noise = row["se"] <= 1e-9 * abs(row["value"])  # what floats leave of no error
        assert (printed[0] == 0) == noise, (text, row)
    if keys == ("low", "high"):
        assert (printed[0] == printed[1]) == (row["low"] == row["high"]), (text, row)


def cells_of(made: Any, grid: pl.DataFrame) -> list[dict[str, Any]]:
    """The cells in the unit shown."""
    heat = made.cells() if hasattr(made, "cells") else made
    return list(cells.cell_table(grid, heat, heat.unit, "tied"))


@cache
def of_all(name: str, word: str) -> tuple[Any, pl.DataFrame, list[dict[str, Any]]]:
    """A figure, its grid and its cells."""
    made, grid = figure(name, word)
    return made, grid, cells_of(made, grid)


FIGURES = pytest.mark.parametrize(
    ("name", "word"), [(n, word) for i, n in enumerate(KINDS) for word in WORDS[i % 3 :: 3]]
)
"""Each metric in some kinds, each kind with some metrics."""
TEXTS = {"value": ("value",), "error": ("se",), "between": ("low", "high")}


@FIGURES
def test_what_is_drawn_is_the_number(name: str, word: str) -> None:
    """Value, ± and interval of each cell in the spec, and the ends of values in the alt text."""
    made, grid, rows = of_all(name, word)
    chart = api.kind(made.kind).draw(grid, made)
    drawn = json.loads(spec.text(chart, {"reconstructed": False}))
    marks = [one for data in drawn["datasets"].values() for one in data if "between" in one]
    assert len(marks) == len(rows)
    for one in marks:
        for key, numbers in TEXTS.items():
            text = one["told" if key == "value" else key]
            if text and not one.get("itself"):
                holds(text, one, numbers)
        if one["spread"]:
            holds(one["spread"], one, TEXTS["error" if "±" in one["spread"] else "between"])
    for text in re.findall(r"from (\S+) to (\S+) in \d+ cells", drawn["description"]):
        values = [one["value"] for one in rows if not one.get("itself")]
        assert is_printed(" ".join(text), min(values), max(values))


@FIGURES
def test_what_the_page_tells_is_the_number(name: str, word: str) -> None:
    """In the facts of a cell that is opened, and in the table."""
    made, grid, rows = of_all(name, word)
    text = gallery.figure_text(behind([samples().lazy()], made, grid), made, grid)
    titles = text["story"]["facts"]
    told = {titles[0]: "value", "Standard error": "error", "95 % interval": "between"}
    for one, cell, line in zip(rows, text["story"]["cells"], text["table"]["rows"], strict=True):
        facts = dict(zip(titles, cell["facts"], strict=True))
        pairs = [(facts[title], told[title]) for title in titles if told.get(title)]
        shown = dict(zip(text["table"]["columns"], line["cells"], strict=True))
        pairs += [(shown[title], told[title]) for title in shown if told.get(title)]
        for words, key in pairs:
            if words not in (None, "–") and not one.get("itself"):
                holds(words, one, TEXTS[key])


def test_values_that_are_marked_as_different_are_told_apart() -> None:
    """One of two is bold, so they are not printed alike; where ± says how sure, that is enough."""
    rows = {"lr": [1, 2], "net": [0, 0], "v": [1000000.25, 1000000.5]}
    shown = json.loads(hp.heatmap(rows, x="lr", y="net", value="v", best="highest").to_json())
    labels = [one["label"] for data in shown["datasets"].values() for one in data if "label" in one]
    assert labels == ["1,000,000.2", "1,000,000.5"]
    assert fitting([12_345.0, 12_345.4], [0.0], [0.4]) == ",.1f"
    assert fitting([12_345.0, 12_345.4], [400.0], [0.4]) == ".4s"


@pytest.mark.parametrize("made", [PAIRWISE, BOARD])
def test_small_differences_of_pairs_are_not_printed_as_none(made: Any) -> None:
    """Mean and interval of models that differ in the fifth place, in figure, table and LaTeX."""
    rows = trio().with_columns(progress=0.5 + 1e-5 * pl.col("progress"))
    grid = api.kind("pairwise").aggregate(rows.lazy(), made)
    drawn = spec.text(api.kind("pairwise").draw(grid, made), {"reconstructed": False})
    table = [line.cells for line in api.kind("pairwise").table(grid, made).rows]
    latex = api.kind("pairwise").latex(grid, made)
    told = f"{drawn} {table} {latex.replace('$-$', '−')}"
    assert not re.search(r"[+−]0\.0+(?!\d)", told)
    low, high = (
        ("simultaneous_low", "simultaneous_high") if made is BOARD else ("mean_low", "mean_high")
    )
    for mean, *ends in grid.select("mean", low, high).unique().drop_nulls().iter_rows():
        texts = [Digits("+.3f").end(end, mean, (ends[1] - ends[0]) / 4) for end in ends]
        assert is_printed(" ".join(texts), *ends)
        assert " to ".join(texts) in told


def test_what_is_noted_beside_values_has_its_digits() -> None:
    """The least of them is not 0, and nor is a share of a percent."""
    made, grid = figure("tied", "pass@1", annotate="mean(wide)")
    assert [one["noted"] for one in cells_of(made, grid)] == [
        f"{value:.5f}" for value in grid["note_value"]
    ]
    made, grid = figure("tied", "pass@1", annotate={"text": "mean(wide)", "format": ".1f"})
    assert {one["noted"] for one in cells_of(made, grid)} == {"0.0", "1.0"}
