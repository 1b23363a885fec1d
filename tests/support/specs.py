"""A small figure of two panels, as a spec with a record."""

import copy
from typing import Any

from heatproof.charts import typefaces

RECORD: dict[str, Any] = {
    "figure": "toy",
    "entry": {"title": "A </script> & <b>", "caption": "<!-- ±1 \\u2028 汉"},
    "reconstructed": False,
}
SPEC: dict[str, Any] = {
    "description": "Four cells & <more>",
    "usermeta": {"heatproof": RECORD},
    "config": {"font": typefaces.SANS.stack},
    "hconcat": [
        {
            "title": panel,
            "width": 60,
            "height": 40,
            "data": {
                "values": [
                    {"x": x, "y": y, "value": x * y, "note": "</script><!--"}
                    for x in (0.1, 0.2)
                    for y in (500, 1000)
                ]
            },
            "encoding": {"x": {"field": "x"}, "y": {"field": "y", "type": "ordinal"}},
            "layer": [
                {"mark": "rect", "encoding": {"color": {"field": "value", "type": "quantitative"}}},
                {
                    "mark": {"type": "text", "fontWeight": "bold"},
                    "encoding": {"text": {"field": "value"}},
                },
            ],
        }
        for panel in ("toy | A", "toy | B")
    ],
    "resolve": {"scale": {"color": "independent"}},
}
RECORDS = [{**RECORD, "id": name, "figure": name} for name in ("0123abcd", "4567cdef")]


def with_record(record: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The figure with faint lines, as ours have."""
    spec = copy.deepcopy({**SPEC, "usermeta": {"heatproof": record}, **more})
    spec["hconcat"][0]["layer"][0]["mark"] = {
        "type": "rect", "stroke": "#000000", "strokeOpacity": 0.14
    }  # fmt: skip
    return spec
