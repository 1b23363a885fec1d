"""The first records behind each cell, as they stand in the logs, where a source shows them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.logs import streams

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Stretch = list[int]
    """First and last line, first byte, and the byte behind the last."""

READ = 1 << 15  # bytes of a stretch that are read at most
SHOWN = 400  # characters of a record that are quoted at most


def quoted(behind: Mapping[str, Any], limit: int, root: Path) -> dict[str, Any]:
    """The first records of each cell as `texts` by `LOG:BYTE`, where their stretch begins.

    Args:
        behind: what lies behind the cells of a figure, as `records` of its kind has it.
        limit: how many of a cell at most.
        root: the folder in which paths of logs begin.
    """
    stretches_of_logs: dict[int, dict[int, Stretch]] = defaultdict(dict)
    for cell in behind["cells"]:
        for number, stretch in _first_stretches(cell.get("logs", ()), limit):
            stretches_of_logs[number][stretch[2]] = stretch
    quotes = {}
    for number, stretches in sorted(stretches_of_logs.items()):
        log = behind["logs"][number]
        path, *member = [log] if isinstance(log, str) else log
        spans = {}
        for stretch in stretches.values():
            _, _, start, end = stretch
            spans[start] = (start, min(end - start, READ))
        data = streams.slices(root / path, spans.values(), *member)
        for start, span in spans.items():
            text = data[span].decode("utf-8", "replace")
            quotes[f"{number}:{start}"] = _cut_records(text, stretches[start], limit)
    return {"most": limit, "texts": quotes}


def _first_stretches(listed: list[Any], limit: int) -> Iterator[tuple[int, Stretch]]:
    """The stretches that hold the first records of a cell, each with the number of its log."""
    count = 0
    for number, *stretches in listed:
        if number < 0:  # those that are left out
            return
        for stretch in stretches:
            yield number, stretch
            first, last, *_ = stretch
            count += last - first + 1
            if count >= limit:
                return


def _cut_records(text: str, stretch: Stretch, limit: int) -> list[str]:
    """The first records of a stretch: lines, or the one record that has several."""
    first, last, *_ = stretch
    records = [text] if first == last else text.split("\n")[:limit]
    quotes = []
    for record in records:
        is_long = len(record) > SHOWN
        quotes.append(f"{record[:SHOWN]}…" if is_long else record)
    return quotes
