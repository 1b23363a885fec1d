"""The run as an RO-Crate: true edges, every file, every setting, the same bytes anywhere."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from heatproof.crate import crate, entities, jobs
from heatproof.crate.entities import settings
from heatproof.plan import code_digest
from heatproof.plan.plan import Plan
from heatproof.provenance import manifest
from heatproof.util import hashed, pins
from heatproof.util.errors import Error
from profiles import issues
from test_workflow import CONFIG, write_logs

if TYPE_CHECKING:
    from pathlib import Path

PRINTED = "data/printed.csv"


def plan_of(root: Path) -> Plan:
    """A plan with two sources, one of them compared with printed digits."""
    write_logs(root / "data" / "runs")
    (root / PRINTED).write_text("digits\n")
    config: dict[str, Any] = copy.deepcopy(CONFIG)
    config["sources"]["printed"] = config["sources"]["runs"]
    config["paper"] = {"printed": {"cells": PRINTED}}
    config["figures"]["made"] = config["figures"]["grid"] | {"source": "printed"}
    config["figures"]["grid"]["formats"] = ["svg", "html"]
    config["figures"]["grid"]["where"] = {"model": ["m", "n"]}
    return Plan(config, root)


def described(plan: Plan, library: bool = True) -> str:
    """The crate of a plan as if it had been run, with made-up digests; with or without library."""
    done = jobs.jobs(plan)
    sides = [side for job in done for side in (job.inputs, job.outputs)]
    every = {path for side in sides for found in side.values() for path in found}
    known = {
        path: jobs.Known(
            f"{len(path):064x}", len(path), *["blake3"] * path.startswith("data/runs/")
        )
        for path in every
    }
    program = {
        path: digest
        for path, digest in {**manifest.code_digests(), **jobs.beside()}.items()
        if library or not path.startswith(crate.LIBRARY)
    }
    return crate.crate(done, settings(plan), known, program)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(tmp_path)


@pytest.fixture
def graph(plan: Plan) -> dict[str, dict[str, Any]]:
    """@id → entity."""
    return {one["@id"]: one for one in json.loads(described(plan))["@graph"]}


def ids(value: Any) -> set[str]:
    """What a property refers to."""
    listed = value if isinstance(value, list) else [value] if value else []
    return {one["@id"] for one in listed}


def test_every_artefact_is_made_by_one_job(plan: Plan) -> None:
    """What the workflow makes is what the jobs make; nothing is made twice or left out."""
    made = [path for job in jobs.jobs(plan) for found in job.outputs.values() for path in found]
    assert sorted(made) == sorted(manifest.described(plan))


def test_jobs_take_what_was_made_before_or_lies_outside(plan: Plan) -> None:
    """The order of the jobs is one in which they can be done."""
    made: set[str] = set()
    for job in jobs.jobs(plan):
        taken = {path for found in job.inputs.values() for path in found}
        assert all((plan.root / path).is_file() for path in taken - made), job
        made |= {path for found in job.outputs.values() for path in found}


def test_a_figure_is_made_of_its_own_grid_alone(graph: dict[str, dict[str, Any]]) -> None:
    """And of the drawing library, where there is a page; no edge that is not true."""
    action = graph["#job/draw/grid"]
    files = {one for one in ids(action["object"]) if not one.startswith("#")}
    assert files == {"grids/grid.parquet", "grids/grid.json", "vega.js"}
    assert ids(action["result"]) >= {"specs/grid.vl.json", "figures/grid.svg", "tables/grid.tex"}
    assert "vega.js" not in ids(graph["#job/draw/pair"]["object"])


def test_raw_logs_are_inputs_of_their_shard(graph: dict[str, dict[str, Any]]) -> None:
    """Snakemake does not know the logs; the crate names each with its digest."""
    logs = {one for one in ids(graph["#job/normalize/runs/0000"]["object"]) if "data/" in one}
    assert len(logs) == 8
    assert all(re.fullmatch("blake3:[0-9a-f]{64}", graph[log]["identifier"]) for log in logs)


def test_a_comparison_takes_grids_and_printed_digits(graph: dict[str, dict[str, Any]]) -> None:
    """And the settings that name them; what it makes is part of the run."""
    action = graph["#job/check_published/printed"]
    taken = {"grids/made.parquet", "../data/printed.csv", "#setting/paper.printed.cells"}
    assert ids(action["object"]) >= taken
    assert ids(action["result"]) == {"published/printed.csv", "published/printed.txt"}


def test_names_are_percent_encoded() -> None:
    """An @id is the address of a file; its name stays as it is."""
    one = entities.file("results/tables/a b.csv", "0")
    assert (one["@id"], one["name"]) == ("tables/a%20b.csv", "results/tables/a b.csv")


def test_every_file_has_a_digest(graph: dict[str, dict[str, Any]]) -> None:
    """Whatever is a file carries the digest of its bytes and a format, and is part of the whole."""
    found = [one for one in graph.values() if "File" in one["@type"]]
    assert len(found) > 100
    assert all({"encodingFormat", "name"} <= one.keys() for one in found)
    assert all(("sha256" in one) != ("identifier" in one) for one in found)
    assert {one["@id"] for one in found} <= ids(graph["./"]["hasPart"])


def test_digests_of_logs_are_those_of_reading(tmp_path: Path) -> None:
    """Logs and sidecars are not read again; one that no job has read is told."""
    told = [jobs.Job("normalize", "s/0000", {"logs": ["a", "b"]}, {"manifest": ["m.csv"]})]
    (tmp_path / "m.csv").write_text("log,blake3,bytes\na,1,4\nb,2,5\n")
    found = jobs.read(told, tmp_path)
    assert found["a"] == jobs.Known("1", 4, "blake3")
    assert found["m.csv"].kind == "sha256"
    (tmp_path / "m.csv").write_text("log,blake3,bytes\na,1,4\n")
    with pytest.raises(Error, match="b came while the logs were read"):
        jobs.read(told, tmp_path)


def test_settings_are_parameters_with_values(graph: dict[str, dict[str, Any]]) -> None:
    """Each key of config.yaml is a parameter of the workflow, held by the jobs that read it."""
    held = graph["#setting/figures.grid.encoding.x"]
    assert (held["value"], held["exampleOfWork"]["@id"]) == (
        "ratio",
        "#parameter/figures.grid.encoding.x",
    )
    assert graph["#setting/figures.grid.where.model"]["value"] == '["m", "n"]'
    assert held["@id"] in ids(graph["#job/aggregate/grid"]["object"])
    title = "#setting/figures.grid.title"
    assert title in ids(graph["#job/draw/grid"]["object"])
    assert title not in ids(graph["#job/aggregate/grid"]["object"])


def test_a_job_holds_the_settings_of_its_own_figure(tmp_path: Path) -> None:
    """Not those of another whose name begins like its own and goes on with a dot."""
    figures = CONFIG["figures"] | {"grid.more": CONFIG["figures"]["grid"]}
    write_logs(tmp_path / "data" / "runs")
    held = {job.name: job.settings for job in jobs.jobs(Plan(CONFIG | {"figures": figures}, tmp_path))
            if job.step == "draw"}  # fmt: skip
    assert "figures.grid.more.title" in held["grid.more"]
    assert not [key for key in held["grid"] if key.startswith("figures.grid.more.")]


def test_parameters_say_what_is_taken_where_nothing_is_written(
    graph: dict[str, dict[str, Any]],
) -> None:
    """Which keys config.yaml must have, and the defaults of the others, of their own type."""
    kind, best, compare, x = (
        graph[f"#parameter/figures.{key}"]
        for key in ("grid.kind", "grid.best", "pair.compare", "grid.encoding.x")
    )
    assert (kind["valueRequired"], x["valueRequired"]) == (True, True)
    assert (best["valueRequired"], best["defaultValue"]) == (False, "highest")
    assert (compare["defaultValue"], compare["additionalType"]) == ("model", "Text")
    assert "defaultValue" not in kind


def test_a_licence_is_told_or_that_there_is_none() -> None:
    """The root links to the file, or to words that say so."""
    assert entities.licence("LICENSE", True)["@id"] == "../LICENSE"
    assert "no file LICENSE" in entities.licence("LICENSE", False)["name"]


def test_licence_and_pins_beside_the_library_are_told(graph: dict[str, dict[str, Any]]) -> None:
    """Both by their paths in the repository, with the digests of what lies there."""
    for path in ("LICENSE", pins.NAME):
        assert graph[f"../{path}"]["sha256"] == hashed.sha256(code_digest.REPOSITORY / path)


def test_the_run_has_what_lies_outside_as_object(graph: dict[str, dict[str, Any]]) -> None:
    """The whole run takes logs, printed digits and settings, and makes all the rest."""
    taken = {one for one in ids(graph["#run"]["object"]) if not one.startswith("#")}
    assert {path.split("/")[1] for path in taken} == {"data"}
    assert "index.html" in ids(graph["#run"]["result"])


def test_all_that_is_referred_to_is_there(graph: dict[str, dict[str, Any]]) -> None:
    """No reference within the crate leads nowhere."""
    found = re.findall(r'"@id": "([^"]+)"', json.dumps(list(graph.values())))
    assert {one for one in found if not one.startswith("https://")} <= graph.keys()


def test_the_same_run_has_the_same_bytes(tmp_path: Path) -> None:
    """Neither the place nor the day shows: no absolute path, no time, no random name."""
    first, second = (described(plan_of(tmp_path / name)) for name in ("a", "other"))
    assert first == second
    assert str(tmp_path) not in first
    assert not re.search(r"\d\d:\d\d:\d\d|[0-9a-f]{8}-[0-9a-f]{4}-", first)


def test_the_crate_follows_the_profile(plan: Plan, tmp_path: Path) -> None:
    """All is there that is required or recommended, but for what no run can tell of itself."""
    (tmp_path / "results").mkdir(exist_ok=True)
    (tmp_path / "results/ro-crate-metadata.json").write_text(described(plan, library=False))
    assert issues(tmp_path / "results", tmp_path / "cache", metadata_only=True) == []


def test_a_crate_that_breaks_the_profile_is_found(plan: Plan, tmp_path: Path) -> None:
    """The check above can fail: a step that no workflow has is reported."""
    text = described(plan, library=False).replace('"step": [', '"steps": [')
    (tmp_path / "results").mkdir(exist_ok=True)
    (tmp_path / "results/ro-crate-metadata.json").write_text(text)
    assert issues(tmp_path / "results", tmp_path / "cache", metadata_only=True) != []
