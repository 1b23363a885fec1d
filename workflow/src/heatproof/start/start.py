"""From a folder to a config: what lies there, what can be read, and what is left."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from heatproof.config.configuration import is_name
from heatproof.formats import detection
from heatproof.logs import logs
from heatproof.start import (
    families,
    figures,
    harness,
    inventory,
    own,
    patterns,
    printed,
    scores,
    sweep,
    trial,
)
from heatproof.start.block import Line, plain
from heatproof.start.source import Cannot
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from heatproof.config.entries import Source
    from heatproof.formats.api import Offer
    from heatproof.start.families import Family, Sorted
    from heatproof.start.figures import Figure
    from heatproof.start.inventory import Inventory
    from heatproof.start.source import Ask, Found
    from heatproof.start.trial import Trial


class Made(NamedTuple):
    """A source with its figures."""

    name: str
    found: Found
    line: Line
    figures: list[Figure]
    words: list[tuple[str, str]]


class Start(NamedTuple):
    """What a folder holds, and what was made of it."""

    inventory: Inventory
    sorted: Sorted
    made: list[Made]
    failed: list[tuple[Family, str]]
    """Logs of which no source could be made, and why."""
    known: int
    """Files that the config reads already."""

    def sources(self) -> list[Line]:
        """What stands under `sources`."""
        return [one.line for one in self.made]

    def figures(self) -> list[Line]:
        """What stands under `figures`."""
        return [Line(one.name, one.lines, one.what) for made in self.made for one in made.figures]


def begin(
    folder: Path,
    within: str,
    root: Path,
    ask: Ask,
    taken: Collection[str] = (),
    known: Iterable[Source] = (),
) -> Start:
    """Look through a folder.

    Args:
        folder: where it lies.
        within: what it is called in the project.
        root: the project.
        ask: what decides between two readings.
        taken: names of sources and figures that there are.
        known: sources that there are; their logs are left.
    """
    there = inventory.inventory(folder, within)
    left = [file for file in there.files if not any(logs.matches(one, file.path) for one in known)]
    read = len(there.files) - len(left)
    there = there._replace(files=left)
    found = families.sort(there, root)
    made: list[Made] = []
    failed: list[tuple[Family, str]] = []
    names = {*taken}
    for family, offers in _parts(found, root):
        name = _name(family, names, within)
        try:
            if family.sheets:
                numbers = printed.found(family, ask)
                _require_own(family, [one.found.family for one in made], printed=bool(numbers))
                source = numbers or own.found(family, ask)
            else:
                source = harness.found(family, offers, ask, root, found.size)
            others = _others(source.family, there, found)
            one = _made(source, name, others, root, found.size)
        except Cannot as error:
            failed.append((family, str(error)))
            continue
        made.append(one)
        failed += [(family._replace(paths=[path]), why) for path, why in source.strange.items()]
        names |= {name, *(figure.name for figure in one.figures)}
    return Start(there, found, made, failed, read)


def _others(family: Family, there: Inventory, found: Sorted) -> list[str]:
    """Files of the folder that are none of the family's, nor passed over beside its logs."""
    mine = {*family.paths, *family.beside, *found.sidecars.get(family.format, ())}
    paths = [file.path for file in (*there.files, *there.pointers)] + there.empty
    return [path for path in paths if path not in mine]


def _parts(found: Sorted, root: Path) -> Iterator[tuple[Family, list[Offer]]]:
    """The families, each with what its logs offer; files of a single record last."""
    for family in sorted(found.families, key=lambda family: family.is_single):
        if family.sheets:
            yield family, []
        else:
            yield from harness.parts(family, root)


def _require_own(family: Family, made: Iterable[Family], *, printed: bool) -> None:
    """Raise Cannot if each of its files is a single record of a score, or of numbers that were
    `printed`, and lies beside a log of several.
    """
    folders = {path.rpartition("/")[0] for one in made if not one.is_single for path in one.paths}
    mine = [path.rpartition("/")[0] for path in family.paths]
    scored = any(scores.candidates(sheet.rows, above=False) for sheet in family.sheets[:1])
    if family.is_single and (scored or printed) and {*mine} <= folders:
        raise Cannot("a record each, beside logs of single problems: it sums these up")


def _made(found: Found, name: str, others: list[str], root: Path, size: int) -> Made:
    family = found.family
    pattern = patterns.patterns(family.paths, others, more=not family.sheets)
    count = f"{len(family.paths):,} files" if len(family.paths) > 1 else "1 file"
    lines = [Line("format", family.format, family.why), Line("logs", pattern, count), *found.lines]
    try:
        source = trial.source(name, plain(lines), root)
    except Error as error:
        raise Cannot(f"cannot be read yet: {error}") from error
    read = trial.read(source, family.looked, size, root, whole=family.all_looked)
    _require(read)
    if getattr(source, "grade", None) and not any(read.columns["score"]):
        raise Cannot("no score in its records, and no answer in them equals its target")
    drawn = figures.figures(found, read, source.columns(), name)
    told = sweep.words(read, source.columns(), family, found.versus, printed=found.printed)
    return Made(name, found, Line(name, lines), drawn, told)


def _require(read: Trial) -> None:
    """Raise Cannot if next to nothing could be read as was meant."""
    refused = sum(read.refused.values())
    if read.error or refused > len(read.columns["score"]):
        reason = read.error or read.refused.most_common(1)[0][0]
        raise Cannot(f"cannot be read yet: {reason}")
    if not read.columns["score"]:
        raise Cannot("no record of it could be read")


def _name(family: Family, taken: Collection[str], within: str) -> str:
    """A name of its own: the format of a harness, else the folder or the file."""
    folder = Path(*_common(family.paths)).name if _common(family.paths) else within
    if not family.sheets:
        base = family.format
    elif len(family.paths) == 1:
        base = Path(detection.plain(family.paths[0])).stem
    else:
        base = folder.rpartition("/")[2]
    # Letters lose their accents, which NFKD sets behind them.
    base = "".join(c for c in unicodedata.normalize("NFKD", base) if not unicodedata.combining(c))
    base = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in base).strip(
        "-_"
    )
    base = base if is_name(base) else "logs"
    number, found = 2, base
    while any(one == found or one.startswith(f"{found}-") for one in taken):
        found, number = f"{base}{number}", number + 1
    return found


def _common(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders that all paths have."""
    split = [path.split("/")[:-1] for path in paths]
    found = []
    for level in zip(*split, strict=False):
        if len({*level}) > 1:
            break
        found.append(level[0])
    return tuple(found)
