"""heatproof in a script: tables in, charts out, with the numbers of a run."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import heatproof as hp
from heatproof.library import figures

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OWN = {"sample_id": "question", "score": "right"}
AXES = {"x": "temperature", "y": "prompt"}


def rows(**more: Any) -> dict[str, list[Any]]:
    """A table of six attempts: three problems at two temperatures."""
    return {
        "temperature": [0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
        "prompt": ["short"] * 6,
        "question": [1, 2, 3, 1, 2, 3],
        "right": [True, False, False, True, True, True],
        **more,
    }


def drawn(data: Any, **keys: Any) -> dict[str, Any]:
    """The spec of a heatmap of a table."""
    return hp.heatmap(data, **AXES, fields=OWN, **keys).to_dict()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "made",
    [
        pl.DataFrame,
        pl.LazyFrame,
        pd.DataFrame,
        pa.table,
        lambda table: pl.DataFrame(table).rows(named=True),
    ],
    ids=["polars", "lazy", "pandas", "arrow", "rows"],
)
def test_any_table_gives_the_same_figure(made: Callable[[Any], Any]) -> None:
    """Polars, pandas and Arrow tables, dicts and lists of rows are read alike."""
    assert drawn(made(rows())) == drawn(rows())


def test_categories_are_texts() -> None:
    """A pandas column of categories is as good as one of texts."""
    table = pd.DataFrame(rows()).astype({"prompt": "category"})
    assert drawn(table) == drawn(rows())


def test_a_grid_has_the_means_of_its_cells(project: Path) -> None:
    """Logs read here give the means that polars gives, cell by cell."""
    samples = hp.read("data/tiny-kv/logs/sweep/*/files/*.jsonl", root=project)
    where = {"model": "tiny-s96", "prune_kvlength": 64}
    axes = {"x": "ratio", "y": "local_window", "panel": "task"}
    grid = hp.grid(samples, **axes, where=where)
    by = ["task", "local_window", "ratio"]
    mean = (
        samples.filter(model="tiny-s96", prune_kvlength=64)
        .group_by(by).agg(pl.col("score").mean().alias("mean"))
    )  # fmt: skip
    both = grid.join(mean, on=by, how="full")
    assert len(both) == len(grid) == len(mean) == 80
    assert both.select((pl.col("value") - pl.col("mean")).abs().max()).item() < 1e-12
    chart = hp.heatmap(samples, **axes, where=where)
    assert hp.heatmap(grid, **axes, where=where).to_dict() == chart.to_dict()


def test_refused_records_are_told_and_kept(tmp_path: Path) -> None:
    """A record that cannot be used is named in a warning, and stands in the second table."""
    good = [f'{{"id": {n}, "score": 1}}\n' for n in range(30)]
    (tmp_path / "a.jsonl").write_text("".join([*good, '{"id": 99}\n']))
    keys = {"format": "jsonl", "root": tmp_path, "fields": {"sample_id": "id", "score": "score"}}
    keys |= {"set": {"model": "m", "task": "t"}}
    with pytest.warns(UserWarning, match="score"):
        assert len(hp.read("*.jsonl", **keys)) == 30
    made = hp.normalize_logs("*.jsonl", **keys)
    assert (len(made.samples), len(made.rejected)) == (30, 1)
    assert made.rejected["line"].to_list() == [31]


def test_logs_of_which_most_is_refused_are_no_samples(tmp_path: Path) -> None:
    """Percent scores without a range stop, with the key that mends it."""
    lines = [f'{{"id": {n}, "score": {100 * (n % 2)}}}\n' for n in range(20)]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    keys = {"format": "jsonl", "root": tmp_path, "fields": {"sample_id": "id", "score": "score"}}
    keys |= {"set": {"model": "m", "task": "t"}}
    with pytest.raises(hp.Error, match=r"^10 of 20 .*range: \{score: \[0, 100\]\}"):
        hp.read("*.jsonl", **keys)
    assert hp.read("*.jsonl", **keys, range={"score": [0, 100]})["score"].mean() == 0.5


TWICE = {"seed": [1, 1, 1, 1, 2, 2], "question": [1, 2, 3, 1, 2, 1]}


@pytest.mark.parametrize(
    ("table", "keys", "told"),
    [
        (rows(), {"x": "temprature"}, "no column 'temprature'.*did you mean 'temperature'"),
        (rows(), {"palete": "greys"}, "^'palete' is not a key.*did you mean 'palette'"),
        (rows(), {"metric": "accuracy"}, "^encoding.color: 'accuracy' is not a metric"),
        (rows(), {"metric": "mean(tokens)"}, "no column 'tokens'"),
        (rows(), {"fields": {}}, "no column 'sample_id'.*fields=.*row"),
        (rows(), {"fields": {**OWN, "score": "rigth"}}, "no column 'rigth'.*mean 'right'"),
        (rows(), {"fields": {**OWN, "problem": "question"}}, "'problem' is not a column"),
        (rows(right=[50] * 6), {}, "6 of 6 lie outside, the first is 50; percent"),
        (rows(right=["yes"] * 6), {}, "not text .'yes' 6 ×"),
        (rows(model=list("ababab")), {"where": {"model": "c"}}, "'c'"),
        (rows(**TWICE), {}, "rows 4 and 6 are the same sample.*differ in seed"),
        (3, {}, "int cannot be read as a table"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words_of_the_call(
    table: Any, keys: dict[str, Any], told: str
) -> None:
    """What is wrong, what there is, and what mends it: no word of a config that is not there."""
    with pytest.raises(hp.Error, match=told) as error:
        hp.heatmap(table, **{**AXES, "fields": OWN, **keys})
    assert "config" not in str(error.value)


def test_repetitions_are_pooled_when_named(tmp_path: Path) -> None:
    """A column of repetitions makes two rows of a problem two samples of it."""
    table = {"t": [0, 0, 0, 0], "m": ["a"] * 4, "q": [1, 1, 2, 2], "s": [1, 0, 1, 1]}
    table["seed"] = [7, 9, 7, 9]
    fields = {"sample_id": "q", "score": "s", "epoch": "seed"}
    grid = hp.grid(table, x="t", y="m", metric="pass@2", fields=fields)
    assert grid["value"].to_list() == [1.0]
    assert grid["samples"].to_list() == [2]
    path = tmp_path / "x.svg"
    hp.save(hp.heatmap(table, x="t", y="m", metric="pass@2", fields=fields), path)
    assert "<svg" in path.read_text()
    with pytest.raises(hp.Error, match=r"x\.jpg.*there are \.svg"):
        hp.save(hp.heatmap(table, x="t", y="m", fields=fields), tmp_path / "x.jpg")


def test_finished_numbers_are_drawn_as_they_are() -> None:
    """A row a cell: no outline, no ruler, no bold; two rows of one cell are refused."""
    table = {
        "lr": [0.1, 0.1, 0.2, 0.2],
        "warmup": [0, 10, 0, 10],
        "eval_acc": [0.5, 0.25, 0.75, None],
    }
    spec = hp.heatmap(table, x="lr", y="warmup", value="eval_acc").to_dict()
    text = json.dumps({key: told for key, told in spec.items() if key != "usermeta"})
    assert all(f'"{value}"' in text for value in ("0.500", "0.250", "0.750"))
    assert "eval acc" in text
    assert not any(word in text for word in ("tie with", "spread of", "finished"))
    named = hp.heatmap(table, x="lr", y="warmup", value="eval_acc", labels={"eval_acc": "Accuracy"})
    assert "Accuracy" in json.dumps(named.to_dict())
    with pytest.raises(hp.Error, match=r"rows 1 and 2 are the same sample.*warmup"):
        hp.heatmap({**table, "y": ["a"] * 4}, x="lr", y="y", value="eval_acc")
    with pytest.raises(hp.Error, match=r"no column 'acc'.*there are"):
        hp.heatmap(table, x="lr", y="warmup", value="acc")


def test_examples_of_docstrings_hold() -> None:
    """They are run as they stand."""
    assert doctest.testmod(figures).failed == 0


def test_public_names_are_there_and_cost_nothing() -> None:
    """All of them are found, and to import the package loads none of what they need."""
    assert all(callable(getattr(hp, name)) for name in hp.__all__)
    with pytest.raises(AttributeError, match="heat_map"):
        _ = hp.heat_map
    code = (
        "import sys, heatproof; print([m for m in sys.modules if 'polars' in m or 'library' in m])"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize("kind", ["line", "pairwise", "table", "forest"])
def test_other_kinds_take_tables(kind: str) -> None:
    """Each kind is drawn of the same table with its own keys."""
    more = {
        "line": {"encoding": {"x": "temperature", "y": "pass@1", "color": "prompt"}},
        "pairwise": {"compare": "temperature", "models": [0, 1], "measure": "score", "join": ["sample_id"]},
        "table": {"encoding": {"x": "temperature", "y": "prompt", "text": "pass@1"}},
        "forest": {"encoding": {"y": "temperature", "x": "pass@1"}},
    }  # fmt: skip
    assert "usermeta" in hp.figure(rows(), kind, fields=OWN, **more[kind]).to_dict()


def test_the_page_works_as_it_stands(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of docs/notebook.md run one after the other, but for the one that needs a build."""
    (tmp_path / "data").symlink_to(project / "data")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(
        r"```python\n(.*?)```", (project / "docs/notebook.md").read_text(), re.DOTALL
    )
    names: dict[str, Any] = {}
    for block in blocks:
        if "open_build" not in block:
            exec(block, names)
    assert (tmp_path / "tiny.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.workflow
def test_a_build_opens(tiny: Any) -> None:
    """Chart, grid, record and trace of a figure that a run has made; a wrong name is told."""
    build = hp.open_build(tiny.root / "results")
    name = next(iter(build))
    made = build[name]
    assert made.record["figure"] == name
    assert made.chart.to_dict()["usermeta"]["heatproof"] == made.record
    row = made.grid.row(0, named=True)
    entry = made.record["entry"]
    cell = {entry["encoding"][axis]: row[axis] for axis in ("x", "y")}
    cell |= {entry["panel"]: row[entry["panel"]]} if entry.get("panel") else {}
    behind = made.trace(**cell)
    assert behind.agrees
    assert behind.value == pytest.approx(row["value"])
    with pytest.raises(hp.Error, match="is not a figure here"):
        build["other"]
    with pytest.raises(hp.Error, match="no figure has been made"):
        hp.open_build(tiny.root / "data")
