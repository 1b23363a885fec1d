"""colour: the colours that are drawn, and ink that reads on every one of them."""

import pytest

from heatproof.charts import colour
from heatproof.util.errors import Error


@pytest.mark.parametrize("name", colour.names())
def test_ink_reads_on_every_colour(name):
    """Black or white has a contrast of at least 4.5 : 1 on every value of every palette."""
    colours = colour.palette(name)
    shades = [colour.mixed(step / 400, colours) for step in range(401)]
    assert min(colour.contrast(colour.ink(shade), shade) for shade in shades) >= 4.5


@pytest.mark.parametrize("name", colour.names())
def test_palettes_are_hex_colours(name):
    """A palette is a list of `#rrggbb`, and its ends are the ends of the domain."""
    colours = colour.palette(name)
    assert all(len(shade) == 7 and int(shade[1:], 16) >= 0 for shade in colours)
    assert (colour.mixed(0, colours), colour.mixed(1, colours)) == (colours[0], colours[-1])


def test_mixes_linearly_and_rounds_half_up():
    """Between two colours each channel is mixed linearly and rounded half up, as in d3."""
    assert colour.mixed(0.5, ["#000000", "#ffff01"]) == "#808001"


def test_values_beyond_the_ends_take_their_colours():
    """A part outside 0 to 1 is drawn as the nearest end."""
    assert colour.mixed(1.5, ["#000000", "#ffffff"]) == "#ffffff"
    assert colour.mixed(-0.5, ["#000000", "#ffffff"]) == "#000000"


@pytest.mark.parametrize("name", sorted(colour.DIVERGING))
def test_zero_is_grey_in_a_diverging_palette(name):
    """The middle of a diverging palette is a grey that stands out from paper."""
    middle = colour.mixed(0.5, colour.palette(name))
    assert len(set(colour.rgb(middle))) == 1
    assert colour.contrast(middle, "#ffffff") > 1.5


def test_contrast_follows_wcag():
    """Black on white is 21 : 1, and #767676 on white just above 4.5 : 1."""
    assert colour.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert colour.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_the_case_of_a_palettes_name_does_not_count():
    """`YlGnBu_r`, as other tools write it, is `ylgnbu_r`."""
    assert colour.palette("YlGnBu_r") == colour.palette("ylgnbu_r")
    assert colour.palette("YlGnBu_r") == colour.palette("ylgnbu")[::-1]
    assert [colour.is_diverging(name) for name in ("RdBu", "RdBu_r", "YlGnBu_r")] == [
        True,
        True,
        False,
    ]
    with pytest.raises(Error, match=r"'VIRIDI' is not a palette; .*did you mean 'viridis'"):
        colour.palette("VIRIDI")


def test_an_unknown_palette_names_those_there_are():
    """A misspelled palette is reported with the likeliest one."""
    with pytest.raises(Error, match=r"'viridi' is not a palette; .*did you mean 'viridis'"):
        colour.palette("viridi")
