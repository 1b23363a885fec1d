"""Labels of axes: numbers rounded alike, names broken into lines, turned or cut, never crammed."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from heatproof.charts import theme
from heatproof.charts.lettering import ELLIPSIS, broken, fit, widest
from heatproof.charts.typefaces import typeface
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.typefaces import Typeface

PAD = 3.0
"""From the cells to the labels, and from these to the title."""
APART = 4.0
"""Least room between two labels."""
NARROW = 2.0
"""The same between labels on several lines."""
LINE = theme.line_height(theme.LABEL)
LINES = 3
"""Most lines of a label beside the cells, …"""
BELOW = 5
"""… and of one below them: what lies level is read before what is turned."""
LONGEST = 80.0
"""An upright label is cut beyond, …"""
SLANTED = 110.0
"""… and a slanted one, which is as high then."""
SLOPE = math.sqrt(0.5)
"""Sine and cosine of the angle of slanted labels, 45°."""
_NUMBER = re.compile(r"[−-]?\d[\d.,]*(e[−-]?\d+)?[%kMGTmµn]?")


@dataclass(frozen=True)
class Labels:
    """Labels of x: on lines that fit their cells, slanted or upright; numbers are thinned out."""

    all: Sequence[str]
    shown: Mapping[str, Sequence[str]]
    """Label → its lines."""
    angle: int
    """0, 45 or 90 degrees, read upwards."""
    step: float

    @staticmethod
    def of(labels: tuple[str, ...], step: float, left: float = 0.0) -> Labels:
        """The labels for cells `step` pt apart, with `left` pt of room before the first."""
        return Labels._of(typeface(), labels, step, left)

    @staticmethod
    @cache
    def _of(_: Typeface, labels: tuple[str, ...], step: float, left: float) -> Labels:
        """The same, kept for each typeface: all that is asked here is measured in it."""
        short = dict(zip(labels, shortened(labels), strict=True))
        single = {label: [text] for label, text in short.items()}
        if all(map(_is_number, labels)) or widest(short.values(), theme.LABEL) <= step - APART:
            return Labels(labels, single, 0, step)
        room = step - NARROW
        lines = {label: broken(label, room, theme.LABEL) for label in labels}
        fits = max(map(len, lines.values())) <= BELOW
        if fits and all(widest(found, theme.LABEL) <= room for found in lines.values()):
            return Labels(labels, lines, 0, step)
        upright = cut(labels, LONGEST)
        slanted = cut(labels, min(SLANTED, (left + step / 2 - NARROW) / SLOPE - theme.LABEL / 2))
        if step * SLOPE >= LINE and _lost(slanted) <= _lost(upright):
            return Labels(labels, {label: [text] for label, text in slanted.items()}, 45, step)
        return Labels(labels, {label: [text] for label, text in upright.items()}, 90, step)

    @property
    def height(self) -> float:
        """From the top of the labels to their end."""
        longest = widest((line for lines in self.shown.values() for line in lines), theme.LABEL)
        if self.angle:
            return longest if self.angle == 90 else (longest + theme.LABEL) * SLOPE
        return theme.LABEL + LINE * (max(map(len, self.shown.values()), default=1) - 1)

    @property
    def cut(self) -> dict[str, str]:
        """What is shown of those labels that are cut → the whole of them."""
        return {lines[0]: label for label, lines in self.shown.items() if is_cut(lines, label)}

    @property
    def printed(self) -> list[str]:
        """Every label, or every n-th where they would touch."""
        room = LINE / (SLOPE if self.angle == 45 else 1) if self.angle else 0.0
        if all(map(_is_number, self.all)):
            room = widest((lines[0] for lines in self.shown.values()), theme.LABEL) + APART
        return thinned(self.all, room / self.step)

    def axis(self, width: float, title: Sequence[str]) -> alt.Axis:
        """The axis below a panel of this width, with the lines of its title."""
        return alt.Axis(
            title=list(title) or None,
            values=self.printed,
            labelAngle=-self.angle,
            labelAlign="right" if self.angle else "center",
            labelBaseline="middle" if self.angle else "top",
            labelLimit=0,
            titleX=width / 2,
            titleY=PAD + self.height + PAD,
            titleAlign="center",
            titleBaseline="top",
            titleLineHeight=LINE,
            **worded(self.shown),
        )


def worded(shown: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Keys of an axis that print lines for labels; none where each label is its own line."""
    other = {label: [*lines] for label, lines in shown.items() if [*lines] != [label]}
    if not other:
        return {}
    split = f"({json.dumps(other, ensure_ascii=False)})[datum.label] || datum.label"
    return {"labelExpr": split, "labelLineHeight": LINE}


