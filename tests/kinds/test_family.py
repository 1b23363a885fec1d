"""What figures of all kinds have in common: where titles stand, and in which type."""

from typing import Any

import pytest

from heatproof.charts import theme
from heatproof.charts.lettering import text_width
from heatproof.export import drawing
from heatproof.kinds import api
from support import lettered, toys, views
from support.lettered import CAPITALS, Text

TITLE = "What all of them show"
KINDS: dict[str, dict[str, Any]] = {
    **views.ENTRIES,
    "heatmap": {"encoding": {"x": "ratio", "y": "window", "color": "pass@1"}},
}
PAIRS = {"source": "trio", "measure": "progress", "models": ["m", "n", "o"]}


def texts(samples: Any, **block: Any) -> list[Text]:
    """The lines of text of a figure, from its top."""
    figure = api.read({"name": "toy", "source": "toy", "title": TITLE} | block)
    kind = api.kind(figure.kind)
    chart = views.draw(figure, kind.aggregate(samples.lazy(), figure))
    return sorted(lettered.texts(drawing.draw(chart).svg), key=lambda text: text.bottom)


@pytest.mark.parametrize("kind", [*KINDS, "board", "panels"])
def test_titles_stand_above_all_and_begin_where_the_lines_below_do(kind: str) -> None:
    """In one type in all kinds; those of panels at their left."""
    if kind in KINDS:
        lines = texts(toys.sweep(), kind=kind, panel="task", **KINDS[kind])
    else:
        lines = texts(toys.trio(), kind="pairwise", form=kind, **PAIRS)
    title, foot = lines[0], min(lines[-3:], key=lambda text: text.left)
    assert title.text == TITLE
    assert title.left == pytest.approx(foot.left, abs=0.1)
    assert is_set(title, theme.HEAD)
    if kind in KINDS:
        panel = next(text for text in lines if text.text == "<a>")
        assert is_set(panel, theme.TITLE)
        ticks = [text.left for text in lines if text.text == "0.1"]
        assert panel.left <= min(ticks, default=panel.left) + 3


def is_set(text: Text, size: float) -> bool:
    """Whether a line is set in bold type of that size."""
    sizes = (text.bottom - text.top) / CAPITALS, text.right - text.left
    return sizes == pytest.approx((size, text_width(text.text, size, bold=True)), rel=1e-3)


def test_a_title_that_is_too_long_goes_on_in_the_next_line() -> None:
    """In kinds other than heatmaps as well."""
    words = "A title that is longer than a table of three columns is wide, by far"
    lines = texts(toys.sweep(), kind="table", panel="task", title=words, **KINDS["table"])
    count = next(n for n in range(1, 9) if " ".join(text.text for text in lines[:n]) == words)
    assert count > 1
    assert len({round(text.left, 2) for text in lines[:count]}) == 1
