"""Bars side by side, and lines that are no data: where they stand, by the spec alone."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

import heatproof as hp
from heatproof.util.errors import Error


def table(worse: float = 0.0) -> dict[str, list[Any]]:
    """Two models on two tasks of four problems: 3, 2, 1 and 0 of them right."""
    rows: dict[str, list[Any]] = {name: [] for name in ("model", "task", "id", "score")}
    for number, (model, task) in enumerate([("a", "s"), ("b", "s"), ("a", "t"), ("b", "t")]):
        for problem in range(4):
            row = model, task, f"{task}{problem}", float(problem < 3 - number) - worse
            for name, value in zip(rows, row, strict=True):
                rows[name].append(value)
    return rows


def spec(kind: str = "line", data: Any = None, **keys: Any) -> dict[str, Any]:
    keys = {"encoding": {"x": "task", "y": "mean(score)", "color": "model"}} | keys
    chart = hp.figure(data or table(), kind, {"sample_id": "id"}, **keys)
    return chart.to_dict(validate=False)  # type: ignore[no-any-return]


def data_of(spec: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return spec["datasets"][name]  # type: ignore[no-any-return]


def test_bars_begin_at_0_and_are_as_high_as_their_values() -> None:
    """Heights are to each other as the values are; a bar of 0 is a hair; bars do not touch."""
    rows = data_of(spec(form="bars"), "points")
    assert [row["value"] for row in rows] == [75, 25, 50, 0]
    heights = [row["foot"] - row["top"] for row in rows]
    assert heights[0] == pytest.approx(3 * heights[1], abs=0.05)
    assert heights[2] == pytest.approx(2 * heights[1], abs=0.05)
    assert heights[3] < 1
    assert len({row["foot"] for row in rows}) == 1
    ordered = sorted(rows, key=lambda row: row["left"])
    assert [row["line"] for row in ordered] == ["a", "b", "a", "b"]
    for left, right in pairwise(ordered):
        assert left["right"] < right["left"]


def scales_of(chart: Any) -> Iterator[dict[str, Any]]:
    """All scales of y in a spec."""
    parts = chart.values() if isinstance(chart, dict) else chart
    y = chart.get("y") if isinstance(chart, dict) else None
    if isinstance(y, dict) and "scale" in y:
        yield y["scale"]
    for part in parts:
        if isinstance(part, dict | list):
            yield from scales_of(part)


def test_intervals_have_the_scale_of_the_bars() -> None:
    """One layer brings the axis of y, which begins at 0, for all."""
    scales = [*scales_of(spec(form="bars"))]
    assert scales
    assert {scale["domain"][0] for scale in scales} == {0}


def test_a_reference_lies_at_its_level() -> None:
    """As high as a bar of that value, with its name; the axis holds it."""
    drawn = spec(form="bars", reference=[{"value": 50, "label": "chance"}, 90])
    bar = next(row for row in data_of(drawn, "points") if row["value"] == 50)
    chance, high = data_of(drawn, "references")
    assert chance["start"] == chance["end"] == pytest.approx(bar["top"], abs=0.02)
    assert chance["name"] == "chance"
    assert 0 <= high["start"] < chance["start"]


def test_a_diagonal_joins_equal_numbers() -> None:
    """In a scatter of shares, from corner to corner of equal axes."""
    encoding = {"x": "mean(score)", "y": "pass@1", "label": "model", "detail": "task"}
    ends = {"x_domain": [0, 100], "domain": [0, 100]}
    drawn = spec("scatter", encoding=encoding, reference="diagonal", front="none", **ends)
    (line,) = data_of(drawn, "references")
    assert (line["left"], line["end"]) == (0, 0)
    assert line["right"] > 0
    assert line["start"] > 0


@pytest.mark.parametrize(("keys", "says"), [
    ({"form": "bars", "y_scale": "log"}, "bars begin at 0"),
    ({"reference": 120, "domain": [0, 100]}, "lies beyond domain"),
    ({"reference": 0, "y_scale": "log"}, "cannot be shown on a log axis"),
    ({"reference": "diagnal"}, "did you mean 'diagonal'"),
])  # fmt: skip
def test_mistakes(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(Error, match=says):
        spec(**keys)


def test_more_bars_than_colours_are_refused() -> None:
    """Shape and dash tell lines apart, and nothing but colour bars."""
    rows = {"model": [f"m{n}" for n in range(9)], "task": ["s"] * 9, "id": ["q"] * 9}
    with pytest.raises(Error, match="has 9 values, but bars have 8 colours"):
        spec(data=rows | {"score": [1.0] * 9}, form="bars")
