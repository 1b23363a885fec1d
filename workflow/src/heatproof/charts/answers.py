"""What a figure answers who points at a part of it, or has it read out: one mark above all others.

A rectangle that is not seen lies over each cell, so that numbers, frames and dots on a cell are
never in the way, whatever draws the spec.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping


def layer(base: alt.Chart, places: Mapping[str, str], facts: Mapping[str, str]) -> alt.Chart:
    """Rectangles where the data of `base` lie.

    Args:
        base: a chart with the positions encoded.
        places: title → expression of its text: where a cell lies.
        facts: the same of what is known of it; those with an empty text are left out of what is
            read, and are a dash in the tooltip.
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
        tooltip=alt.expr(f"{{{', '.join(f'{_word(t)}: {text}' for t, text in shown.items())}}}"),
        description=alt.expr(" + ".join([where, *told])),
    )
    return answers


def _word(text: str) -> str:
    """A text as an expression."""
    return json.dumps(text, ensure_ascii=False)
