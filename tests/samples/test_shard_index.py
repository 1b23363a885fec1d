"""What each log holds, and the logs and shards that a figure shows."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof.config import paths
from heatproof.kinds import api, heatmap, pairwise
from heatproof.samples import shard_index, tables
from heatproof.samples.declarations import DeclaredRun
from heatproof.samples.shard_index import run_size
from heatproof.util.errors import Error
from support import toys
from support.built import figure, folder, read
from support.data import cases
from support.reading import lines

__all__ = ["folder"]

CSV = {
    "format": "csv",
    "logs": "*.csv",
    "fields": {"sample_id": "id", "score": "right", "model": "model"},
    "params": {"ratio": {"type": "float", "field": "ratio"}},
}
CASES = cases(__file__)
ROW = {"question_id": 1, "answer_id": 0, "score": True}
A, B = "m_t_N1-R0.1-KW500-PKVL9.jsonl", "n_t_N1-R0.2-KWNone-PKVL9.jsonl"


def index(**keys: Any) -> shard_index.ShardIndex:
    """What the logs here hold."""
    (table,) = read(**{"format": "dynts", "logs": "*.jsonl"} | keys)
    return shard_index.read_index(Path(paths.counts(table)))


def heat(x: str = "ratio", y: str = "task", color: str = "pass@1", **where: Any) -> heatmap.Entry:
    return figure(x, y, color, **({"where": where} if where else {"panel": "model"}))


def test_a_log_without_a_sample_is_shown_as_a_run_that_failed() -> None:
    """All of its records were refused; its path tells the run."""
    Path(A).write_text("no record\n")
    Path(B).write_bytes(lines([ROW]))
    found = index()
    assert list(shard_index.shown_logs(found, heat())) == [A, B]
    assert found.logs[A].settings == []


@pytest.mark.parametrize(("where", "shown"), CASES["shown"])
def test_where_tells_the_logs_that_a_figure_shows(where: dict[str, Any], shown: list[str]) -> None:
    """Of logs it is known by their settings; what stands in single rows does not tell them."""
    for name in (A, B):
        Path(name).write_bytes(lines([ROW]))
    assert list(shard_index.shown_logs(index(), heat(**where))) == shown


def test_a_log_of_several_runs_is_shown_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of many settings is a log of each of its figures; of endless ones, of all."""
    Path("a.csv").write_text("id,right,model,ratio\n1,1,m,0.1\n1,0,n,0.2\n1,1,m,0.3\n")
    found = index(**CSV)
    assert found.logs["a.csv"].settings == [["m", "", 0.1], ["m", "", 0.3], ["n", "", 0.2]]
    assert list(shard_index.shown_logs(found, heat(model="m", ratio=0.3))) == ["a.csv"]
    assert not shard_index.shown_logs(found, heat(model="n", ratio=0.3))
    monkeypatch.setattr(shard_index, "AT_MOST", 2)
    assert (found := index(**CSV)).logs["a.csv"].settings is None
    assert list(shard_index.shown_logs(found, heat(ratio=9.0))) == ["a.csv"]


def test_a_sidecar_is_part_of_what_its_log_holds(folder: Path) -> None:
    """The digest that stands for the logs of a figure covers what they were read with."""
    beside = folder / "run.yaml"
    beside.write_text("ratio: 0.1\n")
    (folder / "log.jsonl").write_text('{"id": 1, "right": true}\n')
    fields = {"sample_id": "id", "score": "right"}
    ratio = {"type": "float", "field": "^ratio"}
    keys = {"format": "jsonl", "sidecar": "run.yaml", "fields": fields, "params": {"ratio": ratio}}
    before = shard_index.digests(index(**keys).logs)
    assert before.keys() == {"log.jsonl", "run.yaml"}
    beside.write_text("ratio: 0.10\n")
    after = shard_index.digests(index(**keys).logs)
    assert {path for path in before if before[path] != after[path]} == {"run.yaml"}


def test_damaged_counts_are_told() -> None:
    """Counts that were not written by `normalize` are none."""
    Path("counts").write_bytes(b"PAR1")
    with pytest.raises(Error, match=r"counts does not say .*\(.*\): call `heatproof run`"):
        shard_index.read_index(Path("counts"))


def said(samples: int | None = None, **keys: Any) -> DeclaredRun:
    """What one log says of a run."""
    return DeclaredRun(["m"], samples, **keys)


