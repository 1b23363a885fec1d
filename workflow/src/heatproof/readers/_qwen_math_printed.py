"""What Qwen2.5-Math printed of a log: `acc` in `…_{prompt}_metrics.json` beside it.

In percent, of the first sample of each problem; `evaluation/evaluate.py` rounds to one digit in one
release and to none in another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.readers._documents import decoded
from heatproof.readers._printed import Printed, beside, count, number

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.readers._log import Log

LIMIT = 1 << 24
"""Bytes of a file of metrics at most."""


def files(path: str, root: Path, name: re.Match[str] | None) -> list[str]:
    """The file of metrics beside a log, if it is there; `name`: the log's, taken apart."""
    if name is None or name["metrics"] or ".jsonl" not in path:
        return []
    stem = path[: path.rindex(".jsonl")]
    told = [f"{stem}_{name['prompt']}_metrics.json", f"{stem}_metrics.json"]
    return [file for file in told if (root / file).is_file()][:1]


def printed(log: Log, name: re.Match[str] | None) -> Iterator[Printed]:
    """The accuracy of a log.

    Raises:
        Error: the file is damaged or too large.
    """
    for path in files(log.path, log.root, name):
        told: dict[str, Any] = decoded(beside(log, path, LIMIT), dict[str, Any], path)
        value = number(told.get("acc"))
        yield Printed(
            file=path,
            name="acc",
            value=value,
            over="first",
            problems=count(told.get("num_samples")),
            high=100,
            decimals=1 if value is not None and round(value, 1) == value else None,
            why="" if value is not None else "it has no number `acc`",
        )
