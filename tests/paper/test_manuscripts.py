"""Manuscripts beside figures: planted mistakes are found, honest peculiarities are left alone."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof.config import paths
from heatproof.kinds.printed_values import Exact, PrintedCell, PrintedFigure
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


def figure(**values: Exact) -> dict[str, PrintedFigure]:
    """A figure of models on two tasks."""
    printed = PrintedFigure(columns={"model": "Model", "task": "Task"}, percent=True)
    for model, exact in values.items():
        for task in ("QA", "MT"):
            address = {"model": model, "task": task}
            cell = PrintedCell(address=address, names=address, value=f"{exact.value}", exact=exact)
            printed.add(cell)
    return {"scores": printed}


@pytest.mark.parametrize(
    ("sentence", "contradictions"),
    [
        ("On QA, net-max has 40.0 at 12.5 each.", []),  # along x
        ("On QA, net-max has 40.0 at 13.5 each, and 22.5 % before.", []),  # one is of the cell
        ("On QA, net-max has 41.0 %.", ["41.0"]),
        ("On QA, net-max and net-mini reach 30.0.", []),  # its name is no claim
        ("On QA, the highest of net-max and net-mini reaches 30.0.", ["30.0"]),
    ],
)
def test_a_number_may_be_another_of_its_cell(
    sentence: str, contradictions: list[str], tmp_path: Path
) -> None:
    """Such as that along x of a scatter chart."""
    path = tmp_path / paths.VALUES[1]
    path.parent.mkdir()
    cells = {"net-max": Exact(40.0, beside=[12.5]), "net-mini": Exact(30.0, beside=[10.0])}
    path.write_bytes(values.json_text(figure(**cells)))
    (tmp_path / "main.md").write_text(sentence)
    found = check.check(tmp_path / "main.md", tmp_path).findings
    assert [item.says for item in found if item.sort == "contradiction"] == contradictions


def test_numbers_of_a_former_build_are_stale(tmp_path: Path) -> None:
    """A table that equals it contradicts, though all its numbers are others than those of now."""
    now = {"net-max": Exact(40.4), "net-mini": Exact(30.5)}
    before = {"net-max": Exact(43.7), "net-mini": Exact(28.9)}
    places = {paths.VALUES[1]: now, f"{paths.FORMER_VALUES}/0a.json": before}
    for place, cells in places.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        numbers = figure(**cells)
        numbers["scores"].id = "0badcafe" if cells is before else "1234abcd"
        for number, cell in enumerate(numbers["scores"].cells.values()):
            value = (cell.exact.value or 0.0) + number
            cell.value, cell.exact = f"{value:.1f}", Exact(value)
        path.write_bytes(values.json_text(numbers))
    lines = ["| Model | QA | MT |", "|--|--|--|", "| net-max | {} | {} |", "| net-mini | {} | {} |"]
    (tmp_path / "main.md").write_text("\n".join(lines).format(43.7, 44.7, 30.9, 31.9))
    found = check.check(tmp_path / "main.md", tmp_path).findings
    assert [item.sort for item in found] == ["contradiction"] * 4
    assert (
        found[0].why
        == "scores prints 40.4 at model=net-max, task=QA; stale: heatproof 0badcafe printed 43.7"
    )
    (tmp_path / "main.md").write_text("\n".join(lines).format(44.7, 45.7, 32.9, 33.9))
    (other,) = check.check(tmp_path / "main.md", tmp_path).findings
    assert other.sort == "question"
