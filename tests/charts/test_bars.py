"""bars: a colour bar has, at each value, the colour of the cells with this value."""

from __future__ import annotations

import re

import pytest

from heatproof.charts import bars, colour
from heatproof.export import drawing

RAMP = ["#000000", "#404040", "#ffffff"]


@pytest.mark.parametrize(
    "scale",
    [
        colour.scale((2, 9), RAMP),
        colour.scale((1, 1000), RAMP, log=True),
        colour.scale((-1, 4), RAMP, center=0),
        colour.scale((0, 1), colour.palette("lagoon_r")),
    ],
)
def test_a_bar_has_the_colours_of_the_cells(scale: colour.Scale) -> None:
    """Low values at its foot, and between its ends the colours that cells have."""
    chart = bars.chart(bars.Bar("", scale), 100, 30, 5, 100).to_dict(validate=False)
    chart["datasets"] = {"one": [{}]}
    svg = drawing.draw(chart).svg
    (ends,) = re.findall(r"<linearGradient ([^>]*)>", svg)
    assert 'y1="1"' in ends
    assert 'y2="0"' in ends
    stops = re.findall(r'offset="([\d.]+)" stop-color="(#\w{6})"', svg)
    assert [code for _, code in stops] == [*scale.colours]
    places = [float(offset) for offset, _ in stops]
    assert places == pytest.approx([scale.place(value) for value in scale.stops], abs=1e-5)
    assert (places[0], places[-1]) == (0, 1)
