"""normalize: every record of a log becomes a row or a reject, with its place."""

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.formats.api import Batch, Place
from heatproof.samples import normalize, refusals, tables
from support import reading, specimens
from support.reading import entry


def run(folder: Path, **keys: Any) -> reading.Normalized:
    """All files of a folder, normalized; checks the promise that holds for all of them."""
    return reading.files(folder, "*.*", entry(**keys))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_rows_lead_to_their_bytes_behind_a_mark_of_byte_order(mark, end, tmp_path, monkeypatch):
    """Offset and length cut out just the row, in a later piece of the file too."""
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", 24)
    rows = [b"id,score", b'a,"1\n"', b"", b"\xef\xbb\xbfc,0", b"d,7", b"e,1", b"f\xff,1"]
    data = mark + end.join(rows)
    (tmp_path / "a.csv").write_bytes(data)
    result = run(tmp_path, format="csv", fields={"sample_id": "id", "score": "score"})
    for table, expected in (
        (result.samples, [(2, rows[1]), (5, rows[3]), (7, rows[5])]),
        (result.rejected, [(6, rows[4]), (8, rows[6])]),
    ):
        places = table.sort("offset").select("line", "offset", "record_bytes").rows()
        assert [(line, data[at : at + size]) for line, at, size in places] == expected
    assert {*result.samples["sample_id"]} == {"a", "\ufeffc", "e"}
    assert result.rejected["excerpt"].to_list()[1] == "f\\xff,1"


def test_what_no_table_can_hold_costs_its_rows_alone(tmp_path: Path) -> None:
    """Whether a batch shares it or a row has it; a log of which nothing is left is no fault."""
    source = entry(
        format="jsonl", fields={"sample_id": "id", "score": "score"}, params={"t": "float"}
    )
    shared: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
        "a": [(["1", None], {"model": "m"}), (["2", "3"], {"model": "x\ny"})],
        "b": [(["4"], {"model": "\x7f"})],
        "c": [(["5", "6"], {"model": "m", "t": 0.5}), (["7"], {"model": "m", "t": 0.7})],
    }
    for name in shared:
        (tmp_path / name).write_bytes(b"x")

    def read(log: Any, _: Any) -> Any:
        for ids, told in shared[log.path]:
            columns = {"sample_id": ids, "score": [1.0] * len(ids)}
            if told.get("t") == 0.7:
                columns["t"] = [told.pop("t")]
            yield Batch(columns, [Place(int(one or 0), 0, 1) for one in ids], told)

    files = tmp_path / "samples", tmp_path / "rejected"
    found = normalize.write([*shared], tmp_path, source, read, *files)
    assert [(one.rows, one.rejected) for one in found.manifest] == [(1, 3), (0, 1), (3, 0)]
    kept = pl.read_parquet(files[0]).select("sample_id", "t").rows()
    assert kept == [("1", None), ("5", 0.5), ("6", 0.5), ("7", 0.7)]
    reasons = pl.read_parquet(files[1]).select("log", "line", "reason").rows()
    assert reasons == [
        ("a", 0, "sample_id: missing"),
        ("a", 2, r"model: 'x\ny' holds a control character"),
        ("a", 3, r"model: 'x\ny' holds a control character"),
        ("b", 4, r"model: '\x7f' holds a control character"),
    ]


@pytest.mark.parametrize("kinds", [0, 1, 6])
def test_refused_records_are_told_with_the_first_of_each_kind(kinds: int) -> None:
    """How many, and five kinds of them."""
    refused = [refusals.Refused("a", "type", "why", n, 1 + n) for n in range(kinds)]
    words = refusals.words(refused).splitlines()
    first = ["  a:0: why", *(f"  a:{n}: why ({1 + n} ×)" for n in range(1, 5))][:kinds]
    count = sum(1 + n for n in range(kinds))
    assert words == ([f"{count} record{'s' * (count > 1)} refused", *first] if kinds else [])


