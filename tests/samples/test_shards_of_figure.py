"""Of a source only the shards are opened that hold what a figure shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import toys
from heatproof import formats
from heatproof.config import paths
from heatproof.kinds import api, heatmap, pairwise
from heatproof.samples import normalize, shard_index, tables
from heatproof.util import registry
from heatproof.util.errors import Error
from reading import entry, lines

if TYPE_CHECKING:
    from collections.abc import Sequence

MODELS = "abcd"


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables of a source with a shard for each of four models, as the workflow lays them."""
    monkeypatch.chdir(tmp_path)
    logs = entry(format="dynts", logs="*.jsonl")
    read = registry.find(formats, "dynts", "format", "log format").read
    found = []
    for n, model in enumerate(MODELS):
        for ratio in (0.1, 0.2):
            rows = [
                {"question_id": q, "answer_id": e, "score": (q + e + n) % 3 == 0}
                for q in range(6)
                for e in range(2)
            ]
            Path(f"{model}_t_N2-R{ratio}-KW500-PKVL9.jsonl").write_bytes(lines(rows))
        samples = Path(f"results/tables/s/000{n}.parquet")
        counts = Path(paths.counts(str(samples)))
        for path in (samples, counts):
            path.parent.mkdir(parents=True, exist_ok=True)
        mine = sorted(path.name for path in Path().glob(f"{model}_*.jsonl"))
        refused = Path(paths.rejected(str(samples)))
        outcome = normalize.write(mine, Path(), logs, read, samples, refused)
        shard_index.write_counts(samples, counts, outcome)
        found.append(str(samples))
    return found


def heat(**where: Any) -> heatmap.Entry:
    axes = heatmap.entry.Encoding(x="ratio", y="local_window", color="pass@1")
    keys: dict[str, Any] = {} if where else {"panel": "model"}
    return heatmap.Entry(name="f", kind="heatmap", source="s", where=where, encoding=axes, **keys)


PAIRS = pairwise.Entry(
    name="f",
    kind="pairwise",
    source="s",
    models=["a", "c"],
    measure="score",
    join=["sample_id", "ratio"],
)
CASES: list[tuple[Any, Any, list[int]]] = [
    (heat(model="b"), [1]),
    (heat(model="b", ratio=0.2), [1]),
    (heat(), [0, 1, 2, 3]),
    (PAIRS, [0, 2]),
]


def ours(figure: Any, source: Sequence[str]) -> Any:
    part = api.kind(figure.kind)
    return shard_index.aggregate(part, figure, shard_index.shards_of_figure(source, figure), source)


@pytest.mark.parametrize(("figure", "shards"), CASES)
def test_a_figure_is_the_same_without_the_other_shards(
    figure: Any, shards: list[int], source: list[str]
) -> None:
    """Grid and evidence have the bytes that all shards give; the others may even be gone."""
    part, mine = api.kind(figure.kind), shard_index.shards_of_figure(source, figure)
    assert mine.samples == [source[n] for n in shards]
    whole = shard_index.ShardsOfFigure(source, {})
    of_all = shard_index.aggregate(part, figure, whole, source)
    told_all = toys.behind(whole.portions(), figure, of_all, whole.partial())
    for path in {*source} - {*mine.samples}:
        Path(path).unlink()
        Path(paths.counts(path)).unlink()
    grid = shard_index.aggregate(part, figure, mine, source)
    assert grid.equals(of_all, null_equal=True)
    tables.write(grid, Path("ours.parquet"))
    tables.write(of_all, Path("all.parquet"))
    assert Path("ours.parquet").read_bytes() == Path("all.parquet").read_bytes()
    assert toys.behind(mine.portions(), figure, grid, mine.partial()) == told_all


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"model": "e"}, "no sample has 'e'; there are a, b, c, d"),
        ({"model": ["a", "e"]}, "no sample has 'e'; there are a, b, c, d"),
        ({"model": "a", "ratio": 0.3}, "no sample has 0.3; there are 0.1, 0.2"),
    ],
)
def test_what_is_not_there_is_told_of_the_whole_source(
    where: dict[str, Any], said: str, source: list[str]
) -> None:
    """Else a message would name only the values of the shards that were opened."""
    with pytest.raises(Error, match=r"config.yaml: figures.f.where") as caught:
        ours(heat(**where), source)
    assert said in str(caught.value)


def test_a_mistake_in_the_shards_themselves_is_told(source: list[str]) -> None:
    """No other shard would have changed it."""
    axes = heatmap.entry.Encoding(x="ratio", y="local_window", color="mean(tokens)")
    figure = heatmap.Entry(
        name="f", kind="heatmap", source="s", where={"model": "a"}, encoding=axes
    )
    with pytest.raises(Error, match="no sample has a number for 'tokens'"):
        ours(figure, source)
