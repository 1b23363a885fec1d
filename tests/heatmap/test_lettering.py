"""No text of a figure stands on another, whatever is shown and however it is to be laid out."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import lettered
from heatproof.export import drawing
from support import heatmaps

TASKS = ["A", "AIME24", "GPQA_D", "a-long-task-name-of-some-kind", "HumanEval+", "mmlu_pro"]
LABELS = {"local_window": "Local Window Size of the cache", "pass@1": "Share solved at once"}
NOTE = "Reconstructed from printed digits; the logs were never published."


def drawn(spec: dict[str, Any]) -> str:
    return drawing.draw(json.loads(json.dumps(spec))).svg


def heatmap(seed: int) -> str:
    """A figure of anything."""
    chance = random.Random(seed)
    pick, often = chance.choice, lambda share: chance.random() < share
    along, up = pick([1, 2, 3, 5, 8, 12, 20, 40]), pick([1, 2, 3, 4, 7, 12, 30])
    x = pick([[round(0.1 * n, 1) for n in range(along)], [f"setting-{n}" for n in range(along)],
              [500 * n for n in range(along)], [2.5e-6 * 2**n for n in range(along)]])  # fmt: skip
    y = pick([[512 * n for n in range(up)], [f"model-{n}-instruct" for n in range(up)]])
    tasks = chance.sample(TASKS, pick([1, 1, 2, 3, 4, 5, 6]))
    size = pick([1, 1, 1, 1e-6, 1e6])
    frame = heatmaps.grid(tasks, x, y, of=lambda *_: size * chance.random() * pick([1, 1, 1, 0.01]))
    gaps, tied = (pl.Series([often(0.2) for _ in range(len(frame))]) for _ in range(2))
    if often(0.3):
        frame = frame.with_columns(value=pl.when(gaps).then(None).otherwise(pl.col("value")))
    frame = frame.with_columns(tied=tied, epochs=pl.lit(pick([140, 150])))
    keys: dict[str, Any] = {
        "width": pick(["single", "double"]), "scale": pick(["shared", "independent"]),
        "margins": often(0.3), "uncertainty": pick(["none", "se", "interval"]),
        "percent": size == 1,
        **({"labels": LABELS} if often(0.3) else {}),
        **({"columns": pick([1, 2, 3])} if often(0.2) else {}),
        **({"title": "A title that goes on and on over the page"} if often(0.3) else {}),
    }  # fmt: skip
    return drawn(heatmaps.spec(frame, [NOTE] if often(0.4) else [], **keys))


@pytest.mark.parametrize("part", range(3))
def test_no_text_of_a_heatmap_stands_on_another(part: int) -> None:
    """Of many figures, each other than the last; none is wider than a page of a journal."""
    figures = {seed: heatmap(seed) for seed in range(8 * part, 8 * part + 8)}
    found = {seed: lettered.collisions(svg) for seed, svg in figures.items()}
    assert {seed: texts for seed, texts in found.items() if texts} == {}
    assert max(lettered.page(svg)[0] for svg in figures.values()) <= 7 * 72


LOW = {"width": "single", "columns": 3}
TIGHT = {"width": "single", "columns": 2, "labels": LABELS, "uncertainty": "interval"}


@pytest.mark.parametrize(
    ("tasks", "along", "up", "keys"),
    [(5, 8, 1, LOW), (1, 4, 1, {"scale": "shared"}), (3, 3, 2, TIGHT), (2, 5, 1, TIGHT)],
)
def test_low_and_narrow_panels(tasks: int, along: int, up: int, keys: dict[str, Any]) -> None:
    """Bars of a single row have one number; values are left out when titles take their room."""
    for low, high in ((0.1, 0.75), (0.0, 1.0), (0.2, 0.9)):
        step = (high - low) / (tasks * along * up)
        value = iter(low + step * n for n in range(tasks * along * up + 1))
        frame = heatmaps.grid(
            TASKS[:tasks], [f"setting-{n}" for n in range(along)], heatmaps.WINDOWS[:up],
            of=lambda *_: next(value),  # noqa: B023 - asked at once
        )  # fmt: skip
        assert lettered.collisions(drawn(heatmaps.spec(frame, **keys))) == []


def test_collisions_are_seen() -> None:
    """The eye of these tests is open."""
    text = '<text transform="translate({},{})" font-size="10px">{}</text>'
    both = (
        text.format(10, 20, "one") + text.format(14, 22, "two") + text.format(80, 20, "beyond it")
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 30">{both}</svg>'
    assert lettered.collisions(svg) == ["'one' on 'two'", "'beyond it' is not on the page"]


def labelled(*labels: str, spread: str = "") -> Any:
    """A panel of cells with these labels."""
    return SimpleNamespace(
        rows=[{"label": one, "spread": spread, "outlined": False} for one in labels]
    )


def laid(wide: float, high: float) -> Any:
    """A layout with cells of this size."""
    return SimpleNamespace(cell=(wide, high))
