"""results/ro-crate-metadata.json: the run as a Workflow Run RO-Crate, profile Provenance Run.

Every file with its SHA-256, raw logs with the BLAKE3 that was taken as they were read; every job
with what it took and made, every setting as a parameter. Profile:
https://w3id.org/ro/wfrun/provenance/0.5; RO-Crate 1.1. There are no times in it, no hosts and no
random identifiers, so two runs of the same inputs are described by the same bytes. The date that
the specification asks for is that of this version of heatproof.

What was done are actions, the whole and each job as a step of it; the workflow is its steps, their
scripts and the library behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof import __date__, __version__
from heatproof.config import paths
from heatproof.crate import entities
from heatproof.crate.entities import (
    WORKFLOW,
    address,
    connections,
    parameters,
    ref,
    refs,
    script,
    slots,
    step,
)
from heatproof.crate.jobs import LICENSE
from heatproof.util.pins import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.crate.entities import Entity, Setting, Slot
    from heatproof.crate.jobs import Job, Known


TERMS = "https://w3id.org/ro/terms/workflow-run#"
INLINED = ("ParameterConnection", "connection", "sha256", "sourceParameter", "targetParameter")
CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    # The terms of workflow-run that are used, inlined so that one known context is enough.
    {term: TERMS + term for term in INLINED},
]
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
KEYWORDS = "evaluation, heatmap, hyper-parameter sweep, provenance"


def crate(
    jobs: Sequence[Job],
    settings: Mapping[str, Setting],
    files: Mapping[str, Known],
    program: Mapping[str, str],
) -> str:
    """The description of a run as JSON-LD.

    Args:
        jobs: all jobs, in the order of the stages.
        settings: key in config.yaml → what stands for it.
        files: path below the project folder → digest and size, of all files of jobs.
        program: path of the workflow's own files → digest.
    """
    taken = slots(jobs)
    steps = list(dict.fromkeys(job.step for job in jobs))
    found = [
        *(entities.file(path, *files[path]) for path in sorted(files)),
        *(entities.file(path, digest) for path, digest in sorted(program.items())),
        *parameters(taken),
        *(one for key, value in settings.items() for one in entities.setting(key, value)),
        *described(steps, taken, settings, program),
        *actions(jobs, settings),
        *connections(taken),
    ]
    found += [
        *entities.formats(one for one in found if "encodingFormat" in one),
        *_root(found, jobs),
    ]
    return entities.text(_joined(found), CONTEXT)


def _root(found: Sequence[Entity], jobs: Sequence[Job]) -> list[Entity]:
    """The crate itself, the profiles that it follows, and its descriptor."""
    parts = [one["@id"] for one in found if {"encodingFormat", "hasPart"} & one.keys()]
    figures = sum(job.step == "draw" for job in jobs)
    licence = entities.licence(LICENSE, address(LICENSE) in parts)
    return [
        licence,
        *_readme(parts),
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
            "description": f"{figures} figures of evaluation sweeps, rebuilt from the raw logs: "
            "every file on the way with its digest, every job with what it took and made.",
            "hasPart": refs(parts),
            "keywords": KEYWORDS,
            "license": ref(licence["@id"]),
            "mainEntity": ref(address(WORKFLOW)),
            "mentions": refs([RUN, ORGANIZATION, *(action_id(job) for job in jobs)]),
            "name": "heatproof: figures and their provenance",
        },
    ]


def _readme(parts: Sequence[str]) -> list[Entity]:
    """That the text beside the crate is about it."""
    name = address(paths.README)
    return [{"@id": name, "about": ref("./")}] if name in parts else []


def _joined(found: Iterable[Entity]) -> list[Entity]:
    """Entities of one @id put together."""
    joined: dict[str, Entity] = {}
    for one in found:
        joined[one["@id"]] = {**joined.get(one["@id"], {}), **one}
    return list(joined.values())


ENGINE, RUN, ORGANIZATION = "https://snakemake.github.io/", "#run", "#organization"


def _held(keys: Iterable[str], settings: Mapping[str, Setting]) -> list[str]:
    """The values of settings."""
    return [entities.setting(key, settings[key])[1]["@id"] for key in keys]


def actions(jobs: Sequence[Job], settings: Mapping[str, Setting]) -> list[Entity]:
    """The run, each job, and that the engine started each job as a step."""
    made = {path for job in jobs for paths in job.outputs.values() for path in paths}
    taken = {path for job in jobs for paths in job.inputs.values() for path in paths}
    outside = [*map(address, taken - made), *_held(settings, settings)]
    run = entities.action(RUN, "the whole run", address(WORKFLOW), outside, map(address, made))
    organized = {
        "@id": ORGANIZATION,
        "@type": "OrganizeAction",
        "actionStatus": entities.DONE,
        "name": "Snakemake plans the jobs and starts them",
        "instrument": ref(ENGINE),
        "object": refs(action_id(job, "control") for job in jobs),
        "result": ref(RUN),
    }
    return [run, organized, *(one for job in jobs for one in _job(job, settings))]


def action_id(job: Job, what: str = "job") -> str:
    """The @id of a job's action, or of another entity that belongs to it."""
    return f"#{what}/" + "/".join(part for part in (job.step, job.name) if part)


def _job(job: Job, settings: Mapping[str, Setting]) -> list[Entity]:
    given = [address(path) for paths in job.inputs.values() for path in paths]
    made = [address(path) for paths in job.outputs.values() for path in paths]
    given += _held(job.settings, settings)
    control = {
        "@id": action_id(job, "control"),
        "@type": "ControlAction",
        "actionStatus": entities.DONE,
        "name": f"start of {job.title}",
        "instrument": ref(step(job.step)),
        "object": ref(action_id(job)),
    }
    return [
        entities.action(action_id(job), job.title, address(script(job.step)), given, made),
        control,
    ]


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
    given += [entities.setting(key, value)[0]["@id"] for key, value in settings.items()]
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
