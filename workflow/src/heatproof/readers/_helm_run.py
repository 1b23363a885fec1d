"""The run of HELM instances: `run_spec.json` beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._documents import decoded
from heatproof.readers._params import lookup
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from heatproof.readers._log import Log
    from heatproof.readers.helm import Entry

SPEC = "run_spec.json"
MODEL = ("model", "model_deployment")
"""Parts of a run's name that tell the model, not the task."""


class Spec(msgspec.Struct):
    """The places wanted of a run's specification."""

    name: str = ""
    adapter_spec: dict[str, Any] = {}
    scenario_spec: dict[str, Any] = {}


def beside(path: str) -> str:
    """The specification of the run that the instances at a path are of."""
    return path.rpartition("/")[0] + "/" + SPEC if "/" in path else SPEC


def shared(log: Log, entry: Entry) -> dict[str, Any]:
    """Model, task and hyper-parameters. Raises Error where the specification does not tell."""
    path = beside(log.path)
    if not (log.root / path).is_file():
        raise Error(f"no {SPEC} beside it: model, task and settings are there")
    spec: Spec = decoded(log.beside(path, entry.max_document), Spec, SPEC)
    scenario, _, told = spec.name.partition(":")
    parts = [part for part in told.split(",") if part]
    task = ",".join(part for part in parts if part.partition("=")[0] not in MODEL)
    places = [spec.adapter_spec, spec.scenario_spec.get("args"), told]
    model = next((spec.adapter_spec[key] for key in MODEL if spec.adapter_spec.get(key)), "")
    named = {"model": str(model), "task": f"{scenario}:{task}" if task else scenario}
    return named | lookup(entry.wanted(), places)
