"""Digits: what is printed is the number, and a ± or an interval that is there is never nothing.

Figures of all kinds that show cells, of numbers of all sizes: each printed number, in spec, page,
LaTeX and alt text alike, is that of the grid within half of its last place.
"""

import json
import random
import re
from functools import cache
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.charts import spec
from heatproof.kinds import api
from heatproof.kinds.heatmap.cell import fields_of, read_cells
from support.samples import table
from support.toys import behind

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
def samples() -> pl.LazyFrame:
    """Two settings of two nets, 30 problems each."""
    luck = random.Random(7)
    rows = [
        {"line": n, "b": b, "net": net, "sample_id": str(n), "run": f"{net}{b}"}
        | measured(b, net, n, luck)
        for net in "uv"
        for b in (1, 2)
        for n in range(30)
    ]
    return table(rows, {"b": "int", "net": "str"}, MEASURES)


AXES = {"x": "b", "y": "net", "color": "?"}
KINDS: dict[str, dict[str, Any]] = {
    "heatmap": {"encoding": AXES, "uncertainty": "se"},
    "interval": {"encoding": AXES, "uncertainty": "interval"},
    "tied": {"encoding": AXES},
    "less": {"encoding": AXES, "relative_to": {"b": 1}, "uncertainty": "se"},
    "table": {"encoding": {"x": "b", "y": "net", "text": "?"}},
    "line": {"encoding": {"x": "b", "y": "?", "color": "net"}},
    "forest": {"encoding": {"x": "?", "y": "net", "detail": "b"}},
    "scatter": {"encoding": {"x": "mean(cost)", "y": "?", "label": "net", "detail": "b"}},
}
WORDS = ["pass@1", "mean(score)", *(f"mean({name})" for name in MEASURES)]


def parsed(text: str) -> list[tuple[float, float]]:
    """The numbers of a text, each with half of its last place."""
    numbers = []
    for digits, power, prefix in NUMBER.findall(text):
        plain = digits.replace("−", "-").replace(",", "")
        unit = 10.0 ** int((power or "0").replace("−", "-")) * PREFIXES.get(prefix, 1.0)
        last = 10.0 ** -len(plain.partition(".")[2])
        numbers.append((float(plain) * unit, last * unit / 2))
    return numbers


def is_printed(text: str, *numbers: float) -> bool:
    """Whether a text has just these numbers, to the digit; no other than 0 as 0."""
    numbers_of_text = parsed(text)
    assert len(numbers_of_text) == len(numbers), text
    return all(
        abs(value - number) <= half * (1 + 1e-6)
        for (value, half), number in zip(numbers_of_text, numbers, strict=True)
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


TEXTS = {"value": ("value",), "error": ("se",), "between": ("low", "high")}


@pytest.mark.parametrize(
    ("name", "word"), [(n, word) for i, n in enumerate(KINDS) for word in WORDS[i % 5 :: 5]]
)
def test_what_is_told_is_the_number(name: str, word: str) -> None:
    """Value, ± and interval of each cell: in the spec, in the facts of the page, in its table; and
    the ends of values in the alt text. Each metric in some kinds, each kind with some metrics.
    """
    block = {"kind": name if name in ("table", "line", "forest", "scatter") else "heatmap"}
    block |= KINDS[name] | {"name": "f", "source": "s", "ranges": RANGES}
    encoding = {key: word if at == "?" else at for key, at in block["encoding"].items()}
    figure: Any = api.read(block | {"encoding": encoding})
    kind = api.kind(figure.kind)
    grid = kind.aggregate(samples(), figure)
    cells = read_cells(grid, figure.question, "tied")
    rows = [fields_of(cell) | {"itself": cell.itself} for cell in cells]

    drawn = json.loads(spec.text(kind.draw(grid, figure), {"reconstructed": False}))
    marks = [row for data in drawn["datasets"].values() for row in data if "between" in row]
    assert len(marks) == len(rows)
    printed = [(row["told"], row, "value") for row in marks]
    printed += [(row[key], row, key) for row in marks for key in ("error", "between")]
    printed += [
        (row["spread"], row, "error" if "±" in row["spread"] else "between") for row in marks
    ]
    values = [row["value"] for row in rows if not row.get("itself")]
    for ends in re.findall(r"from (\S+) to (\S+) in \d+ cells", drawn["description"]):
        assert is_printed(" ".join(ends), min(values), max(values))

    story = kind.story(behind([samples()], figure, grid), figure, grid)
    titles = story["facts"]
    keys = {titles[0]: "value", "Standard error": "error", "95 % interval": "between"}
    page = msgspec.to_builtins(kind.table(grid, figure))
    for row, cell, line in zip(rows, story["cells"], page["rows"], strict=True):
        texts = [*zip(titles, cell["facts"], strict=True)]
        texts += zip(page["columns"], line["cells"], strict=True)
        printed += [(text, row, keys[title]) for title, text in texts if title in keys]
    for text, row, key in printed:
        if text not in (None, "", "–") and not row.get("itself"):
            holds(text, row, TEXTS[key])
