"""Documents with settings at their head and a list of samples: `each: samples`, `^config.model`."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from heatproof.logs.streams import slices
from heatproof.readers import csv_format, json_format, jsonl_format
from independent import require_all
from reading import lines, reasons, run, table, traced

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {"model": "^config.model", "sample_id": "id", "score": "ok"}
KEYS: dict[str, Any] = {
    "logs": "*",
    "each": "out.samples",
    "fields": FIELDS,
    "params": {"heat": {"type": "float", "field": "^config.sampling.temperature"}},
    "measures": {"seconds": "^seconds", "tokens": "n"},
}


def document(model: str, heat: float, *grades: Any) -> dict[str, Any]:
    samples = [{"id": f"q{n}", "ok": ok, "n": n} for n, ok in enumerate(grades)]
    config = {"model": model, "sampling": {"temperature": heat}}
    return {"config": config, "seconds": 2.5, "out": {"samples": samples, "by": "me"}}


RUNS = [document("a", 0.0, 1, 0, 1), document("b", 0.6, 0, 1), document("c", 1, 1)]
SEEN = ["model", "heat", "seconds", "sample_id", "score", "tokens"]
EXPECTED = sorted(
    (one["config"]["model"], float(one["config"]["sampling"]["temperature"]), 2.5, *rest)
    for one in RUNS
    for rest in ((s["id"], float(s["ok"]), float(s["n"])) for s in one["out"]["samples"])
)


def written(root: Path, form: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The runs as logs of a form; the keys that read them."""
    if form == "json":
        for number, one in enumerate(runs):
            (root / f"{number}.json").write_bytes(json.dumps(one, indent=1).encode())
        return {"format": "json"}
    if form == "packed":
        (root / "a.jsonl.gz").write_bytes(gzip.compress(lines(runs)))
    elif form == "parquet":
        (root / "a.parquet").write_bytes(table(runs))
    else:
        (root / "a.jsonl").write_bytes(b"\n \n".join(lines([one]) for one in runs))
    return {"format": "jsonl"}


@pytest.mark.parametrize("form", ["json", "lines", "packed", "parquet"])
@pytest.mark.parametrize("padding", [0, 70_000])
def test_the_head_tells_of_all_records(form: str, padding: int, tmp_path: Path) -> None:
    """In documents and in lines that hold a run each; every row leads back to its own record."""
    keys = KEYS | written(tmp_path, form, [one | {"x": "y" * padding} for one in RUNS])
    result = run(tmp_path, **keys)
    assert not reasons(result)
    assert sorted(result.samples.select(SEEN).rows()) == EXPECTED
    assert [one["id"] for one in traced(result, tmp_path)] == result.samples["sample_id"].to_list()
    if form != "parquet":
        require_all(result, tmp_path, keys)


def test_lines_of_a_log_are_those_of_its_runs(tmp_path: Path) -> None:
    """Line and bytes of a record are those of the log, not of the document in its line."""
    keys = KEYS | written(tmp_path, "lines", RUNS)
    samples = run(tmp_path, **keys).samples.filter(model="b", sample_id="q1")
    [(line, offset, length)] = samples.select("line", "offset", "length").rows()
    [data] = slices(tmp_path / "a.jsonl", [(offset, length)]).values()
    assert (line, json.loads(data)) == (4, {"id": "q1", "ok": 1, "n": 1})


def test_one_problem_a_document(tmp_path: Path) -> None:
    """Its id and its target at the head; each item of the list an attempt, graded here."""
    one = {"problem": "p1", "gold": "42", "tries": [{"said": "42"}, {"said": "41"}]}
    (tmp_path / "a.json").write_text(json.dumps(one))
    fields = {"sample_id": "^problem", "target": "^gold", "answer": "said", "epoch": "$key"}
    result = run(tmp_path, format="json", logs="*", each="tries", fields=fields, grade="exact")
    rows = result.samples.select("sample_id", "epoch", "score").rows()
    assert rows == [("p1", 0, 1.0), ("p1", 1, 0.0)]


