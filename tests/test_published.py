"""Digits that a paper prints: the logs made of them, and their comparison with cells of figures."""

import csv
import gzip
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent.parent / "data/published"
CELLS, MEANS = DATA / "dynts_pass_at_1.csv", DATA / "dynts_pass_at_1_mean.csv"
ROWS = [*csv.DictReader(CELLS.read_text().splitlines())]


@pytest.fixture
def reconstruct(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The script beside the digits."""
    monkeypatch.syspath_prepend(DATA)
    return runpy.run_path(str(DATA / "reconstruct.py"))


@pytest.fixture
def tables(reconstruct: dict[str, Any], tmp_path: Path) -> Path:
    """A project with the tables of three figures, as the logs of the digits give them."""
    rows: dict[str, list[dict[str, Any]]] = {"r1-llama": [], "r1-qwen": [], "r1-mean": []}
    means: dict[tuple[str, ...], list[float]] = {}
    for row in ROWS:
        right = reconstruct["right_answers"](row["pass@1"], int(row["epochs"]))
        share = right / int(row["epochs"])
        model, names = row["model"], {key: row[key] for key in ("ratio", "local_window")}
        sizes = {key: row[key] for key in ("task", "samples", "epochs")}
        rows[model.lower()].append(names | sizes | {"value": share})
        means.setdefault((model, *names.values()), []).append(share)
    for (model, ratio, window), shares in means.items():
        names = {"model": model, "ratio": ratio, "local_window": window}
        rows["r1-mean"].append(names | {"value": sum(shares) / len(shares)})
    folder = tmp_path / "results/tables"
    folder.mkdir(parents=True)
    for figure, cells in rows.items():
        with (folder / f"{figure}.csv").open("w", newline="") as file:
            table = csv.DictWriter(file, cells[0])
            table.writeheader()
            table.writerows(cells)
    return folder


def test_the_logs_in_the_data_are_made_of_the_printed_digits(reconstruct: dict[str, Any]) -> None:
    """Byte by byte; each digit has one count of right answers, and all is marked as made up."""
    logs = dict(map(reconstruct["log"], ROWS))
    assert {f"{name}.gz" for name in logs} == {path.name for path in (DATA / "logs").iterdir()}
    for name, text in logs.items():
        assert gzip.decompress((DATA / "logs" / f"{name}.gz").read_bytes()).decode() == text
        assert text.count('"reconstructed":true') == len(text.splitlines())


def compare(tables: Path) -> str:
    """What the script says in a project."""
    command = [sys.executable, str(DATA / "compare.py")]
    root = tables.parent.parent
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def test_198_of_200_digits_agree(tables: Path) -> None:
    """All cells and 38 of 40 means follow from the counts."""
    assert compare(tables).splitlines() == [
        "dynts_pass_at_1.csv: 160 of 160 printed digits agree",
        "dynts_pass_at_1_mean.csv: 38 of 40 printed digits agree",
        "  R1-Llama, 0.1, 2000: printed 49.5, computed 49.43",
        "  R1-Llama, 0.3, 3000: printed 50.6, computed 50.65",
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "computed"),
    [
        (",0.4\n", ",0.4006\n", "40.06"),
        (",0.4\n", ",\n", "nothing"),
        (",150,", ",149,", "nothing"),
    ],
)
def test_wrong_and_incomplete_cells_do_not_agree(
    right: str, wrong: str, computed: str, tables: Path
) -> None:
    """A value that prints otherwise, none, or one of fewer answers."""
    table = tables / "r1-llama.csv"
    text = table.read_text().replace("\r\n", "\n")
    assert right in text
    table.write_text(text.replace(right, wrong, 1))
    said = compare(tables)
    assert "159 of 160 printed digits agree" in said
    assert f"printed 40.0, computed {computed}" in said
