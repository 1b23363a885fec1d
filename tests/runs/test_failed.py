"""One bad figure fails alone: the others are made, the bad ones named at once, exit status 1."""

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from heatproof.cli import main as cli
from heatproof.cli.run import what_is_made
from heatproof.provenance import job
from heatproof.util.errors import Error
from support.project import TWO, write_two

GRID, ELSE = TWO["figures"]["grid"], TWO["figures"]["else"]
JSONL = TWO["sources"]["other"]
BAD: dict[str, Any] = {
    "sources": TWO["sources"]
    | {name: JSONL | {"logs": f"data/{name}/*.jsonl"} for name in ("texts", "later")},
    "figures": TWO["figures"]
    | {
        "mixed": ELSE
        | {"source": "later", "encoding": {"x": "model", "y": "task", "color": "pass@1"}},
        "glyph": GRID | {"title": "constructor", "formats": ["svg"]},
        "texts": ELSE | {"source": "texts"},
        "words": ELSE | {"source": "texts"},
    },
}
"""Four figures beside three that are fine cannot be made, two of them for one mistake.

Only their jobs can tell.
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The project, called once."""
    project = write_two(tmp_path_factory.mktemp("bad"))
    for name, score, count in (("a", 1, 1), ("b", 1, 1), ("c", "x", 90)):
        texts = [{"id": f"{name}{n}", "b": 1, "score": score} for n in range(count)]
        later = [{"id": name, "b": 1 + (name == "c"), "score": 1}]
        for source, rows in {"texts": texts, "later": later}.items():
            path = project.root / f"data/{source}/{name}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    project.configure(BAD)
    status, output = project.run()
    return SimpleNamespace(project=project, root=project.root, status=status, output=output)


def drawn(root: Path) -> set[str]:
    """The figures of which there is a picture."""
    return {path.stem for path in (root / "results/figures").glob("*.svg")}


@pytest.mark.workflow
def test_the_others_are_made_and_the_bad_ones_named(run: Any) -> None:
    """All at once, at whatever stage they fail, each mistake once; nothing of them is left."""
    assert run.status == 1, run.output
    assert "Traceback" not in run.output
    last = run.output.partition("heatproof: not everything could be made")[2]
    for words in (
        r"  aggregate mixed: config\.yaml:\d+:\d+: figures\.mixed",
        "  draw glyph: the text",
        r"  aggregate texts, aggregate words: config\.yaml:\d+:\d+: sources\.texts\.fields\.score: 90 of 92 records",
    ):
        assert re.search(words, last)
    assert last.count("sources.texts.fields.score: 90 of 92 records are refused") == 1
    assert drawn(run.root) == {"grid", "pair", "else"}
    assert {path.stem for path in (run.root / "results/tables").glob("*.csv")} >= {"grid", "glyph"}
    assert not (run.root / "results/ledger.json").exists()


@pytest.mark.workflow
def test_the_page_shows_the_others_and_names_the_bad_ones(run: Any) -> None:
    """Each with its reason; the summary names them too, and the next run makes the page anew."""
    page = (run.root / "results/index.html").read_text()
    assert {*re.findall(r'<article id="(\w+)"', page)} == {"grid", "pair", "else"}
    parts = re.findall(r'<section class="failed".*?</section>', page, re.DOTALL)
    told = {re.findall(r"<span>(\w+)</span>", part)[0]: part for part in parts}
    assert {*told} == {"mixed", "glyph", "texts", "words"}
    assert "<b>Not drawn</b>: " in told["glyph"]
    assert "is a word that Vega keeps for itself" in told["glyph"]
    assert "90 of 92 records are refused" in told["words"]
    summary = json.loads((run.root / "results/summary.json").read_text())
    assert [figure["name"] for figure in summary["failed"]] == sorted(told)
    assert (summary["figures"], {*summary["sources"]} >= {"runs", "other"}) == (3, True)
    assert "not drawn: glyph" in (run.root / "results/summary.txt").read_text()
    assert not (run.root / "results/.ledger/gallery/page.json").exists()


@pytest.mark.workflow
def test_programs_are_told_what_is_made(run: Any) -> None:
    """Each figure with its state; of those that failed, why; and the jobs that are left."""
    told = what_is_made(cli.plan(run.root))
    states = {figure["figure"]: figure["state"] for figure in told["figures"]}
    failed = dict.fromkeys(("mixed", "glyph", "texts", "words"), "failed")
    assert states == failed | dict.fromkeys(("grid", "pair", "else"), "made")
    for figure in told["figures"]:
        is_made = figure["state"] == "made"
        assert (bool(figure["files"]), bool(figure["why"])) == (is_made, not is_made)
        assert all((run.root / path).is_file() for path in figure["files"])
    assert {f"draw {name}" for name in failed} <= {*told["to_do"]}


@pytest.mark.workflow
def test_asked_again_the_same_is_said(run: Any) -> None:
    """A bad figure alone fails with its reason; mended, all is well."""
    status, output = run.project.run("results/figures/glyph.svg")
    assert status == 1
    assert "  draw glyph: the text" in output
    assert "figures.mixed" not in output, "of another run"
    assert drawn(run.root) == {"grid", "pair", "else"}
    config = yaml.safe_load((run.root / "config.yaml").read_text())
    for name in ("mixed", "texts", "words"):
        del config["figures"][name]
    config["figures"]["glyph"]["title"] = "a b"
    run.project.configure(config)
    status, output = run.project.run()
    assert status == 0, output
    assert "heatproof: 4 figures in 5 files" in output
    assert '<section class="failed"' not in (run.root / "results/index.html").read_text()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Error("figures.b is wrong"), "figures.b is wrong\n"),
        (OSError(28, "No space left"), f"[Errno 28] No space left: {job.FULL}\n"),
        (KeyError("x"), "Traceback"),
    ],
)
def test_a_job_tells_what_is_wrong(error, words, tmp_path, capsys):
    """A mistake in words, a fault of ours with the traceback."""
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit), job.run(SimpleNamespace(log=[str(log)])):
        raise error
    assert log.read_text().startswith(words)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("4", "4")])
def test_a_job_that_no_worker_does_has_one_thread(
    before: str | None, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a node of a cluster; unless the user says otherwise."""
    monkeypatch.setenv("POLARS_MAX_THREADS", before or "")
    if before is None:
        monkeypatch.delenv("POLARS_MAX_THREADS")
    with job.run(SimpleNamespace(log=[str(tmp_path / "job.log")], output=SimpleNamespace())):
        assert os.environ["POLARS_MAX_THREADS"] == after
