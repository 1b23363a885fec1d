"""Small logs are read many at a time; nothing of it shows in what comes out."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow.parquet as pq
import pytest
from blake3 import blake3

from heatproof import readers
from heatproof.logs import logs, pools
from heatproof.logs.streams import Limits, Room
from heatproof.readers import lines as record_lines
from heatproof.readers.api import Batch, Log
from heatproof.readers.decoding import Decoder
from heatproof.samples import normalize, parquet, temporary
from heatproof.util import registry
from reading import entry, lines, reasons, run, traced

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KEYS: dict[str, Any] = {
    "format": "jsonl",
    "fields": {"sample_id": "id", "score": "score", "epoch": "epoch"},
    "path": r"(?P<task>\w+)-",
    "measures": {"tokens": "usage.tokens"},
}
GOOD = lines([{"id": n, "epoch": 0, "score": n % 2, "usage": {"tokens": n}} for n in range(5)])
FIRST, SECOND = GOOD.split(b"\n")[:2]
ODD = {
    "no end": GOOD[:-1],
    "empty": b"",
    "blank": b"\n \n",
    "blank lines": b"\n" + GOOD.replace(b"\n", b"\n\n"),
    "carriage returns": GOOD.replace(b"\n", b"\r\n"),
    "byte order": b"\xef\xbb\xbf" + GOOD,
    "cut": GOOD[:-9],
    "open string": GOOD + b'{"id": 9, "score": "',
    "open object": GOOD + b'{"id": 9, "epoch": 1,',
    "goes on": b'"epoch": 1, "score": 1}\n' + GOOD,
    "not UTF-8": GOOD + b'{"id": "\xe2\x82", "epoch": 0, "score": 1}\n',
    "half a letter": b"\x82\xac" + GOOD,
    "out of range": GOOD + b'{"id": 9, "epoch": 0, "score": 2}\n',
    "repeated key": GOOD + b'{"id": 9, "epoch": 0, "score": 1, "id": 8}\n',
    "null": GOOD + b'{"id": 9, "epoch": null, "score": 1}\n',
    "two in a line": FIRST + b" " + SECOND + b"\n",
    "over two lines": FIRST.replace(b", ", b",\n"),
    "as many records as lines": FIRST.replace(b", ", b",\n", 1)
    + b"\n"
    + FIRST
    + b" "
    + SECOND
    + b"\n",
    "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "large": b"".join(GOOD.replace(b'"id": ', b'"id": %d' % n) for n in range(10, 3000)),
    "unlike": lines([{"x": [1], "id": "a", "score": 1, "epoch": 3}, {"id": 1, "score": 0}]),
}


def tables(root: Path, out: Path) -> tuple[list[bytes], Any]:
    """The bytes of both tables, and the outcome."""
    out.mkdir(exist_ok=True)
    source = entry(**KEYS, max_record=1 << 16)
    reader = registry.find(readers, "jsonl", "format", "log format")
    paths = logs.find(source, root)
    files = out / "samples", out / "rejected"
    outcome = normalize.write(paths, root, source, reader.read, *files)
    return [file.read_bytes() for file in files], outcome


def put(root: Path, found: dict[str, bytes]) -> None:
    root.mkdir()
    for number, (name, data) in enumerate(found.items()):
        (root / f"t{number % 3}-{name}.jsonl").write_bytes(data)


@pytest.mark.parametrize("odd", [*ODD, "all"])
def test_logs_read_together_give_the_bytes_of_logs_read_one_by_one(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lies among small logs, tables and manifest are those of each log by itself."""
    chosen = ODD if odd == "all" else {odd: ODD[odd]}
    root = tmp_path / "logs"
    put(root, {f"{n}": GOOD for n in range(4)} | chosen | {f"{n}z": GOOD for n in range(4)})
    together = tables(root, tmp_path / "together")
    monkeypatch.setattr("heatproof.logs.pools.SMALL", -1)
    assert tables(root, tmp_path / "single") == together


def test_good_logs_of_a_pool_are_decoded_together(tmp_path: Path) -> None:
    """Halves without a damaged log are, with the places in each; that one is read by itself."""
    rows = [
        b'{"id": 1}\n{"id": 22}\r\n{"id": 3}\n',
        b"",
        b'{"id": 4}\n',
        b'{"id": 5}',
        b"{",
        b'{"id": 6}\n',
    ]
    for number, data in enumerate(rows):
        (tmp_path / str(number)).write_bytes(data)
    paths = [(str(number), str(tmp_path / str(number))) for number in range(len(rows))]
    decoder, asked = Decoder(msgspec.json.Decoder(dict[str, int])), []

    def columns(records: Sequence[Any]) -> dict[str, list[Any]]:
        asked.append(len(records))
        return {"id": [record["id"] for record in records], "score": [1] * len(records)}

    found = {}
    for path, held in pools.ahead(paths):
        assert held is not None
        batch = record_lines.pooled_batch(held, decoder, columns, {"task": path}, Limits(10, 200))
        if batch is not None:
            found[path] = [*batch.columns["id"]], [*map(tuple, batch.places)], batch.shared
    assert found == {
        "0": ([1, 22, 3], [(1, 0, 9), (2, 10, 10), (3, 22, 9)], {"task": "0"}),
        "2": ([4], [(1, 0, 9)], {"task": "2"}),
        "3": ([5], [(1, 0, 9)], {"task": "3"}),
        "5": ([6], [(1, 0, 9)], {"task": "5"}),
    }
    assert asked == [4, 1, 1]


