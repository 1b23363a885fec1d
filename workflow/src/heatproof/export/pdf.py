"""PDF, a page of the figure's size, tagged as one figure with its description.

The record is an attached file, as viewers show it. That is lost where a page is included in another
document. So it is carried by the page, too, by `/Properties`: a resource, which every program
copies that includes pages (pdfTeX, LuaTeX, XeTeX, dvipdfmx, Typst; ISO 32000-1, 14.6).
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from heatproof.util import canonical

if TYPE_CHECKING:
    from pikepdf import Object, Pdf

    from heatproof.export.drawing import Drawing

VERSION = "1.5"  # the newest that pdfTeX includes without a warning
TYPE = "/heatproof"
"""What a stream calls itself that holds a record, and the property that names it."""
ATTACHMENT = "heatproof.json"


def write(drawing: Drawing) -> bytes:
    """The drawing as a tagged PDF with title, language and record; same drawing, same bytes."""
    from pikepdf import Pdf
    from vl_convert import svg_to_pdf

    # The renderer lists resources in random order. The first save sorts the names, the second
    # numbers the objects by them.
    sorted_names = _saved(Pdf.open(io.BytesIO(svg_to_pdf(drawing.svg))), compact=False)
    pdf = Pdf.open(io.BytesIO(sorted_names))
    _simplify(pdf)
    _describe(pdf, drawing)
    _tag(pdf, drawing)
    _carry(pdf, canonical.text(drawing.record))
    return _saved(pdf, compact=True)


def _saved(pdf: Pdf, compact: bool) -> bytes:
    from pikepdf import ObjectStreamMode

    file = io.BytesIO()
    streams = ObjectStreamMode.generate if compact else ObjectStreamMode.disable
    pdf.save(file, deterministic_id=True, object_stream_mode=streams, force_version=VERSION)
    return file.getvalue()


def _simplify(pdf: Pdf) -> None:
    """Take out the page's transparency group, of which pdfTeX warns, and repeated states.

    Nothing lies below the white ground of a figure: without the group, no pixel changes.
    """
    from pikepdf import Name

    page = pdf.pages[0].obj
    if Name.Group in page:
        del page[Name.Group]
    states: Any = page.Resources.get(Name.ExtGState, {})
    first: dict[bytes, Object] = {}
    for name in sorted(states.keys()):
        content = states[name].unparse(resolved=True)
        states[name] = first.setdefault(content, states[name])


def _describe(pdf: Pdf, drawing: Drawing) -> None:
    from pikepdf import AttachedFileSpec, Dictionary, Name

    record = canonical.text(drawing.record)
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as packet:
        packet["dc:format"] = "application/pdf"
        packet["dc:title"], packet["dc:description"] = drawing.title, drawing.description
    pdf.Root.Lang = "en"
    pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
    pdf.docinfo[Name.Title] = drawing.title
    pdf.attachments[ATTACHMENT] = AttachedFileSpec(
        pdf, record.encode(), description="provenance record", filename=ATTACHMENT,
        mime_type="application/json", creation_date="", mod_date="",
    )  # fmt: skip


def _tag(pdf: Pdf, drawing: Drawing) -> None:
    """Structure for those who do not see (ISO 32000-1, 14.7 and 14.8): a document with a figure."""
    from pikepdf import Array, Dictionary, Name, String

    page = pdf.pages[0].obj
    place = Dictionary(O=Name.Layout, Placement=Name.Block, BBox=page.MediaBox)
    root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    document = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))
    figure = Dictionary(Type=Name.StructElem, S=Name.Figure, P=document, Pg=page, K=0, A=place)
    figure.Alt = String(drawing.description or drawing.title)
    document.K = pdf.make_indirect(figure)
    root.K = document
    root.ParentTree = Dictionary(Nums=Array([0, Array([document.K])]))
    root.ParentTreeNextKey = 1
    page.StructParents = 0
    page.Tabs = Name.S
    pdf.Root.StructTreeRoot = root
    pdf.Root.MarkInfo = Dictionary(Marked=True)
    _put_around(pdf, b"/Figure <</MCID 0>> BDC\n", b"\nEMC\n")


def _carry(pdf: Pdf, record: str) -> None:
    """Let the page itself hold the record."""
    from pikepdf import Dictionary, Name

    page = pdf.pages[0].obj
    stream = pdf.make_stream(record.encode(), Type=Name(TYPE))
    page.Resources.Properties = Dictionary()
    page.Resources.Properties[TYPE] = Dictionary(Type=Name(TYPE), Record=stream)
    _put_around(pdf, f"{TYPE} {TYPE} DP\n".encode(), b"")


def _put_around(pdf: Pdf, before: bytes, after: bytes) -> None:
    content = pdf.pages[0].Contents
    content.write(before + content.read_bytes() + after)


def attachment(data: bytes) -> bytes | None:
    """The record that is attached to a PDF."""
    from pikepdf import Pdf

    with Pdf.open(io.BytesIO(data)) as pdf:
        if ATTACHMENT in pdf.attachments:
            return pdf.attachments[ATTACHMENT].get_file().read_bytes()
    return None
