"""The README: what it tells people to type works."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from heatproof.cli import main
from heatproof.config import configuration
from heatproof.util import errors

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def readme(project: Path) -> str:
    """The text of README.md."""
    return (project / "README.md").read_text()


def test_set_up_is_two_commands(readme: str) -> None:
    """What a clone needs are two commands, which install from the pinned requirements."""
    section = readme.partition("## This repository")[2]
    first, second = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()
    assert first.startswith("python3 -m venv .venv && .venv/bin/pip install --require-hashes")
    assert re.findall(r"-r (\S+)", f"{first} {second}") == [
        "requirements/run.txt",
        "requirements/dev.txt",
    ]
    assert first.endswith("snakemake")
    assert second.endswith("pytest")


def test_it_is_short_and_says_what_init_says(readme: str, project: Path) -> None:
    """The lines of `init` stand on the page of the first figure too, where they are run."""
    assert len(readme.splitlines()) <= 150
    start = (project / "docs/start.md").read_text().splitlines()
    lines = re.search(r"```text\n(.*?)```", readme, re.DOTALL)[1].splitlines()
    assert [line for line in lines if line not in start] == []


def test_a_typo_is_told_as_it_says(readme, tmp_path, monkeypatch):
    """In its own config, with line and column."""
    example = re.search(r"```yaml\n(.*?)```", readme, re.DOTALL)[1]
    assert [*configuration.read(yaml.safe_load(example)).figures] == ["tiny-kv-s96"]
    monkeypatch.chdir(tmp_path)
    typo = example.replace("kind: heatmap", "kind: heatmp")
    Path("config.yaml").write_text(typo)
    (line,) = errors.in_order(configuration.examined(yaml.safe_load(typo))[1]).splitlines()
    assert line in readme.splitlines()


PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (PROJECT / "docs").glob("*.md"))]


OTHERS = [".github/CONTRIBUTING.md", ".github/SECURITY.md"]


@pytest.mark.parametrize("page", [*PAGES, *OTHERS])
def test_what_a_page_names_is_there(page: str) -> None:
    """Paths of the project, and where links lead to: pages, their headings, pictures."""
    text = (PROJECT / page).read_text()
    named = re.findall(r"`((?:workflow|data|tests|docs|requirements|\.ci)/[\w./-]*\w/?)`", text)
    assert [path for path in named if "NAME" not in path and not (PROJECT / path).exists()] == []
    for link in re.findall(r"\]\(([^)]+)\)", text):
        path, _, heading = link.partition("#")
        target = (PROJECT / page).parent / path if path else PROJECT / page
        assert target.is_file(), link
        assert not heading or heading in headings(target)


def headings(page: Path) -> list[str]:
    """What links call the headings of a page, outside of its blocks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return [re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title).lower()) for title in titles]


def test_every_page_is_linked_from_the_readme(readme: str) -> None:
    """None lies where nobody finds it."""
    assert [page for page in PAGES[1:] if f"]({page})" not in readme] == []


@pytest.mark.parametrize("page", [*PAGES, *OTHERS])
def test_the_commands_it_shows_are_commands(page: str) -> None:
    """Each `heatproof …` of its blocks is one that the command line takes."""
    text = (PROJECT / page).read_text()
    fences = re.findall(r"^```(\w*).*?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    blocks = [block for language, block in fences if language in ("", "sh")]
    named = re.findall(r"(?:`|uvx )heatproof (\w+)", text)
    for name in {*named}:
        with pytest.raises(SystemExit, match=r"^0$"):
            main.parse([name, "--help"])
    for line in "\n".join(blocks).splitlines():
        if line.startswith("heatproof "):
            main.parse(shlex.split(line, comments=True)[1:])
