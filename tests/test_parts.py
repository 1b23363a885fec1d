"""parts: of a figure kind's file, each stage counts what it runs, and what may matter besides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heatproof import code, parts, stages
from test_freshness import stages as redone
from test_new import heatproof

CURVE = (Path(__file__).parent / "examples/curve.py").read_text()
SCRIPTS = {stage: (code.SCRIPTS / f"{stage}.py").read_text() for stage in ("aggregate", "draw")}


def part(text: str, *names: str, called: tuple[str, ...] = ()) -> str:
    """What counts of a module, for these names."""
    return parts.part(text, frozenset(names), frozenset(called))


def rooms(stage: str, kind: str) -> set[str]:
    """Modules that the digest of a stage follows."""
    whole, pieces = code._found_in(stages.modules(stage, [kind]), SCRIPTS[stage])
    return {name.removeprefix("heatproof.") for name in whole | pieces.keys()}


@pytest.mark.parametrize("kind", ["heatmap", "pairwise"])
def test_grids_do_not_hang_on_drawing_nor_drawing_on_grids(kind: str) -> None:
    """No module that draws is followed for a grid; no statistics, for a drawing."""
    assert not {name for name in rooms("aggregate", kind) if name.startswith(("charts", "files"))}
    assert not {name for name in rooms("draw", kind) if name.startswith("statistics")}
    assert "charts.colour" in rooms("draw", kind)
    assert "statistics.tied" in rooms("aggregate", "heatmap")


def test_a_kind_of_one_file_has_two_parts() -> None:
    """An edit of the example's `draw` is no edit of what its `aggregate` stands on, nor back."""
    for name, other, old, new in (
        ("draw", "aggregate", "mark_line", "mark_area"),
        ("aggregate", "draw", "n_unique", "count"),
    ):
        edited = CURVE.replace(old, new)
        assert part(edited, "Entry", name) != part(CURVE, "Entry", name)
        assert part(edited, "Entry", other) == part(CURVE, "Entry", other)
    assert "charts import page" not in part(CURVE, "Entry", "aggregate")
    assert "charts import page" in part(CURVE, "Entry", "draw")


TEXT = '''"""About."""
from a import one, two as second
import b.c

@register
def noted(): return one()

def helper(): return second
def root(): return helper() + LIMIT
LIMIT = 3
OTHER = 4
CALLED = b.compute()
class Kind(Base):
    value: int = OTHER
    def quiet(self): return b
    @property
    def loud(self): return 1
    def __eq__(self, other): return True
    @watched
    def seen(self): return 2
'''


def test_what_a_function_uses_counts_at_any_remove() -> None:
    """Helpers, constants and imports, and of an import the names that are used."""
    found = part(TEXT, "root")
    for line in ("from a import two as second", "def helper()", "LIMIT = 3"):
        assert line in found
    assert "OTHER" not in found
    assert "class Kind" not in found


def test_what_may_do_something_by_itself_counts() -> None:
    """Decorators that may hand on what they get, and calls at the top of the file."""
    found = part(TEXT, "root")
    for line in (
        "@register",
        "def noted()",
        "from a import one",
        "CALLED = b.compute()",
        "import b.c",
    ):
        assert line in found


def test_methods_count_where_their_name_is_spoken() -> None:
    """Those that anything may call: with two underscores, or decorated by what is not known."""
    found = part(TEXT, "Kind")
    assert "OTHER = 4" in found
    assert "def __eq__" in found
    assert "def seen" in found
    assert "def quiet" not in found
    assert "def loud" not in found
    found = part(TEXT, "Kind", called=("quiet", "loud"))
    assert "def quiet" in found
    assert "@property\n    def loud" in found
    assert "def quiet" in part(TEXT, "Kind", called=("*",))


@pytest.mark.parametrize(
    ("text", "name"),
    [("entry.shown()", "shown"), ("getattr(entry, 'shown')", "shown"), ("getattr(entry, name)", "*"),
     ("getattr(entry,\n  f'{name}')", "*")],
)  # fmt: skip
def test_names_by_which_methods_are_called(text: str, name: str) -> None:
    """After a dot, or in quotes; a name that is put together may be any."""
    assert name in parts.spoken(text)


def test_a_module_of_that_name_is_no_method() -> None:
    """`problems` in an import calls nothing."""
    assert "problems" not in parts.spoken("from heatproof.heatmaps.problems import panels\n")


@pytest.mark.parametrize("word", ["globals()['x']", "eval('x')", "vars()", "__getattr__"])
def test_a_module_that_finds_names_otherwise_counts_whole(word: str) -> None:
    """Where the text does not tell what is used, all is."""
    text = f"{TEXT}\ndef odd(): return {word}\n"
    assert part(text, "root") == text


@pytest.mark.parametrize(
    "extra",
    [
        "LIMIT += 1",
        "Kind.more = 1",
        "for x in LIMIT: x()",
        "if LIMIT:\n    LIMIT = 2",
        "a, c = 1, 2",
    ],
)
def test_statements_that_are_no_plain_definition_count(extra: str) -> None:
    """They may change anything."""
    assert extra in part(f"{TEXT}\n{extra}\n", "helper")


@pytest.mark.workflow
def test_why_knows_the_part_that_changed(copy_of_small: Any) -> None:
    """It names the file once, for the first stage that runs what was edited in it."""
    path = copy_of_small.root / "workflow/src/heatproof/figures/heatmap.py"
    text = path.read_text()
    for old, new, first in (
        ("factor = 100.0", "factor = 100.00", "draw"),
        ("x: str\n", "x: str  # column\n", "aggregate"),
    ):
        path.write_text(text.replace(old, new, 1))
        status, said = heatproof(copy_of_small, "why", "grid")
        assert said.count("figures/heatmap.py changed") == 1, (status, said)
        assert f"  {first:11} workflow/src/heatproof/figures/heatmap.py changed" in said


@pytest.mark.workflow
def test_an_edit_redoes_the_stages_that_run_it(copy_of_small: Any) -> None:
    """Of the kinds, of parts that all kinds share, and of what all stages of a kind share."""
    library = copy_of_small.root / "workflow/src/heatproof"
    for path, old, new, grids, drawn in (
        ("figures/heatmap.py", "factor = 100.0", "factor = 100.00", False, True),
        ("figures/heatmap.py", "x: str\n    y: str", "x: str  # column\n    y: str", True, True),
        ("charts/sheet.py", '"""', '"""Yes: ', False, True),
        ("heatmaps/marks.py", '"""', '"""Yes: ', False, True),
        ("heatmaps/grids.py", '"""', '"""Yes: ', True, True),
        ("statistics/tied.py", '"""', '"""Yes: ', True, True),
        ("pairwise/squares.py", '"""', '"""Yes: ', False, True),
        ("pairwise/binning.py", '"""', '"""Yes: ', True, True),
    ):
        text = (library / path).read_text()
        assert old in text, path
        (library / path).write_text(text.replace(old, new, 1))
        found = redone(copy_of_small)
        assert ("aggregate" in found, "draw" in found) == (grids, drawn), path
        assert "normalize" not in found
        (library / path).write_text(text)
