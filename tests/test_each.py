"""Records that hold a list of objects, one for each repetition: `samples.*.score`."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from heatproof.readers import jsonl_format
from reading import lines, reasons, run, traced

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {"sample_id": "id", "score": "run.samples.*.grade.ok"}
ENTRY: dict[str, Any] = {
    "format": "jsonl",
    "logs": "*",
    "fields": FIELDS,
    "measures": {"tokens": "run.samples.*.n"},
    "epochs": {"lists": ["score", "tokens"]},
}


def record(number: int, *grades: Any, **more: Any) -> dict[str, Any]:
    samples = [{"text": "x" * 9, "grade": {"ok": ok}, "n": n} for n, ok in enumerate(grades)]
    return {"id": number, "run": {"model": "m", "samples": samples}, **more}


ROWS = [record(n, n % 2 == 0, 1, *[False] * (n % 3)) for n in range(30)]
EXPECTED = sorted(
    (str(row["id"]), epoch, float(sample["grade"]["ok"]), float(sample["n"]))
    for row in ROWS
    for epoch, sample in enumerate(row["run"]["samples"])
)


@pytest.mark.parametrize("padding", [0, 900, 15_000])
@pytest.mark.parametrize("packed", [False, True])
def test_objects_in_a_list_are_epochs(padding: int, packed: bool, tmp_path: Path) -> None:
    """Short records and long ones, in small logs and large ones."""
    data = lines([row | {"prompt": "y" * padding} for row in ROWS])
    name = "a.jsonl.gz" if packed else "a.jsonl"
    (tmp_path / name).write_bytes(gzip.compress(data) if packed else data)
    result = run(tmp_path, **ENTRY)
    assert not reasons(result)
    found = result.samples.select("sample_id", "epoch", "score", "tokens").rows()
    assert sorted(found) == EXPECTED
    assert traced(result, tmp_path)[0]["id"] == int(result.samples["sample_id"][0])


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_a_document_of_such_records_is_read(mark: bytes, tmp_path: Path) -> None:
    """In JSON as in JSON Lines; a byte order mark before it is passed over."""
    (tmp_path / "a.json").write_bytes(mark + json.dumps(ROWS, indent=1).encode())
    result = run(tmp_path, **ENTRY | {"format": "json", "each": "$"})
    found = result.samples.select("sample_id", "epoch", "score", "tokens").rows()
    assert sorted(found) == EXPECTED
    assert traced(result, tmp_path)[0]["id"] == int(result.samples["sample_id"][0])


def test_a_document_of_a_byte_order_mark_alone_is_empty(tmp_path: Path) -> None:
    """It is not cut off: nobody need wait for more."""
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf\n")
    assert reasons(run(tmp_path, **ENTRY | {"format": "json"})) == ["the log is empty"]


def test_a_measure_may_lie_in_a_list_of_its_own(tmp_path: Path) -> None:
    """Where that is missing, or an item of it holds none, there is no value."""
    uses: list[Any] = [[{"use": {"n": 7}}, {"use": {}}], [{}, {"use": None}], None]
    rows = [record(n, 1, 0, uses=held) for n, held in enumerate(uses)] + [record(3, 1, 0)]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    result = run(tmp_path, **ENTRY | {"measures": {"tokens": "uses.*.use.n"}})
    assert reasons(result) == []
    assert result.samples["tokens"].to_list() == [7, *[None] * 7]


BAD = {
    "an item that lacks the key": ({"samples": [{"grade": {"ok": 1}}, {"grade": {}}]}, "missing"),
    "an item that is none": ({"samples": [{"grade": {"ok": 1}}, None]}, "got `null`"),
    "an empty list": ({"samples": []}, "empty"),
    "no list": ({"samples": None}, "Expected `array`, got `null` - at `$.run.samples`"),
    "an object for the list": ({"samples": {"grade": {"ok": 1}}}, "got `object`"),
    "nothing on the way": (None, "Expected `object`, got `null` - at `$.run`"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_refused(case: str, tmp_path: Path) -> None:
    """One record, not those beside it."""
    held, said = BAD[case]
    rows = [*ROWS, {"id": 99, "run": held}]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    result = run(tmp_path, **ENTRY | {"measures": {}, "epochs": {"lists": ["score"]}})
    [reason] = reasons(result)
    assert said in reason
    assert result.samples["sample_id"].n_unique() == 30


REPEATS = {
    "in an item": b'{"id": 1, "run": {"samples": [{"grade": {"ok": 1}, "n": 1, "n": 2}]}}',
    "in an inner object": b'{"id": 1, "run": {"samples": [{"grade": {"ok": 1, "ok": 0}, "n": 1}]}}',
    "the list": b'{"id": 1, "run": {"samples": [{"grade": {"ok": 1}, "n": 1}], "samples": []}}',
    "an object in an item":
        b'{"id": 1, "run": {"samples": [{"grade": {"ok": 1}, "grade": {"ok": 0}, "n": 1}]}}',
    "for a null":
        b'{"id": 1, "run": {"samples": [{"grade": null, "grade": {"ok": 0}, "n": 1}]}}',
}  # fmt: skip


@pytest.mark.parametrize("case", REPEATS)
@pytest.mark.parametrize("count", [0, 1, 40])
def test_keys_that_stand_twice_are_refused(case: str, count: int, tmp_path: Path) -> None:
    """As everywhere, in lists too."""
    good = [record(n + 2, 1) for n in range(count)]
    (tmp_path / "a.jsonl").write_bytes(lines(good) + REPEATS[case] + b"\n")
    [reason] = reasons(run(tmp_path, **ENTRY))
    assert "stands twice" in reason


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"fields": {"sample_id": "id", "score": "*.ok"}}, ".fields.sample_id: 'id' is a key of a record, and by fields.score, '*.ok', it has none"),
        ({"fields": {"sample_id": "id", "score": "a.*"}}, "'a.*' is not of the form list.*.key"),
        ({"fields": {"sample_id": "id", "score": "a.*.b.*.c"}}, "is not of the form list.*.key"),
        ({"fields": {"sample_id": "id", "score": "a.*.0"}}, "is not of the form list.*.key"),
        ({"fields": {"sample_id": "a.*.id", "score": "a.*.ok"}}, ".fields.sample_id: 'a.*.id' is one for each epoch"),
        ({"params": {"t": {"type": "float", "field": "a.*.t"}}}, ".params.t: 'a.*.t' is one for each epoch"),
        ({"fields": {"sample_id": "a.id", "score": "a.*.ok"}}, ".fields.sample_id: 'a.id' lies in the list of fields.score"),
    ],
)  # fmt: skip
def test_places_that_cannot_be_are_told(keys: dict[str, Any], said: str) -> None:
    """Before any job."""
    given = {"name": "x", "measures": {}, "epochs": {"lists": ["score"]}}
    entry = msgspec.convert(ENTRY | given | keys, jsonl_format.Entry)
    assert any(said in problem for problem in entry.mistakes()), entry.mistakes()


@pytest.mark.parametrize("place", ["score", "sample_id"])
def test_null_for_an_object_on_the_way_is_refused(place: str, tmp_path: Path) -> None:
    """It has no score in it, nor an id."""
    rows = [{"a": {"b": 1}, "c": 1}, {"a": None, "c": 0}, {"a": {"b": 0}, "c": 0}]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    fields = {"sample_id": "c", "score": "c"} | {place: "a.b"}
    result = run(tmp_path, format="jsonl", logs="*", fields=fields, path="(?P<task>a)")
    assert reasons(result)[0] == "Expected `object`, got `null` - at `$.a`"
