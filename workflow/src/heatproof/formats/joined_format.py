"""Several sources as one, for a figure that shows them together: `source: [mine, theirs]`.

Each log is read as the source says whose patterns name it; column `source` tells which that is. So
all that is known of one source (shards, freshness, `trace`, `verify`) holds for several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof import formats
from heatproof.config.entries import Columns, Source
from heatproof.formats.api import Batch, Declared, Place, Reject, completed
from heatproof.logs import logs
from heatproof.util import registry
from heatproof.util.errors import Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heatproof.config.entries import Ends
    from heatproof.formats.api import Log, Passed, Printed

COLUMN = "source"
"""Tells of which source a sample is."""


class Entry(Source, kw_only=True):
    """What a figure's `source` makes of the sources that it lists; no key of config.yaml."""

    parts: dict[str, dict[str, Any]] = {}
    """Source → its entry, as plain values."""

    def mistakes(self) -> list[Mistake]:
        given = "`source: [a, b]` in a figure makes one of several sources"
        return (
            []
            if self.parts
            else [Mistake(".format", f"{self.format!r} is none to be named; {given}")]
        )

    def formats(self) -> list[str]:
        return [
            self.format,
            *dict.fromkeys(f for source in self.each().values() for f in source.formats()),
        ]

    def each(self) -> dict[str, Source]:
        """The sources, by name."""
        if not _LAST or _LAST[0][0] is not self:
            _LAST[:] = [(self, {name: _entry(given) for name, given in self.parts.items()})]
        return _LAST[0][1]

    def owners(self, path: str) -> list[str]:
        """The sources that name a log."""
        return [
            name
            for name, source in self.each().items()
            if logs.matches(source, path) and not source.leaves_out(path)
        ]

    def owner(self, path: str) -> Source | None:
        """The first source that names a log, or beside whose logs it lies; None if none does."""
        named = self.owners(path)
        return self.each()[named[0]] if named else None

    def columns(self) -> Columns:
        told = [source.columns() for source in self.each().values()]
        params = {name: kind for source in told for name, kind in source.params.items()}
        measures = dict.fromkeys(name for source in told for name in source.measures)
        answers = all(source.answers for source in told)
        both = {name: known for source in told for name, known in source.printed.items()}
        printed = {
            name: [column for column in known if all(column in source.measures for source in told)]
            for name, known in both.items()
        }
        return Columns({COLUMN: "str", **params}, [*measures], answers=answers, printed=printed)

    def keeping_answers(self) -> str:
        told = self.each().values()
        return next((keeps for source in told if (keeps := source.keeping_answers())), "")

    def beside_records(self) -> dict[str, str]:
        found: dict[str, list[str]] = {}
        for source in self.each().values():
            for column, place in source.beside_records().items():
                found.setdefault(column, []).append(place)
        return {column: " or ".join(dict.fromkeys(places)) for column, places in found.items()}

    def ranges(self) -> dict[str, list[float]]:
        first, *others = (source.ranges() for source in self.each().values())
        return {
            name: ends for name, ends in first.items() if all(o.get(name) == ends for o in others)
        }

    def libraries(self) -> list[str]:
        return [
            *dict.fromkeys(name for source in self.each().values() for name in source.libraries())
        ]

    def from_path(self, path: str) -> dict[str, Any] | None:
        named = self.owners(path)
        if not named:
            return {}
        told = self.each()[named[0]].from_path(path)
        return None if told is None else {**told, COLUMN: named[0]}

    def ends(self, path: str) -> Ends:
        source = self.owner(path)
        return source.ends(path) if source else super().ends(path)

    def has_lines(self, path: str) -> bool:
        source = self.owner(path)
        return source.has_lines(path) if source else super().has_lines(path)

    def leaves_out(self, path: str) -> bool:
        return not self.owners(path)

    def repeated(self) -> str:
        return ""

    def sidecars(self, path: str, root: Path) -> list[str]:
        source = self.owner(path)
        return source.sidecars(path, root) if source else []

    def printed_in(self, path: str, root: Path) -> list[str]:
        source = self.owner(path)
        return source.printed_in(path, root) if source and source.compare_printed else []


_LAST: list[tuple[Entry, dict[str, Source]]] = []
"""The sources of the entry that was asked last: a log is read in less time than they are made."""


def _entry(given: Mapping[str, Any]) -> Source:
    module = registry.load(formats, given["format"])
    made: Source = msgspec.convert(given, module.Entry)
    return made


