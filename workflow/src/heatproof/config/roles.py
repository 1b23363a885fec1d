"""The columns of the samples table, each with its role: code asks for roles, never for positions.

A column of our own is added here: its role says who takes it up. Users' columns stand behind
`task`, where they are hyper-parameters, and behind `score`, where they are measures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Type = Literal["str", "int", "float", "bool"]
Role = Literal["place", "key", "setting", "measure", "flag", "answer", "count"]


class Column(NamedTuple):
    """A column of our own."""

    role: Role
    """`place`: where the record of the row lies. `key`: what no two rows share, in their order.
    `setting`: with which model and hyper-parameters, on which task. `measure`: what was measured.
    `flag`: what is to be known of the number. `answer`: what stands for the answer that was given,
    so that equal ones are known. `count`: of partial aggregates alone."""
    type: Type
    null: bool = False  # whether it may hold none
    default: Any = None  # what rows have where neither record nor log says more
    kept: bool = True  # whether every table has it: without, those whose source asks for it


OWN: Mapping[str, Column] = {
    "log": Column("place", "str"),  # path in the project
    "member": Column("place", "str"),  # of an archive
    "line": Column("place", "int"),  # from 1
    "offset": Column("place", "int"),  # bytes, after decompression; of a log that is a Parquet
    "length": Column("place", "int"),  # file, in the lines of JSON that its rows make
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

EPOCHS = "epochs"
"""Of partial aggregates: how many rows were counted; sums follow (`samples.counts`)."""

TAKEN = frozenset(OWN) | {
    EPOCHS, "x", "y", "value", "samples", "expected", "se", "low", "high", "best", "tied",
    "spread", "chance_median", "chance_high", "chance_p", "separated", "gap", "peers",
    "common", "spread_equal", "problems", "state", "count", "total", "odd", "asked", "dataset",
    "unjudged", "own_value", "baseline_value", "paired_problems", "differs", "is_baseline",
    "x_value", "x_se", "x_low", "x_high", "x_samples", "x_epochs", "x_gap", "x_unjudged",
    "note_value", "note_samples", "note_epochs", "note_gap", "top_x", "top_y", "tried", "parts",
}  # fmt: skip
"""What no column of the users can be called: these stand beside ours, in tables, counts, grids."""


def own(*roles: Role) -> tuple[str, ...]:
    """Our columns of some roles, in their order."""
    return tuple(name for name, column in OWN.items() if column.role in roles)


PLACE, KEY, SETTINGS = own("place"), own("key"), own("setting")
DIVIDING = ("run", "sample_id", "epoch")  # keys that divide a run, or the runs of one setting
GRADERS = tuple(name for name in KEY if name not in DIVIDING)
"""All other keys: who graded a sample. As those of settings, their values are not mixed unasked."""
WITHIN = frozenset(DIVIDING) | {"log"}
"""Columns that divide a run: of its parts nothing is declared."""


def samples(
    params: Mapping[str, Type], measures: Iterable[str], answers: bool = False
) -> dict[str, Type]:
    """All columns of a samples table, by type; `answers`: whether its source asks for these."""
    users: dict[str, Mapping[str, Type]] = {
        SETTINGS[-1]: params,
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

    A column of users has that of the last of ours before it behind which some may stand, with no
    key between them.
    """
    result, users = [], ""
    for name in names:
        role = "count" if name == EPOCHS else OWN[name].role if name in OWN else users
        users = {"key": "", "place": users, "flag": users, "answer": users}.get(role, role)
        result += [name] if role in roles else []
    return result


def settings(names: Sequence[str]) -> list[str]:
    """Of the columns of a table, those that set one run apart from another."""
    return [*columns(names, "setting"), *GRADERS]
