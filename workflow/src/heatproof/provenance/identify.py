"""From a picture to its figure: by the record inside, or by the id printed in it.

Of a paper in which figures stand, to each of them. A record may stay where pixels change: so it is
looked whether the file shows what was drawn.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import msgspec
from blake3 import blake3

from heatproof import ledger
from heatproof.config import paths
from heatproof.export import png
from heatproof.provenance import papers
from heatproof.provenance import record as records
from heatproof.samples import tables
from heatproof.util import hashed
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl


class Match(msgspec.Struct):
    """A figure, and how it was found."""

    record: dict[str, Any]
    how: str

    @property
    def figure(self) -> str:
        return str(self.record["figure"])


class Included(msgspec.Struct):
    """A figure that stands in a document, such as a paper."""

    figure: str
    """Empty: known by an id alone, and not to this project."""
    id: str
    pages: list[int]
    record: dict[str, Any] | None = None
    """None: it is lost."""
    looks: set[str] = set()
    """See `papers.Included`."""

    @property
    def where(self) -> str:
        """The pages, in words."""
        pages = ", ".join(map(str, self.pages))
        return f"page{'s' * (len(self.pages) > 1)} {pages}" if pages else "in no page"


def find(name: str, root: Path) -> Match:
    """The figure of a file, or the one of that name or id; `root` is the project's folder.

    Raises:
        Error: nothing leads to a figure of this project, or the file is a paper with several.
    """
    path, ids = Path(name), drawn_ids(root)
    if not path.is_file():
        for figure, printed in ids.items():
            if name in (figure, printed):
                return Match(of_spec(figure, root), f"by its {'id' if name == printed else 'name'}")
        words = [word for pair in ids.items() for word in pair]
        there = choices(name, words) if words else "no figure is drawn yet: run snakemake"
        raise Error(f"{name!r} is no file, no figure that is drawn and no figure's id; {there}")
    data = path.read_bytes()
    record = inside(data)
    if record and records.is_record(record):
        return Match(record, f"by the record in {path.name}")
    if several := [entry for entry in figures_in(name, root) if entry.figure]:
        return _single(several, path.name, root)
    printed_ids = {match.decode() for match in re.findall(rb"heatproof ([0-9a-f]{8})", data)}
    for figure, printed in ids.items():
        if printed in printed_ids:
            how = f"by the id printed in it: {path.name} holds no record"
            return Match(of_spec(figure, root), how)
    raise Error(
        f"{name} holds no record of this project; give the id printed in its lower right corner "
        "instead of the file"
    )


def _single(several: list[Included], name: str, root: Path) -> Match:
    if len(several) > 1:
        listed = ", ".join(f"{entry.figure} ({entry.where})" for entry in several)
        raise Error(f"{name} holds {len(several)} figures, {listed}: name the one that you mean")
    (entry,) = several
    if entry.record:
        return Match(entry.record, f"by the record that {name} kept of it, {entry.where}")
    return Match(of_spec(entry.figure, root), f"by the id printed in {name}, {entry.where}")


def figures_in(name: str, root: Path) -> list[Included]:
    """The figures in a document that is not itself the file of a figure, in the order of pages.

    By the records that it kept; where a program dropped them, by the ids that it prints.
    """
    data = Path(name).read_bytes() if Path(name).is_file() else b""
    if not data.startswith(b"%PDF") or inside(data) is not None:
        return []
    entries = [
        Included(figure.record["figure"], figure.record.get("id", ""), figure.pages,
                 figure.record, figure.looks)
        for figure in papers.figures(data)
        if records.is_record(figure.record)
    ]  # fmt: skip
    kept = {entry.id for entry in entries}
    figures = {printed: figure for figure, printed in drawn_ids(root).items()}
    entries += [
        Included(figures.get(printed, ""), printed, pages)
        for printed, pages in papers.ids(data).items()
        if printed not in kept
    ]
    return sorted(entries, key=lambda entry: (not entry.pages, entry.pages))


def standing(entry: Included, root: Path) -> str:
    """Why a document does not show a figure as it was drawn, in words; empty if it does."""
    if not entry.figure:
        return "no figure of this project has this id"
    try:
        own = of_spec(entry.figure, root)
    except Error:
        return "it is no figure of this project"
    if entry.record is None:
        return "it is known by the id printed in it alone: what it shows is not compared"
    if entry.id != own.get("id"):
        return f"it is of another build (now heatproof {own.get('id')}): it is not compared"
    if entry.record != own:
        return "the record in it was changed"
    (drawn,) = papers.figures(_original(entry.figure, "pdf", root))
    return "" if entry.looks == drawn.looks else "what it shows is not what was drawn"


def inside(data: bytes) -> dict[str, Any] | None:
    """The record in a figure's file, spec or grid; None where there is none that can be read."""
    try:
        if data.startswith(b"{"):
            return dict(json.loads(data)["usermeta"]["heatproof"])
        if data.startswith(b"PAR1"):
            footer = pl.read_parquet_metadata(io.BytesIO(data))
            return dict(json.loads(footer[tables.RECORD]))
        from heatproof.export import export  # each start of a run asks specs alone

        return export.record(data)
    except Exception:  # noqa: BLE001 - whatever is broken, there are other ways
        return None


