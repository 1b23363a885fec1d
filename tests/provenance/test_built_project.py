"""Questions to a project that was built once, asked in this process: verify, diff, clean, coverage, and the
words at the end of a run.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import yaml

from heatproof import build, ledger
from heatproof.cli import main as cli
from heatproof.cli.main import main
from heatproof.config import paths
from heatproof.provenance import diff, job, verify
from heatproof.samples import tables
from heatproof.util import errors, hashed, repository
from heatproof.util.errors import Error

LOG = "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, copy_of_small: Any) -> Path:
    """A built project in the current folder; its own code is the one that is checked."""
    root = Path(copy_of_small.root)
    monkeypatch.setattr(repository, "ROOT", root)
    monkeypatch.setattr(repository, "LIBRARY", root / "workflow/src/heatproof")
    monkeypatch.delenv(errors.FILES, raising=False)
    for cached in (ledger.code, ledger.digest_of):
        cached.cache_clear()
    monkeypatch.chdir(root)
    return root


def change_config(root: Path, before: str, after: str) -> None:
    config = root / "config.yaml"
    text = config.read_text()
    assert before in text
    config.write_text(text.replace(before, after, 1))


def change_grid(path: Path, change: Any) -> None:
    """Write a grid anew, with its record."""
    cells, record = tables.read(path)
    tables.write(change(cells), path, record)


def by_name(stages: Iterator[verify.Stage]) -> dict[str, verify.Stage]:
    return {stage.name: stage for stage in stages}


# --------------------------------------------------------------------------------------- verify


@pytest.fixture
def rebuilt(monkeypatch: pytest.MonkeyPatch, small: Any, tmp_path: Path) -> Path:
    """What a new build gives: a copy of the first one, for a test that makes it differ."""
    folder = small.copied(tmp_path / "rebuilt").root

    @contextmanager
    def fresh(_: Any, targets: Sequence[str], __: Any) -> Iterator[Path]:
        assert ledger.place("draw grid") in targets
        yield folder

    monkeypatch.setattr(verify, "fresh", fresh)
    return Path(folder)


@pytest.mark.usefixtures("rebuilt")
def test_a_new_build_of_the_same_bytes_stands(here: Path) -> None:
    """Each file and each cell is compared, and it is told how far that is."""
    told: list[str] = []
    stages = by_name(verify.stages(cli.plan(here), [], tell=told.append))
    assert told[0].startswith("hashing the files of 0 of ")
    assert told[-1].startswith("counting anew: 2 of 3 figures · now ")
    assert [name for name, stage in stages.items() if stage.failures] == []
    assert re.fullmatch(r"\d\d files, from the raw logs", stages["rebuilt"].checked)
    assert re.fullmatch(r"\d\d cells, from the raw logs", stages["counted"].checked)


def test_another_byte_and_another_cell_of_a_new_build_are_named(here: Path, rebuilt: Path) -> None:
    """A file by its place, a cell by its address; a grid that cannot be read fails as a whole."""
    piece_path = rebuilt / ledger.place("draw grid")
    piece = ledger.read(piece_path)
    piece.outputs["results/figures/grid.svg"] = hashed.Extent("0" * 64, 1)
    piece_path.write_bytes(ledger.encoded(piece))
    (rebuilt / ledger.LEDGER).unlink()
    table = rebuilt / paths.table("runs", "0000")
    samples = pl.read_parquet(table)
    samples.with_columns(score=1.0 - pl.col("score")).write_parquet(table)
    (here / paths.grid("pair")).write_bytes(b"PAR1")
    plan = cli.plan(here)
    stages = by_name(
        verify._rebuilt(plan, ledger.load(here), {"draw grid": ["grid"]}, ["grid", "pair"], print)
    )
    assert [change.place for change in stages["rebuilt"].failures] == ["results/figures/grid.svg"]
    places = [change.place for change in stages["counted"].failures]
    assert places[-1] == paths.grid("pair")
    assert places[0].startswith(f"{paths.grid('grid')}: ")
    assert "in the logs" in stages["counted"].failures[0].now


def test_a_build_that_fails_is_no_proof(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage says why; with changed inputs no build is tried."""

    def fail(*_: Any) -> None:
        raise Error("no room")

    monkeypatch.setattr(verify, "fresh", fail)
    (change,) = by_name(verify.stages(cli.plan(here), ["grid"]))["rebuilt"].failures
    assert "no room" in change.now
    change_config(here, "title: m", "title: o")
    assert "not tried" in by_name(verify.stages(cli.plan(here), []))["rebuilt"].checked


