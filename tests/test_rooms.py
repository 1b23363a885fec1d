"""Who may import whom: each room of the library stands on those below it, and on no kind or stage."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from heatproof import kinds
from heatproof.kinds import api
from heatproof.util import registry, repository
from support.project import PROJECT

LIBRARY = repository.LIBRARY
HOUSE = PROJECT / "docs/house.md"
KINDS = registry.names(kinds)


@cache
def path_of(module: str) -> Path | None:
    """The file of a module; None if there is no such module."""
    base = LIBRARY.parent.joinpath(*module.split("."))
    places = (base.with_suffix(".py"), base / "__init__.py")
    return next((place for place in places if place.is_file()), None)


@cache
def imported(path: Path, types: bool) -> tuple[str, ...]:
    """The modules of the library that a file imports, inside functions too, and for `types`."""
    names: list[str] = []
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not types:
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "heatproof":
            inside = [f"{node.module}.{name.name}" for name in node.names]
            names += [name if path_of(name) else str(node.module) for name in inside]
        elif isinstance(node, ast.Import):
            names += [name.name for name in node.names if name.name.split(".")[0] == "heatproof"]
    return tuple(names)


def files(room: str) -> list[Path]:
    """The files of a room, which may be one."""
    alone = LIBRARY / f"{room}.py"
    return [alone] if alone.is_file() else [*(LIBRARY / room).rglob("*.py")]


def test_kinds_stand_on_what_they_share() -> None:
    """No kind imports another or writes files, and what all share knows no kind.

    But for those that show the cells of a heatmap otherwise: they stand on its folder.
    """
    shared, wrong = {*kinds.SHARED} - {"frame"}, []
    for path in (LIBRARY / "kinds").rglob("*.py"):
        own = path.relative_to(LIBRARY / "kinds").parts[0].removesuffix(".py")
        is_view = own == "frame" or (own in KINDS and api.is_file(own))
        may = {own, "", *shared, *(["frame", "heatmap"] if is_view else [])}
        for name in imported(path, types=False):
            _, room, module, *_ = [*name.split("."), ""]
            if room == "export" or (room == "kinds" and module not in may):
                wrong.append(f"{path.relative_to(LIBRARY)} -> {name}")
    assert wrong == []


def test_to_know_what_there_is_no_heavy_library_is_loaded() -> None:
    """Every start of a run reads the config and asks all formats and kinds: it must not wait."""
    asks = """
import sys
from heatproof import kinds, formats
from heatproof import build, plan
from heatproof.util import registry, repository
from heatproof.provenance import verify
for room in (kinds, formats):
    for name in registry.names(room):
        registry.load(room, name)
print(*sorted({"altair", "isal", "jinja2", "numpy", "polars", "pyarrow"} & set(sys.modules)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", asks], cwd=LIBRARY.parent, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == []


def test_a_config_loads_the_formats_that_it_names_alone() -> None:
    """Each job of a cluster reads the config anew: it need not know all formats and kinds."""
    asks = """
import sys
from heatproof.config import configuration
fields = {"model": "m", "task": "t", "sample_id": "id", "score": "s"}
source = {"format": "jsonl", "logs": "*.jsonl", "fields": fields}
config, mistakes = configuration.examined({"sources": {"answers": source}})
print(*config.sources, *mistakes)
print(*(name for name in sys.modules if name.endswith("_format")))
"""
    ran = subprocess.run(
        [sys.executable, "-c", asks], cwd=LIBRARY.parent, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["answers", "heatproof.formats.jsonl_format"]


def test_no_stage_asks_which_kind_it_has() -> None:
    """Outside of the rooms of kinds nothing asks for a kind's columns or its name, or imports it.

    But the plan, which knows a heatmap's entry.
    """
    names = "|".join(KINDS)
    asks = rf'\.kind == "({names})"|"bin_samples" in'
    imports = rf"heatproof\.kinds\.({names})"
    for room in ("plan", "page", "provenance", "export", "charts"):
        asked = re.compile(asks if room == "plan" else f"{asks}|{imports}")
        assert [path for path in files(room) if asked.search(path.read_text())] == []


def sources() -> Iterator[Path]:
    """Everything of ours that runs."""
    root = repository.ROOT
    yield from (path for path in LIBRARY.rglob("*.py") if path.name != "terminal.py")
    yield from (root / "workflow/scripts").glob("*.py")
    yield from (root / "workflow/rules").glob("*.smk")
    yield root / "Snakefile"


def test_there_is_no_other_way_to_the_terminal() -> None:
    """Nothing is printed, and no error raised at Snakemake, but through one function."""
    other = re.compile(r"\bprint\(|\.std(?:out|err)\.write\(|WorkflowError\((?!terminal\.plain\()")
    found = {path.name: other.findall(path.read_text()) for path in sources()}
    assert {name: calls for name, calls in found.items() if calls} == {
        "views.py": [".stdout.write("]  # CSV for a program that reads it
    }


ROOMS = (
    "util", "statistics", "metrics", "pair_numbers", "config", "logs", "formats", "samples", "ledger",
    "worker", "charts", "export", "kinds", "plan", "printed", "provenance", "page", "changes",
    "paper", "sweep", "gate", "preview", "build",
    "library", "init", "cli",
)  # fmt: skip
"""Data flows down this list; docs/house.md says what each room holds."""
BY_NAME = {"heatproof.kinds", "heatproof.formats", "heatproof.cli"}
"""Packages whose modules are found by their names: to name them alone is no import up."""


def test_no_import_goes_up() -> None:
    """A room stands on those before it, types included; on what is found by name, by name alone."""
    found = []
    for path in LIBRARY.rglob("*.py"):
        own = path.relative_to(LIBRARY).parts[0].removesuffix(".py")
        if own == repository.INSIDE:  # the scripts that a wheel carries
            continue
        for name in imported(path, types=True) if not own.startswith("__") else ():
            room = name.split(".")[1] if "." in name else own
            up = name not in BY_NAME and ROOMS.index(room) > ROOMS.index(own)
            found += [f"{path.relative_to(LIBRARY)} -> {name}"] if up else []
    assert found == []


def test_every_room_is_told_of() -> None:
    """No folder or module of the library that the list does not know; docs/house.md has all of it."""
    there = {path.name.removesuffix(".py") for path in LIBRARY.iterdir()}
    plain = {"__init__", "__main__", "__pycache__", "py.typed", repository.INSIDE}
    assert there - plain == {*ROOMS}
    told = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", HOUSE.read_text(), re.MULTILINE)
    assert told == [*ROOMS]


def test_files_that_the_house_names_are_there() -> None:
    """Who looks where docs/house.md says finds the file."""
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", HOUSE.read_text())
    assert named
    assert [name for name in named if not (LIBRARY / name).is_file() and name[:5] != "tests"] == []


def test_no_module_is_named_like_one_of_the_standard_library() -> None:
    """A script that is started in a folder of ours would import it instead.

    But for words that are the field's, and the names of commands and of parts of a kind.
    """
    field = {"statistics", "trace"}
    names = {path.stem for path in LIBRARY.rglob("*") if path.suffix == ".py" or path.is_dir()}
    assert names & sys.stdlib_module_names - {"__main__"} == field
