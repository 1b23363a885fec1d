"""How many rows of Every Eval Ever a log lacks, by the file of the evaluation beside it.

`detailed_evaluation_results.total_rows` counts all rows that were written (`eval.schema.json`).
`num_samples` of a result is of no use: it says what an uncertainty was computed of, which need not
be rows (for logs of HELM the converter gives the train trials).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.readers._batch import Batch, Declared, Reject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Seen:
    """Rows of a log, as far as they are known."""

    def __init__(self, params: Sequence[str]) -> None:
        """`params`: hyper-parameters that the source asks for."""
        self._names = ("model", "task", "scorer", *params)
        self._runs: set[tuple[Any, ...]] = set()
        self._rows = 0

    def add(self, part: Batch | Reject) -> None:
        """Look at rows: a refused one is there if it says of which sample it is."""
        if isinstance(part, Batch) and part.places:
            columns = (part.columns[name] for name in self._names)
            self._runs.update(zip(*columns, strict=True))
            self._rows += len(part.places)
        elif isinstance(part, Reject) and part.of:
            self._runs.add(tuple(part.of[name] for name in self._names))
            self._rows += 1
        elif isinstance(part, Reject) and part.spoils:
            self._runs, self._rows = set(), 0

    def declared(self, rows: int | None) -> Iterator[Declared]:
        """What the log lacks of the `rows` that were written.

        Nothing where it holds several runs or metrics: it does not say whose rows they are.
        """
        if rows is not None and rows > self._rows and len(self._runs) == 1:
            (run,) = self._runs
            shared = dict(zip(self._names, run, strict=True))
            yield Declared(shared, lacking=rows - self._rows)
