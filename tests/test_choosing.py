"""Which lines are records (`only`, head lines), and several rows of one record (`{model}`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from heatproof.readers import csv_format, json_format, jsonl_format
from independent import require_all
from reading import lines, reasons, run, traced

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = [
    {"spec": {"model": "a", "task": "t"}},
    {"type": "sampling", "id": "q0"},
    {"type": "match", "id": "q0", "ok": True},
    {"type": "match", "id": "q1", "ok": "what"},
    [1, 2],
    {"type": {"deep": 1}, "id": "q2"},
    {"type": "match", "id": "q3", "ok": False},
]
FIELDS = {"model": "^spec.model", "sample_id": "id", "score": "ok"}
KEYS: dict[str, Any] = {"format": "jsonl", "logs": "*", "fields": FIELDS, "only": {"type": "match"}}


@pytest.mark.parametrize("padding", [0, 40_000])
def test_other_lines_are_passed_over(padding: int, tmp_path: Path) -> None:
    """Head line and events; a damaged record of the kind that is read is refused."""
    held = [one | {"x": "y" * padding} if isinstance(one, dict) else one for one in EVENTS]
    (tmp_path / "a.jsonl").write_bytes(lines(held))
    result = run(tmp_path, **KEYS)
    assert [one["id"] for one in traced(result, tmp_path)] == ["q0", "q3"]
    assert result.samples["model"].to_list() == ["a", "a"]
    [told] = result.manifest
    assert (told.records, told.rows, told.rejected, told.passed) == (7, 2, 1, 4)
    assert len(reasons(result)) == 1
    require_all(result, tmp_path, KEYS)


@pytest.mark.parametrize(
    ("only", "ids"),
    [
        ({"n": 1}, ["0", "2"]),
        ({"n": [1, 2.5]}, ["0", "1", "2"]),
        ({"ok": True}, ["0", "1"]),
        ({"ok": True, "n": 1}, ["0"]),
        ({"deep.k": "x"}, ["3"]),
    ],
)
def test_values_are_those_of_yaml(only: dict[str, Any], ids: list[str], tmp_path: Path) -> None:
    """Numbers by value, true as true; all places must fit."""
    rows = [
        {"id": 0, "ok": True, "n": 1},
        {"id": 1, "ok": True, "n": 2.5},
        {"id": 2, "ok": False, "n": 1.0},
        {"id": 3, "ok": False, "n": "1!", "deep": {"k": "x"}},
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    fields = {"sample_id": "id", "score": "ok"}
    result = run(tmp_path, format="json", logs="*", each="$", fields=fields, only=only)
    assert sorted(result.samples["sample_id"]) == ids
    assert reasons(result) == []


def test_rows_of_a_table_are_passed_over(tmp_path: Path) -> None:
    """By the text of a cell; a row that is damaged is refused, whatever its cells."""
    (tmp_path / "a.csv").write_text("id,split,n,ok\n0,test,1,1\n1,dev,1,1\n2,test\n3,test,1.0,0\n")
    fields = {"sample_id": "id", "score": "ok"}
    keys = {"format": "csv", "logs": "*", "fields": fields, "only": {"split": "test", "n": 1}}
    result = run(tmp_path, **keys)
    assert result.samples["sample_id"].to_list() == ["0", "3"]
    assert reasons(result) == ["2 cells where the header has 4"]
    assert result.manifest[0].passed == 1
    require_all(result, tmp_path, keys)


@pytest.mark.parametrize(
    ("name", "form"), [("a.jsonl", "jsonl"), ("a.json", "json"), ("a.csv", "csv")]
)
def test_a_log_of_which_nothing_is_left_is_told(name: str, form: str, tmp_path: Path) -> None:
    """With what its records have instead: the value may be misspelt."""
    rows = [{"id": n, "type": "match", "ok": 1} for n in range(3)]
    table = b"id,type,ok\n" + b"".join(b"%d,match,1\n" % n for n in range(3))
    data = {"jsonl": lines(rows), "json": json.dumps(rows).encode(), "csv": table}
    (tmp_path / name).write_bytes(data[form])
    keys = {"format": form, "logs": "*", "fields": {"sample_id": "id", "score": "ok"}}
    keys |= {"only": {"type": "mtach"}} | ({"each": "$"} if form == "json" else {})
    result = run(tmp_path, **keys)
    assert reasons(result) == ["`only` leaves no record; there are type: 'match' (3 ×)"]
    assert result.manifest[0].passed == 3


def test_a_key_of_only_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Of two values none is the right one."""
    (tmp_path / "a.jsonl").write_text('{"type": "x", "type": "match", "id": 1, "ok": 1}\n')
    fields = {"sample_id": "id", "score": "ok"}
    assert reasons(run(tmp_path, **KEYS | {"fields": fields})) == ["the key 'type' stands twice"]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b'{"spec": {"modle": "a"}}\n', "the head of the log, its first line: Object missing"),
        (b'{"spec": {"model": \n', "the head, the first line: not JSON"),
    ],
)
def test_without_its_head_a_log_is_refused(first: bytes, said: str, tmp_path: Path) -> None:
    """All of it: nothing tells the model."""
    (tmp_path / "a.jsonl").write_bytes(first + lines(EVENTS[1:]))
    result = run(tmp_path, **KEYS)
    [reason] = reasons(result)
    assert reason.startswith(said)
    assert not len(result.samples)


