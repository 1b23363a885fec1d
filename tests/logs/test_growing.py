"""Logs that are written while a run goes on: read as far as noted, and no other pays for one."""

import gzip
import math
import os
import sys
from functools import partial
from itertools import cycle
from typing import Any

import pytest
from blake3 import blake3

from heatproof import build, formats
from heatproof.cli import main as cli
from heatproof.formats.api import Log
from heatproof.logs import logs
from heatproof.logs.streams import UNENDED, Unreadable
from heatproof.util import hashed, registry
from support import reading, specimens
from support.project import written
from support.reading import entry, lines, reasons

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from pathlib import Path

Noted = tuple[list[str], dict[str, hashed.Extent]]

MAPPED: dict[str, Any] = {"format": "jsonl", "fields": {"sample_id": "id", "score": "score"}}
ROWS = [{"id": n, "score": n % 2} for n in range(4)]


def noted(root: Path, source: Any) -> Noted:
    """The logs of a source, and what a job notes of them and of what lies beside, before it reads."""
    paths = logs.find(source, root)
    files = sorted({*paths}.union(*(source.sidecars(path, root) for path in paths)))
    return paths, {p: hashed.content(root / p) for p in files if (root / p).is_file()}


def read(root: Path, source: Any, then: Noted | None = None) -> reading.Normalized:
    """The logs as a job reads them that has noted their sizes; by default those of now."""
    paths, known = then or noted(root, source)
    extents = {p: e._replace(digest="") if e.size else e for p, e in known.items()}
    reader = registry.find(formats, source.format, "format", "log format")
    return reading.tables_of(paths, root, source, reader.read, noted=extents)


def digest(then: Noted) -> str:
    """By what logs are known."""
    return logs.manifest_digest({path: extent.digest for path, extent in then[1].items()})


