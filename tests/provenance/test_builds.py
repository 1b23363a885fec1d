"""Builds that are compared, and what is left of former ones: it goes, and nothing else."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof.cli.main import main

pytestmark = pytest.mark.workflow

MADE = {
    f"results/{path}"
    for path in (
        ".ledger/aggregate/mean.json", ".ledger/draw/mean.json", "figures/mean.caption.md",
        "figures/mean.caption.tex", "figures/mean.svg", "grids/mean.json",
        "grids/mean.parquet", "pages/mean.js", "specs/mean.vl.json", "tables/mean.csv",
        "tables/mean.json",
    )
}  # fmt: skip
OTHERS = ["results/figures/mine.svg", "results/tables/mean.tex"]


def files(root: Path) -> set[str]:
    """All that lies in the results."""
    return {path.relative_to(root).as_posix() for path in (root / "results").rglob("*")}


def test_it_lists_then_removes_what_heatproof_made(
    copy_of_small: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pieces of the ledger go along; what a user made or changed stays, and is named.

    What the config of `--configfile` asks for is no left-over, whatever config.yaml says. The joined
    ledger is enough: results may have come as a copy, without the pieces of a figure.
    """
    root: Path = copy_of_small.root

    def clean(*words: str) -> str:
        assert main(["clean", "--project", str(root), *words]) == 0
        return capsys.readouterr().out

    config = yaml.safe_load((root / "config.yaml").read_text())
    more = {"figures": {"mean": config["figures"].pop("mean")}}
    (root / "config.yaml").write_text(yaml.safe_dump(config))
    (root / "more.yaml").write_text(yaml.safe_dump(more))
    for path in OTHERS:
        (root / path).write_text("of a user")
    (root / "results/tables/old").mkdir()
    before = files(root)
    made, others = clean().split("`heatproof clean --yes` removes them\n")
    listed = {line.strip() for line in made.splitlines()[1:]}
    assert {path for path in listed if not path.endswith("/")} == MADE
    assert [line.strip() for line in others.splitlines()[1:]] == OTHERS
    made = clean("--configfile", str(root / "more.yaml"))
    assert not any(path in made for path in MADE)
    assert files(root) == before
    (root / ".snakemake").rename(root / "private")
    pieces = {path for path in MADE if "/.ledger/" in path}
    for path in pieces:
        (root / path).unlink()
    text = clean("--yes")
    assert "kept, because" in text
    assert all(path in text for path in [*MADE - pieces, *OTHERS])
    assert before - files(root) - {"results/tables/old"} == MADE
    for path in OTHERS:
        (root / path).unlink()
    assert "nothing in results/ is left over" in clean("--yes")


LOG = "data/runs/n_t_N2-R0.1-KW500-PKVL5000.jsonl"


def test_two_builds_are_compared(
    small: Any, copy_of_small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a score of a log changed: the cell, its values and the log; all else is the same.

    A picture from before says so; one that does not show the log stands.
    """
    root: Path = copy_of_small.root
    log = root / LOG
    log.write_text(log.read_text().replace("false", "true", 1))
    status, output = copy_of_small.run()
    assert status == 0, output

    def call(*words: str) -> tuple[int, str, str]:
        return main(words), *capsys.readouterr()

    status, output, _ = call("diff", str(small.root), str(root))
    assert status == 1
    assert re.findall(r"^(\w+): \d+ of", output, re.MULTILINE) == ["mean", "pair"]
    assert "mean: 1 of 8 cells changed" in output
    (change,) = (line for line in output.splitlines() if "(+0.125)" in line and "ratio=0.1" in line)
    address, _, words = change.strip().partition(": ")
    assert address == "mean?model=n&ratio=0.1&local_window=500"
    assert words.startswith("value ")
    assert call("trace", address, "--project", str(root))[0] == 0
    assert output.split(change)[1].startswith(f"\n    {LOG}\n")
    assert call("diff", str(root), str(root / "results"))[0] == 0
    assert call("diff", str(root), "nothing")[0] == 2
    for name, status, words in (("grid", 0, ""), ("mean", 1, "it is of another build")):
        picture = shutil.copy(small.root / f"results/figures/{name}.svg", tmp_path / "old.svg")
        answer = call("trace", str(picture), "--project", str(root))
        assert answer[0] == status, name
        assert words in answer[2]
        assert ("logs.blake3" in answer[2]) == status
