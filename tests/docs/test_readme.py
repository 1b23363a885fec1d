"""The README: what it tells people to type works."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from heatproof.cli import main
from heatproof.config import configuration

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def readme(project: Path) -> str:
    """The text of README.md."""
    return (project / "README.md").read_text()


def test_set_up_is_two_commands(readme: str) -> None:
    """The first block holds two commands, which install from the pinned requirements."""
    first, second = re.search(r"```sh\n(.*?)```", readme, re.DOTALL)[1].splitlines()
    assert first.startswith("python3 -m venv .venv && .venv/bin/pip install --require-hashes")
    assert re.findall(r"-r (\S+)", f"{first} {second}") == [
        "requirements/run.txt",
        "requirements/dev.txt",
    ]
    assert first.endswith("snakemake")
    assert second.endswith("pytest")


def test_the_line_of_uv_is_that_of_pip(readme: str) -> None:
    """The second block does with uv what the first line does."""
    first, other = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)[:2]
    words = first.splitlines()[0].replace("python3 -m venv .venv", "uv venv")
    # pip compiles modules by itself.
    words = words.replace("install --require", "install --compile-bytecode --require")
    assert other.splitlines() == [words.replace(".venv/bin/pip install", "uv pip install")]


def test_the_example_is_a_valid_config(readme: str) -> None:
    """The example for one's own logs passes the checks of config.yaml."""
    example = re.search(r"```yaml\n(.*?)```", readme, re.DOTALL)[1]
    assert set(configuration.read(yaml.safe_load(example)).figures) == {"mine", "duels"}


def test_the_harness_formats_are_valid(readme: str) -> None:
    """The examples of the harnesses' formats pass the checks of config.yaml, but for `auto`."""
    example = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)[1])
    del example["sources"]["unknown"]  # looks at files
    assert len(configuration.read(example).sources) == len(example["sources"])


PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (PROJECT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page: str) -> None:
    """Paths of the project, and where links lead to: pages, their headings, pictures."""
    text = (PROJECT / page).read_text()
    named = re.findall(r"`((?:workflow|data|tests|docs|requirements|\.ci)/[\w./-]*\w/?)`", text)
    assert [path for path in named if "NAME" not in path and not (PROJECT / path).exists()] == []
    for link in re.findall(r"\]\(([^)]+)\)", text):
        path, _, heading = link.partition("#")
        target = (PROJECT / page).parent / path
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


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_it_shows_are_commands(page: str) -> None:
    """Each `heatproof …` of its blocks is one that the command line takes."""
    blocks = re.findall(r"```(?:sh)?\n(.*?)```", (PROJECT / page).read_text(), re.DOTALL)
    for line in "\n".join(blocks).splitlines():
        if line.startswith("heatproof "):
            main.parse(shlex.split(line, comments=True)[1:])
