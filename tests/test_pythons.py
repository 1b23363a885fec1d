"""What one of the Pythons that README.md names would run otherwise than the others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from heatproof.util import repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)
PLACES = (
    *repository.LIBRARY.rglob("*.py"),
    *(repository.ROOT / "workflow/scripts").glob("*.py"),
)


def names(nodes: Iterable[ast.AST], kind: type[ast.expr_context]) -> set[str]:
    """Those that are read, or set, below some nodes."""
    every = (one for node in nodes for one in ast.walk(node))
    return {one.id for one in every if isinstance(one, ast.Name) and isinstance(one.ctx, kind)}


def targets(part: ast.AST) -> set[str]:
    """What a comprehension runs over is called so; nothing of other nodes."""
    return names((one.target for one in getattr(part, "generators", ())), ast.Store)


def confused(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name where a comprehension reads a name that another of the function sets.

    Only names of the module: arguments and what the function sets elsewhere are local anyway.
    """
    assert isinstance(tree, ast.Module)
    kept = [one for one in tree.body if isinstance(one, ast.Assign | ast.AnnAssign)]
    ours = {getattr(one, "name", "") for one in tree.body} | names(kept, ast.Store)
    ours |= {one.asname or one.name for part in tree.body for one in getattr(part, "names", ())
             if isinstance(one, ast.alias)}  # fmt: skip
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            parts = [one for one in ast.walk(function) if isinstance(one, INLINED)]
            every = set().union(*map(targets, parts)) & ours
            for part in parts if every else ():
                bound = [targets(one) for one in parts if one is not part and within(part, one)]
                read = free(part) - set().union(*bound)
                yield from ((part.lineno, name) for name in sorted(every & read))


def within(part: ast.AST, other: ast.AST) -> bool:
    """Whether a comprehension is part of another."""
    return any(one is part for one in ast.walk(other))


def free(node: ast.AST) -> set[str]:
    """Names that are read and come from outside of a node, as the first iterable of one does."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    first = node.generators[0].iter if isinstance(node, INLINED) else None
    inner = [one for one in ast.iter_child_nodes(node) if one is not first]
    read = set().union(*map(free, inner)) - targets(node)
    return read | (free(first) if first else set())


def test_no_comprehension_reads_what_another_runs_over() -> None:
    """Python 3.12.0 and 3.12.1 take it for a local name without a value, others for the global one."""
    found = [
        f"{path.name}:{line}: {name}"
        for path in PLACES
        for line, name in confused(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "def name(): 1\ndef f():\n a = [name for name in 'ab']\n return {name(p): p for p in a}",
        "from m import name\ndef f():\n return [[one for one in name] for name in name(1)]",
    ],
)
def test_the_guard_sees_them(text: str) -> None:
    """Both shapes that failed, or might."""
    assert {name for _, name in confused(ast.parse(text))} == {"name"}
