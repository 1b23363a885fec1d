"""What config.yaml may say: sources of logs and the figures made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from heatproof import figures, readers, registry
from heatproof.check import check
from heatproof.errors import Error, choices

Word = str | int | float | bool
Type = Literal["str", "int", "float", "bool"]
Format = Literal["svg", "pdf", "png", "html"]
KINDS: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png", "html")


class Source(msgspec.Struct, kw_only=True):
    """Logs of one format. Each reader adds the keys that its format needs."""

    name: str = ""
    """Key in config.yaml; names the folder of tables."""
    format: str
    logs: str | list[str]
    """Patterns of paths below the project folder; `**` spans folders."""
    strict: bool = False
    """Stop the run at the first log with a record that must be refused."""
    shards: int | None = None
    """Tables to split the logs into; by default about one for each hundred logs."""
    max_record: int = 64 << 20
    """Bytes of one record at most: a longer one is refused unread."""
    max_expansion: int = 200
    """Times its size that a compressed log may unpack to; beyond, it is taken for a bomb."""
    reconstruct: str | None = None
    """A table of printed digits from which a rule writes the logs: see `published`."""
    means: str | None = None
    """A table of printed means over the tasks; like the others, compared with the grids."""

    def columns(self) -> Columns:
        """Columns that the tables of this source have."""
        raise NotImplementedError

    def libraries(self) -> list[str]:
        """Packages that scores of this source depend on, beyond those of every run."""
        return []

    def told(self, path: str) -> dict[str, Any] | None:  # noqa: ARG002
        """Column → value, as far as the path of a log tells it of all its samples.

        None for a log that by its path can have no sample.
        """
        return {}

    def sidecars(self, path: str, root: Path) -> list[str]:  # noqa: ARG002
        """Files that the log at `path` is read together with, such as its run's settings.

        Paths like the log's own, of files that exist; a change in one is a change of the log.
        """
        return []


class Columns(msgspec.Struct):
    """The columns of a source's tables beyond those that every table has."""

    params: dict[str, Type] = {}
    """Hyper-parameters, by type."""
    measures: list[str] = []
    """Numbers measured beside the score."""

    def identity(self) -> dict[str, Type]:
        """What tells one run, problem or repetition from another."""
        return {"model": "str", "task": "str", **self.params, "sample_id": "str", "epoch": "int",
                "scorer": "str", "run": "str", "log": "str"}  # fmt: skip

    def numbers(self) -> list[str]:
        """What a metric can be taken of."""
        return ["score", *self.measures]


class Figure(msgspec.Struct, kw_only=True):
    """One figure. Each kind adds the keys that it needs."""

    name: str = ""
    """Key in config.yaml; names grid, spec and files."""
    kind: str
    source: str
    title: str = ""
    caption: str = ""
    where: dict[str, Word | list[Word]] = {}
    """Column → the value, or one of the values, that the samples must have."""
    width: Literal["single", "double"] = "double"
    """One column of a journal page (3.3 in) or two (7 in)."""
    formats: list[Format] = msgspec.field(default_factory=lambda: list(FORMATS))
    uncertainty: Literal["none", "se", "interval", "tied"] = "tied"

    def used(self) -> dict[str, str]:
        """Key in the entry → column it names, for those that must be identity columns."""
        return {f"where.{column}": column for column in self.where}

    def wanted(self) -> dict[str, tuple[str, list[Word]]]:
        """Key in the entry → a column and the values of it that some sample must have."""
        given = self.where.items()
        return {f"where.{name}": (name, v if isinstance(v, list) else [v]) for name, v in given}

    def measured(self) -> dict[str, str]:
        """Key in the entry → column it names, for those that must be numbers."""
        return {}

    def shows(self) -> str:
        """What the figure shows, in a few words."""
        return self.caption or self.title or self.name

    def compared(self) -> bool:
        """Whether its cells are what printed digits are compared with (`heatproof.agreement`)."""
        return False

    def drawing(self) -> set[str]:
        """Keys that say how the figure looks, not what it shows: the grid does not know them."""
        return {"title", "caption", "width", "formats"}


class Config(msgspec.Struct):
    """All of config.yaml, checked."""

    sources: dict[str, Source]
    figures: dict[str, Figure]
    notes: list[str] = []
    """What was decided for the user, such as the format of a source."""


