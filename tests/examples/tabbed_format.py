"""tabbed: a line per answer, `task, sample, epoch, right` between tabs; the file is named by the model.

A whole log format in one file: in `workflow/src/heatproof/formats/` it is found by its name.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from heatproof.config.entries import Columns, Source
from heatproof.formats.api import Batch, Log, Place, Reject
from heatproof.formats.decoding import excerpt
from heatproof.logs.streams import chunks

WORDS = {"yes": 1.0, "no": 0.0}


class Entry(Source, kw_only=True):
    """Keys of a `tabbed` source."""

    def columns(self) -> Columns:
        return Columns()


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:  # noqa: ARG001 - no keys of its own
    """The samples of a log; what is no answer is refused with the reason."""
    rows: list[tuple[Any, ...]] = []
    places: list[Place] = []
    for text in chunks(log.file, log.path):
        offset = text.offset
        for number, line in enumerate(text.data.split(b"\n"), text.line):
            place = Place(number, offset, len(line))
            offset += len(line) + 1
            try:
                task, sample, epoch, right = line.decode().split("\t")
                rows.append((task, sample, int(epoch), WORDS[right]))
                places.append(place)
            except (ValueError, KeyError) as error:
                if line.strip():
                    yield Reject(place, f"no answer: {error}", excerpt(line))
    names = ("task", "sample_id", "epoch", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
    yield Batch(columns, places, {"model": PurePosixPath(log.path).stem})
