"""From the spec of a figure to its files, and from a file back to its provenance record."""

from __future__ import annotations

import io
import json
import re
from base64 import b64encode
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from heatproof.charts import typefaces
from heatproof.export import packed
from heatproof.export.drawing import Drawing, draw, lines
from heatproof.util import canonical
from heatproof.util.errors import Error, not_one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jinja2 import Environment
    from pikepdf import Pdf

    from heatproof.export.drawing import Record, Spec

PPI = 300  # pixels per inch of a PNG
KEYWORD = "heatproof"  # of the chunk of a PNG that holds the record
LEVEL = 6  # of zlib: 9 takes three times as long, for 1 to 4 % in size
TEMPLATES = Path(__file__).parent / "templates"
VERSION = "1.5"  # of a PDF: the newest that pdfTeX includes without a warning
TYPE = "/heatproof"  # what a stream of a PDF calls itself that holds a record, and its property
ATTACHMENT = "heatproof.json"
PX = 96 / 72  # CSS pixels, which are a number without a unit, to a pt
_ID = re.compile(r'(?<= id=")\w+(?=")|(?<="url\(#)\w+(?=\)")')
_TEXT = re.compile(r"<text\b[^>]*(?:(?<=/)>|>.*?</text>)", re.DOTALL)
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # share of a line before its anchor
_PLACED = ("x", "y", "text-anchor", "transform")  # attributes that paths of a text contain
_RECORD = re.compile(
    rb'<script type="application/json" id="heatproof">(.*?)</script>|'
    rb'<metadata\s[^>]*?id="heatproof(?:-[0-9a-f]+)?"[^>]*>(.*?)</metadata>', re.DOTALL
)  # fmt: skip
_ASCII = "".join(map(chr, range(32, 127)))  # what words outside the drawing are made of


# ----------------------------------------------------------------------------------------- svg


def svg(drawing: Drawing) -> bytes:
    """The drawing as a document of its own, with title, description and record.

    Text is paths, so it looks alike in every program. It is kerned; its words stay as labels of
    groups.
    """
    return _document(drawing, _TEXT.sub(_outlined, drawing.svg), "")


def svg_text(drawing: Drawing) -> bytes:
    """The same with text as text, for those who edit it.

    Each line has its width. So programs that read no embedded typeface (Inkscape, resvg) set their
    own in the same room.
    """
    body = _TEXT.sub(_measured, drawing.svg)
    style = f"<style>{font_faces(drawing.texts)}</style>"
    return _document(drawing, drawing.public(body), style)


def _document(drawing: Drawing, body: str, style: str) -> bytes:
    """Its size has no unit, which some programs refuse. Its ids hold the figure's id, so that
    several figures may stand in one page.
    """
    figure_id = drawing.record.get("id")
    name = f"heatproof-{figure_id}" if figure_id else "heatproof"
    head = (
        f'<title id="{name}-title">{escape(drawing.title)}</title>'
        f'<desc id="{name}-description">{escape(drawing.description)}</desc>'
        f'<metadata id="{name}">{canonical.text(drawing.record)}</metadata>'
        f'<metadata id="{name}-spec">{packed.as_text(drawing.packed)}</metadata>'
        f"{style}"
    )
    root, body = body.split(">", 1)
    for side, length in zip(("width", "height"), drawing.size, strict=True):
        pixels = round(length * PX, 4)
        root = re.sub(rf'(?<= {side}=")[^"]*', f"{pixels:.10g}", root)
    if figure_id:
        body = _ID.sub(rf"\g<0>-{figure_id}", body)
    names = f'role="img" aria-labelledby="{name}-title" aria-describedby="{name}-description"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root} {names}>{head}{body}\n'.encode()


def font_faces(texts: dict[str, str]) -> str:
    """CSS with the glyphs of `texts`: face → characters."""
    return "".join(_font_face(face, text) for face, text in texts.items())


