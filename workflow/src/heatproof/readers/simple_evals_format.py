"""simple-evals: `{eval}_{model}_{time}_allresults.json` (`simple_evals.py`).

It has a page of HTML for each answer, and in it the score (`common.py`, the template of a result).
The text of a model cannot look like it, for it is escaped. Answers are in the order of the data
set. Where that was repeated (`n_repeats`), the whole of it stands several times, one behind the
other, which the file does not tell.

It printed `score`: the mean over all answers. The file beside it, without `_allresults`, repeats
that, and is never read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.readers.api import Place, Printed, Reject, excerpt, printed_number
from heatproof.readers.detection import plain
from heatproof.readers.documents import decoded, document, members, places
from heatproof.readers.harness import Placed, Refused, Rows, of_document, settings
from heatproof.readers.params import number_from_text, unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers.api import Log
    from heatproof.readers.harness import Parts


SCORE = re.compile(r"<p>Score: ([^<>]*)</p>")
WORDS = {"True": 1.0, "False": 0.0}
NONE = "None"
"""How Python writes that there is none."""
ENDING = "_allresults.json"


class Entry(Placed, kw_only=True):
    """Keys of a `simple_evals` source."""

    repeats: int = 1
    """How often the data set stands in a log (`n_repeats`)."""

    usual: ClassVar[str] = (
        r"(?:^|/)(?P<task>healthbench(?:_hard|_consensus|_meta)?|[^_/]+)"
        r"_(?P<model>[^/]+?)(?:_\d{8}_\d{6})?(?:_DEBUG)?_allresults\.json$"
    )

    def mistakes(self) -> list[str]:
        wrong = [] if self.repeats > 0 else [f".repeats: {self.repeats} is not 1 or more"]
        return super().mistakes() + wrong

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return plain(path).endswith((".html", ".json")) and not plain(path).endswith(ENDING)

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        return [path]


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    told = b'"score"' in head and b'"htmls"' in head
    return f"it is named …{ENDING} and has htmls" if plain(path).endswith(ENDING) and told else ""


def read(log: Log, entry: Entry) -> Parts:
    """The samples of a log; an answer whose page tells no score is refused."""

    def parts(data: bytes) -> Parts:
        found = members(data, ["htmls"])
        if "htmls" not in found:
            raise Refused(f"it has no 'htmls': only files named …{ENDING} tell single answers")
        pages = msgspec.json.decode(found["htmls"], type=list[msgspec.Raw])
        if not pages:
            raise Refused("the log holds no answers")
        if len(pages) % entry.repeats:
            raise Refused(f"{len(pages)} answers are no {entry.repeats} repeats (`repeats`)")
        shared = settings(entry, log.path, {}) | {"scorer": "score"}
        rows = Rows(shared, entry.range)
        size = len(pages) // entry.repeats
        for at, (raw, place) in enumerate(zip(pages, places(data, pages), strict=True)):
            of = {"sample_id": str(at % size), "epoch": at // size}
            yield from _taken(rows, place, bytes(memoryview(raw)), of, entry)
        yield rows.batch()

    yield from of_document(log, entry.max_document, parts)


def _taken(
    rows: Rows, place: Place, data: bytes, of: dict[str, Any], entry: Entry
) -> Iterator[Reject]:
    try:
        page = msgspec.json.decode(data, type=str)
    except msgspec.ValidationError as error:
        yield Reject(place, str(error), excerpt(data))
        return
    told = SCORE.findall(page)
    text = told[-1].strip() if told else ""
    if text in ("", NONE):
        yield rows.lost(place, "the sample has no score: its page tells none", data, **of)
        return
    try:
        value = WORDS[text] if text in WORDS else number_from_text(text)
    except ValueError:
        yield rows.lost(place, f"score: {text!r:.40} is not a number", data, **of)
        return
    score = value if text in WORDS else unit(value, entry.range)
    yield from rows.take(place, {**of, "score": score}, data)


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The score that stands above the answers.

    Raises:
        Error: the log is damaged or too large.
    """
    low, high = entry.range or (0.0, 1.0)
    told = decoded(document(log, entry.max_document), dict[str, Any])
    if "score" in told:
        value = printed_number(told["score"])
        yield Printed(
            file=log.path,
            name="score",
            value=value,
            over="all",
            low=low,
            high=high,
            why="" if value is not None else "it is not a number",
        )
