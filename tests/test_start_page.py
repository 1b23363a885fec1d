"""docs/start.md: its logs, commands and config are those of the page, and it ends with a figure."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from heatproof.cli.main import main

PAGE = (Path(__file__).parent.parent / "docs/start.md").read_text()


def block(kind: str) -> str:
    """The first block of a kind."""
    [found, *_] = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the logs of the page, where one is."""
    monkeypatch.chdir(tmp_path)
    exec(compile(block("python"), "start.md", "exec"), {})
    return tmp_path


def commands() -> list[list[str]]:
    """The calls of the page, one after the other."""
    found = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [line.split() for text in found for line in text.splitlines()]


def test_init_says_and_writes_what_the_page_shows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To the letter."""
    [program, *words], *_ = commands()
    assert program == "heatproof"
    assert main(words) == 0
    assert capsys.readouterr().out == block("text")
    assert (folder / "config.yaml").read_text() == block("yaml")


@pytest.mark.parametrize(("name", "source"), [("Söme café", "Some-cafe"), ("日本", "logs")])
def test_folders_of_any_script_give_a_name(folder: Path, name: str, source: str) -> None:
    """Accents are left out, and signs without a letter of ASCII give the name of any folder."""
    (folder / "runs").rename(folder / name)
    assert main(["init", name]) == 0
    assert f"\n  {source}:\n" in (folder / "config.yaml").read_text()


@pytest.mark.workflow
def test_the_page_ends_with_a_figure(folder: Path) -> None:
    """With the commands of the page alone, in a folder that is no clone."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    program = Path(sys.executable).with_name("heatproof")
    for _, *words in commands():
        subprocess.run([program, *words], cwd=folder, env=environment, check=True)
    assert (folder / "results/index.html").is_file()
    assert (folder / "results/figures/runs.pdf").is_file()
