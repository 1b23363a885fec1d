"""Logs whose records have no id: their number in the log tells one problem from another."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from heatproof.readers import csv_format, jsonl_format
from heatproof.readers import json_format as documents
from heatproof.readers.api import Log, Reject
from reading import entry, lines, reasons, run, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCORES = [n % 3 == 0 for n in range(40)]
ROWS = [{"ok": score, "text": "x\ny"} for score in SCORES]
FIELDS = {"sample_id": "$row", "score": "ok"}


def cells(rows: list[dict[str, Any]]) -> bytes:
    return ("ok,text\n" + "".join(f'{row["ok"]:d},"{row["text"]}"\n' for row in rows)).encode()


WRITTEN: dict[str, tuple[str, Callable[[list[dict[str, Any]]], bytes]]] = {
    "jsonl": ("jsonl", lines),
    "jsonl.gz": ("jsonl", lambda rows: gzip.compress(lines(rows))),
    "parquet": ("jsonl", lambda rows: table(rows, row_group_size=7)),
    "csv": ("csv", cells),
}


@pytest.mark.parametrize("ending", WRITTEN)
def test_rows_are_numbered_from_one_in_each_log(ending: str, tmp_path: Path) -> None:
    """Whether a row spans lines or not; a second log starts anew."""
    kind, write = WRITTEN[ending]
    for name in "ab":
        (tmp_path / f"{name}.{ending}").write_bytes(write(ROWS))
    result = run(tmp_path, format=kind, logs="*", fields=FIELDS)
    assert not len(result.rejected)
    for _, one in result.samples.group_by("log"):
        found = dict(one.select("sample_id", "score").rows())
        assert found == {str(n): float(score) for n, score in enumerate(SCORES, 1)}


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_refused_row_has_its_number_too(ending: str, tmp_path: Path) -> None:
    """Those behind it keep theirs: they are the same problems in other logs."""
    kind, write = WRITTEN[ending]
    data = write(ROWS).splitlines(keepends=True)
    at = next(n for n, line in enumerate(data) if b"ok" not in line) if kind == "csv" else 0
    data[at] = data[at].replace(b"1,", b"no,").replace(b"true", b"7")
    (tmp_path / f"a.{ending}").write_bytes(b"".join(data))
    result = run(tmp_path, format=kind, logs="*", fields=FIELDS)
    assert len(reasons(result)) == 1
    assert sorted(map(int, result.samples["sample_id"])) == list(range(2, 41))


def test_repetitions_are_numbered_where_a_log_is_a_problem(tmp_path: Path) -> None:
    """The problem is told by the path, its repetitions by their rows; lists are no other epochs."""
    for name in ("p1", "p2"):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(ROWS[:3]))
    fields = {"epoch": "$row", "score": "ok"}
    result = run(tmp_path, format="jsonl", logs="*", path=r"(?P<sample_id>p\d)", fields=fields)
    expected = {(p, n, float(SCORES[n - 1])) for p in ("p1", "p2") for n in (1, 2, 3)}
    assert set(result.samples.select("sample_id", "epoch", "score").rows()) == expected


def test_lists_of_epochs_share_the_number_of_their_row(tmp_path: Path) -> None:
    """Each item is a repetition of the problem that the row is."""
    (tmp_path / "a.jsonl").write_bytes(lines([{"ok": [0, 1]}, {"ok": [1, 1]}]))
    result = run(tmp_path, format="jsonl", logs="*", fields=FIELDS, epochs={"lists": ["score"]})
    found = result.samples.select("sample_id", "epoch", "score").rows()
    assert sorted(found) == [("1", 0, 0.0), ("1", 1, 1.0), ("2", 0, 1.0), ("2", 1, 1.0)]


@pytest.mark.parametrize(
    ("module", "name", "place", "said"),
    [
        (documents, "sample_id", "$row", ".fields.sample_id: '$row' is '$key' in this format"),
        (jsonl_format, "sample_id", "$key", ".fields.sample_id: '$key' is '$row' in this format"),
        (csv_format, "score", "$row", ".fields.score: '$row' is for sample_id and epoch"),
    ],
)
def test_a_number_in_another_place_is_told(module: Any, name: str, place: str, said: str) -> None:
    """Before any job."""
    fields = {"sample_id": "id", "score": "s"} | {name: place}
    entry = msgspec.convert(
        {"name": "x", "logs": "*", "format": "x", "fields": fields}, module.Entry
    )
    assert said in entry.mistakes()


def test_refused_rows_tell_their_numbers(tmp_path: Path) -> None:
    """A text where the number is an id, a number where it is an epoch; one that is broken none."""
    (tmp_path / "a.jsonl").write_bytes(b'{"ok": 1}\n{"ok": 7}\n{"ok":\n')
    source: Any = entry(format="jsonl", fields=FIELDS | {"epoch": "$row"})
    parts = [*jsonl_format.read(Log("a.jsonl", tmp_path, source), source)]
    assert [part.of for part in parts if isinstance(part, Reject)] == [
        None,
        {"score": 7.0, "sample_id": "2", "epoch": 2},
    ]


def test_a_document_that_is_one_record_has_no_key(tmp_path: Path) -> None:
    """It is the first and only one."""
    (tmp_path / "a.json").write_text('{"ok": 1}')
    result = run(
        tmp_path, format="json", logs="*", fields=FIELDS | {"sample_id": "$key", "epoch": "$key"}
    )
    assert result.samples.select("sample_id", "epoch").rows() == [("", 0)]


def test_a_key_that_begins_with_a_dollar_is_a_key(tmp_path: Path) -> None:
    """As some databases write them."""
    (tmp_path / "a.jsonl").write_text(json.dumps({"_id": {"$oid": "f3"}, "ok": 1}) + "\n")
    fields = {"sample_id": "_id.$oid", "score": "ok"}
    assert run(tmp_path, format="jsonl", logs="*", fields=fields).samples["sample_id"][0] == "f3"