def test_each_row_of_a_pool_leads_to_its_line(tmp_path: Path) -> None:
    """Places count from the start of each log, not of what was read together."""
    put(tmp_path / "logs", {str(n): GOOD.replace(b'"id": ', b'"id": %d' % n) for n in range(1, 9)})
    result = run(tmp_path / "logs", **KEYS)
    found = [str(record["id"]) for record in traced(result, tmp_path / "logs")]
    assert found == result.samples["sample_id"].to_list()
    assert set(result.samples["line"]) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("sizes", [(1, 4), (4, 1), (1, 1, 1), (1, 2, 1)])
def test_each_log_of_a_pool_has_its_own_rows(sizes: tuple[int, ...], tmp_path: Path) -> None:
    """However few they are, none is taken for a row of another log."""
    rows = [{"id": n, "score": 1, "t": [None, n][n % 2]} for n in range(max(sizes))]
    put(tmp_path / "logs", {str(at): lines(rows[:size]) for at, size in enumerate(sizes)})
    keys = {"format": "jsonl", "fields": {"sample_id": "id", "score": "score"}}
    params = {"t": {"type": "float", "default": 0.5}}
    result = run(tmp_path / "logs", **keys, params=params)
    assert [(log.rows, log.rejected) for log in result.manifest] == [(n, 0) for n in sizes]
    told = result.samples.sort("log", "line").select("sample_id", "t").rows()
    assert told == [(str(n), [0.5, n][n % 2]) for size in sizes for n in range(size)]


def test_small_logs_are_graded_each_by_itself(tmp_path: Path) -> None:
    """Answers of logs that are read together are compared with the targets beside them."""
    rows = [{"id": n, "answer": str(n), "target": "1"} for n in range(3)]
    put(tmp_path / "logs", {str(n): lines(rows) for n in range(3)})
    fields = {"sample_id": "id", "answer": "answer", "target": "target"}
    result = run(tmp_path / "logs", format="jsonl", fields=fields, grade="exact")
    assert result.samples["score"].to_list() == [0, 1, 0] * 3


def test_a_bad_log_spoils_no_other(tmp_path: Path) -> None:
    """Of the logs read together only the damaged one has rejects, and only its damaged line."""
    put(tmp_path / "logs", {"a": GOOD, "b": GOOD + b"{\n", "c": GOOD})
    result = run(tmp_path / "logs", **KEYS)
    assert len(result.samples) == 15
    assert result.rejected.select("log", "line").rows() == [("t1-b.jsonl", 6)]
    assert "not JSON" in reasons(result)[0]


@pytest.mark.parametrize("later", [b"", GOOD * 2, None])
def test_what_was_hashed_is_what_is_read(later: bytes | None, tmp_path: Path) -> None:
    """A small log that is written to or removed after it was read ahead is read as it was then."""
    path, data = tmp_path / "t1-a.jsonl", GOOD + b"{\n"
    path.write_bytes(data)
    held = pools.Pool(Room(1 << 20)).take(str(path))
    path.unlink() if later is None else path.write_bytes(later)
    source = entry(**KEYS)
    log = Log(path.name, tmp_path, source, held)
    reader = registry.find(readers, "jsonl", "format", "log format")
    parts: list[Any] = list(reader.read(log, source))
    refused, taken = sorted(parts, key=lambda part: isinstance(part, Batch))
    assert (refused.place.line, list(taken.columns["sample_id"])) == (6, [*"01234"])
    assert log.known() == (blake3(data).hexdigest(), len(data))
    assert not log.changed()
    log.close()


def rows_of(names: list[str], count: int) -> dict[str, bytes]:
    """Logs whose records name their run."""
    return {
        f"{at}": lines(
            [{"id": n, "epoch": 0, "score": 1, "run": name, "x": "y" * 20} for n in range(count)]
        )
        for at, name in enumerate(names)
    }


