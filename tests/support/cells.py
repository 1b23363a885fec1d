"""A few samples by hand, and heatmaps of them."""

from typing import Any

import msgspec
import polars as pl

from heatproof.config.entries import Columns
from heatproof.kinds import heatmap
from heatproof.samples import tables

COLUMNS = Columns({"ratio": "float", "window": "int"}, ["tokens"])


def entry(**keys: Any) -> heatmap.Entry:
    given = {
        "name": "fig",
        "kind": "heatmap",
        "source": "runs",
        "panel": "task",
        "encoding": {"x": "ratio", "y": "window", "color": "pass@1"},
    }
    return msgspec.convert(given | keys, heatmap.Entry)


def color(word: str) -> dict[str, str]:
    return {"x": "ratio", "y": "window", "color": word}


def samples(rows: list[dict[str, Any]]) -> pl.LazyFrame:
    """Rows of a samples table; what is not given has plain defaults."""
    base = {"log": "a.jsonl", "member": "", "line": 1, "offset": 0, "length": 1, "run": "a"}
    base |= {"model": "m", "task": "t", "ratio": 0.1, "window": 500, "scorer": "", "tokens": None}
    base |= {"reconstructed": False}
    full = [base | {"line": n, "sample_id": "0", "epoch": n} | row for n, row in enumerate(rows)]
    return pl.DataFrame(full, schema=tables.samples_schema(COLUMNS)).lazy()


def epochs(sample: str, *scores: float, **keys: Any) -> list[dict[str, Any]]:
    return [
        {"sample_id": sample, "epoch": n, "score": float(s)} | keys for n, s in enumerate(scores)
    ]
