"""Where the cells of a drawn figure are, so that a page can tell which one is pointed at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Box = tuple[float, float, float, float]
"""Left, top, width and height in pt, from the upper left corner of the picture."""

_VIEW = re.compile(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_MOVE = re.compile(r"translate\(([-.\d]+),([-.\d]+)\)")
_PANEL = re.compile(r"\bconcat_(\d+)_group\b")
_SIZE = re.compile(r"[hv](-?[\d.]+)")


def boxes(spec: Mapping[str, Any], svg: bytes) -> list[Box]:
    """The boxes of a figure's panels, in their order; cells fill them evenly.

    Charts of the concatenation that have a description are panels; colour bars have none.
    """
    panels = {n for n, chart in enumerate(spec.get("concat", [])) if "description" in chart}
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn by ourselves
    found = {n: box for n, box in _groups(root, (0.0, 0.0), None) if n in panels}
    return [found[n] for n in sorted(found)]


def size(svg: bytes) -> tuple[float, float]:
    """Width and height of a picture in pt."""
    found = _VIEW.search(svg)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _groups(
    node: ElementTree.Element, at: tuple[float, float], panel: int | None
) -> Iterator[tuple[int, Box]]:
    """(number of the chart, box) of each chart that is drawn below a node."""
    if move := _MOVE.match(node.get("transform", "")):
        at = at[0] + float(move[1]), at[1] + float(move[2])
    if named := _PANEL.search(node.get("class", "")):
        panel = int(named[1])
    for child in node:
        if panel is not None and child.get("class") == "background":
            width, height = (float(side) for side in _SIZE.findall(child.get("d", ""))[:2])
            yield panel, (*at, width, height)
            return
        yield from _groups(child, at, panel)
