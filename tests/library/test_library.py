"""heatproof in a script: tables in, charts out, with the numbers of a run."""

import doctest
import json
import re
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pyarrow as pa
import pytest

import heatproof as hp

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


def spec(data: Any, **keys: Any) -> dict[str, Any]:
    """The spec of a heatmap."""
    return hp.heatmap(data, **keys).to_dict(validate=False)  # type: ignore[no-any-return]


def drawn(data: Any, **keys: Any) -> dict[str, Any]:
    """The spec of a heatmap of a table as `rows`."""
    return spec(data, **AXES, fields=OWN, **keys)


def pandas_table(rows: Any) -> Any:
    """Imported where it is used: it takes as long as the rest of these tests' imports."""
    import pandas as pd

    return pd.DataFrame(rows)


@pytest.mark.parametrize("table", [
    pl.DataFrame, pl.LazyFrame, pandas_table, pa.table, lambda rows: pl.DataFrame(rows).rows(named=True),
])  # fmt: skip
def test_any_table_gives_the_same_grid(table: Callable[[Any], Any]) -> None:
    """Polars, pandas and Arrow tables, dicts and lists of rows are read alike."""
    keys = {**AXES, "fields": OWN}
    assert hp.grid(table(rows()), **keys).equals(hp.grid(rows(), **keys))


def test_a_grid_has_the_means_of_its_cells(project: Path) -> None:
    """Logs read here give the means that polars gives, cell by cell."""
    samples = hp.read("data/tiny-kv/logs/sweep/*/files/tiny-s96_s*.jsonl", root=project)
    where = {"model": "tiny-s96", "prune_kvlength": 64}
    axes = {"x": "ratio", "y": "local_window", "panel": "task"}
    grid = hp.grid(samples, **axes, where=where)
    by = ["task", "local_window", "ratio"]
    means = samples.filter(**where).group_by(by).agg(mean=pl.col("score").mean())
    both = grid.join(means, on=by, how="full")
    assert len(both) == len(grid) == len(means) > 20
    assert both.select((pl.col("value") - pl.col("mean")).abs().max()).item() < 1e-12


