"""Folders of logs that others wrote, through `heatproof init` and what `heatproof run` draws of them.

`../shared/` beside the project has them: `folders` and `harness` with a count of each (`oracle.csv`),
`logs` without (support/public_counts.py counts). `public_folders.yaml` says what is made of each.
"""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support import counted, drawn, public_counts
from support.data import cases

SHARED = Path(__file__).parents[3] / "shared"
TABLE: dict[str, dict[str, Any]] = cases(__file__)
VERDICTS = ["wrong", "refused", "asked", "right"]  # each better than the one before it


class Outcome(NamedTuple):
    """What became of a folder."""

    verdict: str
    cells: int
    """Of the figure with the most of them; each is as counted."""
    said: str


def shared_folders() -> list[str]:
    """The folders of logs beside the project, and those that the table names."""
    counts = [*SHARED.glob("folders/*/oracle.csv"), *SHARED.glob("harness/*/oracle.csv")]
    found = {path.parent.relative_to(SHARED).as_posix() for path in counts}
    return sorted(found | {*TABLE})


def read_count(name: str) -> counted.Count:
    """The count of a folder."""
    folder = SHARED / name
    if name in public_counts.COUNTS:
        text = public_counts.count_logs(name, folder)
    else:
        text = (folder / "oracle.csv").read_text(encoding="utf-8")
    return counted.read_count(text, **TABLE.get(name, {}).get("count", {}))


def judge_folder(name: str) -> Outcome:
    """What `init` and a run make of a folder of logs, which is copied here."""
    folder = SHARED / name
    shutil.copytree(folder / "logs" if (folder / "logs").is_dir() else folder, "logs")
    screen = drawn.begin("logs", TABLE.get(name, {}).get("answers"))
    if not drawn.draws_figures():
        return Outcome("asked" if screen.questions else "refused", 0, screen.text)
    count = read_count(name)
    wrong: list[str] = []
    cells = []
    for figure, table in drawn.tables(TABLE.get(name, {}).get("uncounted", [])):
        found = counted.compare(table, count)
        cells.append(found.right)
        wrong += [f"{figure}: {line}" for line in found.wrong]
    if wrong or not cells:
        return Outcome("wrong", 0, "\n".join(wrong or ["no figure has cells"]))
    return Outcome("right", max(cells), screen.text)


@pytest.mark.slow
@pytest.mark.parametrize("name", shared_folders())
def test_cells_of_a_public_folder_are_as_counted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No drawn cell is otherwise; a folder is at least as well understood as the table says."""
    if not (SHARED / name).is_dir():
        pytest.skip(f"no ../shared/{name} beside the project")
    monkeypatch.chdir(tmp_path)
    expected = TABLE.get(name, {"refused": ""})
    least = next(verdict for verdict in VERDICTS if verdict in expected)
    outcome = judge_folder(name)
    if outcome.verdict == least == "wrong":
        pytest.xfail(expected["wrong"])
    assert VERDICTS.index(outcome.verdict) >= VERDICTS.index(least), outcome.said
    if outcome.verdict == least == "right":
        assert outcome.cells >= expected["right"]
    elif outcome.verdict == least:
        assert expected[least] in outcome.said