def stacked(labels: Sequence[str], room: float, lines: int) -> dict[str, list[str]]:
    """Label → its lines beside the cells, at most so many and none wider than `room`, or cut."""
    short = dict(zip(labels, shortened(labels), strict=True))
    if widest(short.values(), theme.LABEL) <= room:
        return {label: [text] for label, text in short.items()}
    lines_of = {label: broken(label, room, theme.LABEL) for label in labels}
    cuts = cut(labels, room)
    return {
        label: parts if len(parts) <= lines and fits else [cuts[label]]
        for label, parts in lines_of.items()
        for fits in (widest(parts, theme.LABEL) <= room,)
    }  # fmt: skip


def centred(shown: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Keys of a vertical axis that set labels of several lines in the middle of their cells."""
    sizes = sorted({len(lines) for lines in shown.values()} - {1})
    tests = [
        {
            "test": f"indexof({json.dumps(named, ensure_ascii=False)}, datum.label) >= 0",
            "value": -(size - 1) * LINE / 2,
        }
        for size in sizes
        for named in ([label for label, lines in shown.items() if len(lines) == size],)
    ]
    return {"labelOffset": {"condition": tests, "value": 0}} if tests else {}


def cut(labels: Sequence[str], room: float) -> dict[str, str]:
    """Label → what is shown of it, its middle cut where it is too wide, and no two alike.

    Labels that differ in their middle alone lose what they begin with in common; those that still
    look alike are numbered.
    """
    places = enumerate(zip(*labels, strict=False))
    shared = next((n for n, letters in places if len({*letters}) > 1), 0)
    short: dict[str, str] = {}
    ways: tuple[Literal["start", "ends", "end"], ...] = ("ends", "start", "end")
    for keep in ways:
        short = {label: fit(label, room, theme.LABEL, keep=keep) for label in labels}
        if len({*short.values()}) == len(labels):
            return short
    tails = {label: fit(ELLIPSIS + label[shared:], room, theme.LABEL) for label in labels}
    if len({*tails.values()}) == len(labels):
        return tails
    return {label: fit(f"{n + 1} {label}", room, theme.LABEL) for n, label in enumerate(labels)}


def is_cut(lines: Sequence[str], label: str) -> bool:
    """Whether a part of a label is shown alone."""
    return len(lines) == 1 and ELLIPSIS in lines[0] and lines[0] != label


def _lost(short: Mapping[str, str]) -> int:
    """Characters that are cut off."""
    return sum(len(label) - len(text) for label, text in short.items() if label != text)


def thinned(labels: Sequence[str], crowding: float) -> list[str]:
    """Every n-th label, so many that they do not touch; `crowding`: room of a label in cells."""
    return list(labels[:: max(math.ceil(crowding - 1e-9), 1)])


def unprinted(labels: Sequence[str], printed: Sequence[str]) -> list[str]:
    """Names of an axis that has no room for them; numbers can be thought of."""
    return (
        [] if all(map(_is_number, labels)) else [label for label in labels if label not in printed]
    )


def _is_number(label: str) -> bool:
    """Numbers between others can be thought of; dates and names cannot."""
    return bool(_NUMBER.fullmatch(label))
