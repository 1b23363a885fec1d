"""What a check of a manuscript finds: each with its place, its words, and a command to look on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from heatproof.paper.sources import Place

Sort = Literal["contradiction", "question", "look"]
"""It cannot be so; whether it is so is asked; no figure tells."""


class Finding(msgspec.Struct, kw_only=True):
    """Something that the manuscript says, beside what the figures say."""

    sort: Sort
    file: str
    line: int
    column: int
    says: str  # as it stands there
    why: str  # what is wrong with it, or not known
    prints: str = ""  # what the figure prints
    command: str = ""  # that shows what is behind it

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def finding(sort: Sort, place: Place, says: str, why: str, **facts: str) -> Finding:
    """A finding at a place."""
    return Finding(
        sort=sort,
        file=place.file,
        line=place.line,
        column=place.column,
        says=says,
        why=why,
        **facts,
    )
