"""What there is to build: sources, their logs, figures and their batches, before any job starts."""

from __future__ import annotations

from functools import cached_property
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof import code, configuration, hashed, inventory, known
from heatproof.canonical import key
from heatproof.errors import Error
from heatproof.params import Params
from heatproof.reading import logs

if TYPE_CHECKING:
    from heatproof.config import Figure, Source

INDEX = Path(".snakemake/heatproof/digests.json")

PER_BATCH = 6
"""Figures in a batch at most: enough to make up for the start of the tools."""


class Plan(Params):
    """Sources and figures of the config, and the logs that there are."""

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

    def printed(self, source: str) -> dict[str, str]:
        means = self.sources[source].means
        return self._index.digests([means] if means else [], self.root)

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
