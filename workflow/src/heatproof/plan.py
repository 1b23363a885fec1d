"""The plan of a run, before any job: sources, their logs, figures, jobs, and all mistakes."""

from __future__ import annotations

import os
import tempfile
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import formats, ledger
from heatproof.config import configuration, paths, roles
from heatproof.config.venues import font_files
from heatproof.logs import logs
from heatproof.samples import counts, normalize, selection, shard_index
from heatproof.samples.derived import files_beside
from heatproof.samples.shard_index import ShardIndex
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from heatproof.config.configuration import Config, Raw
    from heatproof.config.entries import Source
    from heatproof.ledger import Piece

OUTCOME = ("refused", "expect", "show_records", "private")
"""Keys of a source by which no log is read."""
NO_FIGURES = """\
the config has no figure; write
figures:
  NAME:                 # your own word, the name of the files
    kind: heatmap
    source: {source}
    encoding: {{x: {x}, y: model, color: pass@1}}"""


def _reading(source: Source) -> dict[str, Any]:
    return {key: v for key, v in msgspec.to_builtins(source).items() if key not in OUTCOME}


class Plan:
    """Sources and figures of the config, and the logs that there are."""

    def __init__(
        self, config: Config, raw: Raw, root: Path, also: Collection[str], *, upstream: bool = False
    ) -> None:
        """`config`: of `raw`; `also`: sources beside those of figures; `upstream`: rules of another
        workflow may make logs that are named in full.
        """
        self.config, self.raw, self.root, self._also = config, raw, root, also
        self.sources, self.figures, self.upstream = config.sources, config.figures, upstream

    @cached_property
    def logs(self) -> dict[str, dict[str, list[str]]]:
        """Source of a figure → shard → its logs. Raises Error: a pattern matches none.

        Sources that others join are among them: their tables are joined.
        """
        sources: dict[str, dict[str, list[str]]] = {}
        problems: list[Mistake] = []
        joined = {name: parts for name in self.shown if (parts := self.joins(name))}
        for name in sorted({*self.shown, *chain(*joined.values())} - joined.keys()):
            source = self.sources[name]
            later = logs.in_full(source.logs) if self.upstream else []
            try:
                listed = logs.find(source, self.root, later)
            except Error as error:
                problems += error.mistakes
                continue
            dealt = logs.deal(
                listed, logs.shard_names(source, len(listed), sum(map(self.size, listed)))
            )
            sources[name] = {shard: part for shard, part in dealt.items() if part}
        for name, parts in joined.items():
            problems += self._read_twice(name, parts, sources)
            shards = [logs_of for part in parts for logs_of in sources.get(part, {}).values()]
            sources[name] = {f"{number:04d}": listed for number, listed in enumerate(shards)}
        if problems:
            raise Error(problems)
        return dict(sorted(sources.items()))

    @property
    def shown(self) -> set[str]:
        """The sources of figures, and others that are asked for."""
        return {*self._also, *(figure.source for figure in self.figures.values())}

    def joins(self, name: str) -> list[str]:
        """The sources that a source joins (`source: [a, b]`); of others none."""
        source = self.sources[name]
        return list(source.parts) if source.format == "joined" else []  # type: ignore[attr-defined]

    def _read_twice(
        self, name: str, parts: Collection[str], sources: Mapping[str, Mapping[str, list[str]]]
    ) -> list[Mistake]:
        """Logs that several of the sources that are joined read: they would be counted twice."""
        owners: dict[str, list[str]] = {}
        for part in parts:
            for log in chain(*sources.get(part, {}).values()):
                owners.setdefault(log, []).append(part)
        mistakes = []
        for log, names in owners.items():
            if len(names) > 1:
                why = f"{log!r} is a log of {' and '.join(names)}: it would be counted twice"
                place = next(f for f, figure in self.figures.items() if figure.source == name)
                mistakes.append(Mistake(f"figures.{place}.source", why))
        return mistakes[:1]

    def joined_shard(self, source: str, shard: str) -> list[str]:
        """The piece of the shard of which one of a joined source is made; none of others."""
        pieces: list[str] = []
        for part in self.joins(source):
            pieces += self.shards_of(part)
        return [pieces[int(shard)]] if pieces else []

    def all_logs(self) -> list[str]:
        """The logs of all sources of figures."""
        listed: list[str] = []
        for shards in self.logs.values():
            for logs_of_shard in shards.values():
                listed += logs_of_shard
        return listed

    def size(self, log: str) -> int:
        """Bytes of a log; 0 where there is none."""
        try:
            return os.stat(self.root / log).st_size
        except OSError:
            return 0

    def sidecars(self, source: str, shard: str) -> list[str]:
        entry, listed = self.sources[source], self.logs[source][shard]
        beside = {path for log in listed for path in files_beside(entry, log, self.root)}
        return sorted(beside - set(listed))

    def inputs_of(self, name: str) -> list[str]:
        """The logs and sidecars that the job of a shard (`source/shard`) is of."""
        source, _, shard = name.partition("/")
        return self.logs[source][shard] + self.sidecars(source, shard)

    def all_inputs_of(self, name: str) -> list[str]:
        """The same with the tables that are joined."""
        tables: list[str] = []
        for piece in self.joined_shard(*name.split("/")):
            tables += self.outputs_of(ledger.job_at(piece))
        return self.inputs_of(name) + tables

    def printed_in(self, source: str) -> list[str]:
        """Files in which a harness printed numbers, of all logs of a source."""
        entry = self.sources[source]
        listed = chain(*self.logs[source].values()) if entry.compare_printed else ()
        return sorted({path for log in listed for path in entry.printed_in(log, self.root)})

    @cached_property
    def comparable(self) -> list[str]:
        """Sources with numbers that a harness printed, to be compared."""
        return [name for name in self.logs if name in self.shown and self.printed_in(name)]

    def tables_of(self, source: str) -> list[str]:
        return [paths.table(source, shard) for shard in self.logs[source]]

    def shards_of(self, source: str) -> list[str]:
        """The pieces of the shards of a source; rules ask for them in place of all their files."""
        return [ledger.place(f"normalize {source}/{shard}") for shard in self.logs[source]]

    def formats_of(self, figure: str) -> tuple[str, ...]:
        """Formats of a figure; always with svg, of which other files and the gallery are made."""
        return tuple(sorted({"svg", *self.figures[figure].formats}))

    def formats(self) -> dict[tuple[str, ...], list[str]]:
        forms: dict[tuple[str, ...], list[str]] = {}
        for name in self.figures:
            forms.setdefault(self.formats_of(name), []).append(name)
        return forms

    def font_files(self, figure: str) -> list[str]:
        files = font_files(self.figures[figure].font)
        return [path for path in files if (self.root / path).is_file()]

    def labels(self, figure: str) -> dict[str, str]:
        """Labels of a figure in `snakemake --report`."""
        entry = self.figures[figure]
        return {"figure": figure, "title": entry.title or figure, "shows": entry.shows()}

    @cached_property
    def jobs(self) -> list[str]:
        """All jobs that make results, by rule and name: `normalize runs/0000`, `draw grid`."""
        return [
            *(f"normalize {name}/{shard}" for name in self.logs for shard in self.logs[name]),
            *(f"{rule} {name}" for rule in ("aggregate", "draw") for name in self.figures),
            *(f"compare_printed {name}" for name in self.comparable),
            *(["bundle vega"] if any("html" in forms for forms in self.formats()) else []),
            *(["values numbers"] if self.figures else []),
            "gallery page",
        ]

    def outputs_of(self, job: str) -> list[str]:
        """The files that a job makes, without its piece of the ledger."""
        rule, _, name = job.partition(" ")
        if rule == "normalize":
            table = paths.table(*name.split("/"))
            return [table] + paths.beside(table)
        if rule == "draw":
            words = [paths.numbers(name, form) for form in ("tex", "json")]
            captions = [paths.caption(name, form) for form in paths.CAPTIONS]
            files = [paths.picture(name, form) for form in self.formats_of(name)]
            return [paths.spec(name), *files, *words, paths.script(name), *captions]
        return {
            "aggregate": [paths.grid(name), paths.behind(name), paths.numbers(name, "csv")],
            "compare_printed": [paths.printed(name)],
            "bundle": [paths.LIBRARY],
            "values": list(paths.VALUES),
            "gallery": [paths.PAGE, *paths.SUMMARY],
        }[rule]

    def outputs(self, *rules: str) -> list[str]:
        """The files that the jobs of some rules make, or all jobs, without their pieces."""
        jobs = (job for job in self.jobs if not rules or job.partition(" ")[0] in rules)
        return [path for job in jobs for path in self.outputs_of(job)]

    def pieces(self, *rules: str) -> list[str]:
        jobs = (job for job in self.jobs if not rules or job.partition(" ")[0] in rules)
        return list(map(ledger.place, jobs))

    def results(self) -> list[str]:
        """All that a run makes, without the ledger."""
        return self.outputs() + self.pieces()

    @property
    def stages(self) -> dict[str, list[str]]:
        """Word of a stage → the pieces of all jobs up to it, or Snakemake would not miss them."""
        stages = {
            "tables": self.pieces("normalize"),
            "grids": self.pieces("normalize", "aggregate"),
            "figures": self.pieces("normalize", "aggregate", "draw"),
        }
        for name in self.logs:
            stages[f"tables_{name}"] = self.shards_of(name)
        return stages

    @cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        return {name: msgspec.to_builtins(entry) for name, entry in self.figures.items()}

    def settings(self, rule: str, name: str) -> dict[str, Any]:
        """The part of config.yaml on which a job depends; `name`: of its source or figure."""
        match rule:
            case "normalize" | "compare_printed":
                return {"entry": _reading(self.sources[name.partition("/")[0]])}
            case "aggregate":
                figure = self.figures[name]
                source = self.sources[figure.source]
                expect = {"expect": source.expect} if figure.expects() and source.expect else {}
                quoted = {"show_records": source.show_records} if source.show_records else {}
                drawing = figure.drawing()
                return {
                    **quoted,
                    "entry": {k: v for k, v in self.entries[name].items() if k not in drawing},
                    "source": _reading(source) | expect,
                    "refused": source.refused,
                }
            case "draw":
                source = self.sources[self.figures[name].source]
                private = {"private": True} if source.private else {}
                return private | {"entry": self.entries[name]}
            case "values":
                return {"entries": self.entries}
            case "gallery":
                return {
                    "entries": self.entries,
                    "tables": {source: self.tables_of(source) for source in sorted(self.shown)},
                    "printed": self.comparable,
                    "sources": {name: _reading(self.sources[name]) for name in sorted(self.shown)},
                    "expect": {name: self.sources[name].expect for name in sorted(self.shown)},
                }
        return {}

    def is_outdated(self, piece: Piece) -> bool:
        """Whether its job, if it is one of this plan, would have other settings, code or logs."""
        if piece.job not in self.jobs:
            return False
        if piece.settings != ledger.plain(self.settings(piece.rule, piece.name)):
            return True
        if piece.rule == "normalize" and piece.inputs.keys() != set(self.all_inputs_of(piece.name)):
            return True
        return piece.code != ledger.code(piece.rule)

    def missing_logs(self) -> list[Mistake]:
        """Patterns that match no log."""
        try:
            len(self.logs)
        except Error as error:
            return error.mistakes
        return []

    def missing_fonts(self) -> list[Mistake]:
        """Missing font files."""
        mistakes: list[Mistake] = []
        for name, figure in self.figures.items():
            missing = [path for path in font_files(figure.font) if not (self.root / path).is_file()]
            mistakes += [Mistake(f"figures.{name}.font", f"no file {path!r}") for path in missing]
        return mistakes

    def unused_values(self) -> list[Mistake]:
        """Values that figures name or sort by and no sample has, of sources that were read."""
        listed = [entry for entry in self.figures.values() if any(selection.listed_values(entry))]
        values: dict[str, dict[str, list[Any]]] = {}
        for source in {figure.source for figure in listed}:
            read = [self.root / paths.counts(path) for path in self.tables_of(source)]
            if all(path.is_file() for path in read):
                rows = pl.scan_parquet(read)
                names = roles.settings(rows.collect_schema().names())
                runs = rows.select(names).unique().collect()
                values[source] = {n: runs[n].drop_nulls().unique().sort().to_list() for n in names}
        return selection.unused_values(listed, values)


