"""What a run was asked for: all, a part, nothing; as a module of another workflow; its last words."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof import page as summary
from heatproof.cli import main as cli
from heatproof.plan import Plan
from heatproof.util import errors
from heatproof.util.errors import Error
from support.project import JSONL, REFUSED, TWO, Project, heatproof, write_two, written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A project of which one stage of one source was made, then one file, then a stage."""
    project = write_two(tmp_path_factory.mktemp("part"))
    asked = (["--until", "tables_runs"], ["results/figures/grid.svg"], ["grids"])
    runs = {" ".join(words): project.run("--cores", "1", *words) for words in asked}
    return SimpleNamespace(project=project, root=project.root, runs=runs)


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("--until tables_runs", "normalize other/0000; aggregate else, grid, pair; draw"),
        ("results/figures/grid.svg", "draw else, pair"),
        ("grids", "draw else, pair"),
    ],
)
def test_a_part_is_made_and_told(part: Any, words: str, left: str) -> None:
    """A stage, a source, a file: exit status 0, and the last lines say what is not built."""
    status, said = part.runs[words]
    assert status == 0, said
    assert "Traceback" not in said
    assert left in said.partition("not built: ")[2]
    assert "8 logs, 64 samples" in said


@pytest.mark.workflow
@pytest.mark.parametrize(
    "words",
    [["-n"], ["--touch"], ["-n", "--until", "draw"], ["--until", "aggregate"], ["-n", "figures"]],
)
def test_no_way_to_call_it_ends_in_a_traceback(part: Any, words: list[str]) -> None:
    """Whatever of the results is not there."""
    status, said = part.project.run("--cores", "1", *words)
    assert status == 0, said
    assert "Traceback" not in said
    assert "Error" not in said


@pytest.mark.workflow
def test_a_mistake_is_told_however_quiet_a_run_is(tmp_path: Path) -> None:
    """Under `--quiet all`, Snakemake itself ends without a word."""
    project = Project(tmp_path, TWO)
    status, said = project.run("--cores", "1", "--quiet", "all")
    assert status == 1
    assert "sources.other.logs: no file matches 'data/other/*.jsonl'" in said
    status, said = project.run("--cores", "1")
    assert status == 1
    assert "sources.other.logs: no file matches 'data/other/*.jsonl'" in said
    assert "build.py" not in said, "where it was noticed is of no use to a user"


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
    status, said = project.run("results/figures/else.svg")
    assert status == 0, said
    assert "not present" not in said, "rules that the module renamed run where they should"
    assert "heatproof: source other: 6 records refused\n  data/other/a.jsonl:2: score 100" in said
    log = min((tmp_path / "data/runs").glob("*.jsonl"))
    with written([log]):
        status, said = project.run()
    assert status == 0, said
    words = (tmp_path / "results/summary.txt").read_text()
    assert REFUSED in words
    assert said.count(words) == 1
    told = json.loads((tmp_path / "results/summary.json").read_text())
    assert told["sources"]["other"]["rejected"] == 6
    module = (tmp_path / "Snakefile").read_text()
    moved = 'replace_prefix: {"results/": "sub/"}'
    (tmp_path / "Snakefile").write_text(module.replace("    config:", f"    {moved}\n    config:"))
    status, said = project.run("-n")
    assert status == 1
    assert "a module of heatproof takes no prefix" in said
    (tmp_path / "Snakefile").write_text(module)
    broken = yaml.safe_load((tmp_path / "conf.yaml").read_text())
    broken["figures"]["else"]["kind"] = "heatmp"
    (tmp_path / "conf.yaml").write_text(yaml.safe_dump(broken))
    status, said = project.run("-n")
    assert status == 1
    assert re.search(
        r"^conf\.yaml:\d+:\d+: figures\.else\.kind: 'heatmp' is not", said, re.MULTILINE
    )
    assert "config.yaml" not in said


def test_what_figures_leave_out_is_told() -> None:
    """By name, ten lines at most."""
    omitted = {f"f{n}": ["it"] for n in range(12)}
    counts = {"figures": 12, "files": 12, "omitted": omitted, "sources": {}}
    lines = summary.text(counts).splitlines()
    assert lines[1:11] == [f"  left out: f{n}: it" for n in range(10)]
    assert lines[11:] == ["  left out: 2 things more, see results/index.html"]


def test_reasons_that_differ_by_their_record_are_one_line(tmp_path: Path) -> None:
    """Of a kind of reason the first is told; it does not hide the others."""
    import polars as pl

    (tmp_path / "results/tables/s").mkdir(parents=True)
    scores = {7: "above", 8: "above", -1: "below", 9: "above"}
    reasons = [(kind, f"score {n} is not between 0 and 1") for n, kind in scores.items()]
    reasons += [
        ("unscored", "score is missing"),
        *(("type", f"b: '{n}' is not int") for n in range(9)),
    ]
    rows = [
        {"log": "l", "line": n, "offset": 0, "kind": kind, "reason": reason, "excerpt": ""}
        for n, (kind, reason) in enumerate(reasons, 1)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "results/tables/s/0000.rejected.parquet")
    head = "log,blake3,bytes,records,rows,rejected\n"
    (tmp_path / "results/tables/s/0000.logs.csv").write_text(f"{head}l,x,1,16,2,14\n")
    sources = summary.sources({"s": ["results/tables/s/0000.parquet"]}, tmp_path, [])
    assert summary.lines(sources)[1:5] == [
        "      9 × such as b: '0' is not int (first: l:6)",
        "      3 × such as score 7 is not between 0 and 1 (first: l:1)",
        "      1 × score -1 is not between 0 and 1 (first: l:3)",
        "      1 × score is missing (first: l:5)",
    ]


