"""The words of a heatmap whose cells are compared with a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import units, wording
from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.verdict import Verdict
from heatproof.metrics import is_printed, is_share
from heatproof.util.numerals import fitting, numbered, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.wording import Row
    from heatproof.kinds.heatmap.entry import Entry


LABEL = "relative_to"
"""Key of `labels`: what the baseline is called."""
SIMULTANEOUS = "95\u00a0% interval, for all cells of a panel together"
SIGN = {"difference": "Δ", "ratio": "×"}
APART, ALIKE = "differs from the baseline", "not told apart from the baseline"
ITSELF = "the baseline itself"


def baseline(entry: Entry) -> str:
    """What the baseline is called: `Ratio 1, Model base`, or as `labels` says."""
    if LABEL in entry.labels:
        return entry.labels[LABEL]
    if entry.other:
        return f"figure {entry.other}"
    return ", ".join(
        f"{wording.column(name, entry.labels)} {entry.called(name, [value])[value]}"
        for name, value in entry.relative_to.items()
    )


def title(entry: Entry) -> str:
    """What the value of a cell is called, with its unit."""
    what = wording.measure(entry.encoding.color, entry.labels)
    if entry.relation == "ratio":
        return f"{what} ÷ baseline"
    return f"Δ {what} (points)" if entry.shows_percent else f"Δ {what}"


def number_format(rows: Sequence[Row], entry: Entry) -> str:
    """Signed, with one decimal for percentage points; of ratios two behind a ×."""
    if entry.relation == "ratio":
        return f"×{entry.format or '.2f'}"
    if entry.format:
        return entry.format
    known = [row["value"] for row in rows if not row["missing"]]
    return "+.1f" if entry.shows_percent else f"+{fitting(known)}"


def of_cell(row: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """What a row of the grid tells beside the value: both sides, and how they stand.

    `itself`: it is the baseline; `differs`: its interval leaves out parity.
    """
    percent = is_share(entry.encoding.color) and not entry.own_unit
    unit = units.PERCENT if percent else entry.own_unit or units.PLAIN
    sides = {
        name: unit.value(row[column])
        for name, column in (("own", "own_value"), ("base", "baseline_value"))
    }
    spec = ".1f" if percent else ".6~g"
    told = {f"{name}_told": "" if v is None else show(v, spec) for name, v in sides.items()}
    itself = bool(row["is_baseline"]) and row["value"] is not None
    stands = row.get(reasons.UNJUDGED) or ""
    if row["differs"] is not None:
        stands = APART if row["differs"] else ALIKE
    stands = ITSELF if itself else stands
    return {
        **told,
        "paired": row["paired_problems"],
        "itself": itself,
        "differs": bool(row["differs"]),
        "stands": stands,
    }


FACTS = ("Its own", "Baseline", "Problems that both hold", SIMULTANEOUS, "Graded rows")
"""What is told of a cell beside its value, on the page."""


COLUMNS = ("95 % interval, together", "± SE", "own", "baseline", "both hold")
"""Of the table on the page, behind the value."""


def facts(row: Row, spec: str, between: str) -> list[str | None]:
    """Value and `FACTS` as text; None for what is not known."""
    value = row["gap"] if row["value"] is None else show(row["value"], spec)
    sides = [row["own_told"] or None, row["base_told"] or None, paired(row)]
    return [value, *sides, between or None, f"{row['epochs']:,} of {row['expected']:,}"]


def paired(row: Row) -> str | None:
    """Problems that a cell and its baseline hold; of aggregates it is not known."""
    return None if "problems" in row else f"{row['paired']:,}"


def answers(rows: Sequence[Row], graded: str) -> dict[str, str]:
    """Title → expression of its text, as `cells.cell_answers` has them; `graded`: of the rows."""
    known = any(row["between"] for row in rows)
    texts = ("datum.own_told", "datum.base_told", "format(datum.paired, ',')", "datum.between")
    told = dict(zip(FACTS, (*texts, graded), strict=True))
    told |= {"Verdict": "datum.stands"} if any(row["stands"] for row in rows) else {}
    left = {"datum.between"} if not known else set()
    left |= {"format(datum.paired, ',')"} if any(paired(row) is None for row in rows) else set()
    return {title: text for title, text in told.items() if text not in left}


def is_marked(entry: Entry) -> bool:
    """Whether the figure shows which cells differ."""
    return entry.uncertainty != "none" and entry.marks != "none"


def marked_cells(rows: Sequence[Row], entry: Entry) -> list[dict[str, Any]]:
    """The rows of one panel: `bold` what differs, and the baseline itself as plain 0, or ×1."""
    parity = "×1" if entry.relation == "ratio" else "0"
    return [
        {**row, "bold": row["differs"] and is_marked(entry)}
        | ({"label": parity, "told": f"{parity}, {ITSELF}"} if row["itself"] else {})
        for row in rows
    ]


def verdicts(rows: Sequence[Row], entry: Entry) -> dict[tuple[str, ...], Verdict]:
    """Labels of a panel → its line: how many of the cells that are judged differ."""
    if not is_marked(entry):
        return {}
    panels: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        panels.setdefault(row["panel"], []).append(row)
    return {label: Verdict(_line(part), None) for label, part in panels.items()}


def _line(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if row["stands"] in (APART, ALIKE)]
    apart, left = sum(row["differs"] for row in judged), "not judged"
    others = sum(row["stands"] not in ("", ITSELF, APART, ALIKE) for row in rows)
    if not judged:
        return left if others else ""
    if len(judged) == 1:
        said = APART if apart else ALIKE
    elif not apart:
        said = f"none of {len(judged):,} differs from the baseline"
    else:
        verb = "differs" if apart == 1 else "differ"
        said = f"{apart:,} of {len(judged):,} {verb} from the baseline"
    return f"{said}, {others:,} {left}" if others else said


def meanings(rows: Sequence[Row], entry: Entry, *, values: bool, errors: bool) -> list[str]:
    """What colours and digits mean, where they occur.

    `values`: cells have numbers; `errors`: and their uncertainty below, if it is asked for.
    """
    what = wording.measure(entry.encoding.color, entry.labels)
    sign, how = SIGN[entry.relation], "over" if entry.relation == "ratio" else "less"
    parity = "1" if entry.relation == "ratio" else "0"
    part = "block" if entry.nested else "panel"
    interval = f"paired, all cells of a {part} together"
    shared = "" if is_printed(entry.encoding.color) else ", on the problems that both hold"
    judged = [row for row in rows if row["stands"] in (APART, ALIKE)]
    apart = [row for row in judged if row["differs"]]
    marked = is_marked(entry) and bool(judged)
    why = dict.fromkeys(
        row["stands"] for row in rows if row["stands"] not in (APART, ALIKE, ITSELF, "")
    )
    said = {
        f"{sign}: {what} {how} that of the baseline ({baseline(entry)}){shared}": True,
        f"{'bold' if values else 'dot'}: its 95\u00a0% interval leaves out {parity} ({interval})": (
            marked and bool(apart)
        ),
        f"no cell can be told from the baseline (95\u00a0%, {interval})": marked and not apart,
        "±: standard error of the difference": errors and entry.uncertainty == "se",
        f"range: 95\u00a0% interval ({interval})": errors and entry.uncertainty == "interval",
        f"{'×1' if parity == '1' else '0'}: {ITSELF}": values and any(r["itself"] for r in rows),
        **{f"{words}{_where(rows, words)}": is_marked(entry) for words in why},
    }
    return [words for words, occurs in said.items() if occurs]


def _where(rows: Sequence[Row], words: str) -> str:
    """In how many cells, where not in all."""
    some = sum(row["stands"] == words for row in rows)
    all_ = sum(not (row["missing"] or row["itself"]) for row in rows)
    return "" if some == all_ else f" ({some:,} of {numbered(all_, 'cell')})"


def spoken_baseline(entry: Entry) -> str:
    """What the cells are compared with, in a sentence."""
    how = "divided by" if entry.relation == "ratio" else "less"
    return f"Each cell is its own value {how} that of the baseline: {baseline(entry)}."


def spoken(title_: str, rows: Sequence[Row], entry: Entry, spec: str) -> str:
    """A panel in words."""
    known = [row for row in rows if row["value"] is not None and not row["itself"]]
    opening = f"{title_}: " if title_ else ""
    lost = sum(bool(row["missing"]) for row in rows)
    gaps = [f"{lost} without a value"] if lost else []
    if not known:
        return f"{opening}no cell with a value beside the baseline."
    low, high = (show(end(row["value"] for row in known), spec) for end in (min, max))
    said = [f"{opening}{title(entry)} from {low} to {high} in {numbered(len(known), 'cell')}"]
    judged = [row for row in known if row["stands"] in (APART, ALIKE)]
    above = sum(row["differs"] and row["value"] > _parity(entry) for row in judged)
    below = sum(row["differs"] and row["value"] < _parity(entry) for row in judged)
    if judged:
        said.append(f"{above} above and {below} below the baseline beyond chance")
    return "; ".join([*said, *gaps]) + "."


def _parity(entry: Entry) -> float:
    return 1.0 if entry.relation == "ratio" else 0.0
