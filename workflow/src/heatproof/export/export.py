"""From the spec of a figure to its files, and back to the record that each of them holds.

Altair and polars are not needed for it.
"""

from __future__ import annotations

import io
import json
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.export import pdf, svg
from heatproof.export.drawing import Drawing, draw
from heatproof.util import canonical
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jinja2 import Environment

PPI = 300  # pixels per inch of a PNG
KEYWORD = "heatproof"  # of the chunk of a PNG that holds the record
LEVEL = 6  # of zlib: 9 takes three times as long, for 1 to 4 % in size
TEMPLATES = Path(__file__).parent / "templates"
_RECORD = re.compile(
    rb'<script type="application/json" id="heatproof">(.*?)</script>|'
    rb'<metadata\s[^>]*?id="heatproof(?:-[0-9a-f]+)?"[^>]*>(.*?)</metadata>', re.DOTALL
)  # fmt: skip
_ASCII = "".join(map(chr, range(32, 127)))  # what words outside the drawing are made of


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
    """Fill a template of the folder `templates`; text is escaped where it does not say `safe`."""
    return _environment().get_template(template).render(**values)


def html(drawing: Drawing) -> bytes:
    """A page that shows the drawing at once and makes it interactive where scripts may run."""
    faces = {name: _ASCII + text for name, text in {"Regular": "", **drawing.texts}.items()}
    text = fill(
        "figure.html.j2",
        title=drawing.title,
        description=drawing.description,
        caption=drawing.entry.get("caption") or "",
        width=drawing.size[0],
        font_faces=svg.font_faces(faces),
        svg=drawing.public,
        record=canonical.text(drawing.record),
        spec=canonical.text(drawing.spec),
        library=drawing.library or library(),
    )
    return text.encode()


def png(drawing: Drawing) -> bytes:
    """The drawing in pixels, 300 of them to an inch of 72 pt; the record is a text chunk.

    A fifth of our renderer's in size: without an alpha channel where nothing shines through, and
    with a palette where it suffices.
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
            same = palette.convert("RGB").tobytes() == pixels.tobytes()
            pixels = palette if same else pixels
    text, file = PngInfo(), io.BytesIO()
    text.add(b"tEXt", f"{KEYWORD}\0{canonical.text(drawing.record)}".encode())
    pixels.save(file, "PNG", pnginfo=text, dpi=(PPI, PPI), compress_level=LEVEL)
    return file.getvalue()


WRITERS: dict[str, Callable[[Drawing], bytes]] = {
    "svg": svg.write, "pdf": pdf.write, "png": png, "html": html,
    "svg-outlined": svg.write_outlined,
}  # fmt: skip


def render(spec: dict[str, Any], formats: Sequence[str], library: str = "") -> dict[str, bytes]:
    """Draw a Vega-Lite spec once and write it in each format: format → bytes of the file.

    The bytes depend on the spec and the versions of the tools alone. `library` is what the function
    of that name makes; with it, a page costs 2 s less.

    Raises:
        Error: a format is unknown, or the typeface cannot draw the figure.
    """
    for name in formats:
        if name not in WRITERS:
            raise Error(f"formats: {name!r} is not a file format; {choices(name, WRITERS)}")
    drawing = draw(spec, library)
    return {name: WRITERS[name](drawing) for name in dict.fromkeys(formats)}


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record inside a figure's file of any format; None if there is none.

    Of a PDF that is one figure; for those in a paper see `provenance.identify.in_pdf`.
    """
    text: Any = None
    if data.startswith(b"%PDF"):
        text = pdf.attachment(data)
    elif data.startswith(b"\x89PNG"):
        from PIL import Image

        with suppress(OSError, SyntaxError), Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            if KEYWORD not in image.info:
                image.load()  # chunks that stand behind the pixels, where optimisers put them
            text = image.info.get(KEYWORD)
    elif match := _RECORD.search(data):
        text = match[1] or match[2]
    return dict(json.loads(text)) if text else None
