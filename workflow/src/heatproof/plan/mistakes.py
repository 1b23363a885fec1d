"""All mistakes that can be seen before a job, told at once; and the figures that none touches.

What is right of a config is planned although the rest is wrong, so that its logs are looked for
in the same call. With `--keep-going` the figures that no mistake touches are drawn all the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.config import configuration, references
from heatproof.logs import logs
from heatproof.plan.plan import SECTIONS, Plan
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


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
    any_figure: bool = True,
) -> Plan:
    """The plan of a config without a mistake; to keep going, of the figures that none touches.

    `upstream` as of `Plan`; `any_figure`: a config that asks for none is a mistake.

    Raises:
        Mistakes: one line for each mistake.
    """
    left_out: dict[str, list[Mistake]] = {}
    rest, first = raw, None
    while True:
        plan, problems, notes = _examined(rest, root, upstream, any_figure)
        if plan and not problems:
            plan.left_out, plan.complete = left_out, raw
            return plan
        touched, spared = touched_figures(problems, rest)
        first = first or Mistakes([*problems, *notes], [*spared.get("figures", {})])
        if not spared or not keep_going:
            raise first
        left_out |= touched
        rest = spared


def touched_figures(
    mistakes: Iterable[Mistake], raw: Mapping[str, Any]
) -> tuple[dict[str, list[Mistake]], dict[str, Any]]:
    """Figure → the mistakes that touch it, and the config without these and wrong sources.

    That is empty if a mistake is of no source and no figure, as a wrong section is, or if no figure
    would be left. Of a source, its mistake touches all figures that show it.
    """
    sources, figures = raw.get("sources"), raw.get("figures")
    if not (isinstance(sources, dict) and isinstance(figures, dict)):
        return {}, {}
    sources_of = {str(name): _sources_of(entry) for name, entry in figures.items()}
    names = {"sources": {*map(str, sources)}.union(*sources_of.values()), "figures": {*sources_of}}
    touched: dict[str, list[Mistake]] = {}
    wrong = set[str]()
    for mistake in mistakes:
        section, _, rest = (mistake.place or "").partition(".")
        # Names may have dots in them.
        fits = [name for name in names.get(section, ())
                if rest.startswith(name) and rest[len(name) :][:1] in ("", ".", "[")]  # fmt: skip
        if not fits:
            return {}, {}
        name = max(fits, key=len)
        if section == "sources":
            wrong.add(name)
        figures_of = [figure for figure in sources_of if name in sources_of[figure]]
        for figure in figures_of if section == "sources" else [name]:
            touched.setdefault(figure, []).append(mistake)
    spared = {
        "sources": {name: entry for name, entry in sources.items() if str(name) not in wrong},
        "figures": {name: entry for name, entry in figures.items() if str(name) not in touched},
    }
    return touched, {**raw, **spared} if spared["figures"] else {}


def _sources_of(figure: Any) -> set[str]:
    """Names of the sources that a figure shows, and what they are called together."""
    source = figure.get("source") if isinstance(figure, dict) else None
    if isinstance(source, list):
        several = [name for name in source if isinstance(name, str)]
        return {*several, "-and-".join(dict.fromkeys(several))} - {""}
    return {source} if isinstance(source, str) else set()


def _examined(
    raw: dict[str, Any], root: Path, upstream: bool, any_figure: bool
) -> tuple[Plan | None, list[Mistake], list[Mistake]]:
    """The plan of a config, all that is wrong with it, and what was decided for its user."""
    config, problems = configuration.examined(raw, root, SECTIONS)
    entries = raw.get("figures")
    entries = entries.values() if isinstance(entries, dict) else ()
    names = {str(entry.get("source")) for entry in entries if isinstance(entry, dict)}
    also = names & config.sources.keys()
    plan = Plan(raw, root, upstream=upstream, config=config, also=also)
    if absent := _mistakes(lambda: plan.shards):
        problems += absent
        sources = {
            name: source
            for name, source in config.sources.items()
            if not _mistakes(logs.find, source, root, plan.made_later(source))
        }
        figures = {
            name: figure for name, figure in config.figures.items() if figure.source in sources
        }
        right = replace(config, sources=sources, figures=figures)
        plan = Plan(raw, root, upstream=upstream, config=right, also=also & sources.keys())
    problems += _mistakes(plan.require_files)
    if any_figure and not raw.get("figures") and "figures" not in references.misspelled(raw):
        problems += _mistakes(plan.require_figures)
    return plan, [*dict.fromkeys(problems)], config.notes


def _mistakes(check: Callable[..., object], *arguments: object) -> list[Mistake]:
    """The mistakes of the error that a check raises; none if it raises none."""
    try:
        check(*arguments)
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
