"""What a newcomer adds is found by its name: a figure kind or a reader of one file, a layout by config."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from heatproof.provenance import diff
from test_workflow import CONFIG, Project

EXAMPLES = Path(__file__).parent / "examples"

pytestmark = pytest.mark.workflow

CURVE = {"kind": "curve", "source": "runs", "x": "ratio", "title": "Over ratio"}
OTHER = {
    "format": "jsonl",
    "logs": "data/other/*.jsonl",
    "path": r"t-(?P<temperature>\d\.\d)",
    "fields": {
        "model": "by",
        "task": "of.set",
        "sample_id": "of.id",
        "epoch": "try",
        "score": "ok",
    },
    "params": {"temperature": "float"},
}


def own(project: Project) -> dict[str, str]:
    """What makes a copy of the repository use its own library, as `pip install -e .` there does."""
    return {"PYTHONPATH": str(project.root / "workflow/src")}


def added(project: Project) -> Project:
    """The tiny project with a kind, a reader and a layout that it did not have, built."""
    library = project.root / "workflow/src/heatproof"
    shutil.copy(EXAMPLES / "curve.py", library / "kinds")
    shutil.copy(EXAMPLES / "tabbed_format.py", library / "formats")
    (project.root / "data/tabs").mkdir()
    rows = [f"t\ts{n}\t{e}\t{'yes' if n > e else 'no'}\n" for n in range(3) for e in range(2)]
    (project.root / "data/tabs/m.tsv").write_text("".join(rows) + "spoilt\n")
    (project.root / "data/other").mkdir()
    for temperature in ("0.5", "1.0"):
        answers = [
            {"by": "m", "of": {"set": "t", "id": n}, "try": 0, "ok": n > 1} for n in range(4)
        ]
        path = project.root / f"data/other/t-{temperature}.jsonl"
        path.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    plain = {"kind": "curve", "formats": ["svg"]}
    project.configure(
        {
            "sources": {
                **CONFIG["sources"],
                "tabs": {"format": "tabbed", "logs": "data/tabs/*.tsv"},
                "other": OTHER,
            },
            "figures": {
                "over": CURVE,
                "tabs": plain | {"source": "tabs", "x": "epoch"},
                "other": plain | {"source": "other", "x": "temperature"},
            },
        }
    )
    status, said = project.run(**own(project))
    assert status == 0, said
    project.said = said
    return project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The tiny project with additions."""
    return added(Project(tmp_path_factory.mktemp("new"), CONFIG))


def heatproof(project: Project, *words: str, **environment: str) -> tuple[int, str]:
    """Exit status and answer of the command, run in the project's folder."""
    done = subprocess.run(
        [sys.executable, "-m", "heatproof", *words],
        cwd=project.root, capture_output=True, text=True, check=False,
        env=environment | {"PYTHONPATH": str(project.root / "workflow/src"), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_kind_of_one_file_has_every_result(project: Project) -> None:
    """Figures in all formats, numbers, a card on the page, of `aggregate` and `draw`."""
    results = project.results()
    for form in ("svg", "pdf", "png", "html"):
        assert len(results[f"figures/over.{form}"]) > 1000
    table = pl.read_csv(results["tables/over.csv"])
    assert table.columns == ["model", "ratio", "right", "samples", "epochs", "value"]
    assert (table["right"] / table["epochs"]).to_list() == table["value"].to_list()
    assert "\nm & 0.1 & " in results["tables/over.tex"].decode()
    page = results["index.html"].decode()
    assert "Over ratio" in page
    assert "4 problems a number" in page
    assert "results/figures/over.pdf" in results["ledger.json"].decode()


def test_its_id_and_its_notes_stand_in_the_picture(project: Project) -> None:
    """The page that charts of any kind can be put on prints the id by which a figure is known."""
    spec = json.loads(project.results()["specs/over.vl.json"])
    name = spec["usermeta"]["heatproof"]["id"]
    assert f"heatproof {name}" in project.results()["figures/over.svg"].decode()


def test_trace_says_plainly_what_it_knows(project: Project) -> None:
    """The records of a row of any grid are told, and that nobody but the kind can count them."""
    status, said = heatproof(
        project, "trace", "results/figures/over.png", "--cell", "model=m,ratio=0.2"
    )
    assert status == 0, said
    assert "value = " in said
    assert "4 problems, 16 records" in said
    assert "data/runs/m_t_N2-R0.2-KW500-PKVL5000.jsonl" in said
    assert "R0.1" not in said
    assert "not counted anew: how 'curve' makes its numbers is not known to trace" in said
    status, said = heatproof(project, "trace", "over", "--cell", "model=m,ratio=0.3")
    assert status == 2
    assert "ratio=0.3: there are 0.1, 0.2" in said


@pytest.mark.usefixtures("compiled")
def test_verify_stands_and_names_what_it_did_not_count(project: Project) -> None:
    """Everything is rehashed and built anew; cells that only their kind can count are named."""
    status, said = heatproof(project, "verify")
    assert status == 0, said
    assert "all of it stands" in said
    assert "but not those of other, over, tabs" in said


def test_two_builds_of_any_kind_are_compared(project: Project, tmp_path: Path) -> None:
    """A changed log shows in `diff`, row by row and with the log, whatever the kind."""
    other = project.copied(tmp_path / "copy")
    log = other.root / "data/runs/m_t_N2-R0.2-KW500-PKVL5000.jsonl"
    log.write_text(log.read_text().replace("false", "true"))
    status, said = other.run(**own(other))
    assert status == 0, said
    (over,) = (
        f for f in diff.figures(project.root / "results", other.root / "results") if f.changes
    )
    (change,) = over.changes
    assert change.cell == {"model": "m", "ratio": 0.2}
    assert set(change.after) == {"right", "value"}
    assert change.logs == ["data/runs/m_t_N2-R0.2-KW500-PKVL5000.jsonl"]


def test_a_reader_of_one_file_reads(project: Project) -> None:
    """Its samples are counted, and what it refuses is told like any other refusal."""
    table = pl.read_csv(project.results()["tables/tabs.csv"])
    assert table["value"].to_list() == [2 / 3, 1 / 3]
    assert "no answer: not enough values to unpack" in project.said
    assert "data/tabs/m.tsv:7" in project.said


def test_a_layout_by_config_alone(project: Project) -> None:
    """Names of fields and a pattern of the path are all that a new layout of records needs."""
    table = pl.read_csv(project.results()["tables/other.csv"])
    assert table["temperature"].to_list() == [0.5, 1.0]
    assert table["value"].to_list() == [0.5, 0.5]


def test_a_kind_that_lacks_something_is_told_what(tmp_path: Path) -> None:
    """A file without `Entry` stops before any job, and the message names what is missing."""
    project = Project(tmp_path, CONFIG)
    text = (EXAMPLES / "curve.py").read_text().replace("class Entry", "class Keys")
    (project.root / "workflow/src/heatproof/kinds/curve.py").write_text(text)
    project.configure({"sources": CONFIG["sources"], "figures": {"over": CURVE}})
    status, said = project.run("-n", **own(project))
    assert status != 0
    wrong = "figures.over.kind: heatproof.kinds.curve has no 'Entry'; a figure kind needs"
    assert wrong in said
    assert "Traceback" not in said
