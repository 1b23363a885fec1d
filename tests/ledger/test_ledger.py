"""The ledger: what each job was given and made, and when that is no longer true."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from heatproof import ledger
from heatproof.util import hashed
from heatproof.util.errors import Error
from support import jobs

PIECE = "results/.ledger/normalize/s/0.json"


def job(read: str = "data/a", output: str = "results/t", piece: str = PIECE) -> Any:
    """A job of Snakemake's."""
    return jobs.job([read], [output], piece)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which one job has read a log and made a table."""
    monkeypatch.chdir(tmp_path)
    for path, text in {"log": "", "data/a": "score 0", "results/t": "table", PIECE: ""}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    ledger.write(job(), {}, [])
    return tmp_path


def test_a_piece_tells_files_settings_and_code(folder: Path) -> None:
    """By its job; two writings are the same bytes."""
    piece = ledger.read(folder / PIECE)
    assert (piece.job, piece.settings, piece.code) == ("normalize s/0", {"a": 1}, {"rooms": "x"})
    assert piece.inputs == {"data/a": hashed.content(folder / "data/a")}
    assert piece.outputs == {"results/t": hashed.content(folder / "results/t")}
    before = (folder / PIECE).read_bytes()
    ledger.write(job(), {}, [])
    assert (folder / PIECE).read_bytes() == before
    assert ledger.place(piece.job) == PIECE


def put(path: Path, text: str) -> None:
    """Another content, with the times that the file had."""
    stat = path.stat()
    path.write_text(text)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize("how", ["edited", "gone", "damaged"])
@pytest.mark.parametrize("name", ["data/a", "results/t", PIECE])
def test_an_untrue_piece_is_removed(name: str, how: str, folder: Path) -> None:
    """Where a log or a result is edited, though size and time stay, or gone; or it itself is."""
    path = folder / name
    if how == "gone":
        path.unlink()
    else:
        put(path, path.read_text()[::-1] if how == "edited" else "{oops")
    gone = {} if (name, how) == (PIECE, "gone") else {"normalize s/0": [name]}
    assert ledger.forget_untrue(folder) == gone
    assert not (folder / PIECE).exists()
    assert ledger.forget_untrue(folder) == {}


def test_an_outdated_piece_is_removed(folder: Path) -> None:
    """Its files are as they were, but the job has other settings now."""
    assert ledger.forget_untrue(folder, lambda piece: piece.settings != {"a": 1}) == {}
    assert (folder / PIECE).exists()
    assert ledger.forget_untrue(folder, lambda piece: piece.settings == {"a": 1}) == {}
    assert not (folder / PIECE).exists()


def test_a_touch_is_no_change_and_what_is_known_is_not_read(folder, monkeypatch):
    """After one look at the content, the time alone tells."""
    time.sleep(0.01)
    os.utime(folder / "data/a")
    assert ledger.changed(folder / PIECE, folder) == []
    monkeypatch.setattr(hashed, "content", None)
    assert ledger.changed(folder / PIECE, folder) == []


def test_what_is_written_while_a_job_reads_counts_as_not_read(folder: Path) -> None:
    """The job tells what it has read: a log that became another of its size is read again, and so is
    what was added to it.
    """
    time.sleep(0.01)
    read = {"data/a": hashed.content(folder / "data/a")}
    (folder / "log").touch()
    time.sleep(0.01)
    put(folder / "data/a", "score 1")
    ledger.write(job(), read, [])
    assert ledger.read(folder / PIECE).inputs == {"data/a": ("", 0)}
    assert ledger.forget_untrue(folder) == {"normalize s/0": ["data/a"]}
    (folder / "data/a").write_text("score 0, score 1")
    ledger.write(job(), read, [])
    assert ledger.read(folder / PIECE).inputs == read
    assert ledger.changed(folder / PIECE, folder) == ["data/a"]


def test_the_ledger_has_what_was_made_last(folder: Path) -> None:
    """Of a whole build; a piece that is there counts before it, one that is gone stands in it."""
    build = {"config": {"a": 1}, "upstream": False}
    ledger.join_pieces([str(folder / PIECE)], build, folder / ledger.LEDGER)
    (folder / PIECE).unlink()
    assert [*ledger.load(folder)] == ["normalize s/0"]
    (folder / ledger.LEDGER).unlink()
    with pytest.raises(Error, match="nothing is built here"):
        ledger.load(folder)


def test_figures_depend_on_the_jobs_behind_them(folder: Path) -> None:
    """Stage by stage, back to the logs."""
    for rule, read, output in (("aggregate", "results/t", "g"), ("draw", "g", "f.svg")):
        place = ledger.place(f"{rule} f")
        (folder / place).parent.mkdir(parents=True)
        (folder / output).write_text(output)
        ledger.write(job(read, output, place), {}, [])
    names = ["draw f", "aggregate f", "normalize s/0"]
    assert ledger.figures_of(ledger.load(folder)) == {name: ["f"] for name in names}


def test_code_is_known_by_the_rooms_that_a_rule_runs(tmp_path, monkeypatch):
    """Drawing is no part of reading; a changed script changes its own rule."""
    before = {rule: ledger.code(rule)["rooms"] for rule in ("normalize", "draw", "gallery")}
    assert len({*before.values()}) == 3
    (tmp_path / "a.py").write_text("1")
    first = ledger.digest_of(tmp_path)
    ledger.digest_of.cache_clear()
    (tmp_path / "a.py").write_text("2")
    assert ledger.digest_of(tmp_path) != first
    monkeypatch.setattr(ledger, "version", lambda _: "99")
    ledger.code.cache_clear()
    assert ledger.code("normalize")["polars"] == "99"
    ledger.code.cache_clear()
    ledger.digest_of.cache_clear()
