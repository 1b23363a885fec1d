"""heatproof as a module of another workflow: where its project lies, and what reaches it.

Without a prefix the project is the folder where Snakemake runs. With one it is the folder of that
name, with results, records and private files of its own, so that several modules stand side by
side; logs are named from where Snakemake runs, and links in the folder lead to them. So all that is
asked of the results later is asked in that folder as in any other project.

Logs that are named in full may be made by rules of the other workflow: they need not be there yet.
Then they are inputs to Snakemake, which knows them by time and rules as it does all files, and the
plan knows them by their paths alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import paths, roots
from heatproof.config.configuration import plain_data
from heatproof.logs import logs
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def folder(moved: Callable[[str], str]) -> str:
    """The folder of a module's project; empty, if it is that where Snakemake runs.

    `moved`: what Snakemake makes of a path of the module's.

    Raises:
        Error: results would lie elsewhere than in `results/` of some folder.
    """
    place = moved(paths.PAGE)
    prefix = place.removesuffix(paths.PAGE)
    if prefix == place or moved("") != prefix or os.path.isabs(prefix):
        raise Error(
            'a module of heatproof takes `prefix: "FOLDER"`, and results lie in FOLDER/results; '
            "replace_prefix it does not take, for pages and proofs name results so"
        )
    return prefix


def handed_on(config: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The config of a module as that of its project.

    What hangs on logs that may be made later is settled: tables by their number, and no comparison
    with what a harness printed beside them.

    Raises:
        Error: one line for each path that cannot be found from the folder of the prefix, and each
            key that asks of logs what is not known before they are made.
    """
    raw: dict[str, Any] = plain_data(dict(config))
    problems = [problem for name, source in _entries(raw, "sources")
                for problem in _settle(f"sources.{name}", source)]  # fmt: skip
    if prefix:
        given, named = roots.given(raw), dict(_named(raw))
        free = {place: path for place, path in named.items() if _first(path) not in given}
        problems += (_unnamed(place, path) for place, path in free.items() if _is_loose(path))
        folders = {_first(path): _first(path) for path in free.values()} | given
        raw[roots.SECTION] = {
            name: there if os.path.isabs(there) else os.path.relpath(there, prefix)
            for name, there in folders.items()
        }
    if problems:
        raise Error(problems)
    return raw


def _entries(raw: Mapping[str, Any], section: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a section holds, as far as it is what it should be: mistakes are told elsewhere."""
    found = raw.get(section)
    for name, one in found.items() if isinstance(found, dict) else ():
        if isinstance(one, dict):
            yield name, one


def _settle(place: str, source: dict[str, Any]) -> Iterator[Mistake]:
    """Fill in what hangs on logs that are named in full; tell what they cannot be asked for."""
    if not (named := logs.in_full(source.get("logs"))):
        return
    if source.get("format") == "auto" and not all(Path(path).is_file() for path in named):
        yield Mistake(
            f"{place}.format", "auto looks at logs; these are made later: name the format"
        )
    if source.setdefault("compare_printed", False):
        yield Mistake(
            f"{place}.compare_printed",
            "what a harness prints beside logs is not known before rules "
            "have made them: leave it out, or name logs that are there, by a pattern",
        )
    several = logs.GRADED if source.get("grade") else logs.PER_SHARD
    source.setdefault("shards", max(1, -(-len(named) // several)))


def _named(raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Place and path of the files that a config names, from where Snakemake runs."""
    for name, source in _entries(raw, "sources"):
        given = source.get("logs")
        for number, path in enumerate(given if isinstance(given, list) else [given]):
            if _is_inside(path):
                yield f"sources.{name}.logs" + f"[{number}]" * isinstance(given, list), path
    for name, one in _entries(raw, "paper"):
        yield from ((f"paper.{name}.{key}", path) for key, path in one.items() if _is_inside(path))
    for name, figure in _entries(raw, "figures"):
        font = figure.get("font")
        for style, path in font.items() if isinstance(font, dict) else ():
            if isinstance(path, str) and path:
                yield f"figures.{name}.font.{style}", path


def _is_inside(path: object) -> bool:
    """Whether it is a path of the project: what else there may be is told with other mistakes."""
    return isinstance(path, str) and _first(path) not in ("", "..")


def _first(path: str) -> str:
    return path.partition("/")[0]


def _is_loose(path: str) -> bool:
    """Whether no link in the folder of a module can lead to what the path begins with."""
    return not roots.NAME.match(_first(path)) or _first(path) in roots.TAKEN


def _unnamed(place: str, path: str) -> Mistake:
    folder = os.path.dirname(logs.literal(path)) or "."
    return Mistake(
        place,
        f"{path!r} begins with {_first(path)}, for which a module with a "
        f"prefix has no link; give the folder a name: roots: {{logs: {folder}}}, and name logs/…",
    )
