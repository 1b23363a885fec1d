"""From a picture to its figure: by the record inside, by its pixels, or by the id printed in it.

Of a paper in which figures stand, to each of them.

A record may stay where pixels change: so it is looked whether the file shows what was drawn.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec

from heatproof.charts import typefaces
from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.export import html_page, in_parts, png, svg
from heatproof.provenance import included, manifest, printed_ids, provenance
from heatproof.provenance import receipts as noted
from heatproof.util import hashed
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.charts.typefaces import Typeface


class Seen(msgspec.Struct):
    """A figure as the manifest of pictures knows it."""

    figure: str
    id: str
    pixels: str
    """See `heatproof.provenance.identify`; the same for PNG and SVG of a figure that has both."""


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
    pixels: bool = False
    """Known by the pixels of an image, which are those of a figure."""

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
    figures = known(root)
    for look, how in ((_pixels, "by its pixels"), (_printed, "by the id printed in it")):
        name = look(data, figures)
        if name:
            return Found(of_spec(name, root), f"{how}: {path.name} holds no record")
    raise Error(
        f"{given} holds no record of this project, its pixels are those of no figure in "
        f"{manifest.PICTURES}; give the id printed in its lower right corner instead of the file"
    )


def held(given: str, root: Path) -> list[Held]:
    """The figures in a document that is not itself the file of a figure, in the order of pages.

    By the records that it kept or the pixels of its images; where a program dropped the records,
    by the ids that it prints.
    """
    data = Path(given).read_bytes() if Path(given).is_file() else b""
    if not data.startswith(b"%PDF") or inside(data) is not None:
        return []
    found = [
        Held(one.record["figure"], one.record.get("id", ""), one.pages, one.record, one.looks)
        for one in included.figures(data)
        if provenance.is_one(one.record)
    ]
    figures, images = known(root), included.images(data)
    found += [
        Held(seen.figure, seen.id, images[seen.pixels], pixels=True)
        for seen in figures
        if seen.pixels in images
    ]
    names = {seen.id: seen.figure for seen in figures}
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
    how = "by the pixels of an image" if one.pixels else "by the id printed"
    return Found(of_spec(one.figure, root), f"{how} in {name}, {one.where}")


def standing(one: Held, root: Path) -> str:
    """Why a document does not show a figure as it was drawn, in words; empty if it does."""
    if not one.figure:
        return "no figure of this project has this id"
    try:
        own = of_spec(one.figure, root)
    except Error:
        return "it is no figure of this project"
    if one.record is None:
        why = "it is known by the id printed in it alone: what it shows is not compared"
        return "" if one.pixels else why
    if one.id != own.get("id"):
        return f"it is of another build (now heatproof {own.get('id')}): it is not compared"
    if one.record != own:
        return "the record in it was changed"
    place = paths.picture(one.figure, "pdf")
    made = _made(one.figure, root).get(place)
    (drawn,) = included.figures(_original(one.figure, "pdf", place, made, root))
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


def known(root: Path) -> list[Seen]:
    """The pictures of the last build, as far as it came; none before the first."""
    try:
        return msgspec.json.decode(hashed.read(root / manifest.PICTURES), type=list[Seen])
    except (OSError, msgspec.DecodeError):
        return [*_drawn(root)]


def _drawn(root: Path) -> Iterator[Seen]:
    """Where a part was built: the figures that were drawn; of their pixels nothing is known."""
    for path in sorted((root / paths.spec("*")).parent.glob("*.vl.json")):
        if record := inside(hashed.read(path)):
            yield Seen(str(record["figure"]), str(record["id"]), "")


def of_spec(figure: str, root: Path) -> dict[str, Any]:
    """The record of a figure, from its spec."""
    path = root / paths.spec(figure)
    record = inside(path.read_bytes()) if path.is_file() else None
    if not record:
        raise Error(f"{paths.spec(figure)} is not there or holds no record: run snakemake")
    return record


def _named(given: str, root: Path) -> Found:
    figures = known(root)
    for seen in figures:
        if given in (seen.figure, seen.id):
            return Found(
                of_spec(seen.figure, root), f"by its {'id' if given == seen.id else 'name'}"
            )
    names = [name for seen in figures for name in (seen.figure, seen.id)]
    those = choices(given, names) if names else "no figure is drawn yet: run snakemake"
    raise Error(f"{given!r} is no file, no figure that is drawn and no figure's id; {those}")


def _pixels(data: bytes, figures: list[Seen]) -> str | None:

    try:
        found = possible(data)
    except Exception:  # noqa: BLE001 - not a picture that can be drawn
        return None
    return next((seen.figure for seen in figures if seen.pixels in found), None)


def _printed(data: bytes, figures: list[Seen]) -> str | None:
    ids = {found.decode() for found in re.findall(rb"heatproof ([0-9a-f]{8})", data)}
    return next((seen.figure for seen in figures if seen.id in ids), None)


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
        why = "it is known by the id printed in it alone, its pixels are others"
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
        return "html-light" if f'src="{html_page.BESIDE}"'.encode() in data else "html"
    return "svg" if b"<text" in data or b"<use" not in data else "svg-outlined"


def _wrong(data: bytes, form: str, figure: str, root: Path) -> str:
    """What is other than it was made, in words; empty where nothing is."""
    place = _place(figure, form)
    made = _made(figure, root)
    if hashlib.sha256(data).hexdigest() == made.get(place):
        return ""
    if form == "png":
        return _of_png(data, _seen(figure, made, root))
    original = _original(figure, form, place, made.get(place), root)
    if form in ("svg", "svg-outlined"):  # of the latter, edges of letters are others by a shade
        seen = _seen(figure, made, root) if form == "svg" else possible(original)
        return _of_svg(data, original, seen)
    if form == "pdf":
        return "" if included.pages(data) == included.pages(original) else "its page is another"
    if form == "json" and json.loads(data) == json.loads(original):
        return ""
    return "its bytes are others"


def _place(figure: str, form: str) -> str:
    """Where a figure's file lies, by what the bytes of one are."""
    others = {"parquet": paths.grid, "json": paths.spec}
    return others[form](figure) if form in others else paths.picture(figure, form)


