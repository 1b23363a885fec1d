"""What the gallery tells of a figure, read off its entry, numbers, spec and drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.spec import omitted
from heatproof.gallery.gallery import FigureCard
from heatproof.kinds.tables import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def card(
    entry: Any,
    table: Mapping[str, Any],
    image: bytes,
    spec: Mapping[str, Any],
    files: Sequence[tuple[str, str]],
    audit: Mapping[str, Any] | None = None,
) -> FigureCard:
    """The card of a figure.

    Args:
        entry: its block of the config, of its kind's `Entry`.
        table: the numbers behind it, see `told.told`.
        image: the figure as SVG or PNG.
        spec: its Vega-Lite spec, for the description and the record.
        files: (label, address) of all that can be had of it.
        audit: what is behind its cells, see `audit.audit`.
    """
    record = spec.get("usermeta", {}).get("heatproof", {})
    return FigureCard(
        name=entry.name,
        kind=entry.kind,
        source=entry.source,
        image=image,
        width=theme.width(entry.width),
        title=entry.title,
        caption=entry.caption,
        alt=str(spec.get("description", "")),
        reconstructed=bool(record.get("reconstructed")),
        omitted=omitted(spec),
        files=files,
        audit=audit or {},
        **{**table, "rows": [Row(**row) for row in table["rows"]]},
    )
