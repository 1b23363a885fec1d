"""Files among the results that no job of the workflow makes, such as those of a former figure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.proof import artefacts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from heatproof.plan import Plan

FOLDER = "results"
UNPROVEN = {"log", "benchmark"}
"""Folders of what differs from run to run, and says nothing of any figure."""


def strays(root: Path, known: Collection[str]) -> list[str]:
    """Files below `results/` that are not `known`, nor in a folder that is; hidden ones aside."""
    found = []
    for name, folders, files in os.walk(root / FOLDER):
        place = Path(name).relative_to(root).as_posix()
        left = UNPROVEN if place == FOLDER else ()
        kept = (one for one in _seen(folders) if one not in left)
        folders[:] = [one for one in kept if f"{place}/{one}" not in known]
        found += [f"{place}/{one}" for one in _seen(files)]
    return sorted(path for path in found if path not in known)


def _seen(names: Iterable[str]) -> list[str]:
    """What is not hidden, as that is of which a killed job left a part."""
    return [name for name in names if not name.startswith(".")]


def of_plan(plan: Plan) -> list[str]:
    """Strays, if `config.yaml` is all that there is to make."""
    return strays(plan.root, {*artefacts.everything(plan)})
