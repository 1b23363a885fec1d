"""Where the results of each stage lie, by the name of the source or of the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.config.entries import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import msgspec

    from heatproof.config.entries import Figure, Source

Shards = dict[str, dict[str, str]]
"""Source → shard → digest of the shard's logs."""
REJECTED, LOGS = ".rejected.parquet", ".logs.csv"
"""Ends of the names of what lies beside a samples table."""
LIBRARY = "results/vega.js"
"""The drawing library that every page carries inside."""
PAGE = "results/index.html"
"""The gallery."""
SUMMARY = ("results/summary.json", "results/summary.txt")
"""What went in and what was refused: for programs, and in words."""
README = "results/README.md"
"""What lies in the results."""
NUMBERS = ("csv", "tex", "json")
"""Files of the numbers behind a figure: the first is made with its grid, the others with its
picture; the last is what the gallery tells of them."""
CAPTIONS = ("tex", "md")
"""Files of the caption of a figure."""
COMPARISON = ("csv", "txt")
"""Files that tell how the numbers of a source compare with printed ones."""


def tables(source: str) -> str:
    """The folder of the samples tables of a source."""
    return f"results/tables/{source}"


def table(source: str, shard: str) -> str:
    """The samples of a shard."""
    return f"{tables(source)}/{shard}.parquet"


def rejected(table: str) -> str:
    """The refused records beside a samples table."""
    return table.removesuffix(".parquet") + REJECTED


def manifest(table: str) -> str:
    """What became of the logs that a samples table was read from."""
    return table.removesuffix(".parquet") + LOGS


def counts(table: str) -> str:
    """The partial aggregates of a samples table."""
    return table.replace("/tables/", "/counts/", 1)


def grid(figure: str) -> str:
    """The cells of a figure."""
    return f"results/grids/{figure}.parquet"


def behind(figure: str) -> str:
    """What lies behind each cell: records by their places, and counts."""
    return f"results/grids/{figure}.json"


def spec(figure: str) -> str:
    """The chart of a figure, as Vega-Lite."""
    return f"results/specs/{figure}.vl.json"


def picture(figure: str, form: str) -> str:
    """An exported file of a figure, by its format."""
    return f"results/figures/{figure}.{FORMATS[form]}"


def form_of(path: str) -> str | None:
    """The format of an exported file, by how its name ends; None if it has another end."""
    forms = [form for form, end in FORMATS.items() if path.endswith(f".{end}")]
    return max(forms, key=lambda form: len(FORMATS[form]), default=None)


def caption(figure: str, form: str) -> str:
    """The caption of a figure, ready to be pasted."""
    return f"results/figures/{figure}.caption.{form}"


def numbers(figure: str, form: str) -> str:
    """The numbers behind a figure."""
    return f"results/tables/{figure}.{form}"


def printed(source: str) -> str:
    """How what the harness printed compares with what is counted of the logs of a source."""
    return f"results/printed/{source}.csv"


class Check(NamedTuple):
    """A job that compares grids with numbers from elsewhere, by a rule of its own."""

    step: str
    """The rule, and what its script is called."""
    source: str
    key: str
    """Where config.yaml asks for it."""
    entry: msgspec.Struct
    """What it says there."""
    figures: list[str]
    """Whose grids are compared."""
    given: dict[str, str]
    """Key below `key` → the file with the numbers."""
    outputs: dict[str, str]
    """Ending → the file that tells how they compare."""


