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
    is_word = plain.islower() and plain != OPEN
    return labels.get(name) or (plain.title() if is_word else plain)


def measure(word: str, labels: Mapping[str, str]) -> str:
    """The name of a metric in the figure: `pass@1` is Pass@1, `mean(tokens)` is Mean tokens."""
    if labels.get(word):
        return labels[word]
    what = metric(word)
    return what.label(labels.get(what.of) or what.of.replace("_", " ").strip())


def names_cut(names: Sequence[str]) -> list[str]:
    """A line on names that a figure cuts off; none without any."""
    cut = list(dict.fromkeys(names))
    more = f", of {len(cut):,} in all" if len(cut) > 2 else ""
    text = f"the end{'s' * (len(cut) > 1)} of {', '.join(map(repr, cut[:2]))}{more}"
    return [f"{text}: `names` and `labels` give shorter ones"] * bool(cut)


def names_left_out(names: Sequence[str]) -> list[str]:
    """A line on names of an axis that are not printed; none without any."""
    if not names:
        return []
    name = f"{len(names):,} names" if len(names) > 1 else "a name"
    near = f"{name} beside its cells (such as {names[0]!r}), too close to others"
    return [f"{near}: fewer values under `where` make room, and the tables have all"]


def beyond_page(high: float, entry: Figure, mend: str) -> list[str]:
    """A line on a figure that is more than a pt higher than a page; none on others.

    `high`: its height in pt; `mend`: how to make it lower.
    """
    most = venues.height(entry.height, entry.width)
    if high <= most + 1:
        return []
    inches = [f"{show(pt / 72, '.3~g')}\u00a0in" for pt in (high, most)]
    high_words = f"what does not fit on a page: it is {inches[0]} high, a page {inches[1]}"
    return [f"{high_words}: {mend}; `height` sets the height of your page"]


def sentence(text: str) -> str:
    """A text with a capital letter; a symbol (`n: problems`) stays as it is."""
    return text if text[1:2] in (":", " ") else f"{text[:1].upper()}{text[1:]}"
