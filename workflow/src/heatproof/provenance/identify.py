"""From a picture to its figure: by the record inside, or by the id printed in it.

Of a paper in which figures stand, to each of them.

A record may stay where pixels change: so it is looked whether the file shows what was drawn.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec
from blake3 import blake3

from heatproof.charts import typefaces
from heatproof.config import paths
from heatproof.export import png, svg
from heatproof.ledger import pieces
from heatproof.provenance import included, printed_ids, provenance
from heatproof.util import hashed
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.charts.typefaces import Typeface


class Found(msgspec.Struct):
    """A figure, and how it was found."""

    record: dict[str, Any]
    how: str

    @property
    def figure(self) -> str:
        return str(self.record["figure"])


class Held(msgspec.Struct):
    """A figure that stands in a document, such as a paper."""

    figure: str
    """Empty: known by an id alone, and not to this project."""
    id: str
    pages: list[int]
    record: dict[str, Any] | None = None
    """None: it is lost."""
    looks: set[str] = set()
    """See `heatproof.provenance.included`."""

    @property
    def where(self) -> str:
        """The pages, in words."""
        if not self.pages:
            return "in no page"
        pages = ", ".join(map(str, self.pages))
        return f"page {pages}" if len(self.pages) == 1 else f"pages {pages}"


def find(given: str, root: Path) -> Found:
    """The figure of a file, or the one of that name or id; `root` is the project's folder.

    Raises:
        Error: nothing leads to a figure of this project, or the file is a paper with several.
    """
    path = Path(given)
    if not path.is_file():
        return _named(given, root)
    data = path.read_bytes()
    record = inside(data)
    if record and provenance.is_one(record):
        return Found(record, f"by the record in {path.name}")
    if several := [one for one in held(given, root) if one.figure]:
        return _only(several, path.name, root)
    ids = {match.decode() for match in re.findall(rb"heatproof ([0-9a-f]{8})", data)}
    for figure, name in known(root).items():
        if name in ids:
            how = f"by the id printed in it: {path.name} holds no record"
            return Found(of_spec(figure, root), how)
    raise Error(
        f"{given} holds no record of this project; give the id printed in its lower right corner "
        "instead of the file"
    )


def held(given: str, root: Path) -> list[Held]:
    """The figures in a document that is not itself the file of a figure, in the order of pages.

    By the records that it kept; where a program dropped them, by the ids that it prints.
    """
    data = Path(given).read_bytes() if Path(given).is_file() else b""
    if not data.startswith(b"%PDF") or inside(data) is not None:
        return []
    found = [
        Held(one.record["figure"], one.record.get("id", ""), one.pages, one.record, one.looks)
        for one in included.figures(data)
        if provenance.is_one(one.record)
    ]
    names = {name: figure for figure, name in known(root).items()}
    for name, pages in printed_ids.ids(data).items():
        if name not in {one.id for one in found}:
            found.append(Held(names.get(name, ""), name, pages))
    return sorted(found, key=lambda one: (not one.pages, one.pages))


def _only(several: list[Held], name: str, root: Path) -> Found:
    if len(several) > 1:
        told = ", ".join(f"{one.figure} ({one.where})" for one in several)
        raise Error(f"{name} holds {len(several)} figures, {told}: name the one that you mean")
    (one,) = several
    if one.record:
        return Found(one.record, f"by the record that {name} kept of it, {one.where}")
    return Found(of_spec(one.figure, root), f"by the id printed in {name}, {one.where}")


def standing(one: Held, root: Path) -> str:
    """Why a document does not show a figure as it was drawn, in words; empty if it does."""
    if not one.figure:
        return "no figure of this project has this id"
    try:
        own = of_spec(one.figure, root)
    except Error:
        return "it is no figure of this project"
    if one.record is None:
        return "it is known by the id printed in it alone: what it shows is not compared"
    if one.id != own.get("id"):
        return f"it is of another build (now heatproof {own.get('id')}): it is not compared"
    if one.record != own:
        return "the record in it was changed"
    place = paths.picture(one.figure, "pdf")
    (drawn,) = included.figures(_original(one.figure, "pdf", place, root))
    return "" if one.looks == drawn.looks else "what it shows is not what was drawn"


def inside(data: bytes) -> dict[str, Any] | None:
    """The record in a figure's file, spec or grid; None where there is none that can be read."""
    try:
        if data[:1] == b"{":
            return dict(json.loads(data)["usermeta"]["heatproof"])
        if data[:4] == b"PAR1":
            return _footer(data)
        return _held(data)
    except Exception:  # noqa: BLE001 - whatever is broken, there are other ways
        return None


