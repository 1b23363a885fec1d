"""The workflow as users run it: a tiny sweep from logs to gallery, and what a change redoes."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

from support.project import TWO_SHARDS, Project

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def built(tiny: Project) -> Project:
    """The tiny sweep, built."""
    return tiny


@pytest.fixture
def copy(built: Project, tmp_path: Path) -> Project:
    """A built project that a test may change."""
    project = built.copied(tmp_path / "copy")
    # The copies have other inodes: let the index learn them, as a first look would.
    assert project.redone() == set()
    return project


def test_every_stage_is_a_file_found_by_the_figure_s_name(built: Project) -> None:
    """One stem leads through table, grid, spec and files."""
    names = built.results()
    for name in (
        "tables/runs/0000.parquet",
        "tables/runs/0000.rejected.parquet",
        "tables/runs/0000.logs.csv",
        "grids/grid.parquet",
        "specs/grid.vl.json",
        "figures/grid.svg",
        "figures/grid.png",
        "figures/pair.svg",
        "tables/grid.csv",
        "tables/grid.tex",
        "printed/runs.csv",
        "index.html",
        "README.md",
    ):
        assert name in names
    assert "figures/pair.png" not in names


def test_the_last_lines_tell_what_was_made(built: Project) -> None:
    """Figures, logs, samples, and where to look."""
    output = built.said
    assert "heatproof: 2 figures in 3 files, results/index.html shows them" in output
    assert "runs  8 logs, 64 samples" in output
    assert "printed by the harness: 7 of 8 values agree (results/printed/runs.csv):\n" in output
    assert "        avg@2: printed 99.5, counted " in output


def test_what_the_harness_printed_stands_on_the_page(built: Project) -> None:
    """How many numbers agree, and those that do not, each with both values and the reason."""
    page = built.results()["index.html"].decode()
    aside = page[page.index('<aside id="printed"') :]
    assert "<b>runs</b>: 7 of 8 values agree" in aside
    assert 'href="printed/runs.csv"' in aside
    line = next(row for row in re.findall("<li>(.*?)</li>", aside) if "avg@2" in row)
    assert line.startswith("avg@2: printed 99.5, counted ")
    assert "no reason is known" in line
    assert "model n" in line


def test_two_builds_are_the_same_bytes(built: Project, tmp_path: Path) -> None:
    """Another folder, home, locale, time zone, hash seed and number of cores: equal artefacts."""
    root = tmp_path / "another place"
    root.mkdir()
    other = Project(root, TWO_SHARDS)
    status, output = other.start(
        "--cores", "1", LC_ALL="C", TZ="Asia/Tokyo", PYTHONHASHSEED="7", POLARS_MAX_THREADS="2"
    )
    assert status == 0, output
    first, second = built.results(), other.results()
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_refused_records_are_told_at_the_end(copy: Project) -> None:
    """Bad lines do not stop a run; its last lines count and name them."""
    with (copy.root / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl").open("a") as file:
        file.write('{"question_id": 9, "answer_id": 0, "score": 7}\n{"question')
    status, output = copy.run()
    assert status == 0, output
    assert "2 records refused:" in output
    assert "1 × score 7 is not between 0 and 1 (first: data/runs/m_t_N2-R0.1" in output
    assert "results/tables/runs/*.rejected.parquet" in output
    assert "Traceback" not in output


def test_strict_stops_at_refused_records_without_traceback(copy: Project) -> None:
    """`strict: true` names the record and ends the run with a failure."""
    config = yaml.safe_load((copy.root / "config.yaml").read_text())
    config["sources"]["runs"]["strict"] = True
    copy.configure(config)
    log = "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    with (copy.root / log).open("a") as file:
        file.write("oops\n")
    status, output = copy.run()
    assert status != 0
    assert f"{log}:9: not JSON" in output
    assert "Traceback" not in output


def test_a_typo_stops_before_any_job(copy: Project) -> None:
    """The message names value, choices and place; nothing is run."""
    config = yaml.safe_load((copy.root / "config.yaml").read_text())
    config["figures"]["grid"]["kind"] = "heatmp"
    copy.configure(config)
    status, output = copy.run()
    assert status != 0
    wrong = r"^config\.yaml:\d+:\d+: figures\.grid\.kind: 'heatmp' is not a figure kind; there are"
    assert re.search(wrong, output, re.MULTILINE)
    assert "WorkflowError" not in output
    assert "Traceback" not in output
    assert "Job stats" not in output


def test_a_name_that_is_not_utf_8_stops_before_any_job(copy: Project) -> None:
    """It is told as any mistake is, with nothing of the library's inside."""
    (Path(os.fsdecode(os.fsencode(copy.root) + b"/data/runs/b\xff.jsonl"))).touch()
    status, output = copy.run("-n")
    assert status != 0
    assert r": sources.runs.logs: the name of data/runs/b\xff.jsonl is not UTF-8" in output
    assert "heatproof/inventory.py" not in output


def test_the_report_shows_every_figure(built: Project, tmp_path: Path) -> None:
    """`snakemake --report` holds the figures with category, caption and labels."""
    pytest.importorskip("pygments")
    status, output = built.run("--report", str(tmp_path / "report.html"))
    assert status == 0, output
    text = (tmp_path / "report.html").read_text()
    for words in ("grid.svg", "pair.svg", "What its marks mean", "a panel for each task"):
        assert words in text
