"""One bad figure fails alone: the others are made, the bad ones named at once, exit status 1."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.plan.plan import Plan
from heatproof.proof import closing
from heatproof.provenance import failed, job
from heatproof.provenance.batch import batch
from heatproof.util.errors import Error
from test_asked import TWO, write

if TYPE_CHECKING:
    from pathlib import Path

BAD: dict[str, Any] = copy.deepcopy(TWO)
GRID = BAD["figures"]["grid"]
BAD["sources"]["texts"] = {**BAD["sources"]["other"], "logs": "data/texts/*.jsonl"}
BAD["figures"] |= {
    "mixed": {key: value for key, value in GRID.items() if key != "panel"}
    | {"encoding": {"x": "ratio", "y": "task", "color": "pass@1"}},
    "glyph": GRID | {"title": "a 龘 b", "formats": ["svg"]},
    "texts": BAD["figures"]["else"] | {"source": "texts"},
}
"""Three figures of three that are fine cannot be made: at two stages, two in a batch with others."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The project, called once without `-k`, then for one of the good figures."""
    project = write(tmp_path_factory.mktemp("bad"))
    (project.root / "data/texts").mkdir()
    rows = ({"id": n, "b": 1, "score": "x"} for n in range(9))
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (project.root / "data/texts/a.jsonl").write_text(lines)
    project.configure(BAD)
    status, said = project.run("--cores", "1")
    return SimpleNamespace(project=project, root=project.root, status=status, said=said)


def drawn(root: Path) -> set[str]:
    """The figures of which there is a picture."""
    return {path.stem for path in (root / "results/figures").glob("*.svg")}


@pytest.mark.workflow
def test_the_others_are_made_and_the_bad_ones_named(run: Any) -> None:
    """All at once, at whatever stage they fail; nothing of them is left."""
    assert run.status == 1, run.said
    assert "Traceback" not in run.said
    assert "3 of 6 figures could not be made" in run.said
    for words in (
        "  mixed: config.yaml: figures.mixed",
        "  glyph: the text",
        "  texts: config.yaml",
    ):
        assert words in run.said
    assert drawn(run.root) == {"grid", "pair", "else"}
    assert {path.stem for path in (run.root / "results/tables").glob("*.csv")} >= {"grid", "glyph"}
    assert not (run.root / "results/manifest.json").exists()
    marks = [path for path in (run.root / "results").rglob("*.*") if failed.why(path) is not None]
    assert marks == []


@pytest.mark.workflow
def test_the_page_shows_the_others_and_names_the_bad_ones(run: Any) -> None:
    """With the reason; `summary.json` has it for programs."""
    page = (run.root / "results/index.html").read_text()
    assert '<article id="grid"' in page
    assert '<article id="glyph"' not in page
    assert "<b>glyph</b>" in page
    told = json.loads((run.root / "results/summary.json").read_text())
    assert told["failed"].keys() == {"mixed", "glyph", "texts"}
    assert (told["figures"], told["files"]) == (3, 4)


@pytest.mark.workflow
def test_asked_again_the_same_is_said(run: Any) -> None:
    """A good figure alone is there; a bad one alone fails with its reason; mended, all is well."""
    status, said = run.project.run("results/figures/grid.svg")
    assert status == 0, said
    status, said = run.project.run("-k", "results/figures/glyph.svg")
    assert status == 1
    assert "  glyph: the text" in said
    assert drawn(run.root) == {"grid", "pair", "else"}
    config = yaml.safe_load((run.root / "config.yaml").read_text())
    del config["figures"]["mixed"], config["figures"]["texts"]
    config["figures"]["glyph"]["title"] = "a b"
    run.project.configure(config)
    status, said = run.project.run()
    assert status == 0, said
    assert "heatproof: 4 figures in 5 files" in said
    assert run.project.redone() == set()


def test_a_mark_tells_why_and_is_taken_away(tmp_path: Path) -> None:
    """It stands where a result would; what is made is no mark, nor what is not there."""
    (tmp_path / "good").write_text("heatproof: made")
    failed.mark([tmp_path / "a", tmp_path / "b"], "why – so")
    with pytest.raises(failed.Marked, match=r"^why – so$"):
        failed.require_made([tmp_path / "good", tmp_path / "a", tmp_path / "b"])
    failed.require_made([tmp_path / "good", tmp_path / "none"])
    assert failed.clear(["good", "a", "b", "none"], tmp_path) == {"a": "why – so", "b": "why – so"}
    assert [path.name for path in tmp_path.iterdir()] == ["good"]


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a job of a run that takes marks away."""
    monkeypatch.setenv(failed.ALLOWED, "1")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize(
    ("error", "why"),
    [
        (Error("figures.b is wrong"), "figures.b is wrong"),
        (KeyError("x"), "b: KeyError: 'x'; job.log tells where: a fault of heatproof's own"),
    ],
)
def test_a_job_goes_on_without_a_figure(error: Exception, why: str, tmp_path: Path) -> None:
    """Its mistake, or ours, is told, with the traceback if it is ours; the others are made."""
    with batch("draw", "job.log") as figures:
        for name in "abc":
            with figures.one(name, [name]):
                assert not figures.stands(name, [name], 1, [])
                if name == "b":
                    raise error
                (tmp_path / name).write_text(name)
    assert [failed.why(name) for name in "abc"] == [None, why, None]
    told = (tmp_path / "job.log").read_text()
    assert told == f"{why}\n" if isinstance(error, Error) else "KeyError: 'x'" in told


@pytest.mark.usefixtures("allowed")
def test_what_needs_a_figure_hands_the_mark_on(tmp_path: Path) -> None:
    """It is not told again, and leaves no receipt."""
    failed.mark(["grid"], "why")
    with job.log("job.log", ["page"]):
        failed.require_made(["grid"])
    assert failed.why("page") == "why"
    assert (tmp_path / "job.log").read_text() == ""
    assert not (tmp_path / ".snakemake").exists()


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_what_befalls_all_figures_fails_the_job(error: Exception) -> None:
    """A full disk is no fault of one figure's."""
    with pytest.raises(SystemExit), batch("draw", "job.log") as figures, figures.one("a", ["a"]):
        raise error


@pytest.mark.parametrize(
    ("targets", "until", "expected"),
    [
        ([], [], True),
        (["all"], [], True),
        (["draw"], [], True),
        (["results/specs/grid.vl.json"], [], False),
        (["results/specs/grid.vl.json"], ["draw"], True),
        (["results/specs/grid.vl.json", "results/specs/else.vl.json"], [], True),
    ],
)
def test_a_run_has_failed_if_what_was_asked_for_is_not_made(
    targets: list[str], until: list[str], expected: bool, tmp_path: Path
) -> None:
    """A figure that shares a job with the one asked for does not fail the run."""
    write(tmp_path)
    plan = Plan(TWO, tmp_path)
    settings = SimpleNamespace(targets={*targets}, until={*until})
    marks = {"results/specs/else.vl.json": "else: why", "results/figures/else.svg": "else: why"}
    said, is_failure = closing.failure(marks, plan, settings)
    assert is_failure is expected
    assert said == (
        "1 of 3 figures could not be made; what was asked for of the other 2 is\n  else: why"
    )
