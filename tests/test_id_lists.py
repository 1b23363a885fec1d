"""Reports that list the ids of problems: `ids: {1: [resolved_ids], 0: [unresolved_ids]}`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from independent import require_all
from reading import entry, reader, reasons, run

if TYPE_CHECKING:
    from pathlib import Path

REPORT = {"model": "tiny-a", "ok": ["a", "b"], "bad": {"tests": ["c"], "none": None}, "lost": [7]}
KEYS: dict[str, Any] = {
    "format": "json",
    "logs": "*.json",
    "set": {"task": "t"},
    "fields": {"model": "^model"},
    "ids": {"1": ["ok"], "0": ["bad.tests", "bad.none"], "missing": ["lost"]},
}


def put(root: Path, **more: Any) -> dict[str, Any]:
    """A report with some other lists, and the keys that read it."""
    (root / "r.json").write_text(json.dumps(REPORT | more, indent=1))
    return KEYS


def test_each_id_is_a_row_or_refused_at_its_place(tmp_path: Path) -> None:
    """One that could not be judged has no score; what the report was to hold is all of them."""
    keys = put(tmp_path)
    result = run(tmp_path, **keys)
    rows = result.samples.select("model", "sample_id", "score").sort("sample_id").rows()
    assert rows == [("tiny-a", "a", 1.0), ("tiny-a", "b", 1.0), ("tiny-a", "c", 0.0)]
    assert reasons(result) == ["sample ended in an error: it is told under lost"]
    data = (tmp_path / "r.json").read_bytes()
    where = zip(result.samples["sample_id"], result.samples["offset"], strict=True)
    assert all(data[at:].startswith(json.dumps(name).encode()) for name, at in where)
    declared = result.declared["r.json"][0]
    assert (declared.samples, [*declared.each]) == (4, ["a", "b", "c", "7"])
    require_all(result, tmp_path, keys)


def test_an_id_in_several_lists_is_one(tmp_path: Path) -> None:
    """Of the same score it counts once; of an error it is missing; of two scores it is refused."""
    keys = put(tmp_path, bad={"tests": ["c", "c", "7", "a"], "none": ["c"]})
    result = run(tmp_path, **keys)
    assert sorted(result.samples["sample_id"]) == ["b", "c"]
    assert sorted(reasons(result)) == [
        "sample ended in an error: it is told under lost",
        "the id stands in ok and in bad.tests, which are different scores",
    ]
    require_all(result, tmp_path, keys)


def test_a_line_may_be_a_report(tmp_path: Path) -> None:
    """Ids of each lie at their places in the log, beside the settings and measures of its report."""
    reports = [{"model": m, "s": s, "ok": [f"{m}1"], "bad": ["x"]} for m, s in (("a", 3), ("b", 4))]
    text = "".join(json.dumps(one) + "\n" for one in reports)
    (tmp_path / "all.jsonl").write_text(text)
    keys = KEYS | {"format": "jsonl", "logs": "*.jsonl", "measures": {"seconds": "^s"}}
    result = run(tmp_path, **keys | {"ids": {"1": ["ok"], "0": ["bad"]}})
    found = result.samples.select("model", "sample_id", "seconds", "line", "offset").sort("offset")
    assert found.rows() == [
        (m, i, s, n, text.index(f'"{i}"', text.index(f'"model": "{m}"')))
        for m, s, n in (("a", 3.0, 1), ("b", 4.0, 2))
        for i in (f"{m}1", "x")
    ]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"bad": {"tests": ["c"]}}, "ids: the report has no 'bad.none'; there are tests"),
        ({"ok": {"a": 1}}, "Expected `array | null`, got `object`"),
        ({"ok": [1.5]}, "Expected `int | str`, got `float`"),
        ({"ok": [], "bad": {"tests": [], "none": []}, "lost": []}, "ids: its lists are empty, ok,"),
    ],
)
def test_a_report_that_does_not_fit_is_refused(
    more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """A list that is not there is none that is empty: its name may be wrong."""
    result = run(tmp_path, **put(tmp_path, **more))
    assert result.samples.is_empty()
    [reason] = reasons(result)
    assert said in reason


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"ids": {"2": ["ok"]}}, ".ids.2: '2' is no score from 0 to 1, nor 'missing'"),
        ({"ids": {"1": []}}, ".ids.1: lists no place"),
        ({"ids": {"1": ["^ok"]}}, ".ids.1: '^ok' is a place of the report itself: without ^"),
        ({"ids": {"1": ["ok"], "0": ["ok"]}}, ".ids: 'ok' stands there twice"),
        ({"ids": {"missing": ["ok"]}}, ".ids: names no list of a score, such as 1: [resolved_ids]"),
        ({"each": "ok"}, ".each: has no meaning beside `ids`"),
        ({"range": {"score": [0, 10]}}, ".range: has no meaning beside `ids`"),
        ({"set": {"sample_id": "x"}}, ".set.sample_id: has no meaning beside `ids`"),
        ({"fields": {"model": "model"}}, "what stands in the report is ^model"),
        ({"fields": {"model": "^model", "score": "ok"}}, ".fields.score: `ids` tells the score"),
    ],
)
def test_keys_that_cannot_be_are_told(keys: dict[str, Any], said: str) -> None:
    """Before any job, with what to write."""
    given = {"name": "test"} | KEYS | keys
    told = msgspec.convert(given, reader("json").Entry).mistakes()
    assert any(said in one for one in told), told
    assert entry(**KEYS)
