"""How many samples a log of Qwen2.5-Math was to hold, by the file of metrics beside it.

`num_samples` are its problems, `num_scores` their samples, counted when both files were written
(`evaluation/evaluate.py`). The log of a whole data set (`_s0_e-1`) had all that was asked for; of a
part of it only what is lost since is known.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from heatproof.readers._batch import Declared
from heatproof.readers._documents import decoded
from heatproof.readers._printed import count
from heatproof.readers._qwen_math_printed import LIMIT, files
from heatproof.util.errors import Error

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from heatproof.readers._log import Log

WHOLE = ("0", "-1")
"""Start and end in the name of a log that has all problems."""


def declared(
    log: Log, name: re.Match[str], shared: dict[str, Any], sizes: Sequence[int]
) -> Iterator[Declared]:
    """What the log was to hold, if the file beside it tells.

    A damaged file tells nothing here: it is named where printed numbers are compared.

    Args:
        log: the log, read by now.
        name: its name, taken apart.
        shared: its settings.
        sizes: samples of each problem that it holds, with a score or without.
    """
    for path in filter(log.was_there, files(log.path, log.root, name)):
        with suppress(Error):
            told = decoded(log.beside(path, LIMIT), dict[str, Any], path)
            problems, samples = count(told.get("num_samples")), count(told.get("num_scores"))
            if samples is None and problems is not None and sizes:
                samples = problems * max(sizes)
            if samples is not None:
                lacking = max(0, samples - sum(sizes))
                whole = (name["start"], name["end"]) == WHOLE
                yield Declared(shared, samples if whole else None, lacking=lacking)
