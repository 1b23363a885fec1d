"""Printed digits: read, turned into logs, compared with what our grids say."""

import gzip
import json
import re
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from heatproof.config import configuration
from heatproof.paper import checks, published, reconstruction
from heatproof.plan.plan import SECTIONS, Plan
from heatproof.readers.dynts_format import settings
from heatproof.util.errors import Error
from test_workflow import CONFIG, write_logs

HEADER = "model,benchmark,ratio,local_window,pass_at_1,problems,samples_per_problem\n"


@pytest.fixture
def cells(project: Path) -> list[published.Digits]:
    """The 160 printed cells."""
    return published.read((project / "data/published/dynts_pass_at_1.csv").read_text())


@pytest.fixture
def means(project: Path) -> list[published.Digits]:
    """The 40 printed means."""
    return published.read_means((project / "data/published/dynts_pass_at_1_mean.csv").read_text())


def one(text: str, problems: int = 30, samples: int = 5) -> published.Digits:
    return published.Digits("m", "AIME24", "0.1", "500", text, problems, samples)


def heatmaps(rows: list[published.Digits]) -> SimpleNamespace:
    """Grids and config entries as the logs of `rows` give them: one a model, one of means."""
    frame = pl.DataFrame(
        {
            "model": [d.model for d in rows],
            "task": [d.benchmark for d in rows],
            "x": [float(d.ratio) for d in rows],
            "y": [int(d.local_window) for d in rows],
            "value": [reconstruction.right(d) / d.graded for d in rows],
            "epochs": [d.graded for d in rows],
        }
    )
    encoding = {"x": "ratio", "y": "local_window", "color": "pass@1"}
    grids, entries = {}, {}
    for model in frame["model"].unique():
        grids[model] = frame.filter(pl.col("model") == model).drop("model")
        entries[model] = {"encoding": encoding, "where": {"model": model}, "panel": "task"}
    grids["mean"] = frame.group_by("model", "x", "y").agg(
        pl.col("value").mean(), pl.col("epochs").sum()
    )
    entries["mean"] = {
        "encoding": encoding, "where": {}, "panel": "model", "mean_over": "task"
    }  # fmt: skip
    return SimpleNamespace(grids=grids, entries=entries)


def test_every_cell_has_one_count(cells: list[published.Digits]) -> None:
    """All 160 printed digits are those of exactly one count of right answers."""
    assert len([reconstruction.right(d) for d in cells]) == 160
    assert reconstruction.right(one("45.3")) == 68


def test_impossible_digits_are_refused() -> None:
    """43.7 is no share of 150 answers: the row is named, not rounded away."""
    with pytest.raises(Error, match=r"m, AIME24, ratio 0\.1, local window 500: 43\.7: no count"):
        reconstruction.right(one("43.7"))


def test_ambiguous_digits_are_refused() -> None:
    """Where several counts print alike, none is chosen."""
    with pytest.raises(Error, match="3 counts of right answers in 2000"):
        reconstruction.right(one("43.7", 400, 5))


@pytest.mark.parametrize("text", ["-1.0", "100.7"])
def test_shares_outside_0_to_100_are_refused(text: str) -> None:
    """No count gives less than nothing or more than all."""
    with pytest.raises(Error, match="no count"):
        reconstruction.right(one(text))


@given(problems=st.integers(1, 199), share=st.fractions(0, 1))
def test_counts_come_back_from_their_digits(problems: int, share: Fraction) -> None:
    """Below 1,000 answers, a count printed to one decimal is found again."""
    n = 5 * problems
    count = round(share * n)
    assert reconstruction.right(one(f"{100 * count / n:.1f}", problems)) == count


def test_logs_hold_the_printed_counts(cells: list[published.Digits]) -> None:
    """Each log has a row per answer and as many right ones as the digit says."""
    logs = reconstruction.reconstruct(cells)
    assert len(logs) == 160
    for digits, text in zip(cells, logs.values(), strict=True):
        rows = [json.loads(line) for line in text.splitlines()]
        assert sum(row["score"] for row in rows) == reconstruction.right(digits)
        places = [(row["question_id"], row["answer_id"]) for row in rows]
        assert places == [(q, a) for q in range(digits.problems) for a in range(5)]


def test_the_logs_in_the_data_are_made_of_the_printed_digits(
    project: Path, cells: list[published.Digits]
) -> None:
    """Each byte of each log follows from the table; there is no other log beside them."""
    logs = reconstruction.reconstruct(cells)
    there = {path.name: path.read_bytes() for path in (project / "data/published/logs").iterdir()}
    assert {name: gzip.decompress(data).decode() for name, data in there.items()} == {
        f"{name}.gz": text for name, text in logs.items()
    }


