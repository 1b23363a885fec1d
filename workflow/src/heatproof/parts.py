"""The part of a module that some of its names stand on, read from its text; nothing is run.

A figure kind may be one file, but a change in how it draws must not count its grids anew. So of a
kind's file each stage counts only the functions that it calls and what these use. What is not
certain to be of no use counts.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

HARMLESS = {"property", "staticmethod", "classmethod", "cached_property", "cache", "override"}
"""Decorators that hand what they are given to nobody else."""
SPOKEN = re.compile(r"\.(\w+)(?!\w* import\b)|[\"'](\w+)[\"']")
"""What may be the name of a method that is called: after a dot, or as a text for `getattr`."""
ANY = re.compile(r"\bgetattr\((?!import_module)[^,]+,(?!\s*[\"'])")
"""Asks for a name that the text does not tell; but not of another library, as `lazy` does."""
UNSURE = re.compile(r"\b(globals|locals|vars|eval|exec|__getattr__)\b")
"""Finds names of the module in a way that the text does not tell."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Piece(NamedTuple):
    """A statement of a module, or a method of a class of it."""

    names: frozenset[str]
    """What it gives a meaning to; empty where that is not plain."""
    uses: frozenset[str]
    """Names that it speaks of, without its `methods`."""
    lines: frozenset[int]
    """Numbers of its lines from 0, likewise."""
    always: bool = False
    """Whether it may do something by itself."""
    methods: tuple[Piece, ...] = ()
    """Those that do nothing unless they are called."""
    imports: tuple[tuple[str, str], ...] = ()
    """Name → how it alone would be imported."""


def spoken(text: str) -> set[str]:
    """Names by which code may call methods; `*` where it may be any."""
    found = {one or other for one, other in SPOKEN.findall(text)}
    return found | ({"*"} if ANY.search(text) else set())


@cache
def part(source: str, names: frozenset[str], called: frozenset[str]) -> str:
    """The lines of a module that `names` stand on, and first its imports among them, one a line.

    `called`: names of methods that are called elsewhere; the others of its classes are left out.
    """
    if UNSURE.search(source):
        return source
    wanted, kept, every = {*names}, set[Piece](), pieces(source)
    while more := [one for one in every if one not in kept and (one.always or wanted & one.names)]:
        for one in (inner for piece in more for inner in _counted(piece, called)):
            kept.add(one)
            wanted |= one.uses
    lines = source.splitlines()
    first = [text for one in every for name, text in one.imports if name in {"*", *wanted}]
    numbers = sorted({number for one in kept for number in one.lines})
    return "\n".join([*first, *(lines[number] for number in numbers)]) + "\n"


def methods(source: str) -> frozenset[str]:
    """Names of the methods that count only where they are called."""
    return frozenset(name for one in pieces(source) for m in one.methods for name in m.names)


def _counted(piece: Piece, called: Collection[str]) -> Iterator[Piece]:
    yield piece
    yield from (one for one in piece.methods if "*" in called or one.names & {*called})


@cache
def pieces(source: str) -> tuple[Piece, ...]:
    """The statements of a module, but for those that only types or readers need."""
    return tuple(_piece(node) for node in ast.parse(source).body if not _idle(node))


def _idle(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return not node.orelse and ast.unparse(node.test).endswith("TYPE_CHECKING")
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _piece(node: ast.stmt) -> Piece:
    if isinstance(node, ast.Import | ast.ImportFrom):
        imports = tuple(_imports(node))
        names = frozenset(name for name, _ in imports)
        return Piece(names, frozenset(), frozenset(), "*" in names, (), imports)
    if isinstance(node, Definition):
        inner = [one for one in node.body if isinstance(node, ast.ClassDef) and _waits(one)]
        by_itself = not isinstance(node, ast.ClassDef) and not _harmless(node)
        return Piece(
            frozenset({node.name}),
            _used(node, inner),
            _lines(node).difference(*map(_lines, inner)),
            by_itself,
            tuple(map(_piece, inner)),
        )
    names = _given(node)
    calls = any(isinstance(one, ast.Call) for one in ast.walk(node))
    return Piece(names, _used(node), _lines(node), calls or not names)


def _given(node: ast.stmt) -> frozenset[str]:
    """Names that a plain assignment sets; none for any other statement."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return frozenset()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    return frozenset(names if len(names) == len(targets) else ())


def _waits(node: ast.stmt) -> bool:
    """Whether it is a method that does nothing until it is called by its name."""
    plain = isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
    return plain and _harmless(node)


def _harmless(node: ast.stmt) -> bool:
    given = getattr(node, "decorator_list", ())
    return all(ast.unparse(one).split(".")[-1] in HARMLESS for one in given)


def _used(node: ast.stmt, without: Iterable[ast.stmt] = ()) -> frozenset[str]:
    """Names that are read in it, but for those read in some statements inside."""
    found, waiting, left_out = set[str](), list[ast.AST]([node]), set[ast.AST](without)
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            found.add(one.id)
        waiting += (inner for inner in ast.iter_child_nodes(one) if inner not in left_out)
    return frozenset(found)


def _lines(node: ast.stmt) -> frozenset[int]:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    return frozenset(range(first - 1, node.end_lineno or first))


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    start = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
    for one in node.names:
        alias = f" as {one.asname}" if one.asname else ""
        yield (one.asname or one.name).split(".")[0], f"{start}import {one.name}{alias}"