def drawn_ids(root: Path) -> dict[str, str]:
    """Figure → its id, of all that are drawn."""
    ids = {}
    for path in sorted((root / paths.spec("*")).parent.glob("*.vl.json")):
        if record := inside(hashed.read(path)):
            ids[str(record["figure"])] = str(record["id"])
    return ids


def of_spec(figure: str, root: Path) -> dict[str, Any]:
    """The record of a figure, from its spec."""
    path = root / paths.spec(figure)
    record = inside(path.read_bytes()) if path.is_file() else None
    if not record:
        raise Error(f"{paths.spec(figure)} is not there or holds no record: run snakemake")
    return record


def differing(name: str, match: Match, root: Path) -> list[str]:
    """Why a file does not show the figure that it is known as, in words; nothing if it does.

    `name` may be the name or id of a figure: then there is nothing to compare.
    """
    path = Path(name)
    if not path.is_file():
        return []
    data, own = hashed.read(path), of_spec(match.figure, root)
    printed = own.get("id", "?")
    form, reasons = _form(data), list[str]()
    if several := [entry for entry in figures_in(name, root) if entry.figure == match.figure]:
        reasons = [why for entry in several if (why := standing(entry, root))]
    elif match.how.startswith("by the id"):
        reasons = ["it is known by the id printed in it alone"]
    elif form != "parquet" and match.record.get("id") != printed:
        other = f"{path.name} is of another build (heatproof {match.record.get('id', '?')}"
        return [f"{other}; now {printed}): what it shows is not compared"]
    elif form != "parquet" and match.record != own:
        reasons = ["the record in it was changed"]
    else:
        try:
            reasons = [why for why in [_wrong(data, form, match.figure, root)] if why]
        except Error:
            raise
        except Exception as error:  # noqa: BLE001 - a damaged picture may fail in any way
            reasons = [f"it cannot be read ({str(error).splitlines()[0]})"]
    head = f"{path.name} does not show what was drawn as {match.figure} (heatproof {printed})"
    return [f"{head}: {why}" for why in reasons]


def _form(data: bytes) -> str:
    """The format of a file that holds a record, or the pixels of a figure."""
    starts = {b"\x89PNG": "png", b"%PDF": "pdf", b"PAR1": "parquet", b"{": "json"}
    for start, form in starts.items():
        if data.startswith(start):
            return form
    if re.search(rb"<html[\s>]", data[:1000], re.IGNORECASE):
        return "html"
    return "svg" if b"<text" in data or b"<use" not in data else "svg-outlined"


def _wrong(data: bytes, form: str, figure: str, root: Path) -> str:
    """What is other than it was made, in words; empty where nothing is.

    PNG and PDF are packed anew by many programs, so what they show counts.
    """
    if blake3(data).hexdigest() == _digest(figure, form, root):
        return ""
    if form == "png":
        if png.is_animated(data):
            return "it is animated"
        same = png.pixels(data) == png.pixels(_original(figure, form, root))
        return "" if same else "its pixels are others"
    if form == "pdf":
        (own,), drawn = papers.figures(data), papers.figures(_original(figure, form, root))
        return "" if own.looks == drawn[0].looks else "its page is another"
    return "its bytes are others: it was changed, or saved anew"


def _place(figure: str, form: str) -> str:
    """Where a figure's file lies, by what the bytes of one are."""
    others = {"parquet": paths.grid, "json": paths.spec}
    return others[form](figure) if form in others else paths.picture(figure, form)


def _digest(figure: str, form: str, root: Path) -> str:
    """The digest of a figure's file as it was made; empty if the ledger tells of none."""
    pieces, place = ledger.load(root), _place(figure, form)
    jobs = (pieces[job] for job in (f"draw {figure}", f"aggregate {figure}") if job in pieces)
    return next((piece.outputs[place][0] for piece in jobs if place in piece.outputs), "")


def _original(figure: str, form: str, root: Path) -> bytes:
    """The picture as it was made: that of the results, or, where that is another, drawn again."""
    place = root / _place(figure, form)
    if ledger.contents(place)[0] == _digest(figure, form, root) != "":
        return place.read_bytes()
    from heatproof.export import export

    spec = json.loads(hashed.read(root / paths.spec(figure)))
    return export.render(spec, [form])[form]