def planned(raw: Raw, root: Path, *, upstream: bool = False, any_figure: bool = True) -> Plan:
    """The plan of a config; `any_figure`: refuse one without figures.

    Raises Error: of all mistakes that can be seen before a job, missing logs included.
    """
    config, problems = configuration.examined(raw, root)
    entries = raw.get("figures")
    entries = entries.values() if isinstance(entries, dict) else ()
    names = {str(entry.get("source")) for entry in entries if isinstance(entry, dict)}
    plan = Plan(config, raw, root, names & config.sources.keys(), upstream=upstream)
    problems += plan.missing_logs() + plan.missing_fonts()
    if any_figure and not raw.get("figures") and "figures" not in configuration.misspelled(raw):
        name, source = next(iter(plan.sources.items()), ("SOURCE", None))
        x = next(iter(source.columns().params), "task") if source else "task"
        problems.append(Mistake("figures", NO_FIGURES.format(source=name, x=x)))
    if problems:
        raise Error(list(dict.fromkeys(problems + config.notes)))
    return plan


def settled(config: Mapping[str, Any]) -> Raw:
    """The config of a module, alike before and after rules have made its logs.

    Sources whose logs are named in full have a number of shards, and no comparison with printed
    numbers. Raises Error: a key depends on logs which are not made yet.
    """
    raw: Raw = configuration.plain_data(dict(config))
    sources = raw.get("sources")
    entries = sources.items() if isinstance(sources, dict) else ()
    problems = [mistake for name, entry in entries if isinstance(entry, dict)
                for mistake in _settle(f"sources.{name}", entry)]  # fmt: skip
    if problems:
        raise Error(problems)
    return raw


