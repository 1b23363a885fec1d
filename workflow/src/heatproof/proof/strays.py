"""Files among the results that no job of the workflow makes, such as those of a former figure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.proof import artefacts

if TYPE_CHECKING:
    from collections.abc import Collection

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
        folders[:] = [one for one in folders if one not in left and f"{place}/{one}" not in known]
        found += [f"{place}/{one}" for one in files if not one.startswith(".")]
    return sorted(path for path in found if path not in known)


def of_plan(plan: Plan) -> list[str]:
    """Strays, if `config.yaml` is all that there is to make."""
    return strays(plan.root, {*artefacts.everything(plan)})
