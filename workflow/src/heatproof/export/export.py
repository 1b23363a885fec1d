"""From the spec of a figure to its files; altair and polars are not needed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.export import html_page, pdf, png, svg
from heatproof.export.drawing import Drawing, draw
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WRITERS: dict[str, Callable[[Drawing], bytes]] = {
    "svg": svg.write,
    "pdf": pdf.write,
    "png": png.write,
    "html": html_page.write,
    "svg-outlined": svg.write_outlined,
}


def render(spec: dict[str, Any], formats: Sequence[str], library: str = "") -> dict[str, bytes]:
    """Draw a Vega-Lite spec once and write it in each format: format → bytes of the file.

    The bytes depend on the spec and the versions of the tools alone. `library` is the JavaScript
    that `html_page.library` makes; with it, a page costs 2 s less.

    Raises:
        Error: a format is unknown, or the typeface cannot draw the figure.
    """
    for name in formats:
        if name not in WRITERS:
            raise Error(f"formats: {name!r} is not a file format; {choices(name, WRITERS)}")
    drawing = draw(spec, library)
    return {name: WRITERS[name](drawing) for name in dict.fromkeys(formats)}


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record inside a figure's file of any format; None if there is none."""
    records = (form.record(data) for form in (svg, pdf, png, html_page))
    return next((record for record in records if record is not None), None)
