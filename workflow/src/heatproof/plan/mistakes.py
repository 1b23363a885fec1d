"""All mistakes that can be seen before a job, told at once.

What is right of a config is planned although the rest is wrong, so that its logs are looked for in
the same call.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import configuration
from heatproof.logs import logs
from heatproof.plan.plan import SECTIONS, Plan
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def planned(
    raw: dict[str, Any], root: Path, *, upstream: bool = False, any_figure: bool = True
) -> Plan:
    """The plan of a config without a mistake.

    `upstream` as of `Plan`; `any_figure`: a config that asks for none is a mistake.

    Raises:
        Error: of all mistakes.
    """
    config, problems = configuration.examined(raw, root, SECTIONS)
    entries = raw.get("figures")
    entries = entries.values() if isinstance(entries, dict) else ()
    names = {str(entry.get("source")) for entry in entries if isinstance(entry, dict)}
    also = names & config.sources.keys()
    plan = Plan(raw, root, upstream=upstream, config=config, also=also)
    problems += _mistakes(lambda: plan.shards) or _mistakes(plan.require_files)
    if any_figure and not raw.get("figures") and "figures" not in configuration.misspelled(raw):
        problems += _mistakes(plan.require_figures)
    if problems:
        raise Error([*dict.fromkeys([*problems, *config.notes])])
    return plan


def _mistakes(check: Callable[[], object]) -> list[Mistake]:
    """The mistakes of the error that a check raises; none if it raises none."""
    try:
        check()
    except Error as error:
        return error.mistakes
    return []


def settled(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a module, as it is before rules have made its logs and after.

    What depends on logs that are named in full is settled: tables by their number, and no
    comparison with what a harness printed beside them.

    Raises:
        Error: one line for each key that asks of logs what is not known before they are made.
    """
    raw: dict[str, Any] = configuration.plain_data(dict(config))
    sources = raw.get("sources")
    entries = sources.items() if isinstance(sources, dict) else ()
    problems = [mistake for name, entry in entries if isinstance(entry, dict)
                for mistake in _settle(f"sources.{name}", entry)]  # fmt: skip
    if problems:
        raise Error(problems)
    return raw


def _settle(place: str, source: dict[str, Any]) -> Iterator[Mistake]:
    if not (paths := logs.in_full(source.get("logs"))):
        return
    if source.get("format") == "auto" and not all(Path(path).is_file() for path in paths):
        message = "auto looks at logs; these are made later: name the format"
        yield Mistake(f"{place}.format", message)
    if source.setdefault("compare_printed", False):
        message = (
            "what a harness prints beside logs is not known before rules have made them: leave it "
            "out, or name logs that are there, by a pattern"
        )
        yield Mistake(f"{place}.compare_printed", message)
    several = logs.GRADED if source.get("grade") else logs.PER_SHARD
    source.setdefault("shards", max(1, -(-len(paths) // several)))
