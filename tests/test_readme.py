"""The README: what it tells people to type works."""

import re
from pathlib import Path

import pytest
import yaml

from heatproof.config import configuration


@pytest.fixture
def readme(project: Path) -> str:
    """The text of README.md."""
    return (project / "README.md").read_text()


def test_set_up_is_two_commands(readme: str) -> None:
    """The first block holds two commands, which install from the pinned requirements."""
    first, second = re.search(r"```sh\n(.*?)```", readme, re.DOTALL)[1].splitlines()
    assert first.startswith("python3 -m venv .venv && .venv/bin/pip install --require-hashes")
    assert re.findall(r"-r (\S+)", f"{first} {second}") == [
        "requirements.txt",
        "requirements-dev.txt",
    ]
    assert first.endswith("snakemake")
    assert second.endswith("pytest")


def test_the_example_is_a_valid_config(readme: str) -> None:
    """The example for one's own logs passes the checks of config.yaml."""
    example = re.search(r"```yaml\n(.*?)```", readme, re.DOTALL)[1]
    assert set(configuration.read(yaml.safe_load(example)).figures) == {"mine", "duels"}


def test_the_harness_formats_are_valid(readme: str) -> None:
    """The examples of the harnesses' formats pass the checks of config.yaml, but for `auto`."""
    example = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)[1])
    del example["sources"]["unknown"]  # looks at files
    assert len(configuration.read(example).sources) == len(example["sources"])


def test_the_files_it_names_exist(readme: str, project: Path) -> None:
    """Every path in the project that the README names is there."""
    named = re.findall(r"`((?:workflow|data|tests|\.ci)/[\w./-]*\w/?)`", readme)
    places = [path for path in named if "NAME" not in path and not (project / path).exists()]
    assert named
    assert places == []
