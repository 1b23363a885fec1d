"""Figures of several sources: `source: [ours, theirs]`."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from heatproof.cli.main import main
from heatproof.config import configuration, paths
from heatproof.config.configuration import Config
from heatproof.kinds import api
from heatproof.logs import logs
from heatproof.plan import Plan
from heatproof.samples import shard_index
from heatproof.samples.shard_index import ShardIndex
from heatproof.util.errors import Error
from support.project import Project
from support.reading import Normalized, account, lines, normalized, reasons, traced

OURS = {
    "format": "jsonl",
    "logs": "ours/*.jsonl",
    "fields": {"model": "model", "sample_id": "id", "score": "ok"},
    "params": {"heat": "float", "seed": "int"},
    "measures": {"n": "n"},
}
THEIRS = {
    "format": "json",
    "logs": "theirs/*.json",
    "each": "samples",
    "fields": {"model": "^by", "sample_id": "q", "score": "points"},
    "params": {"heat": {"type": "float", "field": "^heat", "default": 0.5}},
    "range": {"score": [0, 10]},
}
ENCODING = {"x": "heat", "y": "model", "color": "pass@1"}
FIGURE = {"kind": "heatmap", "source": ["ours", "theirs"], "encoding": ENCODING, "formats": ["svg"]}


def config(**figure: Any) -> dict[str, Any]:
    """A figure of both."""
    return {
        "sources": {"ours": dict(OURS), "theirs": dict(THEIRS)},
        "figures": {"f": FIGURE | figure},
    }


def write(root: Path, theirs: str = "c") -> None:
    """Two models of ours, one of theirs; of that, a run does not say its heat."""
    for name in ("ours", "theirs"):
        (root / name).mkdir()
    rows = [
        {"model": model, "heat": heat, "seed": 1, "id": f"q{n}", "ok": n < 2 + (heat > 0), "n": n}
        for model in "ab"
        for heat in (0.0, 0.5)
        for n in range(4)
    ]
    (root / "ours/a.jsonl").write_bytes(lines(rows))
    for name, head in (("x", {"heat": 0.0}), ("y", {})):
        held = [{"q": f"q{n}", "points": 10 * (n < 1)} for n in range(4)]
        (root / f"theirs/{name}.json").write_text(
            json.dumps({"by": theirs, **head, "samples": held})
        )


def read(root: Path, raw: dict[str, Any]) -> tuple[Config, Normalized]:
    """The config, and the samples that its figure shows."""
    made = configuration.read(raw, root)
    source = made.sources[made.figures["f"].source]
    paths = logs.find(source, root)
    found = normalized(root, paths, source)
    account(found, paths)
    return made, found


def cells(root: Path, **keys: Any) -> dict[tuple[Any, Any], float]:
    """Heat and model → value, of the cells of the figure."""
    made, found = read(root, config(**keys))
    figure = made.figures["f"]
    given = {"logs": ShardIndex([], {})} if figure.expects() else {}
    grid = api.kind(figure.kind).aggregate(found.samples.lazy(), figure, **given)
    rows = grid.filter(pl.col("value").is_not_null())
    return {(x, y): value for x, y, value in rows.select("x", "y", "value").rows()}


def test_each_log_is_read_by_its_own_source(tmp_path: Path) -> None:
    """With its range and default; column `source` tells which; each row leads to its record."""
    write(tmp_path)
    made, found = read(tmp_path, config())
    assert made.figures["f"].source == "ours-and-theirs"
    assert reasons(found) == []
    rows = found.samples.group_by("source", "model", "heat").agg(pl.col("score").mean()).rows()
    assert sorted(rows) == [
        ("ours", "a", 0.0, 0.5), ("ours", "a", 0.5, 0.75),
        ("ours", "b", 0.0, 0.5), ("ours", "b", 0.5, 0.75),
        ("theirs", "c", 0.0, 0.25), ("theirs", "c", 0.5, 0.25),
    ]  # fmt: skip
    assert found.samples.filter(source="theirs")["seed"].to_list() == [None] * 8
    told = [record.get("id", record.get("q")) for record in traced(found, tmp_path)]
    assert told == found.samples["sample_id"].to_list()


def test_a_run_of_both_sources_is_told(tmp_path: Path) -> None:
    """They are not averaged, but where the figure tells them apart or pools them."""
    write(tmp_path, "a")
    with pytest.raises(Error, match=r"2 values of 'source' in one cell \('ours', 'theirs' at"):
        cells(tmp_path)
    apart = cells(tmp_path, encoding=ENCODING | {"y": "source"}, where={"model": "a"})
    assert apart[0.0, "theirs"] == 0.25
    assert cells(tmp_path, pool=["source", "seed"])[0.0, "a"] == (0.5 + 0.25) / 2


def test_a_log_of_two_sources_is_refused(tmp_path: Path) -> None:
    """It would be counted twice."""
    write(tmp_path)
    raw = config()
    raw["sources"]["theirs"] |= {"logs": "**/*.json*"}
    _, found = read(tmp_path, raw)
    assert {*reasons(found)} == {"sources ours and theirs both read it: it would be counted twice"}


def test_a_log_of_two_sources_stops_the_run(tmp_path: Path) -> None:
    """Tables are joined, so it would stand in both; the plan says so before any job."""
    write(tmp_path)
    raw = config()
    raw["sources"]["theirs"] |= {"logs": "**/*.json*"}
    made = Plan(configuration.read(raw, tmp_path), raw, tmp_path, ())
    with pytest.raises(
        Error, match=r"figures\.f\.source: 'ours/a\.jsonl' is a log of ours and theirs"
    ):
        len(made.logs)


def test_shards_of_the_parts_are_those_of_both(tmp_path: Path) -> None:
    """Each is made of the tables of one shard, and no log is an input without its table."""
    write(tmp_path)
    raw = config()
    made = Plan(configuration.read(raw, tmp_path), raw, tmp_path, ())
    assert [*made.logs] == ["ours", "ours-and-theirs", "theirs"]
    assert [*made.logs["ours-and-theirs"].values()] == [
        ["ours/a.jsonl"], ["theirs/x.json", "theirs/y.json"],
    ]  # fmt: skip
    piece = "results/.ledger/normalize/theirs/0000.json"
    assert made.joined_shard("ours-and-theirs", "0001") == [piece]
    tables = made.all_inputs_of("ours-and-theirs/0001")
    assert "results/tables/theirs/0000.parquet" in tables
    assert made.joined_shard("ours", "0000") == []


def test_a_refused_record_has_the_settings_of_its_own_source(tmp_path: Path) -> None:
    """Also its default, if only the score is wrong; none in place of a setting that is."""
    write(tmp_path)
    for name, head, points in (("v", {}, 99), ("w", {"heat": "hot"}, 10)):
        log = {"by": "c", **head, "samples": [{"q": "q9", "points": points}]}
        (tmp_path / f"theirs/{name}.json").write_text(json.dumps(log))
    _, found = read(tmp_path, config())
    assert [json.loads(text).get("heat") for text in found.rejected["settings"]] == [0.5, None]


def _with(source: str, **keys: Any) -> dict[str, Any]:
    raw = config()
    raw["sources"][source] |= keys
    return raw


BAD = [
    (config(source=["ours", "thiers"]), "figures.f.source: 'thiers' is not a source; there are ours, theirs (did you mean 'theirs'?)"),
    (config(encoding=ENCODING | {"x": "seed"}), "figures.f.encoding.x: source 'theirs' has no 'seed', but others have; write sources.theirs.params: {seed: {type: int, default: its value there}}"),
    (config(encoding=ENCODING | {"color": "mean(n)"}), "source 'theirs' has no 'n', but others have; write sources.theirs.measures: {n: its place in a record}"),
    (config(encoding=ENCODING | {"x": "heta"}), "'heta' is not a column of source 'ours-and-theirs'; there are model, task, source, heat"),
    (_with("theirs", params={"heat": "int"}), "figures.f.source: 'heat' is float in 'ours' and int in 'theirs'; give it the same type in params"),
    (_with("ours", params={"heat": "float", "source": "str"}), "sources.ours.params.source: 'source' is the column that names the source"),
    (_with("ours", expect=5), "sources.ours.expect: the others expect another number; write expect"),
    (_with("ours", format="joined"), "sources.ours"),
    (_with("ours", formt="x"), "sources.ours: 'formt' is not a key here"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "said"), BAD)
def test_what_cannot_be_joined_is_told(raw: dict[str, Any], said: str) -> None:
    """Before any job, with the key that mends it."""
    with pytest.raises(Error) as error:
        configuration.read(raw)
    assert said in str(error.value)


@pytest.mark.workflow
def test_a_figure_of_two_sources_is_built_traced_and_verified(tmp_path: Path) -> None:
    """By the very commands; a changed log of one source redoes what shows it."""
    here = ("--project", str(tmp_path))
    write(tmp_path)
    project = Project(tmp_path, config())
    ended, words = project.run()
    assert ended == 0, words
    assert "ours-and-theirs  3 logs, 24 samples" in words
    shards = sorted((tmp_path / "results/tables/ours-and-theirs").glob("????.parquet"))
    _, found = read(tmp_path, config())
    key = ["log", "sample_id", "model", "heat"]
    joined, alone = (
        table.drop("run").sort(key) for table in (pl.read_parquet(shards), found.samples)
    )
    assert joined.equals(alone)  # runs have the name that their own source gives them
    indices = [shard_index.read_index(tmp_path / paths.counts(str(path))) for path in shards]
    assert all("source" in index.columns for index in indices)
    assert main(["verify", "--quick", *here]) == 0
    trace = ["trace", "f", "--cell", "heat=0.5,model=c", *here]
    assert main(trace) == 0
    log = tmp_path / "theirs/y.json"
    log.write_text(log.read_text().replace("10", " 0"))
    assert main(trace) == 1
    assert project.stages() >= {"normalize", "aggregate", "draw"}


HEATMAP = FIGURE | {"encoding": ENCODING | {"color": "mean(score)"}}
PAIRS = {"kind": "pairwise", "source": FIGURE["source"], "models": ["m", "o"], "measure": "score"}
SCALED = "as it is in 'ours' and 1 to 10 in 'theirs'; draw a figure for each, or give them the same range"


@pytest.mark.parametrize(
    ("figure", "ours", "theirs", "said"),
    [
        (HEATMAP, [], [1, 10], f"{SCALED}, or percent: true shows shares of each range"),
        (PAIRS, [], [1, 10], SCALED),
        (HEATMAP, [1, 10], [1, 10], ""),
        (HEATMAP, [], [0, 100], ""),
        (HEATMAP | {"percent": True}, [], [1, 10], ""),
    ],
)
def test_two_scales_of_joined_sources_are_refused(figure, ours, theirs, said):
    """Unless the figure shows shares of each, or one of both is the usual one."""
    sources = config()["sources"]
    for source, ends in zip(sources.values(), (ours, theirs), strict=True):
        source["range"] = {"score": ends} if ends else {}
    mistakes = configuration.examined({"sources": sources, "figures": {"f": figure}})[1]
    told = [str(mistake).partition("score is ")[2] for mistake in mistakes]
    assert [*filter(None, told)] == ([said] if said else [])
