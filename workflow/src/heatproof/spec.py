"""The spec of a figure as text: sorted keys, the provenance record inside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heatproof.lazy import altair as alt


def text(chart: alt.TopLevelMixin, record: dict[str, Any]) -> str:
    """The chart as Vega-Lite JSON; data sets keep the names that their content gave them."""
    spec = chart.to_dict(validate=False)
    spec["usermeta"] = {**spec.get("usermeta", {}), "heatproof": record}
    return json.dumps(spec, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
