"""config.yaml read: every entry checked, every mistake named with place, value and choices."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import kinds, readers
from heatproof.config import meant, printed, roots
from heatproof.config.entries import of_kind, spelling
from heatproof.config.joining import lacking, with_joined
from heatproof.config.mistakes import check, glued, with_lists
from heatproof.util import registry
from heatproof.util.errors import Error, choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.config.entries import Columns, Figure, Source
    from heatproof.config.roles import Type

NONE: Mapping[str, type[msgspec.Struct]] = MappingProxyType({})
KINDS: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}


class Config(msgspec.Struct):
    """All of config.yaml, checked."""

    sources: dict[str, Source]
    figures: dict[str, Figure]
    notes: list[str] = []
    """What was decided for the user, such as the format of a source."""
    others: dict[str, dict[str, Any]] = {}
    """Section beyond these two → source → what it says of that."""


def read(
    raw: dict[str, Any], root: Path = Path(), others: Mapping[str, type[msgspec.Struct]] = NONE
) -> Config:
    """The checked config; arguments as of `examined`.

    Raises:
        Error: one line for each mistake: place, wrong value, valid ones.
    """
    config, problems = examined(raw, root, others)
    if problems:
        raise Error("\n".join([*problems, *config.notes]))
    return config


def examined(
    raw: dict[str, Any], root: Path = Path(), others: Mapping[str, type[msgspec.Struct]] = NONE
) -> tuple[Config, list[str]]:
    """What of the config is right, and one line for each mistake: place, wrong value, valid ones.

    Args:
        raw: what YAML made of it. A section that begins with a dot is for YAML anchors alone.
        root: the project folder, where `format: auto` looks at logs.
        others: sections beyond sources and figures → what each may say of a source.
    """
    sections = ("sources", "figures", *others, roots.SECTION)
    problems = [
        f"config.yaml: {key!r} is not a section; {choices(key, sections)}"
        for key in raw
        if key not in sections and not str(key).startswith(".")
    ]
    raw, notes = _resolved(plain_data(raw), root, problems)
    sources, _ = _section(raw, "sources", "format", readers, "log format", problems)
    own = dict(sources)
    raw = with_joined(raw, sources, problems)
    shown, flawed = _section(raw, "figures", "kind", kinds, "figure kind", problems)
    wrong = {
        f"sources.{name}": [f"config.yaml: sources.{name}{problem}" for problem in told]
        for name, source in own.items()
        if (told := source.columns().mistakes())
    }
    for name, figure in flawed.items():
        with suppress(Error):  # what it names may be what is wrong with it
            problems += _misnamed(f"config.yaml: figures.{name}", figure, sources)
    for name, figure in shown.items():
        place, given = f"figures.{name}", raw.get("figures") or {}
        wrong[place] = _columns(f"config.yaml: {place}", figure, sources, raw)
        wrong[place] += lacking(f"config.yaml: {place}", figure, sources)
        wrong[place] += [f"config.yaml: {place}{one}" for one in figure.misjoined(shown, given)]
    problems += [problem for of in wrong.values() for problem in of]
    said = {name: _other(raw, name, kind, problems) for name, kind in others.items()}
    right = {name: source for name, source in sources.items() if f"sources.{name}" not in wrong}
    good = {n: one for n, one in shown.items() if one.source in right and not wrong[f"figures.{n}"]}
    if not problems:
        notes += [note for one in good.values() for note in _unused(one, sources[one.source])]
    filled = {name: _filled(figure, sources[figure.source]) for name, figure in good.items()}
    fitted = {}
    for name, figure in filled.items():
        with suppress(KeyError):  # of another one that has a mistake of its own
            fitted[name] = figure.joined(filled)
    return Config(right, fitted, notes, said), problems


def unnamed(raw: dict[str, Any]) -> set[str]:
    """Sections that are there under a name that is spelled wrong."""
    return {likeliest(key, ("sources", "figures")) for key in raw} - {*raw}


def _filled(figure: Figure, source: Source) -> Figure:
    """The figure with values as columns of its source hold them, and the ranges of these."""
    fitted = figure.fitted(source.columns().identity())
    return msgspec.structs.replace(fitted, ranges=source.ranges())


def plain_data(given: Any) -> Any:
    """What YAML made of the file, with text for dates without quotes, and for keys of any type."""
    if isinstance(given, dict):
        keys = (key if isinstance(key, str) else spelling(plain_data(key)) for key in given)
        return dict(zip(keys, map(plain_data, given.values()), strict=True))
    if isinstance(given, list):
        return [plain_data(value) for value in given]
    return given.isoformat() if type(given) is date else given


def _unused(figure: Figure, source: Source) -> list[str]:
    """Labels and names of what the source does not have.

    No mistake: figures of several sources may share a list.
    """
    columns = source.columns()
    known = [*columns.identity(), *columns.numbers()]
    return [
        f"config.yaml: figures.{figure.name}.{key}.{word}: not used, for source "
        f"{figure.source!r} has no {word!r}; {choices(word, known)}"
        for key, given in (("labels", figure.labelled()), ("names", figure.names))
        for word in given
        if word not in known
    ]


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
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entries of a section, each checked against the `Entry` of the module that its `key` names.

    Behind those that are right come those with mistakes that types do not show.
    """
    entries: dict[str, Any] = {}
    flawed: dict[str, Any] = {}
    listed = raw.get(section) or {}
    if not isinstance(listed, dict):
        told = f"{meant.shown(listed)} is not a mapping of names to entries"
        problems.append(f"config.yaml: {section}: {told}{meant.entries(section, listed)}")
        listed = {}
    stray = _misplaced(section, listed, key, package)
    problems += filter(None, stray.values())
    for name, given in listed.items():
        if name in stray:
            continue
        place = f"config.yaml: {section}.{name}"
        try:
            made = _entry(place, str(name), given, key, package, what)
        except Error as error:
            problems.append(str(error))
            continue
        wrong = [f"{place}{problem}" for problem in made.mistakes()]
        problems += wrong
        (flawed if wrong else entries)[name] = made
    return entries, flawed


