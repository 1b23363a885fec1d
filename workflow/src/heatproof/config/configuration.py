"""config.yaml read: every entry checked, every mistake named with place, value and choices."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof import formats, kinds
from heatproof.config import checks, hints, references
from heatproof.config.entries import spelling
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.config.entries import Figure, Source

NONE: Mapping[str, type[msgspec.Struct]] = MappingProxyType({})


class Section(NamedTuple):
    """A section of named entries, of which one key says what the others may be."""

    name: str
    key: str
    package: ModuleType
    """Its modules have the entries."""
    noun: str

    def words(self) -> list[str]:
        """What the key may say."""
        return registry.names(self.package)

    def fields(self, word: str = "") -> set[str]:
        """Keys of an entry that says `word`; without it, of all."""
        return {
            field.encode_name
            for name in ([word] if word else self.words())
            for module in [registry.load(self.package, name)]
            for field in msgspec.structs.fields(getattr(module, "Entry", msgspec.Struct))
        }


SOURCES = Section("sources", "format", formats, "log format")
FIGURES = Section("figures", "kind", kinds, "figure kind")


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
    problems = [*_wrong_names(raw, "sources"), *_wrong_names(raw, "figures")]
    raw = plain_data(raw)
    problems += [Mistake(place, text, "gone") for place, text in hints.take_gone(raw)]
    sections = ("sources", "figures", *others)
    problems += [
        Mistake("", f"{key!r} is not a section; {hints.key(key, sections)}", "unknown section", key)
        for key in raw
        if key not in sections and not key.startswith(".")
    ]
    raw, notes = _resolved(raw, root, problems)
    entries, wrong = _entries(raw, SOURCES, problems)
    sources = {name: entry for name, entry in entries.items() if name not in wrong}
    raw = references.with_joined(raw, sources, problems)
    figures, wrong = _entries(raw, FIGURES, problems)
    drawn = {}
    for name, figure in figures.items():
        look = references.misnamed if name in wrong else references.mistakes
        mistakes = look(f"figures.{name}", figure, sources, raw)
        problems += mistakes
        if figure.source in sources and name not in wrong and not mistakes:
            source = sources[figure.source]
            drawn[name] = msgspec.structs.replace(
                figure.fitted(source.columns().identity()),
                ranges=source.ranges(),
                opponent=getattr(source, "versus", ""),
            )
    more = {name: _others(raw, name, kind, problems) for name, kind in others.items()}
    if not problems:
        for figure in drawn.values():
            notes += references.unused(figure, sources[figure.source])
    return Config(sources, drawn, notes, more), problems


def _wrong_names(raw: Mapping[str, Any], section: str) -> Iterator[Mistake]:
    """Names of a section that are none for YAML, and two that would name one file."""
    entries = raw.get(section)
    first: dict[str, str] = {}
    for name in entries if isinstance(entries, dict) else ():
        if name is None or isinstance(name, bool):
            message = f"YAML takes a name here for {hints.plain(name)}: put it in quotes"
            yield Mistake(section, message, "name")
        same = first.setdefault(f"{name}".casefold(), f"{name}")
        if same != f"{name}":
            why = "on many disks capitals tell no two files apart; call one of them otherwise"
            yield Mistake(f"{section}.{name}", f"{same!r} is called alike: {why}", "name")


def plain_data(value: Any) -> Any:
    """What YAML made of the file, with text for dates without quotes, and for keys of any type."""
    if isinstance(value, dict):
        keys = (key if isinstance(key, str) else spelling(plain_data(key)) for key in value)
        return dict(zip(keys, map(plain_data, value.values()), strict=True))
    if isinstance(value, list):
        return [plain_data(item) for item in value]
    return value.isoformat() if type(value) is date else value


def _resolved(
    raw: dict[str, Any], root: Path, problems: list[Mistake]
) -> tuple[dict[str, Any], list[Mistake]]:
    """The config with the format of each source that leaves it to its logs, and what that is."""
    notes: list[Mistake] = []
    if not isinstance(raw.get("sources"), dict):
        return raw, notes
    sources = dict(raw["sources"])
    auto = registry.load(formats, "auto")
    for name, entry in raw["sources"].items():
        if isinstance(entry, dict) and entry.get("format") == "auto":
            place = f"sources.{name}"
            try:
                sources[name], note = auto.resolve(entry | {"name": str(name)}, place, root)
                notes.append(Mistake(f"{place}.format", note))
            except Error as error:
                wrong = checks.check(str | list[str] | None, entry.get("logs"), f"{place}.logs")
                problems += wrong or error.mistakes
                del sources[name]
    return raw | {"sources": sources}, notes


def _entries(
    raw: dict[str, Any], section: Section, problems: list[Mistake]
) -> tuple[dict[str, Any], set[str]]:
    """Entries of a section, each checked against the `Entry` of the module that its key names.

    With them, the names of those that have mistakes that types do not show.
    """
    entries: dict[str, Any] = {}
    wrong = set[str]()
    blocks = raw.get(section.name) or {}
    if not isinstance(blocks, dict):
        message = f"{hints.excerpt(blocks)} is not a mapping of names to entries"
        problems.append(Mistake(section.name, message, checks.TYPE))
        return entries, wrong
    above, keys = "", section.fields() - {"name"}
    for name, block in blocks.items():
        place = f"{section.name}.{name}"
        if name in keys and not (isinstance(block, dict) and section.key in block):
            way = f"indent it below {above!r}, as deep as its other keys"
            way = way if above else f"write {section.name}: {{NAME: {{{name}: …}}}}"
            message = f"{name!r} is a key of {section.name}, not a name of one: {way}"
            problems.append(Mistake(place, message, "misplaced", name))
            continue
        above = name
        mistakes = _wrong_word(place, name, block, section) or _mistyped(
            place, name, block, section
        )
        if not mistakes:
            kind = registry.load(section.package, block[section.key]).Entry
            entry = msgspec.convert(checks.with_lists(kind, block) | {"name": name}, kind)
            entries[name] = entry
            more = entry.columns().mistakes() if section is SOURCES and not entry.mistakes() else []
            mistakes = [mistake.below(place) for mistake in (*entry.mistakes(), *more)]
            wrong |= {name} if mistakes else set()
        problems += mistakes
    return entries, wrong


def _wrong_word(place: str, name: str, block: Any, section: Section) -> list[Mistake]:
    """What is wrong with the name of an entry, or with what it says it is."""
    words, key = section.words(), section.key
    if not is_name(name):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")
        hint = f": {plain}" if plain else ""
        message = f"{name!r} cannot name files; use letters, digits and -, _ or .{hint}"
        return [Mistake(place, message, "name")]
    block = {} if block is None else block
    if not isinstance(block, dict):
        hint = (
            "its keys stand below one another, with a colon and a blank behind each, no dash or ="
        )
        message = f"{hints.excerpt(block)} is not a mapping; {checks.glued(block) or hint}"
        return [Mistake(place, message, checks.MISSING)]
    if block.get(key) is None:
        near = next((word for word in block if hints.likely(word, [key])), "")
        meant = hints.likely(block[near], words) or key.upper() if near else ""
        hint = f"{near!r} is not a key here; write {key}: {meant}; " if near else ""
        message = f"needs a {key!r}; {hint}{choices('', words)}"
        return [Mistake(place, message, checks.MISSING, near)]
    if not isinstance(block[key], str):
        return checks.check(str, block[key], f"{place}.{key}")
    if block[key] not in words:
        message = f"{block[key]!r} is not a {section.noun}; {hints.key(block[key], words)}"
        message += "; auto looks for itself" * (section is SOURCES)
        return [Mistake(f"{place}.{key}", message, checks.CHOICE)]
    return []


def _mistyped(place: str, name: str, block: dict[str, Any], section: Section) -> list[Mistake]:
    """What is wrong with the types of an entry, and keys of it that are right elsewhere."""
    word = block[section.key]
    try:
        module = registry.find(section.package, word, "", section.noun)
    except Error as error:  # a module of one's own that lacks something
        return [Mistake(f"{place}.{section.key}", str(error))]
    entry = checks.with_lists(module.Entry, block) | {"name": name}
    problems = checks.check(module.Entry, entry, place)
    own, other = section.fields(word), FIGURES if section is SOURCES else SOURCES
    for key in sorted(entry.keys() - own):
        if owners := [name for name in section.words() if key in section.fields(name)]:
            message = f"a key of {section.key}: {' or '.join(owners)}"
            problems.append(Mistake(f"{place}.{key}", message, checks.UNKNOWN))
        elif key in other.fields() and not any(key.startswith(n) or n.startswith(key) for n in own):
            message = f"a key of {other.name}: write it below {other.name}.NAME"
            problems.append(Mistake(f"{place}.{key}", message, checks.UNKNOWN))
    return problems


def _others(
    raw: dict[str, Any], section: str, kind: type[msgspec.Struct], problems: list[Mistake]
) -> dict[str, Any]:
    """Source → what a section says of it, as a `kind`."""
    blocks, sources = raw.get(section) or {}, raw.get("sources") or {}
    wrong = checks.check(dict[str, kind], blocks, section)  # type: ignore[valid-type]  # made here
    wrong = wrong or [
        Mistake(f"{section}.{name}", references.no_source(name, sources), checks.CHOICE)
        for name in blocks
        if name not in sources
    ]
    problems += wrong
    return {} if wrong else msgspec.convert(blocks, dict[str, kind])  # type: ignore[valid-type]


def is_name(name: str) -> bool:
    """Whether a source or figure may be called so: names become file names and wildcards."""
    return name[:1].isalnum() and all(c.isascii() and (c.isalnum() or c in "-_.") for c in name)
