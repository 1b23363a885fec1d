"""heatproof as a module of another workflow: folders of its own, logs that rules there make."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli import main as cli
from heatproof.config import roots
from heatproof.plan import called, embedded, inventory
from heatproof.plan.plan import Plan
from heatproof.proof import rebuild
from heatproof.provenance import job
from heatproof.util.errors import Error
from test_pack import CONFIG
from test_workflow import PROJECT, Project

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = CONFIG["sources"]["own"]


def asking(logs: Any, **more: Any) -> dict[str, Any]:
    """The config with these logs."""
    return CONFIG | {"sources": {"own": SOURCE | {"logs": logs} | more}}


def moved(prefix: str, start: str = "") -> Callable[[str], str]:
    return lambda path: prefix + path.removeprefix(start) if path.startswith(start) else path


def test_a_prefix_is_the_folder_of_a_project() -> None:
    """Nothing else than a prefix is taken: pages and proofs name results so."""
    assert embedded.folder(lambda path: path) == ""
    assert embedded.folder(moved("figs/a/")) == "figs/a/"
    for other in (moved("sub/", "results/"), moved("sub/results/", "results/"), moved("/far/")):
        with pytest.raises(Error, match="takes `prefix"):
            embedded.folder(other)


def test_logs_named_in_full_settle_what_hangs_on_them() -> None:
    """How many tables there are, and that printed numbers are not compared, if nobody says else."""
    many = [f"logs/{number}.jsonl" for number in range(1001)]
    (source,) = embedded.handed_on(asking(many), "")["sources"].values()
    assert (source["shards"], source["compare_printed"]) == (2, False)
    (source,) = embedded.handed_on(asking(many, shards=3), "")["sources"].values()
    assert source["shards"] == 3
    (source,) = embedded.handed_on(asking(many, grade="math"), "")["sources"].values()
    assert source["shards"] == 11, "grading takes long"
    assert embedded.handed_on(asking("logs/*.jsonl"), "") == asking("logs/*.jsonl")
    wrong = asking(["logs/no.jsonl"], format="auto", compare_printed=True)
    with pytest.raises(Error, match=r"sources\.own\.format: auto looks at logs") as told:
        embedded.handed_on(wrong, "")
    assert "sources.own.compare_printed: what a harness prints" in str(told.value)


@pytest.mark.parametrize(
    ("config", "folders"),
    [
        (asking("logs/*.jsonl"), {"logs": "../../logs"}),
        (asking("in/x", path="p") | {"roots": {"in": "results/evals"}}, {"in": "../../results/evals"}),
        (asking("in/x") | {"roots": {"in": "/far"}}, {"in": "/far"}),
        (asking("a/x") | {"figures": {"f": {"font": {"bold": "f/b.ttf", "fallback": {"regular": "g/r.otf"}}}}},
         {"a": "../../a", "f": "../../f", "g": "../../g"}),
        (asking(["a/x", "b/y"]) | {"paper": {"own": {"cells": "p/c.csv"}}},
         {"a": "../../a", "b": "../../b", "p": "../../p"}),
    ],
)  # fmt: skip
def test_logs_are_named_from_where_snakemake_runs(
    config: dict[str, Any], folders: dict[str, str]
) -> None:
    """Links in the folder of the module lead to them."""
    assert embedded.handed_on(config, "figs/one/")["roots"] == folders


@pytest.mark.parametrize(
    ("logs", "folder"),
    [
        ("*.jsonl", "."),
        ("**/x.jsonl", "."),
        ("results/evals/x.jsonl", "results/evals"),
        ("my logs/*/x.jsonl", "my logs"),
    ],
)
def test_what_no_link_can_stand_for_is_refused(logs: str, folder: str) -> None:
    """With the key that gives it a name."""
    with pytest.raises(Error, match=rf"give the folder a name: roots: \{{logs: {folder}\}}"):
        embedded.handed_on(asking(["a/x", logs]), "one/")
    named = asking("in/x") | {"roots": {"in": folder}}
    there = embedded.handed_on(named, "one/")["roots"]["in"]
    assert there == f"../{folder}".removesuffix("/.")


def test_a_root_may_be_made_later(tmp_path: Path) -> None:
    """The link stands before its folder does; what is there already must lead to the same place."""
    folders = {"gone": "../gone", "more": str(tmp_path / "far")}
    for _ in range(2):
        roots.mount(folders, tmp_path / "here", later=True)
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone/a.jsonl").write_text("x")
    assert (tmp_path / "here/gone/a.jsonl").read_text() == "x"
    with pytest.raises(Error, match=r"roots\.gone: .*here/gone is there and is not \.\./other"):
        roots.mount({"gone": "../other"}, tmp_path / "here", later=True)
    assert roots.followed("gone/a.jsonl", folders, Path("here")) == "gone/a.jsonl"
    assert roots.followed("own/a.jsonl", folders, Path("here")) == "here/own/a.jsonl"
    assert roots.followed("own/a.jsonl", {}, Path()) == "own/a.jsonl"


def test_logs_made_later_are_known_by_their_paths(tmp_path: Path) -> None:
    """So a plan is the same before they are there and after; a job looks when it begins."""
    config = embedded.handed_on(asking(["logs/b.jsonl", "logs/a.jsonl"]), "")
    with pytest.raises(Error, match="no file matches"):
        assert Plan(config, tmp_path).shards
    before = Plan(config, tmp_path, upstream=True)
    assert before.made_logs("own", "0000") == [
        str(tmp_path / "logs/a.jsonl"), str(tmp_path / "logs/b.jsonl"),
    ]  # fmt: skip
    params = before.normalize_params("own", "0000")
    noted = before.noted("own")["0000"]
    with pytest.raises(Error, match=r"logs/a\.jsonl is not there"):
        inventory.with_made(noted, before.sources["own"], tmp_path)
    (tmp_path / "logs").mkdir()
    for name in "ab":
        (tmp_path / f"logs/{name}.jsonl").write_text(f'"{name}"\n')
    after = Plan(config, tmp_path, upstream=True)
    assert after.normalize_params("own", "0000") == params
    assert inventory.noted(after.shards["own"]["0000"], tmp_path) == noted, "jobs read the same"
    whole = inventory.with_made(noted, after.sources["own"], tmp_path)
    assert whole.logs == ["logs/a.jsonl", "logs/b.jsonl"]
    assert Plan(config, tmp_path).shards["own"] == {"0000": whole.digest}


class Given(list[str]):
    """Files as Snakemake hands them to a script: by number, and by name."""

    def __init__(self, plain: list[str] | None = None, **named: Any) -> None:
        each = [[one] if isinstance(one, str) else one for one in named.values()]
        super().__init__([*(plain or []), *(path for one in each for path in one)])
        self.named = {k: v if isinstance(v, str) else Given(v) for k, v in named.items()}

    def keys(self) -> Any:
        return self.named.keys()

    def get(self, name: str) -> Any:
        return self.named[name]


def test_a_job_works_in_the_folder_of_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are named from there, by number and by name."""
    monkeypatch.chdir(tmp_path)
    for name in ("POLARS_MAX_THREADS", job.HOME):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "one").mkdir()
    given = SimpleNamespace(
        log=Given(["one/.snakemake/heatproof/log/draw/f.log"]),
        input=Given(grid="one/results/g", library=["logs/x", "one/results/v"]),
        output=Given(spec="one/results/s"),
    )
    with job.at_home(given):
        assert Path.cwd() == tmp_path / "one"
        assert given.input.grid == given.input[0] == "results/g"
        assert given.input.library == given.input[1:] == ["../logs/x", "results/v"]
        Path("results").mkdir()
        Path(given.output.spec).write_text("s")
    assert (tmp_path / "one/.snakemake/heatproof/log/draw/f.log").read_text() == ""
    assert len(list((tmp_path / "one/.snakemake/heatproof/receipts").iterdir())) == 1
    assert os.environ["POLARS_MAX_THREADS"] == "1"
    assert job.seen("see results/index.html", "results/index.html") == "see one/results/index.html"


