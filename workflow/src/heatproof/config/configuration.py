"""config.yaml read: every entry checked, every mistake named with place, value and choices."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import formats, kinds
from heatproof.config import checks, hints, references
from heatproof.config.entries import spelling
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure, Source

NONE: Mapping[str, type[msgspec.Struct]] = MappingProxyType({})


class Config(msgspec.Struct):
    """All of config.yaml, checked."""

    sources: dict[str, Source]
    figures: dict[str, Figure]
    notes: list[Mistake] = []
    """What was decided for the user, such as the format of a source."""
    others: dict[str, dict[str, Any]] = {}
    """Section beyond these two → source → what it says of that."""


def read(
    raw: dict[str, Any], root: Path = Path(), others: Mapping[str, type[msgspec.Struct]] = NONE
) -> Config:
    """The checked config; arguments as of `examined`.

    Raises:
        Error: of all mistakes.
    """
    config, problems = examined(raw, root, others)
    if problems:
        raise Error([*problems, *config.notes])
    return config


def examined(
    raw: dict[str, Any], root: Path = Path(), others: Mapping[str, type[msgspec.Struct]] = NONE
) -> tuple[Config, list[Mistake]]:
    """What of the config is right, and all that is wrong with it.

    Args:
        raw: what YAML made of it. A section that begins with a dot is for YAML anchors alone.
        root: the project folder, where `format: auto` looks at logs.
        others: sections beyond sources and figures → what each may say of a source.
    """
    problems = [wrong for name in ("sources", "figures") for wrong in _unnamed(raw.get(name), name)]
    raw = plain_data(raw)
    gone = dict(hints.take_gone(raw))
    problems += [Mistake(place, sentence, "gone") for place, sentence in gone.items()]
    sections = ("sources", "figures", *others)
    problems += [
        Mistake("", f"{key!r} is not a section; {hints.key(key, sections)}", "unknown section", key)
        for key in raw
        if key not in sections and not key.startswith(".")
    ]
    raw, notes = _resolved(raw, root, problems)
    sources, _ = _section(raw, "sources", "format", formats, "log format", problems, gone)
    own = dict(sources)
    raw = references.with_joined(raw, sources, problems)
    figures, flawed = _section(raw, "figures", "kind", kinds, "figure kind", problems, gone)
    wrong = {
        f"sources.{name}": below(f"sources.{name}", source.columns().mistakes())
        for name, source in own.items()
    }
    for name, figure in flawed.items():
        with suppress(Error):  # what it names may be what is wrong with it
            problems += references.misnamed(f"figures.{name}", figure, sources)
    for name, figure in figures.items():
        place = f"figures.{name}"
        wrong[place] = references.mistakes(place, figure, sources, raw)
    problems += [problem for entry in wrong.values() for problem in entry]
    more = {name: _other(raw, name, kind, problems) for name, kind in others.items()}
    right = {name: source for name, source in sources.items() if not wrong.get(f"sources.{name}")}
    drawn = {
        name: _filled(figure, right[figure.source])
        for name, figure in figures.items()
        if figure.source in right and not wrong[f"figures.{name}"]
    }
    if not problems:
        for name in drawn:
            notes += references.unused(figures[name], sources[figures[name].source])
    return Config(right, drawn, notes, more), problems


def _unnamed(listed: Any, section: str) -> Iterator[Mistake]:
    """Names of a section that are none for YAML, and two that would name one file."""
    first: dict[str, str] = {}
    for name in listed if isinstance(listed, dict) else ():
        if name is None or isinstance(name, bool):
            message = f"YAML takes a name here for {hints.plain(name)}: put it in quotes"
            yield Mistake(section, message, "name")
        same = first.setdefault(f"{name}".casefold(), f"{name}")
        if same != f"{name}":
            why = "on many disks capitals tell no two files apart; call one of them otherwise"
            yield Mistake(f"{section}.{name}", f"{same!r} is called alike: {why}", "name")


def _filled(figure: Figure, source: Source) -> Figure:
    """The figure with values as columns of its source hold them, and what else that says."""
    fitted = figure.fitted(source.columns().identity())
    opponent = getattr(source, "versus", "")
    return msgspec.structs.replace(fitted, ranges=source.ranges(), opponent=opponent)


def plain_data(given: Any) -> Any:
    """What YAML made of the file, with text for dates without quotes, and for keys of any type."""
    if isinstance(given, dict):
        keys = (key if isinstance(key, str) else spelling(plain_data(key)) for key in given)
        return dict(zip(keys, map(plain_data, given.values()), strict=True))
    if isinstance(given, list):
        return [plain_data(value) for value in given]
    return given.isoformat() if type(given) is date else given


def _resolved(
    raw: dict[str, Any], root: Path, problems: list[Mistake]
) -> tuple[dict[str, Any], list[Mistake]]:
    """The config with the format of each source that leaves it to its logs, and what that is."""
    notes: list[Mistake] = []
    if not isinstance(raw.get("sources"), dict):
        return raw, notes
    sources = dict(raw["sources"])
    for name, entry in list(sources.items()):
        if isinstance(entry, dict) and entry.get("format") == "auto":
            place = f"sources.{name}"
            try:
                auto = registry.find(formats, "auto", "", "log format")
                sources[name], note = auto.resolve(entry | {"name": str(name)}, place, root)
                notes.append(Mistake(f"{place}.format", note))
            except Error as error:
                kind = str | list[str] | None
                wrong = checks.check(kind, entry.get("logs"), f"sources.{name}.logs")
                problems += wrong or error.mistakes
                del sources[name]
    return raw | {"sources": sources}, notes


def _section(
    raw: dict[str, Any],
    section: str,
    key: str,
    package: Any,
    what: str,
    problems: list[Mistake],
    gone: Collection[str],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entries of a section, each checked against the `Entry` of the module that its `key` names.

    Behind those that are right come those with mistakes that types do not show.
    """
    right: dict[str, Any] = {}
    flawed: dict[str, Any] = {}
    listed = raw.get(section) or {}
    if not isinstance(listed, dict):
        message = f"{hints.excerpt(listed)} is not a mapping of names to entries"
        problems.append(Mistake(section, message, checks.TYPE))
        listed = {}
    stray = _misplaced(section, listed, key, package)
    problems += filter(None, stray.values())
    for name, given in listed.items():
        place = f"{section}.{name}"
        if name in stray or f"{place}.{key}" in gone:
            continue
        wrong = _mistyped(place, str(name), given, key, package, what)
        if not wrong:
            module = registry.load(package, given[key])
            entry = msgspec.convert(
                checks.with_lists(module.Entry, given) | {"name": name}, module.Entry
            )
            wrong = below(place, entry.mistakes())
            (flawed if wrong else right)[name] = entry
        problems += wrong
    return right, flawed


