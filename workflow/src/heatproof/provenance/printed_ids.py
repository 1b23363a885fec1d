"""Ids of figures that a PDF prints as text: what is left where a program drops all records."""

from __future__ import annotations

import io
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.provenance import included

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PRINTED = re.compile(r"heatproof([0-9a-f]{8})")
_SECTION = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_PAIR = re.compile(rb"<(\w+)>\s*<(\w*)>")
_RANGE = re.compile(rb"<(\w+)>\s*<(\w+)>\s*(?:<(\w*)>|\[(.*?)\])", re.DOTALL)
_CODE = re.compile(rb"<(\w*)>")
_SHOWING = "Tf Tj TJ ' \""


class Font(NamedTuple):
    """How the bytes of a text become characters."""

    size: int
    """Bytes of a code."""
    characters: Mapping[int, str]

    def text(self, data: bytes) -> str:
        """What the bytes say; nothing of a code that stands for no character."""
        codes = (data[at : at + self.size] for at in range(0, len(data), self.size))
        return "".join(self.characters.get(int.from_bytes(code), "") for code in codes)


LATIN = Font(1, {code: chr(code) for code in range(256)})
"""Of fonts that do not say: near enough for ASCII."""


def ids(data: bytes) -> dict[str, list[int]]:
    """Id → pages of a PDF that print it after the word heatproof."""
    from pikepdf import Pdf, PdfError

    found: dict[str, list[int]] = {}
    with suppress(PdfError), Pdf.open(io.BytesIO(data)) as pdf:
        for thing, page in included.places(pdf):
            said = "".join("".join(_texts(thing)).split())
            for name in _PRINTED.findall(said):
                if page not in found.setdefault(name, []):
                    found[name].append(page)
    return found


def _texts(thing: Any) -> Iterator[str]:
    """The texts that a page or a form shows, in the order of its content."""
    from pikepdf import PdfError, parse_content_stream

    named = included.at(thing, "/Resources", "/Font")
    fonts = {} if named is None else {name: _font(font) for name, font in named.items()}
    font = LATIN
    try:
        content = parse_content_stream(thing, _SHOWING)
    except (PdfError, TypeError):  # the second of what is no content
        return
    for one in content:
        operands = list(one.operands)
        if str(one.operator) == "Tf":
            font = fonts.get(str(operands[0]), LATIN) if operands else LATIN
        else:
            yield from _said(operands[-1:], font)


def _said(operands: list[Any], font: Font) -> Iterator[str]:
    """Text of a string, or of the strings between which an array moves on."""
    from pikepdf import Array, String

    for operand in operands:
        for one in operand if isinstance(operand, Array) else [operand]:
            if isinstance(one, String):
                yield font.text(bytes(one))


def _font(font: Any) -> Font:
    from pikepdf import PdfError, Stream

    table = included.at(font, "/ToUnicode")
    size = 2 if included.at(font, "/Subtype") == "/Type0" else 1
    if not isinstance(table, Stream):
        return LATIN if size == 1 else Font(2, {})
    try:
        return Font(size, dict(_characters(table.read_bytes())))
    except (PdfError, ValueError):  # a table that is none
        return Font(size, {})


def _characters(table: bytes) -> Iterator[tuple[int, str]]:
    """Code → characters, of a ToUnicode map (ISO 32000-1, 9.10.3)."""
    for kind, section in _SECTION.findall(table):
        if kind == b"char":
            yield from ((int(code, 16), _utf16(text)) for code, text in _PAIR.findall(section))
            continue
        for low, high, start, each in _RANGE.findall(section):
            codes = range(int(low, 16), min(int(high, 16), int(low, 16) + 0xFFFF) + 1)
            given = _CODE.findall(each)
            texts = map(_utf16, given) if given else _from(_utf16(start))
            yield from zip(codes, texts, strict=False)


def _from(text: str) -> Iterator[str]:
    """A text, then that with the next last character, and so on."""
    for code in range(ord(text[-1]), 0x110000) if text else ():
        yield text[:-1] + chr(code)


def _utf16(digits: bytes) -> str:
    return bytes.fromhex(digits.decode()).decode("utf-16-be", "ignore")
