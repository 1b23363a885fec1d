"""The spec of a figure as text: sorted keys, with the provenance record and the figure's id.

A transparent rectangle lies over each cell, above all other marks. It has the tooltip and the text
for screen readers, so that numbers, frames and dots are never in the way.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Literal

from heatproof.util import canonical
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    Problems = Sequence[Mapping[str, Any]]

BLANK = "00000000"
MARK = f"heatproof {BLANK}"  # what is drawn in the corner of a figure; the zeros give way to its id
ChartKeys = dict[str, Any]  # keys of a mark, an axis or a scale, as Altair takes them
Datum = dict[str, Any]  # a row of a data set
Note = Literal["alt", "omitted", "panels", "places"]
"""`alt`: a short text in place of the picture. `omitted`: lines on what has no room in the figure;
the gallery and the last lines of a run print them. `panels`: left, top, width and height in pt of
panels that are no charts of their own, from the corner of the first chart. `places`: the same of
cells that do not fill their panel evenly."""


def unchecked() -> AbstractContextManager[None]:
    """Switch off Altair's validation of each part of a chart, which takes half of the time.

    `tests/golden` validates.
    """
    from altair.utils.schemapi import debug_mode

    return debug_mode(False)


def note(chart: alt.TopLevelConcatSpec, **notes: list[Any]) -> alt.TopLevelConcatSpec:
    """The chart with notes; empty ones are left out."""
    for name, values in notes.items():
        if values:
            if not isinstance(chart.usermeta, dict):
                chart.usermeta = {}
            chart.usermeta = {**chart.usermeta, name: values}
    return chart


def noted(spec: Mapping[str, Any], name: Note) -> list[Any]:
    """The values of a note; none without it."""
    return list(spec.get("usermeta", {}).get(name, []))


def text(chart: alt.SchemaBase, record: dict[str, Any], problems: Problems | None = ()) -> str:
    """The chart as Vega-Lite JSON, with its record, the counts of its problems, and its id.

    `problems`: None where the figure says that it withholds them. The id is eight hexadecimal
    digits: the start of SHA-256 of the spec without it.
    """
    spec = {"$schema": alt.SCHEMA_URL, **chart.to_dict(validate=False)}
    spec["usermeta"] = {**spec.get("usermeta", {}), "heatproof": record}
    if problems or problems is None:
        spec["usermeta"]["problems"] = problems
    name = hashlib.sha256(canonical.text(spec).encode()).hexdigest()[:8]
    spec["usermeta"]["heatproof"] = {**record, "id": name}
    plain = json.dumps(spec, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return plain.replace(f'"{MARK}"', f'"{MARK.replace(BLANK, name)}"')


def is_own_id(spec: Mapping[str, Any]) -> bool:
    """Whether the id in the record of a spec is that of this spec."""
    name = spec["usermeta"]["heatproof"].get("id", "")
    plain = json.dumps(spec, ensure_ascii=False).replace(MARK.replace(BLANK, name), MARK)
    bare = json.loads(plain)
    bare["usermeta"]["heatproof"].pop("id", None)
    digest = hashlib.sha256(canonical.text(bare).encode()).hexdigest()
    return bool(digest[:8] == name)


def datum(column: str) -> alt.ExprRef:
    """The expression of a column of a data set."""
    return alt.expr(f"datum.{column}")


def data_name(data: str, panel: str) -> str:
    """The name of a data set of a panel; without a label of the panel, that of the data alone."""
    return f"{data} {panel}".strip()


def data_chart(name: str) -> alt.Chart:
    """A chart of the data set of that name."""
    return alt.Chart(alt.NamedData(name))


def places(**ends: str) -> dict[str, Any]:
    """Channels of places in pt; `ends`: channel → column, or what is reckoned from it."""
    channels = {}
    for channel, end in ends.items():
        # With `alt.value`, Altair would look through all of its classes, at each call.
        value = getattr(alt, f"{channel.capitalize()}Value")
        channels[channel] = value(datum(end))
    return channels


def texts(base: alt.Chart, column: str, x: str = "px", /, **style: Any) -> alt.Chart:
    """A column of texts at places in pt: `x` and `py`, columns or what is reckoned from them."""
    place = {"x": datum(x), "y": datum("py")}
    style = {"align": "left", "baseline": "middle", **style, **place}
    layer: alt.Chart = base.mark_text(**style).encode(alt.Text(f"{column}:N"))
    return layer


def boxed() -> alt.Chart:
    """A chart of which each row has its place: `left`, `right`, `top` and `foot`, in pt."""
    base: alt.Chart = alt.Chart().encode(**places(x="left", x2="right", y="top", y2="foot"))
    return base


def layer(base: alt.Chart, places: Mapping[str, str], facts: Mapping[str, str]) -> alt.Chart:
    """Transparent rectangles with tooltips, and texts for screen readers.

    Args:
        base: a chart with the positions encoded.
        places: title → Vega expression of the text: where a cell lies.
        facts: the same of what a cell holds. An empty text is a dash in the tooltip, and not read.
    """
    shown_texts, place_texts = {}, []
    for title, text in places.items():
        quoted = json.dumps(title, ensure_ascii=False)
        shown_texts[quoted] = text
        place_texts.append(f"{quoted} + ' ' + ({text})")
    read_texts = [" + ', ' + ".join(place_texts)]
    joint = ": "
    for title, text in facts.items():
        quoted = json.dumps(title, ensure_ascii=False)
        shown_texts[quoted] = f"({text}) || '–'"
        read_texts.append(f"(({text}) ? {joint!r} + {quoted} + ' ' + ({text}) : '')")
        joint = "; "
    tooltip = ", ".join(f"{title}: {text}" for title, text in shown_texts.items())
    answers: alt.Chart = base.mark_rect(
        fill="transparent", stroke=None,
        tooltip=alt.expr(f"{{{tooltip}}}"), description=alt.expr(" + ".join(read_texts)),
    )  # fmt: skip
    return answers
