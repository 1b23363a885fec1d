"""Documents that hold several runs: `each: runs.*.results`, `each: "{model}.{task}"`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from reading import reader, reasons, run, traced

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {"sample_id": "id", "score": "ok"}
RECORDS = [{"id": "a", "ok": 1}, {"id": "b", "ok": 0}]
COLUMNS = ("model", "task", "sample_id", "score")


def rows(root: Path, held: Any, **keys: Any) -> list[tuple[Any, ...]]:
    """Model, task, problem and score of the rows; each leads back to its record."""
    (root / "all.json").write_text(json.dumps(held, indent=1))
    keys = {"format": "json", "logs": "*.json", "fields": FIELDS} | keys
    result = run(root, **keys)
    assert reasons(result) == []
    scores = result.samples["score"].to_list()
    held = [one["ok"] if isinstance(one, dict) else one for one in traced(result, root)]
    assert held == scores
    return sorted(result.samples.select(COLUMNS).rows())


def test_each_document_of_a_list_has_its_head(tmp_path: Path) -> None:
    """What stands beside its records is told of these alone."""
    held = {"runs": [{"by": m, "out": {"of": "t", "list": RECORDS}} for m in ("x", "y.1")]}
    keys = {"each": "runs.*.out.list", "fields": FIELDS | {"model": "^by", "task": "^out.of"}}
    found = rows(tmp_path, held, **keys)
    assert found == [(m, "t", i, s) for m in ("x", "y.1") for i, s in (("a", 1), ("b", 0))]


def test_keys_on_the_way_fill_columns(tmp_path: Path) -> None:
    """However deep the records lie, and whatever signs the keys have; the head is of all."""
    held = {"of": "t", "in": {m: {"0.5": RECORDS, "1": RECORDS[:1]} for m in ("x", "y.1")}}
    keys = {"each": "in.{model}.{heat}", "params": {"heat": "float"}}
    found = rows(tmp_path, held, fields=FIELDS | {"task": "^of"}, **keys)
    assert found == [
        (m, "t", i, s) for m in ("x", "y.1") for i, s in (("a", 1), ("a", 1), ("b", 0))
    ]


def test_records_may_be_keyed_by_what_varies(tmp_path: Path) -> None:
    """A problem on the way, and a model behind each key."""
    held = {i: {m: {"ok": s} for m in "xy"} for i, s in (("a", 1), ("b", 0))}
    keys = {"each": "{sample_id}", "fields": {"model": "$key", "score": "ok"}, "set": {"task": "t"}}
    found = rows(tmp_path, held, **keys)
    assert found == [(m, "t", i, s) for m in "xy" for i, s in (("a", 1), ("b", 0))]


def test_each_line_may_hold_several(tmp_path: Path) -> None:
    """Of JSON lines, records lie at their places in the log."""
    lines = [{"of": t, "by": dict.fromkeys("xy", RECORDS)} for t in "st"]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    keys = {"format": "jsonl", "logs": "*.jsonl", "each": "by.{model}"}
    result = run(tmp_path, **keys, fields=FIELDS | {"task": "^of"})
    found = sorted(result.samples.select(COLUMNS).rows())
    assert found == [(m, t, i, s) for m in "xy" for t in "st" for i, s in (("a", 1), ("b", 0))]
    assert [one["id"] for one in traced(result, tmp_path)] == result.samples["sample_id"].to_list()


def test_a_run_without_records_costs_no_other(tmp_path: Path) -> None:
    """It is refused at its place; so are records below a key that is none of its column."""
    held: Any = [{"by": "x", "list": RECORDS}, {"by": "y", "error": "no memory"}]
    (tmp_path / "a.json").write_text(json.dumps(held))
    keys = {"format": "json", "logs": "*.json", "fields": FIELDS | {"model": "^by"}}
    result = run(tmp_path, **keys, each="*.list")
    assert len(result.samples) == 2
    assert reasons(result) == ["each: the document has no 'list'; there are by, error"]
    (tmp_path / "a.json").write_text(json.dumps({"1": RECORDS, "two": RECORDS}))
    result = run(tmp_path, **keys | {"fields": FIELDS}, each="{n}", params={"n": "int"})
    assert result.samples["n"].to_list() == [1, 1]
    assert reasons(result) == ["n: 'two' is not int"] * 2


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"each": "{modle}"}, ".each: {modle} is not a column; there are model,"),
        ({"each": "{model}.{model}"}, ".each: {model} fills 'model', and so does another key"),
        ({"each": "{model}", "set": {"model": "x"}}, ".each: {model} fills 'model', and so does"),
        ({"each": "{model}_runs"}, ".each: '{model}_runs' is not of the form key, * or {column}"),
    ],
)
def test_places_that_cannot_be_are_told(keys: dict[str, Any], said: str) -> None:
    """Before any job."""
    given = {"name": "s", "format": "json", "logs": "*", "fields": FIELDS} | keys
    told = msgspec.convert(given, reader("json").Entry).mistakes()
    assert any(said in one for one in told), told