@pytest.mark.parametrize("names", [["a", "b", "c"], ["c", "a", "b"], ["a", "c", "a"]])
def test_rows_that_do_not_come_in_order_are_sorted(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when a row of a later log belongs before them, or repeats one."""
    put(tmp_path / "logs", rows_of(names, 40))
    monkeypatch.setattr("heatproof.samples.normalize.ROWS", 7)
    monkeypatch.setitem(KEYS["fields"], "run", "run")
    files, outcome = tables(tmp_path / "logs", tmp_path / "out")
    monkeypatch.setattr("heatproof.samples.normalize.ROWS", 1000)
    assert tables(tmp_path / "logs", tmp_path / "again")[0] == files
    keys = [(run, str(n)) for run in sorted(set(names)) for n in range(40)]
    result = run(tmp_path / "logs", **KEYS)
    assert result.samples.select("run", "sample_id").rows() == sorted(keys)
    assert sum(log.rejected for log in outcome.manifest) == 40 * (3 - len(set(names)))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["rejected", "samples"]


@pytest.mark.parametrize("names", [["a", "b"], ["b", "a"]])
def test_a_sample_is_not_cut_whether_or_not_rows_come_in_order(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The epochs of a problem stand in one row group."""
    monkeypatch.setattr(parquet, "GROUP", 4)
    monkeypatch.setattr("heatproof.samples.normalize.ROWS", 6)
    monkeypatch.setitem(KEYS["fields"], "run", "run")
    rows = [{"id": n // 3, "epoch": n % 3, "score": 1} for n in range(6)]
    logs_ = {f"{at}": lines([row | {"run": run_} for row in rows]) for at, run_ in enumerate(names)}
    put(tmp_path / "logs", logs_)
    tables(tmp_path / "logs", tmp_path / "out")
    file = pq.ParquetFile(tmp_path / "out" / "samples").metadata
    assert [file.row_group(at).num_rows for at in range(file.num_row_groups)] == [3] * 4


def test_clearing_leaves_what_dead_jobs_did_not_leave(tmp_path: Path) -> None:
    """Rows that waited and files half written go, in all folders; nothing else, and no link."""
    for path in (
        ".waiting-x/rows.arrow",
        "a/.waiting-y/b/rows",
        "a/keep",
        "a/t.0123456789abcdef.part",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"x")
    (tmp_path / ".waiting-link").symlink_to(tmp_path / "a")
    temporary.clear(tmp_path)
    left = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")]
    assert sorted(left) == [".waiting-link", "a", "a/keep"]


@pytest.mark.parametrize("names", [["a", "b"], ["b", "a"]])
def test_a_setting_that_every_record_tells_as_null_is_null(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is a text, of which there is none to be numbered."""
    rows = [{"id": n, "epoch": 0, "score": 1, "method": None, "ratio": None} for n in range(3)]
    logs_ = {str(at): lines([row | {"run": name} for row in rows]) for at, name in enumerate(names)}
    put(tmp_path / "logs", logs_)
    monkeypatch.setitem(KEYS["fields"], "run", "run")
    monkeypatch.setitem(KEYS, "params", {"method": "str", "ratio": "float"})
    tables(tmp_path / "logs", tmp_path / "out")
    found = pq.read_table(tmp_path / "out/samples", columns=["run", "method", "ratio"]).to_pylist()
    assert found == [{"run": n, "method": None, "ratio": None} for n in "ab" for _ in range(3)]


def test_what_waits_lies_beside_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is room for it: rows that are to be sorted, and what is refused."""
    rooms: dict[int, Any] = {}
    room = temporary.room

    def noted(folder: Any) -> Any:
        made = room(folder)
        rooms[len(rooms)] = made.name
        return made

    put(tmp_path / "logs", {n: d + b"{\n" for n, d in rows_of(["c", "a"], 20).items()})
    monkeypatch.setattr(temporary, "room", noted)
    monkeypatch.setattr("heatproof.samples.normalize.ROWS", 7)
    monkeypatch.setattr("heatproof.samples.sorting.MEMORY", 1)
    monkeypatch.setitem(KEYS["fields"], "run", "run")
    _, outcome = tables(tmp_path / "logs", tmp_path / "out")
    assert [(log.rows, log.rejected) for log in outcome.manifest] == [(20, 1)] * 2
    assert len(rooms) == 2  # all rows, all that is refused
    assert {os.path.dirname(name) for name in rooms.values()} == {str(tmp_path / "out")}


def test_a_log_of_several_runs_found_out_late_is_named_by_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that were gathered before the log turned out to hold another run, too."""
    rows = [{"id": n, "score": 1, "epoch": 0, "t": t} for t in (0.5, 1.0) for n in range(30)]
    put(tmp_path / "logs", {"a": lines(rows)})
    monkeypatch.setitem(KEYS, "params", {"t": "float"})
    monkeypatch.setattr("heatproof.samples.normalize.ROWS", 7)
    _, outcome = tables(tmp_path / "logs", tmp_path / "out")
    assert [(log.rows, log.rejected) for log in outcome.manifest] == [(60, 0)]
    told = run(tmp_path / "logs", **KEYS).samples["run"].unique().to_list()
    assert sorted(name.partition("#")[2][-5:] for name in told) == ["t=0.5", "t=1.0"]


def test_what_a_killed_job_left_is_removed_when_it_is_a_day_old(tmp_path: Path) -> None:
    """Rows that waited on disk for a job that died go with the next one; those of today stay."""
    put(tmp_path / "logs", {"a": GOOD})
    out = tmp_path / "out"
    for age, name in ((0, ".waiting-new"), (3 * 86400, ".waiting-old")):
        (out / name).mkdir(parents=True)
        (out / name / "rows").write_bytes(b"x")
        os.utime(out / name, (time.time() - age,) * 2)
    tables(tmp_path / "logs", out)
    assert sorted(path.name for path in out.iterdir()) == [".waiting-new", "rejected", "samples"]
