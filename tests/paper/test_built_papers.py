"""Papers of a project that is built: figures of this build or an older one, and the archive."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from heatproof.cli.main import main
from heatproof.paper import check, values

pytestmark = pytest.mark.workflow


def test_values_are_an_output_of_the_build(small: Any) -> None:
    """They stand in the ledger, and each figure has its id there."""
    figures = values.read_values((small.root / "results/values.json").read_bytes())
    assert [*figures] == ["grid", "mean", "pair"]
    ledger = json.loads((small.root / "results/ledger.json").read_text())
    made = ledger["pieces"]["values numbers"]["outputs"]
    assert {*made} == {"results/values.json", "results/values.tex"}
    for name, figure in figures.items():
        spec = json.loads((small.root / f"results/specs/{name}.vl.json").read_text())
        assert figure.id == spec["usermeta"]["heatproof"]["id"]
    pair = figures["pair"].cells["against=n,model=m"]
    assert pair.value.lstrip("+−") == figures["pair"].cells["against=m,model=n"].value.lstrip("+−")


def test_figures_of_a_paper_are_of_this_build_or_an_older_one(copy_of_small: Any) -> None:
    """An older one is a contradiction, with what has changed; another's picture is none."""
    root = copy_of_small.root
    shutil.copy(root / "results/figures/grid.pdf", root / "now.pdf")
    spec = json.loads((root / "results/specs/grid.vl.json").read_text())
    from heatproof.export import export

    for rows in spec["datasets"].values():
        for row in rows:
            if row.get("label"):
                row["label"] = "99.9"
    spec["usermeta"]["heatproof"] |= {"id": "0badcafe", "logs": {"count": 1, "blake3": "00"}}
    (root / "older.png").write_bytes(export.render(spec, ["png"])["png"])
    (root / "photo.png").write_bytes(b"\x89PNG")
    graphics = "".join(rf"\includegraphics{{{name}}}" for name in ("now", "older.png", "photo"))
    (root / "main.tex").write_text(rf"\begin{{document}}{graphics}\end{{document}}")
    report = check.check(root / "main.tex", root)
    assert [(shown.figure, bool(shown.fault)) for shown in report.figures] == [
        ("grid", False), ("grid", True)
    ]  # fmt: skip
    (found,) = report.findings
    assert (found.sort, found.says) == ("contradiction", "older.png")
    assert "of another build (heatproof 0badcafe" in found.why
    assert "logs.blake3" in found.why
    assert "cells print something else, such as" in found.why
    assert ": 99.9, now " in found.why
    assert report.others == ["photo"]
    assert report.named == 0


def test_the_text_of_a_figure_in_a_pdf_is_none_of_the_paper(copy_of_small: Any) -> None:
    """The figure is known by its record."""
    pytest.importorskip("pypdf")
    root = copy_of_small.root
    shutil.copy(root / "results/figures/grid.pdf", root / "grid.pdf")
    report = check.check(root / "grid.pdf", root)
    assert [shown.figure for shown in report.figures] == ["grid"]
    assert report.findings == []


def test_the_command_says_it_and_exits_so(
    copy_of_small: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 for a contradiction, 0 without; as JSON too."""
    root = copy_of_small.root
    figure = values.read_values((root / "results/values.json").read_bytes())["grid"]
    cell = next(cell for cell in figure.cells.values() if cell.value)
    where = " and ".join(f"{title} {cell.address[name]}" for name, title in figure.columns.items())
    text = "m has {} % at " + where + "."
    (root / "main.md").write_text(text.format("99.9"))
    assert main(["paper", str(root / "main.md")]) == 1
    said = capsys.readouterr().out
    assert "main.md:1:7: CONTRADICTS: 99.9" in said
    assert "heatproof trace 'grid?" in said
    assert main(["paper", str(root / "main.md"), "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["line"], found["column"], found["prints"]) == (1, 7, cell.value)
    (root / "main.md").write_text(text.format(cell.value))
    assert main(["paper", str(root / "main.md")]) == 0
    assert "1 as in the figures, 0 contradictions" in capsys.readouterr().out


def test_a_crate_is_a_project_that_can_be_verified(
    copy_of_small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It holds logs and results under their paths; without the logs their digests remain."""
    pytest.importorskip("rocrate")
    root, folder = copy_of_small.root, tmp_path / "crate"
    call = ["crate", str(folder), "--project", str(root), "--date", "2026-11-28"]
    assert main(call) == 0
    about = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    listed = {item["@id"] for item in about if item["@type"] == "File"}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert listed == there - {"ro-crate-metadata.json"}
    assert main(["verify", "--quick", "--project", str(folder)]) == 0
    with (folder / "logs.csv").open() as file:
        logs = [row["log"] for row in csv.DictReader(file)]
    assert sorted(logs) == sorted(path for path in there if path.startswith("data/"))
    assert main(call) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(["crate", str(tmp_path / "bare"), "--project", str(root), "--without-logs"]) == 0
    assert not (tmp_path / "bare/data").exists()
