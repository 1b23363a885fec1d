"""results/ro-crate-metadata.json: the run as a Workflow Run RO-Crate, profile Provenance Run.

Every file with its SHA-256, every job with what it took and made, every setting as a parameter.
Profile: https://w3id.org/ro/wfrun/provenance/0.5; RO-Crate 1.1. There are no times in it, no hosts
and no random identifiers, so two runs of the same inputs are described by the same bytes. The
date that the specification asks for is that of this version of heatproof.
"""

from __future__ import annotations

from collections import defaultdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import __date__, __version__, entities
from heatproof.entities import address, ref, refs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.entities import Entity
    from heatproof.jobs import Job

TERMS = "https://w3id.org/ro/terms/workflow-run#"
CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    # The terms of workflow-run that are used, inlined so that one known context is enough.
    {
        term: TERMS + term
        for term in (
            "ParameterConnection", "connection", "sourceParameter", "targetParameter", "sha256",
        )
    },  # fmt: skip
]
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
WORKFLOW, LIBRARY, LICENSE = "Snakefile", "workflow/src/heatproof/", "LICENSE"
ENGINE, LANGUAGE, RUN = "https://snakemake.github.io/", "#snakemake", "#run"


class Known(NamedTuple):
    """What is known of a file."""

    sha256: str
    size: int


class Slot(NamedTuple):
    """What a step takes or makes, by its name."""

    step: str
    name: str
    made: bool

    @property
    def id(self) -> str:
        return f"#{self.step}/{'result' if self.made else 'object'}/{self.name}"


def crate(
    jobs: Sequence[Job],
    settings: Mapping[str, Any],
    files: Mapping[str, Known],
    folders: Mapping[str, Sequence[str]],
    code: Sequence[str],
) -> str:
    """The description of a run as JSON-LD.

    Args:
        jobs: all jobs, in the order of the stages.
        settings: key in config.yaml → value.
        files: path below the project folder → digest and size, of all files of jobs, folders, code.
        folders: path of a folder that a job makes, ending in / → files in it.
        code: paths of the workflow's own files, LICENSE among them if there is one.
    """
    slots = _slots(jobs)
    steps = list(dict.fromkeys(job.step for job in jobs))
    found = [
        *(entities.file(path, *files[path]) for path in sorted({*files} - {WORKFLOW})),
        *(entities.folder(path, path, parts) for path, parts in folders.items()),
        *_parameters(slots),
        *(one for key, value in settings.items() for one in entities.setting(key, value)),
        *_program(steps, slots, files, settings, code),
        *_actions(jobs, settings),
        *_connections(slots),
    ]
    found += [*entities.formats(one for one in found if "encodingFormat" in one), *_root(found, jobs)]
    return entities.text(_joined(found), CONTEXT)


def _slots(jobs: Iterable[Job]) -> dict[Slot, list[str]]:
    """What steps take and make → the files, over all jobs."""
    found: defaultdict[Slot, list[str]] = defaultdict(list)
    for job in jobs:
        for made, given in ((False, job.inputs), (True, job.outputs)):
            for name, paths in given.items():
                found[Slot(job.step, name, made)] += paths
    return dict(found)


def _parameters(slots: Mapping[Slot, Sequence[str]]) -> list[Entity]:
    """A parameter for each slot, and on the side of the files what they are examples of."""
    examples: defaultdict[str, list[str]] = defaultdict(list)
    made = []
    for slot, paths in slots.items():
        kind = "Dataset" if any(path.endswith("/") for path in paths) else "File"
        said = f"{slot.name} that {slot.step} {'makes' if slot.made else 'takes'}"
        made.append(entities.parameter(slot.id, slot.name, kind, map(address, paths), said))
        for path in paths:
            examples[address(path)].append(slot.id)
    return [*made, *({"@id": path, "exampleOfWork": refs(of)} for path, of in examples.items())]


def _program(
    steps: Sequence[str],
    slots: Mapping[Slot, Sequence[str]],
    files: Mapping[str, Known],
    settings: Mapping[str, Any],
    code: Sequence[str],
) -> list[Entity]:
    """The workflow, its steps and the scripts that they run, with the library behind them."""
    library = [path for path in code if path.startswith(LIBRARY)]
    tools = [_tool(step, slots) for step in steps]
    return [
        _workflow(steps, slots, settings) | entities.file(WORKFLOW, *files[WORKFLOW]) | _kinds(),
        {"@id": LANGUAGE, "@type": "ComputerLanguage", "name": "Snakemake", "url": ref(ENGINE),
         "identifier": ref(ENGINE), "version": version("snakemake")},
        {"@id": ENGINE, "@type": "SoftwareApplication", "name": "Snakemake", "url": ref(ENGINE),
         "softwareVersion": version("snakemake")},
        entities.folder(LIBRARY, "the library heatproof", library) | {"version": __version__},
        *tools,
        *(_step(step, position) for position, step in enumerate(steps)),
    ]  # fmt: skip


