"""The words of a heatmap whose cells are compared with a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import units, wording
from heatproof.charts.sheet import LIKE
from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.panel import Verdict, doubt
from heatproof.metrics import is_printed, is_share
from heatproof.util.numerals import Digits, fitting, numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.wording import Row
    from heatproof.kinds.heatmap.entry import Entry


LABEL = "relative_to"
"""Key of `labels`: what the baseline is called."""
SIMULTANEOUS = "95\u00a0% interval, for all cells of a panel together"
SIDES = ("own", "base")
APART, ALIKE = "told apart from the baseline", "not told apart from the baseline"
ITSELF = "the baseline itself"


def baseline(entry: Entry) -> str:
    """What the baseline is called: `Ratio 1, Model base`, or as `labels` says."""
    if LABEL in entry.labels:
        return entry.labels[LABEL]
    return ", ".join(
        f"{wording.column(name, entry.labels)} {entry.called(name, [value])[value]}"
        for name, value in entry.relative_to.items()
    )


def title(entry: Entry) -> str:
    """What the value of a cell is called, with its unit."""
    what = wording.measure(entry.encoding.color, entry.labels)
    return f"Δ {what} (points)" if entry.shows_percent else f"Δ {what}"


def _in_percent(entry: Entry) -> bool:
    """Whether both sides of a difference are told in percent."""
    return is_share(entry.encoding.color) and not entry.own_unit


def with_sides(rows: Sequence[Row], entry: Entry, digits: Digits) -> list[dict[str, Any]]:
    """The rows of a figure with both sides in words: all alike, with the decimals of `digits`, by
    which differences are printed.
    """
    spec = ".1f"
    if not _in_percent(entry):
        sides = [row[name] for row in rows for name in SIDES if row[name] is not None]
        spec = fitting(sides, near=[digits.step], written=is_printed(entry.encoding.color))
    digits = Digits(spec)
    return [
        {**row, **{f"{n}_told": "" if row[n] is None else digits.value(row[n]) for n in SIDES}}
        for row in rows
    ]


def of_cell(row: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """What a row of the grid tells beside the value: both sides, and how they stand.

    `itself`: it is the baseline; `differs`: its interval leaves out parity.
    """
    unit = units.PERCENT if _in_percent(entry) else entry.own_unit or units.PLAIN
    itself = bool(row["is_baseline"]) and row["value"] is not None
    stands = row.get(reasons.UNJUDGED) or ""
    if row["differs"] is not None:
        stands = APART if row["differs"] else ALIKE
    stands = ITSELF if itself else stands
    return {
        "own": unit.value(row["own_value"]),
        "base": unit.value(row["baseline_value"]),
        "paired": row["paired_problems"],
        "itself": itself,
        "differs": bool(row["differs"]),
        "stands": stands,
    }


FACTS = ("Its own", "Baseline", "Problems that both hold", SIMULTANEOUS, "Graded rows")
"""What is told of a cell beside its value, on the page."""


COLUMNS = ("95 % interval, together", "± SE", "own", "baseline", "both hold")
"""Of the table on the page, behind the value."""


def facts(row: Row) -> list[str | None]:
    """Value and `FACTS` as text; None for what is not known."""
    sides = [row["own_told"] or None, row["base_told"] or None, paired(row)]
    return [
        row["told"],
        *sides,
        row["between"] or None,
        f"{row['epochs']:,} of {row['expected']:,}",
    ]


def paired(row: Row) -> str | None:
    """Problems that a cell and its baseline hold; of aggregates it is not known."""
    return None if "problems" in row else f"{row['paired']:,}"


def answers(rows: Sequence[Row], graded: str) -> dict[str, str]:
    """Title → expression of its text, as `cells.cell_answers` has them; `graded`: of the rows."""
    size = "format(datum.paired, ',')"
    texts = ("datum.own_told", "datum.base_told", size, "datum.between", graded)
    titles = dict(zip(FACTS, texts, strict=True))
    titles |= {"Verdict": "datum.stands"} if any(row["stands"] for row in rows) else {}
    unknown = set() if any(row["between"] for row in rows) else {"datum.between"}
    unknown |= {size} if any(paired(row) is None for row in rows) else set()
    return {title: text for title, text in titles.items() if text not in unknown}


def is_marked(entry: Entry) -> bool:
    """Whether the figure shows which cells are told apart."""
    return entry.uncertainty != "none" and entry.marks != "none"


def marked_cells(rows: Sequence[Row], entry: Entry) -> list[dict[str, Any]]:
    """The rows of one panel: `bold` what differs, and the baseline itself as plain 0."""
    return [
        {**row, "bold": row["differs"] and is_marked(entry)}
        | ({"label": "0", "told": f"0, {ITSELF}"} if row["itself"] else {})
        for row in rows
    ]


def verdicts(rows: Sequence[Row], entry: Entry) -> dict[tuple[str, ...], Verdict]:
    """Labels of a panel → its line: how many of the cells that are judged are told apart."""
    if not is_marked(entry):
        return {}
    panels: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        panels.setdefault(row["panel"], []).append(row)
    return {label: Verdict(_line(part), None) for label, part in panels.items()}


JUDGED = (APART, ALIKE)


def _line(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if row["stands"] in JUDGED]
    apart, number = sum(row["differs"] for row in judged), f"{len(judged):,}"
    others = sum(row["stands"] not in ("", ITSELF, *JUDGED) for row in rows)
    if not judged:
        return "not judged" if others else ""
    line = f"{f'{apart:,}' if apart else 'none'} of {number} can be told apart from the baseline"
    if len(judged) == 1:
        line = APART if apart else ALIKE
    return f"{line}, {others:,} not judged" if others else line


def meanings(rows: Sequence[Row], entry: Entry, *, values: bool, errors: bool) -> list[str]:
    """What colours and digits mean, where they occur.

    `values`: cells have numbers; `errors`: and their uncertainty below, if it is asked for.
    """
    what = wording.measure(entry.encoding.color, entry.labels)
    interval, marked = _interval(rows, entry), is_marked(entry)
    shared = "" if is_printed(entry.encoding.color) else ", on the problems that both hold"
    judged = [row for row in rows if row["stands"] in JUDGED]
    apart, level = any(row["differs"] for row in judged), f"95\u00a0%, {interval}"
    none = f"no cell can be told apart from the baseline ({level}){LIKE}"
    why = dict.fromkeys(row["stands"] for row in rows)
    parts = {
        f"Δ: {what} less that of the baseline ({baseline(entry)}){shared}": True,
        f"{'bold' if values else 'dot'}: {apart_words(rows, entry)}": marked and apart,
        none: marked and judged and not apart,
        "±: standard error of the difference": errors and entry.uncertainty == "se",
        f"range: 95\u00a0% interval ({interval}){LIKE}": errors and entry.uncertainty == "interval",
        f"0: {ITSELF}": values and any(row["itself"] for row in rows),
        **{
            f"{words}{_where(rows, words)}": marked
            for words in why
            if words not in ("", ITSELF, *JUDGED)
        },
    }
    return [words for words, occurs in parts.items() if occurs]


def _interval(rows: Sequence[Row], entry: Entry) -> str:
    """How intervals are made, and what holds together."""
    several = len({row["panel"] for row in rows}) > 1
    part = f"each {'block' if entry.nested else 'panel'}" if several else "the figure"
    return f"paired, all cells of {part} together"


def apart_words(rows: Sequence[Row], entry: Entry) -> str:
    """What is known of a cell that is told apart."""
    return f"its 95\u00a0% interval leaves out 0 ({_interval(rows, entry)}){LIKE}"


def _where(rows: Sequence[Row], words: str) -> str:
    """In how many cells, where not in all."""
    some = sum(row["stands"] == words for row in rows)
    total = sum(not (row["missing"] or row["itself"]) for row in rows)
    return "" if some == total else f" ({some:,} of {numbered(total, 'cell')})"


def spoken_baseline(entry: Entry) -> str:
    """What the cells are compared with, in a sentence."""
    return f"Each cell is its own value less that of the baseline: {baseline(entry)}."


def spoken(title_: str, rows: Sequence[Row], entry: Entry, digits: Digits) -> str:
    """A panel in words."""
    valued = [row for row in rows if row["value"] is not None and not row["itself"]]
    opening = f"{title_}: " if title_ else ""
    lost = sum(bool(row["missing"]) for row in rows)
    gaps = [f"{lost} without a value"] if lost else []
    if not valued:
        return f"{opening}no cell with a value beside the baseline."
    ends = (end(valued, key=lambda row: float(row["value"])) for end in (min, max))
    low, high = (digits.value(row["value"], doubt(row)) for row in ends)
    parts = [f"{opening}{title(entry)} from {low} to {high} in {numbered(len(valued), 'cell')}"]
    judged = [row for row in valued if row["stands"] in (APART, ALIKE)]
    above = sum(row["differs"] and row["value"] > 0 for row in judged)
    below = sum(row["differs"] and row["value"] < 0 for row in judged)
    if judged:
        beyond = f"{above} above and {below} below the baseline beyond chance"
        parts.append(beyond if above or below else f"none {APART}")
    return "; ".join([*parts, *gaps]) + "."
