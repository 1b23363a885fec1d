"""Words of scripts beyond Latin: broken, ordered, shaped and placed as they are read."""

from __future__ import annotations

import re

import pytest
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.ttLib import TTFont

from heatproof.charts import bidi, outlines, typefaces
from heatproof.charts.lettering import broken, text_width
from heatproof.config.fonts import Files, Font
from heatproof.export import in_parts

WIDE = 10.0


@pytest.mark.parametrize(
    ("text", "signs", "lines"),
    [
        ("中文阅读理解", 3, ["中文阅", "读理解"]),
        ("问答，第二部分", 2, ["问", "答，", "第二", "部分"]),
        ("大模型（第二版）", 4, ["大模型", "（第二", "版）"]),
        ("チャット", 2, ["チャッ", "ト"]),
        ("GSM8K数学推理", 5, ["GSM8K", "数学推理"]),
        ("상식 문제 모음", 2, ["상식", "문제", "모음"]),
        ("汉字 A-quick/test", 4, ["汉字", "A-", "quick/", "test"]),
    ],
)
def test_lines_of_chinese_and_japanese(
    text: str, signs: int, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They end between any two signs, but not before a full stop or after an opening bracket."""
    monkeypatch.setattr("heatproof.charts.lettering.text_width", lambda text, *_: WIDE * len(text))
    assert broken(text, signs * WIDE + 1, 7.0) == lines


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Ratio 0.5", "Ratio 0.5"),
        ("אבג", "גבא"),
        ("Pass@1 אב (%)", "Pass@1 בא (%)"),
        ("אב 12 גד", "דג 12 בא"),
        ("مهمة 2", "2 ةمهم"),
        ("אב (7B)", "7) באB)"),
        ("a אב, גד b", "a דג ,בא b"),
        ("אב 3.5% x", "3.5% בא x"),
        ("1,5 אב", "1,5 בא"),
        ("", ""),
    ],
)
def test_words_from_right_to_left(text: str, seen: str) -> None:
    """As Unicode has it for a text that itself runs from left to right; numbers keep their way."""
    parts = bidi.stretches(text)
    mirrored = str.maketrans("()", ")(")
    drawn = [part.text[::-1].translate(mirrored) if part.leftwards else part.text for part in parts]
    assert "".join(drawn) == seen


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> typefaces.Typeface:
    """A typeface in which `f` and `j` are drawn as one of two signs, as vowels of India are."""
    folder = tmp_path_factory.mktemp("fonts")
    font = TTFont(typefaces.path("SerifRegular"))
    for table in ("GSUB", "GPOS"):
        del font[table]
    addOpenTypeFeaturesFromString(font, "feature ccmp { sub f j by j; sub j by f f; } ccmp;")
    font.save(folder / "a.ttf")
    for table in font["cmap"].tables:
        table.cmap = {0x20: "space", 0x5D0: "a", 0x5D1: "b"}
    font.save(folder / "hebrew.ttf")
    other = Files(regular="hebrew.ttf", bold="hebrew.ttf")
    return typefaces.of(Font(regular="a.ttf", bold="a.ttf", fallback=other), folder)


def text(words: str, one: typefaces.Typeface) -> str:
    family = f"{one.private}, serif"
    return (
        f'<text text-anchor="end" transform="translate(50,9)" font-family="{family}" '
        f'font-size="10px">{words}</text>'
    )


def test_letters_that_are_drawn_as_one_do_not_narrow_what_follows(
    joined: typefaces.Typeface,
) -> None:
    """Our renderer takes them to be as wide as their widest sign: the rest has a place of its own."""
    face = typefaces.plain(joined)
    line = outlines.line("afjb", face)
    assert [place for place, _ in line.joints] == [3]
    with typefaces.using(joined):
        a, f, b = (text_width(sign, 10) for sign in "afb")
    svg = in_parts.placed(text("afjb", joined))
    assert "text-anchor" not in svg
    at = [float(part.split('"')[0]) for part in svg.split(' x="')[1:]]
    assert at == pytest.approx([-(a + 2 * f + b), -b], abs=0.01)
    assert in_parts.placed(text("ab", joined)) == text("ab", joined)


def test_words_of_the_fallback_that_run_leftwards(joined: typefaces.Typeface) -> None:
    """Number and word stand as they are read, with the blank between them."""
    alef, bet = "\u05d0\u05d1"
    svg = in_parts.placed(text(f"{alef}{bet} 2", joined))
    found = re.findall(r'<tspan x="([-.0-9]+)" y="0" font-family="(\w+)">([^<]*)<', svg)
    assert [words for *_, words in found] == ["2", alef + bet]
    with typefaces.using(joined):
        digit, word = text_width("2", 10), text_width(alef + bet, 10)
        whole = text_width(f"{alef}{bet} 2", 10)
    assert [float(x) for x, *_ in found] == pytest.approx([-whole, -word], abs=0.01)
    assert whole > digit + word
    svg = in_parts.placed(text(f"{alef}({bet}", joined))
    assert re.findall(">([^<]+)</tspan>", svg) == [bet, ")", alef]


def test_what_the_fallback_draws_is_named_and_found_again(joined: typefaces.Typeface) -> None:
    """Blanks between the parts stay, for other programs too."""
    svg = in_parts.named(text("a \u05d0 2", joined))
    assert 'xml:space="preserve"' in svg
    assert re.findall("<tspan[^>]*>([^<]*)<", svg) == ["\u05d0 "]
    assert in_parts.unnamed(svg) == text("a \u05d0 2", joined)


def test_outlines_do_not_hang_on_the_language_of_the_machine() -> None:
    """The same glyphs from right to left are those of a word that is read so."""
    word = outlines.line("ab", "Regular")
    back = outlines.line("ab", "Regular", leftwards=True)
    assert [one.number for one in back.glyphs] == [one.number for one in word.glyphs][::-1]
