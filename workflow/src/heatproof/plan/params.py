"""What each rule is told: its settings as plain values, and a digest of the code that it runs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import paths
from heatproof.config.paths import Paths
from heatproof.ledger import rooms
from heatproof.ledger.pieces import FOLDER

if TYPE_CHECKING:
    from heatproof.config.entries import Source
    from heatproof.plan.left_out import LeftOut

OUTCOME = ("refused", "expect")
"""Keys of a source by which no log is read: grids alone heed them."""


def read_by(source: Source) -> dict[str, Any]:
    """What a source's logs are read by: not what is said of the outcome."""
    return {key: v for key, v in msgspec.to_builtins(source).items() if key not in OUTCOME}


class Params(Paths):
    """The params of every rule, as plain values."""

    whole: dict[str, Any]
    """The config, with what was left out of it."""
    left_out: LeftOut
    upstream: bool
    """Whether rules of another workflow may make logs."""

    @staticmethod
    def code(rule: str) -> dict[str, str]:
        """Digest of the code that a rule runs, and versions of libraries."""
        return rooms.code(rule)

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
            return {"entries": {one: self.entries[one] for one in self.check(rule, name).figures}}
        return self.gallery() if rule == "gallery" else {}

    def build(self) -> dict[str, Any]:
        """What the ledger tells of the build, beside the pieces of its jobs."""
        left = msgspec.to_builtins(self.left_out)
        return {"config": self.whole, "left_out": left, "upstream": self.upstream}

    def gallery(self) -> dict[str, Any]:
        """Settings of the page of all figures."""
        return {
            "entries": self.entries,
            "files": {name: self.offered(name) for name in self.figures},
            "tables": {name: self.tables_of(name) for name in self.shards},
            "printed": self.comparable(),
            "followed": {name: {"entry": read_by(self.sources[name])} for name in self.shards},
            "expect": {name: self.sources[name].expect for name in self.shards},
            "left_out": {
                name: [mistake.sentence for mistake in mistakes]
                for name, mistakes in self.left_out.figures.items()
            },
        }

    def pieces(self) -> list[str]:
        """The pieces of the ledger, of all jobs."""
        shards = [f"normalize/{name}/{one}" for name, some in self.shards.items() for one in some]
        figures = [f"{rule}/{name}" for rule in ("aggregate", "draw") for name in self.figures]
        others = [f"compare_printed/{name}" for name in self.comparable()]
        others += [f"{one.step}/{one.source}" for one in self.checks]
        others += ["bundle/vega"] if self.has_pages(list(self.figures)) else []
        return [f"{FOLDER}/{job}.json" for job in [*shards, *figures, *others, "gallery/page"]]

    def results(self) -> list[str]:
        """All that a run makes, but the ledger."""
        tables = self.samples()
        return [
            *tables,
            *(beside(path) for path in tables for beside in (paths.rejected, paths.counts)),
            *self.manifests(),
            *self.cells(),
            *self.specs(),
            *self.files(),
            *self.numbers(),
            *self.captions(),
            *self.checking(),
            *self.printed_by_harness(),
            *([paths.LIBRARY] if self.has_pages(list(self.figures)) else []),
            *(paths.PAGE, paths.README, *paths.SUMMARY),
            *self.pieces(),
        ]
