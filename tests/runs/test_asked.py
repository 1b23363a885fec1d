"""What a run was asked for: all, a part, nothing; as a module of another workflow; its last words."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import yaml

from heatproof import ledger
from heatproof.cli import main as cli
from heatproof.plan import planned
from heatproof.samples import tables
from heatproof.util import hashed
from heatproof.util.errors import Error
from support.project import JSONL, REFUSED, TWO, write_two, written


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A project of which one stage of one source was made, then one file, then a stage."""
    project = write_two(tmp_path_factory.mktemp("part"))
    calls = (["--until", "tables_runs"], ["results/figures/grid.svg"], ["grids"])
    runs = [project.run(*words) for words in calls]
    return SimpleNamespace(project=project, root=project.root, runs=runs)


@pytest.mark.workflow
def test_a_part_is_made_and_told(part: Any) -> None:
    """A stage, a source, a file: exit status 0, and the last lines say what is not built.

    However it is called afterwards, nothing ends in a traceback.
    """
    lefts = ("normalize other/0000; aggregate else, grid, pair; draw", *["draw else, pair"] * 2)
    for (status, output), left in zip(part.runs, lefts, strict=True):
        assert status == 0, output
        assert "Traceback" not in output
        assert left in output.partition("not built: ")[2]
        assert "8 logs, 64 samples" in output
    for words in (["--touch"], ["-n", "figures"]):
        status, output = part.project.run(*words)
        assert status == 0, output
        assert "Traceback" not in output
        assert "Error" not in output


@pytest.mark.workflow
def test_a_module_tells_what_was_refused(tmp_path: Path) -> None:
    """With a config of another name and an own `all`: jobs tell what no last words do.

    What was left of a log that is still being written is told there, too.
    """
    project = write_two(tmp_path)
    project.configure(TWO | {"figures": {name: TWO["figures"][name] for name in ("grid", "else")}})
    (tmp_path / "Snakefile").rename(tmp_path / "heat.smk")
    (tmp_path / "config.yaml").rename(tmp_path / "conf.yaml")
    (tmp_path / "Snakefile").write_text(
        'configfile: "conf.yaml"\n'
        'module heatproof:\n    snakefile: "heat.smk"\n    config: config\n'
        "use rule * from heatproof as heatproof_*\n"
        'rule all:\n    default_target: True\n    input: "results/ledger.json"\n'
    )
    status, output = project.run("results/figures/else.svg")
    assert status == 0, output
    assert "not present" not in output, "rules that the module renamed run where they should"
    assert "heatproof: source other: 6 records refused\n  data/other/a.jsonl:2: score 100" in output
    log = min((tmp_path / "data/runs").glob("*.jsonl"))
    with written([log]):
        status, output = project.run()
    assert status == 0, output
    words = (tmp_path / "results/summary.txt").read_text()
    assert REFUSED in words
    assert output.count(words) == 1
    counts = json.loads((tmp_path / "results/summary.json").read_text())
    assert counts["sources"]["other"]["rejected"] == 6
    broken = yaml.safe_load((tmp_path / "conf.yaml").read_text())
    broken["figures"]["else"]["kind"] = "heatmp"
    (tmp_path / "conf.yaml").write_text(yaml.safe_dump(broken))
    status, output = project.run("-n")
    assert status == 1
    assert re.search(
        r"^conf\.yaml:\d+:\d+: figures\.else\.kind: 'heatmp' is not", output, re.MULTILINE
    )
    assert "config.yaml" not in output


@pytest.mark.parametrize(
    ("sources", "words"),
    [({}, "source: SOURCE"), ({"other": JSONL}, "source: other\n    encoding: {x: b, y: model")],
)
def test_a_config_without_figures_is_refused(sources, words, tmp_path):
    """Nothing would be made, and the last lines would praise it; what to write is told."""
    write_two(tmp_path)
    with pytest.raises(Error, match="figures: the config has no figure") as caught:
        planned({"sources": sources, "figures": {}}, tmp_path)
    assert words in str(caught.value)
    planned(TWO, tmp_path)


@pytest.mark.workflow
def test_why_says_what_a_part_lacks(part: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """And what of a log, the config or a result has changed."""
    project = ["--project", str(part.root)]
    log, config = part.root / "data/other/a.jsonl", part.root / "config.yaml"
    grid = part.root / "results/grids/pair.parquet"
    before = {path: path.read_bytes() for path in (log, config, grid)}
    assert cli.main(["why", *project]) == 0
    text = capsys.readouterr().out
    assert "grid: up to date, none of its inputs has changed\n" in text
    left = "not built, because nobody asked for it: draw"
    assert f"else: up to date, as far as it is built; {left}\n" in text
    log.write_bytes(before[log] + before[log].splitlines(keepends=True)[0])
    raw = yaml.safe_load(before[config])
    raw["figures"]["grid"]["title"] = "Another"
    raw["sources"]["other"]["range"] = {"score": [0, 100]}
    config.write_text(yaml.safe_dump(raw))
    grid.write_bytes(before[grid] + b"x")
    assert cli.main(["why", *project]) == 1
    lines = capsys.readouterr().out.splitlines()
    for path, data in before.items():
        path.write_bytes(data)
    assert {"grid: draw would run again", "pair: aggregate, draw would run again",
            "else: normalize, aggregate, draw would run again"} <= {*lines}  # fmt: skip
    for start in (
        "  draw grid: config.yaml: figures.grid.title: was ",
        "  aggregate pair: results/grids/pair.parquet: was ",
        "  normalize other/0000: config.yaml: sources.other.range",
        "  normalize other/0000: data/other/a.jsonl: was ",
    ):
        assert any(line.startswith(start) for line in lines)
    assert "  not built, because nobody asked for it: draw" in lines


@pytest.mark.workflow
def test_forged_numbers_are_found_by_building_a_part_anew(
    part: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong value, with a ledger made to fit: the raw logs still tell. What is not built is told,
    and no failure.
    """
    path = part.root / "results/grids/grid.parquet"
    grid, record = tables.read(path)
    tables.write(grid.with_columns(pl.col("value") * 0.5), path, record)
    for piece in ledger.load(part.root).values():
        for files in (piece.inputs, piece.outputs):
            if "results/grids/grid.parquet" in files:
                files["results/grids/grid.parquet"] = hashed.content(path)
        (part.root / ledger.place(piece.job)).write_bytes(ledger.encoded(piece))
    assert cli.main(["verify", "--json", "--project", str(part.root)]) == 1
    stages = {stage["name"]: stage for stage in json.loads(capsys.readouterr().out)}
    assert {name for name, stage in stages.items() if stage["failures"]} == {"rebuilt", "counted"}
    assert "draw else, draw pair" in stages["not built"]["checked"]
    (change,) = stages["rebuilt"]["failures"]
    assert change["place"] == "results/grids/grid.parquet"
    places = [change["place"] for change in stages["counted"]["failures"]]
    assert all(place.startswith("results/grids/grid") for place in places)
    cell = ["--cell", "task=t,ratio=0.1,local_window=500", "--json", "--project", str(part.root)]
    assert cli.main(["trace", "grid", *cell]) == 1
    assert json.loads(capsys.readouterr().out)["agrees"] is False