class Paths:
    """Paths below the project folder of all that is made of some sources and figures."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """All sources, by name."""
        raise NotImplementedError

    @property
    def figures(self) -> Mapping[str, Figure]:
        """All figures, by name."""
        raise NotImplementedError

    @property
    def shards(self) -> Shards:
        """Source → its shards, for sources that some figure shows."""
        raise NotImplementedError

    def comparable(self) -> list[str]:
        """Sources beside whose logs a harness printed numbers, or may have, to be compared."""
        raise NotImplementedError

    @property
    def checks(self) -> list[Check]:
        """Comparisons of grids with numbers from elsewhere, beyond what every project has."""
        raise NotImplementedError

    def samples(self) -> list[str]:
        """The samples tables of all sources."""
        return [path for source in self.shards for path in self.tables_of(source)]

    def tables_of(self, source: str) -> list[str]:
        """The samples tables of a source."""
        return [table(source, shard) for shard in self.shards[source]]

    def manifests(self, *figures: str) -> list[str]:
        """What became of the logs, a file per samples table: of these figures, or of all."""
        tables = self.tables(*figures) if figures else self.samples()
        return [manifest(path) for path in tables]

    def tables(self, *figures: str) -> list[str]:
        """The samples tables that figures are made of."""
        sources = dict.fromkeys(self.figures[name].source for name in figures)
        return [path for source in sources for path in self.tables_of(source)]

    def counts(self, *figures: str) -> list[str]:
        """The partial aggregates of these tables."""
        return [counts(path) for path in self.tables(*figures)]

    def expectant(self) -> list[str]:
        """The partial aggregates of sources of whose runs the last words tell: config.yaml says
        how many samples they have, or their scorers were chosen.
        """
        texts = {n for n, item in self.sources.items() if item.expect is not None or item.chooses()}
        names = [name for name in self.shards if name in texts]
        return [counts(path) for name in names for path in self.tables_of(name)]

    def grids(self) -> list[str]:
        """The grids of all figures."""
        return [grid(name) for name in self.figures]

    def cells(self) -> list[str]:
        """What is counted for all figures: grids, the records behind them, and CSV."""
        texts = (item for name in self.figures for item in (behind(name), numbers(name, "csv")))
        return [*self.grids(), *texts]

    def specs(self) -> list[str]:
        """The specs of all figures."""
        return [spec(name) for name in self.figures]

    def formats_of(self, figure: str) -> tuple[str, ...]:
        """Formats of a figure; svg always, for the other files and the gallery are made of it."""
        return tuple(sorted({"svg", *self.figures[figure].formats}))

    def files_of(self, figure: str) -> list[str]:
        """The exported files of a figure."""
        return [picture(figure, form) for form in self.formats_of(figure)]

    def files(self) -> list[str]:
        """The exported files of all figures."""
        return [path for name in self.figures for path in self.files_of(name)]

    def has_pages(self, names: list[str]) -> bool:
        """Whether one of the figures is exported as a page, which needs the drawing library."""
        return any("html" in self.formats_of(name) for name in names)

    def numbers(self) -> list[str]:
        """The numbers behind all figures, as text."""
        return [numbers(name, form) for form in NUMBERS for name in self.figures]

    def captions(self) -> list[str]:
        """The captions of all figures."""
        return [caption(name, form) for form in CAPTIONS for name in self.figures]

    def formats(self) -> dict[tuple[str, ...], list[str]]:
        """Formats → the figures that come in just these."""
        forms: dict[tuple[str, ...], list[str]] = {}
        for name in self.figures:
            forms.setdefault(self.formats_of(name), []).append(name)
        return forms

    def offered(self, figure: str) -> list[tuple[str, str]]:
        """What there is of a figure: label and path of each file."""
        files = [(form, picture(figure, form)) for form in self.formats_of(figure)]
        texts = [(form, numbers(figure, form)) for form in ("csv", "tex")]
        sentences = [("caption", caption(figure, form)) for form in CAPTIONS[:1]]
        return [*files, *sentences, ("spec", spec(figure)), ("grid", grid(figure)), *texts]

    def printed_by_harness(self) -> list[str]:
        """The tables of what harnesses printed, of all sources."""
        return [printed(source) for source in self.comparable()]

    def check(self, step: str, source: str) -> Check:
        """The comparison of a source that a rule makes."""
        return next(item for item in self.checks if (item.step, item.source) == (step, source))

    def checking(self) -> list[str]:
        """What all these comparisons make."""
        return [path for item in self.checks for path in item.outputs.values()]