def _settle(place: str, source: dict[str, Any]) -> Iterator[Mistake]:
    if not (listed := logs.in_full(source.get("logs"))):
        return
    if source.get("format") == "auto" and not all(Path(path).is_file() for path in listed):
        message = "auto looks at logs, and these do not exist yet: name the format"
        yield Mistake(f"{place}.format", message)
    if source.setdefault("compare_printed", False):
        message = (
            "what a harness prints beside logs is not known before rules have made them: leave it "
            "out, or name logs that are there, by a pattern"
        )
        yield Mistake(f"{place}.compare_printed", message)
    graded = bool(source.get("grade"))
    source.setdefault("shards", logs.count_shards(len(listed), graded=graded))


def present(plan: Plan, name: str) -> tuple[pl.DataFrame, ShardIndex]:
    """The samples of a source, of true tables, else of its logs. Raises Error: no log is there.

    That is a row per run, settings, sample and scorer, with `epochs`; and what logs declare.
    """
    source = plan.sources[name]
    if name not in plan.logs:  # no figure shows it
        plan = Plan(plan.config, plan.raw, plan.root, [name])
    reader = registry.find(formats, source.format, "format", "log format")
    parts = []
    with tempfile.TemporaryDirectory(prefix="heatproof-") as folder:
        for shard, listed in plan.logs[name].items():
            path = plan.root / paths.counts(paths.table(name, shard))
            piece = plan.root / ledger.place(f"normalize {name}/{shard}")
            kept = piece.is_file() and not plan.is_outdated(ledger.read(piece))
            if not kept or ledger.changed(piece, plan.root):
                samples, path = (Path(folder) / f"{shard}.{part}" for part in ("samples", "counts"))
                rejected = samples.with_suffix(".rejected")
                read = normalize.write(listed, plan.root, source, reader.read, samples, rejected)
                shard_index.write_counts(samples, path, read)
            partial = pl.scan_parquet(path)
            key = counts.count_key(partial.collect_schema().names())
            rows = partial.select(*key, "epochs").collect()
            parts.append((rows, shard_index.read_index(path)))
    frames, indices = zip(*parts, strict=True)
    every = {path: log for index in indices for path, log in index.logs.items()}
    return pl.concat(frames), ShardIndex(indices[0].columns, every, expect=source.expect)
