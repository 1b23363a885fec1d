"""What figures name of their sources: columns, numbers, values, and sources joined into one.

`source: [mine, theirs]` makes one source of two; of aggregates there is what was printed alone.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from heatproof import formats
from heatproof.config import checks, hints
from heatproof.config.entries import of_kind
from heatproof.metrics import metric
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake, choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Columns, Figure, Source

KINDS: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
SHARES: Sequence[Sequence[float]] = ([], [0, 1], [0, 100])
"""Ranges of scores that are shown as shares anyway; the last one of scores alone."""


def no_source(name: str, sources: Mapping[str, Any]) -> str:
    """What to tell of a name that is none of a source."""
    return f"{name!r} is not a source; {choices(name, sources)}"


def misspelled(raw: Mapping[str, Any]) -> set[str]:
    """Sections that are there under a name that is spelled wrong."""
    return {likeliest(key, ("sources", "figures")) for key in raw} - {*raw}


def with_joined(
    raw: dict[str, Any], sources: dict[str, Source], problems: list[Mistake]
) -> dict[str, Any]:
    """The config with one source where a figure lists several; it is added to `sources`.

    What is wrong with such a list is added to `problems`.
    """
    if not isinstance(raw.get("figures"), dict):
        return raw
    figures, there = dict(raw["figures"]), raw.get("sources") or {}
    for name, entry in figures.items():
        listed = entry.get("source") if isinstance(entry, dict) else None
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            continue
        place = f"figures.{name}.source"
        wrong = [
            Mistake(place, no_source(n, there), checks.CHOICE, n) for n in listed if n not in there
        ]
        if not listed:
            wrong = [Mistake(place, f"lists none; {choices('', there)}", checks.EMPTY)]
        problems += wrong
        joined = next(iter(there), "")
        if not wrong:
            joined = _joined([*dict.fromkeys(listed)], sources, place, problems)
        figures[name] = entry | {"source": joined}
    return raw | {"figures": figures}


def _joined(
    names: list[str], sources: dict[str, Source], place: str, problems: list[Mistake]
) -> str:
    """The name of the source that is made of some; of one that is wrong, if there is such."""
    if len(names) == 1:
        return names[0]
    if wrong := [name for name in names if name not in sources]:
        return wrong[0]  # it is told of already
    both = "-and-".join(names)
    if (taken := sources.get(both)) and taken.format != "joined":
        message = f"sources.{both} is what they are called together; rename it"
        problems.append(Mistake(place, message, "name"))
        return names[0]
    if both not in sources:
        parts = {name: sources[name] for name in names}
        problems += [Mistake(place, clash, "clash") for clash in _reader().clashes(parts)]
        sources[both] = _reader().joined(both, parts)
    return both


def _reader() -> Any:
    return registry.find(formats, "joined", "", "log format")


def mistakes(
    place: str, figure: Figure, sources: Mapping[str, Source], raw: Mapping[str, Any]
) -> list[Mistake]:
    """What is wrong with the source and the columns that a figure at a place names."""
    problems = misnamed(place, figure, sources, raw)
    if figure.source not in sources:
        return problems
    source = sources[figure.source]
    types = source.columns().identity()
    texts = [*_aggregates(figure, source)]
    if not problems and not texts:
        texts += [*figure.misranged(source.ranges()), *_misscaled(figure, source)]
    texts += [*figure.mistyped(types), *_unanswered(figure, source), *_lacking(figure, source)]
    problems += [text.below(place) for text in texts]
    for key, (column, values) in figure.spelled().items():
        for value in values if column in types else ():
            plain = of_kind(value, types[column])
            problems += checks.check(KINDS[types[column]], plain, f"{place}.{key}")
    return problems


def misnamed(  # noqa: C901
    place: str, figure: Figure, sources: Mapping[str, Source], raw: Mapping[str, Any]
) -> list[Mistake]:
    """The source, columns and numbers that a figure names and that are not there."""
    if figure.source not in sources:
        listed = raw.get("sources")
        listed = {} if listed is None and "sources" not in misspelled(raw) else listed
        if not isinstance(listed, dict) or figure.source in listed:
            return []  # named rightly; the source's own problem is told already
        if not all(isinstance(entry, dict) for entry in listed.values()):
            return []  # it is told that these are no names of sources
        return [Mistake(f"{place}.source", no_source(figure.source, listed), checks.CHOICE)]
    source = sources[figure.source]
    columns = source.columns()
    used: dict[str, str] = {}
    measured: dict[str, str] = {}
    with suppress(Error):  # the metric, and what names it, is told by itself
        measured = figure.measured()
        used = figure.used()
    problems = []
    for names, valid, what in (
        (used, columns.identity(), "column"),
        (measured, columns.numbers(), "number"),
    ):
        for key, column in names.items():
            if column in valid:
                continue
            message = f"{column!r} is not a {what} of source {figure.source!r}; "
            message += choices(column, valid)
            if column in columns.numbers():  # asked for as if it were a setting
                message += f"; of this number mean({column}) is a metric"
            if what == "number" and hasattr(source, "measures"):
                message += "; `measures` on the source adds more: {name: place in a record}"
            message += hints.several(column, valid)
            problems.append(Mistake(f"{place}.{key}", message, f"unknown {what}"))
    return problems


def unused(figure: Figure, source: Source) -> list[Mistake]:
    """Labels and names of what the source does not have.

    No mistake: figures of several sources may share a list.
    """
    columns = source.columns()
    valid = [*columns.identity(), *columns.numbers()]
    place, whose = f"figures.{figure.name}", f"for source {figure.source!r} has no"
    return [
        Mistake(f"{place}.{key}.{word}", f"not used, {whose} {word!r}; {choices(word, valid)}")
        for key, words in (("labels", figure.labelled()), ("names", figure.names))
        for word in words
        if word not in valid
    ]


def _unanswered(figure: Figure, source: Source) -> list[Mistake]:
    """Votes on answers that the tables of the source do not keep."""
    if source.columns().answers:
        return []
    keeps = source.keeping_answers()
    hint = f"sources.{source.name}: {keeps} would keep them"
    hint = hint if keeps else f"logs of the format {source.format!r} are not read for them"
    message = f"is a vote on the answers of samples, and source {source.name!r} keeps none; {hint}"
    return [Mistake(f".{key}", f"{word} {message}") for key, word in figure.voted().items()]


def _misscaled(figure: Figure, source: Source) -> Iterator[Mistake]:
    """Numbers that several sources have on several scales: by keys within the entry."""
    if source.format != "joined" or getattr(figure, "percent", False):
        return
    words = figure.metrics() or {key: f"mean({name})" for key, name in figure.measured().items()}
    for key, word in words.items():
        number, graded = metric(word).of, metric(word).graded
        ends = {name: item.ranges().get(number, []) for name, item in source.sources().items()}  # type: ignore[attr-defined]
        usual = SHARES if number == "score" else SHARES[:2]
        plain = {name: [] if pair in usual else pair for name, pair in ends.items()}
        if graded or len({*map(tuple, plain.values())}) < 2:
            continue
        scales = " and ".join(
            f"{pair[0]:g} to {pair[1]:g} in {name!r}" if pair else f"as it is in {name!r}"
            for name, pair in plain.items()
        )
        shares = ", or percent: true shows shares of each range" * hasattr(figure, "percent")
        yield Mistake(
            f".{key}",
            f"{number} is {scales}; draw a figure of each, or give them one range{shares}",
        )


def _lacking(figure: Figure, source: Source) -> list[Mistake]:
    """Columns that a figure names, which some of its sources have and others have not.

    One that is pooled may be such: no sample of the others has a value there.
    """
    if source.format != "joined":
        return []
    used = {key: column for key, column in figure.used().items() if not key.startswith("pool")}
    reasons = {
        key: _reader().lacking(column, source.sources())  # type: ignore[attr-defined]
        for key, column in {**used, **figure.measured()}.items()
    }
    return [Mistake(f".{key}", why, "unknown column") for key, why in reasons.items() if why]


def _aggregates(figure: Figure, source: Source) -> Iterator[Mistake]:
    """What a figure asks of aggregates that only samples tell, or of samples that only these do.

    by keys within the entry.
    """
    columns = source.columns()
    words: dict[str, str] = {}
    with suppress(Error):  # the metric is told by itself
        words = figure.metrics()
        for key, column in figure.measured().items():
            if column not in columns.numbers():
                continue  # it is told of already
            if why := _not_printed(words.get(key, ""), column, columns, source.name):
                yield Mistake(f".{key}", why)
    if figure.asks_uncertainty():
        for key, word in list(words.items())[:1]:
            of = metric(word).of
            if metric(word).printed and columns.printed.get(of) == []:
                yield (
                    Mistake(
                        ".uncertainty",
                        f"{figure.uncertainty!r}: of {of!r} ({key}) neither n nor stderr "
                        f"is known; sources.{source.name}.aggregates.{of}: {{value: …, stderr: its "
                        "place}} would tell it, or take it out",
                    )
                )


def _not_printed(word: str, column: str, columns: Columns, source: str) -> str:
    """Why a metric cannot be shown of a source; empty if it can."""
    names = ", ".join(f"printed({name})" for name in columns.printed)
    there = f"; there {'are' if len(columns.printed) > 1 else 'is'} {names}" if names else ""
    is_printed = bool(word) and metric(word).printed
    if is_printed and columns.printed and column not in columns.printed:
        return f"{column!r} is none of the aggregates of source {source!r}{there}"
    if is_printed and not columns.printed:
        instead = "pass@1" if column == "score" else f"mean({column})"
        records = f"source {source!r} has records of problems; there is {instead}"
        return f"{word} is of aggregates, and {records}"
    if columns.printed and not is_printed:
        wish = word or f"a comparison of {column}"
        aggregates = f"source {source!r} has aggregates, printed numbers alone{there}"
        return f"{wish} needs records of problems, and {aggregates}"
    return ""
