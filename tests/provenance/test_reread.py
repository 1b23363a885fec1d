"""trace reads logs again: what it says of a cell comes from the bytes that lie there now."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import pikepdf
import polars as pl
import pytest

import specimens
from heatproof import formats
from heatproof.cli.main import main
from heatproof.logs import logs
from heatproof.provenance import reread
from heatproof.samples import normalize, shard_index
from heatproof.util import registry
from reading import entry

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "results/tables/test/0000.parquet"


def built(root: Path, source: Any) -> dict[str, dict[str, shard_index.Log]]:
    """The table of all logs of a source, as `normalize` makes it: its path → what its logs hold."""
    samples, counts = root / TABLE, root / TABLE.replace("/tables/", "/counts/")
    samples.parent.mkdir(parents=True)
    counts.parent.mkdir(parents=True)
    read = registry.find(formats, source.format, "format", "log format").read
    paths, refused = logs.find(source, root), samples.with_suffix(".rejected")
    outcome = normalize.write(paths, root, source, read, samples, refused)
    shard_index.write_counts(samples, counts, outcome)
    return {TABLE: shard_index.read_index(counts).logs}


def rows(samples: pl.LazyFrame) -> pl.DataFrame:
    return samples.sort("log", "line", "offset", "sample_id", "epoch", "scorer").collect()


@pytest.fixture(params=[*specimens.SOURCES, "gz", "zst"])
def specimen(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Any, Any, list[str]]:
    """Root, source, shards and logs of a small good source of each format, and of packed ones."""
    files, given = specimens.SOURCES.get(request.param) or specimens.SOURCES["jsonl"]
    if request.param in ("gz", "zst"):
        pack = gzip.compress if request.param == "gz" else zstd.compress
        files = {f"{name}.{request.param}": pack(data) for name, data in files.items()}
    specimens.write(tmp_path / "data", files)
    pattern = given.get("logs", "**/*.*")
    source = entry(**given | {"logs": f"data/{pattern}"})
    return tmp_path, source, built(tmp_path, source), logs.find(source, tmp_path)


def test_logs_read_again_give_their_samples(specimen: tuple[Path, Any, Any, list[str]]) -> None:
    """In every format, packed or not: the very rows, places and scores."""
    root, source, shards, paths = specimen
    before = rows(pl.scan_parquet(root / TABLE))
    assert len(before)
    with reread.again(shards, paths, source, root) as found:
        assert rows(found.samples).equals(before)
        assert found.changed == []
        assert found.unread == {}


def test_a_log_that_is_not_there_is_unread(specimen: tuple[Path, Any, Any, list[str]]) -> None:
    """Whatever lies in its place is not opened; its samples are as the table has them."""
    root, source, shards, (path, *_) = specimen
    (root / path).unlink()
    with reread.again(shards, [path], source, root) as found:
        assert found.unread == {path: "not there"}
        assert found.changed == [f"{path} is not there"]
        assert rows(found.samples).equals(rows(pl.scan_parquet(root / TABLE)))
    os.mkfifo(root / path)
    with reread.again(shards, [path], source, root) as found:
        assert found.changed == [f"{path} is a named pipe"]


def test_a_changed_log_is_read_as_it_is(specimen: tuple[Path, Any, Any, list[str]]) -> None:
    """Whatever its bytes are now, it is said, and never the samples of old are shown for it."""
    root, source, shards, (path, *_) = specimen
    data = (root / path).read_bytes()
    (root / path).write_bytes(data[: len(data) // 2])
    with reread.again(shards, [path], source, root) as found:
        (said,) = found.changed
        assert said.startswith(f"{path} ")
        if not found.unread:
            assert len(rows(found.samples)) < len(rows(pl.scan_parquet(root / TABLE)))


def test_a_changed_sidecar_is_told(tmp_path: Path) -> None:
    """What a log is read together with, also if it is new."""
    files, given = specimens.SOURCES["lm_eval"]
    specimens.write(tmp_path, files)
    source = entry(**given)
    shards = built(tmp_path, source)
    ((path, log),) = shards[TABLE].items()
    (beside,) = log.beside
    (tmp_path / beside).write_text((tmp_path / beside).read_text().replace("0.5", "0.7"))
    with reread.again(shards, [path], source, tmp_path) as found:
        assert [line.split(" changed")[0] for line in found.changed] == [beside]
        assert found.samples.select("top_p").unique().collect().item() == 0.7
    then, now = shard_index.digests(shards[TABLE]), reread.beside(source, shards[TABLE], tmp_path)
    del then[beside]
    assert reread.differing(then, now) == [
        f"{beside} is new: it was not there when the figure was made"
    ]


# In a project that was built.

CELLS = {
    "grid": "task=t,ratio=0.1,local_window=500",
    "pair": "x_model=m,y_model=n,x=0.6,y=0.6",
}


def log_of(root: Path, model: str) -> Path:
    return root / f"data/runs/{model}_t_N2-R0.1-KW500-PKVL5000.jsonl"


def traced(root: Path, capsys: pytest.CaptureFixture[str], *given: str) -> tuple[int, str, str]:
    status = main(["trace", *given, "--project", str(root)])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.workflow
def test_a_forged_score_is_seen(copy_of_small: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The log is named first; value and records are those of its bytes of now; the status is 1."""
    root = copy_of_small.root
    log = log_of(root, "m")
    log.write_text(log.read_text().replace("false", "true"))
    name = log.relative_to(root).as_posix()
    status, said, first = traced(root, capsys, "grid", "--cell", CELLS["grid"], "--records")
    assert status == 1
    assert f"{name} changed since the figure was made" in first
    assert "counted anew from the logs as they are now: 1, NOT what the figure shows" in said
    shown = [line for line in said.splitlines() if "sample " in line or '"score"' in line]
    assert all(line.endswith((": 1", '"score": true}')) for line in shown)
    status, said, _ = traced(root, capsys, "grid", "--cell", CELLS["grid"], "--json")
    told = json.loads(said)
    assert (status, told["agrees"], told["counted"]) == (1, False, 1.0)
    assert [line.split(" changed")[0] for line in told["changed"]] == [name]
    assert traced(root, capsys, "grid", "--cell", "task=u,ratio=0.1,local_window=500")[0] == 0


