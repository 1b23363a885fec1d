"""heatproof trace: from a picture to the records behind each number."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from PIL import Image

import toys
from heatproof.cli.main import main
from heatproof.export import png
from heatproof.kinds import recount
from heatproof.kinds import trace as tracing
from heatproof.kinds.pairwise import trace as traced
from heatproof.metrics import metric
from heatproof.provenance import identify, trace
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path


def test_a_cell_is_named_by_pairs() -> None:
    """Names and values are split at `=`; a value may hold a comma."""
    assert tracing.parse("task=a,ratio=0.3") == {"task": "a", "ratio": "0.3"}
    assert tracing.parse("model=a,b,x=1") == {"model": "a,b", "x": "1"}
    with pytest.raises(Error, match="'ratio' is not name=value"):
        tracing.parse("ratio")


@pytest.mark.parametrize(("given", "found"), [("0.30", 0.3), ("0.3", 0.3), ("1e3", 1000)])
def test_numbers_are_found_however_they_are_written(given: str, found: float) -> None:
    """0.30 is 0.3."""
    assert tracing.pick("x", given, [0.3, 1000]) == found


@pytest.mark.parametrize(
    ("given", "found"), [("true", True), ("True", True), ("direct", False), ("false", False)]
)
def test_truths_and_names_are_given_as_config_and_figure_have_them(given, found):
    """What config.yaml says, and what one reads off the figure."""
    assert tracing.pick("thinking", given, [False, True], {False: "direct"}) is found


@pytest.mark.parametrize(
    ("word", "scores", "value"),
    [
        ("pass@1", [1, 0, 0, 0], Fraction(1, 4)),
        ("pass@2", [1, 0, 0, 0], Fraction(1, 2)),
        ("pass^2", [1, 1, 1, 0], Fraction(1, 2)),
        ("pass@2", [1, 1, 1, 0], Fraction(1)),
        ("mean(score)", [0.5, 0.25], Fraction(3, 8)),
        ("pass@4", [1, 1], None),
    ],
)
def test_a_metric_is_counted_in_fractions(word: str, scores: list[float], value: Fraction) -> None:
    """Pass@k is the unbiased estimator; a problem with fewer than k records does not count."""
    found = recount.count([("t", "q", score, None, None) for score in scores], metric(word))["t"]
    assert found.value == value


def test_problems_weigh_alike_and_so_do_tasks() -> None:
    """A problem with many records counts once, a task with many problems too."""
    rows = [("a", "1", 1.0), ("a", "2", 0.0), ("a", "2", 0.0), ("b", "1", 1.0)]
    counts = recount.count([(*row, None, None) for row in rows], metric("pass@1"))
    assert counts["a"] == (Fraction(1, 2), 2, 3)
    assert recount.mean(counts) == (Fraction(3, 4), 3, 4)


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        ("wins", 99),
        ("pair_n", 99),
        ("mean", 0.5),
        ("units", 99),
    ],
)
def test_what_is_said_of_a_pair_is_counted_again(column: str, wrong: float) -> None:
    """A wrong tally or mean is seen, though every bin is right."""
    entry, samples, grid, *_ = toys.drawn("pairwise")
    samples = samples.lazy()
    assert all(agrees for *_, agrees in traced.recounted(samples, grid, entry))
    forged = grid.with_columns(pl.lit(wrong).cast(grid[column].dtype).alias(column))
    assert [cell for cell, *_, agrees in traced.recounted(samples, forged, entry) if not agrees]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"x": "half"}, "--cell: x=half: give a number from 0 to 1"),
        ({"x": "1/2", "y": "1.01"}, "--cell: y=1.01 is not from 0 to 1"),
        ({"x_model": "k", "y_model": "n"}, "did you mean 'x_model=m,y_model=n'?"),
        ({"bin": "1"}, "'bin' does not tell cells apart; there are x_model, y_model, x, y"),
    ],
)
def test_bins_that_there_are_not(wanted: dict[str, str], message: str) -> None:
    """The message tells what was given and what could be."""
    entry, samples, grid, *_ = toys.drawn("pairwise")
    with pytest.raises(Error) as refused:
        traced.behind(samples.lazy(), grid, entry, wanted)
    assert message in str(refused.value)


def cells(root: Path, name: str) -> list[str]:
    """Every cell of a figure that has data, as one types it."""
    grid = pl.read_parquet(root / f"results/grids/{name}.parquet")
    if name == "pair":
        rows = grid.filter(pl.col("samples") > 0).iter_rows(named=True)
        return [
            f"x_model={r['x_model']},y_model={r['y_model']},"
            f"x={(r['x0'] + r['x1']) / 2},y={(r['y0'] + r['y1']) / 2}"
            for r in rows
        ]
    panel = next(name for name in ("task", "model") if name in grid.columns)
    rows = grid.iter_rows(named=True)
    return [f"{panel}={r[panel]},ratio={r['x']},local_window={r['y']}" for r in rows]


@pytest.mark.workflow
@pytest.mark.parametrize("name", ["grid", "twice", "mean", "pair"])
def test_the_records_of_every_cell_give_its_number(small: Any, name: str) -> None:
    """Value, problems and epochs of each cell follow from the records that are named."""
    record = identify.of_spec(name, small.root)
    wanted = cells(small.root, name)
    assert wanted
    for cell in wanted:
        found = trace.cell(record, small.root, cell)
        assert found.agrees, cell


@pytest.mark.workflow
def test_the_mean_of_the_printed_scores_is_the_printed_value(
    small: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a reader adds up from the printed lines is the number on top."""
    figure = str(small.root / "results/figures/grid.png")
    for cell in cells(small.root, "grid"):
        assert main(["trace", figure, "--cell", cell]) == 0
        said = capsys.readouterr().out
        scores = [float(line.rsplit(" ", 1)[1]) for line in said.splitlines() if "sample" in line]
        value = re.search(r"pass@1 = ([\w.]+)", said)[1]
        if value == "no":
            assert scores == []
        else:
            assert sum(scores) / len(scores) == pytest.approx(float(value), abs=1e-9)


