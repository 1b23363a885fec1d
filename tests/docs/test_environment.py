"""The set-up: what the project needs, and what is pinned for it."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
FILES = [f"requirements/{name}.txt" for name in ("run", *EXTRAS)]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: str) -> dict[str, tuple[str, int]]:
    """Package → pinned version and number of hashes."""
    text = (ROOT / file).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    matches = [re.match(r"([\w.-]+)==(\S+)", line) for line in lines]
    assert all(matches), f"{file}: every line pins one version"
    return {
        canonical(match[1]): (match[2], line.count("--hash=sha256:"))
        for match, line in zip(matches, lines, strict=True)
    }


def test_pins_are_one_folder() -> None:
    """A file for running and one for each extra."""
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "requirements").glob("*")}
    assert found == set(FILES)
    assert not list(ROOT.glob("requirements*.txt"))


@pytest.mark.parametrize("file", FILES)
def test_every_pin_has_hashes(file: str) -> None:
    """Each pinned package carries the hashes of its files."""
    assert pins(file)
    assert [name for name, (_, hashes) in pins(file).items() if not hashes] == []


@pytest.mark.parametrize("file", FILES)
def test_no_index_or_path(file: str) -> None:
    """Requirements name no index, no address and no path: any mirror will do."""
    assert (
        re.findall(r"://|--(?!hash=sha256:)\S+|(?<!\w)[@~]|(?:^|\s)/\S", (ROOT / file).read_text())
        == []
    )


@pytest.mark.parametrize("name", ["run", *EXTRAS])
def test_every_dependency_is_pinned(name: str) -> None:
    """What pyproject.toml asks for is pinned in the requirements of the same name."""
    asked = PROJECT["dependencies"] + EXTRAS.get(name, [])
    names = {canonical(re.match(r"[\w.-]+", line)[0]) for line in asked}
    assert names <= pins(f"requirements/{name}.txt").keys()


@pytest.mark.parametrize("extra", EXTRAS)
def test_extras_extend_the_pins(extra: str) -> None:
    """The requirements of an extra hold all run-time pins, in the same versions."""
    base, more = pins("requirements/run.txt"), pins(f"requirements/{extra}.txt")
    assert {name: more.get(name) for name in base} == base


def test_conda_environment_adds_nothing() -> None:
    """environment.yml gives Python and pip; the packages are those of requirements/run.txt."""
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert listed == [
        f"python {PROJECT['requires-python']},<3.14",
        "pip",
        {"pip": ["-r requirements/run.txt"]},
    ]
