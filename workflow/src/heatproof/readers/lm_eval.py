"""lm-evaluation-harness 0.4: `samples_{task}_{time}.jsonl`, its run in `results_{time}.json`.

A line per problem and filter. Repeats lie inside the line, but the metric beside them is mostly
that of the filtered answer alone (of the first repeat, with take_first): each repeat is graded.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heatproof.logs.streams import Unreadable
from heatproof.readers import _lm_eval_runs as runs
from heatproof.readers._batch import Batch, Declared, Place, Reject, excerpt
from heatproof.readers._lines import as_records, read_lines
from heatproof.readers._lm_eval_grades import Grader
from heatproof.readers._lm_eval_printed import printed
from heatproof.readers._params import Tuned, lookup
from heatproof.readers._scores import fault
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers._log import Log

__all__ = ["Entry", "printed", "read", "recognises"]


class Entry(Tuned, kw_only=True):
    """Keys of an `lm_eval` source; `logs` names the samples files."""

    filter: str | None = None
    """Which filter's answers; needed where a task has several."""
    metric: str | None = None
    """Which metric is the score; needed where a task has several."""
    repeats: Literal["each", "stored"] = "each"
    """Each repeat is an epoch. Its score is stored where the metric is a list; else it is graded
    here, for which the metric must be exact_match and the filters by regex, map, case or blanks, or
    the record one of log-likelihoods; all else is refused. Or one epoch, with the stored metric."""

    @staticmethod
    def is_sidecar(path: str) -> bool:
        return bool(runs.RESULTS.fullmatch(path))

    def sidecars(self, path: str, root: Path) -> list[str]:
        found = [runs.results(path), runs.superseded(path, root, self)]
        return [file for file in found if file and (root / file).is_file()]

    def printed_in(self, path: str, root: Path) -> list[str]:
        found = runs.results(path)
        return [found] if found and (root / found).is_file() else []


def recognises(path: str, head: bytes) -> str:
    """Why a file is a log of this format; empty if it is none."""
    first = head.split(b"\n", 1)[0]
    told = all(name in first for name in (b'"doc_id"', b'"target"', b'"arguments"'))
    return f"it is named {runs.FORM} and holds doc_id" if runs.results(path) and told else ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared]:
    """The samples of a log; all of them are refused when a later run replaces it.

    Raises:
        Error: config.yaml does not choose among several filters or metrics.
    """
    try:
        run = runs.load(log, entry.max_document)
        metric, chosen = _choice(run, entry, log.path)
        shared = {"model": run.model, "task": run.task, "scorer": f"{metric},{chosen}"}
        shared |= _settings(entry, run)
        grader = Grader(run, metric, chosen, entry)
    except (runs.Refused, Unreadable) as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    if run.problems is not None:
        samples = run.problems * (run.repeats() if grader.each else 1)
        yield Declared(shared, samples, part=run.part())
    parts = read_lines(log, _decoder(metric), as_records, shared)
    later = runs.superseded(log.path, log.root, entry)
    later = later if log.was_there(later) else ""
    seen = False
    for part in parts:
        if isinstance(part, Reject):
            seen = True
            yield part
            continue
        mine = _mine(part, chosen)
        seen = seen or bool(mine)
        if later:
            yield from (_refused(at, f"superseded by the run of {later}", r) for at, r in mine)
        else:
            yield from _rows(mine, shared, entry, grader)
    if not seen:
        yield Reject(Place(1, 0, 0), f"no record of filter {chosen!r}")


def _settings(entry: Entry, run: runs.Run) -> dict[str, Any]:
    try:
        return lookup(entry.wanted(), run.places())
    except Error as error:
        raise runs.Refused(str(error)) from error


@cache
def _decoder(metric: str) -> msgspec.json.Decoder[Any]:
    """Of what is wanted of a line: the metric's name is a key of its own."""
    kind = msgspec.defstruct(
        "Record",
        [
            ("doc_id", int | str),
            ("score", bool | float | list[Any] | None),
            ("target", Any, None),
            ("resps", list[Any], []),
            ("filtered_resps", list[Any], []),
            ("filter", str, "none"),
            ("arguments", Any, None),
        ],
        rename={"score": metric},
    )
    return msgspec.json.Decoder(kind)


def _choice(run: runs.Run, entry: Entry, path: str) -> tuple[str, str]:
    """Metric and filter, as config.yaml chooses among those of the results file."""
    place = f"config.yaml: sources.{entry.name}"
    filters = sorted({chosen for _, chosen in run.metrics})
    chosen = _one(filters, entry.filter, f"{place}.filter", path)
    metrics = sorted({metric for metric, of in run.metrics if of == chosen})
    return _one(metrics, entry.metric, f"{place}.metric", path), chosen


def _one(names: list[str], wanted: str | None, place: str, path: str) -> str:
    word = place.rsplit(".", 1)[-1]
    if not names:
        raise runs.Refused(f"its results file names no {word}")
    if wanted is None and len(names) > 1:
        raise Error(f"{place}: {path} has several, name one; {choices('', names)}")
    if wanted is not None and wanted not in names:
        raise Error(f"{place}: {wanted!r} is not a {word} of {path}; {choices(wanted, names)}")
    return wanted or names[0]


def _mine(batch: Batch, chosen: str) -> list[tuple[Place, Any]]:
    """The records of the filter: the others are the same answers, filtered otherwise."""
    pairs = zip(batch.places, batch.columns["record"], strict=True)
    return [(place, record) for place, record in pairs if record.filter == chosen]


def _rows(
    mine: list[tuple[Place, Any]], shared: dict[str, Any], entry: Entry, grader: Grader
) -> Iterator[Batch | Reject]:
    missing = {name: found for name, found in entry.wanted().items() if shared[name] is None}
    columns: dict[str, list[Any]] = {"sample_id": [], "epoch": [], "score": [], "graded": []}
    columns |= {name: [] for name in missing}
    places: list[Place] = []
    for place, record in mine:
        try:
            scores, computed = grader.scores(record)
            if reason := next(filter(None, map(fault, scores)), ""):
                raise Error(reason)
            told = lookup(missing, runs.arguments(record.arguments))
        except Error as error:
            yield _refused(place, str(error), record)
            continue
        columns["sample_id"] += [str(record.doc_id)] * len(scores)
        columns["epoch"] += range(len(scores))
        columns["score"] += scores
        columns["graded"] += [computed and epoch > 0 for epoch in range(len(scores))]
        for name, value in told.items():
            columns[name] += [value] * len(scores)
        places += [place] * len(scores)
    yield Batch(columns, places, shared)


def _refused(place: Place, reason: str, record: Any) -> Reject:
    told = {"doc_id": record.doc_id, "filter": record.filter, "resps": record.resps}
    return Reject(place, reason, excerpt(msgspec.json.encode(told)))
