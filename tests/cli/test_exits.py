"""Exit statuses: 0 if all is as it was."""

import os
from typing import Any

import pytest

from heatproof import __version__
from heatproof.cli import main as cli
from heatproof.kinds.trace import Behind
from heatproof.provenance import diff, identify, trace, verify
from heatproof.provenance.diff import FigureChange
from heatproof.provenance.identify import Match
from heatproof.provenance.verify import Difference, Stage
from heatproof.util.errors import Error

BAD = Difference("results/a", "was", "is")
GOOD = Stage("results", "3 files", [])


def match(fault: str = "") -> Match:
    return Match({"figure": "f", "id": "0", "reconstructed": False}, "by its name", [1], fault)


def behind(agrees: bool | None = True, **more: Any) -> Behind:
    return Behind({"model": "m"}, "pass@1", 1.0, 1, 1, 1.0, agrees, [], **more)


CELL = ["trace", "f", "--cell", "model=m"]
ANSWERS: dict[str, tuple[list[str], Any, Any, int]] = {
    "verify: all stands": (["verify"], (verify, "stages"), [GOOD, GOOD], 0),
    "verify: one failed": (["verify"], (verify, "stages"), [GOOD, Stage("x", "", [BAD])], 1),
    "verify: one was not tried": (
        ["verify"], (verify, "stages"), [GOOD, Stage("rebuilt", verify.UNTRIED, [])], 1),
    "why: up to date": (["why"], (verify, "why"), ([], [], ["draw"]), 0),
    "why: something changed": (["why"], (verify, "why"), ([BAD], ["draw"], []), 1),
    "trace: as it was": (["trace", "f"], (identify, "find_figures"), [match()], 0),
    "trace: a file is another": (["trace", "f"], (identify, "find_figures"), [match("redrawn")], 1),
    "trace: a log is another": (["trace", "f"], (trace, "files"), ([("a", "b", "c")], ["d"]), 1),
    "trace: figures of a paper": (["trace", "f"], (identify, "find_figures"), [match(), match()], 0),
    "trace: one of them is another": (
        ["trace", "f"], (identify, "find_figures"), [match(), match("redrawn")], 1),
    "trace: the number agrees": (CELL, (trace, "cell"), behind(), 0),
    "trace: nothing can be counted": (CELL, (trace, "cell"), behind(None), 0),
    "trace: it is another number": (CELL, (trace, "cell"), behind(agrees=False), 1),
    "trace: its log was changed": (CELL, (trace, "cell"), behind(changed=["a.jsonl"]), 1),
    "diff: the same": (["diff", "a", "b"], (diff, "compared"), [], 0),
    "diff: something changed": (["diff", "a", "b"], (diff, "compared"), [FigureChange("grid", "is gone")], 1),
}  # fmt: skip
"""Question and answer → command, the function that answers it, what it says, exit status."""


@pytest.mark.parametrize("name", ANSWERS)
def test_the_status_says_whether_all_is_as_it_was(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """No build is needed: what is found is told by the status."""
    words, (module, function), answer, status = ANSWERS[name]
    for place, what, value in (
        (cli, "plan_of", None), (cli, "project", tmp_path), (verify, "names_of_figures", ["f"]),
        (identify, "find_figures", [match()]), (trace, "files", ([("a", "b", "c")], [])),
        (diff, "results", tmp_path), (module, function, answer),
    ):  # fmt: skip
        monkeypatch.setattr(place, what, lambda *_, value=value, **__: value)
    assert cli.main(words) == status


@pytest.mark.parametrize(
    ("error", "status"), [(Error("no"), 2), (KeyboardInterrupt(), 130), (BrokenPipeError(), 0)]
)
@pytest.mark.parametrize("words", [["clean"], ["verify", "--json"]])
def test_the_status_says_what_ended_a_command(
    words: list[str], error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake, Ctrl-C; a reader that wants no more, as `head`, is no mistake."""

    def plan_of(*_: Any) -> None:
        raise error

    monkeypatch.setattr(cli, "plan_of", plan_of)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    assert cli.main(words) == status


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["runn"], "(did you mean 'run'?)"),
        (["plot"], "(did you mean 'run'?)"),
        (["verify", "--quik"], "(did you mean '--quick'?)"),
        (["run", "--cores"], "run: --cores needs a value, as in --cores 4"),
        (["run", "--profile", "-n"], "run: --profile needs a value, as in --profile slurm"),
        (["run", "--profile", "slrum"], "'slrum' is no profile; there are default, generic, slurm (did"),
        (["run", "--config", "a.yaml"], "for a file: --configfile a.yaml"),
        (["run", "--json", "--config", "a=b"], "run: --json takes no --config"),
        (["crate", "out", "--date", "tomorrow"], "--date: 'tomorrow' is no date; write it as 2026-11-28"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_leads_out_in_one_step(
    words: list[str], told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: Any
) -> None:
    """What is wrong, and what to write instead."""
    (tmp_path / "config.yaml").write_text("sources: {}\n")
    monkeypatch.chdir(tmp_path)
    assert cli.main(words) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("word", ["-V", "version", "--version"])
def test_the_version_has_three_words(word: str, capsys: Any) -> None:
    """As other programs have it."""
    with pytest.raises(SystemExit):
        cli.main([word])
    assert capsys.readouterr().out == f"heatproof {__version__}\n"