def _misplaced(
    section: str, listed: dict[str, Any], key: str, package: Any
) -> dict[str, Mistake | None]:
    """Keys of an entry that stand where names of entries do → what to tell of them.

    Of several without an entry above, the first tells it for all.
    """
    entries = {name: one for name, one in listed.items() if isinstance(one, dict) and key in one}
    if len(entries) == len(listed):
        return {}
    keys = {
        word for name in registry.names(package) for word in _keys(registry.load(package, name))
    }
    stray = [name for name in listed if name in keys - {"name"} and name not in entries]
    mistakes: dict[str, Mistake | None] = {}
    for name in stray:
        before = [*listed][: [*listed].index(name)]
        above = next((other for other in reversed(before) if other not in stray), "")
        message = hints.misplaced(name, listed[name], section, above)
        repeats = not above and any(mistakes.values())
        mistakes[name] = (
            None if repeats else Mistake(f"{section}.{name}", message, "misplaced", name)
        )
    return mistakes


def _mistyped(
    place: str, name: str, given: Any, key: str, package: Any, what: str
) -> list[Mistake]:
    """What is wrong with the name of an entry, with what it says it is, and with its types."""
    valid = registry.names(package)
    if not is_name(name):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")
        hint = f": {plain}" if plain else ""
        message = f"{name!r} cannot name files; use letters, digits and -, _ or .{hint}"
        return [Mistake(place, message, "name")]
    if not isinstance(given, dict) or given.get(key) is None:
        keys = given if isinstance(given, dict) else ()
        word = next((str(word) for word in keys if hints.likely(word, [key])), "")
        return [Mistake(place, _without(key, given, valid), checks.MISSING, word)]
    if not isinstance(given[key], str):
        [wrong] = checks.check(str, given[key], f"{place}.{key}")
        return [wrong._replace(message=f"{wrong.message}; {choices('', valid)}")]
    if given[key] not in valid:
        near = hints.MARKS.get(given[key].casefold(), "")
        message = f"{given[key]!r} is not a {what}; {choices(given[key], valid)}"
        if near in valid and "did you mean" not in message:
            message += f" (did you mean {near!r}?)"
        message += "; auto looks for itself" * (key == "format")
        return [Mistake(f"{place}.{key}", message, checks.CHOICE)]
    try:
        module = registry.find(package, given[key], "", what)
    except Error as error:  # a module of one's own that lacks something
        return [Mistake(f"{place}.{key}", str(error))]
    entry = checks.with_lists(module.Entry, given) | {"name": name}
    problems = checks.check(module.Entry, entry, place)
    return problems + (_elsewhere(place, entry, module, key, package) if problems else [])


