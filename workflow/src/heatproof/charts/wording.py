"""Words of a figure: names of columns and metrics, and what is read out to those who cannot see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from heatproof.metrics import metric
from heatproof.numerals import show

if TYPE_CHECKING:
    from heatproof.heatmaps.panels import Names
    from heatproof.pairwise.bins import Pair

Row = Mapping[str, Any]
NAMED = 3
"""Places of the best that are read out; of more, only the number is."""


def column(name: str, labels: Mapping[str, str]) -> str:
    """What a column is called in the figure: `local_window` is Local Window."""
    plain = name.replace("_", " ").strip()
    return labels.get(name) or (plain.title() if plain.islower() else plain)


def measure(word: str, labels: Mapping[str, str]) -> str:
    """What a metric is called in the figure: `pass@1` is Pass@1, `mean(tokens)` is Mean tokens."""
    if word in labels:
        return labels[word]
    what = metric(word)
    if what.k:
        return f"Pass@{what.k}"
    return f"Mean {labels.get(what.of, what.of.replace('_', ' '))}"


def heatmap(
    title: str, rows: Sequence[Row], names: Sequence[str], spec: str, best: str = "highest"
) -> str:
    """A panel in words. `names`: of x, y and value; rows: as `cells.framed` makes them."""
    along, up, what = names
    known = [row for row in rows if row["value"] is not None]
    opening = f"{title}: " if title else ""
    if not known:
        return f"{opening}no data in any of the {len(rows)} cells."
    low, high = (show(end(row["value"] for row in known), spec) for end in (min, max))
    places = [f"{along} {row['x']}, {up} {row['y']}" for row in known if row["framed"]]
    shared = count(known, "best")
    word = "best" if best == "highest" else "lowest"
    said = [f"{opening}{what} from {low} to {high} in {len(known)} cells"]
    said += [f"{word} at {' and at '.join(places)}"] if 0 < len(places) <= NAMED else []
    said += [f"{shared} cells share the {best} value"] if shared and not said[1:] else []
    said += [f"{tied} others not distinguishable from it"] if (tied := count(rows, "tied")) else []
    said += [f"{none} without data"] if (none := count(rows, "missing")) else []
    said += [f"{part} incomplete"] if (part := count(rows, "incomplete")) else []
    return "; ".join(said) + "."


def figure(names: Names, percent: bool) -> str:
    """What a heatmap shows, in a sentence."""
    unit = " in percent" if percent else ""
    return f"Heatmap of {names.value}{unit} over {names.x} (x) and {names.y} (y)."


def duels(colours: str, what: str) -> str:
    """What a pairwise figure shows, in a sentence. `colours`: the title of its colour bar."""
    return f"Pairs of models by {what} on the same instances, from 0 to 1; colour: {colours}."


def duel(pair: Pair, what: str) -> str:
    """A pairwise panel in words: who is ahead how often, and the fullest bin."""
    full = max(pair.bins, key=lambda row: int(row["samples"]))
    x0, x1, y0, y1 = (show(full[edge], ".3~g") for edge in ("x0", "x1", "y0", "y1"))
    return (
        f"{what} of {pair.x} (x) against {pair.y} (y) on {pair.n} instances: "
        f"{pair.x} ahead on {pair.wins}, equal on {pair.ties}, {pair.y} ahead on {pair.losses}; "
        f"most, {full['samples']}, at x {x0} to {x1}, y {y0} to {y1}"
        f"{''.join(f'; {part}' for part in pair.verdict)}."
    )


def count(rows: Sequence[Row], flag: str) -> int:
    """Rows in which a flag is set."""
    return sum(bool(row[flag]) for row in rows)