def test_pieces_that_are_gone_or_were_changed_are_named(here: Path) -> None:
    """By their files, or by their place in the ledger."""
    piece = here / ledger.place("draw grid")
    piece.write_bytes(piece.read_bytes().replace(b"}", b"} ", 1))
    (here / ledger.place("draw mean")).unlink()
    changes = {change.place: change.now for change in
               by_name(verify.stages(cli.plan(here), [], quick=True))["ledger"].failures}  # fmt: skip
    assert changes[ledger.place("draw mean")] == "not there"
    assert len(changes) == 2


def test_why_names_the_stages_that_would_run(here: Path) -> None:
    """From the first changed input on; what nobody has built is another matter."""
    assert verify.why(cli.plan(here), "grid") == ([], [], [])
    change_config(here, "title: m", "title: o")
    reasons, stages, absent = verify.why(cli.plan(here), "grid")
    assert [reason.place for reason in reasons] == ["config.yaml: figures.grid.title"]
    assert (stages, absent) == (["draw"], [])
    change_config(here, "format: dynts", "refused: 0.5\n    strict: true\n    format: dynts")
    (here / ledger.place("bundle vega")).unlink()
    (here / ledger.LEDGER).unlink()
    reasons, stages, absent = verify.why(cli.plan(here), "grid")
    assert "config.yaml: sources.runs.strict" in {reason.place for reason in reasons}
    assert (stages, absent) == (["normalize", "aggregate", "draw"], ["bundle"])