@pytest.mark.workflow
@pytest.mark.parametrize("figure", CELLS)
@pytest.mark.parametrize("instead", ["nothing", "a folder", "a named pipe"])
def test_without_its_log_nothing_is_counted(
    copy_of_small: Any, capsys: pytest.CaptureFixture[str], figure: str, instead: str
) -> None:
    """Not "as in the figure": not counted, the log is named, and the status is 1."""
    root = copy_of_small.root
    log = log_of(root, "m")
    log.unlink()
    if instead == "a folder":
        log.mkdir()
    elif instead == "a named pipe":
        os.mkfifo(log)
    name = log.relative_to(root).as_posix()
    why = "not there" if instead == "nothing" else instead
    status, said, first = traced(root, capsys, figure, "--cell", CELLS[figure], "--records")
    assert status == 1
    assert f"heatproof: {name} is {why}" in first
    assert f"not counted anew: {name} is {why}" in said
    assert "as in the figure" not in said
    assert f"{name} (not read: as the samples table has it)" in said
    status, said, _ = traced(root, capsys, figure, "--cell", CELLS[figure], "--json")
    told = json.loads(said)
    assert (status, told["agrees"], told["counted"], told["unread"]) == (1, None, None, [name])


@pytest.mark.workflow
def test_the_chain_has_the_digests_of_now(
    copy_of_small: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Logs and files that are others are named, and listed as they are."""
    root = copy_of_small.root
    log = log_of(root, "m")
    log.write_text(log.read_text() + "\n")
    picture = root / "results/figures/grid.svg"
    picture.write_bytes(picture.read_bytes() + b" ")
    name = log.relative_to(root).as_posix()
    status, said, first = traced(root, capsys, "grid", "--json")
    told = json.loads(said)
    assert status == 1
    assert told["changed"] == [line.removeprefix("heatproof: ") for line in first.splitlines()]
    assert [line.split(" changed")[0] for line in told["changed"]] == [
        "results/figures/grid.svg", name,
    ]  # fmt: skip
    listed = {stage["what"]: stage["digest"] for stage in told["stages"]}
    assert listed[name] == f"blake3 {reread.now(name, root)}"
    log.unlink()
    status, said, _ = traced(root, capsys, "grid")
    assert status == 1
    assert re.search(rf"^log +{re.escape(name)} +not there$", said, re.MULTILINE)


def edited(data: bytes, form: str) -> bytes:
    """A figure's file that shows something else, its record as it was."""
    if form == "svg":
        return re.sub(rb">(\d+\.\d)<", b">99.9<", data, count=1)
    if form == "png":
        place = data.index(b"IDAT")
        return data[: place + 40] + bytes([data[place + 40] ^ 1]) + data[place + 41 :]
    return data.replace(b"</body>", b"<p>99.9</p></body>", 1)


@pytest.mark.workflow
@pytest.mark.parametrize("form", ["svg", "png", "html", "pdf"])
def test_a_picture_that_shows_something_else_is_told(
    small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """Its record is intact: what it shows is compared, not what it says."""
    source, other = small.root / f"results/figures/grid.{form}", tmp_path / f"copy.{form}"
    if form == "pdf":
        with pikepdf.open(source) as pdf:
            page = pdf.pages[0]
            page.Contents = pdf.make_stream(page.Contents.read_bytes().replace(b"0", b"1"))
            pdf.save(other)
    else:
        other.write_bytes(edited(source.read_bytes(), form))
    assert other.read_bytes() != source.read_bytes()
    status, said, first = traced(small.root, capsys, str(other), "--cell", CELLS["grid"])
    assert status == 1
    assert first.startswith(f"heatproof: copy.{form} does not show what was drawn as grid")
    assert "as in the grid; not so the picture" in said


@pytest.mark.workflow
@pytest.mark.parametrize(
    "record",
    [
        '{"figure":"x"}',
        '{"figure":"grid","entry":{"kind":"heatmap"}}',
        '{"figure":"grid","entry":7}',
        "[1]",
        '{"figure":"../../../etc","entry":{}}',
    ],
)
def test_a_foreign_record_is_none(
    small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], record: str
) -> None:
    """No traceback: the file holds no record of this project."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><metadata id="heatproof">{}</metadata></svg>'
    (tmp_path / "y.svg").write_text(svg.format(record))
    status, _, said = traced(small.root, capsys, str(tmp_path / "y.svg"))
    assert status == 2
    assert "y.svg holds no record of this project" in said


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("old", "new"),
    [("results/grids/grid.parquet", "../../x"), ('"name":"grid"', '"name":"../x"'),
     ('"id":"', '"id":"\\u001b[31m')],
)  # fmt: skip
def test_a_record_that_leads_out_is_none(
    small: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str
) -> None:
    """No path of a record climbs above the project, no id reaches the terminal as it is."""
    data = (small.root / "results/figures/grid.svg").read_text()
    assert old in data
    (tmp_path / "x.svg").write_text(data.replace(old, new))
    status, said, first = traced(small.root, capsys, str(tmp_path / "x.svg"))
    assert status in (1, 2)  # it is no record of this project
    assert "\x1b" not in said + first
    assert ".." not in said


@pytest.mark.workflow
def test_a_log_that_has_grown_is_read_as_far_as_it_was(
    copy_of_small: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sweep may be still running: the growth is said, the number stands on the bytes it had."""
    root = copy_of_small.root
    log = log_of(root, "m")
    log.write_text(log.read_text() + '{"question_id": 9, "answer_id": 0, "score": true}\n')
    name = log.relative_to(root).as_posix()
    status, said, first = traced(root, capsys, "grid", "--cell", CELLS["grid"])
    assert status == 1
    assert first == (
        f"heatproof: {name} has grown since the figure was made: it was read as far as it was then\n"
    )
    assert "counted anew from these records" in said
    assert "as in the figure" in said