WIDE = [
    {"q": "0", "meta": {"ok": "x"}, "by": {"m/a": {"ok": 1, "n": 2}, "m/b": {"ok": 0, "n": 3}}},
    {"q": "1", "by": {"m/a": {"ok": 0}, "m/c": {"note": "none"}}},
    {"q": "2", "by": {"m/a": {"error": "late"}, "m/b": {"ok": True, "n": 1}}},
    {"q": "3", "by": {"m/b": None, "m/a": {"ok": "no"}}},
    {"q": "4", "by": {}},
]
GROUPED = {"sample_id": "q", "score": "by.m/{model}.ok"}


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_each_group_is_a_row(form: str, tmp_path: Path) -> None:
    """What lacks the score of a group that others have is refused; what never has one is none."""
    data = lines(WIDE) if form == "jsonl" else json.dumps(WIDE).encode()
    (tmp_path / f"a.{form}").write_bytes(data)
    keys = {"format": form, "logs": "*", "fields": GROUPED, "measures": {"n": "by.m/{model}.n"}}
    keys |= {"each": "$"} if form == "json" else {}
    result = run(tmp_path, **keys)
    rows = result.samples.select("model", "sample_id", "score", "n").rows()
    assert sorted(rows) == [
        ("a", "0", 1, 2),
        ("a", "1", 0, None),
        ("b", "0", 0, 3),
        ("b", "2", 1, 1),
    ]
    assert sorted(reasons(result))[:1] == [
        "Expected `bool | float | null`, got `str` - at `$.by.m/a.ok`"
    ]
    assert sorted(reasons(result))[1:] == [
        "no key fits 'by.m/{model}.ok'; there are none",
        "nothing at by.m/a.ok",
        "nothing at by.m/b.ok",
    ]
    assert [one["q"] for one in traced(result, tmp_path)] == result.samples["sample_id"].to_list()
    require_all(result, tmp_path, keys)


def test_groups_may_fill_a_hyper_parameter(tmp_path: Path) -> None:
    """And their cells hold lists, texts and answers as elsewhere."""
    (tmp_path / "a.csv").write_text("id,gold,t0.0 said,t0.5 said\n0,7,7,8\n1,7,,7\n")
    fields = {"sample_id": "id", "target": "gold", "answer": "t{heat} said"}
    keys = {"format": "csv", "logs": "*", "fields": fields, "grade": "exact"}
    result = run(tmp_path, **keys, params={"heat": "float"})
    found = sorted(result.samples.select("heat", "sample_id", "score").rows())
    assert found == [(0.0, "0", 1.0), (0.5, "0", 0.0), (0.5, "1", 1.0)]
    assert reasons(result)[0].startswith("the answer is empty")