def test_packed_logs_hang_on_no_time_and_name() -> None:
    """The head of gzip (RFC 1952) has neither, and what is packed comes back."""
    data = reconstruction.packed("a\n")
    flags, time = data[3], data[4:8]
    assert (flags, time, gzip.decompress(data)) == (0, bytes(4), b"a\n")


def test_file_names_tell_the_settings() -> None:
    """The reader of DynTS logs gets the settings of a reconstructed log from its name."""
    (name,) = reconstruction.reconstruct([one("45.3")])
    assert settings(name, []) == {
        "model": "m", "task": "AIME24", "ratio": 0.1, "local_window": 500, "prune_kvlength": 5000
    }  # fmt: skip


def test_what_is_unknown_is_null_and_what_is_made_up_is_marked() -> None:
    """A reconstructed row holds no text and no token count, and says that it is reconstructed."""
    (text,) = reconstruction.reconstruct([one("45.3")]).values()
    row = json.loads(text.splitlines()[0])
    assert row.pop("reconstructed") is True
    assert isinstance(row.pop("score"), bool)
    assert row.pop("question_id") == row.pop("answer_id") == 0
    assert set(row) == {
        "prompt", "decode_text", "ground_truth", "pred_answer", "num_decode_tokens"
    }  # fmt: skip
    assert set(row.values()) == {None}


def test_reconstruction_is_the_same_every_time() -> None:
    """The same digits give the same bytes."""
    assert reconstruction.reconstruct([one("45.3")]) == reconstruction.reconstruct([one("45.3")])


def test_right_answers_are_scattered() -> None:
    """Cells with one count differ in which answers are right, as independent runs would."""
    a, b = reconstruction.reconstruct([one("45.3"), one("45.3")._replace(ratio="0.2")]).values()
    same = sum(x == y for x, y in zip(a.splitlines(), b.splitlines(), strict=True))
    assert 50 < same < 100


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("m,AIME24,0.1,500,forty,30,5", "digits.csv:2: pass_at_1: 'forty' is not a number"),
        ("m,AIME24,0.1,500,40.0,0,5", "digits.csv:2: problems: '0' is not a count"),
        ("m,AIME24,0.1,500,40.0,30", "digits.csv:2: samples_per_problem: None is not a count"),
    ],
)
def test_a_bad_row_is_named(line: str, said: str) -> None:
    """A value that is no number is told with file, line and column."""
    with pytest.raises(Error, match=said):
        published.read(HEADER + line + "\n", "digits.csv")


def test_a_missing_column_is_named() -> None:
    """A table of other columns is refused with those it has."""
    with pytest.raises(Error, match=r"digits.csv: no column 'benchmark'; there are model, ratio"):
        published.read(HEADER.replace("benchmark,", ""), "digits.csv")


def test_198_of_200_digits_agree(
    cells: list[published.Digits], means: list[published.Digits]
) -> None:
    """All cells and 38 of 40 means follow from the counts; the two that do not are named."""
    made = heatmaps(cells)
    rows = published.compare(made.grids, made.entries, cells, means)
    assert [str(row.digits) for row in rows if not row.agree] == [
        "R1-Llama, mean, ratio 0.1, local window 2000: 49.5",
        "R1-Llama, mean, ratio 0.3, local window 3000: 50.6",
    ]
    assert published.summary(rows) == (
        "198 of 200 printed digits agree; "
        "not R1-Llama, mean, window 2000, ratio 0.1 (printed 49.5, computed 49.43); "
        "not R1-Llama, mean, window 3000, ratio 0.3 (printed 50.6, computed 50.65)."
    )


def test_no_number_lies_on_the_half(
    cells: list[published.Digits], means: list[published.Digits]
) -> None:
    """Half up and half to even round all 200 numbers alike, so the convention does not matter."""
    made = heatmaps(cells)
    rows = published.compare(made.grids, made.entries, cells, means)
    exact = [row.computed for row in rows if row.computed is not None]
    assert len(exact) == 200
    assert not any((10 * share + Fraction(1, 2)).denominator == 1 for share in exact)


def test_a_wrong_digit_is_found(cells: list[published.Digits]) -> None:
    """One printed digit changed by a tenth no longer agrees."""
    made = heatmaps(cells)
    wrong = [cells[0]._replace(text="40.1"), *cells[1:]]
    rows = published.compare(made.grids, made.entries, wrong, [])
    assert [row.digits.text for row in rows if not row.agree] == ["40.1"]


