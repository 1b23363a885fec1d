"""Manuscripts beside figures: planted mistakes are found, honest peculiarities are left alone."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof.config import paths
from heatproof.paper import check, values
from heatproof.paper.findings import Finding
from support import quoted

CASES = yaml.safe_load(Path(__file__).with_name("manuscript.yaml").read_text(encoding="utf-8"))
PLANTED: dict[str, dict[Any, str]] = CASES["planted"]
HONEST: list[str] = CASES["honest"]
MACROS = r"""\newcommand{\ours}{R1-Llama\xspace}
\newcommand{\aime}{\textsc{AIME24}}"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the numbers of a build."""
    root = tmp_path_factory.mktemp("build")
    path = root / paths.VALUES[1]
    path.parent.mkdir()
    path.write_bytes(values.json_text(quoted.figures()))
    return root


def findings(build: Path, items: list[str]) -> list[list[Finding]]:
    """What is found in each item of a manuscript."""
    path, places = quoted.written(build, items, MACROS)
    report = check.check(path, build)
    return [[found for found in report.findings if found.line in lines] for lines in places]


def caught(found: list[Finding], fact: object) -> bool:
    """Whether a contradiction or a question names what the figure has."""
    told = [item for item in found if item.sort != "look"]
    return any(str(fact) in f"{item.prints} {item.why}" for item in told)


def test_planted_mistakes_are_found(build: Path) -> None:
    """Nearly all: numbers, names, tables and claims, each with what its figure has there."""
    listed = findings(build, [text for case in PLANTED.values() for text in case.values()])
    facts = [fact for case in PLANTED.values() for fact in case]
    missed = [
        name for name, found, fact in zip(PLANTED, listed, facts, strict=True)
        if not caught(found, fact)
    ]  # fmt: skip
    assert len(PLANTED) >= 40
    assert missed == []


def test_honest_peculiarities_are_no_contradictions(build: Path) -> None:
    """Rounding, years, hyper-parameters, and the results of others."""
    listed = findings(build, HONEST)
    wrong = [
        (text, item.says, item.why) for text, found in zip(HONEST, listed, strict=True)
        for item in found if item.sort == "contradiction"
    ]  # fmt: skip
    assert len(HONEST) >= 40
    assert wrong == []
