"""What figures of all kinds have in common: where titles stand, and in which type."""

import re
from itertools import product
from typing import Any

import pytest

from heatproof.charts import theme
from heatproof.charts.lettering import text_width
from heatproof.config import venues
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
    return sorted(lettered.texts(drawn(samples, **block)), key=lambda text: text.bottom)


def drawn(samples: Any, **block: Any) -> str:
    """A figure as SVG."""
    figure = api.read({"name": "toy", "source": "toy", "title": TITLE} | block)
    kind = api.kind(figure.kind)
    return drawing.draw(views.draw(figure, kind.aggregate(samples.lazy(), figure))).svg


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


SIZES: list[dict[str, float]] = [{"cell": 7, "label": 6}, {"label": 9}, {"cell": 5.5}]


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [*product([*KINDS, "board", "panels"], SIZES[:1]), ("line", SIZES[1]), ("board", SIZES[1]),
     ("table", SIZES[2]), ("heatmap", SIZES[1]), ("heatmap", SIZES[2])],
)  # fmt: skip
@pytest.mark.slow
def test_type_is_as_large_as_it_is_asked_to_be(kind: str, sizes: dict[str, float]) -> None:
    """In all kinds; lines of text stay on the page and off each other."""
    block, samples = {"kind": kind, "panel": "task"} | KINDS.get(kind, {}), toys.sweep()
    if kind not in KINDS:
        block, samples = {"kind": "pairwise", "form": kind, **PAIRS}, toys.trio()
    with theme.using(venues.Type(**sizes)):
        svg = drawn(samples, type=sizes, **block)
        scale = {theme.LABEL, theme.SMALL, theme.TITLE, theme.HEAD, theme.VALUE, *theme.VALUES}
    found = {float(size) for size in re.findall(r'font-size="([\d.]+)px', svg)}
    assert kind == "table" or sizes.get("label", 7.0) in found  # names are as large as numbers
    assert kind == "board" or found <= scale
    assert kind not in ("heatmap", "table") or sizes.get("cell", max(found)) in found
    assert lettered.collisions(svg) == []


def test_a_venue_has_its_sizes_of_type() -> None:
    """Unless the figure says otherwise."""
    asked = venues.Type(label=9)
    sizes = [venues.type_of(sizes, "Nature-full") for sizes in (None, asked)]
    assert sizes == [venues.Type(cell=7, label=7), asked]
    assert venues.type_of(None, "89mm") == venues.Type()
    block = {"name": "toy", "source": "toy", "kind": "table", **KINDS["table"]}
    figure = api.read(block | {"type": {"cell": 4, "label": 21}})
    assert [mistake.place for mistake in figure.mistakes()] == [".type.cell", ".type.label"]