@pytest.mark.parametrize(("found", "meant", "short", "wanted", "told"), CASES["sizes"])
def test_what_the_logs_of_a_run_declare_together(found, meant, short, wanted, told):
    """How many samples there are at least, and in all where they tell."""
    assert run_size(found, 0, [said(**one) for one in meant], short, wanted)[:2] == tuple(told)


@pytest.mark.parametrize(("problems", "parts", "told"), CASES["parts"])
def test_the_part_of_a_data_set_that_a_run_was_asked_for(problems, parts, told):
    """Only where its logs say the same, and it does not hold more."""
    assert run_size(
        9, problems, [said(9, part=one and tuple(one)) for one in parts], {}, None
    ).part == (told and tuple(told))


@pytest.fixture
def source() -> list[str]:
    """The tables of a source with a shard for each of four models."""
    for n, model in enumerate("abcd"):
        for ratio in (0.1, 0.2):
            rows = [
                {"question_id": q, "answer_id": e, "score": (q + e + n) % 3 == 0}
                for q in range(6) for e in range(2)
            ]  # fmt: skip
            # In the order of their names, every fourth log is of one shard.
            Path(f"{ratio}").mkdir(exist_ok=True)
            Path(f"{ratio}/{model}_t_N2-R{ratio}-KW500-PKVL9.jsonl").write_bytes(lines(rows))
    return read(4, format="dynts", logs="*/*.jsonl")


PAIRS = pairwise.Entry(name="f", kind="pairwise", source="s", models=["a", "c"],
                       measure="score", join=["sample_id", "ratio"])  # fmt: skip
FIGURES: list[tuple[Any, list[int]]] = [
    (heat(y="local_window", model="b"), [1]),
    (heat(y="local_window", model="b", ratio=0.2), [1]),
    (heat(y="local_window"), [0, 1, 2, 3]),
    (PAIRS, [0, 2]),
]


@pytest.mark.parametrize(("figure", "shards"), FIGURES)
def test_a_figure_is_the_same_without_the_other_shards(figure, shards, source):
    """Grid and evidence have the bytes that all shards give; the others may even be gone."""
    part, mine = api.kind(figure.kind), shard_index.shards_of_figure(source, figure)
    assert mine.samples == [source[n] for n in shards]
    whole = shard_index.ShardsOfFigure(source, shard_index.ShardIndex([], {}))
    of_all = shard_index.aggregate(part, figure, whole, source)
    told_all = toys.behind(whole.portions(), figure, of_all, whole.partial())
    for path in {*source} - {*mine.samples}:
        Path(path).unlink()
        Path(paths.counts(path)).unlink()
    grid = shard_index.aggregate(part, figure, mine, source)
    assert grid.equals(of_all, null_equal=True)
    for name, made in (("ours", grid), ("all", of_all)):
        tables.write(made, Path(name))
    assert Path("ours").read_bytes() == Path("all").read_bytes()
    assert toys.behind(mine.portions(), figure, grid, mine.partial()) == told_all


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (heat(model="e"), "where.* no sample has 'e'; there are a, b, c, d"),
        (heat(model=["a", "e"]), "where.* no sample has 'e'; there are a, b, c, d"),
        (heat(model="a", ratio=0.3), "where.* no sample has 0.3; there are 0.1, 0.2"),
        (
            heat(color="mean(tokens)", model="a"),
            "encoding.color.* no sample has a number for 'tokens'",
        ),
    ],
)
def test_what_is_not_there_is_told_of_the_whole_source(figure, said, source):
    """Else a message would name only the values of the shards that were opened."""
    shards = shard_index.shards_of_figure(source, figure)
    with pytest.raises(Error, match=f"config.yaml: figures.f.{said}"):
        shard_index.aggregate(api.kind("heatmap"), figure, shards, source)


def test_a_large_table_is_looked_at_by_whole_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In portions, each of logs that follow each other; one log is never split."""
    rows = pl.LazyFrame({"log": list("abbbcc"), "line": [1, 1, 2, 3, 1, 2]})
    assert len(list(tables.split_by_logs(rows))) == 1
    monkeypatch.setattr(tables, "MOST_ROWS", 2)
    portions = [portion.collect()["log"].to_list() for portion in tables.split_by_logs(rows)]
    assert portions == [["a"], ["b", "b", "b"], ["c", "c"]]