def _font_face(face: str, text: str, family: str = "") -> str:
    """The rule of a face; under the name of another family, for the characters that it lacks."""
    typeface = typefaces.typeface_of(face)
    style = face.removeprefix(typeface.prefix)
    weight, italic = typefaces.FACES[style]
    data = b64encode(typefaces.subset(text, face)).decode()
    only = ""
    if family:
        only = f";unicode-range:{','.join(f'U+{ord(sign):X}' for sign in text)}"
    return (
        f'@font-face{{font-family:"{family or typeface.family}";font-weight:{weight};'
        f"font-style:{'italic' if italic else 'normal'};"
        f'src:url("data:font/ttf;base64,{data}") format("truetype"){only}}}'
    )


def _completed_family(drawing: Drawing) -> str:
    """CSS for a page's script, which sets texts in one family: what it lacks is added to it."""
    typeface = typefaces.of_record(drawing.record)
    regular = f"{typeface.prefix}Regular"
    rules = ""
    for face, text in drawing.texts.items():
        if typefaces.typeface_of(face) is typefaces.EASTERN:
            lacking = "".join(typefaces.missing(text, regular))
            rules += _font_face(face, lacking, typeface.family)
    return rules


def _measured(text: re.Match[str]) -> str:
    node = ElementTree.fromstring(text[0])  # noqa: S314 - it comes from our own renderer
    for line in _set_lines(node):
        line.node.set("textLength", _number(line.length))
        line.node.set("lengthAdjust", "spacingAndGlyphs")
    return ElementTree.tostring(node, encoding="unicode")


def _outlined(text: re.Match[str]) -> str:
    node = ElementTree.fromstring(text[0])  # noqa: S314 - it comes from our own renderer
    kept = {k: v for k, v in node.items() if k not in _PLACED and not k.startswith("font-")}
    before = _BEFORE[node.get("text-anchor") or "start"]
    labels = []
    paths = []
    for line in _set_lines(node):
        labels.append(" ".join(line.words.split()))
        start = line.x - before * line.length
        moved = f"{node.get('transform', '')}translate({_number(start)},{_number(line.y)})"
        scaled = f"scale({_number(line.scale)},{_number(-line.scale)})"
        paths.append(f'<path transform="{moved}{scaled}" d="{line.outline}"/>')
    kept["aria-label"] = " ".join(labels)
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in kept.items())
    return f"<g{attributes}>{''.join(paths)}</g>"


class _Line(NamedTuple):
    """A line of text, laid out."""

    node: ElementTree.Element
    words: str
    x: float  # of its anchor
    y: float
    outline: str
    width: int  # in units of its face
    scale: float  # pt of such a unit

    @property
    def length(self) -> float:
        """Its width in pt."""
        return self.width * self.scale


def _set_lines(node: ElementTree.Element) -> Iterator[_Line]:
    size = float(node.get("font-size", "0").removesuffix("px"))
    x, y = 0.0, 0.0
    for line, face, _ in lines(node):  # the first is the node itself
        x = float(line.get("x", x))
        y = float(line.get("y", y)) + float(line.get("dy", 0))
        # In SVG, white space is one space.
        words = re.sub("[ \t\n]+", " ", line.text or "")
        words = words.strip(" ")
        if words:
            scale = size / typefaces.font(face).face.upem
            yield _Line(line, words, x, y, *_outline(words, face), scale)


@cache
def _outline(text: str, face: str) -> tuple[str, int]:
    """The path of a line, from its left end on the baseline, y upwards; and its width."""
    import uharfbuzz

    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "ltr"
    buffer.language = "en"  # the default is the machine's
    font = typefaces.font(face)
    uharfbuzz.shape(font, buffer)
    right = 0
    left = 0
    up = 0
    path = list[str]()

    def draw(command: str, *places: Any) -> None:
        numbers = places[:-1]  # the last are data of the caller, who has none
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        path.append(command + " ".join(f"{left + x:.10g} {up + y:.10g}" for x, y in pairs))

    pen = uharfbuzz.DrawFuncs()
    pen.set_move_to_func(partial(draw, "M"))
    pen.set_line_to_func(partial(draw, "L"))
    pen.set_quadratic_to_func(partial(draw, "Q"))
    pen.set_cubic_to_func(partial(draw, "C"))
    pen.set_close_path_func(partial(draw, "Z"))
    for glyph, place in zip(buffer.glyph_infos, buffer.glyph_positions or (), strict=True):
        left = right + place.x_offset
        up = place.y_offset
        font.draw_glyph(glyph.codepoint, pen)
        right += place.x_advance
    return "".join(path), right


