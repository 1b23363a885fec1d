"""The workflow as entities of an RO-Crate: its steps, their scripts and the library behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof import __version__
from heatproof.crate import entities, params
from heatproof.crate.actions import ENGINE
from heatproof.crate.entities import address, ref, refs
from heatproof.crate.slots import WORKFLOW, script, step
from heatproof.util.pins import version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.crate.entities import Entity
    from heatproof.crate.settings import Setting
    from heatproof.crate.slots import Slot

LIBRARY = "workflow/src/heatproof/"
LANGUAGE = "#snakemake"


def described(
    steps: Sequence[str],
    taken: Mapping[Slot, Sequence[str]],
    settings: Mapping[str, Setting],
    program: Mapping[str, str],
) -> list[Entity]:
    """The workflow, its steps and the scripts that they run, with the library behind them."""
    library = [path for path in program if path.startswith(LIBRARY)]
    tools = [_tool(name, taken) for name in steps]
    return [
        _workflow(steps, taken, settings),
        {"@id": LANGUAGE, "@type": "ComputerLanguage", "name": "Snakemake", "url": ref(ENGINE),
         "identifier": ref(ENGINE), "version": version("snakemake")},
        {"@id": ENGINE, "@type": "SoftwareApplication", "name": "Snakemake", "url": ref(ENGINE),
         "softwareVersion": version("snakemake")},
        entities.folder(LIBRARY, "the library heatproof", library) | {"version": __version__},
        *tools,
        *(_step(name, position) for position, name in enumerate(steps)),
    ]  # fmt: skip


def _workflow(
    steps: Sequence[str], taken: Mapping[Slot, Sequence[str]], settings: Mapping[str, Setting]
) -> Entity:
    given = [slot.id for slot in taken if not slot.made]
    given += [params.setting(key, value)[0]["@id"] for key, value in settings.items()]
    return {
        "@id": address(WORKFLOW),
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
        "conformsTo": ref("https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"),
        "hasPart": refs(address(script(step)) for step in steps),
        "input": refs(given),
        "output": refs(slot.id for slot in taken if slot.made),
        "programmingLanguage": ref(LANGUAGE),
        "step": refs(map(step, steps)),
        "url": ref(address(WORKFLOW)),
        "version": __version__,
    }


def _tool(name: str, taken: Mapping[Slot, Sequence[str]]) -> Entity:
    mine = [slot for slot in taken if slot.step == name]
    return {
        "@id": address(script(name)),
        "@type": ["File", "SoftwareSourceCode"],
        "input": refs(slot.id for slot in mine if not slot.made),
        "output": refs(slot.id for slot in mine if slot.made),
        "softwareRequirements": ref(address(LIBRARY)),
        "url": ref(address(script(name))),
        "version": __version__,
    }


def _step(name: str, position: int) -> Entity:
    return {
        "@id": step(name),
        "@type": "HowToStep",
        "name": name,
        "position": str(position),
        "workExample": ref(address(script(name))),
    }
