"""The workflow as users run it: a tiny sweep from logs to gallery, and what stops it."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof.cli.main import main
from support.project import CONFIG, Project

pytestmark = pytest.mark.workflow


def test_what_is_made_and_told(tiny: Any) -> None:
    """One stem leads through table, grid, spec and files; the last lines say where to look.

    On the page, too, stands how many printed numbers agree, and of each that does not both values.
    """
    results, page = tiny.results(), tiny.results()["index.html"].decode()
    assert {
        *(f"tables/runs/0000.{end}" for end in ("parquet", "rejected.parquet", "logs.csv")),
        "grids/grid.parquet", "specs/grid.vl.json", "figures/grid.svg", "figures/grid.png",
        "figures/pair.svg", "tables/grid.csv", "tables/grid.tex", "printed/runs.csv", "index.html",
    } <= results.keys()  # fmt: skip
    assert "figures/pair.png" not in results
    for words in (
        "heatproof: 2 figures in 3 files, results/index.html shows them",
        "runs  8 logs, 64 samples",
        "printed by the harness: 7 of 8 values agree (results/printed/runs.csv):\n",
        "        avg@2: printed 99.5, counted ",
        "left out: grid: the difference between the two sides of RdYlGn, for many colour-blind",
    ):
        assert words in tiny.said
    assert "RdYlGn" not in results["figures/grid.caption.md"].decode()  # advice is for its author
    aside = page[page.index('<aside id="printed"') :]
    assert "<b>runs</b>: 7 of 8 values agree" in aside
    line = next(row for row in re.findall("<li>(.*?)</li>", aside) if "avg@2" in row)
    assert re.match("avg@2: printed 99.5, counted .*no reason is known.*model n", line)


def test_refused_records_are_told_or_stop_a_run(copy_of_tiny: Any, capsys: Any) -> None:
    """Bad lines are counted and named in its last lines; under `strict: true` they end it.

    A hostile name of a log or of a stray steers no terminal.
    """
    root, red = copy_of_tiny.root, "\x1b[31mred"
    log = root / f"data/runs/m{red}_t_N2-R0.1-KW500-PKVL5000.jsonl"
    log.write_text('{"question_id": 9, "answer_id": 0, "score": 7}\n{"question')
    (root / f"results/{red}\nall is well").touch()
    status, output = copy_of_tiny.run()
    assert status == 0, output
    assert "2 records refused:" in output
    place = "data/runs/m\\x1b[31mred_t_N2-R0.1-KW500-PKVL5000.jsonl:1"
    assert f"1 × score 7 is not between 0 and 1 (first: {place})" in output
    assert "results/tables/runs/*.rejected.parquet" in output
    assert red not in output
    assert main(["verify", "--quick", "--project", str(root)]) == 1
    output = capsys.readouterr().out
    assert "\\x1b[31mred\\nall is well" in output
    assert red not in output
    config = yaml.safe_load((root / "config.yaml").read_text())
    config["sources"]["runs"]["strict"] = True
    copy_of_tiny.configure(config)
    status, output = copy_of_tiny.run()
    assert status == 1
    assert f"{place}: score 7 is not between 0 and 1" in output
    assert "Traceback" not in output


def test_mistakes_stop_before_any_job(copy_of_tiny: Any) -> None:
    """A typo, a name that is not UTF-8: value, choices and place, with nothing of Snakemake's own.

    However quiet the run is: under `--quiet all`, Snakemake itself ends without a word.
    """
    config = yaml.safe_load((copy_of_tiny.root / "config.yaml").read_text())
    config["figures"]["grid"]["kind"] = "heatmp"
    copy_of_tiny.configure(config)
    typo = r"config\.yaml:\d+:\d+: figures\.grid\.kind: 'heatmp' is not a figure kind; there are"
    name = r"config\.yaml:.*: sources\.runs\.logs: the name of data/runs/b\\xff\.jsonl is not UTF-8"
    for words, options in ((typo, ["-n"]), (name, ["--quiet", "all"])):
        status, output = copy_of_tiny.run(*options)
        assert status == 1
        assert re.search(f"^{words}", output, re.MULTILINE), output
        assert not re.search(r"WorkflowError|Traceback|Job stats|heatproof/\w+\.py", output)
        config["figures"]["grid"]["kind"] = "heatmap"
        copy_of_tiny.configure(config)
        Path(os.fsdecode(os.fsencode(copy_of_tiny.root) + b"/data/runs/b\xff.jsonl")).touch()


def test_the_report_shows_every_figure(tiny: Any, tmp_path: Path) -> None:
    """`snakemake --report` holds the figures with category, caption and labels."""
    pytest.importorskip("pygments")
    status, output = tiny.run("--report", str(tmp_path / "report.html"))
    assert status == 0, output
    text = (tmp_path / "report.html").read_text()
    for words in ("grid.svg", "pair.svg", "What its marks mean", "a panel for each task"):
        assert words in text


SUBMIT = 'sh -c "setsid nohup bash \\$0 >/dev/null 2>&1 & echo \\$!"'


def test_any_command_that_takes_a_script_can_be_the_scheduler(tmp_path: Path) -> None:
    """Jobs that a submit command starts somewhere else make tables."""
    pytest.importorskip("snakemake_executor_plugin_cluster_generic")
    project = Project(tmp_path, CONFIG)
    profile = ("--profile", "profiles/generic", "--seconds-between-status-checks", "1")
    command = ("--cluster-generic-submit-cmd", SUBMIT, "tables")
    status, said = project.run(*profile, *command)
    assert status == 0, said
    assert (tmp_path / "results/tables/runs/0000.parquet").is_file()