def logs(root: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
    """A log of some records, and the keys by which it is read."""
    (root / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    fields = {"sample_id": "id", "score": "score"}
    return {"logs": "*.jsonl", "format": "jsonl", "root": root, "fields": fields,
            "set": {"model": "m", "task": "t"}}  # fmt: skip


def test_refused_records_are_told_and_kept(tmp_path: Path) -> None:
    """A record that cannot be used is named in a warning, and stands in the second table."""
    keys = logs(tmp_path, [*({"id": n, "score": 1} for n in range(30)), {"id": 99}])
    with pytest.warns(UserWarning, match="score"):
        assert len(hp.read(**keys)) == 30
    tables = hp.normalize_logs(**keys)
    assert (len(tables.samples), tables.rejected["line"].to_list()) == (30, [31])


def test_logs_of_which_most_is_refused_are_no_samples(tmp_path: Path) -> None:
    """Percent scores without a range stop, with the key that mends it."""
    keys = logs(tmp_path, [{"id": n, "score": 100 * (n % 2)} for n in range(20)])
    with pytest.raises(hp.Error, match=r"^10 of 20 .*range: \{score: \[0, 100\]\}"):
        hp.read(**keys)
    assert hp.read(**keys, range={"score": [0, 100]})["score"].mean() == 0.5


def test_rows_without_a_number_are_missing_samples() -> None:
    """A warning at the caller's line tells them; cells expect them, though no neighbour has more."""
    table = pandas_table(rows())
    table["right"] = table["right"].astype(object).where(table["question"] != 2)
    table["tokens"] = [5.0, 5.0, None, 5.0, 5.0, 5.0]
    message = r"^score: 2 of 6 rows have no number \(the first is row 2\); they are missing"
    with pytest.warns(UserWarning, match=message) as warned:
        grid = hp.grid(table, **AXES, fields=OWN)
    assert warned[0].filename == __file__
    columns = ["value", "samples", "epochs", "expected"]
    assert grid.select(columns).rows() == [(0.5, 2, 2, 3), (1.0, 2, 2, 3)]
    with pytest.warns(UserWarning, match="score: 2 of 6"):
        assert "ncomplete" in json.dumps(drawn(table))
    with pytest.warns(UserWarning, match="^tokens: 1 of 6 rows have no number .*row 3"):
        grid = hp.grid(table, **AXES, metric="mean(tokens)", fields=OWN)
    assert grid["expected"].to_list() == [3, 3]
    with pytest.warns(UserWarning, match="^tokens: 1 of 3 rows"):
        hp.figure(table, "table", OWN, where={"temperature": 0.0},
                  encoding={"x": "temperature", "y": "prompt", "text": "mean(tokens)"})  # fmt: skip


FOREST = {"encoding": {"y": "temperature", "x": "mean(other)"}}
FIGURES: dict[str, tuple[str, dict[str, Any]]] = {
    "on panels": (
        "heatmap",
        {"x": "seed", "y": "prompt", "panel": "other", "where": {"other": [0, 1]}},
    ),
    "as a number": ("forest", FOREST),
    "in pairs": ("pairwise", {"compare": "other", "models": [0, 1], "measure": "score"}),
}
"""Figures of a column that is called `other`."""


@pytest.mark.parametrize(
    ("name", "figure"),
    [("value", "on panels"), ("value", "as a number"), ("x", "on panels"), ("x", "in pairs")],
)
def test_columns_may_be_called_as_ours_are(name: str, figure: str) -> None:
    """On an axis, on panels, under where, as a number: the figure is that of any other name."""

    def tokens(column: str) -> Counter[str]:
        """Numbers and names in the figure."""
        table = rows(**{column: [0.0] * 3 + [1.0] * 3, "seed": [1] * 6})
        kind, keys = FIGURES[figure]
        keys = json.loads(json.dumps(keys).replace("other", column)) | {"labels": {column: "Named"}}
        draw = hp.heatmap if kind == "heatmap" else partial(hp.figure, kind=kind)
        chart = draw(table, fields=OWN, id=False, **keys).to_dict(validate=False)
        text = json.dumps({**chart, "usermeta": None}, sort_keys=True)
        return Counter(re.findall(r"-?\d+\.\d+|Named", text))

    assert tokens(name) == tokens("other")


@pytest.mark.parametrize("name", ["value", "x"])
def test_axes_and_finished_numbers_may_be_called_as_ours_are(name: str) -> None:
    """The record has the name that the table has."""
    own = spec(rows(**{name: [0] * 3 + [1] * 3}), x=name, y="prompt", fields=OWN)
    assert own["usermeta"]["heatproof"]["entry"]["encoding"]["x"] == name
    finished = spec({name: [3, 7], "a": [1, 1]}, x="a", y=name, value="a")
    assert '"7"' in json.dumps(finished)


def test_a_grid_keeps_the_names_of_its_axes() -> None:
    """Where they are columns of its own too, that is told; else it is drawn as its samples are."""
    table = rows(value=[0] * 3 + [1] * 3, y=["a"] * 6, x=[1] * 6)
    for axes, key in (({"x": "value", "y": "prompt"}, "x"), ({**AXES, "panel": "value"}, "panel")):
        with pytest.raises(hp.Error, match=f"^{key}: 'value' is the name of a column .*my_value"):
            hp.grid(table, **axes, fields=OWN)
    mixed = hp.grid(table, x="y", y="x", pool=["temperature"], fields=OWN | {"epoch": "value"})
    assert mixed.select("x", "y").rows() == [(1, "a")]
    own = {**AXES, "panel": "x"}
    grid = hp.grid(table, **own, fields=OWN)
    assert spec(grid, **own) == spec(table, **own, fields=OWN)


def test_paths_are_patterns(project: Path, tmp_path: Path) -> None:
    """A Path, or a list of them; what cannot be read or written is told in words."""
    logs = Path("data/tiny-kv/logs/sweep/*/files/tiny-s96_sort_N5-R0.1-*.jsonl")
    assert len(hp.read(logs, root=project)) == len(hp.read([logs], root=project)) > 0
    with pytest.raises(hp.Error, match=r"^root: .*/none is not a folder"):
        hp.read(logs, root=tmp_path / "none")
    with pytest.raises(hp.Error, match="logs: 3 is not text or a list"):
        hp.read(3)  # type: ignore[arg-type]
    chart = hp.heatmap(rows(), **AXES, fields=OWN)
    for save in (lambda path: hp.save(chart, path), chart.save):
        with pytest.raises(
            hp.Error, match=r"none/a\.svg: it cannot be written: there is no folder"
        ):
            save(tmp_path / "none/a.svg")
    with pytest.raises(hp.Error, match=r"DataFrame is not a chart; hp\.heatmap"):
        hp.save(pl.DataFrame(), tmp_path / "a.svg")  # type: ignore[arg-type]


TWICE = {"seed": [1, 1, 1, 1, 2, 2], "question": [1, 2, 3, 1, 2, 1]}


@pytest.mark.parametrize(
    ("table", "keys", "message"),
    [
        (rows(), {"x": "temprature"}, "no column 'temprature'.*did you mean 'temperature'"),
        (rows(), {"x": "model"}, "no column 'model'.*fields=.'model'"),
        (rows(), {"cmap": "viridis"}, "'cmap' is not a key.*did you mean 'palette"),
        (rows(), {"metric": "right"}, r"^metric: 'right' is a column; .*mean.right.; .*value='right'"),
        (rows(), {"encoding": {"x": "temperature"}}, "^encoding, kind: "),
        (rows(), {"range": {"tokens": [0, 9]}}, "^range.tokens: 'tokens' is not a number"),
        (rows(), {"fields": {}}, "no column 'sample_id'.*fields=.*row.*value="),
        (rows(), {"fields": {**OWN, "score": "rigth"}}, "no column 'rigth'.*mean 'right'"),
        (rows(right=[50] * 6), {}, r"6 of 6 lie outside, the first is 50; percent.*0, 100"),
        (rows(right=["yes"] * 6), {}, "not text .'yes' 6 ×"),
        (rows(cost=["a"] * 6), {"metric": "mean(cost)"}, "cost: needs numbers.*'a' 6 ×"),
        (rows(question=[1, None, 3, 1, 2, 3]), {}, "^sample_id: 1 of 6 rows have none .*row 2"),
        (rows(temperature=[0.0, None] * 3), {}, "^x: 3 of 6 rows have no place.*'temperature'.*row 2"),
        (rows(temperature=[[0, 1]] * 6), {}, "^temperature: a row holds one"),
        (pl.DataFrame(rows())[:0], {}, "^the table has no row"),
        ({"v": [1]}, {"value": "v", "fields": None, "n": "m"}, "^n: the table has no column 'm'"),
        ({"v": [None]}, {"value": "v", "fields": None}, "^value: none of 1 row has a number in 'v'"),
        (None, {}, "None is not a table; hp.read"),
        (rows(), {"fields": ["question"]}, r"^fields: .'question'. is not a mapping"),
        (rows(), {"fields": {**OWN, "run": "prompt"}}, "^fields: 'run' is not a column; there are model"),
        (rows(), {"range": [0, 100]}, r"^range: .0, 100. is not a mapping"),
        (rows(), {"metric": "mean(temperature)"}, "^'temperature' is both a setting and a number"),
        (rows(), {"x": "score"}, r"^x: 'score' is a number, not a setting; .*mean.score."),
        (rows(model=list("ababab")), {"where": {"model": "c"}}, "'c'"),
        (rows(**TWICE), {}, "rows 4 and 6 are the same sample.*differ in seed"),
        (3, {}, "int cannot be read as a table"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words_of_the_call(
    table: Any, keys: dict[str, Any], message: str
) -> None:
    """What is wrong, what there is, and what mends it: no word of a config that is not there."""
    with pytest.raises(hp.Error, match=message) as error:
        hp.heatmap(table, **{**AXES, "fields": OWN, **keys})
    assert "config" not in str(error.value)
    assert len(error.traceback) == 2, "the call, and who tells the mistake"


def test_numbers_of_another_scale_are_told_in_it() -> None:
    """Of a table of one's own and of samples that `read` brought to 0–1; grids hold 0–1."""
    marks = rows(right=[7, 8, 9, 1, 2, 3])
    ten = {"range": {"score": (1, 10)}, "metric": "mean(score)"}
    grid = hp.grid(marks, **AXES, fields=OWN, **ten)
    assert grid["value"].to_list() == pytest.approx([7 / 9, 1 / 9])
    for text in (json.dumps(drawn(marks, **ten)), json.dumps(spec(grid, **AXES, **ten))):
        assert all(f'"{value}"' in text for value in ("8.00", "2.00"))
    with pytest.raises(hp.Error, match="sum would differ"):
        drawn(marks, **ten | {"metric": "sum(score)"})


def test_what_groupby_gives_is_drawn() -> None:
    """An index of pandas that has names is columns; a grid has no need of `value`."""
    means = pandas_table(rows()).groupby([*AXES.values()])["right"].mean()
    table = means.reset_index()
    specs = [spec(data, **AXES, value="right") for data in (means, table, means.to_frame())]
    assert specs[0] == specs[1] == specs[2]
    with pytest.raises(hp.Error, match=r"^right: needs numbers"):
        hp.heatmap(table.astype({"right": str}), **AXES, value="right")


def test_notebooks_show_what_is_saved(tmp_path: Path) -> None:
    """The picture of `save` at its size, which needs no net, unless another way was chosen."""
    chart = hp.heatmap(rows(), **AXES, fields=OWN)
    bundle, sizes = chart._repr_mimebundle_()
    hp.save(chart, tmp_path / "a.png")
    assert bundle["image/png"] == (tmp_path / "a.png").read_bytes()
    width, height = struct.unpack(">II", bundle["image/png"][16:24])
    assert sizes["image/png"] == {"width": round(width * 0.32), "height": round(height * 0.32)}
    with alt.renderers.enable("mimetype"):
        assert "image/png" not in chart._repr_mimebundle_()
    chart.save(tmp_path / "b.png")
    assert (tmp_path / "b.png").read_bytes() == bundle["image/png"]
    titled = chart.properties(description="told aloud")
    titled.save(f"{tmp_path}/c.json")
    assert json.loads((tmp_path / "c.json").read_text())["description"] == "told aloud"


def test_finished_numbers_are_drawn_as_they_are() -> None:
    """A row a cell: no outline, no bold; two rows of one cell are refused."""
    lr, accuracy = [0.1, 0.1, 0.2, 0.2], [0.5, 0.25, 0.75, None]
    table = {"lr": lr, "warmup": [0, 10, 0, 10], "eval_acc": accuracy}
    keys = {"x": "lr", "y": "warmup", "value": "eval_acc"}
    plain = spec(table, **keys)
    text = json.dumps({key: part for key, part in plain.items() if key != "usermeta"})
    assert all(f'"{value}"' in text for value in ("0.50", "0.25", "0.75"))
    assert "eval acc" in text
    assert not any(word in text for word in ("tie with", "spread of", "finished"))
    assert "Accuracy" in json.dumps(spec(table, **keys, labels={"eval_acc": "Accuracy"}))
    with pytest.raises(hp.Error, match=r"rows 1 and 2 are the same sample.*warmup"):
        hp.heatmap({**table, "y": ["a"] * 4}, x="lr", y="y", value="eval_acc")


@pytest.mark.parametrize("name", [name for name in hp.__all__ if name != "Error"])
def test_examples_of_docstrings_hold(
    name: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each public name has one, which is run as it stands beside the project's logs."""
    (tmp_path / "data").symlink_to(project / "data")
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestFinder(recurse=False).find(getattr(hp, name), name, globs={})
    assert [test.name for test in examples if test.examples] == [name]
    output: list[str] = []
    assert doctest.DocTestRunner().run(examples[0], out=output.append).failed == 0, "".join(output)


def test_public_names_are_there_and_cost_nothing() -> None:
    """All of them are found and told by help, and to import the package loads none of their needs."""
    assert all(f"    hp.{name}" in (hp.__doc__ or "") for name in hp.__all__)
    assert all(callable(getattr(hp, name)) for name in hp.__all__)
    with pytest.raises(AttributeError, match="heat_map"):
        _ = hp.heat_map
    code = (
        "import sys, heatproof; print([m for m in sys.modules if 'polars' in m or 'library' in m])"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == "[]\n"


@pytest.mark.workflow
def test_a_build_opens(tiny: Any) -> None:
    """Chart, grid, record and trace of a figure that a run has made; a wrong name is told."""
    build = hp.open_build(tiny.root / "results")
    name = next(iter(build))
    built = build[name]
    assert built.record["figure"] == name
    assert built.chart.to_dict(validate=False)["usermeta"]["heatproof"] == built.record
    row = built.grid.row(0, named=True)
    entry = built.record["entry"]
    cell = {entry["encoding"][axis]: row[axis] for axis in ("x", "y")}
    cell |= {entry["panel"]: row[entry["panel"]]} if entry.get("panel") else {}
    behind = built.trace(**cell)
    assert behind.agrees
    assert behind.value == pytest.approx(row["value"])
    with pytest.raises(hp.Error, match="is not a figure here"):
        build["other"]
    with pytest.raises(hp.Error, match="no figure has been made"):
        hp.open_build(tiny.root / "data")


def test_a_pivot_of_seaborn_is_told_how_to_be_a_table() -> None:
    """What it says to write is what is drawn; without x and y they are asked for."""
    pd = pytest.importorskip("pandas")
    long = pd.DataFrame(
        {"model": ["a", "b"] * 2, "task": ["s", "s", "t", "t"], "value": [0.1, 0.2, 0.3, 0.4]}
    )
    pivot = long.pivot(index="model", columns="task", values="value")  # noqa: PD010
    with pytest.raises(hp.Error, match=r"is a pivot, with a column for each task; .*\.stack\(\)"):
        hp.heatmap(pivot)
    again = pivot.stack().reset_index(name="value")  # noqa: PD013
    keys = {"x": "task", "y": "model", "value": "value"}
    assert spec(again, **keys)["concat"] == spec(long, **keys)["concat"]
    with pytest.raises(hp.Error, match="needs x and y"):
        hp.heatmap(long)


@pytest.mark.parametrize("join", ["__or__", "__and__", "__add__"])
def test_charts_are_not_joined(join: str) -> None:
    """Altair's signs for it lead to panels, which are one figure."""
    chart = hp.heatmap(rows(), fields=OWN, **AXES)
    with pytest.raises(hp.Error, match="for panels in one figure"):
        getattr(chart, join)(chart)


@pytest.mark.parametrize("key", ["pool", "mean_over"])
def test_a_model_is_pooled_under_the_name_that_the_table_has_for_it(key: str) -> None:
    """As under ours: a cell mixes its values, or is their mean."""
    rows = [
        {"llm": llm, "task": "t", "window": 1, "sample_id": f"q{n}", "score": float(n < right)}
        for llm, right in (("a", 1), ("b", 3)) for n in range(4)
    ]  # fmt: skip
    keys: dict[str, Any] = {"pool": ["llm"]} if key == "pool" else {"mean_over": "llm"}
    grid = hp.grid(rows, x="window", y="task", metric="pass@1", fields={"model": "llm"}, **keys)
    assert grid["value"].to_list() == [0.5]
