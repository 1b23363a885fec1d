"""The spec of a figure as text: sorted keys, the provenance record and the figure's id inside.

One mark above all others answers who points at a part of the figure, or has it read out: a
rectangle that is not seen lies over each cell, so that numbers, frames and dots on a cell are never
in the way, whatever draws the spec.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from heatproof.util import canonical
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager


OMITTED = "omitted"
PANELS = "panels"
PLACES = "places"
BLANK = "0" * 8
MARK = f"heatproof {BLANK}"
"""What is drawn in the corner of a figure; the zeros give way to its id."""


def unchecked() -> AbstractContextManager[None]:
    """Altair's check of each part that a chart is made of, off: it takes a third of the drawing.

    The tests draw with it on.
    """
    from altair.utils.schemapi import debug_mode

    return debug_mode(False)


def with_omitted(chart: alt.TopLevelConcatSpec, lines: list[str]) -> alt.TopLevelConcatSpec:
    """The chart with a note of what it was to show and has no room for; as it is if there is none.

    The last lines of a run and the gallery tell it.
    """
    return _noted(chart, OMITTED, lines)


def with_panels(chart: alt.TopLevelConcatSpec, boxes: list[list[float]]) -> alt.TopLevelConcatSpec:
    """The chart with a note of where its panels lie, if they are no charts of their own.

    `boxes`: left, top, width and height of each in pt, from the corner of the first chart.
    """
    return _noted(chart, PANELS, boxes)


def panels(spec: Mapping[str, Any]) -> list[list[float]]:
    """The boxes of that note."""
    return list(spec.get("usermeta", {}).get(PANELS, []))


def _noted(chart: alt.TopLevelConcatSpec, name: str, what: list[Any]) -> alt.TopLevelConcatSpec:
    if what:
        noted = chart.usermeta if isinstance(chart.usermeta, dict) else {}
        chart.usermeta = {**noted, name: what}
    return chart


def with_places(chart: alt.TopLevelConcatSpec, places: list[list[float]]) -> alt.TopLevelConcatSpec:
    """The chart with a note of where cells lie in a panel, for those that do not fill it evenly.

    `places`: left, top, width and height of each in pt, the same in all panels.
    """
    return _noted(chart, PLACES, places)


def places(spec: Mapping[str, Any]) -> list[list[float]]:
    """The places of that note."""
    return list(spec.get("usermeta", {}).get(PLACES, []))


def omitted(spec: Mapping[str, Any]) -> list[str]:
    """The lines of that note."""
    return list(spec.get("usermeta", {}).get(OMITTED, []))


def text(chart: alt.SchemaBase, record: dict[str, Any]) -> str:
    """The chart as Vega-Lite JSON; data sets keep the names that their content gave them."""
    spec = {"$schema": alt.SCHEMA_URL, **chart.to_dict(validate=False)}
    spec["usermeta"] = {**spec.get("usermeta", {}), "heatproof": record}
    name = figure_id(spec)
    spec["usermeta"]["heatproof"] = {**record, "id": name}
    plain = json.dumps(spec, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return plain.replace(f'"{MARK}"', f'"{MARK.replace(BLANK, name)}"')


def figure_id(spec: dict[str, Any]) -> str:
    """Eight hexadecimal digits: the start of SHA-256 of a spec in which no id stands yet.

    The id of a finished spec is found by the same function: what it says of itself is left out.
    """
    meta = dict(spec.get("usermeta", {}))
    record = dict(meta.get("heatproof", {}))
    name = str(record.pop("id", BLANK))
    plain = canonical.text({**spec, "usermeta": {**meta, "heatproof": record}})
    blank = plain.replace(f'"{MARK.replace(BLANK, name)}"', f'"{MARK}"')
    return hashlib.sha256(blank.encode()).hexdigest()[:8]


def boxed() -> alt.Chart:
    """A chart whose rows say where each is met: `left`, `right`, `top` and `foot`, in pt."""
    ends = {"x": "left", "x2": "right", "y": "top", "y2": "foot"}
    base: alt.Chart = alt.Chart().encode(
        **{channel: alt.value(alt.expr(f"datum.{end}")) for channel, end in ends.items()}
    )
    return base


def layer(
    base: alt.Chart, places: Mapping[str, str], facts: Mapping[str, str], **sides: Any
) -> alt.Chart:
    """Rectangles where the data of `base` lie.

    Args:
        base: a chart with the positions encoded.
        places: title → expression of its text: where a cell lies.
        facts: the same of what is known of it; those with an empty text are left out of what is
            read, and are a dash in the tooltip.
        sides: `width` and `height`, if `base` does not tell them.
    """
    shown = {**places, **{title: f"({text}) || '–'" for title, text in facts.items()}}
    where = " + ', ' + ".join(f"{_word(title)} + ' ' + ({text})" for title, text in places.items())
    told = [
        f"(({text}) ? {'; ' if n else ': '!r} + {_word(title)} + ' ' + ({text}) : '')"
        for n, (title, text) in enumerate(facts.items())
    ]
    answers: alt.Chart = base.mark_rect(
        fill="transparent",
        stroke=None,
        **sides,
        tooltip=alt.expr(f"{{{', '.join(f'{_word(t)}: {text}' for t, text in shown.items())}}}"),
        description=alt.expr(" + ".join([where, *told])),
    )
    return answers


def _word(text: str) -> str:
    """A text as an expression."""
    return json.dumps(text, ensure_ascii=False)