def _without(key: str, given: Any, valid: Sequence[str]) -> str:
    """What is wrong with an entry that does not say what it is of the `valid` ones."""
    if isinstance(given, list):
        hint = "its keys stand below one another, without dashes"
        return f"{hints.excerpt(given)} is not a mapping; {hint}"
    hint = checks.glued(given) or choices("", valid)
    if isinstance(given, dict) and (likely := hints.entry(given, key, valid)):
        return f"{likely}; {hint}"
    if isinstance(given, str) and " = " in given:
        hint = "behind a key stands a colon, no =: `key: value`"
    if isinstance(given, str) and given in valid:
        hint = f"write {{{key}: {given}, …}}"
    return f"needs a {key!r}; {hint}"


def _other(
    raw: dict[str, Any], section: str, kind: type[msgspec.Struct], problems: list[Mistake]
) -> dict[str, Any]:
    """Source → what a section says of it, as a `kind`."""
    given, sources = raw.get(section) or {}, raw.get("sources") or {}
    wrong = checks.check(dict[str, kind], given, section)  # type: ignore[valid-type]  # made here
    if not wrong:
        wrong = [
            Mistake(f"{section}.{name}", references.no_source(name, sources), checks.CHOICE)
            for name in given
            if name not in sources
        ]
    problems += wrong
    return {} if wrong else msgspec.convert(given, dict[str, kind])  # type: ignore[valid-type]


def below(place: str, problems: Iterable[Mistake]) -> list[Mistake]:
    """What an entry tells of itself, at its place in the config."""
    return [problem.below(place) for problem in problems]


def is_name(name: str) -> bool:
    """Whether a source or figure may be called so: names become file names and wildcards."""
    return name[:1].isalnum() and all(c.isascii() and (c.isalnum() or c in "-_.") for c in name)


def _elsewhere(
    place: str, entry: dict[str, Any], module: Any, key: str, package: Any
) -> list[Mistake]:
    """Keys that are wrong here, and right for another format or kind, or another section."""
    section, other = ("figures", kinds) if package is formats else ("sources", formats)
    keys = {key for name in registry.names(other) for key in _keys(registry.load(other, name))}
    problems = []
    for strange in sorted(entry.keys() - _keys(module), key=str):
        names = registry.names(package)
        owners = [name for name in names if strange in _keys(registry.load(package, name))]
        if owners:
            message = f"a key of {key}: {' or '.join(owners)}"
        elif strange in keys and not any(
            strange.startswith(name) or name.startswith(strange) for name in _keys(module)
        ):
            message = f"a key of {section}: write it below {section}.NAME"
        else:
            continue
        problems.append(Mistake(f"{place}.{strange}", message, checks.UNKNOWN))
    return problems


def _keys(module: Any) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(module.Entry)}
