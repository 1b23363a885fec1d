"""Logs read on trial, by the very reader that a run takes: what its table would hold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import formats
from heatproof.config import configuration
from heatproof.formats.api import Batch, Declared, Log, Passed, completed
from heatproof.util import hashed, registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source

BYTES = 64 << 20
"""Bytes read on trial, of all logs."""
LARGE = 16 << 20
"""Bytes of a log of which no beginning can be read alone: a larger one is left."""


class Trial(NamedTuple):
    """What was read."""

    columns: dict[str, list[Any]]
    """Settings, `sample_id`, `epoch`, `scorer`, `score`: a value a sample."""
    refused: Counter[str]
    """Reason → records."""
    first: dict[str, str]
    """Reason → the first log with such a record."""
    declared: int
    """Runs that say how many samples they were to hold."""
    short: int
    """Those that hold fewer."""
    whole: bool
    """Whether all logs were read, to their end."""
    error: str = ""
    """Why nothing could be read."""
    strange: dict[str, str] = {}
    """Log → why nothing of it was taken, where it does not even tell of which run it is."""

    def values(self, column: str) -> list[Any]:
        """The values of a column, each once, in their order."""
        told = dict.fromkeys(self.columns.get(column, []))
        return sorted(told, key=lambda one: (one is None, isinstance(one, str), one))


def source(name: str, entry: Mapping[str, Any], root: Path) -> Source:
    """A source of config.yaml, checked.

    Raises:
        Error: it is wrong.
    """
    return configuration.read({"sources": {name: dict(entry)}}, root).sources[name]


def read(given: Source, paths: Sequence[str], size: int, root: Path, *, whole: bool) -> Trial:
    """The samples at the beginning of logs, `size` bytes of each where they can be cut."""
    module = registry.find(formats, given.format, "", "log format")
    types = given.columns()
    names = [*types.identity(), "score"]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    found = Trial(columns, Counter(), {}, 0, 0, whole, strange={})
    left = BYTES
    for path in paths:
        length = (root / path).stat().st_size
        cut = length > size and bool(given.ends(path))
        taken = min(length, size) if cut else length
        if taken > left or (not cut and length > LARGE):
            found = found._replace(whole=False)
            continue
        left -= taken
        before, declared = _settled(found), 0
        tells, why = False, ""
        try:
            for part in _parts(module, _log(path, root, given, size if cut else 0), given):
                if isinstance(part, Batch):
                    _add(columns, completed(part, types.defaults))
                    tells = tells or bool(part.places)
                elif isinstance(part, Declared):
                    declared += part.samples or 0
                    tells = True
                else:
                    found.refused[part.reason] += 1
                    found.first.setdefault(part.reason, path)
                    tells, why = tells or bool(part.of), why or part.reason
        except Error as error:
            return found._replace(error=str(error))
        if why and not tells:
            found.strange[path] = why
        short = not cut and declared > _settled(found) - before
        found = found._replace(
            whole=found.whole and not cut,
            declared=found.declared + bool(declared),
            short=found.short + short,
        )
    return found


def _settled(found: Trial) -> int:
    """Samples that were read, and those of runs that another run replaces."""
    return len(found.columns["score"]) + sum(
        count for reason, count in found.refused.items() if reason.startswith("superseded by")
    )


def _log(path: str, root: Path, given: Source, size: int) -> Log:
    """A log, or the whole records among its first `size` bytes."""
    if not size:
        return Log(path, root, given)
    with open(root / path, "rb") as file:
        noted = {path: hashed.extent(file.fileno(), size)}
    return Log(path, root, given, noted)


def _parts(module: Any, log: Log, given: Source) -> Iterator[Any]:
    try:
        yield from (one for one in module.read(log, given) if not isinstance(one, Passed))
    finally:
        log.close()


BLANK = {"epoch": 0, "scorer": "", "run": ""}
"""What columns hold where nothing is told."""


def _add(columns: dict[str, list[Any]], batch: Batch) -> None:
    size = len(batch.places)
    for name, values in columns.items():
        if name in batch.columns:
            values.extend(batch.columns[name])
        else:
            values.extend([batch.shared.get(name, BLANK.get(name))] * size)
