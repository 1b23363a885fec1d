"""Several sources as one, for a figure that shows them together: `source: [mine, theirs]`.

Each log is read by the format of its own source, whose name stands in the column `source`. A run
joins the tables of the sources (`samples.joining`); logs are read here for `trace`, a preview, and
where there are no tables.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec.structs import replace

from heatproof import formats
from heatproof.config.entries import Columns, Source
from heatproof.formats.api import Batch, Declared, Reject, completed
from heatproof.logs import logs
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heatproof.formats.api import Log, Passed, Printed

COLUMN = "source"


class Entry(Source, kw_only=True, dict=True):
    """The sources that a figure lists under `source`, as one; no key of config.yaml."""

    parts: dict[str, dict[str, Any]] = {}
    """Source → its entry, as plain values."""
    shares_runs: ClassVar[bool] = True

    def mistakes(self) -> list[Mistake]:
        message = f"{self.format!r} is not a format to write; use `source: [a, b]` in a figure"
        if self.parts:
            return []
        return [Mistake(".format", f"{message} of several sources")]

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The sources by name, made once for all logs."""
        sources = {}
        for name, keys in self.parts.items():
            reader = registry.load(formats, keys["format"])
            sources[name] = msgspec.convert(keys, reader.Entry)
        return sources

    def owners(self, path: str) -> dict[str, Source]:
        owners = dict(self.sources)
        for name, source in self.sources.items():
            if not logs.matches(source, path) or source.leaves_out(path):
                del owners[name]
        return owners

    def owner(self, path: str) -> Source:
        """The first source that names a log; for a file beside logs, an empty one."""
        return next(iter(self.owners(path).values()), Source(format=self.format, logs=[]))

    def columns(self) -> Columns:
        members = [source.all_columns() for source in self.sources.values()]
        columns = Columns({COLUMN: "str"}, answers=all(member.answers for member in members))
        shared = set[str]().union(*(member.measures for member in members))
        shared.intersection_update(*(member.measures for member in members))
        for member in members:
            columns.params |= member.params
            columns.properties |= member.properties
            columns.measures += [name for name in member.measures if name not in columns.measures]
            for name, ends in member.printed.items():
                columns.printed[name] = [column for column in ends if column in shared]
        return columns

    def all_columns(self) -> Columns:
        return self.columns()

    def source_of(self, path: str) -> Source:
        return self.owner(path)

    def keeping_answers(self) -> str:
        hints = (source.keeping_answers() for source in self.sources.values())
        return next(filter(None, hints), "")

    def beside_records(self) -> dict[str, str]:
        columns: dict[str, dict[str, None]] = {}
        for source in self.sources.values():
            for column, place in source.beside_records().items():
                columns.setdefault(column, {})[place] = None
        return {column: " or ".join(places) for column, places in columns.items()}

    def ranges(self) -> dict[str, list[float]]:
        first, *rest = (source.ranges() for source in self.sources.values())
        shared = dict(first)
        for ranges in rest:
            for name, ends in first.items():
                if ranges.get(name) != ends:
                    shared.pop(name, None)
        return shared

    def has_lines(self, path: str) -> bool:
        return self.owner(path).has_lines(path)

    def leaves_out(self, path: str) -> bool:
        return not self.owners(path)

    def sidecars(self, path: str, root: Path) -> list[str]:
        return self.owner(path).sidecars(path, root)

    def printed_in(self, path: str, root: Path) -> list[str]:
        source = self.owner(path)
        if source.compare_printed:
            return source.printed_in(path, root)
        return []


