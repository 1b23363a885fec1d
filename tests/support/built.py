"""Logs in the folder of a test, read and drawn as the workflow does it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof import formats
from heatproof.config import paths
from heatproof.kinds import api
from heatproof.logs import logs
from heatproof.samples import normalize, shard_index
from heatproof.util import registry
from support.reading import entry
from support.samples import heat


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(shards: int = 1, **keys: Any) -> list[str]:
    """The logs here in shards, as the workflow lays their tables; the paths of these."""
    source = entry(**keys)
    reader = registry.find(formats, source.format, "format", "log format")
    found = logs.find(source, Path())
    tables_ = []
    for number in range(shards):
        samples = Path(f"results/tables/s/{number:04d}.parquet")
        counts, rejected = (Path(one(str(samples))) for one in (paths.counts, paths.rejected))
        for path in (samples, counts):
            path.parent.mkdir(parents=True, exist_ok=True)
        mine = found[number::shards]
        told = normalize.write(mine, Path(), source, reader.read, samples, rejected)
        shard_index.write_counts(samples, counts, told)
        Path(paths.manifest(str(samples))).write_text(normalize.manifest_text(told.manifest))
        tables_.append(str(samples))
    return tables_


def figure(x: str = "temperature", y: str = "model", color: str = "pass@1", **keys: Any) -> Any:
    return heat(x, y, color, **keys)


def grid(shards: Sequence[str], **keys: Any) -> pl.DataFrame:
    """The grid of a figure, as the workflow makes it."""
    shown = figure(**keys)
    mine = shard_index.shards_of_figure(shards, shown)
    made = shard_index.aggregate(api.kind("heatmap"), shown, mine, shards)
    assert (made["expected"] >= made["epochs"]).all()
    return made
