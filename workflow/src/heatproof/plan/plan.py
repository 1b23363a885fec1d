"""What there is to build: sources, their logs and figures, before any job starts."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from heatproof import paper
from heatproof.config import configuration, paths, roots
from heatproof.config.fonts import font_files
from heatproof.ledger import pieces
from heatproof.logs import logs
from heatproof.plan.left_out import LeftOut
from heatproof.plan.params import Params
from heatproof.samples import selection, tables
from heatproof.util.errors import Error, Mistake
from heatproof.util.hashed import Extent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from heatproof.config.configuration import Config
    from heatproof.config.entries import Figure, Source
    from heatproof.config.paths import Check, Shards
    from heatproof.ledger.pieces import Piece

SECTIONS = {"paper": paper.Entry}
"""Section of config.yaml beyond sources and figures → what it may say of a source."""


class Plan(Params):
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
        """`upstream`: logs that are named in full may be made by rules of another workflow, see
        `embedded`; `config`: what came of `raw`, if it was read before; `also`: sources that are
        looked at beside those of its figures.
        """
        self._also = also
        self.left_out = LeftOut()
        self.whole = raw
        self.raw, self.root, self.upstream = raw, root, upstream
        self.seen: dict[str, Extent | None] = {}
        """Log → by what it is known without being read; None, if another rule is to make it."""
        self.roots = roots.given(raw)
        roots.mount(self.roots, root, later=upstream)
        self.config = config or configuration.read(raw, root, SECTIONS)

    @property
    def sources(self) -> dict[str, Source]:
        return self.config.sources

    @property
    def figures(self) -> dict[str, Figure]:
        return self.config.figures

    @cached_property
    def logs(self) -> dict[str, dict[str, list[str]]]:
        """Source → shard → its logs, of sources that some figure shows.

        Raises:
            Error: one line for each pattern that matches no log.
        """
        found, problems = {}, []
        for name in sorted({*self._also, *(figure.source for figure in self.figures.values())}):
            source = self.sources[name]
            try:
                made = logs.in_full(source.logs) if self.upstream else ()
                paths = logs.find(source, self.root, made)
            except Error as error:
                problems += error.mistakes
                continue
            self.seen |= {path: _extent(path, self.root) for path in paths}
            size = sum(map(self.size, paths))
            dealt = logs.deal(paths, logs.shards(source, len(paths), size))
            found[name] = {shard: mine for shard, mine in dealt.items() if mine}
        if problems:
            raise Error(problems)
        return found

    @property
    def shards(self) -> Shards:
        return self.logs  # type: ignore[return-value]

    def sidecars(self, source: str, shard: str) -> list[str]:
        """Files that the logs of a shard are read together with."""
        entry = self.sources[source]
        beside = {one for log in self.logs[source][shard] for one in entry.sidecars(log, self.root)}
        return sorted(beside - {*self.logs[source][shard]})

    def read_by(self, job: str) -> list[str]:
        """The logs, and what lies beside them, that the job of a shard reads."""
        source, _, shard = job.partition("/")
        return [*self.logs[source][shard], *self.sidecars(source, shard)]

    def led(self, paths: Iterable[str]) -> list[str]:
        """Paths of the project as Snakemake sees them: of a module, where its links lead to."""
        if not self.upstream:
            return [*paths]
        return [roots.followed(path, self.roots, self.root) for path in paths]

    def never(self) -> list[str]:
        """A file that is asked for where something is left out, and never made."""
        return [".snakemake/heatproof/left_out"] if self.left_out else []

    def size(self, log: str) -> int:
        """Bytes of a log."""
        return one.size if (one := self.seen[log]) else 0

    def is_made(self, source: str) -> bool:
        """Whether some of its logs are yet to be made, so that none can be looked into."""
        mine = (path for some in self.logs[source].values() for path in some)
        return any(self.seen[path] is None for path in mine)

    def is_outdated(self, piece: Piece) -> bool:
        """Whether its job would be given other settings, code or logs today."""
        same = piece.settings == pieces.plain(self.settings(piece.rule, piece.name))
        same = same and piece.code == self.code(piece.rule)
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

    def require_given(self) -> None:
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

    def unborne(self) -> list[Mistake]:
        """What figures name or put in order and no sample has, of sources that were read."""
        listed = [one for one in self.figures.values() if any(selection.listed_values(one))]
        values: dict[str, dict[str, list[Any]]] = {}
        for source in {figure.source for figure in listed}:
            counts = [self.root / paths.counts(path) for path in self.tables_of(source)]
            if all(path.is_file() for path in counts):
                values[source] = selection.setting_values(tables.scan(counts))
        return selection.unused_values(listed, values)

    def comparable(self) -> list[str]:
        return [name for name in self.logs if self.printed_in(name)]

    def printed_in(self, source: str) -> list[str]:
        """Files in which a harness printed numbers, of all logs of a source."""
        entry = self.sources[source]
        if not entry.compare_printed:
            return []
        every = (path for mine in self.logs[source].values() for path in mine)
        return sorted({one for path in every for one in entry.printed_in(path, self.root)})

    @cached_property
    def checks(self) -> list[Check]:
        return [*paper.checks(self.config.others["paper"], self.figures, self.shards)]

    def font_files(self, figure: str) -> list[str]:
        """The files of the typeface that a figure is drawn in, where it has its own."""
        named = font_files(self.figures[figure].font)
        return [path for path in named if (self.root / path).is_file()]

    @property
    def stages(self) -> dict[str, list[str]]:
        """What can be asked for by a word → the files that it stands for."""
        # Pieces too: of a job that is not asked for, Snakemake does not miss one.
        place, shards, figures = pieces.place, self.shards, [*self.figures]
        read = {name: [place(f"normalize {name}/{one}") for one in shards[name]] for name in shards}
        tables = {name: [*self.tables_of(name), *read[name]] for name in shards}
        grids = [*chain(*read.values()), *(place(f"aggregate {name}") for name in figures)]
        return {
            "tables": [*chain(*tables.values())],
            **{f"tables_{name}": paths for name, paths in tables.items()},
            "grids": [*self.cells(), *grids],
            "figures": [*self.files(), *grids, *(place(f"draw {name}") for name in figures)],
        }

    def labels(self, figure: str) -> dict[str, str]:
        """What `snakemake --report` tells of a figure."""
        entry = self.figures[figure]
        return {"figure": figure, "title": entry.title or figure, "shows": entry.shows()}


def _extent(path: str, root: Path) -> Extent | None:
    """Time and size of a log: enough to know whether its head was looked at before."""
    try:
        now = os.stat(os.path.join(root, path))
    except FileNotFoundError:
        return None
    return Extent(str(now.st_mtime_ns), now.st_size)
