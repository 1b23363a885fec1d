"""The spec of a figure as text: sorted keys, the provenance record and the figure's id inside."""

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
    if lines:
        chart.usermeta = {OMITTED: lines}
    return chart


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
