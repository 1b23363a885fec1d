"""Trace every cell of every figure of the built project: do the records give the printed number?

    python tests/bench/traces.py

For each cell the scores that `heatproof trace` prints are averaged here once more, by problem and
by task, and compared with the value in the grid.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "workflow" / "src"))

from heatproof.provenance import identify, trace  # noqa: E402


def main() -> None:
    bad = total = records = 0
    slowest = 0.0
    for path in sorted((PROJECT / "results/grids").glob("*.parquet")):
        record = identify.of_spec(path.stem, PROJECT)
        grid = pl.read_parquet(path)
        for row in grid.iter_rows(named=True):
            start = time.perf_counter()
            found = trace.cell(record, PROJECT, cell(row, record["entry"]))
            slowest = max(slowest, time.perf_counter() - start)
            printed = row["value"] if "value" in row else row["difference"]
            value = averaged(found.parts, pairs="x_model" in row)
            total += 1
            records += sum(len(part.records) for part in found.parts)
            same = value is None if printed is None else abs(value - printed) < 1e-9
            bad += not (same and found.agrees)
        print(f"{path.stem:28} {len(grid)} cells", flush=True)
    print(f"{total} cells, {records} records, {bad} with another number; slowest {slowest:.2f} s")
    sys.exit(bool(bad))


def cell(row: dict[str, Any], entry: dict[str, Any]) -> str:
    """A cell or bin as one types it."""
    if entry["kind"] == "pairwise":
        x, y = (row["x0"] + row["x1"]) / 2, (row["y0"] + row["y1"]) / 2
        return f"x_model={row['x_model']},y_model={row['y_model']},x={x},y={y}"
    panel = f"{entry['panel']}={row[entry['panel']]}," if entry["panel"] else ""
    encoding = entry["encoding"]
    return f"{panel}{encoding['x']}={row['x']},{encoding['y']}={row['y']}"


def averaged(parts: list[Any], *, pairs: bool) -> float | None:
    """The mean over parts of each part's mean over its problems; of pairs, of x − y."""
    means = []
    for part in parts:
        groups: dict[str, list[float]] = defaultdict(list)
        for record in part.records:
            groups[record["model"] if pairs else record["sample_id"]].append(record["value"])
        each = [fmean(values) for values in groups.values()]
        means.append(each[0] - each[1] if pairs else fmean(each))
    return fmean(means) if means else None


if __name__ == "__main__":
    main()