@pytest.mark.workflow
def test_records_are_read_from_the_logs(small: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """--records prints the bytes at the stored place, from packed logs too."""
    cell = "task=u,ratio=0.2,local_window=500"
    figure = str(small.root / "results/figures/grid.svg")
    assert main(["trace", figure, "--cell", cell, "--records", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    records = [record for part in told["parts"] for record in part["records"]]
    log = small.root / "data/runs/m_u_N2-R0.2-KW500-PKVL5000.jsonl.gz"
    lines = gzip.decompress(log.read_bytes()).decode().splitlines()
    assert [record["record"] for record in records] == lines
    assert [record["line"] for record in records] == list(range(1, len(lines) + 1))


@pytest.mark.workflow
@pytest.mark.parametrize(
    "path",
    [
        *(f"figures/grid.{form}" for form in ("svg", "pdf", "png", "html")),
        "specs/grid.vl.json",
        "grids/grid.parquet",
    ],
)
def test_the_record_in_the_file_leads_to_the_figure(small: Any, path: str) -> None:
    """Each file of a figure tells which one it is."""
    found = identify.find(str(small.root / "results" / path), small.root)
    assert found.figure == "grid"
    assert "by the record in" in found.how


def stripped(image: bytes) -> bytes:
    """A PNG as another program saves it: other filters, an alpha channel or none, no text."""
    opened = Image.open(io.BytesIO(image))
    saved = io.BytesIO()
    opened.convert("RGB" if opened.mode == "RGBA" else "RGBA").save(saved, "PNG")
    return saved.getvalue()


def png_of(colour: tuple[int, int, int]) -> bytes:
    """A small picture of one colour."""
    file = io.BytesIO()
    Image.new("RGB", (4, 3), colour).save(file, "PNG")
    return file.getvalue()


def test_one_other_pixel_is_another_picture() -> None:
    """The digest sees the lowest bit of one channel."""
    one, other = (png_of((9, 9, blue)) for blue in (8, 9))
    assert png.pixels(one) != png.pixels(other)
    assert png.pixels(one) == png.pixels(stripped(one))


@pytest.mark.workflow
def test_the_printed_id_leads_to_the_figure(small: Any, tmp_path: Path) -> None:
    """Where all else is lost, one types the id, or a text that still holds it is found."""
    drawn = (small.root / "results/figures/grid.svg").read_text()
    name = re.search(r"heatproof ([0-9a-f]{8})<", drawn)[1]
    found = identify.find(name, small.root)
    assert (found.figure, found.how) == ("grid", "by its id")
    assert found.record["id"] == name
    (tmp_path / "words.svg").write_text(f"<svg><text>heatproof {name}</text></svg>")
    assert "by the id printed in it" in identify.find(str(tmp_path / "words.svg"), small.root).how


@pytest.mark.workflow
def test_a_stranger_is_told_what_to_do(small: Any, tmp_path: Path) -> None:
    """A file that no figure of the project looks like."""
    (tmp_path / "other.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    with pytest.raises(Error, match="give the id printed"):
        identify.find(str(tmp_path / "other.svg"), small.root)
    with pytest.raises(Error, match=r"there are grid, .*did you mean 'grid'"):
        identify.find("gird", small.root)


def test_where_nothing_is_drawn_a_figure_is_not_called_unknown(tmp_path: Path) -> None:
    """Its name may be that of a figure in config.yaml, all the same."""
    with pytest.raises(Error, match="no figure is drawn yet: run snakemake"):
        identify.find("grid", tmp_path)


@pytest.mark.workflow
def test_the_chain_names_every_stage_with_its_digest(
    small: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --cell: files, spec, grid, tables, logs, code and tools."""
    assert main(["trace", "mean", "--project", str(small.root), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    stages = [stage["stage"] for stage in told["stages"]]
    assert set(stages) == {"figure", "spec", "grid", "table", "logs", "log", "code", "tool"}
    assert stages.count("log") == 10


@pytest.mark.workflow
def test_mistakes_end_with_status_two(small: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong column is a plain message, not a traceback."""
    status = main(["trace", "grid", "--project", str(small.root), "--cell", "rato=1"])
    assert status == 2
    assert "'rato' does not tell cells apart; there are task, ratio" in capsys.readouterr().err


@pytest.mark.workflow
def test_a_changed_table_is_told(copy_of_small: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A trace through a file that is not the one the figure was made of says so, with status 1."""
    root = copy_of_small.root
    path = root / "results/tables/runs/0000.logs.csv"
    path.write_text(path.read_text() + "\n")
    assert main(["trace", "grid", "--project", str(root), "--cell",
                 "task=t,ratio=0.1,local_window=500"]) == 1  # fmt: skip
    assert "results/tables/runs/0000.logs.csv changed" in capsys.readouterr().err


@pytest.mark.workflow
def test_a_picture_of_other_logs_is_told(
    copy_of_tiny: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One made before a log changed says so; one that does not show the log stands."""
    root = copy_of_tiny.root
    for name in ("grid.png", "pair.svg"):
        shutil.copy(root / "results/figures" / name, tmp_path)
    log = root / "data/runs/n_t_N2-R0.1-KW500-PKVL5000.jsonl"
    log.write_text(log.read_text().replace("true", "false", 1))
    status, said = copy_of_tiny.run()
    assert status == 0, said
    assert main(["trace", str(tmp_path / "grid.png"), "--project", str(root)]) == 0
    assert main(["trace", str(tmp_path / "pair.svg"), "--project", str(root)]) == 1
    assert "the 2 logs of now are not the 2 that the figure was made of" in capsys.readouterr().err
