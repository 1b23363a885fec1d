"""PDF, a page of the figure's size; the record is an attached file and stands in the XMP."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from heatproof.util import canonical

if TYPE_CHECKING:
    from pikepdf import Pdf

    from heatproof.export.drawing import Drawing

ATTACHMENT = "heatproof.json"
_XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:heatproof="https://heatproof.invalid/ns#">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{description}</rdf:li></rdf:Alt>\
</dc:description>
<heatproof:record>{record}</heatproof:record>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>"""


def write(drawing: Drawing) -> bytes:
    """The drawing as a PDF with title, language and record; same drawing, same bytes."""
    from pikepdf import Pdf
    from vl_convert import svg_to_pdf

    # The renderer lists resources in random order. The first save sorts the names, the second
    # numbers the objects by them.
    sorted_names = _saved(Pdf.open(io.BytesIO(svg_to_pdf(drawing.svg))), compact=False)
    pdf = Pdf.open(io.BytesIO(sorted_names))
    _describe(pdf, drawing)
    return _saved(pdf, compact=True)


def _saved(pdf: Pdf, compact: bool) -> bytes:
    from pikepdf import ObjectStreamMode

    file = io.BytesIO()
    streams = ObjectStreamMode.generate if compact else ObjectStreamMode.disable
    pdf.save(file, deterministic_id=True, object_stream_mode=streams)
    return file.getvalue()


def _describe(pdf: Pdf, drawing: Drawing) -> None:
    from pikepdf import AttachedFileSpec, Dictionary, Name

    record = canonical.text(drawing.record)
    packet = _XMP.format(
        title=escape(drawing.title), description=escape(drawing.description), record=record
    )
    pdf.Root.Metadata = pdf.make_stream(packet.encode(), Type=Name.Metadata, Subtype=Name.XML)
    pdf.Root.Lang = "en"
    pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
    pdf.docinfo[Name.Title] = drawing.title
    pdf.attachments[ATTACHMENT] = AttachedFileSpec(
        pdf,
        record.encode(),
        description="provenance record",
        filename=ATTACHMENT,
        mime_type="application/json",
        creation_date="",
        mod_date="",
    )


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record of a PDF."""
    if not data.startswith(b"%PDF"):
        return None
    from pikepdf import Pdf

    with Pdf.open(io.BytesIO(data)) as pdf:
        if ATTACHMENT not in pdf.attachments:
            return None
        return dict(json.loads(pdf.attachments[ATTACHMENT].get_file().read_bytes()))
