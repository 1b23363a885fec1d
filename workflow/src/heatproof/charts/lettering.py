"""Text that must fit: measured in the typeface of its figure, broken into lines, turned or cut."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.typefaces import advances, typeface
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import PLAIN, shorten_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PAD = 3.0  # from the cells to the labels, and from the labels to the title
APART = 4.0  # least room between two labels
NARROW = 2.0  # the same between labels on several lines
COUNTED, READ = 20, 12  # an axis of more than 20 numbers has at most 12 labels
LINES = 3  # most lines of a label beside the cells, …
BELOW = 5  # … and of one below them: level text is read more easily than turned text
LONGEST = 80.0  # room of an upright label, …
SLANTED = 110.0  # … and of a slanted one, which is as high
SLOPE = math.sqrt(0.5)  # sine and cosine of the angle of slanted labels, 45°
ELLIPSIS = "…"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_WORD = re.compile(r"(?:\u00a0|\S)+?[-/_]+(?=[^\s/_-]{3})|(?:\u00a0|\S)+[ \t\n]*|\s+")
_NUMBER = re.compile(r"[−-]?\d[\d.,]*(e[−-]?\d+)?[%kMGTmµn]?")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text in pt, without kerning; a character that the font lacks is one em."""
    widths = advances(typeface().drawing(text).prefix + ("Bold" if bold else "Regular"))
    return size * sum(widths[ord(character)] for character in text)


def widest(texts: Iterable[str], size: float, bold: bool = False) -> float:
    """Width in pt of the widest line; 0 without any."""
    return max((text_width(text, size, bold) for text in texts), default=0.0)


def raised(text: str) -> str:
    """The text with numbers after ^ as exponents: pass³ of pass^3."""
    return re.sub(r"\^(\d+)", lambda match: match[1].translate(_RAISED), text)


