"""The spec of a figure as text: sorted keys, the provenance record and the figure's id inside.

One mark above all others answers who points at a part of the figure, or has it read out: a
rectangle that is not seen lies over each cell, so that numbers, frames and dots on a cell are never
in the way, whatever draws the spec.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Literal

from heatproof.util import canonical
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

BLANK = "0" * 8
MARK = f"heatproof {BLANK}"  # what is drawn in the corner of a figure; the zeros give way to its id
Note = Literal["omitted", "panels", "places"]
"""`omitted`: lines on what the figure was to show and has no room for, which the last lines of a
run and the gallery print. `panels`: left, top, width and height in pt of panels that are no charts
of their own, from the corner of the first chart. `places`: the same of cells in a panel which they
do not fill evenly, alike in all panels."""


def unchecked() -> AbstractContextManager[None]:
    """Altair's check of each part that a chart is made of, off: it takes half of the drawing.

    `tests/golden` has it on.
    """
    from altair.utils.schemapi import debug_mode

    return debug_mode(False)


def note(chart: alt.TopLevelConcatSpec, **notes: list[Any]) -> alt.TopLevelConcatSpec:
    """The chart with notes; empty ones are left out."""
    for name, values in notes.items():
        if values:
            meta = chart.usermeta if isinstance(chart.usermeta, dict) else {}
            chart.usermeta = {**meta, name: values}
    return chart


def noted(spec: Mapping[str, Any], name: Note) -> list[Any]:
    """The values of a note."""
    return list(spec.get("usermeta", {}).get(name, []))


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

    Of a finished spec what it says of its id is left out, so that the id is the same.
    """
    meta = dict(spec.get("usermeta", {}))
    record = dict(meta.get("heatproof", {}))
    name = str(record.pop("id", BLANK))
    plain = canonical.text({**spec, "usermeta": {**meta, "heatproof": record}})
    blank = plain.replace(f'"{MARK.replace(BLANK, name)}"', f'"{MARK}"')
    return hashlib.sha256(blank.encode()).hexdigest()[:8]


def boxed() -> alt.Chart:
    """A chart whose rows say where each lies: `left`, `right`, `top` and `foot`, in pt."""
    ends = {"x": "left", "x2": "right", "y": "top", "y2": "foot"}
    base: alt.Chart = alt.Chart().encode(
        **{channel: alt.value(alt.expr(f"datum.{end}")) for channel, end in ends.items()}
    )
    return base


def layer(base: alt.Chart, places: Mapping[str, str], facts: Mapping[str, str]) -> alt.Chart:
    """Rectangles where the data of `base` lie.

    Args:
        base: a chart with the positions encoded.
        places: title → expression of its text: where a cell lies.
        facts: the same of what a cell holds; those with an empty text are left out of what is
            read, and are a dash in the tooltip.
    """
    word = {title: json.dumps(title, ensure_ascii=False) for title in [*places, *facts]}
    texts = {**places, **{title: f"({text}) || '–'" for title, text in facts.items()}}
    tooltip = ", ".join(f"{word[title]}: {text}" for title, text in texts.items())
    read = [" + ', ' + ".join(f"{word[title]} + ' ' + ({text})" for title, text in places.items())]
    read += [
        f"(({text}) ? {'; ' if n else ': '!r} + {word[title]} + ' ' + ({text}) : '')"
        for n, (title, text) in enumerate(facts.items())
    ]
    answers: alt.Chart = base.mark_rect(
        fill="transparent", stroke=None,
        tooltip=alt.expr(f"{{{tooltip}}}"), description=alt.expr(" + ".join(read)),
    )  # fmt: skip
    return answers
