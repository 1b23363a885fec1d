"""clean: what is left of former figures goes, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.workflow


@pytest.fixture
def left(copy_of_small: Any) -> Path:
    """The small sweep, of whose figures one is asked for no more; a user's file lies beside it."""
    root: Path = copy_of_small.root
    config = yaml.safe_load((root / "config.yaml").read_text())
    del config["figures"]["twice"]
    (root / "config.yaml").write_text(yaml.safe_dump(config))
    (root / "results/figures/mine.svg").write_text("<svg/>")
    (root / "results/tables/twice.tex").write_text("changed by hand")
    (root / "results/tables/old").mkdir()
    return root


def files(root: Path) -> set[str]:
    """All that lies in the results."""
    return {path.relative_to(root).as_posix() for path in (root / "results").rglob("*")}


MINE = {
    "results/.ledger/aggregate/twice.json",
    "results/.ledger/draw/twice.json",
    "results/figures/twice.caption.md",
    "results/figures/twice.caption.tex",
    "results/figures/twice.svg",
    "results/grids/twice.json",
    "results/grids/twice.parquet",
    "results/specs/twice.vl.json",
    "results/tables/twice.csv",
    "results/tables/twice.json",
}
OTHERS = ["results/figures/mine.svg", "results/tables/twice.tex"]


def test_it_lists_then_removes_what_heatproof_made(
    left: Path, small: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pieces of the ledger go along; what a user made or changed stays, and is named.

    What the config of `--configfile` asks for is no left-over, whatever config.yaml says.
    """

    def clean(*words: str) -> str:
        assert main(["clean", "--project", str(left), *words]) == 0
        return capsys.readouterr().out

    before = files(left)
    told = json.loads(clean("--json"))
    assert {path for path in told["made"] if not path.endswith("/")} == MINE
    assert told["others"] == OTHERS
    figures = yaml.safe_load((small.root / "config.yaml").read_text())["figures"]
    (left / "more.yaml").write_text(yaml.safe_dump({"figures": {"twice": figures["twice"]}}))
    told = json.loads(clean("--configfile", str(left / "more.yaml"), "--json"))
    assert not MINE & {*told["made"]}
    assert "`heatproof clean --yes` removes them" in clean()
    assert files(left) == before
    said = clean("--yes")
    assert "left alone" in said
    assert all(path in said for path in [*MINE, *OTHERS])
    assert before - files(left) - {"results/tables/old"} == MINE
    for path in OTHERS:
        (left / path).unlink()
    assert "nothing in results/ is left over" in clean("--yes")


def test_without_private_folder_and_pieces_the_ledger_tells(left: Path) -> None:
    """Results may have come as a copy."""
    (left / ".snakemake").rename(left / "private")
    for path in (left / "results/.ledger").rglob("twice.json"):
        path.unlink()
    assert main(["clean", "--project", str(left), "--yes"]) == 0
    assert not (left / "results/figures/twice.svg").exists()
    assert (left / "results/tables/twice.tex").exists()
