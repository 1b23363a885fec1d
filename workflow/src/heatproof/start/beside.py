"""Files with the settings of logs, beside these or above: which of them a source should name."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats import sidecars
from heatproof.start import columns, scores, sheets
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heatproof.start.families import Family

WORDS = {
    "arg", "args", "arguments", "cfg", "conf", "config", "configuration", "experiment", "exp",
    "flags", "hparams", "hyperparameters", "hyperparams", "info", "meta", "metadata", "options",
    "opts", "params", "parameters", "run", "settings", "setup",
}  # fmt: skip
"""Words in the names of files that hold settings."""
HIDDEN = (".hydra",)
"""Hidden folders beside logs that hold such."""
ABOVE = 3
"""Folders above a log in which its settings are sought."""
LISTED = 200
"""Files of a folder that are looked at, at most."""
USEFUL = {*columns.MODELS, *columns.TASKS, *columns.SETTINGS, *columns.SEEDS}
"""Names of what settings are called."""

Told = dict[str, dict[str, Any]]


def attached(families: Sequence[Family], root: Path) -> list[Family]:
    """The families, each with the file that tells its settings, where there is one.

    Files that only tell settings are no family of their own.
    """
    found = [_attached(family, root) if family.sheets else family for family in families]
    beside = {path for family in found for path in family.beside}
    return [family for family in found if not {*family.paths} <= beside]


def _attached(family: Family, root: Path) -> Family:
    best, most, rows = "", _useful([sheet.rows[0] for sheet in family.sheets]), {}
    for given in dict.fromkeys(_candidates(family, root)):
        told = _told(family, given, root)
        useful = _useful([*told.values()])
        if useful > most:
            best, most, rows = given, useful, told
    if not best:
        return family
    read = [
        sheet._replace(rows=[_without_head(row) | rows[sheet.path] for row in sheet.rows])
        for sheet in family.sheets
    ]
    beside = [sidecars.sidecar(path, best, root) or "" for path in family.paths]
    return family._replace(sheets=read, sidecar=best, beside=sorted({*beside}))


def _without_head(row: sheets.Row) -> sheets.Row:
    """A record without what the head of its document tells: a source has one or the other."""
    return {place: value for place, value in row.items() if not place.startswith(sheets.HEAD)}


def _candidates(family: Family, root: Path) -> Iterator[str]:
    """Names of files that may tell settings, of the folders of some logs; the nearest first."""
    for path in family.looked[:3]:
        log = PurePosixPath(path)
        stem = log.name.partition(".")[0]
        for depth, folder in enumerate([*log.parents][:-1][: ABOVE + 1]):
            for hidden in ("", *HIDDEN):
                for name in _names(root / folder / hidden):
                    if name.startswith(stem) and name != log.name and not (depth or hidden):
                        yield name.replace(stem, sidecars.NAME, 1)
                    elif {*scores.words(name.partition(".")[0])} & WORDS:
                        yield f"{hidden}/{name}" if hidden else name


def _names(folder: Path) -> list[str]:
    """Files of a folder that a source could name as such."""
    if not folder.is_dir():
        return []
    named = sorted(one.name for one in folder.iterdir() if one.name.endswith(sidecars.ENDINGS))
    return named[:LISTED]


def _told(family: Family, given: str, root: Path) -> Told:
    """Log → what its file of that name says; nothing if a log has none, or another's log is it."""
    logs = {*family.paths}
    beside = {path: sidecars.sidecar(path, given, root) for path in family.paths}
    if any(found is None or found in logs or "/" not in found for found in beside.values()):
        return {}
    found: Told = {}
    for path in family.looked:
        try:
            data = (root / str(beside[path])).read_bytes()[: sidecars.LIMIT]
            told = msgspec.json.decode(sidecars.as_json(data, str(beside[path])))
        except (Error, OSError, msgspec.DecodeError):
            return {}
        if not isinstance(told, dict) or {"sources", "figures"} <= {*told}:
            return {}  # a list of records, such as another run's; a config of ours
        found[path] = {f"{sheets.HEAD}{place}": v for place, v in sheets.flat(told).items()}
    return found


def _useful(rows: Sequence[sheets.Row]) -> int:
    """How many settings heads tell: those that vary, and the model."""
    places = dict.fromkeys(place for row in rows for place in row if place.startswith(sheets.HEAD))
    count = 0
    for place in places:
        column = columns.Column(place, [row.get(place) for row in rows])
        if any(isinstance(value, list) for value in column.values):
            continue  # lists tell no setting
        varied = len(column.distinct()) > 1
        count += column.name in columns.MODELS or (column.name in USEFUL and varied)
    return count