def read(raw: dict[str, Any], root: Path = Path()) -> Config:
    """The checked config; `root` is the project folder, where `format: auto` looks at logs.

    Raises:
        Error: one line for each mistake: place, wrong value, valid ones.
    """
    problems = [
        f"config.yaml: {key!r} is not a section; {choices(key, ('sources', 'figures'))}"
        for key in raw
        if key not in ("sources", "figures")
    ]
    raw, notes = _resolved(raw, root, problems)
    sources = _section(raw, "sources", "format", readers, "log format", problems)
    shown = _section(raw, "figures", "kind", figures, "figure kind", problems)
    for name, figure in shown.items():
        problems += _columns(f"config.yaml: figures.{name}", figure, sources, raw)
    if problems:
        raise Error("\n".join([*problems, *notes]))
    return Config(sources, shown, notes)


def _resolved(
    raw: dict[str, Any], root: Path, problems: list[str]
) -> tuple[dict[str, Any], list[str]]:
    """The config with the format found for each source that leaves it to its logs."""
    sources, notes = raw.get("sources"), []
    found = dict(sources) if isinstance(sources, dict) else {}
    for name, given in list(found.items()):
        if isinstance(given, dict) and given.get("format") == "auto":
            place = f"config.yaml: sources.{name}"
            try:
                auto = registry.find(readers, "auto", place, "log format")
                found[name], note = auto.resolve(given | {"name": str(name)}, place, root)
                notes.append(note)
            except Error as error:
                problems.append(str(error))
                del found[name]
    return (raw | {"sources": found} if found or notes else raw), notes


def _section(
    raw: dict[str, Any], section: str, key: str, package: Any, what: str, problems: list[str]
) -> dict[str, Any]:
    """Entries of a section, each checked against the `Entry` of the module that its `key` names."""
    entries: dict[str, Any] = {}
    listed = raw.get(section) or {}
    if not isinstance(listed, dict):
        problems.append(f"config.yaml: {section}: {listed!r} is not a mapping of names to entries")
        listed = {}
    for name, given in listed.items():
        place = f"config.yaml: {section}.{name}"
        try:
            entries[name] = _entry(place, str(name), given, key, package, what)
        except Error as error:
            problems.append(str(error))
    return entries


def _entry(place: str, name: str, given: Any, key: str, package: Any, what: str) -> Any:
    if not _plain(name):
        raise Error(f"{place}: {name!r} cannot name files; use letters, digits and -, _ or .")
    if not isinstance(given, dict) or key not in given:
        raise Error(f"{place}: needs a {key!r}; {choices('', registry.names(package))}")
    module = registry.find(package, str(given[key]), f"{place}.{key}", what)
    entry = given | {"name": name}
    if problems := check(module.Entry, entry, place):
        raise Error("\n".join(problems))
    made = msgspec.convert(entry, module.Entry)
    if problems := [f"{place}{problem}" for problem in getattr(made, "problems", list)()]:
        raise Error("\n".join(problems))
    return made


def _plain(name: str) -> bool:
    """Names become file names and Snakemake wildcards."""
    return name[:1].isalnum() and all(c.isascii() and (c.isalnum() or c in "-_.") for c in name)


def _columns(
    place: str, figure: Figure, sources: dict[str, Source], raw: dict[str, Any]
) -> list[str]:
    """Problems with the source and the columns that a figure names."""
    if figure.source not in sources:
        known = raw.get("sources") or {}
        if figure.source in known:
            return []  # named rightly; the source's own problem is told already
        return [
            f"{place}.source: {figure.source!r} is not a source; {choices(figure.source, known)}"
        ]
    columns = sources[figure.source].columns()
    problems = [
        f"{place}.{key}: {column!r} is not a {what} of source {figure.source!r}; "
        f"{choices(column, valid)}"
        for named, valid, what in (
            (figure.used(), columns.identity(), "column"),
            (figure.measured(), columns.numbers(), "number"),
        )
        for key, column in named.items()
        if column not in valid
    ]
    return problems + _wanted(f"{place}.where", figure, columns.identity())


def _wanted(place: str, figure: Figure, types: dict[str, Type]) -> list[str]:
    """Values under `where` that their column cannot hold."""
    return [
        problem
        for column, wanted in figure.where.items()
        if column in types
        for value in (wanted if isinstance(wanted, list) else [wanted])
        for problem in check(KINDS[types[column]], value, f"{place}.{column}")
    ]
