"""Figures of several sources: `source: [mine, theirs]` makes one source of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import readers
from heatproof.util import registry
from heatproof.util.errors import choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.config.entries import Figure, Source


def with_joined(
    raw: dict[str, Any], sources: dict[str, Source], problems: list[str]
) -> dict[str, Any]:
    """The config with one source where a figure lists several; it is added to `sources`.

    What is wrong with such a list is added to `problems`.
    """
    shown = raw.get("figures")
    if not isinstance(shown, dict):
        return raw
    found = {}
    for name, given in shown.items():
        listed = given.get("source") if isinstance(given, dict) else None
        if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
            place = f"config.yaml: figures.{name}.source"
            known = raw.get("sources") or {}
            said = [*_mistakes(listed, known)]
            problems += [f"{place}: {one}" for one in said]
            one = (
                next(iter(known), "")
                if said
                else _joined([*dict.fromkeys(listed)], sources, place, problems)
            )
            found[name] = given | {"source": one}
        else:
            found[name] = given
    return raw | {"figures": found}


def _mistakes(listed: list[str], known: Mapping[str, Any]) -> Iterator[str]:
    if not listed:
        yield f"lists none; {choices('', known)}"
    for name in listed:
        if name not in known:
            yield f"{name!r} is not a source; {choices(name, known)}"


def _joined(names: list[str], sources: dict[str, Source], place: str, problems: list[str]) -> str:
    """The name of the source that is made of some; of one that is wrong, if there is such."""
    if len(names) == 1:
        return names[0]
    if wrong := [name for name in names if name not in sources]:
        return wrong[0]  # told already
    both = "-and-".join(names)
    module = _module()
    each = {name: sources[name] for name in names}
    if (taken := sources.get(both)) and taken.format != "joined":
        problems.append(f"{place}: sources.{both} is what they are called together; rename it")
        return names[0]
    if both not in sources:
        problems += [f"{place}: {one}" for one in module.clashes(each)]
        sources[both] = module.joined(both, each)
    return both


def lacking(place: str, figure: Figure, sources: Mapping[str, Source]) -> list[str]:
    """Columns that a figure names, which some of its sources have and others have not.

    One that is pooled may be such: no sample of the others has a value there.
    """
    source = sources.get(figure.source)
    if source is None or source.format != "joined":
        return []
    each, tells = source.each(), _module().lacking  # type: ignore[attr-defined]
    used = {key: column for key, column in figure.used().items() if not key.startswith("pool")}
    named = {**used, **figure.measured()}
    return [
        f"{place}.{key}: {why}" for key, column in named.items() if (why := tells(column, each))
    ]


def _module() -> Any:
    return registry.find(readers, "joined", "", "log format")
