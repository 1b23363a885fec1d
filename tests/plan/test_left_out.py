"""`--keep-going`: what no mistake touches is drawn, the rest is told, and the run fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from heatproof import build
from heatproof.cli.main import main
from heatproof.plan import mistakes
from support.project import OTHER, TWO, write_two

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = {
    "format": "jsonl",
    "logs": "data/*.jsonl",
    "set": {"model": "m", "task": "t"},
    "fields": {"sample_id": "id", "score": "score"},
    "params": {"b": "int"},
}
FIGURE = {**OTHER, "source": "good"}
TYPO = SOURCE | {"fields": {"sample_id": "id", "scor": "score"}}


def config(**figures: Any) -> dict[str, Any]:
    return {"sources": {"good": SOURCE, "bad": TYPO}, "figures": {"fine": FIGURE, **figures}}


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").mkdir()
    rows = ({"id": n, "b": 1, "score": n % 2} for n in range(4))
    (tmp_path / "data/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("figures", "names"),
    [
        ({"one": FIGURE | {"kind": "heatmp"}}, ["one"]),
        ({"one": {**FIGURE, "source": "bad"}, "two": {**FIGURE, "source": "bad"}}, ["one", "two"]),
        ({"a.b": FIGURE | {"where": {"modle": "n"}}, "a": FIGURE}, ["a.b"]),
        ({"one": {**FIGURE, "source": ["good", "bad"]}}, ["one"]),
        ({"one": FIGURE | {"pool": ["x"]}, "two": FIGURE | {"widht": "1in"}}, ["one", "two"]),
    ],
)  # fmt: skip
def test_what_a_mistake_touches_is_left_out(
    figures: dict[str, Any], names: list[str], logs: Path
) -> None:
    """Of a figure that figure, of a source all figures that show it, by itself or with others."""
    plan = mistakes.planned(config(**figures), logs, keep_going=True)
    assert sorted(plan.left_out) == names
    assert set(plan.figures) == {"fine", *figures} - {*names}
    with pytest.raises(mistakes.Mistakes) as caught:
        mistakes.planned(config(**figures), logs)
    assert set(caught.value.spared) >= {*plan.figures}


@pytest.mark.parametrize(
    "raw",
    [
        config(one=FIGURE) | {"figurs": {}},
        config() | {"figures": {"one": FIGURE | {"kind": "?"}}},
        config() | {"figures": [FIGURE]},
    ],
)
def test_a_mistake_of_all_stops_all(raw: dict[str, Any], logs: Path) -> None:
    """One of no figure and no source, or of every figure, is told as without `--keep-going`."""
    with pytest.raises(mistakes.Mistakes) as caught:
        mistakes.planned(raw, logs, keep_going=True)
    assert not caught.value.spared


@pytest.mark.parametrize(
    ("word", "asked"),
    [("-k", True), ("-nk", True), ("--keep-going", True), ("-kj4", True), ("-c4", False),
     ("--keep-incomplete", False), ("-n", False), ("results/k", False)],
)  # fmt: skip
def test_the_option_is_known_as_snakemake_has_it(word: str, asked: bool) -> None:
    """Several short options may stand in a word."""
    assert bool(build.FLAGS.fullmatch(word)) is asked


@pytest.mark.workflow
def test_the_others_are_drawn_and_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gallery has a card for each that is not; the run fails, each time; mended, all is made."""
    project = write_two(tmp_path)
    wrong = {**OTHER, "formats": ["svg"]}
    figures = {"else": TWO["figures"]["else"], "typo": wrong | {"kind": "heatmp"}}
    project.configure(TWO | {"figures": figures})
    status, said = project.run("--cores", "1")
    assert (status, "to draw else all the same: --keep-going" in said) == (1, True)
    assert not (tmp_path / "results").exists()
    for _ in range(2):
        status, said = project.run("--cores", "1", "-k")
        assert status == 1
        assert "left out (--keep-going): typo; for" in said
    page = (tmp_path / "results/index.html").read_text()
    assert "figures.typo.kind: &#39;heatmp&#39; is not a figure kind" in page
    monkeypatch.chdir(tmp_path)
    assert main(["verify"]) == 0
    assert "left out of it: typo" in capsys.readouterr().out
    assert main(["why", "typo"]) == 2
    assert "the last run left it out (--keep-going)" in capsys.readouterr().err
    project.configure(TWO | {"figures": figures | {"typo": wrong}})
    status, said = project.run("--cores", "1")
    assert status == 0, said
    assert "not drawn" not in (tmp_path / "results/index.html").read_text()
