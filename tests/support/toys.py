"""Two small figures with all that a page tells of them: a heatmap with gaps, pairs of models."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import polars as pl

from heatproof import page as gallery
from heatproof.charts import spec
from heatproof.export import drawing, export
from heatproof.kinds import api, pairwise, states
from heatproof.util import canonical
from support.samples import heat, table

HEATMAP = heat(name="toy-heat", source="toy", panel="task")
PAIRWISE = msgspec.convert(
    {"name": "toy-pair", "kind": "pairwise", "source": "toy", "models": ["m", "n"], "bins": 5},
    pairwise.Entry,
)


def peered(grid: pl.DataFrame, *panel: str) -> pl.DataFrame:
    """The grid as if cells with a value held the same problems in a panel, and others no record."""
    there, place = pl.col("value").is_not_null(), pl.Series(range(len(grid)))
    columns = {
        "peers": pl.when(there).then(pl.lit(place).min().over(*panel) if panel else 0),
        "common": pl.when(there).then("samples"),
        "lacks": None,
        "gap": pl.when(~there).then(pl.lit(states.NOTHING)),
    }
    return grid.with_columns(**columns)


def row(line: int, **keys: Any) -> dict[str, Any]:
    """A row of a samples table, its record 9 bytes and a line end long."""
    place = {"member": "", "line": line, "offset": 10 * line - 10, "record_bytes": 9}
    return {**place, "run": keys["log"], **keys}


@cache
def sweep() -> pl.DataFrame:
    """2 tasks × 2 windows × 3 ratios of 4 problems, twice each; one run cut off, one not there.

    The logs of a task hold the records of two ratios in turns, and those of the third apart.
    """
    rows, lines = [], dict[str, int]()
    for task in ("<a>", "b's"):
        for problem, epoch, window in (
            (p, e, w) for p in range(4) for e in range(2) for w in (5, 10)
        ):
            for ratio in (0.1, 0.2, 0.3):
                gone = (task, window, ratio) == ("b's", 10, 0.3)
                if gone or ((task, window, ratio) == ("<a>", 5, 0.3) and problem == 3):
                    continue
                log = f"data/{task}/{'mixed' if ratio < 0.3 else window}.jsonl"
                lines[log] = lines.get(log, 0) + 1
                right = (problem * epoch + window + int(10 * ratio)) % 3 == 0
                keys = {"model": "m", "task": task, "ratio": ratio, "window": window}
                graded = {"sample_id": str(problem), "epoch": epoch, "score": float(right)}
                rows.append(row(lines[log], log=log, **keys, **graded))
    return table(rows, measures=["progress"]).collect()


@cache
def banded() -> pl.DataFrame:
    """The same, with a column by which ratios are grouped."""
    band = pl.when(pl.col("ratio") < 0.25).then(pl.lit("low")).otherwise(pl.lit("high"))
    return sweep().with_columns(band=band)


@cache
def duel() -> pl.DataFrame:
    """Two models on 12 instances, each run twice."""
    rows = [
        row(2 * n + epoch + 1, log=f"data/{model}.jsonl", model=model, sample_id=f"i{n:02}")
        | {"epoch": epoch, "score": 0.0, "progress": (n * (2 if model == "m" else 3) % 11) / 10}
        for model in "mn"
        for n in range(12)
        for epoch in range(2)
    ]
    return table(rows, {}, ["progress"]).collect()


MEANS = msgspec.structs.replace(
    HEATMAP, groups={"ratio": {"Low": [0.1, 0.2]}}, margins=["groups", "ratio", "window"]
)
BOARD = msgspec.structs.replace(PAIRWISE, name="toy-board", models=["o", "m", "n"])


@cache
def trio() -> pl.DataFrame:
    """The two models of `duel`, and a third that is as good as m, but for one instance more."""
    two = duel()
    third = two.filter(pl.col("model") == "m").with_columns(
        log=pl.lit("data/o.jsonl"), run=pl.lit("data/o.jsonl"), model=pl.lit("o"),
        progress=pl.when(pl.col("sample_id") == "i00").then(0.9).otherwise(pl.col("progress")),
    )  # fmt: skip
    return pl.concat([two, third])


@cache
def drawn(kind: str) -> tuple[Any, pl.DataFrame, pl.DataFrame, dict[str, Any], bytes]:
    """Entry, samples, grid, spec and SVG of one of the figures."""
    entry, samples = {
        "heatmap": (HEATMAP, sweep()),
        "margins": (MEANS, sweep()),
        "pairwise": (PAIRWISE, duel()),
        "board": (BOARD, trio()),
    }[kind]
    grid = api.kind(entry.kind).aggregate(samples.lazy(), entry)
    chart = api.kind(entry.kind).draw(grid, entry)
    text = spec.text(chart, {"reconstructed": kind == "pairwise"})
    chart_spec = json.loads(text)
    return entry, samples, grid, chart_spec, export.svg(drawing.draw(chart_spec))


def behind(
    samples: Sequence[pl.LazyFrame], entry: Any, grid: pl.DataFrame, partial: Any = None
) -> Any:
    """The records behind the cells of a figure, as the next stage reads them."""
    records = api.kind(entry.kind).records(samples, entry, grid, partial)
    return json.loads(canonical.text(records))


def words(
    samples: Sequence[pl.LazyFrame], entry: Any, grid: pl.DataFrame, partial: Any = None
) -> dict[str, Any]:
    """What the page tells of the cells of a figure."""
    records = behind(samples, entry, grid, partial)
    return dict(api.kind(entry.kind).story(records, entry, grid))


def story(kind: str) -> dict[str, Any]:
    """What the page tells of the cells of one of the figures."""
    return dict(card(kind)["story"])


def card(kind: str) -> dict[str, Any]:
    """What the page knows of one of the figures."""
    entry, samples, grid, chart_spec, picture = drawn(kind)
    files = [f"results/figures/{entry.name}.{form}" for form in ("html", "pdf", "png", "svg")]
    records = behind([samples.lazy()], entry, grid)
    text = gallery.text_of_figure(records, api.FigureTexts(grid, entry), chart_spec, picture, files)
    return {"entry": entry, "files": [], **json.loads(canonical.text(text))}