def test_a_log_knows_what_of_it_is_not_as_noted(tmp_path: Path) -> None:
    """What was read beside it too, once and for all; what came later is not read."""
    then = {}
    for name in ("a.jsonl", "deep/er/b.json", "c.json", "late.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
        then[name] = hashed.Extent(blake3(name.encode()).hexdigest(), len(name))
    del then["late.json"]
    source = entry(format="jsonl", fields={"sample_id": "id"})
    log = Log("a.jsonl", tmp_path, source, noted=then)
    assert (log.beside("c.json", 9), log.changed()) == (b"c.json", False)
    with pytest.raises(
        Unreadable,
        match=r"^late.json appeared while the logs were being read: call `heatproof run`",
    ):
        log.beside("late.json", 99)
    with pytest.raises(Unreadable, match=r"^b.json: "):
        log.beside("deep/er/b.json", 3)
    (tmp_path / "c.json").write_bytes(b"d.json")
    assert (log.beside("c.json", 9), log.changed()) == (b"d.json", True)
    assert (log.beside("deep/er/b.json", 99), log.changed()) == (b"deep/er/b.json", True)
    assert log.sidecars.keys() == {"c.json", "deep/er/b.json"}
    log.close()


@pytest.mark.parametrize(
    ("name", "more"), [*zip(specimens.SOURCES, cycle([b'{"id": 9, "sco', b"\x00" * 300_000]))]
)
def test_what_comes_later_is_not_read(name: str, more: bytes, tmp_path: Path) -> None:
    """Whatever is added to logs and what lies beside them, tables and digests stay."""
    files, keys = specimens.SOURCES[name]
    specimens.write(tmp_path, files)
    source = entry(**keys)
    then = noted(tmp_path, source)
    before = read(tmp_path, source, then)
    for path in files:
        with (tmp_path / path).open("ab") as file:
            file.write(more)
    after = read(tmp_path, source, then)
    assert len(after.rejected) == len(before.rejected) == 0
    if any(path.endswith((".eval", ".parquet", ".xlsx", ".yaml")) for path in files):
        assert not len(after.samples)  # the end tells where all is: the next run reads it
        return
    assert after.digest == before.digest == digest(then)
    assert after.samples.equals(before.samples)
    assert len(after.samples) > 0
    assert digest(noted(tmp_path, source)) != digest(then)


CSV = b'id,score,note\n1,0,"a\nb"\n2,1,"c\n'
TORN = {
    "whole line without its end": (MAPPED, "a.jsonl", lines(ROWS)[:-1], 3),
    "any name": (MAPPED, "a.log", lines(ROWS)[:-5], 3),
    "row": (MAPPED | {"format": "csv"}, "a.csv", CSV, 1),
    "row that spans lines": (MAPPED | {"format": "csv"}, "a.csv", CSV[:-1], 1),
    "nothing": (MAPPED, "a.jsonl", b"", 0),
    "no whole line": (MAPPED, "a.jsonl", b'{"id": 1, "sc', 0),
    "long line": (MAPPED, "a.jsonl", lines(ROWS) + b'{"id": "' + b"x" * 200_000, 4),
}


@pytest.mark.parametrize("what", TORN)
def test_the_last_record_of_a_growing_log_is_left(what: str, tmp_path: Path) -> None:
    """It has no end yet, and is no refused one; in a log that does not grow it is as ever."""
    keys, name, data, rows = TORN[what]
    source = entry(**keys)
    (tmp_path / name).write_bytes(data)
    then = noted(tmp_path, source)
    finished = read(tmp_path, source, then)
    assert finished.digest == digest(then)
    assert len(finished.samples) + len(finished.rejected) == rows + 1
    with (tmp_path / name).open("ab") as file:
        file.write(b"xx")
    result = read(tmp_path, source, then)
    assert (len(result.samples), len(result.rejected)) == (rows, 0)


PACKS = {"gz": partial(gzip.compress, mtime=0), "zst": zstd.compress}
UNFINISHED = specimens.SOURCES | {
    f"{name}.{end}": ({f"{p}.{end}": pack(d) for p, d in files.items()}, keys)
    for end, pack in PACKS.items()
    for name, (files, keys) in specimens.SOURCES.items()
    if name in ("jsonl", "csv")
}
"""The small sources, and packed those that can be."""
BEGUN = [(name, path) for name, (files, _) in UNFINISHED.items() for path in files]


@pytest.mark.parametrize(
    ("name", "path", "share"),
    [(*pair, share) for pair, share in zip(BEGUN, cycle([0.0, 0.7, 0.4]))],
)
def test_the_end_of_a_growing_file_is_waited_for(name, path, share, tmp_path):
    """Every format, packed or not, with what lies beside its logs: nothing of it is refused.

    What was whole is read; the next run reads the rest, and its tables are those of the whole.
    """
    files, keys = UNFINISHED[name]
    specimens.write(tmp_path, files)
    source = entry(**keys)
    complete = read(tmp_path, source)
    (tmp_path / path).write_bytes(files[path][: int(share * len(files[path]))])
    then = noted(tmp_path, source)
    (tmp_path / path).write_bytes(files[path])
    result = read(tmp_path, source, then)
    assert len(result.rejected) == len(complete.rejected) == 0
    columns = ["log", "sample_id", "epoch", "score", "offset", "record_bytes"]
    assert set(result.samples[columns].rows()) <= set(complete.samples[columns].rows())
    after = read(tmp_path, source)
    assert after.digest == complete.digest
    assert after.samples.equals(complete.samples)


@pytest.mark.parametrize(
    ("name", "path", "share"),
    [
        (name, path, share)
        for (name, path), share in zip(BEGUN, cycle([0.02, 0.999, 0.4]))
        if not path.endswith((".jsonl", ".csv"))
    ],
)
def test_a_file_that_was_cut_off_is_refused(name, path, share, tmp_path):
    """While it does not change, nobody can know whether more is to come: the reason says so.

    Such a refusal stops no run, unless it takes most of a source.
    """
    files, keys = UNFINISHED[name]
    specimens.write(tmp_path, files)
    whole = files[path].rstrip(b"\n")
    (tmp_path / path).write_bytes(whole[: int(share * len(whole))])
    source = entry(**keys)
    result = read(tmp_path, source)
    [reason] = {*reasons(result)}
    assert reason.endswith(f": {UNENDED}")
    assert result.digest == digest(noted(tmp_path, source))


def test_a_job_notes_sizes_alone(tmp_path: Path) -> None:
    """Of what is being written all but the last byte; nothing is read ahead but an empty file."""
    log = tmp_path / "a.jsonl"
    log.write_bytes(b"12345")
    written = log.stat().st_mtime
    assert hashed.unread_extent(log, written) == ("", 5)
    assert hashed.unread_extent(log, written - 1) == ("", 4)
    assert hashed.unread_extent(tmp_path, written) == hashed.UNREAD
    log.write_bytes(b"")
    assert hashed.unread_extent(log, math.inf) == hashed.content(log)
    assert hashed.unread_extent(log, 0) == hashed.UNREAD


OTHER = lines([{"id": n, "score": 0} for n in range(9)])
CHANGES: dict[str, tuple[Any, int, int]] = {
    "deleted": (lambda path: path.unlink(), 0, 1),
    "a folder now": (lambda path: (path.unlink(), path.mkdir()), 0, 1),
    "cut short": (lambda path: os.truncate(path, 40), 1, 0),
    "emptied": (lambda path: os.truncate(path, 0), 0, 0),
    "another that is longer": (lambda path: path.write_bytes(OTHER), 4, 0),
    "another of the same length": (lambda path: path.write_bytes(OTHER[: len(lines(ROWS))]), 4, 0),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_log_that_changes_costs_no_other(what: str, tmp_path: Path) -> None:
    """It is read as far as it was noted, or refused by name; the shard is to be read again."""
    change, rows, rejected = CHANGES[what]
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(ROWS))
    source = entry(**MAPPED)
    then = noted(tmp_path, source)
    change(tmp_path / "b.jsonl")
    result = read(tmp_path, source, then)
    counts = {log.log[0]: (log.rows, log.rejected) for log in result.manifest}
    assert counts == {"a": (4, 0), "b": (rows, rejected), "c": (4, 0)}
    assert set(result.rejected["log"]) <= {"b.jsonl"}


@pytest.mark.workflow
def test_a_sweep_that_is_still_running_can_be_drawn(copy_of_tiny: Any) -> None:
    """The run ends well and says what it left; the next one reads that."""
    root = copy_of_tiny.root
    growing = sorted((root / "data/runs").glob("m_t_*.jsonl"))[:3]
    with written(growing):
        status, output = copy_of_tiny.run()
        assert status == 0, output
        assert all(f"still being written: data/runs/{path.name}: " in output for path in growing)
        assert "refused" not in output
    assert copy_of_tiny.stages() >= {"normalize", "aggregate", "draw"}


@pytest.mark.workflow
def test_what_a_run_left_is_told(copy_of_tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name: what was added, what is gone, what is another now, and what is new."""
    root = copy_of_tiny.root
    monkeypatch.chdir(root)
    plan = cli.plan(root)
    assert "left for the next run" not in build.summary(plan)
    a, b, c = sorted((root / "data/runs").glob("*R0.1*.jsonl"))[:3]
    with a.open("ab") as file:
        file.write(b"{}\n{}\n{")
    b.unlink()
    c.write_bytes(c.read_bytes()[:-3])
    (root / "data/runs/new.jsonl").touch()
    names = [path.relative_to(root).as_posix() for path in (a, b, c)]
    head = "  left for the next run: "
    output = [line for line in build.summary(plan).splitlines() if line.startswith(head)]
    assert {line.removeprefix(head) for line in output} == {
        f"still being written: {names[0]}: 7 bytes more",
        f"still being written: {names[1]}: written anew",
        f"still being written: {names[2]}: written anew",
        "new since the run began: data/runs/new.jsonl",
    }
