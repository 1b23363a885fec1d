"""The ledger: what each job was given and made, and when that is no longer true."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from heatproof.ledger import chains, pieces, rooms
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path


class Given(list[str]):
    """Files of a job as Snakemake hands them on."""

    def __init__(self, *paths: str, **named: str) -> None:
        super().__init__([*paths, *named.values()])
        self.__dict__ |= named


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which one job has read a log and made a table."""
    monkeypatch.chdir(tmp_path)
    for path in ("log", "data/a", "results/t", "results/.ledger/normalize/s/0"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "data/a").write_text("score 0")
    (tmp_path / "log").touch()
    (tmp_path / "results/t").write_text("table")
    pieces.write(job())
    return tmp_path


PIECE = "results/.ledger/normalize/s/0.json"


def job(read: str = "data/a", made: str = "results/t", piece: str = PIECE) -> Any:
    """A job of Snakemake's."""
    params = SimpleNamespace(settings={"a": 1}, code={"rooms": "x"})
    output = Given(made, piece=piece)
    return SimpleNamespace(input=Given(read), output=output, log=["log"], params=params)


def test_a_piece_tells_files_settings_and_code(folder: Path) -> None:
    """By its job; two writings are the same bytes."""
    piece = pieces.read(folder / PIECE)
    assert (piece.job, piece.settings, piece.code) == ("normalize s/0", {"a": 1}, {"rooms": "x"})
    assert piece.inputs == {"data/a": pieces.contents(folder / "data/a")}
    assert piece.outputs == {"results/t": pieces.contents(folder / "results/t")}
    before = (folder / PIECE).read_bytes()
    pieces.write(job())
    assert (folder / PIECE).read_bytes() == before
    assert pieces.place(piece.job) == PIECE


def put(path: Path, text: str) -> None:
    """Another content, with the times that the file had."""
    stat = path.stat()
    path.write_text(text)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize("name", ["data/a", "results/t"])
def test_an_edit_that_keeps_size_and_time_is_seen(name: str, folder: Path) -> None:
    """Of a log and of a result: the piece goes, so that the job is done again."""
    path = folder / name
    put(path, path.read_text()[::-1])
    assert pieces.forget_untrue(folder) == {"normalize s/0": [name]}
    assert not (folder / PIECE).exists()
    assert pieces.forget_untrue(folder) == {}


@pytest.mark.parametrize("name", ["data/a", "results/t", PIECE])
def test_what_is_gone_or_damaged_is_seen(name: str, folder: Path) -> None:
    """The piece itself too, if it can be read no more."""
    if name == PIECE:
        (folder / name).write_text("{oops")
    else:
        (folder / name).unlink()
    assert pieces.forget_untrue(folder) == {"normalize s/0": [name]}


def test_a_touch_is_no_change_and_what_is_known_is_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one look at the content, the time alone tells."""
    time.sleep(0.01)
    os.utime(folder / "data/a")
    assert pieces.changed(folder / PIECE, folder) == []
    monkeypatch.setattr(pieces, "contents", None)
    assert pieces.changed(folder / PIECE, folder) == []


def test_what_is_written_while_a_job_reads_counts_as_not_read(folder: Path) -> None:
    """The job tells what it has read: a log that became another of its size is read again."""
    time.sleep(0.01)
    known = {"data/a": pieces.contents(folder / "data/a")}
    (folder / "log").touch()
    time.sleep(0.01)
    put(folder / "data/a", "score 1")
    pieces.write(job(), known)
    assert pieces.read(folder / PIECE).inputs == {"data/a": ("", 0)}
    assert pieces.forget_untrue(folder) == {"normalize s/0": ["data/a"]}


def test_more_of_a_log_is_read_by_the_next_run(folder: Path) -> None:
    """What was read is less than what lies there."""
    known = {"data/a": pieces.contents(folder / "data/a")}
    (folder / "data/a").write_text("score 0, score 1")
    pieces.write(job(), known)
    assert pieces.read(folder / PIECE).inputs == known
    assert pieces.changed(folder / PIECE, folder) == ["data/a"]


def test_the_ledger_has_what_was_made_last(folder: Path) -> None:
    """Of a whole build; a piece that is there counts before it, one that is gone stands in it."""
    build = {"config": {"a": 1}, "left_out": {}, "upstream": False}
    pieces.save([pieces.read(folder / PIECE)], build, folder / pieces.LEDGER)
    (folder / PIECE).unlink()
    assert [*pieces.load(folder)] == [*pieces.removed(folder)] == ["normalize s/0"]
    assert pieces.is_true(pieces.load(folder)["normalize s/0"], folder)
    put(folder / "data/a", "score 1")
    assert not pieces.is_true(pieces.load(folder)["normalize s/0"], folder)
    (folder / pieces.LEDGER).unlink()
    with pytest.raises(Error, match="nothing is built here"):
        pieces.load(folder)


def test_the_way_from_a_figure_to_its_logs(folder: Path) -> None:
    """Stage by stage, and back from each job to the figures that it is behind."""
    for rule, read, made in (("aggregate", "results/t", "g"), ("draw", "g", "f.svg")):
        place = pieces.place(f"{rule} f")
        (folder / place).parent.mkdir(parents=True)
        (folder / made).write_text(made)
        pieces.write(job(read, made, place))
    ledger = pieces.load(folder)
    jobs = ["draw f", "aggregate f", "normalize s/0"]
    assert chains.behind(ledger, "draw f") == jobs
    assert chains.touched(ledger) == {one: ["f"] for one in jobs}


def test_code_is_known_by_the_rooms_that_a_rule_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawing is no part of reading; a changed script changes its own rule."""
    before = {rule: rooms.code(rule)["rooms"] for rule in ("normalize", "draw", "gallery")}
    assert len({*before.values()}) == 3
    room = tmp_path / "charts"
    room.mkdir()
    (room / "a.py").write_text("1")
    first = rooms.digest_of(room)
    rooms.digest_of.cache_clear()
    (room / "a.py").write_text("2")
    assert rooms.digest_of(room) != first
    monkeypatch.setattr(rooms, "version", lambda _: "99")
    rooms.code.cache_clear()
    assert rooms.code("normalize")["polars"] == "99"
    rooms.code.cache_clear()
    rooms.digest_of.cache_clear()
