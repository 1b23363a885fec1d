"""Batches: of the figures that one job makes, those that nothing has changed are left alone."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli import main as cli
from heatproof.logs import logs
from heatproof.proof import why
from heatproof.provenance import kept, made
from test_freshness import damage

if TYPE_CHECKING:
    from pathlib import Path

FIGURES = {"grid", "twice", "mean", "pair"}


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a job of a run that does not force jobs."""
    monkeypatch.setenv(kept.ALLOWED, "1")


def write(root: Path, name: str, text: str, of: str) -> None:
    """What a job does that makes a result."""
    (root / name).write_text(text)
    made.note([name], root, of)
    kept.keep([name], root)


def start(root: Path, *names: str) -> None:
    """What Snakemake does before a job: all its results are removed."""
    for name in names:
        (root / name).unlink()


@pytest.mark.usefixtures("allowed")
def test_what_is_made_of_the_same_is_put_back(tmp_path: Path) -> None:
    """The same file with the same time, whatever Snakemake does with it; else nothing is."""
    write(tmp_path, "a", "text", of="1")
    before = (tmp_path / "a").stat()
    start(tmp_path, "a")
    assert not kept.stand(["a"], "2", [], tmp_path)
    assert not (tmp_path / "a").exists()
    assert kept.stand(["a"], "1", [], tmp_path)
    os.utime(tmp_path / "a")
    assert kept.restore(tmp_path) == ["a"]
    after = (tmp_path / "a").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert (tmp_path / "a").read_text() == "text"
    assert kept.restore(tmp_path) == []


@pytest.mark.usefixtures("allowed")
def test_what_was_damaged_is_not_put_back(tmp_path: Path) -> None:
    """An edit in place reaches both names of a file: its digest tells; so does a lost receipt."""
    write(tmp_path, "a", "text", of="1")
    (tmp_path / "a").write_text("edit")
    start(tmp_path, "a")
    assert not kept.stand(["a"], "1", [], tmp_path)
    write(tmp_path, "a", "text", of="1")
    shutil.rmtree(tmp_path / made.RECEIPTS)
    start(tmp_path, "a")
    assert not kept.stand(["a"], "1", [], tmp_path)


@pytest.mark.usefixtures("allowed")
def test_what_is_made_together_stands_together(tmp_path: Path) -> None:
    """If one file of a figure must be made, all are."""
    write(tmp_path, "a", "text", of="1")
    write(tmp_path, "b", "text", of="2")
    start(tmp_path, "a", "b")
    assert not kept.stand(["a", "b"], "1", [], tmp_path)
    assert not (tmp_path / "a").exists()


def test_a_run_allows_what_it_did_not_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without leave of the run all is made; what was deleted, or is bad, is made in any case."""
    monkeypatch.setattr(os, "environ", {})
    for name in ("a", "b", "c"):
        write(tmp_path, name, name, of="1")
    (tmp_path / "b").unlink()
    start(tmp_path, "a", "c")
    assert not kept.stand(["a"], "1", [], tmp_path)
    for name in ("a", "c"):
        write(tmp_path, name, name, of="1")
    kept.allow(["a", "b", "c"], [], tmp_path, forced=True)
    assert not kept.stand(["a"], "1", [], tmp_path)
    kept.allow(["a", "b", "c"], ["c"], tmp_path, forced=False)
    start(tmp_path, "a", "c")
    assert [kept.stand([name], "1", [], tmp_path) for name in "abc"] == [True, False, False]


@pytest.mark.usefixtures("allowed")
def test_a_file_made_since_keeps_its_own_time(tmp_path: Path) -> None:
    """Times are given back to the very file that was left alone, and to no other."""
    write(tmp_path, "a", "text", of="1")
    start(tmp_path, "a")
    assert kept.stand(["a"], "1", [], tmp_path)
    write(tmp_path, "b", "other", of="1")
    os.replace(tmp_path / "b", tmp_path / "a")
    assert kept.restore(tmp_path) == []


@pytest.mark.usefixtures("allowed")
def test_without_hard_links_files_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems have none: the same bytes and times come back."""

    def refuse(*_: Any) -> None:
        raise OSError

    monkeypatch.setattr(os, "link", refuse)
    write(tmp_path, "a", "text", of="1")
    before = (tmp_path / "a").stat().st_mtime_ns
    start(tmp_path, "a")
    assert kept.stand(["a"], "1", [], tmp_path)
    os.utime(tmp_path / "a")
    assert kept.restore(tmp_path) == ["a"]
    assert (tmp_path / "a").stat().st_mtime_ns == before


