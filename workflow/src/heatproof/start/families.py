"""Files sorted into families: logs of one format and one layout, that one source can name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from heatproof import formats
from heatproof.formats import detection
from heatproof.start import answers, inventory, known, scores, sheets
from heatproof.start import beside as settings_files
from heatproof.util import registry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heatproof.formats.detection import Head
    from heatproof.start.inventory import File, Inventory
    from heatproof.start.sheets import Sheet

BUDGET = 16 << 20
"""Bytes looked at of all files: the fewer there are, the more of each."""
ALIKE = 0.5
"""Part of their places that records of one family have in common."""
NONE = "no record in it: a list without items, or no row with as many cells as the header"
READ = {"jsonl": sheets.lines, "json": sheets.document, "csv": sheets.table}


class Family(NamedTuple):
    """Logs that one source can name."""

    format: str
    why: str
    """How the format was recognised."""
    looked: list[str]
    """Those that were looked into."""
    paths: list[str]
    """All of them."""
    sheets: list[Sheet]
    """How those of any layout begin; empty for a harness."""
    sidecar: str = ""
    """What files are called that tell settings of its logs."""
    beside: Sequence[str] = ()
    """Those files."""
    score: str = ""
    """Where the score stands in records that hold several samples (`wide`)."""

    @property
    def is_single(self) -> bool:
        """Whether a file is a record."""
        alone = all(sheet.each == "" for sheet in self.sheets)
        return self.format == "json" and bool(self.sheets) and alone

    @property
    def all_looked(self) -> bool:
        """Whether each log was looked into."""
        return len(self.looked) == len(self.paths)


class Sorted(NamedTuple):
    """The files of a folder, sorted."""

    families: list[Family]
    sidecars: dict[str, list[str]]
    """Format → files that its harness writes beside its logs."""
    unread: dict[str, list[str]]
    """Reason → files of which nothing can be made."""
    size: int
    """Bytes looked at of each file, at most."""


def sort(found: Inventory, root: Path) -> Sorted:
    """The families of the files that were found."""
    picked = inventory.chosen(found.files)
    size = max(detection.HEAD, BUDGET // max(len(picked), 1))
    known: dict[str, tuple[str, str]] = {}
    heads: dict[str, Head] = {}
    for file in picked:
        head = detection.head(file.path, root, size)
        heads[file.path] = head
        told = detection.reasons(file.path, head.data)
        if told:
            known[file.path] = next(iter(told.items()))
    sidecars = _sidecars(found.files, known, root)
    beside = {path for listed in sidecars.values() for path in listed}
    harnesses = _harnesses(known)
    unread: dict[str, list[str]] = defaultdict(list)
    own = _layouts(
        [f for f in picked if f.path not in known and f.path not in beside], heads, unread
    )
    families = _completed([*harnesses, *own], found.files, beside, unread)
    return Sorted(settings_files.attached(families, root), sidecars, dict(unread), size)


def _sidecars(
    files: Sequence[File], known: dict[str, tuple[str, str]], root: Path
) -> dict[str, list[str]]:
    """Format → files beside its logs that are none by their path."""
    folders: dict[str, set[str]] = defaultdict(set)
    for path, (name, _) in known.items():
        entry = registry.find(formats, name, "", "log format").Entry(format=name, logs=path)
        near = [path, *entry.sidecars(path, root)]
        folders[name].update(one.rpartition("/")[0] for one in near)
    found: dict[str, list[str]] = defaultdict(list)
    for name, places in sorted(folders.items()):
        beside = registry.find(formats, name, "", "log format").Entry.is_sidecar
        for file in files:
            above = {file.path.rsplit("/", depth)[0] for depth in (1, 2) if "/" in file.path}
            if file.path not in known and beside(file.path) and places & (above or {""}):
                found[name].append(file.path)
    return dict(found)


def _harnesses(known: dict[str, tuple[str, str]]) -> list[Family]:
    found: dict[str, list[str]] = defaultdict(list)
    for path, (name, _) in sorted(known.items()):
        found[name].append(path)
    return [
        Family(name, known[paths[0]][1], paths, [], []) for name, paths in sorted(found.items())
    ]


def _layouts(
    files: Sequence[File], heads: dict[str, Head], unread: dict[str, list[str]]
) -> list[Family]:
    """Files of no harness: those alike in format, place of records, keys and what may be scores."""
    found: list[tuple[Family, set[str], set[str]]] = []
    for path in (file.path for file in files):
        head = heads[path]
        told = detection.layouts(path, head.data)
        if head.fault or not told:
            likely = path.endswith(inventory.LIKELY)
            unread[head.fault or ("unknown to all formats" if likely else "")].append(path)
            continue
        name, why = next(iter(told.items()))
        sheet = READ[name](path, head.data, head.whole)
        if sheet.fault or not sheet.rows:
            unread[sheet.fault or NONE].append(path)
            continue
        places = {place for row in sheet.rows[:50] for place in row}
        scored = scores.places(sheet.rows) or answers.places(sheet.rows)
        layout = known.find(places)
        if layout and layout.printed and name == "json" and b"\n" not in head.data.strip():
            name, sheet = "jsonl", READ["jsonl"](path, head.data, head.whole)  # its sums alone
        for family, has, graded in found:
            alike = layout or (graded & scored if scored else not graded)
            if alike and layout == known.find(has) and _is_of(family, has, name, sheet, places):
                family.looked.append(path)
                family.sheets.append(sheet)
                has.update(places)
                graded.intersection_update(scored)
                break
        else:
            found.append((Family(name, why, [path], [], [sheet]), places, scored))
    return _comparable([(family, graded) for family, _, graded in found], unread)


def _comparable(
    found: Sequence[tuple[Family, set[str]]], unread: dict[str, list[str]]
) -> list[Family]:
    """Families but for those whose answers are bare by chance, as most beside them are not."""
    kept = []
    for family, graded in found:
        folders = {path.rpartition("/")[0] for path in family.looked}
        wordy = [
            path
            for other, told in found
            if answers.is_wordy(graded, told)
            for path in other.looked
            if path.rpartition("/")[0] in folders
        ]
        if len(wordy) > len(family.looked):
            unread[f"no score, and answers in words in most files beside ({wordy[0]})"] += (
                family.looked
            )
        else:
            kept.append(family)
    return kept


def _is_of(family: Family, has: set[str], name: str, sheet: Sheet, places: set[str]) -> bool:
    first = family.sheets[0]
    same = (family.format, first.each, first.keyed, first.delimiter, first.decimal) == (
        name, sheet.each, sheet.keyed, sheet.delimiter, sheet.decimal,
    )  # fmt: skip
    same = same and first.printed == sheet.printed
    alike = len(has & places) >= ALIKE * min(len(has), len(places))
    return same and (alike or known.find(places) is not None)


def _completed(
    families: Sequence[Family],
    files: Sequence[File],
    beside: set[str],
    unread: dict[str, list[str]],
) -> list[Family]:
    """The families with the files that were not looked into, by where they lie and their names."""
    of: dict[str, int] = {path: n for n, one in enumerate(families) for path in one.looked}
    bad = {path for listed in unread.values() for path in listed}
    likely: dict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    for path, number in of.items():
        for kind in _kinds(path):
            likely[kind][number] += 1
    for file in files:
        if file.path in of or file.path in beside or file.path in bad:
            continue
        known = next((likely[kind] for kind in _kinds(file.path) if kind in likely), None)
        if known:
            of[file.path] = known.most_common(1)[0][0]
        else:
            unread["like no file that was looked into"].append(file.path)
    paths: dict[int, list[str]] = defaultdict(list)
    for path, number in sorted(of.items()):
        paths[number].append(path)
    return [one._replace(paths=paths[number]) for number, one in enumerate(families)]


def _kinds(path: str) -> list[tuple[str, ...]]:
    """What files are alike by, the surest first."""
    folder, _, name = path.rpartition("/")
    plain = re.sub(r"\d+", "0", name)
    end = inventory.ending(path)
    return [(folder, plain), (re.sub(r"\d+", "0", folder), plain), (folder, "", end), ("", "", end)]
