"""What the steps of a run take and make, as parameters of an RO-Crate, and how they connect."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from heatproof.crate import params
from heatproof.crate.entities import address, ref, refs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.crate.entities import Entity
    from heatproof.crate.jobs import Job

WORKFLOW = "Snakefile"


class Slot(NamedTuple):
    """What a step takes or makes, by its name."""

    step: str
    name: str
    made: bool

    @property
    def id(self) -> str:
        return f"#{self.step}/{'result' if self.made else 'object'}/{self.name}"


def slots(jobs: Iterable[Job]) -> dict[Slot, list[str]]:
    """What steps take and make → the files, over all jobs."""
    found: defaultdict[Slot, list[str]] = defaultdict(list)
    for job in jobs:
        for made, given in ((False, job.inputs), (True, job.outputs)):
            for name, paths in given.items():
                found[Slot(job.step, name, made)] += paths
    return dict(found)


def parameters(slots: Mapping[Slot, Sequence[str]]) -> list[Entity]:
    """A parameter for each slot, and on the side of the files what they are examples of."""
    examples: defaultdict[str, list[str]] = defaultdict(list)
    made = []
    for slot, paths in slots.items():
        kind = "Dataset" if any(path.endswith("/") for path in paths) else "File"
        said = f"{slot.name} that {slot.step} {'makes' if slot.made else 'takes'}"
        made.append(params.parameter(slot.id, slot.name, kind, map(address, paths), said))
        for path in paths:
            examples[address(path)].append(slot.id)
    return [*made, *({"@id": path, "exampleOfWork": refs(of)} for path, of in examples.items())]


def script(step: str) -> str:
    """Path of the script that a step runs."""
    return f"workflow/scripts/{step}.py"


def step(name: str) -> str:
    """The @id of a step."""
    return f"#step/{name}"


def connections(slots: Mapping[Slot, Sequence[str]]) -> list[Entity]:
    """That what one step makes another takes; told by the workflow and by the step that takes."""
    source = {path: slot for slot, paths in slots.items() if slot.made for path in paths}
    pairs = {
        (source[path], slot)
        for slot, paths in slots.items()
        if not slot.made
        for path in paths
        if path in source
    }
    told: defaultdict[str, list[str]] = defaultdict(list)
    found: list[Entity] = []
    for one, other in sorted(pairs):
        name = f"#connection/{one.step}/{one.name}/{other.step}/{other.name}"
        ends = {"sourceParameter": ref(one.id), "targetParameter": ref(other.id)}
        found.append({"@id": name, "@type": "ParameterConnection", **ends})
        for place in (address(WORKFLOW), step(other.step)):
            told[place].append(name)
    return [*found, *({"@id": place, "connection": refs(names)} for place, names in told.items())]
