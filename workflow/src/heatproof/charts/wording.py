"""Names of columns and metrics in a figure, and lines on what has no room in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.config import venues
from heatproof.metrics import OPEN, metric
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.config.entries import Figure


def column(name: str, labels: Mapping[str, str]) -> str:
    """The name of a column in the figure: `local_window` is Local Window."""
    plain = name.replace("_", " ").strip()
    if plain.islower() and plain != OPEN:
        plain = plain.title()
    return labels.get(name) or plain


def measure(metric_word: str, labels: Mapping[str, str]) -> str:
    """The name of a metric in the figure: `pass@1` is Pass@1, `mean(tokens)` is Mean tokens."""
    if labels.get(metric_word):
        return labels[metric_word]
    definition = metric(metric_word)
    plain = definition.of.replace("_", " ").strip()
    return definition.label(labels.get(definition.of) or plain)


def names_cut(names: Sequence[str]) -> list[str]:
    """A line on names that a figure cuts off; none without any."""
    cut = list(dict.fromkeys(names))
    if not cut:
        return []
    ends = "the end" if len(cut) == 1 else "the ends"
    text = f"{ends} of {', '.join(map(repr, cut[:2]))}"
    if len(cut) > 2:
        text += f", of {len(cut):,} in all"
    return [f"{text}: `names` and `labels` give shorter ones"]


def names_left_out(names: Sequence[str]) -> list[str]:
    """A line on names of an axis that are not printed; none without any."""
    if not names:
        return []
    name = f"{len(names):,} names" if len(names) > 1 else "a name"
    crowded = f"{name} beside its cells (such as {names[0]!r}), too close to others"
    return [f"{crowded}: fewer values under `where` make room, and the tables have all"]


def beyond_page(high: float, entry: Figure, mend: str) -> list[str]:
    """A line on a figure that is more than a pt higher than a page; none on others.

    `high`: its height in pt; `mend`: how to make it lower.
    """
    page = venues.height(entry.height, entry.width)
    if high <= page + 1:
        return []
    inches, page_inches = (f"{show(pt / 72, '.3~g')}\u00a0in" for pt in (high, page))
    fact = f"what does not fit on a page: it is {inches} high, a page {page_inches}"
    return [f"{fact}: {mend}; `height` sets the height of your page"]


def sentence(text: str) -> str:
    """A text with a capital letter; a symbol (`n: problems`) stays as it is."""
    if text[1:2] in (":", " "):
        return text
    return text[:1].upper() + text[1:]