def _made(figure: str, root: Path) -> dict[str, str]:
    """Path → SHA-256 of what was made of a figure; where a part was built, as its jobs noted."""
    if hashed.other(root / manifest.MANIFEST) != hashed.ABSENT:
        return manifest.read(root).files
    outputs = [manifest.PICTURES, paths.spec(figure), paths.grid(figure)]
    outputs += [paths.picture(figure, form) for form in FORMATS]
    found = dict[str, str]()
    for one in filter(None, (noted.receipt(output, root) for output in outputs)):
        found |= one.files
    return found


def _seen(figure: str, made: dict[str, str], root: Path) -> set[str]:
    """The digest of a figure's pixels, by a file that is as it was made; else of the spec drawn."""
    if hashed.of_place(root / manifest.PICTURES) == made.get(manifest.PICTURES):
        return {seen.pixels for seen in known(root) if seen.figure == figure}
    return possible(_drawn_from(figure, "svg", root))


def _original(figure: str, form: str, place: str, digest: str | None, root: Path) -> bytes:
    """The file as it was made: that of the results, or, where that is another, drawn again."""
    if hashed.of_place(root / place) == digest:
        return (root / place).read_bytes()
    if form in ("json", "parquet"):
        return b"{}"  # nothing else tells: told as changed
    return _drawn_from(figure, form, root)


def _drawn_from(figure: str, form: str, root: Path) -> bytes:
    from heatproof.export import export

    spec = json.loads(hashed.read(root / paths.spec(figure)))
    return export.render(spec, [form])[form]


def _of_png(data: bytes, seen: set[str]) -> str:
    """The same pixels, however they are packed, and no others after them."""
    if any(kind == b"acTL" for kind, _ in png.chunks(data)):
        return "it is animated"
    return "" if of_png(data) in seen else "its pixels are others"


def _of_svg(data: bytes, original: bytes, seen: set[str]) -> str:
    """The same elements and styles, and the same pixels: an editor may have saved it anew."""
    try:
        drawn = possible(data)
    except ValueError as error:
        return f"it cannot be drawn: {error}"
    if not drawn & seen:
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


COARSE = 72
"""Pixels per inch of figures without a PNG: drawn in a third of the time."""


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
    text = in_parts.placed(in_parts.unnamed(text))
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


def possible(data: bytes) -> set[str]:
    """The digests by which a picture may be known: an SVG at both resolutions.

    Raises:
        ValueError: the bytes are no picture that can be drawn.
    """
    if data.startswith(b"\x89PNG"):
        return {of_png(data)}
    return {of_svg(data, ppi) for ppi in (png.PPI, COARSE)}