def _misplaced(section: str, listed: dict[str, Any], key: str, package: Any) -> dict[str, str]:
    """Keys of an entry that stand where names of entries do → what to tell of them.

    Of several without an entry above, the first tells it for all.
    """
    entries = {name: one for name, one in listed.items() if isinstance(one, dict) and key in one}
    if len(entries) == len(listed):
        return {}
    known = {
        word for name in registry.names(package) for word in _keys(registry.load(package, name))
    }
    stray = [name for name in listed if name in known - {"name"} and name not in entries]
    found: dict[str, str] = {}
    for name in stray:
        before = [*listed][: [*listed].index(name)]
        above = next((one for one in reversed(before) if one not in stray), "")
        said = meant.misplaced(name, listed[name], section, above)
        alike = not above and any(found.values())
        found[name] = "" if alike else f"config.yaml: {section}.{name}: {said}"
    return found


def _entry(place: str, name: str, given: Any, key: str, package: Any, what: str) -> Any:
    if not is_name(name):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")
        hint = f": {plain}" if plain else ""
        said = f"{name!r} cannot name files; use letters, digits and -, _ or .{hint}"
        raise Error(f"{place}: {said}")
    if not isinstance(given, dict) or given.get(key) is None:
        kinds_of = registry.names(package)
        hint = glued(given) or choices("", kinds_of)
        if isinstance(given, dict) and (said := meant.entry(given, key, kinds_of)):
            raise Error(f"{place}: {said}; {hint}")
        if isinstance(given, str) and given in kinds_of:
            hint = f"write {{{key}: {given}, …}}"
        raise Error(f"{place}: needs a {key!r}; {hint}")
    if not isinstance(given[key], str):
        said = "".join(check(str, given[key], f"{place}.{key}"))
        raise Error(f"{said}; {choices('', registry.names(package))}")
    try:
        module = registry.find(package, str(given[key]), f"{place}.{key}", what)
    except Error as error:
        raise Error(f"{error}{'; auto looks for itself' * (key == 'format')}") from None
    entry = with_lists(module.Entry, given) | {"name": name}
    if problems := check(module.Entry, entry, place):
        raise Error("\n".join([*problems, *_elsewhere(place, entry, module, key, package)]))
    return msgspec.convert(entry, module.Entry)


