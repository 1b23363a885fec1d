"""colour: the colours that are drawn, and ink that reads on every one of them."""

from itertools import pairwise

import pytest

from heatproof.charts import colour
from heatproof.util.errors import Error

BOTH = [*colour.names(), *(f"{name}_r" for name in colour.names())]


@pytest.mark.parametrize("name", colour.names())
def test_ink_reads_on_every_colour(name):
    """Black or white has a contrast of at least 4.5 : 1 on every value of every palette."""
    colours = colour.palette(name)
    shades = [colour.mixed(step / 400, colours) for step in range(401)]
    assert min(colour.contrast(colour.ink(shade), shade) for shade in shades) >= 4.5


@pytest.mark.parametrize("name", BOTH)
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


@pytest.mark.parametrize("name", ["poles", "dusk"])
def test_zero_is_grey_in_our_diverging_palettes(name):
    """Their middle is a grey that stands out from paper, and their ends are as dark as each other."""
    colours = colour.palette(name)
    middle = colour.mixed(0.5, colours)
    assert len(set(colour.rgb(middle))) == 1
    assert colour.contrast(middle, "#ffffff") > 1.3
    assert lightness(colours[0]) == pytest.approx(lightness(colours[-1]), abs=0.5)
    assert colour.is_diverging(name)


def lightness(shade):
    """CIE L*, 0 to 100."""
    part = colour.luminance(shade)
    return 116 * part ** (1 / 3) - 16 if part > (6 / 29) ** 3 else part * (29 / 3) ** 3


def perceived(ink, ground):
    """Perceived contrast, 0 to 108, of a text: APCA 0.0.98G-4g, without its sign."""
    text, back = (
        sum(
            w * (c / 255) ** 2.4
            for w, c in zip((0.2126729, 0.7151522, 0.072175), colour.rgb(one), strict=True)
        )
        for one in (ink, ground)
    )
    text, back = (one + max(0.022 - one, 0) ** 1.414 for one in (text, back))
    powers = (0.56, 0.57) if back > text else (0.65, 0.62)
    found = abs(back ** powers[0] - text ** powers[1]) * 1.14
    return 0 if found < 0.1 else 100 * (found - 0.027)


def misread(colours):
    """Steps of 201 in which black is the ink, and white has more perceived contrast."""
    shades = [colour.mixed(step / 200, colours) for step in range(201)]
    black = [shade for shade in shades if colour.ink(shade) == "#000000"]
    return sum(perceived("#ffffff", one) > perceived("#000000", one) for one in black)


def test_perceived_contrast_is_that_of_the_standard():
    """The numbers of its own test page: black on white, #888 on white, white on #888."""
    found = [perceived(*pair) for pair in (("#000000", "#ffffff"), ("#888888", "#ffffff"),
             ("#ffffff", "#888888"))]  # fmt: skip
    assert found == pytest.approx([106.04, 63.06, 68.54], abs=0.01)


@pytest.mark.parametrize(
    ("ours", "made_of"),
    [("lagoon", "YlGnBu"), ("ember", "YlOrBr"), ("poles", "RdBu"), ("dusk", "PuOr")],
)
def test_digits_read_by_both_measures_on_our_palettes(ours, made_of):
    """All but 8 of 201 steps: the others are passed in a step; elsewhere lightness is even."""
    colours = colour.palette(ours)
    assert misread(colours) <= 8
    assert misread(colour.palette(made_of)) >= 30
    arms = [colours] if len(colours) == 21 else [colours[20::-1], colours[20:]]
    for arm in arms:
        steps = [lightness(a) - lightness(b) for a, b in pairwise(arm)]
        jump = steps.pop(steps.index(max(steps)))
        assert 19.5 < jump < 21.5
        assert max(steps) - min(steps) < 2.2


def test_contrast_follows_wcag():
    """Black on white is 21 : 1, and #767676 on white just above 4.5 : 1."""
    assert colour.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert colour.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("name", ["YlGnBu_r", "ylgnbu_r", "YLGNBU_R", "YellowGreenBlue_r"])
def test_the_case_of_a_palettes_name_does_not_count(name):
    """Nor whether it is called as ColorBrewer, matplotlib, seaborn or Vega do."""
    assert colour.palette(name) == colour.palette("YlGnBu")[::-1]
    assert not colour.is_diverging(name)


def test_palettes_of_both_directions():
    """Vega's purpleorange runs from purple, ColorBrewer's PuOr from orange."""
    assert colour.palette("purpleorange") == colour.palette("PuOr_r")
    assert colour.palette("purpleorange_r") == colour.palette("PuOr")
    assert all(map(colour.is_diverging, ["RdBu", "rdbu_r", "purpleorange", "coolwarm"]))


def test_colours_of_a_user():
    """Two or more in hex, with `#` or without, of six digits or three."""
    assert colour.palette(["#FFF", "08519c"]) == ["#ffffff", "#08519c"]
    assert not colour.is_diverging(["#fff", "#000"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("viridi", r"'viridi' is not a palette; there are .*\(did you mean 'viridis'\?\)"),
        ("VIRIDI", r"'VIRIDI' is not a palette; there are .*\(did you mean 'viridis'\?\)"),
        ("ylgnb", r"'ylgnb' is not a palette; there are .*\(did you mean 'YlGnBu'\?\)"),
        (["#ffffff"], r"\['#ffffff'\] is not two or more hex colours"),
        ([], r"\[\] is not two or more hex colours"),
        (["white", "#08519c"], r"'white' is not a hex colour .*; did you mean '#ffffff'\?"),
        (["#08519c", "Blues"], r"'Blues' is not a hex colour .*; a palette is named without a list"),
        (["#08519c", "#12345"], r"'#12345' is not a hex colour such as '#08519c'$"),
    ],
)  # fmt: skip
def test_what_is_no_palette_is_told_with_what_is(given, said):
    """With the likeliest name, or the digits of a colour that has a name in CSS."""
    with pytest.raises(Error, match=said):
        colour.palette(given)
