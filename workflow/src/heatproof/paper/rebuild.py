"""rebuild: figures drawn again from a file that holds them, without their project."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.charts import spec as specs
from heatproof.export import export, packed
from heatproof.kinds import api
from heatproof.kinds.heatmap import problem_counts
from heatproof.provenance import identify
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.charts.units import Unit
    from heatproof.export.drawing import Record, Spec

    Cell = dict[str, Any]  # its value, interval and verdict

FORMATS = ("svg", "pdf", "png")
SVG_SPEC = re.compile(rb'<metadata\s[^>]*?id="heatproof(?:-[0-9a-f]+)?-spec"[^>]*>([^<]*)<')
HTML_SPEC = re.compile(rb'<script type="application/json" id="spec">(.*?)</script>', re.DOTALL)
PRINTED_ID = re.compile(r"heatproof ([0-9a-f]{8})\b")
LARGEST_SUM = 256_000_000  # bytes of all unpacked specs of a file
ALIKE = "drawn with the versions that drew it: the same bytes"
ANEW = "the same values and spec, drawn anew"


class Recounted(msgspec.Struct):
    """What the counts of problems in a figure give."""

    problems: int
    records: int
    cells: list[dict[str, Any]]  # value, interval and verdict of each, in the unit of the figure
    tied_sets: int  # sets of cells of which none can be told apart from the best
    agrees: bool  # whether the figure draws these values and verdicts


class Rebuilt(msgspec.Struct):
    """A figure that was drawn again."""

    figure: str
    id: str
    title: str
    pages: list[int]
    logs: dict[str, Any]  # how many, and their digest
    versions: dict[str, str]
    reconstructed: bool
    sound: bool  # whether its id is that of its spec
    says: str  # in words: what it shows, with its verdicts
    cells: list[dict[str, Any]]
    files: dict[str, bytes]
    others: dict[str, str]  # library → its version here, where it is another
    counted: Recounted | None = None  # of the counts inside; None where there are none
    withheld: bool = False  # whether it says that it has no counts, because its logs are private
    is_file: bool = False  # whether one of its files is the one that was given

    @property
    def how(self) -> str:
        """Whether the bytes are those that were drawn first."""
        if self.others:
            names = ", ".join(f"{name} {installed}" for name, installed in self.others.items())
            return f"{ANEW} (here are {names})"
        return ALIKE


def rebuild(path: Path) -> list[Rebuilt]:
    """The figures in a file, drawn again. Raises Error: it holds none that can be."""
    data = path.read_bytes()
    figures = []
    size = 0
    for spec, pages in embedded(data):
        size += len(json.dumps(spec))
        if size > LARGEST_SUM:
            raise Error(f"{path}: its specs have more than {LARGEST_SUM:,} bytes in all")
        figures.append(_drawn(spec, pages, data))
    if not figures:
        raise Error(f"{path}: {_lost(path, data)}")
    return figures


def embedded(data: bytes) -> Iterator[tuple[Any, list[int]]]:
    """The specs in a file, with their pages. Raises Error: one is damaged, or too large."""
    if data.startswith(b"%PDF"):
        for included in identify.in_pdf(data):
            if included.packed:
                yield packed.unpack(included.packed), included.pages
    elif data.startswith(packed.SIGNATURE):
        for name, content in packed.chunks(data):
            if name == packed.CHUNK:
                yield packed.unpack(content), []
    elif match := SVG_SPEC.search(data):
        yield packed.unpack(packed.from_text(match[1])), []
    else:
        page = HTML_SPEC.search(data)
        with suppress(ValueError):
            yield json.loads(page[1] if page else data), []


def _drawn(spec: Any, pages: list[int], data: bytes) -> Rebuilt:
    try:
        record = dict(spec["usermeta"]["heatproof"])
        logs = dict(record["logs"])
        versions = dict(record["versions"])
        figure = str(record["figure"])
        name = str(record["id"])
        entry = dict(record["entry"])
    except (KeyError, TypeError, ValueError):
        raise Error("it holds a spec without a record of heatproof") from None
    files = export.render(spec, FORMATS)
    problems = spec["usermeta"].get("problems", ())
    return Rebuilt(
        figure=figure,
        id=name,
        title=str(entry.get("title") or figure),
        pages=pages,
        logs=logs,
        versions=versions,
        reconstructed=bool(record.get("reconstructed")),
        sound=specs.is_own_id(spec),
        says=str(spec.get("description", "")),
        cells=list(cells_of(spec)),
        files=files,
        others=dict(_other_versions(versions)),
        is_file=data in files.values(),
        counted=_recounted(spec, entry, problems) if problems else None,
        withheld=problems is None,
    )


NUMBERS = ("value", "se", "low", "high", "tied")
"""What a cell that is drawn has of the counts inside."""


def _recounted(spec: Spec, entry: Record, problems: Any) -> Recounted:
    """The cells counted anew. Raises Error: the counts are none."""
    try:
        question = api.read(entry).question
        grid = problem_counts.recount(problems, question)
    except (ArithmeticError, KeyError, LookupError, TypeError, ValueError) as error:
        raise Error(f"it holds damaged counts ({error})") from None
    cells = [_shown_numbers(row, question.unit) for row in grid.iter_rows(named=True)]
    drawn = [cell for cell in cells_of(spec) if cell.keys() >= set(NUMBERS)]
    judged = grid.filter(pl.col("tied").is_not_null())
    return Recounted(
        problems=sum(len(panel["sums"]) for panel in problems),
        records=int(grid["epochs"].sum()),
        cells=cells,
        tied_sets=judged.select("peers", "tied").filter("tied")["peers"].n_unique(),
        agrees=_keys(cells) == _keys(drawn),
    )


def _shown_numbers(row: Cell, unit: Unit) -> Cell:
    """A recounted cell in the unit of the figure."""
    numbers: Cell = {name: unit.value(row[name]) for name in ("value", "low", "high")}
    numbers |= {"se": unit.span(row["se"]), "tied": bool(row["tied"])}
    return numbers | {"problems": row["samples"], "records": row["epochs"]}


def _keys(cells: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The numbers of cells that have a value, as they can be compared."""
    keys = []
    for cell in cells:
        if cell["value"] is not None:
            keys.append([str(cell[name]) for name in NUMBERS])
    return sorted(keys)


