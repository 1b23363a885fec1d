"""Lines and points that are told apart, names beside them, and axes of numbers."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest

from heatproof.charts import quantity, series
from heatproof.charts.colour import contrast, rgb


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
    """24 of them by shape and colour; colours 3 : 1 on white, also for red-green blindness apart."""
    styles = series.styles([str(n) for n in range(24)])
    assert len({(one.colour, one.shape) for one in styles.values()}) == 24
    for one in styles.values():
        assert contrast(one.colour, "#ffffff") >= 3
        assert contrast(one.ink, "#ffffff") >= 4.5
    # Machado et al. 2009, severity 1, linear RGB: deutan and protan.
    for matrix in (
        ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
        ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ):  # fmt: skip
        seen = [_seen(colour, matrix) for colour in series.COLOURS]
        assert min(_distance(a, b) for a, b in combinations(seen, 2)) > 13


def _seen(colour: str, matrix: Any) -> tuple[float, ...]:
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb(colour)]
    return tuple(
        min(max(sum(m * c for m, c in zip(row, linear, strict=True)), 0), 1) for row in matrix
    )


def _distance(one: Any, other: Any) -> float:
    """CIE76 in CIELAB, D65."""

    def lab(rgb: Any) -> list[float]:
        r, g, b = rgb
        xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
               0.2126 * r + 0.7152 * g + 0.0722 * b,
               (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)  # fmt: skip
        x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
        return [116 * y - 16, 500 * (x - y), 200 * (y - z)]

    return float(sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5)


def test_ticks_that_are_drawn_are_those_that_are_asked_for() -> None:
    """Vega leaves out every other of many, unless it is told how many there are."""
    axis = quantity.upward((16.0, 78.0), 186.0, log=False)
    assert axis.axis().to_dict()["tickCount"] == len(axis.ticks) == 6
    names = {1.0: "one", 1.5: "a long name", 10.0: "ten"}
    assert quantity.at_values((0.0, 11.0), 60.0, False, names).labels == ["one", "ten"]
    assert quantity.at_values((1.0, 10.0), 60.0, True, {1.0: "1", 10.0: "10"}).place(10.0) == 60.0
