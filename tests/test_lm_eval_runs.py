"""lm_eval: which results file belongs to a samples file, and which of several runs counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from reading import reasons
from test_lm_eval import TIME, read, record, write
from test_start import init, put

if TYPE_CHECKING:
    from pathlib import Path

LATER = "2026-01-03T00-00-00.000000"


def answers(*doc: int) -> list[dict[str, Any]]:
    return [record(n, ["1"]) for n in doc]


def test_results_named_by_the_output_path_are_found(tmp_path: Path) -> None:
    """`--output_path run.json` writes run_{time}.json beside the samples of that time."""
    write(tmp_path, answers(1, 2))
    write(tmp_path, answers(1, 2), time=LATER, model_args="pretrained=other")
    for time in (TIME, LATER):
        (tmp_path / f"tiny/results_{time}.json").rename(tmp_path / f"tiny/run_{time}.json")
    assert sorted(read(tmp_path).samples["model"].unique()) == ["other", "tiny"]
    assert len(read(tmp_path, logs="**/*.json*").samples) == 4, "the results are passed over"


def test_of_two_such_files_none_is_taken(tmp_path: Path) -> None:
    """Nothing tells which run the samples are of."""
    write(tmp_path, answers(1))
    (tmp_path / f"tiny/results_{TIME}.json").rename(tmp_path / f"tiny/a_{TIME}.json")
    (tmp_path / f"tiny/b_{TIME}.json").write_bytes((tmp_path / f"tiny/a_{TIME}.json").read_bytes())
    assert "no results_" in reasons(read(tmp_path))[0]


@pytest.mark.parametrize(
    ("earlier", "later", "replaced"),
    [(1, None, True), (1, 2, True), (0.1, None, True), (None, 1, False), (2, 1, False)],
)
def test_a_trial_under_a_limit_is_replaced_by_the_whole_run(
    earlier: float | None, later: float | None, replaced: bool, tmp_path: Path
) -> None:
    """Not the other way round: the later run has fewer problems, and then both stay."""
    write(tmp_path, answers(1), limit=earlier)
    write(tmp_path, answers(1, 2), time=LATER, limit=later)
    found = read(tmp_path)
    said = [f"superseded by the run of tiny/results_{LATER}.json"]
    assert [one for one in reasons(found) if "superseded" in one] == said * replaced
    assert len(found.samples) == (2 if replaced else 3)


def test_a_replaced_run_lacks_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its records are told as what they are, and not as missing ones."""
    made = tmp_path / "made"
    made.mkdir()
    write(made, answers(1, 2))
    write(made, answers(1, 2), time=LATER)
    for path in (made / "tiny").glob("results_*"):
        told = json.loads(path.read_text()) | {"n-samples": {"add": {"effective": 2}}}
        path.write_text(json.dumps(told))
    put(tmp_path, {f"tiny/{path.name}": path.read_bytes() for path in (made / "tiny").iterdir()})
    init(tmp_path)
    said = capsys.readouterr().out
    assert "2 of 4 records: superseded by the run of" in said
    assert "lacking" not in said
