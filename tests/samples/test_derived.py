"""Columns made of columns: cells along them, counted by other code; and the same ends in a part."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

import heatproof as hp
from heatproof import formats
from heatproof.formats import joined_format
from heatproof.samples import normalize, shard_index
from heatproof.util import registry
from heatproof.util.errors import Error
from support import specimens

KEYS: dict[str, Any] = {
    "format": "jsonl",
    "fields": {"model": "model", "sample_id": "id", "epoch": "try", "score": "ok"},
    "measures": {"context": "context", "steps": "steps"},
    "columns": {
        "band": {"bin": "context", "at": ["8k", "16k"], "closed": "right"},
        "level": {"join": "problems.csv", "by": {"sample_id": "question"}, "take": "level"},
        "size": {"match": "model", "pattern": r"-(\d+)b", "type": "int"},
        "effort": {"bin": "steps", "quantiles": 3},
    },
}
CONTEXTS = (3000, 8000, 8001, 16000, 40000)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of three models, of which one says how its samples failed, and a file of problems."""
    folder = tmp_path_factory.mktemp("derived")
    for number, model in enumerate(("m-7b", "m-13b", "n-7b")):
        lines = []
        for problem in range(30):
            for epoch in range(2):
                seed = problem * 7 + number * 3 + epoch * 5
                record = {"model": model, "id": f"q{problem}", "try": epoch, "ok": seed % 4 > 1}
                record |= {"context": CONTEXTS[problem % 5], "steps": seed % 17}
                lines.append(json.dumps(record))
        (folder / f"{model}.jsonl").write_text("\n".join(lines) + "\n")
    rows = [f"q{problem},{'easy' if problem % 3 else 'hard'}" for problem in range(30)]
    (folder / "problems.csv").write_text("\n".join(["question,level", *rows]) + "\n")
    return folder


@pytest.fixture(scope="module")
def samples(root: Path) -> pl.DataFrame:
    return hp.read("*.jsonl", root=root, **KEYS)


def test_cells_are_those_of_a_plain_count(samples: pl.DataFrame, root: Path) -> None:
    """Bins, a joined file and sizes in names, as the standard library counts them."""
    levels = dict(csv.reader((root / "problems.csv").read_text().splitlines()))
    counts: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for path in root.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            low, high = record["context"] <= 8000, record["context"] > 16000
            band = "≤8k" if low else ">16k" if high else "8k–16k"
            counts[levels[record["id"]], band, record["model"]].append(record["ok"])
    grid = hp.grid(samples, x="band", y="model", panel="level")
    cells = {
        tuple(row[:3]): row[3] for row in grid.select("level", "band", "model", "value").rows()
    }
    assert cells == {cell: pytest.approx(sum(all_) / len(all_)) for cell, all_ in counts.items()}
    sizes = hp.grid(samples, x="size", y="band", pool=["model"])
    assert sizes["size"].unique().to_list() == [7, 13]


def test_a_property_of_problems_that_is_pooled_leaves_each_cell_its_problems(
    samples: pl.DataFrame,
) -> None:
    """The value is that of all problems, whatever their level: no column of it is counted."""
    mixed = hp.grid(samples, x="size", y="model", pool=["level"])
    plain = samples.group_by("model").agg(pl.col("score").mean())
    cells = mixed.drop_nulls("value").select("model", "value").sort("model")
    assert cells["value"].to_list() == pytest.approx(plain.sort("model")["score"].to_list())


def test_each_problem_is_in_its_own_cell_and_no_cell_lacks_those_of_others(
    samples: pl.DataFrame,
) -> None:
    """A property of problems parts them: what a cell is to hold, cells of the same problems say."""
    grid = hp.grid(samples, x="level", y="model")
    assert grid["expected"].to_list() == grid["epochs"].to_list()
    assert {*grid.filter(level="hard")["samples"]} == {10}


def test_what_answers_decide_is_never_incomplete_nor_judged(samples: pl.DataFrame) -> None:
    """Even where a metric leaves out problems with too few samples."""
    grid = hp.grid(samples, x="effort", y="model", metric="pass@2")
    assert (grid["expected"] <= grid["epochs"]).all()
    assert {*grid["unjudged"].drop_nulls()} == {"answered"}


def test_quantiles_hold_as_many_samples(samples: pl.DataFrame) -> None:
    """They are thirds, but for equal numbers, in the order of their ends along an axis."""
    sizes = samples["effort"].value_counts()["count"].to_list()
    assert max(sizes) - min(sizes) < 30
    grid = hp.grid(samples, x="effort", y="model")
    assert grid["effort"].unique(maintain_order=True).to_list() == ["<5", "5–11", "≥11"]


