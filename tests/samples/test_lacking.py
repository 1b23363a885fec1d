"""What a cell lacks is told whatever the reason, and what is no lack is not told as one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof.kinds import api
from heatproof.kinds.heatmap import reasons
from support.built import figure, folder, grid, read

__all__ = ["folder"]

FIELDS = {"sample_id": "id", "score": "s"}
CSV = {"format": "csv", "set": {"task": "t", "model": "m"}, "fields": FIELDS}
LINES = CSV | {"format": "jsonl"}
IN_RECORDS = {"format": "jsonl", "fields": FIELDS | {"task": "t", "model": "m"}}


def lines(*records: Any) -> str:
    told = [one if isinstance(one, str) else json.dumps(one) for one in records]
    return "".join(f"{one}\n" for one in told)


def attempt(n: int, **more: Any) -> dict[str, Any]:
    return {"id": f"q{n}", "s": n % 2, "t": "t", "m": "m"} | more


TEN = [attempt(n) for n in range(10)]
ROWS = "".join(f"q{n},{n % 2}\n" for n in range(10))
REFUSED: dict[str, tuple[dict[str, Any], str, tuple[int, int]]] = {
    "a cell that is no number": (CSV, f"id,s\n{ROWS}q10,n/a\n", (10, 11)),
    "a score below 0": (CSV, f"id,s\n{ROWS}q10,-1\n", (10, 11)),
    "a short row": (CSV, f"id,s\n{ROWS}q10\n", (10, 11)),
    "a score that is a text": (IN_RECORDS, lines(*TEN, attempt(10, s="x")), (10, 11)),
    "no score": (IN_RECORDS, lines(*TEN, {"id": "q10", "t": "t", "m": "m"}), (10, 11)),
    "an id that is none": (IN_RECORDS, lines(*TEN, attempt(10, id=[1])), (10, 11)),
    "no JSON, beside settings of the source": (LINES, lines(*TEN[:5], "{oh", *TEN[5:]), (10, 11)),
    "lists of unequal length": (
        IN_RECORDS | {"epochs": {"lists": ["score", "answer"]}, "answers": True,
                      "fields": FIELDS | {"task": "t", "model": "m", "answer": "a"}},
        lines(*(attempt(n, s=[0, 1, 1], a=["x"] * (2 + (n > 0))) for n in range(5))), (12, 15),
    ),
    "the same, tried again": (IN_RECORDS, lines(*TEN, attempt(10, s="x"), attempt(10)), (11, 11)),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_record_is_lacking_whatever_is_wrong_with_it(case: str) -> None:
    """Where its settings are known, its cell expects it."""
    keys, text, wanted = REFUSED[case]
    Path("a.log").write_text(text)
    found = grid(read(logs="a.log", **keys), x="task").select("epochs", "expected").rows()
    assert found == [wanted]


def test_a_run_of_which_all_is_refused_has_its_place() -> None:
    """It is no hole in the grid: its records are there."""
    Path("a.log").write_text(lines(*TEN, *(attempt(n, m="o", s="x") for n in range(10))))
    made = grid(read(logs="a.log", **IN_RECORDS), x="task")
    told = made.select("y", "gap", "expected").rows()
    assert told == [("m", None, 10), ("o", reasons.FAILED, 10)]


def test_a_refused_game_is_lacking_on_both_sides() -> None:
    """One against itself was never to be one."""
    games = [
        {"id": f"g{n}", "s": 1, "m": one, "o": other, "t": "t"}
        for n in range(6)
        for one, other in (("a", "b"), ("b", "c"), ("a", "c"))
    ]
    games += [{"id": "g6", "s": "?", "m": "a", "o": "b", "t": "t"}]
    games += [{"id": "g6", "s": 1, "m": "c", "o": "c", "t": "t"}]
    Path("a.log").write_text(lines(*games))
    keys = IN_RECORDS | {"params": {"o": "str"}, "versus": "o"}
    made = grid(read(logs="a.log", **keys), x="o")
    lacks = made.filter(pl.col("epochs") < pl.col("expected"), pl.col("value").is_not_null())
    assert lacks.select("y", "x", "epochs", "expected").rows() == [
        ("a", "b", 6, 7), ("b", "a", 6, 7)
    ]  # fmt: skip


def spec_of(tmp: Path, rows: list[dict[str, Any]], **keys: Any) -> tuple[pl.DataFrame, str]:
    """The grid of a heatmap, and its caption."""
    (tmp / "a.log").write_text(lines(*rows))
    source = IN_RECORDS | {"params": {"b": "int"}, "measures": {"g": "g"}} | keys.pop("source", {})
    shards = read(logs="a.log", **source)
    made = grid(shards, x=keys.pop("x", "b"), **keys)
    return made, " ".join(api.kind("heatmap").caption(made, figure(x="b", **keys)))


def test_a_number_that_some_rows_lack_is_lacking(tmp_path: Path) -> None:
    """mean(g) of 20 of 40 rows says so."""
    rows = [attempt(n, b=1, g=n if n < 20 else None) for n in range(40)]
    made, caption = spec_of(tmp_path, rows, color="mean(g)")
    assert made.select("samples", "epochs", "expected").rows() == [(20, 20, 40)]
    assert "Incomplete: Model m, B 1: 20 of 40 graded rows with g" in caption
    whole, caption = spec_of(tmp_path, rows)
    assert whole.select("samples", "epochs", "expected").rows() == [(40, 40, 40)]
    assert "Incomplete" not in caption


def test_a_model_against_itself_is_no_cell() -> None:
    """It is neither without data nor incomplete."""
    games = [
        {"id": f"g{n}", "s": n % 2, "m": one, "o": other, "t": "t"}
        for n in range(6)
        for one, other in (("a", "b"), ("b", "c"), ("a", "c"))
    ]
    Path("a.log").write_text(lines(*games))
    keys = IN_RECORDS | {"params": {"o": "str"}, "versus": "o"}
    shown = {"x": "o", "opponent": "o"}
    made = grid(read(logs="a.log", **keys), **shown)
    own = made.filter(pl.col("x") == pl.col("y")).select("gap", "expected").unique()
    assert own.rows() == [("a model against itself", 0)]
    caption = " ".join(api.kind("heatmap").caption(made, figure(**shown)))
    assert "Incomplete" not in caption
    assert "without data" not in api.kind("heatmap").draw(made, figure(**shown)).to_json()
