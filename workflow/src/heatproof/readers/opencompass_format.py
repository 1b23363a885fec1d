"""OpenCompass: `results/{model}/{dataset}.json` with `details` (`tasks/openicl_eval.py`).

Details are there only if the run was told to dump them (`--dump-eval-details`); without them the
file holds aggregates alone, and is refused. They have two shapes:

- a list, each item a problem with `example_abbr`, and under each key a list with one value for each
  replica of the data set (`icl_evaluator/icl_base_evaluator.py`, since April 2025);
- an object whose keys are numbers, each item a problem, beside a `type` (GEN, PPL).

Whether an answer is right is `correct`, else `is_correct`, else `cascade_correct`, as there.

It printed `accuracy` beside them, in percent: the mean over problems, and over replicas.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.readers import preferences
from heatproof.readers.api import Place, Printed, Reject, excerpt, printed_number
from heatproof.readers.detection import plain
from heatproof.readers.documents import decoded, document, members, places
from heatproof.readers.harness import Placed, Refused, Rows, of_document, settings
from heatproof.readers.params import excerpted, unit
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers.api import Log
    from heatproof.readers.harness import Parts


CORRECT = ["correct", "is_correct", "cascade_correct"]
TYPES = re.compile(rb'"type":\s*"(?:GEN|PPL)"')
TYPE = "type"
"""Key among the problems that is none."""
PRINTED = re.compile(r"(?P<name>accuracy|score)( \(\d+ runs average\))?")
PERCENT = 100.0


class Entry(Placed, kw_only=True):
    """Keys of an `opencompass` source."""

    score: str | list[str] = msgspec.field(default_factory=lambda: list(CORRECT))
    """Key of a problem that is its score; of several, the first that is there."""

    usual: ClassVar[str] = r"(?:^|/)(?P<model>[^/]+)/(?P<task>[^/]+)\.json$"

    def mistakes(self) -> list[str]:
        return [*super().mistakes(), *preferences.mistakes("score", self.score)]

    def printed_in(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        return [path]


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    _, _, details = head.partition(b'"details"')
    told = b'"example_abbr"' in details or TYPES.search(details)
    named = plain(path).endswith(".json")
    return "it has details with example_abbr or a type" if named and told else ""


def read(log: Log, entry: Entry) -> Parts:
    """The samples of a log; one without details is refused."""

    def parts(data: bytes) -> Parts:
        problems = _problems(data)
        shared = settings(entry, log.path, {})
        rows = Rows(shared, entry.range)
        for name, place, text in problems:
            yield from _taken(rows, name, place, text, entry)
        yield rows.batch()

    yield from of_document(log, entry.max_document, parts)


def _problems(data: bytes) -> list[tuple[str, Place, bytes]]:
    """Number, place and bytes of each problem."""
    found = members(data, ["details"])
    if "details" not in found:
        raise Refused(
            "it holds aggregates alone: OpenCompass writes the problems too if it is run with "
            "--dump-eval-details"
        )
    held = msgspec.json.decode(found["details"], type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(held, dict):
        held = members(found["details"])
    pairs = held.items() if isinstance(held, dict) else enumerate(held)
    items = {str(name): raw for name, raw in pairs if name != TYPE}
    if not items:
        raise Refused("the log holds no problems")
    where = places(data, [*items.values()])
    return [
        (name, place, bytes(memoryview(raw)))
        for (name, raw), place in zip(items.items(), where, strict=True)
    ]


def _taken(rows: Rows, name: str, place: Place, data: bytes, entry: Entry) -> Iterator[Reject]:
    try:
        told = decoded(data, dict[str, Any])
        key, values = _scores(told, entry)
    except Error as error:
        yield Reject(place, str(error), excerpt(data))
        return
    problem = str(told.get("example_abbr", name))
    for epoch, value in enumerate(values):
        of = {"sample_id": problem, "epoch": epoch, "scorer": key}
        if value is not None and not isinstance(value, bool | int | float):
            why = f"{key}: {excerpted(value)} is not true, false or a number"
            yield rows.lost(place, why, data, **of)
            continue
        score = None if value is None else unit(value, entry.range)
        yield from rows.take(place, {**of, "score": score}, data)


def _scores(told: dict[str, Any], entry: Entry) -> tuple[str, list[Any]]:
    """The key of the score, and its value in each replica."""
    wanted = [entry.score] if isinstance(entry.score, str) else entry.score
    key = next((name for name in wanted if name in told), None)
    if key is None:
        raise Error(
            f"the problem has none of {', '.join(wanted)} (`score` in config.yaml); "
            f"{choices(wanted[0], told)}"
        )
    values = told[key] if isinstance(told[key], list) else [told[key]]
    if not values:
        raise Error(f"{key} is an empty list")
    return key, values


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The accuracy that stands beside the details.

    Raises:
        Error: the log is damaged or too large.
    """
    told = decoded(document(log, entry.max_document), dict[str, Any])
    for name, value in told.items():
        if PRINTED.fullmatch(name):
            number = printed_number(value)
            yield Printed(
                file=log.path,
                name=name,
                value=number,
                over="all",
                high=PERCENT,
                why="" if number is not None else "it is not a number",
            )