@pytest.mark.usefixtures("allowed")
def test_large_inputs_that_are_newer_leave_the_new_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake hashes inputs that are newer than a result at each start: never much of them."""
    monkeypatch.setattr(kept, "LITTLE", 3)
    write(tmp_path, "a", "text", of="1")
    (tmp_path / "table").write_text("long")
    os.utime(tmp_path / "table", (2e9, 2e9))
    start(tmp_path, "a")
    assert kept.stand(["a"], "1", ["table"], tmp_path)
    assert kept.restore(tmp_path) == []


def looks(root: Path) -> dict[str, tuple[bytes, int]]:
    """File of a figure → its bytes and time."""
    folders = ("grids", "specs", "figures", "tables")
    found = (path for folder in folders for path in (root / "results" / folder).iterdir())
    paths = (path for path in found if path.is_file())
    return {
        path.relative_to(root / "results").as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in paths
    }


def touched(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Files of figures that differ, be it by their time alone."""
    return {path for path in before | after if before.get(path) != after.get(path)}


def run(project: Any, *options: str) -> tuple[set[str], str]:
    """The files of figures that a run touches, and what it says."""
    before = looks(project.root)
    status, said = project.run(*options)
    assert status == 0, said
    return touched(before, looks(project.root)), said


def numbers(figure: str) -> set[str]:
    """The files of the numbers behind a figure."""
    return {f"tables/{figure}.{form}" for form in ("csv", "tex", "json")}


def redrawn(*figures: str) -> set[str]:
    """All files of figures that are drawn as SVG alone."""
    drawn = ("grids/{}.parquet", "specs/{}.vl.json", "figures/{}.svg")
    return {each.format(name) for name in figures for each in drawn}.union(*map(numbers, figures))


def change(project: Any, figure: str, **keys: Any) -> None:
    """Other settings of a figure."""
    config = yaml.safe_load((project.root / "config.yaml").read_text())
    config["figures"].setdefault(figure, {}).update(keys)
    project.configure(config)


@pytest.mark.workflow
def test_a_new_title_touches_only_its_figure(copy_of_small: Any) -> None:
    """Of the batch it is drawn in, the others keep their bytes and times; run and `why` say so."""
    change(copy_of_small, "mean", title="other")
    answers = {name: why.answer(cli.plan(copy_of_small.root), name) for name in FIGURES}
    assert [name for name in sorted(FIGURES) if answers[name].reasons] == ["mean"]
    found, said = run(copy_of_small)
    assert found == {"specs/mean.vl.json", "figures/mean.svg", *numbers("mean")}
    assert "heatproof: draw: mean made, left as is: grid, pair, twice" in said
    assert "heatproof: export: mean made, left as is: grid, pair, twice" in said
    assert "left as they were" in said
    assert run(copy_of_small)[0] == set()


@pytest.mark.workflow
def test_other_numbers_touch_only_their_figure(copy_of_small: Any) -> None:
    """A figure that asks for other samples is aggregated alone, and all its stages follow."""
    change(copy_of_small, "mean", where={"model": ["m"]})
    found, said = run(copy_of_small)
    assert found == redrawn("mean")
    assert "heatproof: aggregate: mean made, left as is: grid, pair, twice" in said


def log(root: Path, model: str, task: str = "t") -> Path:
    """The log of a model at the first of the settings."""
    return root / f"data/runs/{model}_{task}_N2-R0.1-KW500-PKVL5000.jsonl"


@pytest.mark.workflow
def test_a_log_touches_the_figures_that_show_it(copy_of_small: Any, small: Any) -> None:
    """Changed, added and removed: the others keep their bytes and times, and a clean build agrees.

    `grid` and `twice` show model m, `pair` m and n of task t, `mean` all of m and n.
    """
    root = copy_of_small.root
    first, rest = log(root, "n").read_text().split("\n", 1)
    record = json.loads(first)
    log(root, "n").write_text(json.dumps(record | {"score": not record["score"]}) + "\n" + rest)
    answers = {name: why.answer(cli.plan(root), name) for name in FIGURES}
    assert {name for name in FIGURES if answers[name].reasons} == {"mean", "pair"}
    found, said = run(copy_of_small)
    assert found == redrawn("mean", "pair")
    assert "heatproof: aggregate: mean, pair made, left as is: grid, twice" in said
    shutil.copy(log(root, "n"), log(root, "o"))
    assert run(copy_of_small)[0] == set()
    assert why.answer(cli.plan(root), "pair").reasons == []
    shutil.copy(log(small.root, "n"), log(root, "n"))
    log(root, "o").unlink()
    assert run(copy_of_small)[0] == redrawn("mean", "pair")
    assert copy_of_small.results() == small.results()


def tables(root: Path) -> dict[str, tuple[bytes, int]]:
    """File of a shard → its bytes and time."""
    folders = (root / "results" / folder / "runs" for folder in ("tables", "counts"))
    found = [path for folder in folders for path in folder.iterdir()]
    return {
        path.relative_to(root / "results").as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in found
    }