def test_what_became_of_each_log_is_read_back(tmp_path: Path) -> None:
    """As it was written."""
    logs = [normalize.Summary("a", "00", 5, 9, 7, 2), normalize.Summary("7", "01", 5, 0, 0, 0, 1)]
    path = tmp_path / "logs.csv"
    path.write_text(normalize.manifest_text(logs))
    assert path.read_text().splitlines()[:2] == [
        "log,blake3,bytes,records,rows,rejected,passed,failed", "a,00,5,9,7,2,0,0",
    ]  # fmt: skip
    assert normalize.read_manifest(path) == logs


def test_only_what_jobs_left_is_cleared(tmp_path: Path) -> None:
    """Files of users that are called alike stay."""
    mine = ["tables/a.part", "tables/a.0123.part", "tables/.waiting", "tables/waiting-a/b"]
    theirs = [
        "tables/a.csv.0123456789abcdef.part",
        "tables/s/.waiting-a/b",
        "c.0123456789abcdef.part",
    ]
    for name in [*mine, *theirs]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    tables.remove_unfinished(tmp_path)
    found = [
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    ]
    assert sorted(found) == sorted(mine)
    assert not (tmp_path / "tables/s/.waiting-a").exists()
    tables.remove_unfinished(tmp_path / "nowhere")


def test_files_take_their_place_when_they_are_whole(tmp_path: Path) -> None:
    """A writer that fails leaves what was there, and nothing else."""
    path = tmp_path / "a.txt"
    tables.write_text("old", path)

    def fail() -> Any:
        yield pl.DataFrame({"n": [1]})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        tables.write_pieces(fail(), tables.schema({"n": "int"}), path)
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


SHARD = "out/m/math_eval/t/test_p_-1_seed0_t0.6_s{}.jsonl"
REPORT = "logs/run_evaluation/r/m/{}/report.json"
ROWS = "".join(f'{{"m": "m{n % 3}", "id": "q{n}", "s": {n % 2}, "n": {n}}}\n' for n in range(9))
LOGS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "shards of a run": (
        {SHARD.format("0_e10"): '{"idx": 9, "score": [true], "pred": ["1"]}\n',
         SHARD.format("10_e-1"): '{"idx": 10, "score": [true], "pred": ["1"]}\n'},
        {"format": "qwen_math"},
    ),
    "reports of a run": (
        {REPORT.format(name): f'{{"{name}": {{"resolved": true}}}}' for name in ("a-1", "a-1-b")},
        {"format": "swebench"},
    ),
    "runs of a log": (
        {"a": ROWS, "a!b": ROWS, "c": ROWS},
        {"fields": {"model": "m", "sample_id": "id", "score": "s"}},
    ),
    "quantiles of all rows": (
        {"a": ROWS, "b": ROWS.replace('"n": ', '"n": 1')},
        {
            "fields": {"epoch": "n", "sample_id": "id", "score": "s"}, "measures": {"tokens": "n"},
            "columns": {"effort": {"bin": "tokens", "quantiles": 3}},
        },
    ),
    "logs alone": ({"a": ROWS, "a!b": ROWS}, {"fields": {"sample_id": "id", "score": "s"}}),
}  # fmt: skip
"""Whose rows leave when → the logs, and their source."""


@pytest.mark.parametrize("name", LOGS)
def test_rows_leave_with_their_logs_or_wait(name, tmp_path, monkeypatch):
    """They come in the same order either way."""
    logs, keys = LOGS[name]
    specimens.write(tmp_path, {path: text.encode() for path, text in logs.items()})
    source = entry(**{"format": "jsonl", "logs": "**"} | keys)
    read = reading.reader(source.format).read
    monkeypatch.setattr(normalize, "TOGETHER", 1)
    monkeypatch.setattr(tables, "GROUP", 1)
    at_once = reading.tables_of([*logs], tmp_path, source, read)
    monkeypatch.setattr(normalize.Reading, "_may_leave", lambda _: False)
    waiting = reading.tables_of([*logs], tmp_path, source, read)
    assert len(waiting.samples) >= 2
    assert msgspec.structs.astuple(at_once)[:3] == msgspec.structs.astuple(waiting)[:3]
    assert at_once.samples.equals(waiting.samples)
    assert at_once.rejected.equals(waiting.rejected)
