"""verify: what a check answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.samples import tables
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from pathlib import Path


ABSENT = "not there"


def grid(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The cells of a grid, and the record in its footer.

    Raises:
        Error: the file is damaged.
    """
    said = f"{path}: damaged, no grid of ours any more: run snakemake"
    try:
        cells, record = tables.read(path)
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise Error(said) from error
    if "entry" not in record:
        raise Error(said)
    return cells, record


class Failure(msgspec.Struct):
    """Something that is not what it should be."""

    path: str
    """The file, or the key in config.yaml, or the package."""
    expected: str
    found: str
    figures: list[str]
    """Those whose numbers or looks hang on it."""


class Stage(msgspec.Struct):
    """One line of the answer."""

    name: str
    checked: str
    """What was looked at, in words."""
    failures: list[Failure]
