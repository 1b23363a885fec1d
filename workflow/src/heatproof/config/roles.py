"""The columns of the samples table, each with its role: code asks for roles, never for positions.

Hyper-parameters of users stand behind `task`, properties behind `scorer`, measures behind `score`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Type = Literal["str", "int", "float", "bool"]
Role = Literal["place", "key", "setting", "property", "measure", "flag", "answer", "count"]


class Column(NamedTuple):
    """A column of our own."""

    role: Role
    """`place`: of the record in its log. `key`: no two rows share all of these. `setting`: model,
    hyper-parameter or task. `property`: of a problem or an answer. `measure`: a number. `flag`: a
    fact about the number. `answer`: equal for equal answers. `count`: of partial aggregates
    alone."""
    type: Type
    null: bool = False
    default: Any = None  # of rows whose record and log have no value
    kept: bool = True  # whether every table has it, or only if its source asks for it


OWN: Mapping[str, Column] = {
    "log": Column("place", "str"),  # path in the project
    "member": Column("place", "str"),  # of an archive
    "line": Column("place", "int"),  # from 1
    "offset": Column("place", "int"),  # bytes, after decompression; of a log that is a Parquet
    "record_bytes": Column("place", "int"),  # file, in the lines of JSON that its rows make
    "run": Column("key", "str"),
    "model": Column("setting", "str", null=True, default=""),
    "task": Column("setting", "str", null=True, default=""),
    "sample_id": Column("key", "str"),
    "epoch": Column("key", "int", default=0),
    "scorer": Column("key", "str", default=""),
    "score": Column("measure", "float", null=True),
    "reconstructed": Column("flag", "bool", default=False),  # made from printed digits
    "graded": Column("flag", "bool", default=False),  # computed from the answer while reading
    "answer": Column("answer", "str", null=True, kept=False),  # see `samples.counts`
}
"""Our columns of the samples table, in their order."""

EPOCHS = "epochs"  # of partial aggregates: the number of rows; sums follow (`samples.counts`)

TAKEN = frozenset(OWN) | {
    EPOCHS, "x", "y", "value", "samples", "expected", "se", "low", "high", "best", "tied",
    "spread", "chance_median", "chance_high", "chance_p", "separated", "gap", "peers",
    "resolution", "resolution_epochs", "resolution_problems", "varying", "failed_records",
    "common", "spread_equal", "problems", "state", "count", "total", "odd", "asked", "dataset",
    "unjudged", "own_value", "baseline_value", "paired_problems", "differs", "is_baseline",
    "x_value", "x_se", "x_low", "x_high", "x_samples", "x_epochs", "x_gap", "x_unjudged",
    "note_value", "note_samples", "note_epochs", "note_gap", "top_x", "top_y", "tried", "parts",
    "x_tried", "value_unit", "x_value_unit", "note_value_unit", "lacks", "x_lacks", "note_lacks",
    "asked_tasks", "gap_words", "x_gap_words", "note_gap_words", "unjudged_words",
    "x_unjudged_words", "curve_start", "curve_slope", "curve_gap", "curve_crossing", "curve_low",
    "curve_high", "star_levels", "change_value", "change_low", "change_high", "change_differs",
    "change_problems", "change_unjudged",
}  # fmt: skip
"""Names that no column of users can have: columns of tables, counts and grids."""


def own(*roles: Role) -> tuple[str, ...]:
    """Our columns of some roles, in their order."""
    return tuple(name for name, column in OWN.items() if column.role in roles)


PLACE, KEY, SETTINGS = own("place"), own("key"), own("setting")
DIVIDING = ("run", "sample_id", "epoch")  # keys that divide a run, or the runs of one setting
GRADERS = tuple(name for name in KEY if name not in DIVIDING)
"""All other keys: who graded a sample. As those of settings, their values are not mixed unasked."""
NO_PROPERTIES: Mapping[str, Type] = {}
WITHIN = frozenset(DIVIDING) | {"log"}
"""Columns that divide a run: of its parts nothing is declared."""


def samples(
    params: Mapping[str, Type],
    measures: Iterable[str],
    answers: bool = False,
    properties: Mapping[str, Type] = NO_PROPERTIES,
) -> dict[str, Type]:
    """All columns of a samples table, by type; `answers`: whether its source asks for these."""
    users: dict[str, Mapping[str, Type]] = {
        SETTINGS[-1]: params,
        GRADERS[-1]: properties,
        own("measure")[-1]: dict.fromkeys(measures, "float"),
    }
    result: dict[str, Type] = {}
    for name, column in OWN.items():
        if column.kept or answers:
            result |= {name: column.type, **users.get(name, {})}
    return result


def is_null(name: str) -> bool:
    """Whether a column of a table may hold none; those of users may."""
    return name not in OWN or OWN[name].null


def columns(names: Iterable[str], *roles: Role) -> list[str]:
    """The columns of a samples table, or of partial aggregates, that have one of some roles.

    A column of users has the role of our setting or measure before it; behind a key it is a
    property.
    """
    result, users = [], ""
    for name in names:
        role = "count"
        if name != EPOCHS:
            role = OWN[name].role if name in OWN else users
        users = {"key": "property", "place": users, "flag": users, "answer": users}.get(role, role)
        result += [name] if role in roles else []
    return result


def settings(names: Sequence[str]) -> list[str]:
    """The columns of a table that tell its runs apart."""
    return [*columns(names, "setting"), *GRADERS]