def _number(value: float) -> str:
    return f"{round(value, 6) or 0:.10g}"


# -------------------------------------------------------------------------------------- others


def pdf(drawing: Drawing) -> bytes:
    """A page of the figure's size, tagged as one figure, with title and language.

    The record is an attached file, which viewers show. Programs that include pages lose it, but
    copy the resources of a page (pdfTeX, LuaTeX, XeTeX, dvipdfmx, Typst). So the record is among
    them, too, under `/Properties` (ISO 32000-1, 14.6).
    """
    from pikepdf import AttachedFileSpec, Dictionary, Name, Pdf
    from vl_convert import svg_to_pdf

    # The renderer lists resources in random order. The first save sorts the names, the second
    # numbers the objects by them.
    drawn = Pdf.open(io.BytesIO(svg_to_pdf(drawing.svg)))
    pdf = Pdf.open(io.BytesIO(_saved(drawn, "disable")))
    page = pdf.pages[0].obj
    record = canonical.text(drawing.record).encode()
    # pdfTeX warns of a transparency group, which a figure on white does not need. Equal states are
    # one object.
    if Name.Group in page:
        del page[Name.Group]
    states: Any = page.Resources.get(Name.ExtGState, {})
    first: dict[bytes, Any] = {}
    for name in sorted(states.keys()):
        state = states[name]
        states[name] = first.setdefault(state.unparse(resolved=True), state)

    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as packet:
        packet["dc:format"] = "application/pdf"
        packet["dc:title"] = drawing.title
        packet["dc:description"] = drawing.description
    pdf.Root.Lang = "en"
    pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
    pdf.docinfo[Name.Title] = drawing.title
    pdf.attachments[ATTACHMENT] = AttachedFileSpec(
        pdf, record, description="provenance record", filename=ATTACHMENT,
        mime_type="application/json", creation_date="", mod_date="",
    )  # fmt: skip
    _tag(pdf, drawing.description or drawing.title)

    stream = pdf.make_stream(record, Type=Name(TYPE))
    spec = pdf.make_stream(drawing.packed)
    properties = Dictionary(Type=Name(TYPE), Record=stream, Spec=spec)
    page.Resources.Properties = Dictionary({TYPE: properties})
    before = f"{TYPE} {TYPE} DP\n/Figure <</MCID 0>> BDC\n".encode()
    page.Contents.write(before + page.Contents.read_bytes() + b"\nEMC\n")
    return _saved(pdf, "generate")


def _tag(pdf: Pdf, words: str) -> None:
    """For screen readers, a document with a figure (ISO 32000-1, 14.7 and 14.8)."""
    from pikepdf import Array, Dictionary, Name, String

    page = pdf.pages[0].obj
    place = Dictionary(O=Name.Layout, Placement=Name.Block, BBox=page.MediaBox)
    root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    document = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))
    figure = Dictionary(Type=Name.StructElem, S=Name.Figure, P=document, Pg=page, K=0, A=place)
    figure.Alt = String(words)
    document.K = pdf.make_indirect(figure)
    root.K = document
    root.ParentTree = Dictionary(Nums=Array([0, Array([document.K])]))
    root.ParentTreeNextKey = 1
    page.StructParents = 0
    page.Tabs = Name.S
    pdf.Root.StructTreeRoot = root
    pdf.Root.MarkInfo = Dictionary(Marked=True)


