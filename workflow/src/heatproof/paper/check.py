"""paper: what a manuscript shows and says, beside the figures of the build."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import paths
from heatproof.kinds.trace import parse_cell
from heatproof.paper import latex, markup, rebuild, sentences, tables
from heatproof.paper.findings import Finding, finding
from heatproof.paper.names import grouped
from heatproof.paper.values import CELL_FACTS, PAIR_FACTS, read_values
from heatproof.provenance import identify
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heatproof.paper.sources import Call, Manuscript
    from heatproof.paper.values import Figures

READERS: Mapping[str, Callable[[Path], Manuscript]] = {
    ".tex": latex.read_latex,
    ".md": markup.read_markdown,
    ".qmd": markup.read_markdown,
    ".typ": markup.read_typst,
    ".pdf": markup.read_pdf,
}
ENDS = ("", ".pdf", ".png", ".svg", ".jpg", ".jpeg", ".eps")
"""What LaTeX adds to the name of a graphic."""
PANEL_FACTS = ("best", "best-setting", "missing", "exact", "places")


class Shown(msgspec.Struct):
    """A figure that a manuscript shows."""

    file: str
    line: int
    graphic: str
    figure: str
    id: str
    fault: str  # why it is not as it was drawn; empty if it is


class Report(msgspec.Struct):
    """All that a check of a manuscript found."""

    figures: list[Shown] = []
    others: list[str] = []  # graphics that are not ours
    named: int = 0  # numbers by name, …
    compared: int = 0  # … and numbers that are those of the cells where they stand
    findings: list[Finding] = []

    @property
    def is_contradicted(self) -> bool:
        return any(item.sort == "contradiction" for item in self.findings)


def read_former(root: Path) -> list[Figures]:
    """The numbers of the last builds, the newest first."""
    kept = (root / paths.FORMER_VALUES).glob("*.json")
    builds: list[Figures] = []
    for path in sorted(kept, key=lambda path: -path.stat().st_mtime_ns):
        with suppress(msgspec.DecodeError):
            builds.append(read_values(path.read_bytes()))
    return builds


def read_build(root: Path) -> Figures:
    """The numbers of the build. Raises Error: there are none."""
    path = root / paths.VALUES[1]
    if not path.is_file():
        raise Error(f"{path}: the numbers of the build are not there: call `heatproof run`")
    try:
        return read_values(path.read_bytes())
    except msgspec.DecodeError as error:
        raise Error(f"{path}: damaged ({error}): call `heatproof run`") from None


def check(path: Path, root: Path, *, words: bool = False) -> Report:
    """The report on a manuscript; with `words` on all its claims.

    Raises Error: it cannot be read, or nothing is built.
    """
    build = read_build(root)
    reader = READERS.get(path.suffix.casefold())
    if reader is None:
        raise Error(f"{path}: no manuscript; it ends in one of {', '.join(READERS)}")
    if not path.is_file():
        raise Error(f"{path}: no such file")
    manuscript = reader(path)
    report = Report()
    _check_graphics(manuscript, path.parent, root, report)
    unknown = list(_check_calls(manuscript.calls, build))
    report.findings += unknown
    report.named = len(manuscript.calls) - len(unknown)
    figures = grouped(build, read_former(root))
    for table in manuscript.tables:
        right, wrong = tables.check_table(table, figures)
        report.compared += right
        report.findings += wrong
    for paragraph in chain.from_iterable(text.paragraphs() for text in manuscript.texts):
        for sentence in sentences.sentences(paragraph):
            right, wrong = sentences.check_sentence(sentence, figures)
            report.compared += right
            report.findings += wrong
            report.findings += sentences.claims(sentence, figures, all_of_them=words)
    report.findings.sort(key=lambda item: (item.file, item.line, item.column))
    return report


# -------------------------------------------------------------------------------------- graphics


def _check_graphics(manuscript: Manuscript, folder: Path, root: Path, report: Report) -> None:
    """Note the figures that a manuscript shows, and those that are not of this build."""
    drawn = identify.drawn(root)
    for graphic in manuscript.graphics:
        file = _graphic_file(graphic.name, folder)
        if file is None:
            stem = Path(graphic.name).stem
            if stem in drawn:
                why = "this file is not there"
                report.findings.append(finding("look", graphic.place, graphic.name, why))
            continue
        matches = _matches(file, root)
        if not matches:
            report.others.append(graphic.name)
        for match in matches:
            place = graphic.place
            graphic_shown = Shown(
                place.file, place.line, graphic.name, match.figure, match.record["id"], match.fault
            )
            report.figures.append(graphic_shown)
            if match.fault:
                command = f"heatproof trace {file}"
                why = f"{match.figure}: {match.fault}{_changed_cells(file, match.figure, root)}"
                report.findings.append(
                    finding("contradiction", place, graphic.name, why, command=command)
                )


def _changed_cells(file: Path, figure: str, root: Path) -> str:
    """How many cells of a figure print something else than those inside a file, in words."""
    labels: dict[str, str] = {}
    for spec, _ in rebuild.embedded(file.read_bytes()):
        if spec.get("usermeta", {}).get("heatproof", {}).get("figure") == figure:
            labels |= _labels_of(spec)
    if not labels:
        return ""
    current = _labels_of(json.loads((root / paths.spec(figure)).read_bytes()))
    changed = [
        place for place in labels.keys() | current.keys() if labels.get(place) != current.get(place)
    ]
    if not changed:
        return "; all cells print the same"
    first = min(changed)
    change = f"{labels.get(first, 'nothing')}, now {current.get(first, 'nothing')}"
    return (
        f"; {len(changed)} of {len(current)} cells print something else, such as {first}: {change}"
    )


def _labels_of(spec: dict[str, Any]) -> dict[str, str]:
    """Place of each cell in a spec → what it prints."""
    labels = {}
    for cell in rebuild.cells_of(spec):
        place = ", ".join(str(cell[key]) for key in ("data", "y", "x") if cell.get(key))
        labels[place] = str(cell.get("label", ""))
    return labels


def _graphic_file(name: str, folder: Path) -> Path | None:
    """The file of a graphic, in the folder or one below it."""
    for place in (folder / name, *folder.glob(f"*/{name}")):
        for end in ENDS:
            file = place.with_name(f"{place.name}{end}")
            if file.is_file():
                return file
    return None


def _matches(file: Path, root: Path) -> list[identify.Match]:
    try:
        return identify.find_figures(str(file), root)
    except Error:
        return []


# ----------------------------------------------------------------------------------------- names


def _check_calls(calls: Sequence[Call], build: Figures) -> Iterator[Finding]:
    """Names that lead to no number."""
    for call in calls:
        why = _call_fault(call, build)
        if why:
            says = f"{call.fact} of {call.figure} at {call.cell}"
            yield finding("contradiction", call.place, says, why)


def _call_fault(call: Call, build: Figures) -> str:
    """Why a name leads to no number; empty if it does."""
    if call.figure not in build:
        return f"no figure {call.figure!r}; {choices(call.figure, build)}"
    facts = (*CELL_FACTS, *PANEL_FACTS, *PAIR_FACTS)
    if call.fact not in facts:
        return f"no fact {call.fact!r}; {choices(call.fact, facts)}"
    if call.fact == "missing":
        return ""
    figure = build[call.figure]
    names: dict[tuple[str, str], str] = {}
    for cell in figure.cells.values():
        names |= {(column, name): cell.address[column] for column, name in cell.names.items()}
    items = figure.panels if call.fact in PANEL_FACTS[:2] else figure.cells
    listed = [item.address for item in items.values()]
    fault = address_fault(call.figure, call.cell, listed, names)
    if call.other and not fault:
        # The second cell names only what is different.
        fault = address_fault(call.figure, f"{call.cell}, {call.other}", listed, names)
    return fault


def address_fault(
    figure: str,
    address: str,
    listed: Sequence[Mapping[str, str]],
    names: Mapping[tuple[str, str], str] = {},
) -> str:
    """Why an address is not one of the listed ones; empty if it is.

    `names`: a column, and what the figure prints for a value of it → the value.
    """
    try:
        parsed = parse_cell(address.replace(", ", ","))
    except Error:
        return f"{address!r} is not column=value, …"
    for column, name in parsed.items():
        values = list(dict.fromkeys(item[column] for item in listed if column in item))
        parsed[column] = value = names.get((column, name), name)
        if not values:
            return f"no column {column!r} in {figure}; {choices(column, list(listed[0]))}"
        if value not in values:
            return f"no {column} {value!r} in {figure}; {choices(value, values)}"
    matching = [item for item in listed if parsed.items() <= item.items()]
    if len(matching) > 1:
        lacking = [column for column in listed[0] if column not in parsed]
        return f"{figure}: name the {' and the '.join(lacking)}"
    return "" if matching else f"no cell of {figure} has all of this"
