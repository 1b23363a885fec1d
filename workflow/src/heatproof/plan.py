"""What the rules build from: each stage's inputs known by content, before any job starts.

Snakemake reruns a job when its params change. So each rule gets in its params what Snakemake does
not see by itself: a digest of the logs, of the library's code, and the key of the stage before it.
"""

from __future__ import annotations

from functools import cached_property
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import code, configuration, hashed, inventory, known, stages
from heatproof.canonical import key
from heatproof.errors import Error
from heatproof.paths import Paths
from heatproof.pins import version
from heatproof.reading import logs

if TYPE_CHECKING:
    from heatproof.config import Figure, Source

INDEX = Path(".snakemake/heatproof/digests.json")

PER_BATCH = 6
"""Figures in a batch at most: enough to make up for the start of the tools."""


class Plan(Paths):
    """Sources, figures and the keys of everything that is built of them."""

    def __init__(self, raw: dict[str, Any], root: Path, *, scan: bool = True) -> None:
        """`scan`: look for logs; else take over what the run that sent this job found."""
        self.root, self.scan = root, scan
        self.config = configuration.read(raw, root)
        self._index = hashed.Index(root / INDEX)

    @property
    def sources(self) -> dict[str, Source]:
        return self.config.sources

    @property
    def figures(self) -> dict[str, Figure]:
        return self.config.figures

    @property
    def kinds(self) -> list[str]:
        """The kinds of all figures."""
        return sorted({figure.kind for figure in self.figures.values()})

    @cached_property
    def shards(self) -> inventory.Shards:
        """Source → shard → digest of the shard's logs, for sources that some figure shows.

        Raises:
            Error: one line for each pattern that matches no log.
        """
        names = sorted({figure.source for figure in self.figures.values()})
        shown = [self.sources[name] for name in names]
        if not self.scan and (found := inventory.load(self.root / inventory.FOUND, shown)):
            return found
        found = inventory.look(shown, self.root, self._index)
        if self.scan:
            self._index.save()
            inventory.save(found, self.root / inventory.FOUND)
        return found

    def require_known(self) -> None:
        """Refuse a figure of which it is known by now that no sample has what it asks for.

        Raises:
            Error: one line for each such value.
        """
        values: dict[str, known.Values] = {}
        problems = []
        for figure in self.figures.values():
            if figure.wanted():
                name = figure.source
                values[name] = values.get(name) or self._values(name)
                problems += known.problems(figure, values[name])
        if problems:
            raise Error("\n".join(problems))

    def _values(self, source: str) -> known.Values:
        shards = self.shards[source]
        keys = {shard: key(self.normalize_params(source, shard)) for shard in shards}
        found = known.read(source, keys, self.root)
        if found is not None or self.sources[source].reconstruct:
            return found or {}
        return known.of_paths(self.sources[source], logs.find(self.sources[source], self.root))

    def code(self, stage: str, *names: str) -> str:
        """Digest of the code of a stage, for formats or figure kinds of these names."""
        return stages.digest(stage, names)

    def codes(self, figure: str) -> dict[str, str]:
        """Stage → digest of its code, as the record of a figure tells it."""
        entry = self.figures[figure]
        drawn = {stage: self.code(stage, entry.kind) for stage in ("aggregate", "draw")}
        return {"normalize": self._reading[entry.source]["code"]} | drawn

    def normalize_params(self, source: str, shard: str) -> dict[str, Any]:
        """Params of `normalize`."""
        made = self.sources[source].reconstruct is not None
        found = self.reconstruct_params(source) if made else self.shards[source][shard]
        return {**self._reading[source], "logs": found}

    @cached_property
    def _reading(self) -> dict[str, dict[str, Any]]:
        """Source → by what entry and code its logs are read."""
        return {
            name: {
                "entry": msgspec.to_builtins(self.sources[name]),
                "code": key(
                    self.code("normalize", self.sources[name].format),
                    self._versions(self.sources[name]),
                ),
            }
            for name in self.shards
        }

    def _versions(self, entry: Source) -> dict[str, str]:
        return {library: version(library) for library in entry.libraries()}

    @cached_property
    def _tables(self) -> dict[str, str]:
        """Source → the key of its tables."""
        return {
            source: key({shard: key(self.normalize_params(source, shard)) for shard in shards})
            for source, shards in self.shards.items()
        }

    @cached_property
    def _grids(self) -> dict[str, dict[str, Any]]:
        """Figure → what its grid is made from: of the entry only what the grid depends on."""
        return {
            name: {
                "entry": {k: v for k, v in self._entries[name].items() if k not in entry.drawing()},
                "source": self._reading[entry.source]["entry"],
                "tables": self._tables[entry.source],
                "code": {k: v for k, v in self.codes(name).items() if k != "draw"},
            }
            for name, entry in self.figures.items()
        }

    def aggregate_params(self, names: list[str]) -> dict[str, Any]:
        """Params of `aggregate`, for a batch."""
        figures = {
            name: {
                **{key: self._grids[name][key] for key in ("entry", "source", "code")},
                "tables": self.tables(name),
                "counts": self.counts(name),
            }
            for name in names
        }
        return {"figures": figures, "tables": key([self._grids[name]["tables"] for name in names])}

    @cached_property
    def batches(self) -> dict[str, list[str]]:
        """Batch → figures of which each stage is one job.

        Figures of one source stay together while they fit, so that a batch waits for no more logs
        than it must.
        """
        found: list[list[str]] = []
        fewest = max(1, ceil(len(self.figures) / PER_BATCH))
        most = max(1, ceil(len(self.figures) / fewest))  # of equal batches no core waits for one
        for source in dict.fromkeys(entry.source for entry in self.figures.values()):
            names = [name for name, entry in self.figures.items() if entry.source == source]
            for start in range(0, len(names), most):
                more = names[start : start + most]
                if found and len(found[-1]) + len(more) <= most:
                    found[-1] += more
                else:
                    found.append(more)
        return {str(number): names for number, names in enumerate(found)}

    def draw_params(self, names: list[str]) -> dict[str, Any]:
        """Params of `draw`, for a batch."""
        return {
            "entries": {name: self._entries[name] for name in names},
            "grids": key([self._grids[name] for name in names]),
            "code": {name: self.codes(name)["draw"] for name in names},
        }

    def export_params(self, names: list[str]) -> dict[str, Any]:
        """Params of `export`, for a batch."""
        return {
            "files": {name: self.files_of(name) for name in names},
            "specs": key(self.draw_params(names)),
            "code": self.code("export"),
        }

    def numbers_params(self) -> dict[str, Any]:
        """Params of `numbers`."""
        return {
            "entries": self._entries,
            "tables": {name: self.tables(name) for name in self.figures},
            "grids": key(self._grids),
            "code": {name: self.code("numbers", one.kind) for name, one in self.figures.items()},
        }

    def check_params(self, source: str) -> dict[str, Any]:
        """Params of `check_published`."""
        names = self.compared(source)
        means = self.sources[source].means
        printed = self._index.digests([means] if means else [], self.root)
        return {
            "entries": {name: self._entries[name] for name in names},
            "grids": key([self._grids[name] for name in names]),
            "printed": key(printed, self.reconstruct_params(source)),
            "code": self.code("check_published"),
        }

    def pictures_params(self) -> dict[str, Any]:
        """Params of `pictures`."""
        return {
            "pictures": self.pictures(),
            "figures": key(self.export_params(list(self.figures))),
            "code": self.code("pictures"),
        }

    def gallery_params(self) -> dict[str, Any]:
        """Params of `gallery`."""
        return {
            "entries": self._entries,
            "files": {name: self.offered(name) for name in self.figures},
            "sources": len(self.shards),
            "figures": key(self.export_params(list(self.figures)), self.numbers_params()),
            "code": self.code("gallery", *self.kinds),
        }

    def reconstruct_params(self, source: str) -> str:
        """Params of `reconstruct`: the key of the logs that it makes."""
        return key(list(self.shards[source].values()), self.code("reconstruct"))

    @cached_property
    def _entries(self) -> dict[str, dict[str, Any]]:
        return {name: msgspec.to_builtins(entry) for name, entry in self.figures.items()}

    def entries(self) -> dict[str, dict[str, Any]]:
        """Figure → its entry as plain values."""
        return self._entries

    def reported(self, path: str) -> dict[str, Any]:
        """What `snakemake --report` tells of an exported file; {} for files it leaves out.

        The SVG stands for a figure: all formats in one page would be too much.
        """
        name, form = path.rsplit("/", 1)[1].rsplit(".", 1)
        entry = self.figures[name]
        if form != "svg":
            return {}
        words = code.SCRIPTS.parent / "report" / f"{entry.kind}.rst"
        return {
            "caption": f"../report/{entry.kind}.rst" if words.is_file() else None,
            "category": entry.kind,
            "subcategory": entry.source,
            "labels": {"figure": name, "title": entry.title or name, "shows": entry.shows()},
        }
