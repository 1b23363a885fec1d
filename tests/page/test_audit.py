"""What is behind the cells of a figure, as the gallery tells it."""

import random
import re
from functools import partial
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from heatproof.config import roles
from heatproof.kinds import pair_records
from heatproof.kinds import trace as places
from heatproof.samples import counts
from support import toys

TURNS = re.compile(r"translate\(([-.\d]+),([-.\d]+)\)")


def walked(rows: pl.DataFrame) -> dict[int, list[tuple[str, str, list[int]]]]:
    """Owner → log, member and [first, last, start, end, rows] of its stretches, line by line."""
    collected = dict[int, list[tuple[str, str, list[int]]]]()
    lines = rows.select("whose", "log", "member", "offset", "line", "record_bytes").rows()
    for whose, log, member, offset, line, length in sorted(lines):
        own = collected.setdefault(whose, [])
        if own and own[-1][:2] == (log, member) and line - own[-1][2][1] in (0, 1):
            _, _, span = own[-1]
            span[1], span[3], span[4] = line, offset + length, span[4] + 1
        else:
            own.append((log, member, [line, line, offset, offset + length, 1]))
    return collected


@pytest.mark.parametrize("budget", [6_000, 0, 3, 9])
def test_stretches_are_those_that_walking_through_the_logs_finds(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs, members and owners in any order, lines twice or left out; in portions by log."""
    draw = random.Random(5)
    rows = [
        toys.row(line, log=log, member=member) | {"whose": draw.choice([7, 2, 40])}
        for log in "bca"
        for member in ("", "y", "x")
        for line in range(1, 30)
        for _ in range(draw.choice([0, 1, 1, 1, 2]))
    ]
    draw.shuffle(rows)
    every = pl.DataFrame(rows).select("whose", *roles.PLACE)
    monkeypatch.setattr(places, "fair", partial(places.fair, budget=budget))
    most = budget // 3 if budget < 6_000 else None
    collected = places.Stretches("whose")
    assert collected.listed() == {}
    for log in "acb":
        collected.add(every.filter(log=log))
    answer, expected, numbers = collected.listed(), walked(every), list[Any]()
    assert [*answer] == [*expected] == [2, 7, 40]
    for whose, spans in expected.items():
        items = list[Any]()
        for log, member, (*span, _) in spans[:most]:
            name = [log, member] if member else log
            if name not in numbers:
                numbers.append(name)
            if not items or items[-1][0] != numbers.index(name):
                items.append([numbers.index(name)])
            items[-1].append(span)
        left = spans[len(spans) if most is None else most :]
        items += [[-1, len(left), sum(span[4] for *_, span in left)]] if left else []
        assert answer[whose] == items
    assert collected.logs() == numbers
    table = places.stretches(every, "whose").select("whose", "log", "member", "first", "rows")
    assert table.rows() == [
        (whose, log, member, span[0], span[4])
        for whose, spans in expected.items()
        for log, member, span in spans
    ]


@pytest.mark.parametrize("kind", ["heatmap", "pairwise"])
@pytest.mark.parametrize("budget", [0, 3, 6_000])
def test_portions_tell_the_story_of_the_whole(
    kind: str, budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Log by log, in any order, and with the counts at hand: the same, also where room is scarce."""
    entry, samples, grid, *_ = toys.drawn(kind)
    where = pair_records if kind == "pairwise" else places
    monkeypatch.setattr(where, "fair", partial(places.fair, budget=budget))
    every = toys.words([samples.lazy()], entry, grid)
    parts = [part.lazy() for part in samples.partition_by("log")][::-1]
    counted = [counts.count(part.collect()).lazy() for part in parts]
    assert len(parts) > 1
    assert toys.words(parts, entry, grid) == every
    assert toys.words(parts, entry, grid, counted) == every


def marks(svg: bytes) -> list[tuple[float, float, str]]:
    """Middle and label of each cell that is drawn, in pt from the upper left corner."""
    collected = []

    def walk(node: ElementTree.Element, x: float, y: float) -> None:
        if move := TURNS.match(node.get("transform", "")):
            x, y = x + float(move[1]), y + float(move[2])
        if node.get("aria-roledescription") == "rect mark":
            left, top, wide, high = map(float, re.findall(r"-?[\d.]+", node.get("d", ""))[:4])
            collected.append((x + left + wide / 2, y + top + high / 2, node.get("aria-label", "")))
        for child in node:
            walk(child, x, y)

    walk(ElementTree.fromstring(svg), 0.0, 0.0)
    return collected


def pointed(story: dict[str, Any], x: float, y: float) -> tuple[int, int, int]:
    """Panel, column and row at a place, by the boxes that the page uses."""
    across, up = len(story["x"]["values"]), len(story["y"]["values"])
    for panel, (left, top, wide, high) in enumerate(story["boxes"]):
        if left <= x < left + wide and top <= y < top + high:
            row = up - 1 - int((y - top) / high * up)
            return panel, int((x - left) / wide * across), row
    raise AssertionError((x, y))


def test_boxes_hit_what_is_drawn() -> None:
    """The middle of every cell lies where the page looks for it."""
    story = toys.story("heatmap")
    cells = marks(toys.drawn("heatmap")[-1])
    assert len(cells) == 12
    for n, (x, y, label) in enumerate(cells):
        panel, column, row = pointed(story, x, y)
        assert panel == n // 6
        place = f"{story['x']['words'][column]}, Window {story['y']['words'][row]}: Pass@1 (%) "
        assert f"Ratio {place}" in label
