"""How many samples an Inspect log was to hold, by its own head.

The ids of the data set are those of the samples that were asked for. Its number of samples may be
that of all there are, under a limit too: it counts only where no ids are told.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from heatproof.readers._batch import Declared

if TYPE_CHECKING:
    from heatproof.readers._inspect_log import Header


def declared(header: Header, shared: dict[str, Any], seen: int) -> Declared:
    """What the log was to hold; `seen`: samples in it, of whatever grade.

    A sample that was stopped early, as it was meant to be, is not asked for.
    """
    epochs = max(_number(_object(header.eval, "config").get("epochs")) or 1, 1)
    stopped = _stopped(header)
    if ids := _ids(header):
        each = {one: epochs * n - stopped[one] for one, n in Counter(ids).items()}
        each = {one: n for one, n in each.items() if n > 0}
        return Declared(shared, sum(each.values()), each, part=_part(header, len({*ids})))
    problems = _problems(header)
    if problems is None:
        return Declared(shared, seen if header.status == "success" else None)
    samples = max(problems * epochs - stopped.total(), 0)
    return Declared(shared, samples, part=_part(header, problems))


def _part(header: Header, asked: int) -> tuple[int, int] | None:
    there = _number(_object(header.eval, "dataset").get("samples"))
    return None if there is None else (asked, there)


def _ids(header: Header) -> list[str]:
    listed = _object(header.eval, "dataset").get("sample_ids")
    return [str(one) for one in listed] if isinstance(listed, list) else []


def _problems(header: Header) -> int | None:
    """Problems asked for, where their ids are not told."""
    config = _object(header.eval, "config")
    samples, limit = _number(_object(header.eval, "dataset").get("samples")), config.get("limit")
    chosen = config.get("sample_id")
    if isinstance(chosen, list):
        samples = len(chosen)
    elif isinstance(chosen, str | int):
        samples = 1
    if isinstance(limit, list) and len(limit) == 2:
        first, stop = (_number(one) or 0 for one in limit)
        return max(0, min(stop, samples or stop) - first)
    if (most := _number(limit)) is not None:
        return most if samples is None else min(most, samples)
    return samples


def _stopped(header: Header) -> Counter[str]:
    """Epochs of each problem that were stopped early."""
    listed = _object(header.results or {}, "early_stopping").get("early_stops")
    found = listed if isinstance(listed, list) else []
    return Counter(str(one.get("id")) for one in found if isinstance(one, dict))


def _object(within: dict[str, Any], name: str) -> dict[str, Any]:
    found = within.get(name)
    return found if isinstance(found, dict) else {}


def _number(given: Any) -> int | None:
    return given if type(given) is int and given >= 0 else None