@pytest.mark.parametrize(("closed", "bins"), [("left", ["all"]), ("right", ["≤0", ">0"])])
def test_no_bin_ends_at_the_lowest_number_before_it(
    closed: str, bins: list[str], tmp_path: Path
) -> None:
    """Where most samples have the lowest number, nothing lies below it: it may only be an end."""
    lines = [json.dumps({"model": "m", "id": n, "ok": 1, "steps": n // 3}) for n in range(4)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    fields = {"model": "model", "sample_id": "id", "score": "ok"}
    effort = {"bin": "steps", "quantiles": 2, "closed": closed}
    keys = {"fields": fields, "measures": {"steps": "steps"}, "columns": {"effort": effort}}
    samples = hp.read("*.jsonl", root=tmp_path, format="jsonl", **keys)
    assert samples.sort("steps")["effort"].unique(maintain_order=True).to_list() == bins


def test_other_figures_mix_them(samples: pl.DataFrame) -> None:
    """A column of the source that a figure does not name asks nothing of it."""
    assert len(hp.grid(samples, x="task", y="model")) == 3


def source(**keys: Any) -> Any:
    block = {"name": "s", "logs": "*.jsonl"} | KEYS | keys
    return msgspec.convert(block, registry.load(formats, "jsonl").Entry)


def test_a_part_of_the_logs_has_the_same_quantiles(root: Path, tmp_path: Path) -> None:
    """As `trace` reads them: the ends are those of the table of all logs."""
    entry = source()
    read = registry.load(formats, "jsonl").read
    everything, part = tmp_path / "all.parquet", tmp_path / "part.parquet"
    logs = ["m-7b.jsonl", "m-13b.jsonl", "n-7b.jsonl"]
    normalize.write(logs, root, entry, read, everything, tmp_path / "r")
    normalize.write(logs[:1], root, entry, read, part, tmp_path / "r", like=everything)
    stored = pl.read_parquet(everything).filter(log=logs[0])
    assert pl.read_parquet(part).equals(stored)


def test_several_sources_have_each_its_own(root: Path, tmp_path: Path) -> None:
    """A column that two sources make in their own ways, read as one source."""
    first = source(name="a", logs="m-*.jsonl")
    other = {"band": {"bin": "context", "at": [1], "names": ["none", "some"]}}
    second = source(name="b", logs="n-*.jsonl", columns=other)
    both = joined_format.joined("both", {"a": first, "b": second})
    logs = ["m-7b.jsonl", "n-7b.jsonl"]
    normalize.write(logs, root, both, joined_format.read, tmp_path / "s", tmp_path / "r")
    table = pl.read_parquet(tmp_path / "s")
    bands = {(name, band) for name, band in table.select("source", "band").unique().rows()}
    assert bands == {("a", "≤8k"), ("a", "8k–16k"), ("a", ">16k"), ("b", "some")}
    assert table.filter(source="b")["level"].null_count() == 60


def test_a_run_without_samples_has_the_columns_of_its_settings(tmp_path: Path) -> None:
    """What a refused record was to be is expected of the cell of its size."""
    (tmp_path / "a.jsonl").write_text(
        '{"model": "m-7b", "id": 1, "ok": 1}\n{"model": "m-9b", "id": 1, "ok": "?"}\n'
    )
    size = {"match": "model", "pattern": r"-(\d+)b", "type": "int"}
    fields = {"model": "model", "sample_id": "id", "score": "ok"}
    entry = source(fields=fields, set={"task": "t"}, measures={}, columns={"size": size})
    table, counts = tmp_path / "s", tmp_path / "c"
    read = registry.load(formats, "jsonl").read
    outcome = normalize.write(["a.jsonl"], tmp_path, entry, read, table, tmp_path / "r")
    shard_index.write_counts(table, counts, outcome)
    index = shard_index.read_index(counts)
    assert index.columns == ["model", "task", "size"]
    assert [run.settings for run in index.logs["a.jsonl"].runs] == [["m-9b", "t", 9]]


def test_a_missing_file_is_told_at_its_key(tmp_path: Path) -> None:
    """With the log that needs it first."""
    (tmp_path / "a.jsonl").write_text('{"model": "m", "id": 1, "ok": 1}\n')
    level = {"join": "levels.csv", "by": "sample_id", "take": "level"}
    fields = {"model": "model", "sample_id": "id", "score": "ok"}
    with pytest.raises(Error, match=r"columns.level.join: there is no levels.csv .* a.jsonl"):
        hp.read("*.jsonl", root=tmp_path, format="jsonl", fields=fields, columns={"level": level})


@pytest.mark.parametrize("name", ["inspect", "lm_eval", "mt_bench", "helm"])
def test_logs_of_harnesses_have_them_too(name: str, tmp_path: Path) -> None:
    """A file of problems is looked up by the ids that a harness gives."""
    files, keys = specimens.SOURCES[name]
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    keys = {"logs": "**/*"} | keys
    plain = hp.read(root=tmp_path, **keys)
    known = {problem: f"of {problem}" for problem in plain["sample_id"].unique()}
    (tmp_path / "notes.json").write_text(json.dumps(known))
    note = {"join": "notes.json", "by": "sample_id", "take": "$value"}
    read = hp.read(root=tmp_path, **keys | {"columns": {"note": note}})
    assert read.drop("note").equals(plain)
    assert read["note"].to_list() == [known[problem] for problem in plain["sample_id"]]
