"""The typeface: measured, registered and embedded from its own package."""

import io

import pytest
from fontTools.ttLib import TTFont
from vl_convert import svg_to_png

from heatproof.charts import lettering, theme, typefaces
from heatproof.charts.lettering import APART, fit_labels
from heatproof.util.errors import Error

DIGITS = "0123456789" * 2


def picture(text, family, weight="normal"):
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="20"><text y="15" '
        f'font-size="10" font-family="{family}" font-weight="{weight}">{text}</text></svg>'
    )
    return svg_to_png(svg)


def test_digits_are_equally_wide():
    """Digits share one width, so that numbers in a column align."""
    assert len({lettering.text_width(digit, 10) for digit in "0123456789"}) == 1


def test_width_grows_with_size():
    """The width of a text is proportional to the size of its type."""
    assert lettering.text_width("Ratio", 20) == pytest.approx(2 * lettering.text_width("Ratio", 10))


def test_bold_is_wider():
    """Bold text has widths of its own."""
    assert lettering.text_width("49.3", 10, bold=True) > lettering.text_width("49.3", 10)


def covered_from(x):
    """A row of digits, white from `x` on."""
    return svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="20"><rect width="120" '
        f'height="20" fill="white"/><text y="15" font-size="10" font-family="{typefaces.SANS.private}">'
        f'{DIGITS}</text><rect x="{x}" width="120" height="20" fill="white"/></svg>'
    )


def test_width_is_what_is_drawn():
    """The measured width is where the drawn ink ends: nothing beyond, something just before."""
    typefaces.register()
    width = lettering.text_width(DIGITS, 10)
    assert covered_from(width) == covered_from(120)
    assert covered_from(0.98 * width) != covered_from(120)


def test_registered_family_is_drawn():
    """After registering, text in the private family leaves ink."""
    typefaces.register()
    assert picture("49.3", typefaces.SANS.private) != picture("49.3", "no such family")


def test_faces_differ():
    """Regular, semibold and bold are three faces, none of them made up from another."""
    typefaces.register()
    assert len({picture("49.3", typefaces.SANS.private, weight) for weight in (400, 600, 700)}) == 3


def test_missing_package_is_named(monkeypatch):
    """Without the font's package the message says what to install."""
    monkeypatch.setattr(typefaces, "find_spec", lambda _: None)
    typefaces.path.cache_clear()
    with pytest.raises(Error, match="font-source-sans-pro"):
        typefaces.path("Regular")
    typefaces.path.cache_clear()


@pytest.mark.parametrize(
    ("weight", "style", "expected"),
    [
        ("normal", "normal", "Regular"),
        ("300", "normal", "Regular"),
        ("500", "normal", "Regular"),
        ("600", "normal", "Semibold"),
        ("bold", "normal", "Bold"),
        ("900", "normal", "Bold"),
        ("normal", "italic", "It"),
        ("600", "italic", "BoldIt"),
    ],
)
def test_face_by_weight_and_style(weight, style, expected):
    """The face for a weight is chosen as CSS does: heavier for more than 500."""
    assert typefaces.face(weight, style) == expected


def test_lacking_characters_are_listed():
    """Characters without a glyph are found; signs of figures such as ± × − ≤ are all there."""
    assert typefaces.missing("±×−–≤≥≈→µσ") == []
    assert typefaces.missing("a汉b") == ["汉"]


def test_subset_holds_the_text_alone():
    """A subset has glyphs for the characters asked for and for no others."""
    with TTFont(io.BytesIO(typefaces.subset("0.5"))) as font:
        assert sorted(font.getBestCmap()) == sorted(map(ord, ".05"))


def test_subset_bytes_depend_on_characters_alone():
    """Order and repetition of the text do not change the bytes of its subset."""
    assert typefaces.subset("Ratio") == typefaces.subset("oitaRRatio")


def test_labels_are_measured_in_the_typeface_of_their_figure():
    """In one process, figures in both: what lies level in one is turned in the other."""
    names = tuple(3 * word for word in ("millimetre", "millilitre"))
    step, angles = lettering.widest(names, theme.LABEL) + APART, []
    for word in typefaces.TYPEFACES:
        with typefaces.using(typefaces.TYPEFACES[word]):
            angles.append(fit_labels(names, step).angle)
    assert [bool(angle) for angle in angles] == [False, True]
