"""The uncertainty of aggregates once more: in plain Python, apart from the code of grids."""

from __future__ import annotations

from collections import defaultdict
from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.charts.units import Unit
    from heatproof.kinds.cell_records import Recounted
    from heatproof.metrics import Metric
    from heatproof.util.lazy import polars as pl

Z = 1.959964
CLOSE = 1e-6
SPREAD = ("se", "low", "high")
Line = tuple[float, float | None, float | None]
"""What was printed: a number, its standard error, its problems."""


def recounted(
    cell: str, row: Mapping[str, Any], samples: pl.DataFrame, what: Metric
) -> Iterator[Recounted]:
    """Standard error, interval and problems of a cell, where they are not what they should be."""
    lines = _lines(samples, what)
    found = _spread([*lines.values()]) if row["value"] is not None else (None, None, None)
    for name, counted in zip(SPREAD, found, strict=True):
        told = row[name]
        if (told is None) != (counted is None) or abs((told or 0) - (counted or 0)) > CLOSE:
            yield f"{cell}: {name}", told, counted, False
    sizes = [min(size or 0 for _, _, size in some) for some in lines.values()]
    problems = int(sum(sizes)) if row["value"] is not None and all(sizes) else None
    if "problems" in row and row["problems"] != problems:
        yield f"{cell}: problems", row["problems"], problems, False


def told(samples: pl.DataFrame, what: Metric, unit: Unit) -> str:
    """What stands beside the numbers of a cell, in words; `unit`: in which they were printed."""
    lines = [line for some in _lines(samples, what).values() for line in some]
    if len(lines) != 1:
        return what.told
    _, error, size = lines[0]
    known = [f"standard error {unit.span(error):.10g}"] if error is not None else []
    known += [f"{size:,.0f} problems"] if size is not None else []
    return f"{what.told}; {' and '.join(known)} as printed" if known else what.told


def _lines(samples: pl.DataFrame, what: Metric) -> dict[str, list[Line]]:
    found: defaultdict[str, list[Line]] = defaultdict(list)
    for row in samples.iter_rows(named=True):
        if row[what.of] is not None:
            error, size = row.get(f"{what.of}_stderr"), row.get(f"{what.of}_n")
            found[row["task"]].append((row[what.of], error, size))
    return found


def _spread(tasks: Sequence[Sequence[Line]]) -> tuple[float | None, float | None, float | None]:
    """Standard error and interval of the mean over tasks of the means of what was printed."""
    each = [_mean(some) for some in tasks]
    mean = sum(one[0] for one in each) / len(each)
    if any(error is not None for _, error, _ in each):
        errors = [_of_share(*one) if one[1] is None else one[1] for one in each]
        if None in errors:
            return None, None, None
        se = sqrt(sum((error or 0) ** 2 for error in errors)) / len(errors)
        return se, mean - Z * se, mean + Z * se
    errors = [_of_share(*one) for one in each]
    if None in errors:
        return None, None, None
    ends = [(value, *_wilson(value, size or 0)) for value, _, size in each]
    se = sqrt(sum((error or 0) ** 2 for error in errors)) / len(errors)
    down = sqrt(sum((value - low) ** 2 for value, low, _ in ends)) / len(ends)
    up = sqrt(sum((high - value) ** 2 for value, _, high in ends)) / len(ends)
    return se, mean - down, mean + up


def _mean(some: Sequence[Line]) -> Line:
    """The mean of numbers of a task, which may be of the same problems."""
    errors = [error for _, error, _ in some if error is not None]
    sizes = [size for _, _, size in some if size is not None]
    return (
        sum(value for value, _, _ in some) / len(some),
        sum(errors) / len(errors) if len(errors) == len(some) else None,
        min(sizes) if len(sizes) == len(some) else None,
    )


def _of_share(value: float, _: float | None, size: float | None) -> float | None:
    return sqrt(value * (1 - value) / size) if size and 0 <= value <= 1 else None


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson 1927, solved for the share."""
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return middle - half, middle + half