def fit(text: str, room: float, size: float) -> str:
    """The text, with an ellipsis for its middle if it is wider than `room` pt."""
    if text_width(text, size) <= room:
        return text
    counts = range(len(text) - 1, 1, -1)
    cuts = (text[: (n + 1) // 2] + ELLIPSIS + text[len(text) - n // 2 :] for n in counts)
    return next((cut for cut in cuts if text_width(cut, size) <= room), ELLIPSIS)


def cut(labels: Sequence[str], room: float, size: float | None = None) -> dict[str, str]:
    """Label → its printed text, cut if it is too wide; numbered where two would look alike."""
    size = size or theme.LABEL
    texts = [fit(label, room, size) for label in labels]
    if len(set(texts)) < len(set(labels)):
        texts = [fit(f"{n} {label}", room, size) for n, label in enumerate(labels, 1)]
    return dict(zip(labels, texts, strict=True))


def cut_labels(lines_of: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Printed text → the whole label, of labels that are cut."""
    firsts = {label: lines[0] for label, lines in lines_of.items() if len(lines) == 1}
    return {text: label for label, text in firsts.items() if ELLIPSIS in text and text != label}


def wrap(parts: Sequence[str], room: float, size: float, joint: str = " · ") -> list[str]:
    """Parts joined by `joint`, on lines; a part that is wider than `room` pt is broken."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{joint}{part}" if lines else part
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines += [part] if text_width(part, size) <= room else broken(part, room, size)
    return lines


def wrapped(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Lines of a text, none wider than `room` pt: wider words are split."""
    lines = []
    for line in broken(text, room, size, bold):
        rest = line
        while text_width(rest, size, bold) > room and len(rest) > 1:
            ends = range(len(rest) - 1, 1, -1)
            end = next((n for n in ends if text_width(rest[:n], size, bold) <= room), 1)
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    return lines


def broken(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Lines of a text, broken at spaces and after hyphens, slashes and underscores.

    A word may be wider than `room`. A no-break space is part of a word, and so is a hyphen before
    one or two letters.
    """
    lines = [""]
    for word in _WORD.findall(text):
        if lines[-1] and text_width((lines[-1] + word).rstrip(), size, bold) > room:
            lines.append("")
        lines[-1] += word
    return [line.strip() for line in lines]


def stacked(labels: Sequence[str], room: float, lines: int) -> dict[str, list[str]]:
    """Label → its lines beside the cells: at most `lines` no wider than `room` pt, or one, cut."""
    short = dict(zip(labels, shorten_labels(labels), strict=True))
    if widest(short.values(), theme.LABEL) <= room:
        return {label: [text] for label, text in short.items()}
    cuts, lines_of = cut(labels, room), {}
    for label in labels:
        parts = broken(label, room, theme.LABEL)
        fits = len(parts) <= lines and widest(parts, theme.LABEL) <= room
        lines_of[label] = parts if fits else [cuts[label]]
    return lines_of


@dataclass(frozen=True)
class Labels:
    """Labels of x: on lines, slanted or upright."""

    all: Sequence[str]
    lines: Mapping[str, Sequence[str]]  # of each label
    angle: int  # 0, 45 or 90 degrees, read upwards
    step: float

    @property
    def height(self) -> float:
        longest = widest((line for lines in self.lines.values() for line in lines), theme.LABEL)
        if self.angle:
            return longest if self.angle == 90 else (longest + theme.LABEL) * SLOPE
        return theme.LABEL + theme.LEADING * (max(map(len, self.lines.values()), default=1) - 1)

    @property
    def printed(self) -> list[str]:
        """Every label, or every n-th if they would touch."""
        room = theme.LEADING / (SLOPE if self.angle == 45 else 1) if self.angle else 0.0
        if all(map(_is_number, self.all)):
            room = widest((lines[0] for lines in self.lines.values()), theme.LABEL) + APART
        return thinned(self.all, room / self.step)

    def axis(self, width: float, title: Sequence[str]) -> alt.Axis:
        return alt.Axis(
            title=list(title) or None, values=self.printed, labelAngle=-self.angle,
            labelAlign="right" if self.angle else "center",
            labelBaseline="middle" if self.angle else "top",
            labelLimit=0, titleX=width / 2, titleY=PAD + self.height + PAD, titleAlign="center",
            titleBaseline="top", titleLineHeight=theme.LEADING, **worded(self.lines),
        )  # fmt: skip


def fit_labels(texts: Sequence[str], step: float, left: float = 0.0) -> Labels:
    """Labels for cells `step` pt apart, with `left` pt of room before the first cell."""
    short = dict(zip(texts, shorten_labels(texts), strict=True))
    if all(map(_is_number, texts)) or widest(short.values(), theme.LABEL) <= step - APART:
        return Labels(texts, {label: [text] for label, text in short.items()}, 0, step)
    room = step - NARROW
    lines_of = {label: broken(label, room, theme.LABEL) for label in texts}
    fits = max(map(len, lines_of.values())) <= BELOW
    if fits and all(widest(lines, theme.LABEL) <= room for lines in lines_of.values()):
        return Labels(texts, lines_of, 0, step)
    upright = cut(texts, LONGEST)
    slanted = cut(texts, min(SLANTED, (left + step / 2 - NARROW) / SLOPE - theme.LABEL / 2))
    lost = [sum(len(label) - len(text) for label, text in short.items() if label != text)
            for short in (slanted, upright)]  # fmt: skip
    short, angle = (
        (slanted, 45) if step * SLOPE >= theme.LEADING and lost[0] <= lost[1] else (upright, 90)
    )
    return Labels(texts, {label: [text] for label, text in short.items()}, angle, step)


def worded(lines_of: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Keys of an axis that print the lines of its labels; none if each label is one line."""
    other = {label: list(lines) for label, lines in lines_of.items() if list(lines) != [label]}
    if not other:
        return {}
    split = f"({json.dumps(other, ensure_ascii=False)})[datum.label] || datum.label"
    return {"labelExpr": split, "labelLineHeight": theme.LEADING}


def thinned(labels: Sequence[str], crowding: float) -> list[str]:
    """Every n-th label, so that they do not touch; round ones of evenly spaced numbers.

    `crowding`: width of a label in cells.
    """
    least = max(math.ceil(crowding - 1e-9), 1)
    many = max(least, math.ceil(len(labels) / READ)) if len(labels) > COUNTED else least
    return _round(labels, many) or list(labels[::least])


def _round(labels: Sequence[str], least: int) -> list[str]:
    """Multiples of 1, 2 or 5 × a power of ten, of evenly spaced numbers; empty below three."""
    plain = [label.replace("−", "-") for label in labels]
    if least < 2 or not all(map(PLAIN.fullmatch, plain)):
        return []
    values = [Decimal(label) for label in plain]
    steps = {high - low for low, high in pairwise(values)}
    step = min(steps) if len(steps) == 1 else Decimal(0)
    for every in range(least, len(labels) // 2 + 1):
        if (step * every).normalize().as_tuple().digits in ((1,), (2,), (5,)):
            kept = [n for n, value in enumerate(values) if value % (step * every) == 0]
            return [labels[n] for n in kept] if len(kept) > 2 else []
    return []


def unprinted(labels: Sequence[str], printed: Sequence[str]) -> list[str]:
    """Names of an axis that have no room; readers fill in numbers."""
    numbers = all(map(_is_number, labels))
    return [] if numbers else [label for label in labels if label not in printed]


def _is_number(label: str) -> bool:
    return bool(_NUMBER.fullmatch(label))
