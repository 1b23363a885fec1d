"""All mistakes that can be seen before a job, told at once.

What is right of a config is planned although the rest is wrong, so that its logs are looked for,
and their heads looked at, in the same call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.config import configuration, roots
from heatproof.logs import logs
from heatproof.plan import heads
from heatproof.plan.left_out import LeftOut, touched
from heatproof.plan.plan import SECTIONS, Plan
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from heatproof.config.configuration import Config


class Mistakes(Error):
    """All that is wrong with a config."""

    def __init__(self, told: str, spared: Sequence[str]) -> None:
        """`spared`: the figures that none of it touches."""
        super().__init__(told)
        self.spared = spared


def planned(
    raw: dict[str, Any], root: Path, *, upstream: bool = False, keep_going: bool = False
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
            plan.left_out = left
            return plan
        more = touched("\n".join(problems), rest)
        names = [str(name) for name in rest["figures"]] if more else []
        spared = [name for name in names if more and name not in more.figures]
        first = first or Mistakes("\n".join([*problems, *notes]), spared)
        if more is None or not keep_going:
            raise first
        left = left.also(more)


def _examined(
    raw: dict[str, Any], root: Path, upstream: bool
) -> tuple[Plan | None, list[str], list[str]]:
    """The plan of a config, all that is wrong with it, and what was decided for its user."""
    unlinked = _told(lambda: roots.mount(roots.given(raw), root, later=upstream))
    config, problems = configuration.examined(raw, root, SECTIONS)
    if unlinked:  # without them logs are not where they are named
        return None, [*unlinked, *problems], config.notes
    plan = _with_logs(raw, root, config, problems, upstream)
    found = [*problems, *_of(plan)]
    if not raw.get("figures") and "figures" not in configuration.unnamed(raw):
        found += _told(plan.require_figures)
    return plan, [*dict.fromkeys(found)], config.notes


def _with_logs(
    raw: dict[str, Any], root: Path, config: Config, problems: list[str], upstream: bool
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


def _of(plan: Plan) -> list[str]:
    """What is wrong with what is planned."""
    checks = (plan.require_drawable, plan.require_given, plan.require_known)
    return [*heads.problems(plan), *(line for check in checks for line in _told(check))]


def _told(check: Callable[..., object], *given: object) -> list[str]:
    """The lines of the error that a check raises; none if it raises none."""
    try:
        check(*given)
    except Error as error:
        return str(error).splitlines()
    return []