def test_a_key_may_begin_with_the_mark(tmp_path: Path) -> None:
    """A backslash says so, in a record and in the head."""
    held = [{"id": 1, "^ok": 1}]
    (tmp_path / "a.json").write_text(json.dumps({"^t": "top", "s": held}))
    fields = {"sample_id": "id", "score": r"\^ok", "task": r"^\^t"}
    result = run(tmp_path, format="json", logs="*", each="s", fields=fields)
    assert reasons(result) == []
    assert result.samples.select("task", "score").rows() == [("top", 1.0)]


BAD = {
    "no such place": ({"config": {"model": "a"}}, "missing required field `sampling` - at `$.config`"),
    "another type": ({"config": {"model": ["a"], "sampling": {}}}, "got `array` - at `$.config.model`"),
    "no object on the way": ({"config": 3}, "Expected `object`, got `int` - at `$.config`"),
    "no number": ({"seconds": {}}, "got `object` - at `$.seconds`"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("form", ["json", "lines"])
def test_a_head_that_does_not_fit_refuses_its_document(
    case: str, form: str, tmp_path: Path
) -> None:
    """That one, not those beside it."""
    more, said = BAD[case]
    keys = KEYS | written(tmp_path, form, [*RUNS, document("d", 1, 1) | more])
    result = run(tmp_path, **keys)
    [reason] = reasons(result)
    assert reason.startswith("the head of the document: ")
    assert said in reason
    assert len(result.samples) == len(EXPECTED)
    require_all(result, tmp_path, keys)


def test_a_key_of_the_head_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Of two values none is the right one."""
    (tmp_path / "a.json").write_text('{"m": "a", "m": "b", "s": [{"id": 1, "ok": 1}]}')
    fields = FIELDS | {"model": "^m"}
    [reason] = reasons(run(tmp_path, format="json", logs="*", each="s", fields=fields))
    assert reason == "the head of the document: the key 'm' stands twice"


def test_a_place_of_the_head_without_its_mark_is_told(tmp_path: Path) -> None:
    """The record lacks it; what stands beside the list is named."""
    keys = KEYS | written(tmp_path, "json", RUNS[:1])
    result = run(tmp_path, **keys | {"fields": FIELDS | {"model": "config.model"}})
    [reason] = {*reasons(result)}
    said = "beside the records stands config.model, 'a': write ^config.model"
    assert reason == f"Object missing required field `config`; {said}"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"fields": FIELDS | {"model": "^"}}, ".fields.model: '^' is not of the form ^a.b"),
        ({"fields": FIELDS | {"model": "^a.*.b"}}, "'^a.*.b' is not of the form ^a.b"),
        ({"fields": FIELDS | {"score": "^ok"}}, ".fields.score: '^ok' is one for all records, and each has its own score"),
        ({"fields": FIELDS | {"model": "^out.samples.0.m"}}, "lies in the records, each: out.samples"),
        ({"each": ""}, "'^config.model' is of the head of a log; without `each`, the place of a list, the document is the record"),
        ({"each": "$"}, "with each: $ all of the document is records"),
        ({"measures": {"n": "^n"}, "epochs": {"lists": ["n"]}}, ".measures.n: '^n' is one for all records"),
    ],
)  # fmt: skip
def test_places_that_cannot_be_are_told(keys: dict[str, Any], said: str) -> None:
    """Before any job."""
    entry = msgspec.convert(KEYS | {"format": "json"} | keys, json_format.Entry)
    assert any(said in problem for problem in entry.mistakes()), entry.mistakes()


def test_where_there_is_no_head() -> None:
    """A table has none, nor a line that is all records."""
    given = KEYS | {"format": "csv"}
    del given["each"]
    [first, *_] = msgspec.convert(given, csv_format.Entry).mistakes()
    assert "a column that is called so is written with a backslash before ^" in first
    given = KEYS | {"format": "jsonl", "each": "$"}
    [first, *_] = msgspec.convert(given, jsonl_format.Entry).mistakes()
    assert "with each: $ all of a line is records" in first
