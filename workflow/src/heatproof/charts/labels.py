"""Labels of a horizontal axis: broken into lines, thinned out or turned, never crammed."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.lettering import broken, widest
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

PAD = 3.0
"""From the cells to the labels, and from these to the title."""
APART = 4.0
"""Least room between two labels."""
NARROW = 2.0
"""The same between labels on several lines."""
LINE = theme.line_height(theme.LABEL)
LINES = 3
"""Most lines of a label."""
LONGEST = 80.0
"""A turned label is cut beyond."""
_NUMBER = re.compile(r"[−-]?\d[\d.,]*(e[−-]?\d+)?[%kMGTmµn]?")


@dataclass(frozen=True)
class Labels:
    """Labels of x: on lines that fit their cells, or turned; numbers are thinned out instead."""

    all: Sequence[str]
    lines: dict[str, list[str]]
    """Label → its lines, if any label needs more than one."""
    turned: bool
    step: float

    @staticmethod
    @cache
    def of(labels: tuple[str, ...], step: float) -> Labels:
        """The labels for cells that are `step` pt apart."""
        room = step - APART
        if all(map(_is_number, labels)) or widest(labels, theme.LABEL) <= room:
            return Labels(labels, {}, turned=False, step=step)
        room = step - NARROW
        lines = {label: broken(label, room, theme.LABEL) for label in labels}
        fits = max(map(len, lines.values())) <= LINES
        fits = fits and all(widest(found, theme.LABEL) <= room for found in lines.values())
        return Labels(labels, lines if fits else {}, turned=not fits, step=step)

    @property
    def longest(self) -> float:
        """Width beyond which a label is cut."""
        return LONGEST if self.turned else math.inf

    @property
    def height(self) -> float:
        if self.turned:
            return min(widest(self.all, theme.LABEL), LONGEST)
        return theme.LABEL + LINE * (max(map(len, self.lines.values()), default=1) - 1)

    def axis(self, width: float, title: Sequence[str]) -> alt.Axis:
        """The axis below a panel of this width, with the lines of its title."""
        room = LINE if self.turned or self.lines else widest(self.all, theme.LABEL) + APART
        split = f"({json.dumps(self.lines, ensure_ascii=False)})[datum.label]"
        lines: dict[str, Any] = {"labelExpr": split, "labelLineHeight": LINE} if self.lines else {}
        return alt.Axis(
            title=list(title) or None,
            values=thinned(self.all, room / self.step),
            labelAngle=-90 if self.turned else 0,
            labelAlign="right" if self.turned else "center",
            labelBaseline="middle" if self.turned else "top",
            labelLimit=LONGEST if self.turned else 0,
            titleX=width / 2,
            titleY=PAD + self.height + PAD,
            titleAlign="center",
            titleBaseline="top",
            titleLineHeight=LINE,
            **lines,
        )


def thinned(labels: Sequence[str], crowding: float) -> list[str]:
    """Every n-th label, so many that they do not touch; `crowding`: room of a label in cells."""
    return list(labels[:: max(math.ceil(crowding - 1e-9), 1)])


def _is_number(label: str) -> bool:
    """Numbers between others can be thought of; dates and names cannot."""
    return bool(_NUMBER.fullmatch(label))