def _saved(pdf: Pdf, streams: str) -> bytes:
    from pikepdf import ObjectStreamMode

    file = io.BytesIO()
    mode = getattr(ObjectStreamMode, streams)  # older ones are no mapping
    pdf.save(file, deterministic_id=True, object_stream_mode=mode, force_version=VERSION)
    return file.getvalue()


def library() -> str:
    """Vega, Vega-Lite and vega-embed as one script: 0.9 MB, 2 s, the same for all figures."""
    from vl_convert import javascript_bundle

    return javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


def fill(template: str, **values: Any) -> str:
    """Fill a template of the folder `templates`; text is escaped unless it is marked `safe`."""
    return _environment().get_template(template).render(**values)


def html(drawing: Drawing) -> bytes:
    """A page that shows the drawing at once, interactive where scripts may run."""
    faces = {name: _ASCII + text for name, text in {"Regular": "", **drawing.texts}.items()}
    text = fill(
        "figure.html.j2",
        title=drawing.title,
        description=drawing.description,
        caption=drawing.entry.get("caption") or "",
        width=drawing.size[0],
        font_faces=font_faces(faces) + _completed_family(drawing),
        svg=drawing.public(drawing.svg),
        record=canonical.text(drawing.record),
        spec=canonical.text(drawing.spec),
        library=drawing.library or library(),
    )
    return text.encode()


def png(drawing: Drawing) -> bytes:
    """The drawing with 300 pixels an inch of 72 pt; the record is a text chunk.

    Its file has a fifth of the renderer's size: no alpha channel where all is opaque, and a palette
    where 256 colours suffice.
    """
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo
    from vl_convert import svg_to_png

    image = io.BytesIO(svg_to_png(drawing.svg, scale=1, ppi=PPI))
    pixels = Image.open(image, formats=["PNG"]).convert("RGBA")
    if pixels.getchannel("A").getextrema() == (255, 255):
        pixels = pixels.convert("RGB")
        if pixels.getcolors(256):
            palette = pixels.quantize(256)
            if palette.convert("RGB").tobytes() == pixels.tobytes():
                pixels = palette
    text = PngInfo()
    file = io.BytesIO()
    record = canonical.text(drawing.record)
    text.add(b"tEXt", f"{KEYWORD}\0{record}".encode())
    text.add(packed.CHUNK, drawing.packed)
    pixels.save(file, "PNG", pnginfo=text, dpi=(PPI, PPI), compress_level=LEVEL)
    return file.getvalue()


WRITERS: dict[str, Callable[[Drawing], bytes]] = {
    "svg": svg, "pdf": pdf, "png": png, "html": html, "svg-text": svg_text
}  # fmt: skip


def render(spec: Spec, formats: Sequence[str], library: str = "") -> dict[str, bytes]:
    """Draw a Vega-Lite spec: format → bytes of the file.

    The bytes depend on the spec and the versions of the tools alone. With the `library` of the
    function of that name, a page costs 2 s less.

    Raises Error: a format is unknown, or the typeface cannot draw the figure.
    """
    for name in formats:
        if name not in WRITERS:
            raise Error(f"formats: {not_one_of(name, 'file format', WRITERS)}")
    drawing = draw(spec, library)
    return {name: WRITERS[name](drawing) for name in dict.fromkeys(formats)}


def record(data: bytes) -> Record | None:
    """The provenance record in a figure's file of any format; None without one.

    `provenance.identify.in_pdf` finds the figures of a paper.
    """
    text: Any = None
    if data.startswith(b"%PDF"):
        from pikepdf import Pdf

        with Pdf.open(io.BytesIO(data)) as document:
            attached = document.attachments.get(ATTACHMENT)
            if attached is not None:
                text = attached.get_file().read_bytes()
    elif data.startswith(b"\x89PNG"):
        from PIL import Image

        with suppress(OSError, SyntaxError), Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            if KEYWORD not in image.info:
                image.load()  # optimisers put chunks behind the pixels
            text = image.info.get(KEYWORD)
    elif match := _RECORD.search(data):
        text = match[1] or match[2]
    if not text:
        return None
    return dict(json.loads(text))
