"""Lines and points that are told apart, names beside them, and axes of numbers."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from vl_convert import vega_to_svg

from heatproof.charts import quantity, series
from heatproof.charts.colour import contrast
from heatproof.util.numerals import log_ticks, show, ticks


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


def test_ticks_that_are_drawn_are_those_that_are_asked_for() -> None:
    """Vega leaves out every other of many, unless it is told how many there are."""
    axis = quantity.upward((16.0, 78.0), 186.0, log=False)
    assert axis.axis().to_dict()["tickCount"] == len(axis.ticks) == 6
    names = {1.0: "one", 1.5: "a long name", 10.0: "ten"}
    assert quantity.at_values((0.0, 11.0), 60.0, False, names).labels == ["one", "ten"]
    assert quantity.at_values((1.0, 10.0), 60.0, True, {1.0: "1", 10.0: "10"}).place(10.0) == 60.0
    assert ticks(39.3, 49.3) == [40, 42, 44, 46, 48]
    assert log_ticks(1, 33) == [1, 2, 5, 10, 20]
    assert log_ticks(1, 5000) == [1, 10, 100, 1000]


def test_numbers_are_printed_as_d3_does() -> None:
    """As the library that draws prints them: widths are measured by ours, bars lettered by it."""
    numbers = [s * m * 10.0**n for n in range(-9, 8) for m in (1, 2.7, 9.9996) for s in (1, -1)]
    specs = [
        ".1f",
        ".0f",
        ",.2f",
        "+.3f",
        ".6~g",
        ".3g",
        ".2~g",
        ".1e",
        ".3~e",
        ".3s",
        ".4~s",
        ".0%",
        "d",
    ]
    pairs = [(number, form) for form in specs for number in [*numbers, 0, 0.3, 1234.6]]
    values = [{"v": number, "f": form} for number, form in pairs]
    formula = {"type": "formula", "as": "t", "expr": "format(datum.v, datum.f)"}
    mark = {"type": "text", "from": {"data": "d"}, "encode": {"enter": {"text": {"field": "t"}}}}
    spec = {"data": [{"name": "d", "values": values, "transform": [formula]}], "marks": [mark]}
    drawn = [text or "" for text in re.findall(r"<text[^>]*>([^<]*)</text>", vega_to_svg(spec))]
    for (number, form), text in zip(pairs, drawn, strict=True):
        # A zero has no exponent here, and no sign.
        if abs(number) >= (0.001 if form[0] == "+" else 1e-300 if form[-1] == "e" else 0):
            assert show(number, form) == text.replace("e-", "e−"), (number, form)
