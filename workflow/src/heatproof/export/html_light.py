"""HTML without its drawing library, which lies once in `results`: a tenth of the size.

Away from it the page still shows the drawing, but answers to no pointer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.export import html_page

if TYPE_CHECKING:
    from heatproof.export.drawing import Drawing

record = html_page.record


def write(drawing: Drawing) -> bytes:
    """The page of a figure, which names the library of all pages."""
    return html_page.page(drawing, "")
