"""Names in Chinese, Japanese and Korean: measured, drawn and embedded in a typeface that is an extra."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from fontTools.ttLib import TTFont

from heatproof.charts import typefaces
from heatproof.charts.lettering import text_width
from heatproof.export import drawing, export
from heatproof.util.errors import Error
from support.folders import init, put
from support.reading import lines
from support.specs import SPEC

NAMES = ["솔개-7B", "模型汉语", "モデル large"]


def figure(title: Any = NAMES) -> dict[str, Any]:
    """A figure with these lines above its panels."""
    return SPEC | {"title": {"text": title}}


def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without the extra."""
    there = typefaces.find_spec
    monkeypatch.setattr(typefaces, "find_spec", lambda name: None if "cjk" in name else there(name))
    monkeypatch.setattr(typefaces, "is_module", lambda name: typefaces.find_spec(name) is not None)


def test_a_line_is_set_in_the_typeface_that_has_its_signs() -> None:
    """The whole line, Latin letters too; the others stay as they are."""
    texts = drawing.draw(figure()).texts
    assert set(texts) == {"Regular", "Bold", "EasternBold"}
    assert set(texts["EasternBold"]) == set("".join(NAMES))
    assert not set(texts["Regular"] + texts["Bold"]) & set("솔模モ")


def test_it_is_measured_before_it_is_drawn() -> None:
    """With its Latin letters; Hangul is narrower than one em, the width of a sign that no face has."""
    assert text_width("솔개", 10) == pytest.approx(18.4)
    assert text_width("模型", 10) == pytest.approx(20.0)
    advances = typefaces.advances("EasternRegular")
    assert text_width("ab模", 10) == pytest.approx(
        10 * (advances[ord("a")] + advances[ord("b")] + 1)
    )


def test_files_hold_the_signs_that_they_show() -> None:
    """As a part of the typeface, under its true name, a few kB of 33 MB."""
    made = export.render(figure(), ["svg-text", "pdf", "svg"])
    text = made["svg-text"].decode()
    assert 'font-family="Noto Sans CJK JP, ' in text
    assert typefaces.EASTERN.private not in text
    data = typefaces.subset("".join(NAMES), "EasternBold")
    assert len(data) < 20_000
    with TTFont(io.BytesIO(data)) as font:
        assert sorted(font.getBestCmap()) == sorted({ord(sign) for sign in "".join(NAMES)})
    assert b"<text" not in made["svg"]
    assert "솔개-7B" in made["svg"].decode()
    with pikepdf.open(io.BytesIO(made["pdf"])) as pdf:
        fonts = {str(font.BaseFont)[8:] for font in pdf.pages[0].Resources.Font.values()}
    assert "NotoSansCJKjp-Bold-Identity-H" in fonts


@pytest.mark.slow
def test_the_script_of_a_page_finds_the_signs_in_the_family_that_it_asks_for() -> None:
    """The specification names one family; what this lacks is added to it, and nothing else."""
    page = export.render(figure(["솔a"]), ["html"])["html"].decode()
    rule = r'@font-face{font-family:"Source Sans Pro";font-weight:700;[^}]*;unicode-range:([^}]*)}'
    assert re.findall(rule, page) == ["U+C194"]


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """For signs that it has; others cannot be drawn with it either."""
    without(monkeypatch)
    with pytest.raises(Error) as told:
        drawing.draw(figure(["솔개", "กา"]))
    first, second = str(told.value).split("\n")
    assert "Source Sans Pro Bold cannot draw; pip install 'heatproof[cjk]' brings" in first
    assert "pip" not in second
    drawing.draw(json.loads(json.dumps(figure("Latin – ±"))))


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("솔개", "pip install 'heatproof[cjk]'"),
        ("ก", "which Source Sans Pro Regular cannot draw; call it otherwise by `names`"),
        ("عقاب", "which Source Sans Pro Regular cannot draw"),
        ("Grünspecht", ""),
    ],
)
def test_init_says_which_names_a_run_would_refuse(
    name: str,
    note: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before any figure is drawn, and what helps."""
    without(monkeypatch)
    rows = [
        {
            "model": model,
            "task": task,
            "id": number,
            "correct": number % (3 if model == name else 5) > 0,
        }
        for model in (name, "kite")
        for task in ("sum", "sort")
        for number in range(20)
    ]
    put(tmp_path, {"a.jsonl": lines(rows)})
    init(tmp_path)
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note")]
    told = [line for line in notes if name in line]
    assert len(told) == bool(note)
    assert note in "".join(told)
