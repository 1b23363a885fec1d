"""The evaluation as a whole, which lies beside the rows of Every Eval Ever: `{id}.json`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.readers._documents import decoded
from heatproof.readers._printed import count

if TYPE_CHECKING:
    from pathlib import Path

    from heatproof.readers._log import Log

PACKED = ("", ".gz", ".zst")


class Told(NamedTuple):
    """What the evaluation as a whole says of its results, each known by its id or its name."""

    settings: dict[str, list[Any]]
    """Where hyper-parameters may lie."""
    metrics: dict[str, str]
    """What was measured: other than the id of a result, the same for all models."""
    unclear: set[str]
    """Ids and names of results that are told with other settings elsewhere."""
    rows: int | None = None
    """How many rows were written, where the file tells."""


def beside(path: str, root: Path) -> list[str]:
    """The file of the evaluation whose rows are at a path, if there is one."""
    folder, slash, name = path.rpartition("/")
    name = folder + slash + name.partition(".jsonl")[0].removesuffix("_samples") + ".json"
    return [name + end for end in PACKED if (root / (name + end)).is_file()][:1]


def whole(log: Log, limit: int) -> Told:
    """What the file says; nothing if there is none. Raises Error or Unreadable if it is damaged."""
    told, of = Told({}, {}, set()), dict[str, str]()
    rows = None
    for path in beside(log.path, log.root):
        data = log.beside(path, limit)
        found = decoded(data, dict[str, Any], path.rsplit("/", 1)[-1])
        rows = count(_object(found, "detailed_evaluation_results").get("total_rows"))
        results = found.get("evaluation_results")
        for result in results if isinstance(results, list) else []:
            if isinstance(result, dict):
                _add(told, result)
                of[str(result.get("evaluation_result_id"))] = str(result.get("evaluation_name"))
    several = Counter((of[number], name) for number, name in told.metrics.items())
    for number, name in told.metrics.items():
        if several[of[number], name] > 1 or number.endswith(f":{name}"):
            told.metrics[number] = number  # the metric alone would not tell it from another's
    return told._replace(rows=rows)


def _add(told: Told, result: dict[str, Any]) -> None:
    config, metric = (_object(result, key) for key in ("generation_config", "metric_config"))
    places = [config.get("generation_args"), config.get("additional_details"), config]
    number = str(result.get("evaluation_result_id"))
    for key in (number, str(result.get("evaluation_name"))):
        if told.settings.setdefault(key, places) != places:
            told.unclear.add(key)
    if name := metric.get("metric_id") or metric.get("metric_name"):
        told.metrics[number] = str(name)


def _object(result: dict[str, Any], key: str) -> dict[str, Any]:
    found = result.get(key)
    return found if isinstance(found, dict) else {}