def joined(name: str, sources: Mapping[str, Source]) -> Entry:
    """Several sources as one of this name."""
    each = sources.values()
    patterns = [source.logs if isinstance(source.logs, list) else [source.logs] for source in each]
    expects = [source.expect for source in each]
    same = all(expect == expects[0] for expect in expects)
    tasks = {
        task: n for expect in expects if isinstance(expect, dict) for task, n in expect.items()
    }
    return Entry(
        name=name,
        format="joined",
        logs=[*dict.fromkeys(pattern for given in patterns for pattern in given)],
        strict=any(source.strict for source in each),
        refused=max(
            (source.refused for source in each if source.refused is not None), default=None
        ),
        shards=max((source.shards for source in each if source.shards is not None), default=None),
        max_record=max(source.max_record for source in each),
        max_expansion=max(source.max_expansion for source in each),
        expect=expects[0] if same else tasks or None,
        parts={source.name: msgspec.to_builtins(source) for source in each},
    )


def clashes(sources: Mapping[str, Source]) -> list[str]:
    """Why these cannot be shown together, in words."""
    kinds: dict[str, dict[str, str]] = {}
    for name, source in sources.items():
        for column, kind in source.columns().params.items():
            kinds.setdefault(column, {})[name] = kind
    said = [
        f"sources.{name}.params.{COLUMN}: {COLUMN!r} tells of which source a sample is, where a "
        f"figure shows several; call it my_{COLUMN}: {{type: {kind}, field: {COLUMN}}}"
        for name, kind in kinds.pop(COLUMN, {}).items()
    ]
    said += [
        f"{column!r} is {' and '.join(f'{kind} in {name!r}' for name, kind in of.items())}; "
        "give it the same type in params"
        for column, of in kinds.items()
        if len({*of.values()}) > 1
    ]
    printed = [name for name, source in sources.items() if source.columns().printed]
    if printed and len(printed) < len(sources):
        rest = next(name for name in sources if name not in printed)
        said.append(
            f"source {printed[0]!r} has aggregates, and {rest!r} records of problems: a number "
            "that was printed and one that is counted are not shown as one; draw a figure of each"
        )
    plain = [name for name, source in sources.items() if isinstance(source.expect, int)]
    if plain and len({str(source.expect) for source in sources.values()}) > 1:
        said.append(
            f"sources.{plain[0]}.expect: the others expect another number; say it by task, "
            "expect: {task: number}, in each"
        )
    return said


def lacking(column: str, sources: Mapping[str, Source]) -> str:
    """What to write if some of the sources have a column and others have not; else nothing."""
    has = {name: source.columns() for name, source in sources.items()}
    without = [
        n
        for n, source in has.items()
        if column not in (*source.identity(), *source.numbers(), COLUMN)
    ]
    if not without or len(without) == len(has):
        return ""
    name = without[0]
    kind = next((source.params[column] for source in has.values() if column in source.params), None)
    mends = (
        f"sources.{name}.params: {{{column}: {{type: {kind}, default: its value there}}}}"
        if kind
        else f"sources.{name}.measures: {{{column}: its place in a record}}"
    )
    return f"source {name!r} has no {column!r}, and others have; {mends} would tell it"


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared | Passed]:
    """The samples of a log as its own source reads them; refused whole if several name it."""
    named = entry.owners(log.path)
    if len(named) != 1:
        said = f"sources {' and '.join(named)} both name it" if named else "no source names it"
        yield Reject(Place(1, 0, 0), f"{said}: it would be counted twice", kind="path")
        return
    [name] = named
    own = entry.each()[name]
    told, defaults = {COLUMN: name}, own.columns().defaults
    for part in registry.load(formats, own.format).read(log, own):
        if isinstance(part, Batch):
            whole = completed(part, defaults)
            yield replace(whole, shared={**whole.shared, **told})
        elif isinstance(part, Declared):
            meant = part.completed(defaults)
            yield replace(meant, shared={**meant.shared, **told})
        elif isinstance(part, Reject):
            of = {**defaults, **part.of, **told} if part.of is not None else None
            yield replace(part, of=of, told={**part.told, **told})
        else:
            yield part


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """What a harness printed of a log, as its own source reads it."""
    own = entry.owner(log.path)
    reads = getattr(registry.load(formats, own.format), "printed", None) if own else None
    yield from reads(log, own) if reads else ()
