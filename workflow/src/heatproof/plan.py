"""What the rules build from: each stage's inputs known by content, before any job starts.

Snakemake reruns a job when its params change. So each rule gets in its params what Snakemake does
not see by itself: a digest of the logs, of the library's code, and the key of the stage before it.
"""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from blake3 import blake3

from heatproof import code, config, inventory
from heatproof.reading import logs

if TYPE_CHECKING:
    from heatproof.config import Figure, Source

INDEX = Path(".snakemake/heatproof/digests.json")

PER_BATCH = 6
"""Figures in a batch at most: enough to make up for the start of the tools, few to redo."""

STAGES: dict[str, tuple[list[str], list[str]]] = {
    "reconstruct": (["heatproof.published"], []),
    "normalize": (
        ["heatproof.reading.normalize", "heatproof.reading.logs", "heatproof.counts"],
        ["isal", "msgspec", "numpy", "polars", "pyarrow"],
    ),
    "aggregate": (["heatproof.tables"], ["polars", "numpy"]),
    "draw": (
        ["heatproof.charts.spec"],
        ["polars", "altair", "uharfbuzz", "font-source-sans-pro"],
    ),
    "bundle": (["heatproof.files.html"], ["vl-convert-python"]),
    "export": (
        ["heatproof.files.export", *(f"heatproof.files.{name}" for name in config.FORMATS)],
        ["vl-convert-python", "pikepdf", "uharfbuzz", "font-source-sans-pro", "jinja2"],
    ),
    "numbers": (["heatproof.numbers"], ["polars"]),
    "check_published": (["heatproof.agreement"], ["polars"]),
    "gallery": (
        [
            *(f"heatproof.gallery.{name}" for name in ("audit", "cards", "gallery")),
            "heatproof.summary",
        ],
        ["polars", "jinja2"],
    ),
    "seal": (
        [
            *(f"heatproof.crates.{name}" for name in ("crate", "jobs")),
            *(f"heatproof.proof.{name}" for name in ("pictures", "manifest")),
        ],
        ["snakemake", "vl-convert-python"],
    ),
}
"""Stage → modules of the library it starts from, other libraries that shape its output."""


def key(*parts: Any) -> str:
    """A digest of plain values."""
    return blake3(msgspec.json.encode(parts, order="sorted")).hexdigest()[:32]


