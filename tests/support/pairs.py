"""Small samples of models, and figures of their pairs."""

from typing import Any

import msgspec
import numpy as np
import polars as pl

from heatproof.kinds import api, pairwise
from support.samples import table


def entry(**keys: Any) -> pairwise.Entry:
    """A figure of a and b in 4 × 4 bins, unless the keys say otherwise."""
    usual = {"name": "fig", "kind": "pairwise", "source": "runs", "models": ["a", "b"], "bins": 4}
    return msgspec.convert(usual | keys, pairwise.Entry)


def samples(progress: dict[str, dict[str, list[float]]]) -> pl.LazyFrame:
    """Model → instance → progress of each epoch, as a samples table."""
    rows = [
        {"log": model, "run": model, "model": model, "sample_id": sample, "epoch": epoch, "progress": value}
        for model, instances in progress.items()
        for sample, values in instances.items()
        for epoch, value in enumerate(values)
    ]  # fmt: skip
    return table(rows, {}, ["progress"], line=1, score=0.0)


def grid(rows: pl.LazyFrame, figure: pairwise.Entry, partial: Any = None) -> pl.DataFrame:
    """The figure's grid."""
    bins: pl.DataFrame = api.kind("pairwise").aggregate(rows, figure, partial)
    return bins


def spec(bins: pl.DataFrame, figure: pairwise.Entry) -> dict[str, Any]:
    """The figure as Vega-Lite."""
    return dict(api.kind("pairwise").draw(bins, figure).to_dict(validate=False))


def recounted(rows: pl.LazyFrame, bins: pl.DataFrame, figure: pairwise.Entry) -> list[Any]:
    """All bins and pairs, counted again."""
    return [*api.kind("pairwise").recounted(rows, bins, figure)]


def agrees(rows: pl.LazyFrame, bins: pl.DataFrame, figure: pairwise.Entry) -> bool:
    """Whether all that is counted again is as in the grid."""
    return all(same for *_, same in recounted(rows, bins, figure))


def models_grid(models: list[str], step: float = 0.05, size: int = 10, n: int = 60) -> pl.DataFrame:
    """Pairs of models, each `step` worse than the one before."""
    rng = np.random.default_rng(3)
    hard, noise = rng.random(n), rng.normal(0, 0.1, (len(models), n))
    at = np.clip(1 - hard + noise - step * np.arange(len(models))[:, None], 0, 1).round(2)
    progress = {
        model: {f"q{number:02}": [float(value)] for number, value in enumerate(values)}
        for model, values in zip(models, at, strict=True)
    }
    return grid(samples(progress), entry(models=models, bins=size))