@pytest.mark.workflow
def test_a_log_touches_its_shard_alone(copy_of_small: Any) -> None:
    """Of a batch that one job reads, the other shards keep their bytes and times."""
    root = copy_of_small.root
    config = yaml.safe_load((root / "config.yaml").read_text())
    config["sources"]["runs"]["shards"] = 4
    copy_of_small.configure(config)
    run(copy_of_small)
    whole, results = tables(root), copy_of_small.results()
    paths = sorted(path.relative_to(root).as_posix() for path in (root / "data/runs").iterdir())
    dealt = logs.deal(paths, [f"{number:04d}" for number in range(4)])
    shard, *others = (name for name, mine in dealt.items() if mine)
    files = {path for path in whole if path.split("/")[-1].startswith(shard)}
    assert len(files) == 4
    place = root / dealt[shard][0]
    text = place.read_text()
    for changed in (text.replace("true", "false"), text):
        before = tables(root)
        place.write_text(changed)
        spared = ", ".join(f"runs/{name}" for name in others)
        said = run(copy_of_small)[1]
        assert f"heatproof: normalize: runs/{shard} made, left as is: {spared}\n" in said
        assert touched(before, tables(root)) == files
    damage(root, f"results/tables/runs/{shard}.parquet")
    before = tables(root)
    run(copy_of_small)
    assert touched(before, tables(root)) == files
    assert copy_of_small.results() == results
    assert {path: data for path, (data, _) in tables(root).items()} == {
        path: data for path, (data, _) in whole.items()
    }


@pytest.mark.workflow
def test_a_figure_left_alone_is_as_a_clean_build_makes_it(copy_of_small: Any) -> None:
    """With a log more that it does not show, its record, id and bytes are those of before."""
    root = copy_of_small.root
    shutil.copy(log(root, "n"), log(root, "o"))
    run(copy_of_small)
    left = copy_of_small.results()
    status, said = copy_of_small.run("-F")
    assert status == 0, said
    assert copy_of_small.results() == left


@pytest.mark.workflow
@pytest.mark.parametrize(
    "path", ["grids/pair.parquet", "specs/twice.vl.json", "figures/grid.png", "tables/mean.tex"]
)
def test_a_damaged_file_is_made_again_alone(copy_of_small: Any, path: str) -> None:
    """What is made of it stands, for it is as it was; of a figure's files, all are made at once."""
    before = looks(copy_of_small.root)
    damage(copy_of_small.root, f"results/{path}")
    run(copy_of_small)
    after = looks(copy_of_small.root)
    together = {one for one in before if one.startswith(path.split(".", maxsplit=1)[0])}
    assert touched(before, after) == together
    assert all(before[one][0] == after[one][0] for one in before)


@pytest.mark.workflow
def test_a_new_figure_touches_no_other(copy_of_small: Any) -> None:
    """Batches are dealt anew; what each figure is made of is what it was."""
    config = yaml.safe_load((copy_of_small.root / "config.yaml").read_text())
    more = {f"a{n}": {**config["figures"]["twice"], "title": f"{n}"} for n in range(4)}
    config["figures"] = more | config["figures"]
    copy_of_small.configure(config)
    found, _ = run(copy_of_small)
    assert {path.split("/")[1].split(".")[0] for path in found} == set(more)


@pytest.mark.workflow
@pytest.mark.parametrize(
    "options", [["-F"], ["-R", "draw_0"], ["-f", "results/specs/grid.vl.json"]]
)
def test_forced_jobs_make_all_of_it(copy_of_small: Any, small: Any, options: list[str]) -> None:
    """Who asks for jobs to be done again does not get what was there; the bytes are the same."""
    found, said = run(copy_of_small, *options)
    assert {f"specs/{name}.vl.json" for name in FIGURES} <= found
    assert "left as is" not in said
    assert copy_of_small.results() == small.results()


@pytest.mark.workflow
def test_what_is_deleted_is_made_not_put_back(copy_of_small: Any, small: Any) -> None:
    """Without results nothing is left as it is, whatever the private folder holds."""
    shutil.rmtree(copy_of_small.root / "results")
    status, said = copy_of_small.run()
    assert status == 0, said
    assert "left as is" not in said
    assert copy_of_small.results() == small.results()


@pytest.mark.workflow
def test_after_a_job_that_failed_nothing_old_counts_as_new(copy_of_small: Any, small: Any) -> None:
    """The figures that it did not come to are made with the settings of now."""
    script = copy_of_small.root / "workflow/scripts/draw.py"
    text = script.read_text()
    reads = "            entry = api.read("
    assert reads in text
    broken = text.replace(reads, f"            assert path.stem == 'grid'\n{reads}")
    for name in FIGURES:
        change(copy_of_small, name, title="other")
    script.write_text(broken)
    assert copy_of_small.run()[0] != 0
    script.write_text(text)
    status, said = copy_of_small.run()
    assert status == 0, said
    for name in FIGURES:
        assert b'"other"' in (copy_of_small.root / f"results/specs/{name}.vl.json").read_bytes()
    change(copy_of_small, "pair", title="")
    for name in ("grid", "mean", "twice"):
        change(copy_of_small, name, title="m")
    assert copy_of_small.run()[0] == 0
    assert copy_of_small.results() == small.results()
