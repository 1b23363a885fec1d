"""`--keep-going`: what no mistake touches is drawn, the rest is told, and the run fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heatproof.cli.main import main
from heatproof.plan import mistakes
from heatproof.plan.left_out import LeftOut, is_asked, touched
from heatproof.util.errors import Error
from test_asked import OTHER, TWO, write

ROWS = "".join(json.dumps({"id": n, "b": 1, "score": n % 2}) + "\n" for n in range(4))
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
    (tmp_path / "data/a.jsonl").write_text(ROWS)
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
    assert sorted(plan.left_out.figures) == names
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
        config(one=FIGURE) | {"roots": {"x": "/nowhere/at/all"}},
    ],
)
def test_a_mistake_of_all_stops_all(raw: dict[str, Any], logs: Path) -> None:
    """One of no figure and no source, or of every figure, is told as without `--keep-going`."""
    with pytest.raises(mistakes.Mistakes) as caught:
        mistakes.planned(raw, logs, keep_going=True)
    assert not caught.value.spared


def test_lines_of_a_mistake_stay_together() -> None:
    """What follows it without a place of its own belongs to the mistake above."""
    raw = {"sources": {"s": {}}, "figures": {"f": {"source": "s"}, "g": {}}}
    found = touched(Error("config.yaml: figures.g: wrong; write\n  a\n  b").mistakes, raw)
    assert found == LeftOut({"g": ["config.yaml: figures.g: wrong; write\n  a\n  b"]})


@pytest.mark.parametrize(
    ("words", "asked"),
    [("-k", True), ("-nk", True), ("--keep-going", True), ("-kj4", True), ("-c4", False),
     ("--keep-incomplete", False), ("-n", False), ("results/k", False)],
)  # fmt: skip
def test_the_option_is_known_as_snakemake_has_it(words: str, asked: bool) -> None:
    """Several short options may stand in a word."""
    assert is_asked([words]) is asked


@pytest.mark.workflow
def test_the_others_are_drawn_and_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gallery has a card for each that is not, a rebuild too; mended, all is made."""
    project = write(tmp_path)
    wrong = {**OTHER, "formats": ["svg"]}
    figures = {"else": TWO["figures"]["else"], "typo": wrong | {"kind": "heatmp"}}
    project.configure(TWO | {"figures": figures})
    status, said = project.run("--cores", "1")
    assert (status, "to draw else all the same: --keep-going" in said) == (1, True)
    assert not (tmp_path / "results").exists()
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