def _kinds() -> Entity:
    return {"@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]}


def _workflow(
    steps: Sequence[str], slots: Mapping[Slot, Sequence[str]], settings: Mapping[str, Any]
) -> Entity:
    given = [slot.id for slot in slots if not slot.made]
    given += [entities.setting(key, value)[0]["@id"] for key, value in settings.items()]
    return {
        "conformsTo": ref("https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"),
        "hasPart": refs(address(_script(step)) for step in steps),
        "input": refs(given),
        "output": refs(slot.id for slot in slots if slot.made),
        "programmingLanguage": ref(LANGUAGE),
        "step": refs(map(_step_id, steps)),
        "version": __version__,
    }


def _script(step: str) -> str:
    return f"workflow/scripts/{step}.py"


def _step_id(step: str) -> str:
    return f"#step/{step}"


def _tool(step: str, slots: Mapping[Slot, Sequence[str]]) -> Entity:
    mine = [slot for slot in slots if slot.step == step]
    return {
        "@id": address(_script(step)),
        "@type": ["File", "SoftwareSourceCode"],
        "input": refs(slot.id for slot in mine if not slot.made),
        "output": refs(slot.id for slot in mine if slot.made),
        "softwareRequirements": ref(address(LIBRARY)),
        "version": __version__,
    }


def _step(step: str, position: int) -> Entity:
    return {
        "@id": _step_id(step),
        "@type": "HowToStep",
        "name": step,
        "position": str(position),
        "workExample": ref(address(_script(step))),
    }


def _held(keys: Iterable[str], settings: Mapping[str, Any]) -> list[str]:
    """The values of settings."""
    return [entities.setting(key, settings[key])[1]["@id"] for key in keys]


def _actions(jobs: Sequence[Job], settings: Mapping[str, Any]) -> list[Entity]:
    """The run, each job, and that the engine started each job as a step."""
    made = {path for job in jobs for paths in job.outputs.values() for path in paths}
    taken = {path for job in jobs for paths in job.inputs.values() for path in paths}
    outside = [*map(address, taken - made), *_held(settings, settings)]
    run = entities.action(RUN, "the whole run", address(WORKFLOW), outside, map(address, made))
    organized = {
        "@id": "#organization",
        "@type": "OrganizeAction",
        "name": "Snakemake plans the jobs and starts them",
        "instrument": ref(ENGINE),
        "object": refs(_id(job, "control") for job in jobs),
        "result": ref(RUN),
    }
    return [run, organized, *(one for job in jobs for one in _job(job, settings))]


def _id(job: Job, what: str = "job") -> str:
    return f"#{what}/" + "/".join(part for part in (job.step, job.name) if part)


def _job(job: Job, settings: Mapping[str, Any]) -> list[Entity]:
    given = [address(path) for paths in job.inputs.values() for path in paths]
    made = [address(path) for paths in job.outputs.values() for path in paths]
    given += _held(job.settings, settings)
    control = {
        "@id": _id(job, "control"),
        "@type": "ControlAction",
        "name": f"start of {job.title}",
        "instrument": ref(_step_id(job.step)),
        "object": ref(_id(job)),
    }
    return [entities.action(_id(job), job.title, address(_script(job.step)), given, made), control]


def _connections(slots: Mapping[Slot, Sequence[str]]) -> list[Entity]:
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
        for place in (address(WORKFLOW), _step_id(other.step)):
            told[place].append(name)
    return [*found, *({"@id": place, "connection": refs(names)} for place, names in told.items())]


def _root(found: Sequence[Entity], jobs: Sequence[Job]) -> list[Entity]:
    """The crate itself, the profiles that it follows, and its descriptor."""
    parts = [one["@id"] for one in found if {"sha256", "hasPart"} & one.keys()]
    figures = sum(job.step == "draw" for job in jobs)
    license_ = address(LICENSE)
    return [
        *(entities.profile(address_, name) for address_, name in PROFILES.items()),
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "about": ref("./"),
            "conformsTo": refs(["https://w3id.org/ro/crate/1.1", list(PROFILES)[-1]]),
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "conformsTo": refs(PROFILES),
            "datePublished": __date__,
            "description": f"{figures} figures of evaluation sweeps, rebuilt from the raw logs: every "
            "file on the way with its SHA-256, every job with what it took and made.",
            "hasPart": refs(parts),
            "license": ref(license_) if license_ in parts else "not stated",
            "mainEntity": ref(address(WORKFLOW)),
            "mentions": refs([RUN, "#organization", *(_id(job) for job in jobs)]),
            "name": "heatproof: figures and their provenance",
        },
    ]


def _joined(found: Iterable[Entity]) -> list[Entity]:
    """Entities of one @id put together."""
    joined: dict[str, Entity] = {}
    for one in found:
        joined[one["@id"]] = {**joined.get(one["@id"], {}), **one}
    return list(joined.values())