@pytest.mark.parametrize("change", [pl.col("epochs") - 1, pl.lit(None).alias("value")])
def test_an_incomplete_cell_does_not_agree(cells: list[published.Digits], change: pl.Expr) -> None:
    """A cell that lacks samples is not compared as if it were whole."""
    made = heatmaps(cells)
    grids = {name: grid.with_columns(change) for name, grid in made.grids.items()}
    rows = published.compare(grids, made.entries, cells, [])
    assert not any(row.agree for row in rows)
    assert "0 of 160 printed digits agree" in published.summary(rows)


def test_the_table_lists_every_digit(cells: list[published.Digits]) -> None:
    """The table has a line per printed number, with the figures that show it."""
    made = heatmaps(cells)
    lines = published.table(published.compare(made.grids, made.entries, cells, [])).splitlines()
    assert lines[0] == "model,benchmark,ratio,local_window,printed,computed,agree,figures"
    assert lines[1] == "R1-Llama,AIME24,0.1,500,40.0,40.000,yes,R1-Llama"
    assert len(lines) == 161


PAPER = {"runs": {"cells": "data/cells.csv", "means": "data/means.csv"}}


@pytest.mark.parametrize(
    ("paper", "said"),
    [
        ("cells.csv", "config.yaml: paper: 'cells.csv' is not a mapping"),
        ({"run": PAPER["runs"]}, "config.yaml: paper.run: 'run' is not a source; there are runs"),
        ({"runs": {"means": "m.csv"}}, "config.yaml: paper.runs: needs 'cells'"),
        ({"runs": {"cells": "c", "mean": "m"}}, "paper.runs: 'mean' is not a key here; there are "),
    ],
)
def test_mistakes_in_what_is_compared_are_told(paper: object, said: str) -> None:
    """Like all others in config.yaml, with their place."""
    with pytest.raises(Error, match=said):
        configuration.read(deepcopy(CONFIG) | {"paper": paper}, others=SECTIONS)


def test_a_source_is_made_of_no_digits() -> None:
    """Logs are data: a source knows no table that they would be made of."""
    raw = deepcopy(CONFIG)
    raw["sources"]["runs"] |= {"reconstruct": "data/cells.csv"}
    with pytest.raises(Error, match=r"sources\.runs: 'reconstruct' is not a key here; there are "):
        configuration.read(raw)


def test_files_of_digits_must_be_there(tmp_path: Path) -> None:
    """Those that are not are told before any job, all of them."""
    write_logs(tmp_path / "data" / "runs")
    (tmp_path / "data/cells.csv").write_text(HEADER)
    plan = Plan(deepcopy(CONFIG) | {"paper": PAPER}, tmp_path)
    with pytest.raises(Error, match=r"^config.yaml: paper.runs.means: no file 'data/means.csv'$"):
        plan.require_given()


def test_heatmaps_of_the_source_are_compared() -> None:
    """Of Pass@1 alone, and not what compares models two by two; each source that a figure shows."""
    raw = deepcopy(CONFIG)
    grid = raw["figures"]["grid"]
    raw["figures"]["tokens"] = grid | {"encoding": grid["encoding"] | {"color": "mean(tokens)"}}
    figures = configuration.read(raw).figures
    entry = checks.Entry("c.csv")
    (one,) = checks.checks({"runs": entry, "unseen": entry}, figures, ["runs"])
    assert (one.key, one.given) == ("paper.runs", {"cells": "c.csv"})
    assert one.figures == ["grid"]


@pytest.mark.workflow
def test_a_run_tells_how_digits_agree(copy_of_tiny: Any) -> None:
    """Of a build with printed digits beside it nothing is made anew but their comparison."""
    root = copy_of_tiny.root
    (root / "data/cells.csv").write_text(f"{HEADER}m,t,0.1,500,40.1,4,2\n")
    told = yaml.safe_load((root / "config.yaml").read_text())
    copy_of_tiny.configure(told | {"paper": {"runs": {"cells": "data/cells.csv"}}})
    status, said = copy_of_tiny.run()
    assert status == 0, said
    assert (
        "0 of 1 printed digits agree; not m, t, window 500, ratio 0.1 (printed 40.1, computed 12.50)"
        in said
    )
    assert not re.search("^rule (normalize|aggregate|draw):", said, re.MULTILINE)
    (root / "data/cells.csv").write_text(f"{HEADER}m,t,0.1,500,12.5,4,2\n")
    assert "1 of 1 printed digits agree." in copy_of_tiny.run()[1]