class Plan:
    """Sources, figures and the keys of everything that is built of them."""

    def __init__(self, raw: dict[str, Any], root: Path, *, scan: bool = True) -> None:
        """`scan`: look for logs; else take over what the run that sent this job found."""
        self.root, self.scan = root, scan
        self.config = config.read(raw, root)
        self._index = logs.Index(root / INDEX)

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

    def code(self, stage: str, *modules: str) -> str:
        """Digest of the code of a stage; `modules`: those it looks up by name."""
        own, libraries = STAGES[stage]
        return code.digest((*own, *sorted(modules)), tuple(libraries), stage)

    def normalize_params(self, source: str, shard: str) -> dict[str, Any]:
        """Params of `normalize`."""
        entry = self.sources[source]
        reader = f"heatproof.readers.{entry.format}"
        made = entry.reconstruct is not None
        return {
            "entry": msgspec.to_builtins(entry),
            "logs": self.reconstruct_params(source) if made else self.shards[source][shard],
            "code": key(self.code("normalize", reader), self._versions(entry)),
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
                "tables": self._tables[entry.source],
                "code": self.code("aggregate", f"heatproof.figures.{entry.kind}"),
            }
            for name, entry in self.figures.items()
        }

    def aggregate_params(self, names: list[str]) -> dict[str, Any]:
        """Params of `aggregate`, for a batch."""
        figures = {
            name: {
                "entry": self._grids[name]["entry"],
                "code": self._grids[name]["code"],
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
        for source in dict.fromkeys(entry.source for entry in self.figures.values()):
            names = [name for name, entry in self.figures.items() if entry.source == source]
            for start in range(0, len(names), PER_BATCH):
                more = names[start : start + PER_BATCH]
                if found and len(found[-1]) + len(more) <= PER_BATCH:
                    found[-1] += more
                else:
                    found.append(more)
        return {str(number): names for number, names in enumerate(found)}

    def draw_params(self, names: list[str]) -> dict[str, Any]:
        """Params of `draw`, for a batch."""
        kinds = {name: self.figures[name].kind for name in names}
        return {
            "entries": {name: self._entries[name] for name in names},
            "grids": key([self._grids[name] for name in names]),
            "code": {n: self.code("draw", f"heatproof.figures.{k}") for n, k in kinds.items()},
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
        kinds = {f"heatproof.figures.{entry.kind}" for entry in self.figures.values()}
        return {
            "entries": self._entries,
            "grids": key(self._grids),
            "code": self.code("numbers", *kinds),
        }

    def check_params(self, source: str) -> dict[str, Any]:
        """Params of `check_published`."""
        names = [Path(path).stem for path in self.heatmaps(source)]
        means = self.sources[source].means
        printed = self._index.digests([means] if means else [], self.root)
        return {
            "entries": {name: self._entries[name] for name in names},
            "grids": key([self._grids[name] for name in names]),
            "printed": key(printed, self.reconstruct_params(source)),
            "code": self.code("check_published"),
        }

    def gallery_params(self) -> dict[str, Any]:
        """Params of `gallery`."""
        return {
            "entries": self._entries,
            "files": {name: self.offered(name) for name in self.figures},
            "tables": {name: self.tables(name) for name in self.figures},
            "sources": len(self.shards),
            "figures": key(self.export_params(list(self.figures))),
            "code": self.code("gallery"),
        }

    def offered(self, figure: str) -> list[tuple[str, str]]:
        """What there is of a figure: label and path of each file."""
        files = [(form, f"results/figures/{figure}.{form}") for form in self.formats_of(figure)]
        return [
            *files,
            ("spec", f"results/specs/{figure}.vl.json"),
            ("grid", f"results/grids/{figure}.parquet"),
            ("csv", f"results/tables/{figure}.csv"),
            ("tex", f"results/tables/{figure}.tex"),
        ]

    def reconstruct_params(self, source: str) -> str:
        """Params of `reconstruct`: the key of the logs that it makes."""
        return key(list(self.shards[source].values()), self.code("reconstruct"))

    @cached_property
    def _entries(self) -> dict[str, dict[str, Any]]:
        return {name: msgspec.to_builtins(entry) for name, entry in self.figures.items()}

    def entries(self) -> dict[str, dict[str, Any]]:
        """Figure → its entry as plain values."""
        return self._entries

    def pictures(self) -> dict[str, str]:
        """Figure → the file that shows its pixels at the least cost."""
        formats = {
            name: "png" if "png" in self.formats_of(name) else "svg" for name in self.figures
        }
        return {name: f"results/figures/{name}.{form}" for name, form in formats.items()}

    def formats_of(self, figure: str) -> tuple[str, ...]:
        """Formats of a figure; svg always, for the other files and the gallery are made of it."""
        return tuple(sorted({"svg", *self.figures[figure].formats}))

    def files_of(self, figure: str) -> list[str]:
        """The exported files of a figure."""
        return [f"results/figures/{figure}.{form}" for form in self.formats_of(figure)]

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

    def has_pages(self, names: list[str]) -> bool:
        """Whether one of the figures is exported as a page, which carries the library inside."""
        return any("html" in self.formats_of(name) for name in names)

    def made_logs(self, source: str) -> list[str]:
        """The folder of logs that a rule makes for a source; raw logs are no rule's output."""
        return [f"results/reconstructed/{source}"] if self.sources[source].reconstruct else []

    def tables(self, *figures: str) -> list[str]:
        """The samples tables that figures are made of."""
        sources = dict.fromkeys(self.figures[name].source for name in figures)
        return [f"results/tables/{s}/{shard}.parquet" for s in sources for shard in self.shards[s]]

    def counts(self, *figures: str) -> list[str]:
        """The partial aggregates of these tables."""
        return [path.replace("/tables/", "/counts/") for path in self.tables(*figures)]

    def manifests(self, *figures: str) -> list[str]:
        """What became of the logs, a file per samples table: of these figures, or of all."""
        tables = self.tables(*figures) if figures else self.samples()
        return [path.replace(".parquet", ".logs.csv") for path in tables]

    def samples(self) -> list[str]:
        """The samples tables of all sources."""
        return [
            f"results/tables/{s}/{shard}.parquet" for s in self.shards for shard in self.shards[s]
        ]

    def specs(self) -> list[str]:
        """The specs of all figures."""
        return [f"results/specs/{name}.vl.json" for name in self.figures]

    def grids(self) -> list[str]:
        """The grids of all figures."""
        return [f"results/grids/{name}.parquet" for name in self.figures]

    def heatmaps(self, source: str) -> list[str]:
        """The grids of the heatmaps that show a source."""
        shown = self.figures.items()
        return [
            f"results/grids/{n}.parquet"
            for n, e in shown
            if e.kind == "heatmap" and e.source == source
        ]

    def checked(self) -> list[str]:
        """Sources whose numbers are compared with printed ones."""
        return [name for name in self.shards if self.sources[name].reconstruct]

    def files(self) -> list[str]:
        """The exported files of all figures."""
        return [path for name in self.figures for path in self.files_of(name)]
