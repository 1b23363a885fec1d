"""Hyper-parameters that logs leave unsaid where they were at their default."""

from pathlib import Path
from typing import Any

import pytest

import specimens
from reading import lines, reasons, run

FIELDS = {"sample_id": "id", "score": "score"}
WARM = {"temperature": {"type": "float", "field": "cfg.t", "default": 0}}
RECORDS: list[dict[str, Any]] = [
    {"id": 1, "score": 1, "cfg": {"t": 0.5}},
    {"id": 2, "score": 1, "cfg": {"t": None}},
    {"id": 3, "score": 1, "cfg": {}},
    {"id": 4, "score": 1},
]


def test_records_without_it_have_the_default(tmp_path: Path) -> None:
    """Null, no such key, and nothing on the way to it: all are the same."""
    (tmp_path / "a.jsonl").write_bytes(lines(RECORDS))
    result = run(tmp_path, format="jsonl", fields=FIELDS, params=WARM)
    assert result.samples.sort("sample_id")["temperature"].to_list() == [0.5, 0.0, 0.0, 0.0]


def test_without_a_default_a_record_must_have_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(RECORDS))
    params = {"temperature": {"type": "float", "field": "cfg.t"}}
    result = run(tmp_path, format="jsonl", fields=FIELDS, params=params)
    assert result.samples["temperature"].to_list() == [0.5, None]
    assert len(reasons(result)) == 2


def test_a_path_that_tells_it_wins(tmp_path: Path) -> None:
    """A part of the path that is not always there is like a key that is not."""
    for name in ("a-t0.7.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(lines([{"id": 1, "score": 1}]))
    params = {"temperature": {"type": "float", "default": 0}}
    path = r"(-t(?P<temperature>[\d.]+))?\.jsonl"
    result = run(tmp_path, format="jsonl", fields=FIELDS, params=params, path=path)
    assert result.samples["temperature"].to_list() == [0.7, 0.0]


@pytest.mark.parametrize(
    ("text", "values"),
    [("id,score,t\n1,1,0.5\n2,1,\n", [0.5, 0.0]), ("id,score\n1,1\n2,1\n", [0.0, 0.0])],
)
def test_a_cell_may_be_empty_and_a_column_be_missing(
    tmp_path: Path, text: str, values: list[float]
) -> None:
    (tmp_path / "a.csv").write_text(text)
    params = {"temperature": {"type": "float", "field": "t", "default": 0}}
    result = run(tmp_path, format="csv", fields=FIELDS, params=params)
    assert result.samples.sort("sample_id")["temperature"].to_list() == values


@pytest.mark.parametrize("name", ["lm_eval", "inspect", "archive", "every_eval_ever", "helm"])
def test_logs_of_harnesses_have_it_too(tmp_path: Path, name: str) -> None:
    files, keys = specimens.SOURCES[name]
    specimens.write(tmp_path, files)
    params = {"beams": {"type": "int", "default": 4}, "how": {"type": "str", "default": 1}}
    result = run(tmp_path, **keys | {"params": params})
    assert result.samples["beams"].unique().to_list() == [4]
    assert result.samples["how"].unique().to_list() == ["1"]
    assert len(result.samples["run"].unique()) == 1


def test_what_records_of_a_harness_tell_wins(tmp_path: Path) -> None:
    """lm-evaluation-harness tells some settings in each record."""
    files, keys = specimens.SOURCES["lm_eval"]
    specimens.write(tmp_path, files)
    params = {
        "temperature": {"type": "float", "default": 0},
        "top_p": {"type": "float", "default": 1},
        "top_k": {"type": "int", "default": 50},
    }
    told = run(tmp_path, **keys | {"params": params}).samples
    assert told.select(*params).unique().rows() == [(1.0, 0.5, 50)]