@pytest.mark.parametrize(
    ("module", "keys", "said"),
    [
        (jsonl_format, {"fields": GROUPED | {"score": "{modle}.ok"}}, ".fields.score: {modle} is not a column; there are model, task"),
        (jsonl_format, {"fields": GROUPED | {"model": "m"}}, ".fields.score: {model} fills 'model', and so does another key; keep one"),
        (csv_format, {"fields": GROUPED | {"score": "{model}_{task}"}}, "has several {…}; a record has groups by one column"),
        (jsonl_format, {"fields": GROUPED, "measures": {"n": "{task}.n"}}, ".measures.n: {task}: a record has groups by one column, {model}"),
        (jsonl_format, {"fields": GROUPED | {"score": "ok"}, "measures": {"n": "{model}.n"}}, ".fields.score: has no {model}, as measures.n has"),
        (jsonl_format, {"only": {"type": []}}, ".only.type: lists no value"),
        (jsonl_format, {"only": {"^type": "x"}}, "'^type' is not of the form a.b"),
        (jsonl_format, {"sidecar": "run.toml"}, ".sidecar: 'run.toml' does not end in .json, .yaml, .yml"),
        (jsonl_format, {"sidecar": "../run.json"}, "is not a name, or a path below the folder of a log"),
        (jsonl_format, {"sidecar": "run.json"}, ".sidecar: nothing is read from it; a place that begins with ^ is one of its own"),
        (json_format, {"each": "$", "fields": {"sample_id": "id", "score": "$value"}}, ".fields.sample_id: 'id' is a key of a record, and by fields.score, '$value', it has none"),
        (json_format, {"each": "$", "fields": {"sample_id": "$key", "score": "*.ok"}}, ".fields.score: '*.ok' is one for each epoch; epochs.lists must name it"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told(module: Any, keys: dict[str, Any], said: str) -> None:
    """Before any job."""
    given = {"format": "x", "logs": "*", "fields": {"sample_id": "q", "score": "ok"}} | keys
    mistakes = msgspec.convert(given, module.Entry).mistakes()
    assert any(said in problem for problem in mistakes), mistakes


SIDE = {"format": "jsonl", "fields": {"sample_id": "id", "score": "ok", "model": "^m.name"}}


@pytest.mark.parametrize("packed", [False, True])
def test_the_nearest_sidecar_counts(packed: bool, tmp_path: Path) -> None:
    """Beside a log, else above it; it is none of the logs, however broad the pattern."""
    for folder in ("x/y", "x/z"):
        (tmp_path / folder).mkdir(parents=True)
        text = '{"id": 1, "ok": 1}\n' + " " * (packed * 70_000)
        (tmp_path / folder / "a.jsonl").write_text(text)
    (tmp_path / "x/run.json").write_text('{"m": {"name": "above"}, "more": NaN}')
    (tmp_path / "x/z/run.json").write_text('{"m": {"name": "beside"}}')
    result = run(tmp_path, **SIDE, logs="**/*.*", sidecar="run.json")
    found = sorted(result.samples.select("log", "model").rows())
    assert found == [("x/y/a.jsonl", "above"), ("x/z/a.jsonl", "beside")]
    assert reasons(result) == []
    assert sorted(one.log for one in result.manifest if not one.records) == [
        "x/run.json",
        "x/z/run.json",
    ]


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_a_sidecar_of_its_name_goes_with_each_format(form: str, tmp_path: Path) -> None:
    """Settings and numbers; in YAML too."""
    data = {"csv": "id,ok\n1,1\n", "json": '[{"id": 1, "ok": 1}]', "jsonl": '{"id": 1, "ok": 1}\n'}
    (tmp_path / f"a.{form}").write_text(data[form])
    (tmp_path / "a.meta.yaml").write_text("m: {name: tiny}\nheat: 1\nspan: 3\n")
    keys = SIDE | {"format": form} | ({"each": "$"} if form == "json" else {})
    params = {"heat": {"type": "float", "field": "^heat"}}
    result = run(
        tmp_path,
        **keys,
        logs="*",
        sidecar="{name}.meta.yaml",
        params=params,
        measures={"s": "^span"},
    )
    assert result.samples.select("model", "heat", "s").rows() == [("tiny", 1.0, 3.0)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no run.json beside it or in a folder above"),
        ("{", "the document ends too early"),
        ('{"m": {}}', "run.json: Object missing required field `name` - at `$.m`"),
        ('{"m": {"name": 1, "name": 2}}', "stands twice"),
    ],
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_sidecar_that_does_not_fit_refuses_its_log(
    text: str | None, said: str, form: str, tmp_path: Path
) -> None:
    """With its name."""
    (tmp_path / f"a.{form}").write_text(
        {"csv": "id,ok\n1,1\n", "jsonl": '{"id": 1, "ok": 1}\n'}[form]
    )
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    [reason] = reasons(
        run(tmp_path, **SIDE | {"format": form}, logs=f"*.{form}", sidecar="run.json")
    )
    assert said in reason
    assert "run.json" in reason