@pytest.mark.parametrize(
    ("sources", "words"),
    [({}, "source: SOURCE"), ({"other": JSONL}, "source: other\n    encoding: {x: b, y: model")],
)
def test_a_config_without_figures_is_refused(
    sources: dict[str, Any], words: str, tmp_path: Path
) -> None:
    """Nothing would be made, and the last lines would praise it; what to write is told."""
    write_two(tmp_path)
    plan = Plan({"sources": sources, "figures": {}}, tmp_path)
    with pytest.raises(Error, match="figures: no figure is asked for") as told:
        plan.require_figures()
    assert words in str(told.value)
    Plan(TWO, tmp_path).require_figures()


def test_mistakes_stand_under_the_true_name_of_the_config(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module's config has another name; files that are called alike keep theirs."""
    text = "config.yaml: x; see `a` in config.yaml, not my-config.yaml or data/config.yaml"
    monkeypatch.delenv(errors.NAMED, raising=False)
    assert errors.with_file_names(text) == text
    monkeypatch.setenv(errors.NAMED, r"conf\1.yaml")
    assert errors.with_file_names(text) == (
        r"conf\1.yaml: x; see `a` in conf\1.yaml, not my-config.yaml or data/config.yaml"
    )


def verified(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit status and words of `verify`."""
    status = cli.main(["verify", "--project", str(root), *words])
    return status, capsys.readouterr().out


@pytest.mark.workflow
def test_a_part_is_verified(part: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """It is built anew; what is not built is told and no failure; what was changed since is one."""
    status, said = verified(part.root, capsys)
    assert status == 0, said
    (line,) = (line for line in said.splitlines() if line.startswith("not built "))
    assert "draw else, draw pair" in line
    assert not line.endswith(("ok", "FAILED"))
    assert "rebuilt" in said
    assert "cells, from the raw logs" in said
    assert said.endswith("\nall that is built stands, as far as it was tried\n")
    assert verified(part.root, capsys, "--quick", "grid")[0] == 0
    path = part.root / "results/tables/pair.csv"
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    status, said = verified(part.root, capsys, "--quick")
    assert status == 1
    assert "results/tables/pair.csv: was " in said
    assert verified(part.root, capsys, "--quick", "grid")[0] == 0
    path.unlink()
    status, said = verified(part.root, capsys, "--quick")
    assert (status, "is not there" in said) == (
        1,
        True,
    )
    path.write_bytes(before)


@pytest.mark.workflow
def test_a_part_is_traced_and_asked_why(part: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """By name and by file, though no page was made; `why` says plainly what it lacks."""
    project = ["--project", str(part.root)]
    assert cli.main(["trace", "grid", *project]) == 0
    assert "found by its name" in capsys.readouterr().out
    for path in (
        "figures/grid.svg",
        "figures/grid.png",
        "specs/grid.vl.json",
        "grids/grid.parquet",
    ):
        picture = part.root / "results" / path
        assert cli.main(["trace", str(picture), *project]) == 0, capsys.readouterr().err
        assert "found by the record in" in capsys.readouterr().out
    picture = part.root / "results/figures/grid.svg"
    before = picture.read_bytes()
    picture.write_bytes(before.replace(b"</svg>", b'<rect width="300" height="300"/></svg>'))
    assert cli.main(["trace", str(picture), *project]) == 1
    assert "does not show what was drawn as grid" in capsys.readouterr().err
    picture.write_bytes(before)
    status, said = heatproof(part.project, "why")
    assert status == 0, said
    assert "grid: up to date, nothing it is made of has changed\n" in said
    left = "not built, for nobody asked for it: draw"
    assert f"else: nothing has changed that what is there is made of; {left}\n" in said


@pytest.mark.workflow
def test_what_changed_of_a_part_is_told_by_why(part: Any) -> None:
    """A log, the config, a damaged file: of the figure that it touches, with exit status 1."""
    log, config = part.root / "data/other/a.jsonl", part.root / "config.yaml"
    grid = part.root / "results/grids/pair.parquet"
    before = {path: path.read_bytes() for path in (log, config, grid)}
    log.write_bytes(before[log] + before[log].splitlines(keepends=True)[0])
    raw = yaml.safe_load(before[config])
    raw["figures"]["grid"]["title"] = "Another"
    raw["sources"]["other"]["range"] = {"score": [0, 100]}
    config.write_text(yaml.safe_dump(raw))
    grid.write_bytes(before[grid] + b"x")
    status, told = heatproof(part.project, "why")
    said = told.splitlines()
    for path, data in before.items():
        path.write_bytes(data)
    assert status == 1, told
    assert "grid: draw would be done again" in said
    for start in (
        "  draw grid: config.yaml: figures.grid.title: was ",
        "  aggregate pair: results/grids/pair.parquet: was ",
        "  normalize other/0000: config.yaml: sources.other.range",
        "  normalize other/0000: data/other/a.jsonl: was ",
    ):
        assert any(line.startswith(start) for line in said)
    assert "  not built, for nobody asked for it: draw" in said
    assert heatproof(part.project, "why")[0] == 0
