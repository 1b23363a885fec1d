"""What each rule is told: its params, in which all that it builds from is known by content.

Snakemake reruns a job when its params change. So each rule gets in its params what Snakemake does
not see by itself: a digest of the logs, of the library's code, and the key of the stage before it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config.paths import Paths
from heatproof.plan import code_digest
from heatproof.plan.left_out import LeftOut
from heatproof.util.canonical import key
from heatproof.util.pins import version

if TYPE_CHECKING:
    from heatproof.config.entries import Figure, Source
    from heatproof.config.paths import Check


SAID = ("refused", "expect")
"""Keys of a source by which no log is read: grids alone heed them."""


def _read_by(source: Source) -> dict[str, Any]:
    """What a source's logs are read by: not what is said of the outcome."""
    return {name: v for name, v in msgspec.to_builtins(source).items() if name not in SAID}


class Params(Paths):
    """The params of every rule, as plain values."""

    left_out = LeftOut()

    def given(self, check: Check) -> dict[str, str]:
        """Path → digest of the files that grids are compared with."""
        raise NotImplementedError

    def fonts(self, figure: str) -> dict[str, str]:
        """Path → SHA-256 of the font files that a figure is drawn with."""
        raise NotImplementedError

    def beside(self, source: str) -> dict[str, str]:
        """Path → digest of files in which a harness printed numbers, but for logs and sidecars."""
        raise NotImplementedError

    @property
    def kinds(self) -> list[str]:
        """The kinds of all figures."""
        return sorted({figure.kind for figure in self.figures.values()})

    @cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        """Figure → its entry as plain values."""
        return {name: msgspec.to_builtins(entry) for name, entry in self.figures.items()}

    def code(self, stage: str, *names: str) -> str:
        """Digest of the code of a stage, for formats or figure kinds of these names."""
        return code_digest.stage_digest(stage, names)

    def codes(self, figure: str) -> dict[str, str]:
        """Stage → digest of its code, as the record of a figure tells it."""
        entry = self.figures[figure]
        drawn = {stage: self.code(stage, entry.kind) for stage in ("aggregate", "draw")}
        return {"normalize": self._reading[entry.source]["code"]} | drawn

    def normalize_params(self, source: str, shard: str) -> dict[str, Any]:
        """Params of `normalize`: what the tables of a shard are made from."""
        return {**self._reading[source], "logs": self.shards[source][shard]}

    @cached_property
    def _reading(self) -> dict[str, dict[str, Any]]:
        """Source → by what entry and code its logs are read."""
        return {
            name: {
                "entry": _read_by(self.sources[name]),
                "code": key(
                    self.code("normalize", *self.sources[name].formats()),
                    self._versions(self.sources[name]),
                ),
            }
            for name in self.shards
        }

    def _versions(self, entry: Source) -> dict[str, str]:
        return {library: version(library) for library in entry.libraries()}

    @cached_property
    def table_keys(self) -> dict[str, dict[str, str]]:
        """Source → shard → the key of its tables."""
        return {
            source: {shard: key(self.normalize_params(source, shard)) for shard in shards}
            for source, shards in self.shards.items()
        }

    @cached_property
    def _tables(self) -> dict[str, str]:
        """Source → the key of all its tables."""
        return {source: key(keys) for source, keys in self.table_keys.items()}

    @cached_property
    def _grids(self) -> dict[str, dict[str, Any]]:
        """Figure → what its grid is made from: of the entry only what the grid depends on."""
        return {
            name: {
                "entry": {k: v for k, v in self.entries[name].items() if k not in entry.drawing()},
                "source": self._reading[entry.source]["entry"] | self._expect(entry),
                "tables": self._tables[entry.source],
                "code": {k: v for k, v in self.codes(name).items() if k != "draw"},
            }
            for name, entry in self.figures.items()
        }

    def _expect(self, entry: Figure) -> dict[str, Any]:
        expect = self.sources[entry.source].expect if entry.expects() else None
        return {} if expect is None else {"expect": expect}

    def aggregate_params(self, figure: str) -> dict[str, Any]:
        """Params of `aggregate`."""
        refused = self.sources[self.figures[figure].source].refused
        return {**self._grids[figure], "refused": refused}

    def draw_params(self, figure: str) -> dict[str, Any]:
        """Params of `draw`."""
        return {
            "entry": self.entries[figure],
            "grid": key(self._grids[figure]),
            "code": self.codes(figure)["draw"],
            **({"fonts": fonts} if (fonts := self.fonts(figure)) else {}),
        }

    @property
    def _drawn(self) -> str:
        """The key of all figures."""
        return key([self.draw_params(name) for name in self.figures])

    def check_params(self, step: str, source: str) -> dict[str, Any]:
        """Params of a rule that compares grids with numbers from elsewhere."""
        one = self.check(step, source)
        return {
            "entries": {name: self.entries[name] for name in one.figures},
            "grids": key([self._grids[name] for name in one.figures]),
            "given": key(self.given(one)),
            "code": self.code(step),
        }

    def printed_params(self, source: str) -> dict[str, Any]:
        """Params of `compare_printed`."""
        return {
            "entry": self._reading[source]["entry"],
            "tables": self._tables[source],
            "beside": key(self.beside(source)),
            "code": self.code("compare_printed", *self.sources[source].formats()),
        }

    def pictures_params(self) -> dict[str, Any]:
        """Params of `pictures`."""
        return {
            "pictures": self.pictures(),
            "figures": self._drawn,
            "code": self.code("pictures"),
        }

    def gallery_params(self) -> dict[str, Any]:
        """Params of `gallery`."""
        names = list(self.figures)
        return {
            "entries": self.entries,
            "files": {name: self.offered(name) for name in names},
            "tables": {name: self.tables_of(name) for name in self.shards},
            "figures": self._drawn,
            "printed": {name: key(self.printed_params(name)) for name in self.comparable()},
            "followed": {
                name: {"entry": self._reading[name]["entry"], "logs": shards}
                for name, shards in self.shards.items()
            },
            "expect": {name: self.sources[name].expect for name in self.shards},
            "code": self.code("gallery", *self.kinds),
            **({"left_out": left} if (left := self.left_out.figures) else {}),
        }
