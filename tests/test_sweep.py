"""coverage: what a sweep holds and lacks."""

from pathlib import Path

import polars as pl
import pytest
import yaml

from heatproof import sweep
from heatproof.cli import main as cli
from heatproof.plan import present
from heatproof.samples import counts
from heatproof.util.errors import Error
from support.project import CONFIG, write_logs
from support.sweeps import sweep as toy


def states(rows: pl.DataFrame) -> dict[str, int]:
    return dict(rows.group_by("state").len().iter_rows())


def test_missing_and_incomplete_runs_are_listed_for_a_job_array() -> None:
    """One run without logs, one that was cut off: a line each under the names of the settings."""
    rows = toy().filter(
        (pl.col("run") != "m-s-0.1-0")
        & ((pl.col("run") != "n-t-0.2-0") | (pl.col("sample_id") < "2"))
    )
    found = sweep.run_coverage(counts.count(rows), {})
    assert states(found) == {"complete": 6, "incomplete": 1, "missing": 1}
    assert sweep.todo(found) == "model\ttask\tratio\tscorer\nm\ts\t0.1\t\nn\tt\t0.2\t\n"
    assert "incomplete  6 of 15  model=n task=t ratio=0.2" in sweep.coverage_text(found)


def test_runs_with_problems_of_their_own_are_measured_by_their_like() -> None:
    """Model n has other problems than m; what is cut off is measured by its like.

    Where each run has problems of its own, one that is not there is as large as the largest.
    """
    named = pl.when(model="n").then("n" + pl.col("sample_id")).otherwise("sample_id")
    rows = toy().with_columns(sample_id=named)
    short = (pl.col("run") == "n-t-0.2-0") & (pl.col("sample_id") >= "n3")
    found = sweep.run_coverage(counts.count(rows.filter(~short)), {"ratio": ["0.3"]})
    assert states(found) == {"complete": 7, "incomplete": 1, "missing": 4}
    assert set(found.select("problems", "expected").iter_rows()) == {(5, 15)}
    own = toy().with_columns(sample_id=pl.format("{} {}", "run", "sample_id"))
    found = sweep.run_coverage(counts.count(own), {"ratio": ["0.3"]})
    assert set(found.select("problems", "expected").iter_rows()) == {(5, 15)}


@pytest.mark.parametrize(
    ("kind", "good", "bad", "said"),
    [
        (pl.Int64(), "3", "1.5", "'1.5' is not a whole number"),
        (pl.Boolean(), "true", "yes", "'yes' is not true or false"),
        (pl.Float64(), "1", "", "'' is not a number"),
    ],
)
def test_expected_values_are_of_the_kind_of_their_column(kind, good, bad, said):
    """Said in the words of the config, not of the library of frames."""
    assert sweep._cast("x", [good], kind).dtype == kind
    with pytest.raises(Error, match=f"--expect x: {said}"):
        sweep._cast("x", [good, bad], kind)


def test_baselines_are_a_sweep_of_their_own() -> None:
    """A run without `ratio` is there once a model and task, not once for each value of others."""
    base = toy().filter(pl.col("ratio") == 0.1).with_columns(ratio=pl.lit(None, pl.Float64))
    rows = pl.concat([toy(), base.with_columns(run=pl.col("run") + "-base")])
    found = sweep.run_coverage(counts.count(rows), {"ratio": ["0.3"]})
    assert states(found) == {"complete": 12, "missing": 4}


def short(root: Path) -> Path:
    return root / "data/runs/n_t_N2-R0.2-KW1000-PKVL5000.jsonl"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Logs and config, nothing built; one of the eight runs is not there, one is cut off."""
    write_logs(tmp_path / "data" / "runs")
    (tmp_path / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl").unlink()
    cut = short(tmp_path)
    cut.write_text("".join(cut.read_text().splitlines(keepends=True)[:5]))
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    return tmp_path


def test_coverage_is_told_from_the_logs_alone(project, capsys):
    """No table need be there: the command reads the logs, lists, and leaves no results.

    Its status says whether all runs are complete.
    """
    todo = f"--todo={project / 'todo.tsv'}"
    status = cli.main(["coverage", "runs", "--project", str(project), todo])
    assert status == 1
    said = capsys.readouterr().out
    assert "6 complete" in said
    assert "missing     0 of 8  model=m ratio=0.1 local_window=500" in said
    assert "incomplete  5 of 8  model=n ratio=0.2 local_window=1000" in said
    assert len((project / "todo.tsv").read_text().splitlines()) == 3
    assert not (project / "results").exists()
    write_logs(project / "data/more")
    for path in (project / "data/more").glob("m*"):
        path.rename(project / "data/runs" / path.name)
    coverage = ["coverage", "runs", "--project", str(project)]
    assert cli.main(coverage) == 1
    assert "7 complete" in capsys.readouterr().out
    (project / "data/more/n_t_N2-R0.2-KW1000-PKVL5000.jsonl").rename(short(project))
    assert cli.main(coverage) == 0


def test_tables_of_other_logs_are_not_believed(project: Path) -> None:
    """Counts made before a log was changed are left aside, and its shard is read."""
    plan = cli.plan(project)
    samples, index = present(plan, "runs")
    partial = project / "results/counts/runs/0000.parquet"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"of other logs")
    manifest = project / "results/tables/runs/0000.logs.csv"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("log,blake3\ndata/runs/gone.jsonl,00\n")
    samples_after, index_after = present(plan, "runs")
    assert samples_after.equals(samples)
    assert index_after == index


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["rans"], "'rans' is not a source; there are runs"),
        (["runs", "--expect", "ratio"], "--expect ratio: write COLUMN=VALUE"),
    ],
)
def test_mistakes_in_the_command_are_told(project, capsys, given, said):
    """The message names what was given and what there is."""
    assert cli.main(["coverage", *given, "--project", str(project)]) == 2
    assert said in capsys.readouterr().err
