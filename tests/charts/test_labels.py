"""labels: numbers of an axis are rounded alike, names have their lines, and none is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from heatproof.charts import lettering, theme
from heatproof.charts.lettering import fit_labels, widest
from heatproof.charts.spec import noted
from heatproof.export import drawing
from heatproof.util.numerals import shortened, words
from lettered import collisions, overlap, texts
from support.heatmaps import grid, spec, told

MODELS = [
    "meta-llama/Llama-3.1-8B-Instruct",
    "mistralai/Mixtral-8x22B-v0.1",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
    "openai/gpt-4o-2024-08-06",
]
LONG = "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8-dynamic-quantized-r16-{}"
DECODING = ["greedy decoding (temperature 0, top_p 1.0)", "nucleus (temperature 0.6, top_p 0.95)"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1.0, 0.95, 0.9, 0.5], ["1.00", "0.95", "0.90", "0.50"]),
        ([0.0, 0.7, 1.0], ["0.0", "0.7", "1.0"]),
        ([1.0, 2.0], ["1", "2"]),
        ([0.125, 0.5, 1.0], ["0.125", "0.500", "1.000"]),
        ([-0.25, 0.5], ["−0.25", "0.50"]),
        ([0.001, 0.01, 1.0], ["0.001", "0.01", "1"]),
        ([0.0001, 0.001], ["0.0001", "0.001"]),
        ([0.5, None], ["0.5", "none"]),
    ],
)
def test_numbers_of_an_axis_have_equal_decimals(values: list[Any], said: list[str]) -> None:
    """Unless they are of very different size, where zeros behind the digits would say nothing."""
    assert words(values) == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([f"{100 * n / 34:.3f}" for n in range(35)], ["0.0", "2.9", "5.9", "8.8"]),
        ([f"{100 * n / 34:.3f}" for n in range(5)], ["0.000", "2.941", "5.882", "8.824"]),
        ([str(1000 + 878 * n) for n in range(21)], ["1.0k", "1.9k", "2.8k", "3.6k"]),
        (["5000", "20000", "2500", "0"], ["5.0k", "20.0k", "2.5k", "0"]),
        (["1000000", "3500000"], ["1.0M", "3.5M"]),
        ([str(1024 * 2**n) for n in range(9)], ["1024", "2048", "4096", "8192"]),
        (["12345", "67890"], ["12345", "67890"]),
        (["500", "3000"], ["500", "3000"]),
        (["70m", "160m"], ["70m", "160m"]),
        ([f"0.1234{n}" for n in range(10, 20)], ["0.123410", "0.123411", "0.123412"]),
        (["30000"], ["30000"]),
    ],
)
def test_long_numbers_are_told_in_three_digits(given: list[str], said: list[str]) -> None:
    """Where they are many, or round; never two alike, and never the sizes of a computer."""
    found = shortened(given)
    assert found[: len(said)] == said
    assert len({*found}) == len(given)


def test_rounded_numbers_are_whole_where_they_are_told() -> None:
    """The axis prints fewer digits; the cell that is pointed at has all of them."""
    chart = spec(grid(["a"], [round(100 * n / 34, 3) for n in range(12)], [1, 2], lambda *_: 0.5))
    said = json.dumps(chart, ensure_ascii=False)
    assert '"8.824": ["8.8"]' in said.replace('\\"', '"')
    assert '"x": "8.824"' in said


@pytest.mark.parametrize(
    ("given", "step", "angle", "lines"),
    [
        (("a", "b"), 20.0, 0, 1),
        (tuple(MODELS), 48.0, 0, 4),
        (tuple(MODELS), 20.0, 45, 1),
        (tuple(MODELS), 11.0, 90, 1),
        (("2025-01-03", "2025-02-10"), 15.0, 45, 1),
    ],
)
def test_names_lie_level_then_slant_then_stand(
    given: tuple[str, ...], step: float, angle: int, lines: int
) -> None:
    """As many lines as there is room for, else 45°, and upright where cells are narrower yet."""
    made = fit_labels(given, step, 90.0)
    assert (made.angle, max(map(len, made.lines.values()))) == (angle, lines)
    assert made.axis(100.0, []).to_dict()["values"] == list(given)


def test_names_that_are_cut_differ() -> None:
    """In their middle, else at an end, else from where they begin to differ, else by number."""
    for given in (
        [LONG.format(n) for n in range(3)],
        [f"{n} {LONG}" for n in range(3)],
        [f"{'a' * 40} {n} {'b' * 40}" for n in range(3)],
        [f"{'a' * n}{'b' * 90}{'a' * 40}{'c' * (90 - n)}" for n in (40, 41)],
    ):
        found = lettering.cut(given, 60.0)
        assert len({*found.values()}) == len(given)
        assert widest(found.values(), theme.LABEL) <= 60.0
    assert lettering.cut(["short", LONG], 60.0)["short"] == "short"
    assert lettering.cut([LONG, "b"], 60.0)[LONG][:4] == "meta"
    assert lettering.cut([LONG, "b"], 60.0)[LONG][-2:] == LONG[-2:]


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize(
    ("along", "up"),
    [
        (DECODING, ["8", LONG.format(1)]),
        (MODELS, MODELS),
        ([LONG.format(n) for n in range(6)], [LONG.format(n) for n in range(2)]),
        ([0.1, 0.25], [f"task_{n}_of_a_suite" for n in range(5)]),
    ],
)
def test_whole_names_stand_in_the_figure(along: list[Any], up: list[str], width: str) -> None:
    """Beside the cells, or below them in a key; no text stands on another or off the page."""
    chart = spec(grid(["a"], along, up, lambda *_: 0.5), width=width)
    assert not collisions(drawing.draw(chart).svg)
    assert not noted(chart, "omitted")
    below = "".join(told(chart)).replace(" ", "")
    said = json.dumps(chart, ensure_ascii=False)
    for name in (*along, *up):
        lines = f'\\"{name}\\": ['
        if lines in said and "…" in said.split(lines)[1].split("]")[0]:
            assert str(name).replace(" ", "") in below


def test_many_names_that_are_cut_are_noted() -> None:
    """A key of fourteen would be as large as the figure."""
    many = [LONG.format(n) for n in range(14)]
    chart = spec(grid(["a"], [0.1], many, lambda *_: 0.5), width="single")
    assert "of 14 in all: `names`" in noted(chart, "omitted")[0]
    assert not [line for line in told(chart) if " = " in line]


def test_names_that_are_left_out_are_noted() -> None:
    """Of a hundred rows not each is named; numbers tell those between them."""
    many = [f"task {n}" for n in range(100)]
    chart = spec(grid(["a"], [0.1], many, lambda *_: 0.5), text=False)
    (said,) = [line for line in noted(chart, "omitted") if "names" in line]
    left = int(said.split(" ")[0])
    assert said.startswith(f"{left} names beside its cells, as 'task 1', too near to others")
    printed = {one.text for one in texts(drawing.draw(chart).svg)} & {*many}
    assert len(printed) == 100 - left
    numbers = spec(grid(["a"], [0.1], [*range(100)], lambda *_: 0.5), text=False)
    assert not [line for line in noted(numbers, "omitted") if "names" in line]


def test_lines_of_a_label_stand_in_the_middle_of_their_row() -> None:
    """Two lines begin half a line above where one would stand."""
    chart = spec(grid(["a"], [0.1], ["8", LONG.format(1)], lambda *_: 0.5))
    found = [one for one in texts(drawing.draw(chart).svg) if one.text[:4] in ("meta", "Inst")]
    value, *_ = [one for one in texts(drawing.draw(chart).svg) if one.text == "50.0"]
    top, bottom = min(one.top for one in found), max(one.bottom for one in found)
    middles = [(one.top + one.bottom) / 2 for one in texts(drawing.draw(chart).svg)
               if one.text == value.text]  # fmt: skip
    assert min(abs((top + bottom) / 2 - middle) for middle in middles) < 0.8


def test_slanted_lines_may_lie_beside_each_other() -> None:
    """Rectangles are compared as they are turned, not as the boxes around them."""
    side = '<text transform="translate({},50) rotate(-45)" font-size="7px">a long label</text>'
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{}</svg>'
    near, far = (texts(svg.format(side.format(10) + side.format(10 + by))) for by in (3, 12))
    assert overlap(*near) > 1
    assert overlap(*far) < 0


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["2026-01-02", "2025-12-31"], ["2026-01-02", "2025-12-31"]),
        (["2026-01-02T00:00:00Z", "2026-02-01T00:00:00Z"], ["2026-01-02", "2026-02-01"]),
        (["2026-01-02T09:30:00", "2026-01-02T10:00:00"], ["2026-01-02 09:30", "2026-01-02 10:00"]),
        (["2026-01-02 09:30:01", "2026-01-02 09:30:02"], ["2026-01-02 09:30:01", "2026-01-02 09:30:02"]),
        (["2026-01-02T09:30Z", "2026-01-02T09:30+01:00"], ["2026-01-02 09:30Z", "2026-01-02 09:30+01:00"]),
        (["2026-01-02T00:00:00Z", "baseline"], ["2026-01-02T00:00:00Z", "baseline"]),
        (["2026-01-02T05:00:00Z", "2026-01-02T05:00:00Z"], ["'2026-01-02T05:00:00Z'", "'2026-01-02T05:00:00Z'"]),
    ],
)  # fmt: skip
def test_dates_are_told_alike_and_no_longer_than_they_differ(
    values: list[str], labels: list[str]
) -> None:
    """Days without a time that all share, times without such seconds; others as they stand."""
    assert words(values) == labels