def _held(data: bytes) -> dict[str, Any] | None:
    from heatproof.export import export  # each start of a run asks specs alone

    return export.record(data)


def _footer(data: bytes) -> dict[str, Any] | None:

    from heatproof.samples import tables
    from heatproof.util.lazy import polars as pl

    found = json.loads(pl.read_parquet_metadata(io.BytesIO(data)).get(tables.RECORD, "{}"))
    return dict(found) or None


def known(root: Path) -> dict[str, str]:
    """Figure → its id, of all that are drawn."""
    found = {}
    for path in sorted((root / paths.spec("*")).parent.glob("*.vl.json")):
        if record := inside(hashed.read(path)):
            found[str(record["figure"])] = str(record["id"])
    return found


def of_spec(figure: str, root: Path) -> dict[str, Any]:
    """The record of a figure, from its spec."""
    path = root / paths.spec(figure)
    record = inside(path.read_bytes()) if path.is_file() else None
    if not record:
        raise Error(f"{paths.spec(figure)} is not there or holds no record: run snakemake")
    return record


def _named(given: str, root: Path) -> Found:
    figures = known(root)
    for figure, name in figures.items():
        if given in (figure, name):
            return Found(of_spec(figure, root), f"by its {'id' if given == name else 'name'}")
    names = [word for pair in figures.items() for word in pair]
    those = choices(given, names) if names else "no figure is drawn yet: run snakemake"
    raise Error(f"{given!r} is no file, no figure that is drawn and no figure's id; {those}")


OTHER = "{} does not show what was drawn as {} (heatproof {}): {}"


def differing(given: str, found: Found, root: Path) -> list[str]:
    """Why a file does not show the figure that it is known as, in words; nothing if it does.

    `given` may be the name or id of a figure: then there is nothing to compare.
    """
    if not Path(given).is_file():
        return []
    path, data = Path(given), hashed.read(Path(given))
    own = of_spec(found.figure, root)
    name = own.get("id", "?")
    if several := [one for one in held(given, root) if one.figure == found.figure]:
        said = filter(None, (standing(one, root) for one in several))
        return [OTHER.format(path.name, found.figure, name, why) for why in said]
    if found.how.startswith("by the id"):
        why = "it is known by the id printed in it alone"
        return [OTHER.format(path.name, found.figure, name, why)]
    form = _form(data)
    if form != "parquet" and found.record.get("id") != name:
        other = f"{path.name} is of another build (heatproof {found.record.get('id', '?')}"
        return [f"{other}; now {name}): what it shows is not compared"]
    if form != "parquet" and found.record != own:
        return [OTHER.format(path.name, found.figure, name, "the record in it was changed")]
    try:
        why = _wrong(data, form, found.figure, root)
    except Error:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged picture may fail in any way
        why = f"it cannot be read ({str(error).splitlines()[0]})"
    return [OTHER.format(path.name, found.figure, name, why)] if why else []


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
    """What is other than it was made, in words; empty where nothing is."""
    place = _place(figure, form)
    if blake3(data).hexdigest() == _made(figure, place, root):
        return ""
    original = _original(figure, form, place, root)
    if form == "png":
        if png.is_animated(data):
            return "it is animated"
        return "" if of_png(data) == of_png(original) else "its pixels are others"
    if form in ("svg", "svg-outlined"):
        return _of_svg(data, original)
    if form == "pdf":
        return "" if included.pages(data) == included.pages(original) else "its page is another"
    same = form == "json" and json.loads(data) == json.loads(original)
    return "" if same else "its bytes are others"


