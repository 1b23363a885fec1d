"""The comparison as text: a table of all printed numbers, and what came out in a few lines."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from heatproof.printed.compared import shown
from heatproof.util import spreadsheet, terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from heatproof.printed.compared import Compared

    Row = Mapping[str, str]


MOST = 10
"""Disagreements, and reasons why numbers cannot be compared, that have a line."""
SHOWN = 100
"""Disagreements on a page."""
LONGEST = 300
"""Characters of a line at most."""
COLUMNS = ("scorer", "name", "printed", "counted", "agree", "printed_of", "problems", "samples",
           "mean", "note", "file", "log")  # fmt: skip
"""Of the table, behind model, task and hyper-parameters."""
UNTOLD = {*COLUMNS} - {"name", "printed", "counted", "note"}
"""Columns that a page leaves to the table."""
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII)
AGREE = {True: "yes", False: "no", None: ""}


@dataclass(frozen=True)
class Printed:
    """What a page shows of a source."""

    source: str
    headline: str
    address: str
    """Of the table of all, relative to the page."""
    wrong: Sequence[Mapping[str, str]] = ()
    """Its lines that do not agree, the first of them."""
    more: int = 0
    """How many more there are."""
    damaged: Sequence[str] = ()
    """Files that could not be read, each with the reason, the first of them."""


def row(one: Compared, settings: Sequence[str]) -> dict[str, str]:
    """A line of the table; `settings`: the columns of model, task and hyper-parameters."""
    told, scored = one.told, one.scored
    values = [(scored.settings if scored else {}).get(name) for name in settings]
    own = [
        *(scored.scorer if scored else told.scorer, told.name),
        *(shown(one.printed), shown(one.counted), AGREE[one.agree]),
        *(told.problems, one.problems, scored.samples if scored else 0, shown(one.mean)),
        *(one.note, told.file, one.log),
    ]
    texts = ("" if value is None else str(value) for value in (*values, *own))
    return dict(zip((*settings, *COLUMNS), texts, strict=True))


def table(rows: Iterable[Row], settings: Sequence[str]) -> str:
    """CSV, a line per printed number; no text of a log can pass for a formula."""
    text = io.StringIO()
    writer = csv.DictWriter(text, (*settings, *COLUMNS), lineterminator="\n")
    writer.writeheader()
    for one in rows:
        cells = {name: spreadsheet.guarded(value) for name, value in one.items()}
        writer.writerow({name: one[name] if _is_number(one[name]) else cells[name] for name in one})
    return text.getvalue()


def _is_number(value: str) -> bool:
    """Whether it is written as a number is here: below 0 it begins as a formula does."""
    return NUMBER.fullmatch(value) is not None


def read(path: Path) -> list[Row]:
    """The lines of such a table.

    Raises:
        Error: it is damaged.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows: list[Row] = [*csv.DictReader(file, restval="")]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Error(f"{path}: no table of printed numbers ({error}): run snakemake") from None
    if any(name not in one for one in rows[:1] for name in COLUMNS):
        raise Error(f"{path}: no table of printed numbers: run snakemake")
    return rows


def headline(rows: Sequence[Row]) -> str:
    """How many agree, in a few words."""
    counts = Counter(one["agree"] for one in rows)
    if not rows:
        return "nothing"
    said = f"{counts['yes']:,} of {counts['yes'] + counts['no']:,} values agree"
    return f"{said}, {counts['']:,} cannot be compared" if counts[""] else said


def counted(rows: Sequence[Row]) -> dict[str, Any]:
    """What came out as plain values: how many agree, in words; the first that do not, as lines.

    Files that could not be read are named likewise, where there are any.
    """
    wrong = [one for one in rows if one["agree"] == "no"]
    first = [_line(one) for one in wrong[:MOST]]
    found: dict[str, Any] = {
        "values": headline(rows),
        "disagreements": len(wrong),
        "disagree": first,
    }
    files = damaged(rows)
    return found | ({"damaged": len(files), "unread": files[:MOST]} if files else {})


def damaged(rows: Sequence[Row]) -> list[str]:
    """The files that could not be read, each with the reason: their lines name no number."""
    found: dict[str, str] = {}
    for one in rows:
        if not one["name"]:
            file, why = one["file"], one["note"]
            for name in (file, PurePath(file).name):
                why = why.removeprefix(f"{name}: ")
            found.setdefault(file, plain(f"{file} cannot be read: {why}"))
    return [*found.values()]


def on_page(source: str, rows: Sequence[Row], address: str) -> Printed:
    """The same for the page: the first numbers that do not agree, without empty columns."""
    wrong = [one for one in rows if one["agree"] == "no"]
    names = [name for name in (wrong or [{}])[0] if any(one[name] for one in wrong)]
    first = [
        {name: plain(one[name]) for name in names if name not in UNTOLD} for one in wrong[:SHOWN]
    ]
    files = damaged(rows)[:SHOWN]
    return Printed(source, headline(rows), address, first, len(wrong) - len(first), files)


def _line(one: Row) -> str:
    settings = [name for name in one if name not in COLUMNS]
    where = [f"{name} {one[name]}" for name in settings if one[name]] or [one["log"]]
    numbers = f"printed {one['printed']}, counted {one['counted'] or 'nothing'}"
    return plain(f"{one['name']}: {numbers} ({one['note']}); {', '.join(where)}")


def text(rows: Sequence[Row], others: int) -> str:
    """All that is to be said; `others`: printed numbers of scores that were not asked for."""
    lines = [f"Printed by the harness: {headline(rows)}."]
    found = counted(rows)
    if found["disagree"]:
        lines += ["", "Do not agree:", *(f"  {line}" for line in found["disagree"])]
    if more := found["disagreements"] - len(found["disagree"]):
        lines.append(f"  and {more:,} more")
    lines += _listed(
        "By a rule of the harness, which a figure may not share:",
        (_kind(one["note"]) for one in rows if one["agree"] == "yes" and one["note"]),
    )
    lines += _listed("Cannot be compared:", (one["note"] for one in rows if not one["agree"]))
    if others:
        lines += ["", f"Of scores that config.yaml does not choose: {others:,}."]
    return "\n".join(lines) + "\n"  # fmt: skip


def _kind(note: str) -> str:
    """A note without its numbers."""
    return note.partition(";")[0]


def _listed(head: str, notes: Iterable[str]) -> list[str]:
    counts = Counter(notes).most_common()
    lines = [f"  {number:,} × {plain(note)}" for note, number in counts[:MOST]]
    more = [f"  {len(counts) - MOST:,} other reasons"] if len(counts) > MOST else []
    return ["", head, *lines, *more] if lines else []


def plain(text: str) -> str:
    """A text of a log as it may stand in a line: short, and free of what steers a terminal."""
    return terminal.name(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")
