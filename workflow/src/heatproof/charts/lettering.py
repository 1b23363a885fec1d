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
    face = "Bold" if bold else "Regular"
    widths = advances(typeface().drawing(text).prefix + face)
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
    for letters in range(len(text) - 1, 1, -1):
        start, end = text[: (letters + 1) // 2], text[len(text) - letters // 2 :]
        shorter = start + ELLIPSIS + end
        if text_width(shorter, size) <= room:
            return shorter
    return ELLIPSIS


def cut(labels: Sequence[str], room: float, size: float | None = None) -> dict[str, str]:
    """Label → its printed text, cut if it is too wide; numbered where two would look alike."""
    size = size or theme.LABEL
    texts = [fit(label, room, size) for label in labels]
    if len(set(texts)) < len(set(labels)):
        texts = [fit(f"{n} {label}", room, size) for n, label in enumerate(labels, 1)]
    return dict(zip(labels, texts, strict=True))


def cut_labels(lines_of: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Printed text → the whole label, of labels that are cut."""
    labels = {}
    for label, lines in lines_of.items():
        text = lines[0]
        if len(lines) == 1 and ELLIPSIS in text and text != label:
            labels[text] = label
    return labels


def wrap(texts: Sequence[str], room: float, size: float, joint: str = " · ") -> list[str]:
    """Texts joined by `joint`, on lines; one that is wider than `room` pt is broken."""
    lines: list[str] = []
    for text in texts:
        if lines:
            longer = lines[-1] + joint + text
            if text_width(longer, size) <= room:
                lines[-1] = longer
                continue
        if text_width(text, size) <= room:
            lines.append(text)
        else:
            lines += broken(text, room, size)
    return lines


def wrapped(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Lines of a text, none wider than `room` pt: wider words are split."""
    lines = []
    for line in broken(text, room, size, bold):
        rest = line
        while text_width(rest, size, bold) > room and len(rest) > 1:
            end = len(rest) - 1
            while end > 1 and text_width(rest[:end], size, bold) > room:
                end -= 1
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
    for piece in _WORD.findall(text):
        longer = (lines[-1] + piece).rstrip()
        if lines[-1] and text_width(longer, size, bold) > room:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def stacked(labels: Sequence[str], room: float, lines: int) -> dict[str, list[str]]:
    """Label → its lines beside the cells: at most `lines` no wider than `room` pt, or one, cut."""
    short = dict(zip(labels, shorten_labels(labels), strict=True))
    if widest(short.values(), theme.LABEL) <= room:
        return {label: [text] for label, text in short.items()}
    cuts, lines_of = cut(labels, room), {}
    for label in labels:
        texts = broken(label, room, theme.LABEL)
        if len(texts) > lines or widest(texts, theme.LABEL) > room:
            texts = [cuts[label]]
        lines_of[label] = texts
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
        lines_of = self.lines.values()
        if not self.angle:
            most_lines = max(map(len, lines_of), default=1)
            return theme.LABEL + theme.LEADING * (most_lines - 1)
        longest = max((widest(lines, theme.LABEL) for lines in lines_of), default=0.0)
        if self.angle == 90:
            return longest
        return (longest + theme.LABEL) * SLOPE

    @property
    def printed(self) -> list[str]:
        """Every label, or every n-th if they would touch."""
        room = 0.0
        if all(map(_is_number, self.all)):
            first_lines = [lines[0] for lines in self.lines.values()]
            room = widest(first_lines, theme.LABEL) + APART
        elif self.angle == 45:
            room = theme.LEADING / SLOPE
        elif self.angle:
            room = theme.LEADING
        return thinned(self.all, room / self.step)

    def axis(self, width: float, title: Sequence[str]) -> alt.Axis:
        label_style: dict[str, Any] = {"labelAlign": "center", "labelBaseline": "top"}
        if self.angle:
            label_style = {"labelAlign": "right", "labelBaseline": "middle"}
        title_style: dict[str, Any] = {
            "titleX": width / 2, "titleY": PAD + self.height + PAD, "titleAlign": "center",
            "titleBaseline": "top", "titleLineHeight": theme.LEADING,
        }  # fmt: skip
        return alt.Axis(
            title=list(title) or None, values=self.printed, labelAngle=-self.angle, labelLimit=0,
            **label_style, **title_style, **worded(self.lines),
        )  # fmt: skip


def fit_labels(texts: Sequence[str], step: float, left: float = 0.0) -> Labels:
    """Labels for cells `step` pt apart, with `left` pt of room before the first cell."""
    short = dict(zip(texts, shorten_labels(texts), strict=True))
    if all(map(_is_number, texts)) or widest(short.values(), theme.LABEL) <= step - APART:
        return _one_line_labels(texts, short, 0, step)
    room = step - NARROW
    lines_of = {label: broken(label, room, theme.LABEL) for label in texts}
    fits = max(map(len, lines_of.values())) <= BELOW
    if fits and all(widest(lines, theme.LABEL) <= room for lines in lines_of.values()):
        return Labels(texts, lines_of, 0, step)
    upright = cut(texts, LONGEST)
    room = (left + step / 2 - NARROW) / SLOPE - theme.LABEL / 2
    slanted = cut(texts, min(SLANTED, room))
    if step * SLOPE >= theme.LEADING and _lost_letters(slanted) <= _lost_letters(upright):
        return _one_line_labels(texts, slanted, 45, step)
    return _one_line_labels(texts, upright, 90, step)


def _one_line_labels(
    labels: Sequence[str], printed: Mapping[str, str], angle: int, step: float
) -> Labels:
    """Labels of one line each; `printed`: label → its text."""
    lines_of = {label: [text] for label, text in printed.items()}
    return Labels(labels, lines_of, angle, step)


def _lost_letters(printed: Mapping[str, str]) -> int:
    """How many letters labels lose that are cut; `printed`: label → its text."""
    lost = 0
    for label, text in printed.items():
        if label != text:
            lost += len(label) - len(text)
    return lost


def worded(lines_of: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Keys of an axis that print the lines of its labels; none if each label is one line."""
    split = {label: list(lines) for label, lines in lines_of.items() if list(lines) != [label]}
    if not split:
        return {}
    lines = f"({json.dumps(split, ensure_ascii=False)})[datum.label] || datum.label"
    return {"labelExpr": lines, "labelLineHeight": theme.LEADING}


def thinned(labels: Sequence[str], crowding: float) -> list[str]:
    """Every n-th label, so that they do not touch; round ones of evenly spaced numbers.

    `crowding`: width of a label in cells.
    """
    step = max(math.ceil(crowding - 1e-9), 1)
    wide_step = step
    if len(labels) > COUNTED:
        wide_step = max(step, math.ceil(len(labels) / READ))
    return _round(labels, wide_step) or list(labels[::step])


def _round(labels: Sequence[str], fewest: int) -> list[str]:
    """Multiples of 1, 2 or 5 × a power of ten, of evenly spaced numbers; empty below three.

    `fewest`: steps from one to the next, at least.
    """
    plain = [label.replace("−", "-") for label in labels]
    if fewest < 2 or not all(map(PLAIN.fullmatch, plain)):
        return []
    values = [Decimal(label) for label in plain]
    steps = {high - low for low, high in pairwise(values)}
    if len(steps) != 1:
        return []
    step = min(steps)
    for count in range(fewest, len(labels) // 2 + 1):
        distance = step * count
        if distance.normalize().as_tuple().digits not in ((1,), (2,), (5,)):
            continue
        kept = []
        for label, value in zip(labels, values, strict=True):
            if value % distance == 0:
                kept.append(label)
        return kept if len(kept) > 2 else []
    return []


def unprinted(labels: Sequence[str], printed: Sequence[str]) -> list[str]:
    """Names of an axis that have no room; readers fill in numbers."""
    if all(map(_is_number, labels)):
        return []
    return [label for label in labels if label not in printed]


def _is_number(label: str) -> bool:
    return bool(_NUMBER.fullmatch(label))