def joined(name: str, sources: Mapping[str, Source]) -> Entry:
    """Several sources as one of this name."""
    entries = list(sources.values())
    expects = [source.expect for source in entries]
    tasks: dict[str, int] = {}
    for expect in expects:
        tasks |= expect if isinstance(expect, dict) else {}
    is_same = all(expect == expects[0] for expect in expects)
    refused = [source.refused for source in entries if source.refused is not None]
    shards = [source.shards for source in entries if source.shards is not None]
    return Entry(
        name=name,
        format="joined",
        logs=list(dict.fromkeys(chain.from_iterable(map(logs.source_patterns, entries)))),
        strict=any(source.strict for source in entries),
        refused=max(refused, default=None),
        shards=max(shards, default=None),
        max_record=max(source.max_record for source in entries),
        max_expansion=max(source.max_expansion for source in entries),
        expect=expects[0] if is_same else tasks or None,
        parts={source.name: msgspec.to_builtins(source) for source in entries},
    )


def clashes(sources: Mapping[str, Source]) -> list[str]:
    """Why these cannot be shown together."""
    kinds: dict[str, dict[str, str]] = {}
    for name, source in sources.items():
        columns = source.all_columns()
        for column, kind in (columns.params | columns.properties).items():
            kinds.setdefault(column, {})[name] = kind
    messages = [
        f"sources.{name}.params.{COLUMN}: {COLUMN!r} is the column that names the source of a "
        f"sample; call yours my_{COLUMN}: {{type: {kind}, field: {COLUMN}}}"
        for name, kind in kinds.pop(COLUMN, {}).items()
    ]
    for column, by_source in kinds.items():
        if len(set(by_source.values())) > 1:
            words = " and ".join(f"{kind} in {name!r}" for name, kind in by_source.items())
            messages.append(f"{column!r} is {words}; give it the same type in params")
    printed = [name for name, source in sources.items() if source.columns().printed]
    if printed and len(printed) < len(sources):
        rest = next(name for name in sources if name not in printed)
        messages.append(
            f"source {printed[0]!r} has aggregates, and {rest!r} records of problems: printed "
            "and counted numbers cannot share a figure; draw one of each"
        )
    plain = [name for name, source in sources.items() if isinstance(source.expect, int)]
    if plain and len({str(source.expect) for source in sources.values()}) > 1:
        messages.append(
            f"sources.{plain[0]}.expect: the others expect another number; write "
            "expect: {task: number} in each"
        )
    return messages


def lacking(column: str, sources: Mapping[str, Source]) -> str:
    """What to write if only some of the sources have a column; else nothing."""
    kind = ""
    without = []
    for name, source in sources.items():
        columns = source.all_columns()
        kind = kind or columns.params.get(column, "")
        if column not in (*columns.identity(), *columns.numbers(), COLUMN):
            without.append(name)
    if not without or len(without) == len(sources):
        return ""
    key = f"measures: {{{column}: its place in a record}}"
    if kind:
        key = f"params: {{{column}: {{type: {kind}, default: its value there}}}}"
    difference = f"source {without[0]!r} has no {column!r}, but others have"
    return f"{difference}; write sources.{without[0]}.{key}"


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject | Declared | Passed]:
    """The samples of a log as its own source reads them; refused if several sources name it."""
    owners = entry.owners(log.path)
    if len(owners) != 1:
        names = "no source reads it"
        if owners:
            names = f"sources {' and '.join(owners)} both read it"
        yield Reject.of_log(Error(f"{names}: it would be counted twice", "path"))
        return
    [(name, owner)] = owners.items()
    source = {COLUMN: name}
    defaults = owner.columns().defaults
    for part in registry.load(formats, owner.format).read(log, owner):
        if isinstance(part, Batch | Declared):
            full = completed(part, defaults)
            yield replace(full, shared=full.shared | source)
        elif isinstance(part, Reject):
            own_defaults = defaults if part.lacks_score else {}
            stated = {name: value for name, value in part.cells.items() if value is not None}
            yield replace(part, cells={**own_defaults, **stated, **source})
        else:
            yield part


def printed(log: Log, entry: Entry) -> Iterator[Printed]:
    """The numbers that a harness printed for a log, as its own source reads them."""
    source = entry.owner(log.path)
    if source.name:
        reads = getattr(registry.load(formats, source.format), "printed", None)
    else:
        reads = None
    yield from reads(log, source) if reads else ()
