"""Words of a figure: what columns and metrics are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from heatproof.config import venues
from heatproof.metrics import metric
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config.entries import Figure

Row = Mapping[str, Any]


def column(name: str, labels: Mapping[str, str]) -> str:
    """What a column is called in the figure: `local_window` is Local Window."""
    plain = name.replace("_", " ").strip()
    return labels.get(name) or (plain.title() if plain.islower() else plain)


def measure(word: str, labels: Mapping[str, str]) -> str:
    """What a metric is called in the figure: `pass@1` is Pass@1, `mean(tokens)` is Mean tokens."""
    if labels.get(word):
        return labels[word]
    what = metric(word)
    return what.label(labels.get(what.of) or what.of.replace("_", " ").strip())


def names_cut(names: Sequence[str]) -> list[str]:
    """A line on names of which a figure shows the beginning alone; nothing if there are none."""
    cut = list(dict.fromkeys(names))
    more = f", of {len(cut):,} in all" if len(cut) > 2 else ""
    text = f"the end{'s' * (len(cut) > 1)} of {', '.join(map(repr, cut[:2]))}{more}"
    return [f"{text}: `names` and `labels` give shorter ones"] * bool(cut)


def names_left_out(names: Sequence[str]) -> list[str]:
    """A line on names of an axis that are not printed; nothing if there are none."""
    if not names:
        return []
    name = f"{len(names):,} names" if len(names) > 1 else "a name"
    near = f"{name} beside its cells (such as {names[0]!r}), too close to others"
    return [f"{near}: fewer values under `where` make room, and the tables have all"]


def beyond_page(high: float, entry: Figure, mend: str) -> list[str]:
    """A line on a figure that is higher than a page, by more than a pt; nothing on others.

    `high`: its height in pt; `mend`: what would make it lower.
    """
    most = venues.height(entry.height, entry.width)
    if high <= most + 1:
        return []
    inches = [f"{show(pt / 72, '.3~g')}\u00a0in" for pt in (high, most)]
    high_words = f"what does not fit on a page: it is {inches[0]} high, a page {inches[1]}"
    return [f"{high_words}: {mend}; `height` sets the height of your page"]


def sentence(text: str) -> str:
    """A text with a capital; a symbol of one letter (`n: problems`) stays as it is."""
    return text if text[1:2] in (":", " ") else f"{text[:1].upper()}{text[1:]}"


def count(rows: Sequence[Row], flag: str) -> int:
    """Rows in which a flag is set."""
    return sum(bool(row[flag]) for row in rows)