def test_what_is_left_over_goes_and_nothing_else(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`clean` lists the files of a former figure, and removes them when told to."""
    config = yaml.safe_load((here / "config.yaml").read_text())
    del config["figures"]["mean"]
    (here / "config.yaml").write_text(yaml.safe_dump(config))
    (here / "results/figures/mine.svg").write_text("of a user")
    assert main(["clean"]) == 0
    said = capsys.readouterr().out
    assert "results/figures/mean.svg" in said
    assert "kept, because" in said
    assert main(["clean", "--yes"]) == 0
    capsys.readouterr()
    assert verify.orphans(cli.plan(here)) == ["results/figures/mine.svg"]
    (here / "results/figures/mine.svg").unlink()
    assert main(["clean"]) == 0
    assert "nothing in results/ is left over" in capsys.readouterr().out


# ----------------------------------------------------------------------------------------- diff


def test_builds_are_compared_cell_by_cell(small: Any, here: Path) -> None:
    """A changed cell with the changed log behind it; one that is gone; figures of one build alone."""
    before, after = Path(small.root) / "results", here / "results"
    assert diff.compared(before, after) == []
    manifest = next((after / "tables/runs").glob(f"*{paths.LOGS}"))
    digest = next(line for line in manifest.read_text().splitlines() if LOG in line)
    manifest.write_text(
        manifest.read_text().replace(digest, re.sub("[0-9a-f]{64}", "0" * 64, digest))
    )
    change_grid(after / "grids/mean.parquet", lambda cells: cells.with_columns(
        value=pl.when(pl.col("value") > 0).then("value").otherwise(0.5)))  # fmt: skip
    change_grid(after / "grids/grid.parquet", lambda cells: cells.with_columns(
        value=pl.col("value") / 2).slice(1))  # fmt: skip
    lines = [*diff.change_lines(diff.compared(before, after))]
    assert any("no data" in line for line in lines)
    assert f"    {LOG}" in lines
    (after / "grids/pair.parquet").unlink()
    shutil.copy(after / "grids/mean.parquet", after / "grids/more.parquet")
    lines = [*diff.change_lines(diff.compared(before, after))]
    assert {"pair: is gone", "more: is new"} <= {*lines}


def test_builds_that_cannot_be_compared_are_told(small: Any, here: Path) -> None:
    """Other columns, keys of another version, a damaged grid, a folder without results."""
    before, after = Path(small.root) / "results", here / "results"
    grid = after / "grids/grid.parquet"
    cells, record = tables.read(grid)
    old = tables.read(before / "grids/grid.parquet")[0]
    tables.write(old.drop("x"), grid, record)
    assert diff.compared(after, before)[0].note == "shows other columns"
    tables.write(cells, grid, record | {"entry": {"kind": "nothing"}})
    lines = [*diff.change_lines(diff.compared(after, before))]
    assert lines == ["grid: has keys of another version"]
    tables.write(cells, grid, {})
    with pytest.raises(Error, match="no longer a grid"):
        diff.compared(after, before)
    grid.write_bytes(b"PAR1")
    with pytest.raises(Error, match="no longer a grid"):
        diff.compared(after, before)
    assert diff.results(str(here)) == after
    with pytest.raises(Error, match="not a folder with results"):
        diff.results(str(here / "data"))


# ------------------------------------------------------------------------------- jobs and runs


@pytest.mark.usefixtures("here")
def test_jobs_that_failed_are_told_once_with_their_reason() -> None:
    """A job that ends well leaves an empty log; a source that this version cannot read is named."""
    job.forget()
    assert job.text() == ""
    for name in ("draw/grid", "draw/mean"):
        log = job.LOGS / f"{name}.log"
        with pytest.raises(SystemExit), job.run(SimpleNamespace(log=[str(log)])):
            raise Error("mean: it is wrong\nbelow")
    with job.run(SimpleNamespace(log=[str(job.LOGS / "ledger.log")], output=SimpleNamespace())):
        pass
    assert {*job.failures()} == {"draw grid", "draw mean"}
    assert job.text() == "  draw grid, draw mean: mean: it is wrong\n    below"
    with pytest.raises(Error, match="no entry of a source"):
        job.source({"format": "dynts", "logs": 7})
    shutil.rmtree(job.LOGS)
    assert job.begun() == float("inf")


def workflow(*, is_module: bool = False, prefix: str = "", is_main_process: bool = True) -> Any:
    """What Snakemake tells of a call."""
    modifier = SimpleNamespace(
        is_main_snakefile=lambda: not is_module,
        path_modifier=SimpleNamespace(replace_prefix=lambda path: prefix + path),
    )
    return SimpleNamespace(
        configfiles=["config.yaml"], modifier=modifier, is_main_process=is_main_process
    )


@pytest.fixture
def config(here: Path) -> dict[str, Any]:
    """The config of the project, as Snakemake hands it over."""
    given: dict[str, Any] = yaml.safe_load((here / "config.yaml").read_text())
    return given


def test_a_run_plans_and_says_what_it_made(
    here: Path, config: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """All figures; what is not built; what was written meanwhile; what nobody asks for any more."""
    plan = build.planned(config, workflow(), [])
    assert "3 figures" in build.summary(plan)
    assert plan.stages["tables_runs"]
    build.begin(plan)
    log = here / LOG
    log.write_text(f"{log.read_text()}{{}}\n")
    (here / "data/runs/x_t_N2-R0.1-KW500-PKVL5000.jsonl").write_text("")
    (here / ledger.place("draw mean")).unlink()
    capsys.readouterr()
    build.end(plan)
    said = capsys.readouterr().err
    assert "not built: draw mean; `snakemake` makes all" in said
    assert f"still being written: {LOG}: 3 bytes more" in said
    assert "new since the run began" in said


def test_what_is_no_longer_true_is_done_again(
    here: Path, config: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said why; figures whose grids are counted again may stay the same."""
    assert build.drawn_of_old_grids(build.planned(config, workflow(), [])) == []
    capsys.readouterr()
    (here / LOG).write_text((here / LOG).read_text().replace("false", "true"))
    plan = build.planned(config, workflow(), [])
    assert f"{LOG} changed: normalize runs/0000 runs again" in capsys.readouterr().err
    assert build.drawn_of_old_grids(plan) == ["grid", "mean", "pair"]
    told = build.planned(config, workflow(is_main_process=False), [])
    assert told.jobs == plan.jobs


@pytest.mark.usefixtures("here")
def test_a_run_that_cannot_be_planned_ends_with_all_mistakes(
    config: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of YAML, of the config, and of a module with a prefix."""
    wrong = config | {"figures": {"grid": config["figures"]["grid"] | {"kind": "heatmp"}}}
    for raw, call, unsound, words in (
        (config, workflow(), Error("config.yaml:1:1: a tab").mistakes, "a tab"),
        (wrong, workflow(), [], "'heatmp' is not a figure kind"),
        (config, workflow(is_module=True, prefix="a/"), [], "takes no prefix"),
    ):
        with pytest.raises(SystemExit):
            build.planned(raw, call, unsound)
        assert words in capsys.readouterr().err


def test_a_run_with_failures_shows_all_others(
    here: Path, config: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Which jobs failed, and why; the page has the other figures."""
    plan = build.planned(config, workflow(), [])
    build.begin(plan)
    build.fail(plan)
    assert "not everything" not in capsys.readouterr().err
    with pytest.raises(SystemExit), job.run(SimpleNamespace(log=[str(job.LOGS / "draw/mean.log")])):
        raise Error("mean: no room")
    (here / ledger.place("draw mean")).unlink()
    build.fail(plan)
    assert "draw mean: no room" in capsys.readouterr().err
    assert '<section class="failed"' in (here / paths.PAGE).read_text()


def test_slurm_says_why_a_job_failed_or_waits(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once each; other records of Snakemake's log are not its matter."""
    answers = {
        "scontrol": "JobState=TIMEOUT ExitCode=0:15",
        "sbatch": "no such partition\n",
        "squeue": f"7|{here}|Resources\n8|/elsewhere|Priority\nodd",
    }
    monkeypatch.setattr(build, "_ask", lambda program, *_: answers[program])
    info = [{"log": [".snakemake/heatproof/log/draw/grid.log", "b"]}]
    assert build._tell_failure(SimpleNamespace())
    build._tell_failure(SimpleNamespace(job_error_info=info, external_jobid="7", aux_logs=["c"]))
    build._tell_failure(SimpleNamespace(job_error_info=info))
    looks = iter([None, None, None])
    monkeypatch.setattr(build.time, "sleep", lambda _: next(looks))
    with pytest.raises(StopIteration):
        build._watch()
    said = capsys.readouterr().err
    assert "Slurm job 7 (draw/grid and 1 more) ended as TIMEOUT, exit code 0:15; its log: c" in said
    assert "Slurm accepts no job for draw/grid and 1 more: no such partition" in said
    assert said.count("Slurm job 7 is waiting: Resources") == 1
    assert "Slurm job 8" not in said


def test_runs_of_a_source_are_listed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From true tables, and of logs that were changed since; as CSV too."""
    assert main(["coverage", "runs"]) == 1
    said = capsys.readouterr().out
    (here / paths.counts(paths.table("runs", "0000"))).touch()
    log = here / LOG
    log.write_text(log.read_text().replace("false", "true"))
    assert main(["coverage", "runs"]) == 1
    assert capsys.readouterr().out == said
    assert main(["coverage", "runs", "--csv", "--todo", "todo.tsv"]) == 1
    assert (here / "todo.tsv").read_text().startswith("model\t")
    assert main(["coverage", "nothing"]) == 2
