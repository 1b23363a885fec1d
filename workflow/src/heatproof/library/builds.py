"""What a run has made, opened in a script or a notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import paths
from heatproof.library.calls import brief
from heatproof.library.charts import Chart
from heatproof.provenance import trace
from heatproof.samples import tables
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.kinds.cell_records import Behind
    from heatproof.util.lazy import polars as pl


class Made:
    """A figure that a run has made."""

    def __init__(self, name: str, root: Path) -> None:
        self.name, self._root = name, root

    @property
    def chart(self) -> Chart:
        """Its chart, which notebooks show."""
        return Chart.from_dict(self._spec(), validate=False)

    @property
    def grid(self) -> pl.DataFrame:
        """Its numbers, a row per cell."""
        return tables.read(self._root / paths.grid(self.name))[0]

    @property
    def record(self) -> dict[str, Any]:
        """Its provenance record: block of the config, logs, digests, versions."""
        return dict(self._spec()["usermeta"]["heatproof"])

    def __repr__(self) -> str:
        return f"<figure {self.name} of {self._root}>"

    @brief
    def trace(self, **cell: object) -> Behind:
        """What lies behind a cell, named by its settings: `trace(task="sum", ratio=0.3)`.

        Its logs are read again: value, counts and records are those of their bytes.

        Raises:
            Error: there is no such cell.
        """
        named = ",".join(f"{column}={value}" for column, value in cell.items())
        return trace.cell(self.record, self._root, named)

    def _spec(self) -> dict[str, Any]:
        text = (self._root / paths.spec(self.name)).read_text(encoding="utf-8")
        return dict(json.loads(text))


class Build(Mapping[str, Made]):
    """The figures that a run has made, by their names."""

    def __init__(self, root: Path) -> None:
        self._root = root
        specs = (root / paths.spec("x")).parent
        self._names = sorted(one.name.removesuffix(".vl.json") for one in specs.glob("*.vl.json"))

    def __repr__(self) -> str:
        return f"<build of {len(self._names)} figures: {', '.join(self._names)}>"

    @brief
    def __getitem__(self, name: str) -> Made:
        if name not in self._names:
            raise Error(f"{name!r} is not a figure here; {choices(name, self._names)}")
        return Made(name, self._root)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@brief
def open_build(folder: str | Path = ".") -> Build:
    """The figures of a project, of which `folder` is the root or its `results`.

    Raises:
        Error: no run has made a figure there.

    >>> import heatproof as hp
    >>> build = hp.open_build(".")  # doctest: +SKIP
    """
    given = Path(folder)
    for root in (given, given.parent if given.name == "results" else given):
        if build := Build(root):
            return build
    raise Error(f"{folder}: no figure has been made here; run heatproof or snakemake first")
