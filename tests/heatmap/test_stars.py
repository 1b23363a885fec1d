"""`uncertainty: stars`: levels at which cells differ from their baseline, in all texts."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import heatproof as hp
from heatproof.kinds import api
from heatproof.library import frames
from heatproof.statistics import Pairs, gaps, scores, simultaneous, stars
from heatproof.util.errors import Error

GAINS = (0, 14, 24, 60)


def rows() -> pl.DataFrame:
    """120 problems; of four settings of `a`, 0, 14, 24 and 60 more are right than of `b`."""
    records = []
    for model in "ab":
        for setting, gain in enumerate(GAINS):
            right = 40 + (gain if model == "a" else 0)
            for problem in range(120):
                one = {"model": model, "window": setting, "task": "t", "sample_id": f"q{problem}"}
                records.append(one | {"score": float(problem < right)})
    return pl.DataFrame(records)


KEYS: dict[str, Any] = {
    "x": "window", "y": "task", "metric": "pass@1", "where": {"model": "a"},
    "relative_to": {"model": "b"}, "uncertainty": "stars",
}  # fmt: skip


def test_stars_are_levels_at_which_all_intervals_together_leave_out_0() -> None:
    """As many as the intervals of each level say; more for larger gains."""
    grid = hp.grid(rows(), **KEYS)
    count = np.ones((120, 4), int)
    own = np.array([[float(problem < 40 + gain) for gain in GAINS] for problem in range(120)])
    base = np.array([[float(problem < 40)] * 4 for problem in range(120)])
    pairs = Pairs(scores(own, count), scores(base, count), np.zeros(120, int), np.arange(120))
    panel = [(pairs, gaps(pairs))]
    told = np.zeros(4, int)
    for level in (0.05, 0.01, 0.001):
        (limit,) = simultaneous(panel, level=level)
        told += (limit.low > 0) | (limit.high < 0)
    assert stars(panel) == [told.tolist()]
    assert grid["star_levels"].fill_null(0).to_list() == told.tolist()
    assert told.tolist() == [0, 1, 3, 3]
    assert (grid["star_levels"].fill_null(0) > 0).to_list() == grid["differs"].fill_null(
        False
    ).to_list()


def test_intervals_are_wider_at_rarer_levels() -> None:
    """By the quantile, and by the least lead."""
    pairs = Pairs(
        scores(np.repeat([[1.0], [0.0]], [30, 70], axis=0), np.ones((100, 1), int)),
        scores(np.zeros((100, 1)), np.ones((100, 1), int)), np.zeros(100, int), np.arange(100),
    )  # fmt: skip
    panel = [(pairs, gaps(pairs))]
    widths = [float((limit.high - limit.low)[0])
              for level in (0.05, 0.01, 0.001) for limit in simultaneous(panel, level=level)]  # fmt: skip
    assert widths == sorted(widths)
    assert len({*widths}) == 3


def test_figure_caption_and_table_have_stars_with_their_levels() -> None:
    """Below values, behind numbers in LaTeX; nothing is bold."""
    figure = hp.heatmap(rows(), **KEYS)
    drawn = figure.to_dict(validate=False)
    cells = next(data for data in drawn["datasets"].values() if data and "spread" in data[0])
    assert [cell["spread"] for cell in cells] == ["", "*", "***", "***"]
    assert not any(cell["bold"] for cell in cells)
    block = {"kind": "heatmap", "name": "f", "source": "s"} | KEYS
    block["encoding"] = {"x": block.pop("x"), "y": block.pop("y"), "color": block.pop("metric")}
    entry = api.read(block)
    samples = frames.samples_of(rows(), ["window"], [], {}, {}).lazy()
    told = api.FigureTexts(api.kind("heatmap").aggregate(samples, entry), entry)
    said = "*, **, ***: can be told apart from the baseline at 5, 1, 0.1\u00a0%"
    assert said in " ".join(told.caption())
    assert r"+50.0\rlap{$^{***}$}" in told.latex()
    assert "at 5, 1, 0.1" in told.latex()


@pytest.mark.parametrize(("keys", "says"), [
    ({"relative_to": {}}, "'stars' compares with a baseline"),
    ({"metric": "std(score)"}, "'stars' needs a mean"),
    ({"annotate": "count"}, "a cell has room for one line"),
])  # fmt: skip
def test_mistakes(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(Error, match=says):
        hp.heatmap(rows(), **KEYS | keys)
