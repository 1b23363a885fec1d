"""Which of several names in a log is meant, where the tasks of a suite have different ones.

A text is demanded of every task. A list is an order of preference: the first that a task has. A map
says either by task, or by a pattern of tasks (`mmlu_*`); a task's own name goes before a pattern,
and among patterns the first. What is the only one of a task needs no name.
"""

from __future__ import annotations

from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


Names = str | list[str]
Preference = Names | dict[str, Names]
"""What a key of config.yaml may say."""


def of_task(given: Preference | None, task: str) -> Names | None:
    """What is preferred for a task; None where nothing is said of it."""
    if not isinstance(given, dict):
        return given
    if task in given:
        return given[task]
    return next((names for pattern, names in given.items() if fnmatchcase(task, pattern)), None)


def mistakes(key: str, given: Preference | None) -> Iterator[str]:
    """What is wrong with a preference beyond its type: `.key: what is wrong`."""
    told = given if isinstance(given, dict) else {"": given}
    for task, names in told.items():
        place = f".{key}.{task}" if task else f".{key}"
        if isinstance(names, list):
            if not names:
                yield f"{place}: lists no name"
            yield from (
                f"{place}: {name!r} stands twice"
                for name in dict.fromkeys(names)
                if names.count(name) > 1
            )


def chosen(names: Sequence[str], wanted: Names | None, place: str, path: str) -> str:
    """The name that is meant.

    Args:
        names: those that the log has.
        wanted: what is preferred.
        place: the key of config.yaml that says so.
        path: of the log.

    Raises:
        Error: a text is not among the names, or there are several and none is preferred.
    """
    word = place.rsplit(".", 1)[-1]
    if isinstance(wanted, str):
        if wanted not in names:
            listed = f"; where tasks differ, a list names several: {word}: [{wanted}, {names[0]}]"
            said = f"{place}: {wanted!r} is not a {word} of {path}; {choices(wanted, names)}"
            raise Error(said if get_close_matches(wanted, names) else said + listed)
        return wanted
    found = [name for name in wanted or () if name in names]
    if not found and len(names) > 1:
        missing = f" and none of {', '.join(wanted)}" if wanted else ", name one"
        raise Error(f"{place}: {path} has several{missing}; {choices('', names)}")
    return (found or list(names))[0]


def narrowed(
    pairs: Sequence[tuple[str, str]], first: Names | None, second: Names | None
) -> list[str]:
    """The second parts of pairs that may be meant, sorted: those beside the preferred first part,
    where nothing is said of the second ones.
    """
    listed = [first] if isinstance(first, str) else first or []
    there = {one for one, _ in pairs}
    wanted = next((name for name in listed if name in there), None)
    return sorted({of for one, of in pairs if second is not None or wanted in (None, one)})


def unknown(key: str, given: Preference | None, tasks: Collection[str]) -> Iterator[str]:
    """Tasks of a map that no sample is of: `.key.task: what is wrong`."""
    for name in given if isinstance(given, dict) else ():
        if not any(fnmatchcase(task, name) for task in {name} & {*tasks} or tasks):
            yield f".{key}.{name}: no sample is of task {name!r}; {choices(name, sorted(tasks))}"
