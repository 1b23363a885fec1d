"""Samples tables by hand, and the heatmaps of them: what a test does not say is plain."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import polars as pl

from heatproof.config import roles
from heatproof.kinds import heatmap
from heatproof.samples import tables

BASE: dict[str, Any] = {
    **{name: column.default for name, column in roles.OWN.items() if column.default is not None},
    "log": "a", "member": "", "offset": 0, "record_bytes": 1, "run": "a", "model": "m", "task": "t",
}  # fmt: skip
PARAMS = {"ratio": "float", "window": "int"}


def schema(
    params: Mapping[str, Any], measures: Iterable[str] = (), answers: bool = False
) -> dict[str, pl.DataType]:
    """Columns of a samples table, by type."""
    return tables.dtypes(roles.samples(params, measures, answers))


def table(
    rows: Iterable[Mapping[str, Any]],
    params: Mapping[str, Any] = PARAMS,
    measures: Iterable[str] = ("tokens",),
    answers: bool = False,
    **plain: Any,
) -> pl.LazyFrame:
    """Rows of a samples table, each of a line of its own; `plain`: what stands where one tells none."""
    whole = [BASE | {"line": n} | plain | {**row} for n, row in enumerate(rows)]
    return pl.DataFrame(whole, schema=schema(params, measures, answers)).lazy()


def heat(x: str = "ratio", y: str = "window", color: str = "pass@1", **keys: Any) -> heatmap.Entry:
    """A heatmap, as config.yaml would give it."""
    axes = {"encoding": {"x": x, "y": y, "color": color}}
    given = {"name": "f", "kind": "heatmap", "source": "s"} | axes | keys
    return msgspec.convert(given, heatmap.Entry)
