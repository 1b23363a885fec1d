"""Of a source only the shards are opened that hold what a figure shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
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


@pytest.mark.parametrize("measure", ["score", "progress"])
def test_values_that_do_not_fit_a_figure_are_told_as_the_log_has_them(
    measure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as `range` brought them to 0–1: so the record is found by its number."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"model": m, "id": n, "ratio": 0.1, "score": 100 * n, "p": 5 * n}
        for m in "ac"
        for n in (0, 1)
    ]
    rows[1 if measure == "score" else 3] |= {"score": 1} if measure == "score" else {"p": 25}
    Path("a.jsonl").write_bytes(lines(rows))
    source = entry(
        format="jsonl", logs="*.jsonl", fields={"model": "model", "sample_id": "id", "score": "score"},
        set={"task": "t"}, params={"ratio": "float"}, measures={"progress": "p"},
        range={"score": [0, 100], "progress": [0, 10]},
    )  # fmt: skip
    samples, counts = Path("s.parquet"), Path("c.parquet")
    read = registry.find(formats, "jsonl", "format", "log format").read
    told = normalize.write(["a.jsonl"], Path(), source, read, samples, Path("r.parquet"))
    shard_index.write_counts(samples, counts, told)
    monkeypatch.setattr(paths, "counts", lambda _: str(counts))
    heat_ = heatmap.Entry(name="f", kind="heatmap", source="s",
                          encoding=heatmap.entry.Encoding(x="ratio", y="model", color="pass@1"))  # fmt: skip
    pairs = pairwise.Entry(name="f", kind="pairwise", source="s", models=["a", "c"],
                           measure="progress", join=["sample_id"])  # fmt: skip
    figure: Any = heat_ if measure == "score" else pairs
    mine = shard_index.shards_of_figure([str(samples)], figure)._replace(
        scales=shard_index.scales_of(msgspec.to_builtins(source))
    )
    said = {
        "score": "color: pass@1 needs scores of 0 or 100, but a.jsonl:2 has 1; there is mean(score)",
        "progress": "measure: 'progress' is not from 0 to 10: a.jsonl:4 of source 's' has 25; choose",
    }
    with pytest.raises(Error, match=re.escape(said[measure])):
        shard_index.aggregate(api.kind(figure.kind), figure, mine, [str(samples)])


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
