"""What is read out of a heatmap to those who cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.wording import count
from heatproof.kinds.heatmap.gaps import FAILED
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.wording import Row
    from heatproof.kinds.heatmap.panels import Names

NAMED = 3
"""Places of the best that are read out; of more, only the number is."""


def panel(
    title: str,
    rows: Sequence[Row],
    names: Sequence[str],
    spec: str,
    end: str = "best",
    each: str = "",
) -> str:
    """A panel in words. `names`: of x, y and value; rows: as `cells.framed` makes them.

    `end`: what the marked end of the values is called (`Entry.end`); `each`: of which cells it is
    the end (`among.Among`).
    """
    along, up, what = names
    known = [row for row in rows if row["value"] is not None]
    opening = f"{title}: " if title else ""
    if not known:
        none = "value" if count(rows, "incomplete") else "data"
        return f"{opening}no {none} in any of the {len(rows)} cells."
    low, high = (show(end(row["value"] for row in known), spec) for end in (min, max))
    places = [f"{along} {row['x']}, {up} {row['y']}" for row in known if row["framed"]]
    shared, value = count(known, "best"), "highest" if end == "best" else end
    said = [f"{opening}{what} from {low} to {high} in {len(known)} cells"]
    said += [f"{end}{each} at {' and at '.join(places)}"] if 0 < len(places) <= NAMED else []
    if shared and not said[1:]:
        apart = f"{end}{each} in {len(places)} cells"
        said.append(apart if each else f"{shared} cells share the {value} value")
    said += [f"{tied} others not distinguishable from it"] if (tied := count(rows, "tied")) else []
    lost = [row for row in rows if row["missing"]]
    few, failed = count(lost, "incomplete"), sum(row["gap"] == FAILED for row in lost)
    none = len(lost) - few - failed
    said += [f"{none} without data"] if none else []
    said += [f"{failed} of runs that failed or are unfinished"] if failed else []
    said += [f"{few} incomplete and without a value"] if few else []
    said += [f"{part} incomplete"] if (part := count(rows, "incomplete") - few) else []
    return "; ".join(said) + "."


def figure(names: Names, percent: bool) -> str:
    """What a heatmap shows, in a sentence."""
    unit = " in percent" if percent else ""
    return f"Heatmap of {names.value}{unit} over {names.x} (x) and {names.y} (y)."
