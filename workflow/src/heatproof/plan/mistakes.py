"""All mistakes that can be seen before a job, told at once.

What is right of a config is planned although the rest is wrong, so that its logs are looked for
in the same call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.config import configuration, references, roots
from heatproof.logs import logs
from heatproof.plan.left_out import LeftOut, touched
from heatproof.plan.plan import SECTIONS, Plan
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from heatproof.config.configuration import Config
    from heatproof.util.errors import Mistake


class Mistakes(Error):
    """All that is wrong with a config."""

    def __init__(self, mistakes: Sequence[Mistake], spared: Sequence[str]) -> None:
        """`spared`: the figures that none of them touches."""
        super().__init__([*mistakes])
        self.spared = spared


def planned(
    raw: dict[str, Any],
    root: Path,
    *,
    upstream: bool = False,
    keep_going: bool = False,
) -> Plan:
    """The plan of a config without a mistake; to keep going, of the figures that none touches.

    `upstream` as of `Plan`.

    Raises:
        Mistakes: one line for each mistake.
    """
    left = LeftOut()
    first: Mistakes | None = None
    while True:
        rest = left.without(raw)
        plan, problems, notes = _examined(rest, root, upstream)
        if plan and not problems:
            plan.left_out, plan.whole = left, raw
            return plan
        more = touched(problems, rest)
        names = [str(name) for name in rest["figures"]] if more else []
        spared = [name for name in names if more and name not in more.figures]
        first = first or Mistakes([*problems, *notes], spared)
        if more is None or not keep_going:
            raise first
        left = left.also(more)


def _examined(
    raw: dict[str, Any], root: Path, upstream: bool
) -> tuple[Plan | None, list[Mistake], list[Mistake]]:
    """The plan of a config, all that is wrong with it, and what was decided for its user."""
    unlinked = _told(lambda: roots.mount(roots.given(raw), root, later=upstream))
    config, problems = configuration.examined(raw, root, SECTIONS)
    if unlinked:  # without them logs are not where they are named
        return None, [*unlinked, *problems], config.notes
    plan = _with_logs(raw, root, config, problems, upstream)
    found = [*problems, *_of(plan)]
    if not raw.get("figures") and "figures" not in references.misspelled(raw):
        found += _told(plan.require_figures)
    return plan, [*dict.fromkeys(found)], config.notes


def _with_logs(
    raw: dict[str, Any], root: Path, config: Config, problems: list[Mistake], upstream: bool
) -> Plan:
    """What can be planned: sources whose logs are there or are made, and their figures."""
    also = _named(raw) & config.sources.keys()
    plan = Plan(raw, root, upstream=upstream, config=config, also=also)
    if not (absent := _told(lambda: plan.shards)):
        return plan
    problems += absent
    there = {
        name: one
        for name, one in config.sources.items()
        if not _told(logs.find, one, root, logs.in_full(one.logs) if upstream else ())
    }
    figures = {name: one for name, one in config.figures.items() if one.source in there}
    return Plan(
        raw,
        root,
        upstream=upstream,
        config=replace(config, sources=there, figures=figures),
        also=also & there.keys(),
    )


def _named(raw: dict[str, Any]) -> set[str]:
    """The sources that figures name, right ones and wrong ones."""
    figures = raw.get("figures")
    entries = figures.values() if isinstance(figures, dict) else ()
    return {str(one.get("source")) for one in entries if isinstance(one, dict)}


def _of(plan: Plan) -> list[Mistake]:
    """What is wrong with what is planned."""
    return _told(plan.require_given)


def _told(check: Callable[..., object], *given: object) -> list[Mistake]:
    """The mistakes of the error that a check raises; none if it raises none."""
    try:
        check(*given)
    except Error as error:
        return error.mistakes
    return []