def _place(figure: str, form: str) -> str:
    """Where a figure's file lies, by what the bytes of one are."""
    others = {"parquet": paths.grid, "json": paths.spec}
    return others[form](figure) if form in others else paths.picture(figure, form)


def _made(figure: str, place: str, root: Path) -> str:
    """The digest of a figure's file as it was made; empty if the ledger tells of none."""
    jobs = (f"draw {figure}", f"aggregate {figure}")
    ledger = pieces.load(root)
    outputs = (ledger[job].outputs for job in jobs if job in ledger)
    return next((files[place][0] for files in outputs if place in files), "")


def _original(figure: str, form: str, place: str, root: Path) -> bytes:
    """The file as it was made: that of the results, or, where that is another, drawn again."""
    if pieces.contents(root / place)[0] == _made(figure, place, root) != "":
        return (root / place).read_bytes()
    if form in ("json", "parquet"):
        return b"{}"  # nothing else tells: told as changed
    return _drawn_from(figure, form, root)


def _drawn_from(figure: str, form: str, root: Path) -> bytes:
    from heatproof.export import export

    spec = json.loads(hashed.read(root / paths.spec(figure)))
    return export.render(spec, [form])[form]


def _of_svg(data: bytes, original: bytes) -> str:
    """The same elements and styles, and the same pixels: an editor may have saved it anew."""
    try:
        same = of_svg(data) == of_svg(original)
    except ValueError as error:
        return f"it cannot be drawn: {error}"
    if not same:
        return "its pixels are others"
    # What a browser shows and the renderer does not: scripts, foreign objects, other styles.
    added = sorted({*_elements(data)} - {*_elements(original)})
    return f"it holds {', '.join(added)[:60]}, which was not drawn" if added else ""


def _elements(data: bytes) -> Iterator[str]:
    """Names of elements, their handlers of events, and the texts of styles."""
    try:
        tree = ET.fromstring(data)  # noqa: S314 - see above
    except ET.ParseError as error:
        raise Error(f"an SVG that is not XML: {error}") from None
    for one in tree.iter():
        tag = str(one.tag).rpartition("}")[2]
        yield tag
        yield from (name for name in one.attrib if name.lower().startswith("on"))
        if tag == "style":
            yield f"style {(one.text or '').strip()}"


def of_png(data: bytes) -> str:
    """SHA-256 of width, height and pixels of a PNG, however they are packed in the file.

    Filters, palettes and text chunks of whoever saved it last make no difference.

    Raises:
        ValueError: the bytes are no PNG.
    """
    return png.digest(*png.decode(data))


def of_svg(data: bytes, ppi: int = png.PPI) -> str:
    """The same digest of the pixels that an SVG gives, by default as many as our PNG files have.

    Raises:
        ValueError: the bytes are no SVG that can be drawn.
    """
    from vl_convert import svg_to_png

    text = data.decode("utf-8", "replace")
    one = _typeface(data)
    typefaces.register_all(text, one)
    text = _FAMILIES.sub(lambda found: typefaces.with_private(found[0], one), text)
    text = re.sub(r"<svg\b[^>]*>", _in_points, text, count=1)
    return of_png(svg_to_png(text, scale=1, ppi=ppi))


_FAMILIES = re.compile(r"""font-family(="[^"]*"|:"?[^;"}]*)""")
"""Where an SVG names families, as an attribute or in a style."""


def _typeface(data: bytes) -> Typeface:
    """The typeface of an SVG, by the record in it; files are read where they are as it tells."""
    record = svg.record(data) or {}
    try:
        return typefaces.of_record(record) if provenance.is_one(record) else typefaces.SANS
    except Error:
        return typefaces.SANS


_LENGTH = re.compile(r'(?<=\s)(width|height)="([\d.]+)(px|pt)?"')


def _in_points(root: re.Match[str]) -> str:
    """An SVG's first tag, its size in pt and without a unit, as our renderer takes it."""

    def length(found: re.Match[str]) -> str:
        points = float(found[2]) / (1 if found[3] == "pt" else svg.PX)
        return f'{found[1]}="{round(points, 3):.10g}"'

    return _LENGTH.sub(length, root[0])
