"""Which of several names in a log is meant, where the tasks of a suite have different ones.

A text is demanded of every task. A list is an order of preference: the first that a task has. A map
says either by task, or by a pattern of tasks (`mmlu_*`); a task's own name goes before a pattern,
and among patterns the first. What is the only one of a task needs no name.
"""

from __future__ import annotations

from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from heatproof.util.errors import Error, Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


Names = str | list[str]
Preference = Names | dict[str, Names]
"""What a key of config.yaml may say."""


class Unchosen(Error):
    """config.yaml names what a log does not have, or not which of several: the run stops."""


def of_task(preference: Preference | None, task: str) -> Names | None:
    """What is preferred for a task; None where nothing is said of it."""
    if not isinstance(preference, dict):
        return preference
    if task in preference:
        return preference[task]
    return next((names for word, names in preference.items() if fnmatchcase(task, word)), None)


def mistakes(key: str, preference: Preference | None) -> Iterator[Mistake]:
    """What is wrong with a preference beyond its type: `.key: what is wrong`."""
    for task, names in (preference if isinstance(preference, dict) else {"": preference}).items():
        place = f".{key}.{task}" if task else f".{key}"
        if names == []:
            yield Mistake(place, "lists no name")
        for name in dict.fromkeys(names if isinstance(names, list) else ()):
            if (names or []).count(name) > 1:
                yield Mistake(place, f"{name!r} stands twice", word=name)


def chosen(names: Sequence[str], preferred: Names | None, place: str, path: str) -> str:
    """The one of the `names` in the log at `path` that is meant.

    Raises:
        Unchosen: a text is not among them, or there are several and none is preferred; it names
            `place`, the key of config.yaml that says so.
    """
    word = place.rsplit(".", 1)[-1]
    if isinstance(preferred, str):
        if preferred in names:
            return preferred
        message = f"{preferred!r} is not a {word} of {path}; {choices(preferred, names)}"
        if not get_close_matches(preferred, names):
            message += (
                f"; where tasks differ, a list names several: {word}: [{preferred}, {names[0]}]"
            )
        raise Unchosen(Mistake(place, message))
    there = [name for name in preferred or () if name in names]
    if not there and len(names) > 1:
        missing = f" and none of {', '.join(preferred)}" if preferred else ", name one"
        raise Unchosen(Mistake(place, f"{path} has several{missing}; {choices('', names)}"))
    return (there or list(names))[0]


def unknown(key: str, preference: Preference | None, tasks: Collection[str]) -> Iterator[Mistake]:
    """Tasks of a map that no sample is of: `.key.task: what is wrong`."""
    for name in preference if isinstance(preference, dict) else ():
        if not any(fnmatchcase(task, name) for task in {name} & {*tasks} or tasks):
            yield Mistake(
                f".{key}.{name}", f"no sample is of task {name!r}; {choices(name, sorted(tasks))}"
            )
