"""Read config.yaml: check every entry, and tell each mistake with place, value and choices.

`source: [before, after]` of a figure makes one source of two.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import formats
from heatproof.config import derived, hints, schema
from heatproof.config.entries import of_kind, spelling
from heatproof.config.schema import FIGURES, SOURCES, Section, check
from heatproof.metrics import metric
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake, choices, likeliest, not_one_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure, Source

Raw = dict[str, Any]  # what YAML made of the file
MOST_VALUES = 200_000  # that a config may hold
KEYS_IN_LINES = (
    "write its keys one per line, each followed by a colon and a space, without dash or ="
)
TOO_LARGE = (
    f"the config holds more than {MOST_VALUES:,} values: aliases (*) within what other aliases "
    "stand for multiply; write out what is meant"
)
SECTIONS = ("sources", "figures")
LONGEST, REPEATS = 100, 20  # signs of a name; Snakemake takes one that repeats itself for a loop
PERIODIC = re.compile(rf"(.+)\1{{{REPEATS - 1}}}$")
KINDS: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
SHARES: Sequence[Sequence[float]] = ([], [0, 1], [0, 100])
"""Ranges of scores that are shown as shares anyway; the last one of scores alone."""


class Config(msgspec.Struct):
    """All of config.yaml, checked."""

    sources: dict[str, Source]
    figures: dict[str, Figure]
    notes: list[Mistake] = []  # what was decided for the user, such as the format of a source


def read(raw: Raw, root: Path = Path()) -> Config:
    """The checked config; arguments as of `examined`. Raises Error: of all mistakes."""
    config, problems = examined(raw, root)
    if problems:
        raise Error(problems + config.notes)
    return config


def examined(raw: Raw, root: Path = Path()) -> tuple[Config, list[Mistake]]:
    """The right part of a config, and all mistakes in it.

    `root`: the project folder, where `format: auto` looks at logs. A section that begins with a dot
    is for YAML anchors alone.
    """
    problems = list(_wrong_names(raw, "sources"))
    problems += _wrong_names(raw, "figures")
    raw = plain_data(raw)
    problems += _unknown_sections(raw)
    raw, notes = _with_formats(raw, root, problems)
    entries, wrong = _entries(raw, SOURCES, problems)
    sources = {name: entry for name, entry in entries.items() if name not in wrong}
    raw = _with_joined(raw, sources, problems)
    entries, wrong = _entries(raw, FIGURES, problems)
    figures = {}
    for name, figure in entries.items():
        source = sources.get(figure.source)
        if source:
            mistakes = _unknown_columns(figure, source)
        else:
            mistakes = _unknown_source(figure, raw)
        if source and name not in wrong:
            mistakes += _misfits(figure, source, has_columns=not mistakes)
            if not mistakes:
                figures[name] = _fitted(figure, source)
        problems += [mistake.below(f"figures.{name}") for mistake in mistakes]
    if not problems:
        for figure in figures.values():
            notes += _unused(figure, sources[figure.source])
    return Config(sources, figures, notes), problems


def _fitted(figure: Figure, source: Source) -> Figure:
    """A figure with what it has from its source."""
    fitted = figure.fitted(source.all_columns().identity())
    return msgspec.structs.replace(
        fitted,
        ranges=source.ranges(),
        opponent=getattr(source, "versus", ""),
        mixable=derived.mixable_settings(figure, source),
        orders=derived.bin_orders(figure, source),
    )


def _wrong_names(raw: Mapping[str, Any], section: str) -> Iterator[Mistake]:
    """Names that YAML does not read as text, and two that would name one file."""
    entries = raw.get(section)
    first: dict[str, str] = {}
    for name in entries if isinstance(entries, dict) else ():
        if name is None or isinstance(name, bool):
            message = f"YAML reads a name here as {hints.plain(name)}: put it in quotes"
            yield Mistake(section, message, "name")
        text = f"{name}"
        first_name = first.setdefault(text.casefold(), text)
        if first_name != text:
            why = "many disks ignore capitals in file names; rename one of them"
            message = f"{first_name!r} has the same name: {why}"
            yield Mistake(f"{section}.{name}", message, "name")


def _unknown_sections(raw: Raw) -> Iterator[Mistake]:
    for key in raw:
        if key not in SECTIONS and not key.startswith("."):
            message = f"{key!r} is not a section; {hints.key(key, SECTIONS)}"
            yield Mistake("", message, "unknown section", key)


def plain_data(value: Any, left: Iterator[int] | None = None) -> Any:
    """Data of YAML, with text for dates without quotes and for keys of any type.

    `left`: an item for each value that there may still be. Raises Error: there are more.
    """
    if left is None:
        left = iter(range(MOST_VALUES))
    if next(left, None) is None:
        raise Error(TOO_LARGE)
    if isinstance(value, dict):
        plain = {}
        for key, item in value.items():
            if isinstance(key, str):
                name = key
            else:
                name = spelling(plain_data(key, left))
            plain[name] = plain_data(item, left)
        return plain
    if isinstance(value, list):
        return [plain_data(item, left) for item in value]
    return value.isoformat() if type(value) is date else value


def _with_formats(raw: Raw, root: Path, problems: list[Mistake]) -> tuple[Raw, list[Mistake]]:
    """The config with the detected format of each source that says `auto`, and notes of these."""
    notes: list[Mistake] = []
    sources = raw.get("sources")
    if not isinstance(sources, dict):
        return raw, notes
    resolved = dict(sources)
    for name, entry in sources.items():
        if isinstance(entry, dict) and entry.get("format") == "auto":
            place = f"sources.{name}"
            try:
                auto = registry.load(formats, "auto")
                resolved[name], note = auto.resolve(entry | {"name": str(name)}, place, root)
                notes.append(Mistake(f"{place}.format", note))
            except Error as error:
                wrong = check(str | list[str] | None, entry.get("logs"), f"{place}.logs")
                problems += wrong or error.mistakes
                del resolved[name]
    return raw | {"sources": resolved}, notes


def _entries(
    raw: Raw, section: Section, problems: list[Mistake]
) -> tuple[dict[str, Any], set[str]]:
    """Entries of a section whose keys have the right types, and names of those that are wrong.

    Their mistakes are added to `problems`.
    """
    entries: dict[str, Any] = {}
    wrong = set[str]()
    blocks = raw.get(section.name) or {}
    if not isinstance(blocks, dict):
        message = f"{hints.excerpt(blocks)} is not a mapping; give each a name: {{NAME: …}}"
        problems.append(Mistake(section.name, message, schema.TYPE))
        return entries, wrong
    for name, block in blocks.items():
        mistakes = _wrong_word(name, block, section)
        if not mistakes:
            mistakes = _mistyped(name, block, section)
        if not mistakes:
            struct = section.entry(block[section.key])
            entry = msgspec.convert(schema.with_lists(struct, block) | {"name": name}, struct)
            entries[name] = entry
            mistakes = entry.mistakes()
            if section is SOURCES and not mistakes:
                mistakes = entry.columns().mistakes() or derived.mistakes(entry)
            wrong |= {name} if mistakes else set()
        problems += [mistake.below(f"{section.name}.{name}") for mistake in mistakes]
    return entries, wrong


def _unfit_name(name: str) -> str:
    """Why a name cannot be that of files, and what to write; empty if it can be."""
    if not is_name(name):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")
        advice = "use letters, digits and -, _ or ."
        if plain:
            return f"{advice}: {plain}"
        return advice
    if len(name) > LONGEST or PERIODIC.search(name):
        return f"use at most {LONGEST} signs, and none {REPEATS} times in a row"
    return ""


def _wrong_word(name: str, block: Any, section: Section) -> list[Mistake]:
    """What is wrong with the name of an entry, or with its kind or format."""
    words, key = section.words(), section.key
    if why := _unfit_name(name):
        return [Mistake("", f"{name!r} cannot name files; {why}", "name")]
    block = {} if block is None else block
    if not isinstance(block, dict):
        hint = schema.missing_space(block) or KEYS_IN_LINES
        message = f"{hints.excerpt(block)} is not a mapping; {hint}"
        return [Mistake("", message, schema.MISSING)]
    word = block.get(key)
    if word is None:
        return [_missing_word(block, section)]
    if not isinstance(word, str):
        return check(str, word, f".{key}")
    if word not in words:
        message = f"{word!r} is not a {section.noun}; {hints.key(word, words)}"
        if section is SOURCES:
            message += "; auto detects it"
        return [Mistake(f".{key}", message, schema.CHOICE)]
    return []


def _missing_word(block: dict[str, Any], section: Section) -> Mistake:
    """An entry without its kind or format, which another key may have been meant for."""
    words, key, hint = section.words(), section.key, ""
    if section is SOURCES:
        hint = "write format: auto, which detects it; "
    similar = next((name for name in block if hints.likely(name, [key])), "")
    if similar:
        likely = hints.likely(block[similar], words) or key.upper()
        hint = f"{similar!r} is not a key here; write {key}: {likely}; "
    message = f"needs a {key!r}; {hint}{choices('', words)}"
    return Mistake("", message, schema.MISSING, similar)


def _mistyped(name: str, block: dict[str, Any], section: Section) -> list[Mistake]:
    """Wrong types of an entry, and keys of it that entries of another kind or format have."""
    try:
        struct = registry.find(section.package, block[section.key], "", section.noun).Entry
    except Error as error:  # a module of one's own that lacks something
        return [Mistake(f".{section.key}", str(error))]
    entry = schema.with_lists(struct, block) | {"name": name}
    problems = check(struct, entry, "")
    for key in sorted(entry.keys() - schema.fields(struct).keys()):
        # Only now, as this loads all formats or kinds.
        owners = [kind for kind in section.words() if key in schema.fields(section.entry(kind))]
        if owners:
            message = f"a key of {section.key}: {' or '.join(owners)}"
            problems.append(Mistake(f".{key}", message, schema.UNKNOWN))
    return problems


def is_name(name: str) -> bool:
    """Whether a source or figure may have this name, which becomes a file name and a wildcard."""
    return name[:1].isalnum() and all(c.isascii() and (c.isalnum() or c in "-_.") for c in name)


def _no_source(name: str, sources: Mapping[str, Any]) -> str:
    return not_one_of(name, "source", sources)


def misspelled(raw: Mapping[str, Any]) -> set[str]:
    """Sections whose name is misspelled."""
    return {likeliest(key, SECTIONS) for key in raw} - set(raw)


def _with_joined(raw: Raw, sources: dict[str, Source], problems: list[Mistake]) -> Raw:
    """The config with one source where a figure lists several, which is added to `sources`."""
    figures, raw_sources = raw.get("figures"), raw.get("sources") or {}
    if not isinstance(figures, dict):
        return raw
    joined: dict[str, Any] = {}
    for name, entry in figures.items():
        listed = entry.get("source") if isinstance(entry, dict) else None
        if isinstance(listed, list) and all(isinstance(item, str) for item in listed):
            source, mistakes = _join(list(dict.fromkeys(listed)), raw_sources, sources)
            problems += [mistake.below(f"figures.{name}.source") for mistake in mistakes]
            joined[name] = entry | {"source": source}
    return raw | {"figures": figures | joined}


def _join(
    names: list[str], raw: Mapping[str, Any], sources: dict[str, Source]
) -> tuple[str, list[Mistake]]:
    """The name of a source of several, or of one of them after mistakes, and the mistakes."""
    first, joined_name = next(iter(raw), ""), "-and-".join(names)
    if not names:
        return first, [Mistake("", f"lists none; {choices('', raw)}", schema.EMPTY)]
    if wrong := [name for name in names if name not in raw]:
        return first, [Mistake("", _no_source(n, raw), schema.CHOICE, n) for n in wrong]
    if unsound := [name for name in names if name not in sources]:  # its mistakes are told
        return unsound[0], []
    if len(names) > 1 and joined_name not in sources:
        members, reader = {name: sources[name] for name in names}, registry.load(formats, "joined")
        sources[joined_name] = reader.joined(joined_name, members)
        return joined_name, [Mistake("", clash, "clash") for clash in reader.clashes(members)]
    if len(names) > 1 and sources[joined_name].format != "joined":
        message = f"sources.{joined_name} is the name of the two together; rename it"
        return names[0], [Mistake("", message, "name")]
    return joined_name, []


def _unknown_source(figure: Figure, raw: Raw) -> list[Mistake]:
    """The mistake of a figure whose source does not exist, if no other mistake explains it."""
    listed = raw.get("sources")
    listed = {} if listed is None and "sources" not in misspelled(raw) else listed
    if not isinstance(listed, dict) or not all(isinstance(e, dict) for e in listed.values()):
        return []
    if figure.source in listed:  # its own mistake is told
        return []
    return [Mistake(".source", _no_source(figure.source, listed), schema.CHOICE)]


def _unknown_columns(figure: Figure, source: Source) -> list[Mistake]:
    columns = source.all_columns()
    used: dict[str, str] = {}
    measured: dict[str, str] = {}
    with suppress(Error):  # a wrong metric is told by itself
        measured = figure.measured()
        used = figure.used()
    problems = []
    for names, valid, noun in (
        (used, columns.identity(), "column"),
        (measured, columns.numbers(), "number"),
    ):
        for key, column in names.items():
            if column in valid:
                continue
            message = f"{column!r} is not a {noun} of source {figure.source!r}; "
            message += choices(column, valid)
            if column in columns.numbers():  # asked for as if it were a setting
                message += f"; for the mean of this number, mean({column})"
            if noun == "number" and hasattr(source, "measures"):
                message += "; `measures` on the source adds more: {name: place in a record}"
            elif source.format != "joined" and "(did you mean" not in message:
                message += f"; `params` on the source adds more: {{{column}: int}}, or str, float"
            message += hints.several(column, valid)
            problems.append(Mistake(f".{key}", message, f"unknown {noun}"))
    return problems


def _votes_without_answers(figure: Figure, source: Source) -> list[Mistake]:
    """Metrics that are votes on answers, of a source that keeps none."""
    hint = f"logs of the format {source.format!r} have none"
    if keeps := source.keeping_answers():
        hint = f"write {keeps} under sources.{source.name}"
    why = f"is a vote on answers, but source {source.name!r} keeps none; {hint}"
    problems = []
    for key, metric_word in figure.metrics().items():
        if metric(metric_word).votes:
            problems.append(Mistake(f".{key}", f"{metric_word} {why}"))
    return problems


def _misfits(figure: Figure, source: Source, *, has_columns: bool) -> list[Mistake]:
    """What a figure asks of its source in vain; `has_columns`: all that it names exist."""
    types = source.all_columns().identity()
    problems = list(_aggregates(figure, source))
    if has_columns and not problems:
        problems += [*figure.misranged(source.ranges()), *_misscaled(figure, source)]
    problems += figure.mistyped(types)
    if not source.columns().answers:
        problems += _votes_without_answers(figure, source)
    if source.format == "joined":
        # Of what is pooled no sample of some sources may have a value.
        used = {key: name for key, name in figure.used().items() if not key.startswith("pool")}
        lacking = registry.load(formats, "joined").lacking
        for key, column in (used | figure.measured()).items():
            if why := lacking(column, source.sources):  # type: ignore[attr-defined]
                problems.append(Mistake(f".{key}", why, "unknown column"))
    for key, (column, values) in figure.spelled().items():
        for value in values if column in types else ():
            problems += check(KINDS[types[column]], of_kind(value, types[column]), f".{key}")
    return problems


def _unused(figure: Figure, source: Source) -> list[Mistake]:
    """Notes of labels and names that fit no column: figures of several sources may share them."""
    columns = source.all_columns()
    valid = [*columns.identity(), *columns.numbers()]
    notes = []
    renamed = []
    if figure.names != "spaces":
        renamed = list(figure.names)
    for key, words in (("labels", figure.labelled()), ("names", renamed)):
        for name in words:
            if name not in valid:
                why = f"source {figure.source!r} has no {name!r}; {choices(name, valid)}"
                place = f"figures.{figure.name}.{key}.{name}"
                notes.append(Mistake(place, f"not used, for {why}"))
    return notes


def _misscaled(figure: Figure, source: Source) -> Iterator[Mistake]:
    """Numbers that several sources have on several scales."""
    if source.format != "joined" or getattr(figure, "percent", False):
        return
    words = figure.metrics() or {key: f"mean({name})" for key, name in figure.measured().items()}
    ways = "draw a figure for each, or give them the same range"
    if hasattr(figure, "percent"):
        ways += ", or percent: true shows shares of each range"
    for key, metric_word in words.items():
        number = metric(metric_word).of
        usual = SHARES if number == "score" else SHARES[:2]
        scales: dict[str, str] = {}
        for name, joined in source.sources.items():  # type: ignore[attr-defined]
            ends = joined.ranges().get(number, [])
            if ends in (*usual, []):
                scales[name] = "as it is"
            else:
                scales[name] = f"{ends[0]:g} to {ends[1]:g}"
        if not metric(metric_word).graded and len(set(scales.values())) > 1:
            scale_words = " and ".join(f"{scale} in {name!r}" for name, scale in scales.items())
            yield Mistake(f".{key}", f"{number} is {scale_words}; {ways}")


def _aggregates(figure: Figure, source: Source) -> Iterator[Mistake]:
    """Metrics of samples where the source has aggregates, and the reverse."""
    columns = source.all_columns()
    names = ", ".join(f"printed({name})" for name in columns.printed)
    valid = f"; there {'are' if len(columns.printed) > 1 else 'is'} {names}" if names else ""
    words = figure.metrics()
    for key, column in figure.measured().items():
        metric_word = words.get(key, "")
        is_printed, why = bool(metric_word) and metric(metric_word).printed, ""
        if column not in columns.numbers():
            continue  # it is told already
        if is_printed and not columns.printed:
            instead = "pass@1" if column == "score" else f"mean({column})"
            why = f"{metric_word} is for aggregates, but source {source.name!r} has records of "
            why += f"problems; write {instead}"
        elif is_printed and column not in columns.printed:
            why = f"{column!r} is not an aggregate of source {source.name!r}{valid}"
        elif columns.printed and not is_printed:
            why = f"{metric_word or f'a comparison of {column}'} needs records of problems, but "
            why += f"source {source.name!r} has only aggregates, printed numbers{valid}"
        if why:
            yield Mistake(f".{key}", why)
    key, metric_word = next(iter(words.items()), ("", ""))
    number = metric(metric_word) if key and figure.asks_uncertainty() else None
    if number and number.printed and columns.printed.get(number.of) == []:
        message = f"{figure.uncertainty!r} needs n or stderr of {number.of!r} ({key}); write "
        message += f"sources.{source.name}.aggregates.{number.of}: {{value: …, stderr: its place}}"
        yield Mistake(".uncertainty", f"{message}, or remove this key")