PARENT = """
import json, os
configfile: "conf.yaml"
mine = config["own"] | {"logs": expand("logs/{name}.jsonl", name=["u", "v"])}
rule all:
    default_target: True
    input: "figs/one/results/manifest.json"
rule make:
    input: "start"
    output: "logs/{name}.jsonl"
    run:
        rows = [{"id": i, "m": wildcards.name, "b": b, "score": (i + b) % 2}
                for b in (1, 2) for i in range(int(open(input[0]).read()))]
        open(output[0], "w").write("".join(json.dumps(row) + "\\n" for row in rows))
rule surroundings:
    output: "env.json"
    run: json.dump(dict(os.environ), open(output[0], "w"))
module one:
    snakefile: "HERE/Snakefile"
    config: {"sources": {"own": mine}, "figures": config["figures"]}
    prefix: "figs/one"
use rule * from one as one_*
module two:
    snakefile: "HERE/Snakefile"
    config: {"sources": {"own": mine}, "figures": {"other": config["figures"]["heat"]}}
    prefix: "figs/two"
use rule * from two as two_*
"""


@pytest.mark.workflow
@pytest.mark.usefixtures("compiled")
def test_logs_are_made_first_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From nothing: rules of the other workflow, then ours; what they make anew is read again.

    The results of one of two modules stand by themselves, and jobs of others see nothing of ours.
    """
    project = Project.at(tmp_path)
    (tmp_path / "Snakefile").write_text(PARENT.replace("HERE", str(PROJECT)))
    conf = {"own": SOURCE, "figures": CONFIG["figures"]}
    (tmp_path / "conf.yaml").write_text(yaml.safe_dump(conf))
    (tmp_path / "start").write_text("4")
    for name in ("POLARS_MAX_THREADS", "PYTHONPATH", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)
    status, said = project.start("--cores", "2", "all", "env.json")
    assert status == 0, said
    assert "1 figure in 1 file, figs/one/results/index.html shows them" in said
    alien = json.loads((tmp_path / "env.json").read_text()).keys()
    own = {"POLARS_MAX_THREADS", "MALLOC_TRIM_THRESHOLD_", "ARROW_DEFAULT_MEMORY_POOL"}
    assert not alien & own
    status, said = project.run("-n", "--cores", "2")
    assert "Nothing to be done" in said
    root = tmp_path / "figs/one"
    assert called.last(root).module
    spec = "results/specs/heat.vl.json"
    with rebuild.fresh(root, [spec]) as folder:
        assert (folder / spec).read_bytes() == (root / spec).read_bytes()
    trace = ["trace", "heat", "--project", str(root), "--cell", "b=1,model=u"]
    assert cli.main(trace) == 0
    assert "4 problems" in capsys.readouterr().out
    (tmp_path / "start").write_text("6")
    status, said = project.run("--cores", "2", "figs/one/results/grids/heat.parquet")
    assert status == 0, said
    assert cli.main(trace) == 1, "the figure itself was not asked for"
    assert "6 problems" in capsys.readouterr().out
    status, said = project.run("-n", "figs/two/results/figures/other.svg")
    assert status == 0, said
    assert "two_draw" in said
    assert "make" not in said.split()
