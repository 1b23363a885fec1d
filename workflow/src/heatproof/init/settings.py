"""Files with the settings of logs, beside these or above: which of them a source should name."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats import sidecars
from heatproof.init import tree
from heatproof.init.words import holds, weight
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heatproof.init.frame import Family

HIDDEN = (".hydra",)
"""Hidden folders beside logs that hold such."""
ABOVE = 3
"""Folders above a log in which its settings are sought."""
LISTED = 200
"""Files of a folder that are looked at, at most."""


def attach(families: Sequence[Family], root: Path) -> tuple[list[Family], list[str]]:
    """The families, each with the file that holds its settings, and these files.

    Files that only hold settings are no family of their own.
    """
    beside: set[str] = set()
    for family in families:
        if family.format == "json" and _are_records(family.documents):
            continue  # they hold their settings themselves
        best, most = "", 0
        for name in dict.fromkeys(_candidates(family, root)):
            settings = _settings(family, name, root)
            useful = _useful(settings)
            if useful > most:
                best, most, family.settings = name, useful, settings
        if best:
            family.sidecar = best
            beside |= {sidecars.sidecar(path, best, root) or "" for path in family.paths}
    rest = [family for family in families if not {*family.paths} <= beside]
    return rest, sorted(beside)


def _are_records(documents: Sequence[Any]) -> bool:
    """Whether documents are a record each."""
    return all(
        isinstance(document, dict) and not tree.of_documents([document])[:-1]
        for document in documents[:3]
    )


def _candidates(family: Family, root: Path) -> Iterator[str]:
    """Names of files that may hold settings, in the folders of some logs; the nearest first."""
    for path in family.sampled[:3]:
        log = PurePosixPath(path)
        stem = log.name.partition(".")[0]
        for depth, folder in enumerate([*log.parents][:-1][: ABOVE + 1]):
            for hidden in ("", *HIDDEN):
                for name in _names(root / folder / hidden):
                    if name.startswith(stem) and name != log.name and not (depth or hidden):
                        yield name.replace(stem, sidecars.NAME, 1)
                    elif holds("settings_files", name.partition(".")[0]):
                        yield f"{hidden}/{name}" if hidden else name


def _names(folder: Path) -> list[str]:
    """Files of a folder that a source could name as such."""
    if not folder.is_dir():
        return []
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(sidecars.ENDINGS))
    return names[:LISTED]


def _settings(family: Family, name: str, root: Path) -> list[dict[str, Any]]:
    """Of each log that was looked into: place → value, in the file of that name.

    Nothing if a log has none, or another log is it.
    """
    logs = {*family.paths}
    beside = {path: sidecars.sidecar(path, name, root) for path in family.paths}
    if any(path is None or path in logs or "/" not in path for path in beside.values()):
        return []
    settings = []
    for log in family.sampled:
        path = str(beside[log])
        try:
            data = (root / path).read_bytes()[: sidecars.LIMIT]
            content = msgspec.json.decode(sidecars.as_json(data, path))
        except (Error, OSError, msgspec.DecodeError):
            return []
        if not isinstance(content, dict) or {"sources", "figures"} <= {*content}:
            return []  # a list of records, such as another run's; a config of ours
        settings.append(tree.head(content))
    return settings


def _useful(settings: Sequence[dict[str, Any]]) -> int:
    """How many settings they hold: those that vary, and the model."""
    count = 0
    for place in dict.fromkeys(place for row in settings for place in row):
        values = {repr(row.get(place)) for row in settings}
        model = weight("model", place) > weight("not_model", place)
        likely = max(weight("setting", place), weight("task", place), weight("epoch", place)) >= 1.5
        count += model or (likely and len(values) > 1)
    return count
