"""What there is to build: sources, their logs and figures, before any job starts."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import configuration, paths, roots
from heatproof.config.fonts import font_files
from heatproof.paper import checks
from heatproof.plan import inventory, lettered
from heatproof.plan.left_out import LeftOut
from heatproof.plan.params import Params
from heatproof.samples import last_values, outcome, systematic
from heatproof.util import hashed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from heatproof.config.configuration import Config
    from heatproof.config.entries import Figure, Source
    from heatproof.config.paths import Check, Shards
    from heatproof.plan.inventory import Noted

SECTIONS = {"paper": checks.Entry}
"""Section of config.yaml beyond sources and figures → what it may say of a source."""
INDEX = Path(".snakemake/heatproof/digests.json")


class Plan(Params):
    """Sources and figures of the config, and the logs that there are."""

    def __init__(
        self,
        raw: dict[str, Any],
        root: Path,
        *,
        scan: bool = True,
        upstream: bool = False,
        config: Config | None = None,
        also: Collection[str] = (),
    ) -> None:
        """`scan`: look for logs; else take over what the run that sent this job found.

        `upstream`: logs that are named in full may be made by other rules, see `embedded`;
        `config`: what came of `raw`, if it was read before; `also`: sources that are looked at
        beside those of its figures.
        """
        self._also = also
        self.left_out = LeftOut()
        self.raw, self.root, self.scan, self.upstream = raw, root, scan, upstream
        self.roots = roots.given(raw)
        if scan:
            roots.mount(self.roots, root, later=upstream)
        self.config = config or configuration.read(raw, root, SECTIONS)
        self._index = hashed.Index(root / INDEX)

    @property
    def sources(self) -> dict[str, Source]:
        return self.config.sources

    @property
    def figures(self) -> dict[str, Figure]:
        return self.config.figures

    @cached_property
    def shards(self) -> Shards:
        return {name: found.shards for name, found in self._found.items()}

    @cached_property
    def _found(self) -> dict[str, inventory.Found]:
        """What there is to read, of sources that some figure shows.

        Raises:
            Error: one line for each pattern that matches no log.
        """
        names = sorted({*self._also, *(figure.source for figure in self.figures.values())})
        shown = [self.sources[name] for name in names]
        if not self.scan and (found := inventory.load(self.root / inventory.FOUND, shown)):
            return found
        # Where links lead to is seen to by the run; its jobs may have the logs in another way.
        folders = self.roots if self.scan else None
        found = inventory.look(shown, self.root, self._index, folders, upstream=self.upstream)
        if self.scan:
            self._index.save()
        inventory.save(found, self.root)
        return found

    def noted(self, source: str) -> dict[str, Noted]:
        """Shard → what it is read from."""
        found = self._found[source]
        told = found.noted.get
        return {
            shard: told(shard) or inventory.noted(digest, self.root)
            for shard, digest in found.shards.items()
        }

    def made_logs(self, source: str, shard: str) -> list[str]:
        """The logs of a shard that other rules may make, as Snakemake knows them."""
        if not inventory.is_made(self.shards[source][shard]):
            return []
        mine = self.noted(source)[shard]
        later = (path for path in mine.logs if path not in mine.files)
        return [roots.followed(path, self.roots, self.root) for path in later]

    def is_made(self, source: str) -> bool:
        """Whether other rules make logs of a source: what they hold, their jobs alone can tell."""
        return any(map(inventory.is_made, self.shards[source].values()))

    def remade(self, source: str, shard: str) -> list[str]:
        """Logs that other rules make and that are not those which the table of a shard was read of.

        What is gone is left to these rules.
        """
        listed = self.root / paths.manifest(paths.table(source, shard))
        if not (inventory.is_made(self.shards[source][shard]) and listed.is_file()):
            return []
        known = self.noted(source)[shard].files
        read = {path: of for path, of in outcome.digests(listed).items() if path not in known}
        now = self._index.extents(read, self.root)
        self._index.save()
        return [path for path, one in now.items() if one.digest != read[path]]

    def followed(self) -> dict[str, tuple[Source, dict[str, Noted]]]:
        """The sources whose logs others may write to, each with what was noted of them.

        A rule that makes logs has done so before they are read.
        """
        return {
            name: (self.sources[name], self.noted(name))
            for name in self.shards
            if not self.is_made(name)
        }

    def require_figures(self) -> None:
        """Refuse a config that asks for no figure: nothing would be made.

        Raises:
            Error: there is none; it tells what to write.
        """
        if self.figures:
            return
        source, entry = next(iter(self.sources.items()), ("SOURCE", None))
        x = next(iter(entry.columns().params), "task") if entry else "task"
        raise Error(
            "config.yaml: figures: no figure is asked for, so there is nothing to make; write\n"
            "figures:\n"
            "  NAME:                 # of the files, a word of your own\n"
            "    kind: heatmap\n"
            f"    source: {source}\n"
            f"    encoding: {{x: {x}, y: model, color: pass@1}}"
        )

    def require_given(self) -> None:
        """Refuse a comparison with numbers of a file that is not there.

        Raises:
            Error: one line for each such file.
        """
        places = ((f"{one.key}.{name}", path) for one in self.checks
                  for name, path in one.given.items())  # fmt: skip
        missing = [
            f"config.yaml: {key}: no file {path!r}"
            for key, path in places
            if not (self.root / path).is_file()
        ]
        if missing:
            raise Error("\n".join(missing))

    def require_drawable(self) -> None:
        """Refuse a typeface that cannot be used, and a text of the config that it cannot draw.

        Raises:
            Error: one line for each such file or text.
        """
        faults = [
            f"config.yaml: figures.{name}.{fault}"
            for name, figure in self.figures.items()
            for fault in lettered.faults(figure, self.root)
        ]
        if faults:
            raise Error("\n".join(faults))

    def require_known(self) -> None:
        """Refuse a figure of which it is known by now that no sample has what it asks for.

        Raises:
            Error: one line for each such value.
        """
        values: dict[str, last_values.Values] = {}
        problems = []
        for figure in self.figures.values():
            if figure.wanted():
                name = figure.source
                values[name] = values.get(name) or self._values(name)
                problems += last_values.problems(figure, values[name])
        if problems:
            raise Error("\n".join([*self._refusals(values), *problems]))

    def unborne(self) -> list[str]:
        """What figures name or put in order and no sample has, as far as that is known."""
        named = [one for one in self.figures.values() if any(last_values.listed(one))]
        shown = dict.fromkeys(one.source for one in named)
        return last_values.unborne(named, {source: self._values(source) for source in shown})

    def _refusals(self, sources: Iterable[str]) -> list[str]:
        """Why a value may not be there: what was refused, of sources that were all read before."""
        found = []
        for name in sources:
            keys = self.table_keys[name]
            counts = [self.root / paths.counts(path) for path in self.tables_of(name)]
            read = (last_values.read_values(name, shard, keys[shard], self.root) for shard in keys)
            if None not in read and all(path.is_file() for path in counts):
                given = self._reading[name]["entry"]
                found += systematic.problems(given, counts, self.sources[name].refused)
        return found

    def _values(self, source: str) -> last_values.Values:
        """What the shards that were read before hold, and what the paths of other logs tell."""
        entry = self.sources[source]
        keys = self.table_keys[source]
        parts = {
            shard: last_values.read_values(source, shard, keys[shard], self.root) for shard in keys
        }
        found = [part for part in parts.values() if part is not None]
        if len(found) < len(parts):
            noted = self.noted(source)
            unread = (noted[shard].logs for shard, part in parts.items() if part is None)
            found += last_values.values_of_paths(entry, chain.from_iterable(unread))
        return last_values.union_of_values(found)

    def comparable(self) -> list[str]:
        return [name for name, found in self._found.items() if found.compared]

    def beside(self, source: str) -> dict[str, str]:
        return self._found[source].printed

    @cached_property
    def checks(self) -> list[Check]:
        return [*checks.checks(self.config.others["paper"], self.figures, self.shards)]

    @cached_property
    def _fonts(self) -> dict[str, str]:
        return lettered.digests(self.figures.values(), self.root)

    def fonts(self, figure: str) -> dict[str, str]:
        named = font_files(self.figures[figure].font)
        return {path: self._fonts[path] for path in named if path in self._fonts}

    def given(self, check: Check) -> dict[str, str]:
        return self._index.digests(check.given.values(), self.root)

    @property
    def stages(self) -> dict[str, list[str]]:
        """What can be asked for by a word → the files that it stands for."""
        sources = {f"tables_{name}": self.tables_of(name) for name in self.shards}
        return {"tables": self.samples(), **sources, "grids": self.cells(), "figures": self.files()}

    def labels(self, figure: str) -> dict[str, str]:
        """What `snakemake --report` tells of a figure."""
        entry = self.figures[figure]
        return {"figure": figure, "title": entry.title or figure, "shows": entry.shows()}