def cells_of(spec: Spec) -> Iterator[Cell]:
    """The cells that a spec draws, with their values, intervals and marks."""
    for name, rows in sorted(spec.get("datasets", {}).items()):
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and "value" in row:
                yield {"data": name} | row


def _other_versions(versions: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Libraries that draw and have another version here than in a record."""
    for name, recorded in versions.items():
        try:
            here = version(name)
        except PackageNotFoundError:
            here = "not installed"
        if here != recorded:
            yield name, here


def _lost(path: Path, data: bytes) -> str:
    """Why nothing can be drawn again, with the ids that are printed in a file."""
    ids = list(dict.fromkeys(PRINTED_ID.findall(_text(path, data))))
    why = "it holds no spec: it was made by a version without, or a program has dropped it"
    if ids:
        why += f"; printed in it: {', '.join(f'heatproof {name}' for name in ids)}"
    return why


def _text(path: Path, data: bytes) -> str:
    if not data.startswith(b"%PDF"):
        return data.decode("utf-8", "replace")
    try:
        import pypdf
    except ImportError:
        return ""
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def write(figures: Sequence[Rebuilt], folder: Path) -> list[Path]:
    """Write the files of figures into a folder; where they are."""
    written = []
    for figure in figures:
        name = re.sub(r"[^\w.-]+", "_", figure.figure).lstrip(".") or "figure"
        for form, data in figure.files.items():
            path = folder / f"{name}.{form}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            written.append(path)
    return written
