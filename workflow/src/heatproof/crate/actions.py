"""What was done in a run, as actions of an RO-Crate: the whole, and each job as a step of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.crate import entities, params
from heatproof.crate.entities import address, ref, refs
from heatproof.crate.slots import WORKFLOW, script, step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.crate.entities import Entity
    from heatproof.crate.jobs import Job
    from heatproof.crate.settings import Setting

ENGINE, RUN, ORGANIZATION = "https://snakemake.github.io/", "#run", "#organization"


def _held(keys: Iterable[str], settings: Mapping[str, Setting]) -> list[str]:
    """The values of settings."""
    return [params.setting(key, settings[key])[1]["@id"] for key in keys]


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
