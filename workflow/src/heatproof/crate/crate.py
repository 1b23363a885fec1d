"""results/ro-crate-metadata.json: the run as a Workflow Run RO-Crate, profile Provenance Run.

Every file with its SHA-256, raw logs with the BLAKE3 that was taken as they were read; every job
with what it took and made, every setting as a parameter.
Profile: https://w3id.org/ro/wfrun/provenance/0.5; RO-Crate 1.1. There are no times in it, no hosts
and no random identifiers, so two runs of the same inputs are described by the same bytes. The
date that the specification asks for is that of this version of heatproof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof import __date__
from heatproof.config import paths
from heatproof.crate import entities, params, workflow
from heatproof.crate.actions import ORGANIZATION, RUN, action_id, actions
from heatproof.crate.entities import address, ref, refs
from heatproof.crate.files import LICENSE
from heatproof.crate.slots import WORKFLOW, connections, parameters, slots

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.crate.entities import Entity
    from heatproof.crate.files import Known
    from heatproof.crate.jobs import Job
    from heatproof.crate.settings import Setting

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
    folders: Mapping[str, Sequence[str]],
    program: Mapping[str, str],
) -> str:
    """The description of a run as JSON-LD.

    Args:
        jobs: all jobs, in the order of the stages.
        settings: key in config.yaml → what stands for it.
        files: path below the project folder → digest and size, of all files of jobs and folders.
        folders: path of a folder that a job makes, ending in / → files in it.
        program: path of the workflow's own files → digest.
    """
    taken = slots(jobs)
    steps = list(dict.fromkeys(job.step for job in jobs))
    found = [
        *(entities.file(path, *files[path]) for path in sorted(files)),
        *(entities.file(path, digest) for path, digest in sorted(program.items())),
        *(entities.folder(path, path, parts) for path, parts in folders.items()),
        *parameters(taken),
        *(one for key, value in settings.items() for one in params.setting(key, value)),
        *workflow.described(steps, taken, settings, program),
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
