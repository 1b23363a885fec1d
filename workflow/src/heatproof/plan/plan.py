"""What there is to build: sources, their logs and figures, and the params of each rule."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import ledger, paper
from heatproof.config import configuration, paths, roles
from heatproof.config.venues import font_files
from heatproof.logs import logs
from heatproof.samples import selection, tables
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from heatproof.config.configuration import Config
    from heatproof.config.entries import Figure, Source
    from heatproof.ledger import Piece
    from heatproof.paper import Check

SECTIONS = {"paper": paper.Entry}
"""Section of config.yaml beyond sources and figures → what it may say of a source."""
OUTCOME = ("refused", "expect")
"""Keys of a source by which no log is read: grids alone heed them."""


def read_by(source: Source) -> dict[str, Any]:
    """What a source's logs are read by: not what is said of the outcome."""
    return {key: v for key, v in msgspec.to_builtins(source).items() if key not in OUTCOME}


class Plan:
    """Sources and figures of the config, and the logs that there are."""

    def __init__(
        self,
        raw: dict[str, Any],
        root: Path,
        *,
        upstream: bool = False,
        config: Config | None = None,
        also: Collection[str] = (),
    ) -> None:
        """`upstream`: logs that are named in full may be made by rules of another workflow;
        `config`: what came of `raw`, if it was read before; `also`: sources that are looked at
        beside those of its figures.
        """
        self._also = also
        self.raw, self.root, self.upstream = raw, root, upstream
        self.config = config or configuration.read(raw, root, SECTIONS)

    @property
    def sources(self) -> dict[str, Source]:
        """All sources, by name."""
        return self.config.sources

    @property
    def figures(self) -> dict[str, Figure]:
        """All figures, by name."""
        return self.config.figures

    @cached_property
    def logs(self) -> dict[str, dict[str, list[str]]]:
        """Source → shard → its logs, of sources that some figure shows.

        Raises:
            Error: one line for each pattern that matches no log.
        """
        sources, problems = {}, []
        for name in sorted({*self._also, *(figure.source for figure in self.figures.values())}):
            source = self.sources[name]
            try:
                paths = logs.find(source, self.root, self.made_later(source))
            except Error as error:
                problems += error.mistakes
                continue
            size = sum(map(self.size, paths))
            dealt = logs.deal(paths, logs.shards(source, len(paths), size))
            sources[name] = {shard: listed for shard, listed in dealt.items() if listed}
        if problems:
            raise Error(problems)
        return sources

    @property
    def shards(self) -> dict[str, dict[str, list[str]]]:
        """Source → shard → its logs, the same."""
        return self.logs

    def made_later(self, source: Source) -> list[str]:
        """Logs that rules of another workflow may make."""
        return logs.in_full(source.logs) if self.upstream else []

    def size(self, log: str) -> int:
        """Bytes of a log; 0 where there is none."""
        try:
            return os.stat(self.root / log).st_size
        except OSError:
            return 0

    def sidecars(self, source: str, shard: str) -> list[str]:
        """Files that the logs of a shard are read together with."""
        entry, listed = self.sources[source], self.logs[source][shard]
        return sorted(
            {path for log in listed for path in entry.sidecars(log, self.root)} - {*listed}
        )

    def read_by(self, job: str) -> list[str]:
        """The logs, and what lies beside them, that the job of a shard reads."""
        source, _, shard = job.partition("/")
        return [*self.logs[source][shard], *self.sidecars(source, shard)]

    def is_outdated(self, piece: Piece) -> bool:
        """Whether its job would be given other settings, code or logs today."""
        same = piece.settings == ledger.plain(self.settings(piece.rule, piece.name))
        same = same and piece.code == ledger.code(piece.rule)
        if same and piece.rule == "normalize":
            same = piece.inputs.keys() == {*self.read_by(piece.name)}
        return not same

    def require_figures(self) -> None:
        """Refuse a config that asks for no figure: nothing would be made.

        Raises:
            Error: there is none; it tells what to write.
        """
        if self.figures:
            return
        source, entry = next(iter(self.sources.items()), ("SOURCE", None))
        x = next(iter(entry.columns().params), "task") if entry else "task"
        message = (
            "no figure is asked for, so there is nothing to make; write\n"
            "figures:\n"
            "  NAME:                 # of the files, a word of your own\n"
            "    kind: heatmap\n"
            f"    source: {source}\n"
            f"    encoding: {{x: {x}, y: model, color: pass@1}}"
        )
        raise Error(Mistake("figures", message))

    def require_files(self) -> None:
        """Refuse font files and printed numbers that are not there.

        Raises:
            Error: one line for each such file.
        """
        places = [(f"{check.key}.{name}", path) for check in self.checks
                  for name, path in check.given.items()]  # fmt: skip
        places += [(f"figures.{name}.font", path) for name, figure in self.figures.items()
                   for path in font_files(figure.font)]  # fmt: skip
        missing = [
            Mistake(key, f"no file {path!r}")
            for key, path in places
            if not (self.root / path).is_file()
        ]
        if missing:
            raise Error(missing)

    def unused_values(self) -> list[Mistake]:
        """What figures name or put in order and no sample has, of sources that were read."""
        listed = [entry for entry in self.figures.values() if any(selection.listed_values(entry))]
        values: dict[str, dict[str, list[Any]]] = {}
        for source in {figure.source for figure in listed}:
            read = [self.root / paths.counts(path) for path in self.tables_of(source)]
            if all(path.is_file() for path in read):
                rows = tables.scan(read)
                names = roles.settings(rows.collect_schema().names())
                runs = rows.select(names).unique().collect()
                values[source] = {n: runs[n].drop_nulls().unique().sort().to_list() for n in names}
        return selection.unused_values(listed, values)

    def tables_of(self, source: str) -> list[str]:
        """The samples tables of a source."""
        return [paths.table(source, shard) for shard in self.shards[source]]

    def samples(self) -> list[str]:
        """The samples tables of all sources."""
        return [path for source in self.shards for path in self.tables_of(source)]

    def expectant(self) -> list[str]:
        """The partial aggregates of sources of whose runs the last words tell: config.yaml says
        how many samples they have, or their scorers were chosen.
        """
        chosen = {
            n for n, item in self.sources.items() if item.expect is not None or item.chooses()
        }
        names = [name for name in self.shards if name in chosen]
        return [paths.counts(path) for name in names for path in self.tables_of(name)]

    def cells(self) -> list[str]:
        """What is counted for all figures: grids, the records behind them, and CSV."""
        grids = [paths.grid(name) for name in self.figures]
        return grids + [
            path
            for name in self.figures
            for path in (paths.behind(name), paths.numbers(name, "csv"))
        ]

    def formats_of(self, figure: str) -> tuple[str, ...]:
        """Formats of a figure; svg always, for the other files and the gallery are made of it."""
        return tuple(sorted({"svg", *self.figures[figure].formats}))

    def formats(self) -> dict[tuple[str, ...], list[str]]:
        """Formats → the figures that come in just these."""
        forms: dict[tuple[str, ...], list[str]] = {}
        for name in self.figures:
            forms.setdefault(self.formats_of(name), []).append(name)
        return forms

    def files(self) -> list[str]:
        """The exported files of all figures."""
        return [paths.picture(n, form) for n in self.figures for form in self.formats_of(n)]

    def has_pages(self, names: Iterable[str]) -> bool:
        """Whether one of the figures is exported as a page, which needs the drawing library."""
        return any("html" in self.formats_of(name) for name in names)

    def offered(self, figure: str) -> list[tuple[str, str]]:
        """What there is of a figure: label and path of each file."""
        return [
            *((form, paths.picture(figure, form)) for form in self.formats_of(figure)),
            ("caption", paths.caption(figure, "tex")),
            *(("spec", paths.spec(figure)), ("grid", paths.grid(figure))),
            *((form, paths.numbers(figure, form)) for form in ("csv", "tex")),
        ]

    def comparable(self) -> list[str]:
        """Sources beside whose logs a harness printed numbers, or may have, to be compared."""
        return [name for name in self.logs if self.printed_in(name)]

    def printed_in(self, source: str) -> list[str]:
        """Files in which a harness printed numbers, of all logs of a source."""
        entry = self.sources[source]
        listed = chain(*self.logs[source].values()) if entry.compare_printed else ()
        return sorted({path for log in listed for path in entry.printed_in(log, self.root)})

    @cached_property
    def checks(self) -> list[Check]:
        """Comparisons of grids with numbers from elsewhere, beyond what every project has."""
        return [*paper.checks(self.config.others["paper"], self.figures, self.shards)]

    def font_files(self, figure: str) -> list[str]:
        """The files of the typeface that a figure is drawn in, where it has its own."""
        files = font_files(self.figures[figure].font)
        return [path for path in files if (self.root / path).is_file()]

    @property
    def stages(self) -> dict[str, list[str]]:
        """What can be asked for by a word → the files that it stands for."""
        # Pieces too: of a job that is not asked for, Snakemake does not miss one.
        place, shards, figures = ledger.place, self.shards, [*self.figures]
        read = {name: [place(f"normalize {name}/{number}") for number in shards[name]]
                for name in shards}  # fmt: skip
        tables = {name: [*self.tables_of(name), *read[name]] for name in shards}
        grids = [*chain(*read.values()), *(place(f"aggregate {name}") for name in figures)]
        return {
            "tables": [*chain(*tables.values())],
            **{f"tables_{name}": listed for name, listed in tables.items()},
            "grids": [*self.cells(), *grids],
            "figures": [*self.files(), *grids, *(place(f"draw {name}") for name in figures)],
        }

    def labels(self, figure: str) -> dict[str, str]:
        """What `snakemake --report` tells of a figure."""
        entry = self.figures[figure]
        return {"figure": figure, "title": entry.title or figure, "shows": entry.shows()}

    @cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        """Figure → its entry as plain values."""
        return {name: msgspec.to_builtins(entry) for name, entry in self.figures.items()}

    def settings(self, rule: str, name: str) -> dict[str, Any]:
        """Of config.yaml, what a job depends on; `name`: of its source or figure."""
        if rule in ("normalize", "compare_printed"):
            return {"entry": read_by(self.sources[name.partition("/")[0]])}
        if rule == "aggregate":
            figure = self.figures[name]
            source = self.sources[figure.source]
            expect = {"expect": source.expect} if figure.expects() and source.expect else {}
            drawing = figure.drawing()
            return {
                "entry": {k: v for k, v in self.entries[name].items() if k not in drawing},
                "source": read_by(source) | expect,
                "refused": source.refused,
            }
        if rule == "draw":
            return {"entry": self.entries[name]}
        if rule == "check_published":
            figures = next(check for check in self.checks if check.source == name).figures
            return {"entries": {figure: self.entries[figure] for figure in figures}}
        return self.gallery() if rule == "gallery" else {}

    def build(self) -> dict[str, Any]:
        """What the ledger tells of the build, beside the pieces of its jobs."""
        return {"config": self.raw, "upstream": self.upstream}

    def gallery(self) -> dict[str, Any]:
        """Settings of the page of all figures."""
        return {
            "entries": self.entries,
            "files": {name: self.offered(name) for name in self.figures},
            "tables": {name: self.tables_of(name) for name in self.shards},
            "printed": self.comparable(),
            "sources": {name: {"entry": read_by(self.sources[name])} for name in self.shards},
            "expect": {name: self.sources[name].expect for name in self.shards},
        }

    def pieces(self) -> list[str]:
        """The pieces of the ledger, of all jobs."""
        jobs = [f"normalize {name}/{shard}" for name, some in self.shards.items() for shard in some]
        jobs += [f"{rule} {name}" for rule in ("aggregate", "draw") for name in self.figures]
        jobs += [f"compare_printed {name}" for name in self.comparable()]
        jobs += [f"check_published {check.source}" for check in self.checks]
        jobs += ["bundle vega"] if self.has_pages(self.figures) else []
        return [*map(ledger.place, [*jobs, "gallery page"])]

    def results(self) -> list[str]:
        """All that a run makes, but the ledger."""
        beside = (str, paths.rejected, paths.counts, paths.manifest)
        return [
            *(place(path) for place in beside for path in self.samples()),
            *self.cells(),
            *map(paths.spec, self.figures),
            *self.files(),
            *(paths.numbers(name, form) for form in ("tex", "json") for name in self.figures),
            *(paths.caption(name, form) for form in paths.CAPTIONS for name in self.figures),
            *(path for check in self.checks for path in check.outputs.values()),
            *map(paths.printed, self.comparable()),
            *([paths.LIBRARY] if self.has_pages(self.figures) else []),
            *(paths.PAGE, paths.README, *paths.SUMMARY),
            *self.pieces(),
        ]
