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
from heatproof.plan.plan import SECTIONS, Plan
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from heatproof.config.configuration import Config


def planned(raw: dict[str, Any], root: Path, *, upstream: bool = False) -> Plan:
    """The plan of a config without a mistake; `upstream` as of `Plan`.

    Raises:
        Error: one line for each mistake.
    """
    unlinked = _told(lambda: roots.mount(roots.given(raw), root, later=upstream))
    config, problems = configuration.examined(raw, root, SECTIONS)
    if unlinked:  # without them logs are not where they are named
        raise Error("\n".join([*unlinked, *problems, *config.notes]))
    plan = _with_logs(raw, root, config, problems, upstream)
    found = [*problems, *_of(plan)]
    if not raw.get("figures") and "figures" not in configuration.unnamed(raw):
        found += _told(plan.require_figures)
    if found:
        raise Error("\n".join([*dict.fromkeys(found), *config.notes]))
    return plan


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
