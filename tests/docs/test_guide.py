"""The page for coding assistants: its commands answer as it says, its sources read what it shows."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import test_pages
import yaml

from heatproof.cli import main as cli
from heatproof.config import configuration
from heatproof.library import reading
from heatproof.util import repository

PAGE = "docs/llms.txt"
LONGEST = 150  # lines that an assistant reads without harm
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)
SOURCES = test_pages.RECORD.findall(test_pages.read(PAGE))


def test_it_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """As it lies beside the pages; it is short, and says what each command prints as JSON."""
    assert cli.main(["guide"]) == 0
    text = capsys.readouterr().out
    assert text == (repository.ROOT / PAGE).read_text()
    assert len(text.splitlines()) <= LONGEST
    documented = {name for name, _ in ROW.findall(text)}
    for command in cli.parser().get_default("commands"):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        assert "--json" in capsys.readouterr().out, command
        assert command in documented


@pytest.mark.parametrize("name", [name for name, *_ in SOURCES])
def test_a_source_reads_its_record(name: str, tmp_path: Path) -> None:
    """The record that stands beside it."""
    config = yaml.safe_load(test_pages.blocks(PAGE, "yaml")[0].text)
    assert [*config["sources"]] == [name for name, *_ in SOURCES]
    test_pages.write_files(PAGE, tmp_path)
    (path,) = [path for source, path, _ in SOURCES if source == name]
    source = configuration.read({"sources": {name: config["sources"][name]}}).sources[name]
    tables, *_ = reading.tables_of(source, [path], tmp_path)
    assert len(tables.rejected) == 0
    assert len(tables.samples) == {"wide": 2, "scorers": 2, "games": 2}.get(name, 1)
    assert {*tables.samples["model"]} <= {"a", "b"}


def keys(value: Any) -> Iterator[str]:
    """The keys of a JSON value and of the objects in it, as far down as the page names them."""
    rows = value if isinstance(value, list) else [value]
    for row in rows:
        if isinstance(row, dict):
            yield from row


@pytest.mark.workflow
def test_commands_answer_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each line runs; what it prints is JSON whose outermost keys stand in the row of its command."""
    monkeypatch.chdir(tmp_path)
    test_pages.write_files("docs/start.md", tmp_path)
    Path("draft.md").write_text("The small model solves 35 % of the problems.\n")
    rows = dict(ROW.findall(test_pages.read(PAGE)))
    answered = set[str]()
    for line in test_pages.commands(PAGE):
        test_pages.run_lines([line])
        text = capsys.readouterr().out
        command = line.split()[1]
        if "--json" in line:
            known = {*re.findall(r"`([$\w]+)`", rows[command])}
            assert {*keys(json.loads(text))} <= known | {"temperature"}, line  # of their runs
            answered.add(command)
    assert answered == rows.keys()
