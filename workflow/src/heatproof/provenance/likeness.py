"""Whether a file that was handed in shows what was drawn: a record may stay where pixels change."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.export import png
from heatproof.provenance import artefacts, identify, manifest, pixels
from heatproof.provenance import made as noted
from heatproof.util import hashed, regular
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.provenance.identify import Found

OTHER = "{} does not show what was drawn as {} (heatproof {}): {}"


def differing(given: str, found: Found, root: Path) -> list[str]:
    """Why a file does not show the figure that it is known as, in words; nothing if it does.

    `given` may be the name or id of a figure: then there is nothing to compare.
    """
    if not Path(given).is_file():
        return []
    path, data = Path(given), regular.read(Path(given))
    own = identify.of_spec(found.figure, root)
    name = own.get("id", "?")
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
    return "html" if re.search(rb"<html[\s>]", data[:1000], re.IGNORECASE) else "svg"


def _wrong(data: bytes, form: str, figure: str, root: Path) -> str:
    """What is other than it was made, in words; empty where nothing is."""
    place = {"parquet": paths.grid(figure), "json": paths.spec(figure)}.get(
        form, paths.picture(figure, form)
    )
    made = _made(figure, root)
    if hashlib.sha256(data).hexdigest() == made.get(place):
        return ""
    if form == "png":
        return _of_png(data, _seen(figure, made, root))
    original = _original(figure, form, place, made.get(place), root)
    if form == "svg":
        return _of_svg(data, original, _seen(figure, made, root))
    if form == "pdf":
        return "" if _page(data) == _page(original) else "its page is another"
    if form == "json" and json.loads(data) == json.loads(original):
        return ""
    return "its bytes are others"


def _made(figure: str, root: Path) -> dict[str, str]:
    """Path → SHA-256 of what was made of a figure; where a part was built, as its jobs noted."""
    if regular.other(root / artefacts.MANIFEST) != regular.ABSENT:
        return manifest.read(root).files
    outputs = [artefacts.PICTURES, paths.spec(figure), paths.grid(figure)]
    outputs += [paths.picture(figure, form) for form in FORMATS]
    found = dict[str, str]()
    for one in filter(None, (noted.receipt(output, root) for output in outputs)):
        found |= one.files
    return found


def _seen(figure: str, made: dict[str, str], root: Path) -> set[str]:
    """The digest of a figure's pixels, by a file that is as it was made; else of the spec drawn."""
    if hashed.of_place(root / artefacts.PICTURES) == made.get(artefacts.PICTURES):
        return {seen.pixels for seen in identify.known(root) if seen.figure == figure}
    return pixels.possible(_drawn(figure, "svg", root))


def _original(figure: str, form: str, place: str, digest: str | None, root: Path) -> bytes:
    """The file as it was made: that of the results, or, where that is another, drawn again."""
    if hashed.of_place(root / place) == digest:
        return (root / place).read_bytes()
    if form in ("json", "parquet"):
        return b"{}"  # nothing else tells: told as changed
    return _drawn(figure, form, root)


def _drawn(figure: str, form: str, root: Path) -> bytes:
    from heatproof.export import export

    spec = json.loads(regular.read(root / paths.spec(figure)))
    return export.render(spec, [form])[form]


def _of_png(data: bytes, seen: set[str]) -> str:
    """The same pixels, however they are packed, and no others after them."""
    if any(kind == b"acTL" for kind, _ in png.chunks(data)):
        return "it is animated"
    return "" if pixels.of_png(data) in seen else "its pixels are others"


def _of_svg(data: bytes, original: bytes, seen: set[str]) -> str:
    """The same elements and styles, and the same pixels: an editor may have saved it anew."""
    try:
        drawn = pixels.possible(data)
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


def _page(data: bytes) -> str:
    """A digest of what the pages of a PDF show, however it is packed."""
    from pikepdf import Pdf

    with Pdf.open(io.BytesIO(data)) as pdf:
        shown = [_plain(page.obj, frozenset({"/Parent"})) for page in pdf.pages]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def _plain(value: Any, without: frozenset[str] = frozenset(), depth: int = 0) -> Any:
    """An object of a PDF as plain values, streams unpacked; `without` entries of these names."""
    from pikepdf import Array, Dictionary, Stream

    if depth > 50:
        raise Error("a PDF whose objects lead back to themselves")
    if isinstance(value, Array):
        return [_plain(one, without, depth + 1) for one in value]
    if isinstance(value, Stream):
        packing = without | {"/Length", "/Filter", "/DecodeParms"}
        told = {k: _plain(v, without, depth + 1) for k, v in value.items() if k not in packing}
        return [told, hashlib.sha256(value.read_bytes()).hexdigest()]
    if isinstance(value, Dictionary):
        return {k: _plain(v, without, depth + 1) for k, v in value.items() if k not in without}
    return str(value)
