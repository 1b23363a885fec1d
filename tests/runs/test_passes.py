"""Grids before figures: a figure whose grid stays the same is not drawn again."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from heatproof import build, ledger

JOBS = [
    "normalize logs/0000", "normalize more/0000", "aggregate a", "aggregate b", "aggregate c",
    "draw a", "draw b", "draw c",
]  # fmt: skip


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Two figures of one source and one of another, all of them drawn."""
    monkeypatch.chdir(tmp_path)
    for name in JOBS:
        path = Path(ledger.place(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    sources = {"a": "logs", "b": "logs", "c": "more"}
    figures = {name: SimpleNamespace(source=source) for name, source in sources.items()}
    shards = {"0000": ["log.jsonl"]}
    return SimpleNamespace(jobs=JOBS, figures=figures, logs={"logs": shards, "more": shards})


@pytest.mark.parametrize(
    ("gone", "figures"),
    [
        ([], []),
        (["normalize logs/0000"], ["a", "b"]),
        (["normalize logs/0000", "draw a"], ["b"]),
        (["aggregate c"], ["c"]),
        (["draw c"], []),
    ],
)
def test_drawn_figures_of_changed_logs_may_be_spared(
    gone: list[str], figures: list[str], plan: Any
) -> None:
    """Those of the same source, and those whose grid is missing; not those that are not drawn."""
    for name in gone:
        Path(ledger.place(name)).unlink()
    assert build.drawn_of_old_grids(plan) == figures
