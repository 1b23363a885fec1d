"""colour: the colours that are drawn, and ink that reads on every one of them."""

import math
from itertools import accumulate, pairwise

import pytest

from heatproof.charts import colour
from heatproof.util.errors import Error

BOTH = [*sorted(colour.PALETTES), *(f"{name}_r" for name in sorted(colour.PALETTES))]


@pytest.mark.parametrize("name", sorted(colour.PALETTES))
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
    first, last = (lab(colour.rgb(colours[end]))[0] for end in (0, -1))
    assert first == pytest.approx(last, abs=0.5)
    assert colour.is_diverging(name)


OURS = ["lagoon", "ember", "poles", "dusk"]
BLIND = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""How linear red, green and blue are seen: Machado, Oliveira and Fernandes (2009), severity 1."""
SEEN = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
XYZ = ((0.412456, 0.357576, 0.180437), (0.212673, 0.715152, 0.072175),
       (0.019334, 0.119192, 0.950304))  # fmt: skip


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(channels, eye=SEEN):
    """CIELAB (D65) of red, green and blue, 0 to 255, as an eye sees them that mixes them so."""
    parts = [one / 255 for one in channels]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    seen = [min(max(one, 0), 1) for one in times(eye, linear)]
    ratios = [a / sum(row) for a, row in zip(times(XYZ, seen), XYZ, strict=True)]
    x, y, z = (
        one ** (1 / 3) if one > (6 / 29) ** 3 else one * (29 / 6) ** 2 / 3 + 4 / 29
        for one in ratios
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ramp(name, steps=400):
    """Red, green and blue, unrounded, of values that are evenly spaced over a palette."""
    stops = [colour.rgb(one) for one in colour.palette(name)]
    for step in range(steps + 1):
        at = step / steps * (len(stops) - 1)
        below = min(int(at), len(stops) - 2)
        ends = zip(stops[below], stops[below + 1], strict=True)
        yield [low + (high - low) * (at - below) for low, high in ends]


def arms(shades):
    """From the middle to both ends of a diverging palette; another is one arm."""
    return [shades[20::-1], shades[20:]] if len(shades) == 41 else [shades]


@pytest.mark.parametrize("name", sorted(colour.PALETTES))
def test_equal_differences_look_equal_anywhere(name):
    """A twentieth of a palette holds at most a tenth of its distance in CIELAB (even: 5 %)."""
    steps = [math.dist(*pair) for pair in pairwise(lab(shade) for shade in ramp(name))]
    sums = [0, *accumulate(steps)]
    twentieths = [sums[n + 20] - sums[n] for n in range(len(sums) - 20)]
    assert max(twentieths) <= 0.1 * sums[-1]


@pytest.mark.parametrize("eye", [SEEN, *BLIND.values()], ids=["all", *BLIND])
@pytest.mark.parametrize("name", OURS)
def test_our_palettes_are_read_by_the_colour_blind_and_in_grey(name, eye):
    """Each step from pale to dark is darker and can be told; the two arms of a palette, too."""
    shades = [lab(colour.rgb(shade), eye) for shade in colour.palette(name)]
    for arm in arms(shades):
        steps = [*pairwise(arm)]
        assert all(pale[0] > dark[0] + 0.9 for pale, dark in steps)
        assert all(math.dist(*step) > 2.3 for step in steps)
    if len(arms(shades)) == 2:
        assert all(math.dist(*pair) > 8 for pair in zip(shades[:20], shades[:20:-1], strict=True))


@pytest.mark.parametrize("name", ["RdYlGn", "RdGy", "Spectral"])
def test_palettes_with_a_warning_deserve_it(name, project):
    """To some eyes colours from far apart look alike, and the docs say so of each."""
    colours = colour.palette(name)
    shades = [colour.rgb(colour.mixed(n / 40, colours)) for n in range(41)]
    nearest = min(
        math.dist(lab(shades[a], eye), lab(shades[b], eye))
        for eye in BLIND.values()
        for a in range(31)
        for b in range(a + 10, 41)
    )
    assert nearest < 9
    said = (project / "docs/figures.md").read_text()
    assert "sides of RdYlGn, RdGy and Spectral look alike" in said


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
        (["white", "#08519c"], r"'white' is not a hex colour .*"),
        (["#08519c", "Blues"], r"'Blues' is not a hex colour .*; a palette is named without a list"),
        (["#08519c", "#12345"], r"'#12345' is not a hex colour such as '#08519c'$"),
    ],
)  # fmt: skip
def test_what_is_no_palette_is_told_with_what_is(given, said):
    """With the likeliest name, or the digits of a colour that has a name in CSS."""
    with pytest.raises(Error, match=said):
        colour.palette(given)
