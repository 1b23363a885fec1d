"""Font files: what one holds, whether it may be embedded, and copies of it by another name.

Tables and their fields are those of the OpenType specification (`head`, `name`, `OS/2`, `fvar`).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    import uharfbuzz

_SINGLE = (b"\0\1\0\0", b"OTTO", b"true")
_COLLECTION = b"ttcf"
_OTHERS = {
    b"wOFF": "is packed for the web (WOFF); give the .ttf or .otf that it was made from",
    b"wOF2": "is packed for the web (WOFF2); give the .ttf or .otf that it was made from",
    b"%!PS": "is a Type 1 font; give it as .otf",
    b"\x80\x01": "is a Type 1 font; give it as .otf",
    b"vers": "is a pointer of Git LFS, not the file itself; git lfs pull brings it",
}
_NEEDED = ("OS/2", "cmap", "head", "hhea", "hmtx", "maxp", "name")
_OUTLINES = ("glyf", "CFF ")
_FAMILIES = (16, 1, 21)  # of all weights, of four styles, of all widths and weights
_RESTRICTED, _NOT_IN_PARTS, _BITMAPS_ALONE = 0x0002, 0x0100, 0x0200


class FontFile(NamedTuple):
    """One face of a font file."""

    data: bytes
    """A file of this face alone, with the weight that was asked for."""
    families: tuple[str, ...]
    """What its family is called, the name of all its weights first."""
    serif: bool


class Wanted(NamedTuple):
    """What is looked for in a file that holds several faces, or one of any weight."""

    family: str = ""
    weight: int = 400
    italic: bool = False


def read(data: bytes, wanted: Wanted) -> FontFile:
    """A face of a font file.

    Raises:
        Error: it is none that can be drawn and embedded: the end of a sentence about the file.
    """
    first = _face(data, wanted)
    found = _instance(first, wanted) if first.has_var_data else first
    tables = {tag: found.reference_table(tag).data for tag in found.table_tags}
    _require_drawable(tables, found.glyph_count)
    _require_embeddable(tables["OS/2"])
    families = _families(found)
    if wanted.family and wanted.family not in families:
        raise Error(f"is called {_listed(families)}, not {wanted.family!r}")
    alone = data if found is first and data[:4] in _SINGLE else _sfnt(tables)
    return FontFile(alone, families, _is_serif(tables["OS/2"], families))


def _face(data: bytes, wanted: Wanted) -> uharfbuzz.Face:
    """The one face of a file, or of a collection the one that is wanted."""
    import uharfbuzz

    if data[:4] in _SINGLE:
        _require_whole(data, 0)
        return uharfbuzz.Face(uharfbuzz.Blob(data))
    if data[:4] != _COLLECTION:
        what = next((told for head, told in _OTHERS.items() if data.startswith(head)), "")
        raise Error(what or ("is empty" if not data else "is not a font; there are .ttf and .otf"))
    offsets = _offsets(data)
    for offset in offsets:
        _require_whole(data, offset)
    faces = [uharfbuzz.Face(uharfbuzz.Blob(data), number) for number in range(len(offsets))]
    named = [one for one in faces if wanted.family in _families(one)]
    if not named:
        names = dict.fromkeys(name for one in faces for name in _families(one)[:1])
        raise Error(f"holds several families; family: names one of {_listed((*names,))}")
    looks = [one for one in named if _style(one) == (wanted.weight, wanted.italic)]
    found = looks if len(named) > 1 else named
    if len(found) != 1:
        raise Error(f"holds {len(named)} faces of {wanted.family!r}; give one of them as a file")
    return found[0]


def _offsets(data: bytes) -> tuple[int, ...]:
    """Where the faces of a collection begin."""
    try:
        (count,) = struct.unpack_from(">I", data, 8)
        return struct.unpack_from(f">{min(count, len(data))}I", data, 12)
    except struct.error:
        raise Error("is damaged or cut short") from None


def _require_whole(data: bytes, offset: int) -> None:
    """Refuse a file that ends before its tables do."""
    try:
        (count,) = struct.unpack_from(">H", data, offset + 4)
        for n in range(count):
            start, size = struct.unpack_from(">8xII", data, offset + 12 + 16 * n)
            if start + size > len(data):
                raise Error("is damaged or cut short")
    except struct.error:
        raise Error("is damaged or cut short") from None


def _style(face: uharfbuzz.Face) -> tuple[int, bool]:
    table = face.reference_table("OS/2").data
    if len(table) < 64:
        return 0, False
    weight, chosen = struct.unpack_from(">H", table, 4)[0], struct.unpack_from(">H", table, 62)[0]
    return weight, bool(chosen & 0x0201)


def _instance(face: uharfbuzz.Face, wanted: Wanted) -> uharfbuzz.Face:
    """A variable font at the weight that is wanted, all else as it is by default."""
    import uharfbuzz

    axes = {axis.tag: axis for axis in face.axis_infos}
    cut = uharfbuzz.SubsetInput()
    cut.keep_everything()
    cut.pin_all_axes_to_default(face)
    if "wght" in axes:
        axis = axes["wght"]
        cut.pin_axis_location(face, "wght", min(max(wanted.weight, axis.min_value), axis.max_value))
    return uharfbuzz.subset(face, cut)


def _require_drawable(tables: Mapping[str, bytes], glyphs: int) -> None:
    absent = [tag for tag in _NEEDED if not tables.get(tag)]
    if absent or glyphs < 2 or len(tables["OS/2"]) < 64:
        raise Error(f"is not a font that can be drawn: it has no {absent or ['glyphs']}")
    if not any(tables.get(tag) for tag in _OUTLINES):
        raise Error("has no outlines (`glyf` or `CFF`) that can be drawn: give another file of it")


def _require_embeddable(table: bytes) -> None:
    """Heed fsType of `OS/2`; of its first four bits, where several are set, the most liberal."""
    (kind,) = struct.unpack_from(">H", table, 8)
    end = "; figures embed the letters that they use"
    if kind & 0xF == _RESTRICTED:
        raise Error(f"may not be embedded, as it says itself (fsType 0x{kind:04X}){end}")
    if kind & _NOT_IN_PARTS:
        raise Error(f"may be embedded as a whole only, as it says (fsType 0x{kind:04X}){end}")
    if kind & _BITMAPS_ALONE:
        raise Error(f"allows only bitmaps to be embedded (fsType 0x{kind:04X}){end}")


def _families(face: uharfbuzz.Face) -> tuple[str, ...]:
    """The names of its family, in the order of `_FAMILIES` and, of each, of its languages."""
    names = sorted(face.list_names(), key=lambda name: (str(name.language) != "en", str(name)))
    found = [
        face.get_name(name.name_id, name.language)
        for number in _FAMILIES
        for name in names
        if int(name.name_id) == number
    ]
    return tuple(dict.fromkeys(filter(None, found)))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names)) or "nothing"


def _is_serif(table: bytes, families: tuple[str, ...]) -> bool:
    """By PANOSE, else by the class of the family, else by its name."""
    kind, style = table[32], table[33]
    if kind == 2 and style >= 2:
        return bool(style <= 10)
    (group,) = struct.unpack_from(">b", table, 30)
    if group:
        return bool(1 <= group <= 7)
    return not any("sans" in name.lower() for name in families)


def renamed(data: bytes, family: str, weight: int, italic: bool) -> bytes:
    """A face as the one of this weight and slant in a family of another name."""
    import uharfbuzz

    face = uharfbuzz.Face(uharfbuzz.Blob(data))
    tables = {tag: face.reference_table(tag).data for tag in face.table_tags}
    postscript = face.get_name(uharfbuzz.OTNameIdPredefined.POSTSCRIPT_NAME) or family
    style = {(400, False): "Regular", (700, False): "Bold", (400, True): "Italic"}
    named = style.get((weight, italic), "Bold Italic")
    tables["name"] = _names({1: family, 2: named, 4: f"{family} {named}", 6: postscript})
    chosen = (0x40 if named == "Regular" else 0) | (0x20 if weight > 400 else 0) | int(italic)
    os2 = bytearray(tables["OS/2"])
    struct.pack_into(">HH", os2, 4, weight, 5)
    struct.pack_into(">H", os2, 62, chosen)
    tables["OS/2"] = bytes(os2)
    head = bytearray(tables["head"])
    struct.pack_into(">H", head, 44, int(weight > 400) | int(italic) << 1)
    tables["head"] = bytes(head)
    return _sfnt(tables)


def _names(names: Mapping[int, str]) -> bytes:
    """A `name` table: number → text, for Windows, in English."""
    records, texts = b"", b""
    for number in sorted(names):
        text = names[number].encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(text), len(texts))
        texts += text
    return struct.pack(">3H", 0, len(names), 6 + len(records)) + records + texts


def _sfnt(tables: Mapping[str, bytes]) -> bytes:
    """A font file of these tables; their checksums are right, that of the whole is left."""
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    version = b"OTTO" if tables.get("CFF ") else b"\0\1\0\0"
    head = struct.pack(">4H", count, power * 16, power.bit_length() - 1, (count - power) * 16)
    directory, content, at = b"", [], 12 + 16 * count
    for tag in sorted(tables):
        data = tables[tag]
        padded = data + bytes(-len(data) % 4)
        directory += struct.pack(">4s3I", tag.encode(), _checksum(padded), at, len(data))
        content.append(padded)
        at += len(padded)
    return b"".join([version, head, directory, *content])


def _checksum(padded: bytes) -> int:
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