def _other(
    raw: dict[str, Any], section: str, kind: type[msgspec.Struct], problems: list[str]
) -> dict[str, Any]:
    """Source → what a section says of it, as a `kind`."""
    place, given = f"config.yaml: {section}", raw.get(section) or {}
    wrong = check(dict[str, kind], given, place)  # type: ignore[valid-type]  # made as it is asked
    known = raw.get("sources") or {}
    if not wrong:
        wrong = [
            f"{place}.{name}: {name!r} is not a source; {choices(name, known)}"
            for name in given
            if name not in known
        ]
    problems += wrong
    return {} if wrong else msgspec.convert(given, dict[str, kind])  # type: ignore[valid-type]


def is_name(name: str) -> bool:
    """Whether a source or figure may be called so: names become file names and wildcards."""
    return name[:1].isalnum() and all(c.isascii() and (c.isalnum() or c in "-_.") for c in name)


def _elsewhere(place: str, entry: dict[str, Any], module: Any, key: str, package: Any) -> list[str]:
    """Keys that are wrong here, and right for another format or kind."""
    owners = {name: _keys(registry.load(package, name)) for name in registry.names(package)}
    found = {
        given: [name for name, keys in owners.items() if given in keys]
        for given in sorted(entry.keys() - _keys(module), key=str)
    }
    return [f"{place}.{one}: a key of {key}: {' or '.join(of)}" for one, of in found.items() if of]


def _keys(module: Any) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(module.Entry)}


def _columns(
    place: str, figure: Figure, sources: dict[str, Source], raw: dict[str, Any]
) -> list[str]:
    """Problems with the source and the columns that a figure names."""
    if figure.source not in sources:
        known = raw.get("sources")
        known = {} if known is None and "sources" not in unnamed(raw) else known
        if not isinstance(known, dict) or figure.source in known:
            return []  # named rightly; the source's own problem is told already
        if not all(isinstance(one, dict) for one in known.values()):
            return []  # it is told that these are no names of sources
        return [
            f"{place}.source: {figure.source!r} is not a source; {choices(figure.source, known)}"
        ]
    problems = _misnamed(place, figure, sources)
    types = sources[figure.source].columns().identity()
    problems += [f"{place}{one}" for one in printed.faults(figure, sources[figure.source])]
    if not problems:
        found = figure.misranged(sources[figure.source].ranges())
        problems += [f"{place}{mistake}" for mistake in found]
    problems += [f"{place}{mistake}" for mistake in figure.mistyped(types)]
    problems += _unanswered(place, figure, sources[figure.source])
    return problems + _spelled(place, figure, types)


def _misnamed(place: str, figure: Figure, sources: dict[str, Source]) -> list[str]:
    """What a figure names that its source has not; of one without a source that is right, none."""
    if figure.source not in sources:
        return []
    columns = sources[figure.source].columns()
    listed = hasattr(sources[figure.source], "measures")
    adding = "; `measures` on the source adds more: {name: place in a record}" if listed else ""
    measured: dict[str, str] = {}
    with suppress(Error):  # the metric is told by itself
        measured = figure.measured()
    return [
        f"{place}.{key}: {column!r} is not a {what} of source {figure.source!r}; "
        f"{choices(column, valid)}{_metric_of(column, columns)}{adding if what == 'number' else ''}"
        f"{meant.several(column, valid)}"
        for named, valid, what in (
            (figure.used(), columns.identity(), "column"),
            (measured, columns.numbers(), "number"),
        )
        for key, column in named.items()
        if column not in valid
    ]


def _metric_of(column: str, columns: Columns) -> str:
    """What to name where a number of each sample is asked for as if it were a setting."""
    return f"; of this number mean({column}) is a metric" if column in columns.numbers() else ""


def _unanswered(place: str, figure: Figure, source: Source) -> list[str]:
    """Votes on answers that the tables of the source do not keep."""
    if source.columns().answers:
        return []
    keeps = source.keeping_answers()
    hint = f"sources.{source.name}: {keeps} would keep them"
    hint = hint if keeps else f"logs of the format {source.format!r} are not read for them"
    return [
        f"{place}.{key}: {word} is a vote on the answers of samples, and source {source.name!r} "
        f"keeps none; {hint}"
        for key, word in figure.voted().items()
    ]


def _spelled(place: str, figure: Figure, types: dict[str, Type]) -> list[str]:
    """Values that their column cannot hold."""
    return [
        problem
        for key, (column, values) in figure.spelled().items()
        if column in types
        for value in values
        for problem in check(KINDS[types[column]], of_kind(value, types[column]), f"{place}.{key}")
    ]
