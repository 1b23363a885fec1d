"""Mistakes of a config are told with file, line and column, in whichever file they stand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from heatproof.cli import main as cli
from heatproof.util import errors
from heatproof.util.errors import Error, Mistake
from support.data import cases

CASES = cases(__file__, "mistakes.yaml")
CONFIG: str = CASES["laid_out"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The config lies where the command is called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(errors.FILES, raising=False)
    monkeypatch.delenv(errors.VALUES, raising=False)
    (tmp_path / "config.yaml").write_text(CONFIG)


@pytest.mark.parametrize(("message", "spot"), CASES["places"])
def test_a_place_is_found(message: str, spot: str) -> None:
    """That of the wrong word where there is one, else of the value, or the key that it lacks."""
    place, sentence = message.split(": ", 1) if message[0] != "'" else ("", message)
    word = re.search("'(.*?)'", sentence)
    offset = int(sentence[-1]) if "position" in sentence else None
    mistake = Mistake(place, sentence, word=word[1] if word else "", offset=offset)
    assert errors.in_order([mistake]) == f"config.yaml:{spot}: {message}"


@pytest.mark.parametrize("text", [
    "config.yaml: 'nothing' is not a section", "my-config.yaml: figures.v1.2: a",
    "config.yaml:3:4: figures.v1.2: a", "see 'figures' in config.yaml",
])  # fmt: skip
def test_what_stands_nowhere_has_no_line(text: str) -> None:
    """Nor is a message marked twice."""
    assert errors.in_order([Mistake(None, text)]) == text


def test_of_several_files_the_one_that_counts_is_named(tmp_path, monkeypatch):
    """The last that goes as deep; values of the command line stand in no file."""
    (tmp_path / "over.yaml").write_text("figures:\n  v1.2:\n    kind: a\n")
    monkeypatch.setenv(errors.FILES, "config.yaml + over.yaml")
    monkeypatch.setenv(errors.VALUES, json.dumps({"figures": {"other": {"kind": "b"}}}))
    lines = [
        errors.in_order([Mistake(f"figures.{place}", "a")]).partition(" figures")[0]
        for place in ("v1.2.kind", "v1.2.where", "other.kind", "other.pool")
    ]
    assert lines == ["over.yaml:3:11:", "config.yaml:3:3:", "--config:", "config.yaml:16:5:"]


@pytest.mark.parametrize("data", [b"a: [", b"\xff", b"[" * 500, b"", b"- a"])
def test_files_that_cannot_be_looked_up(data: bytes, tmp_path: Path) -> None:
    """What is wrong with them is told elsewhere: a message goes without a line."""
    (tmp_path / "config.yaml").write_bytes(data)
    mistake = Mistake("figures.v1.2", "a")
    assert errors.in_order([mistake], ["config.yaml", "none.yaml"]).endswith(
        "yaml: figures.v1.2: a"
    )


def test_the_command_tells_it_from_any_folder(tmp_path, monkeypatch, capsys):
    """Under the path of the config as it is seen from there."""
    config: dict[str, Any] = {"sources": {"s": {"format": "jsnl"}}}
    (tmp_path / "config.yaml").write_text(json.dumps(config, indent=1))
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert cli.main(["coverage", "s"]) == cli.MISTAKE
    assert "heatproof: ../config.yaml:4:14: sources.s.format: 'jsnl' is" in capsys.readouterr().err
    with pytest.raises(Error, match=r"\.\./config\.yaml:4:14: "):
        cli.plan(tmp_path)


@pytest.mark.parametrize(("wrong", "names", "likely"), [
    ("Model", ["model", "task"], "model"),
    ("max tokens", ["max_tokens"], "max_tokens"),
    ("temp", ["task", "temperature"], "temperature"),
    ("tokens", ["id", "usage.tokens"], "usage.tokens"),
    ("temperatur", ["temp", "temperature"], "temperature"),
    ("te", ["temperature"], ""),
    ("", ["a"], ""),
    ("x", [], ""),
])  # fmt: skip
def test_what_was_meant(wrong: str, names: list[str], likely: str) -> None:
    """In any case, with other separators, as a beginning, or as the end of a place."""
    assert errors.likeliest(wrong, names) == likely


def test_mistakes_stand_in_the_order_of_their_file(tmp_path, monkeypatch):
    """Under its true name; lines that go on with one stay below it."""
    (tmp_path / "my.yaml").write_text(CONFIG)
    monkeypatch.setenv(errors.FILES, "my.yaml")
    mistakes = [
        Mistake("figures.other", "none; write\nfigures:"),
        Mistake("figures.v1.2", "b; config.yaml, not my-config.yaml"),
        Mistake("sources.mine", "b"),
    ]
    assert errors.in_order(mistakes).splitlines() == [
        "my.yaml:6:3: sources.mine: b", "my.yaml:10:3: figures.v1.2: b; my.yaml, not my-config.yaml",
        "my.yaml:13:3: figures.other: none; write", "figures:",
    ]  # fmt: skip
