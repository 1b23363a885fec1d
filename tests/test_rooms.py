"""Who may import whom: each room of the library stands on those below it, and on no kind or stage."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from heatproof import code, figures, numbers, registry
from heatproof.gallery import evidence, tables
from heatproof.proof import traces

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBRARY = Path(code.__file__).parent
KINDS = {"heatmaps", "pairwise", "figures"}
STAGES = {"gallery", "proof", "crates", "numbers", "files"}


def modules(room: str) -> list[str]:
    """The modules of a room, by their full names."""
    paths = (LIBRARY / room).rglob("*.py")
    found = (path.relative_to(LIBRARY.parent).with_suffix("").parts for path in paths)
    return [".".join(part for part in parts if part != "__init__") for parts in found]


def rooms(names: set[str]) -> set[str]:
    """The rooms that modules lie in."""
    parts = (name.split(".") for name in names)
    return {part[1] for part in parts if len(part) > 2}


def named(room: str) -> str:
    """The text of a room's modules."""
    return "\n".join(path.read_text() for path in (LIBRARY / room).rglob("*.py"))


def test_parts_of_charts_know_no_kind() -> None:
    """What all kinds are drawn with names none of them, not even as a type."""
    used = set(re.findall(r"heatproof\.(\w+)", named("charts")))
    assert not used & (KINDS | STAGES)


@pytest.mark.parametrize("kind", ["heatmaps", "pairwise"])
def test_kinds_know_no_stage_and_no_other_kind(kind: str) -> None:
    """Aggregation and drawing of a kind stand on charts, statistics and counts."""
    assert not rooms(code.closure(modules(kind))) & ((KINDS | STAGES) - {kind})


@pytest.mark.parametrize("room", ["reading", "readers"])
def test_reading_knows_no_drawing(room: str) -> None:
    """A change of a chart reads no log again."""
    assert not rooms(code.closure(modules(room))) & (KINDS | STAGES | {"charts"})


def test_files_are_written_without_tables_and_altair() -> None:
    """Export starts fast: of the heavy libraries it needs the renderer alone."""
    used = code.closure(modules("files"))
    paths = (LIBRARY.parent / f"{name.replace('.', '/')}.py" for name in used)
    text = "\n".join(path.read_text() for path in paths if path.is_file())
    assert not re.search(r"^ *(from|import) .*(polars|altair|numpy)", text, re.MULTILINE)


def test_to_know_what_there_is_no_heavy_library_is_loaded() -> None:
    """Every start of a run reads the config and asks all formats and kinds: it must not wait."""
    asks = """
import sys
from heatproof import figures, plan, readers, registry
from heatproof.crates import crate
from heatproof.proof import brought
for room in (figures, readers):
    for name in registry.names(room):
        registry.load(room, name)
print(*sorted({"altair", "isal", "jinja2", "numpy", "polars", "pyarrow"} & set(sys.modules)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", asks], cwd=LIBRARY.parent, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == []


@pytest.mark.parametrize("room", [numbers, tables, evidence, traces])
def test_kinds_are_found_by_name_alone(room) -> None:
    """A room has modules named like kinds and a plain one; nothing else in it knows a kind."""
    assert set(registry.names(room)) <= set(registry.names(figures))
    assert (Path(room.__file__).parent / "_plain.py").is_file()


@pytest.mark.parametrize("room", ["gallery", "proof", "crates"])
def test_what_stages_share_knows_no_kind(room: str) -> None:
    """Beside the modules that are named like kinds, a stage names none."""
    text = "".join(path.read_text() for path in (LIBRARY / room).glob("*.py"))
    assert not re.search(r"heatproof\.(heatmaps|pairwise|figures)", text)


def test_no_stage_asks_which_kind_it_has() -> None:
    """Outside of the rooms of kinds nothing asks for the columns or the name of a kind."""
    own = {f"{kind}.py" for kind in registry.names(figures)}
    asked = re.compile(r'\.kind == "|"x_model" in|"pair_n" in|is_pairwise')
    found = [
        path.relative_to(LIBRARY).as_posix()
        for path in LIBRARY.rglob("*.py")
        if path.name not in own and asked.search(path.read_text())
    ]
    assert found == []


def test_evidence_and_traces_redraw_nothing() -> None:
    """What tells of a cell is no part of what draws it."""
    drawn = code.closure(["heatproof.figures.heatmap", "heatproof.figures.pairwise"])
    assert not rooms(drawn) & STAGES


def sources() -> Iterator[Path]:
    """Everything of ours that runs."""
    root = code.REPOSITORY
    yield from (path for path in LIBRARY.rglob("*.py") if path.name != "terminal.py")
    yield from (root / "workflow/scripts").glob("*.py")
    yield from (root / "workflow/rules").glob("*.smk")
    yield root / "Snakefile"


def test_there_is_no_other_way_to_the_terminal() -> None:
    """Nothing is printed, and no error raised at Snakemake, but through one function."""
    other = re.compile(r"\bprint\(|\.std(?:out|err)\.write\(|WorkflowError\((?!terminal\.plain\()")
    found = {path.name: other.findall(path.read_text()) for path in sources()}
    assert {name: calls for name, calls in found.items() if calls} == {
        "coverage.py": [".stdout.write("]  # CSV for a program that reads it
    }
