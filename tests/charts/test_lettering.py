"""Text is measured in the typeface that is drawn; labels fit, no two are cut alike; lines are told apart."""

import io
import json
from itertools import pairwise
from typing import Any

import pytest
from fontTools.ttLib import TTFont
from vl_convert import svg_to_png

from heatproof.charts import lettering, series, theme, typefaces
from heatproof.charts.colour import contrast
from heatproof.charts.lettering import APART, fit_labels, text_width, widest
from heatproof.charts.spec import noted
from heatproof.export import drawing
from heatproof.util.errors import Error
from support.heatmaps import grid, spec, told
from support.lettered import collisions

DIGITS = "0123456789" * 2
MODELS = [
    "meta-llama/Llama-3.1-8B-Instruct",
    "mistralai/Mixtral-8x22B-v0.1",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
    "openai/gpt-4o-2024-08-06",
]
LONG = "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8-dynamic-quantized-r16-{}"
DECODING = ["greedy decoding (temperature 0, top_p 1.0)", "nucleus (temperature 0.6, top_p 0.95)"]


def picture(
    text: str, family: str = typefaces.SANS.private, weight: int = 400, cut: float = 200
) -> bytes:
    """A text as drawn, white from `cut` on."""
    typefaces.register(typefaces.SANS)
    return svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="20">'
        '<rect width="200" height="20" fill="white"/><text y="15" font-size="10" '
        f'font-family="{family}" font-weight="{weight}">{text}</text>'
        f'<rect x="{cut}" width="200" height="20" fill="white"/></svg>'
    )


def test_width_is_what_is_drawn() -> None:
    """The measured width is where the drawn ink ends: nothing beyond, something just before."""
    width = text_width(DIGITS, 10)
    assert picture(DIGITS, cut=width) == picture(DIGITS, cut=120)
    assert picture(DIGITS, cut=0.98 * width) != picture(DIGITS, cut=120)
    assert len({text_width(digit, 10) for digit in DIGITS}) == 1
    assert text_width(DIGITS, 10, bold=True) > width


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setattr(typefaces, "find_spec", lambda _: None)
    with pytest.raises(Error, match="font-source-sans-pro"):
        typefaces.path("Regular")


def test_a_subset_holds_the_text_alone() -> None:
    """Glyphs for the characters asked for; their order and repetition change no byte."""
    assert typefaces.missing("±×−–≤≥≈→µσ", "Regular") == []
    assert typefaces.missing("a汉b", "Regular") == ["汉"]
    with TTFont(io.BytesIO(typefaces.subset("0.5"))) as font:
        assert sorted(font.getBestCmap()) == sorted(map(ord, ".05"))
    assert typefaces.subset("Ratio") == typefaces.subset("oitaRRatio")


def test_labels_are_measured_in_the_typeface_of_their_figure() -> None:
    """In one process, figures in both: what lies level in one is turned in the other."""
    names = tuple(3 * word for word in ("millimetre", "millilitre"))
    step, angles = widest(names, theme.LABEL) + APART, []
    for word in typefaces.TYPEFACES:
        with typefaces.using(typefaces.TYPEFACES[word]):
            angles.append(fit_labels(names, step).angle)
    assert [bool(angle) for angle in angles] == [False, True]


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
    text = json.dumps(chart, ensure_ascii=False)
    for name in (*along, *up):
        lines = f'\\"{name}\\": ['
        if lines in text and "…" in text.split(lines)[1].split("]")[0]:
            assert str(name).replace(" ", "") in below


@pytest.mark.parametrize("places", [[5, 5, 5], [1, 2, 30], [0, 0, 29, 30], [3.0], []])
def test_names_are_spread_out_in_their_order(places: list[float]) -> None:
    """Apart as asked, within the ends, and moved no further than they must be."""
    spread = series.spread_out(places, 4.0, 0.0, 30.0)
    order = sorted(range(len(places)), key=lambda n: (places[n], n))
    assert all(b - a >= 4 - 1e-9 for a, b in pairwise(spread[n] for n in order))
    assert all(0 <= place <= 30 for place in spread)
    if places == [1, 2, 30]:
        assert spread == [0.0, 4.0, 30.0]


def test_lines_are_told_apart_by_colour_shape_and_dash() -> None:
    """24 of them by shape and colour; colours 3 : 1 on white, names 4.5 : 1."""
    styles = series.styles([str(n) for n in range(24)])
    assert len({(style.colour, style.shape) for style in styles.values()}) == 24
    for style in styles.values():
        assert contrast(style.colour, "#ffffff") >= 3
        assert contrast(style.ink, "#ffffff") >= 4.5


@pytest.mark.parametrize(
    ("labels", "crowding", "expected"),
    [
        ([str(n) for n in range(1, 36)], 0.5, "5 10 15 20 25 30 35"),
        ([f"{n / 20:.2f}" for n in range(1, 13)], 1.5, "0.10 0.20 0.30 0.40 0.50 0.60"),
        ([f"−{30 - 3 * n}" for n in range(10)], 2.5, "−30 −21 −12 −3"),  # of 15 there are but two
        ([str(n) for n in range(1, 13)], 0.9, "1 2 3 4 5 6 7 8 9 10 11 12"),
        ([str(2**n) for n in range(12)], 2.5, "1 8 64 512"),
        ([f"model-{n}" for n in range(30)], 10.0, "model-0 model-10 model-20"),
    ],
)
def test_round_numbers_are_printed_where_not_all_are(
    labels: list[str], crowding: float, expected: str
) -> None:
    """Of evenly spaced ones; of others, and of names, every n-th."""
    assert " ".join(lettering.thinned(labels, crowding)) == expected
