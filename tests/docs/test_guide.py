"""The page for coding assistants: its commands answer as it says, its sources read what it shows."""

import ast
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


def test_a_page_or_a_section_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """As it lies in docs/; of a section what links of that address lead to, with those inside."""
    page = test_pages.read("docs/logs.md")
    for address in ("logs", "docs/logs.md"):
        assert cli.main(["guide", address]) == 0
        assert capsys.readouterr().out == page
    assert cli.main(["guide", "logs#missing-samples", "--json"]) == 0
    section = json.loads(capsys.readouterr().out)["page"]
    assert section.startswith("### Missing samples\n")
    assert page.partition(section)[2].startswith("### A sweep that is still running\n")
    assert cli.main(["guide", "logs#any-records"]) == 0
    assert section in capsys.readouterr().out


@pytest.mark.parametrize(("address", "words"), [
    ("lgs", "'lgs' is no page; there are clusters, decisions, "),
    ("lgs", "(did you mean 'logs'?)"),
    ("logs#missing", "the page logs has no section 'missing'; there are logs, any-records, "),
])  # fmt: skip
def test_a_page_that_is_none_is_told(
    address: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With those that there are."""
    assert cli.main(["guide", address]) == 2
    assert words in capsys.readouterr().err


def told(path: Path) -> Iterator[str]:
    """The texts of a file of the library; of docstrings those of keys, which the schema has."""
    tree = ast.parse(path.read_text())
    silent = {
        id(child.value)
        for node in ast.walk(tree)
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.Expr) and not isinstance(node, ast.ClassDef)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.value


def test_messages_lead_to_pages_that_are_installed() -> None:
    """They name `heatproof guide PAGE`, with a page and a section that are there, and no file of docs/."""
    addresses = set[str]()
    for path in repository.LIBRARY.rglob("*.py"):
        for text in told(path):
            addresses |= {*re.findall(r"heatproof guide ([\w#-]*\w)", text)}
            assert not re.search(r"docs/\w+\.md", text), (path, text)
    assert "logs#your-own-layouts" in addresses
    assert [cli.main(["guide", address]) for address in addresses] == [0] * len(addresses)
