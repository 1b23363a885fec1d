"""Hyper-parameters that logs leave unsaid where they were at their default."""

from pathlib import Path
from typing import Any

import pytest

import specimens
from reading import lines, reasons, run

RECORDS = lines(
    [
        {"id": 1, "score": 1, "cfg": {"t": 0.5}},
        {"id": 2, "score": 1, "cfg": {"t": None}},
        {"id": 3, "score": 1, "cfg": {}},
        {"id": 4, "score": 1},
    ]
)
RECORD = lines([{"id": 1, "score": 1}])


@pytest.mark.parametrize(
    ("files", "keys", "values", "refused"),
    [
        # Null, no such key, and nothing on the way to it: all are the same.
        ({"a.jsonl": RECORDS}, {"field": "cfg.t", "default": 0}, [0.5, 0, 0, 0], 0),
        ({"a.jsonl": RECORDS}, {"field": "cfg.t"}, [0.5, None], 2),
        # A part of the path that is not always there is like a key that is not.
        ({"a-t0.7.jsonl": RECORD, "b.jsonl": RECORD}, {"default": 0}, [0.7, 0], 0),
        ({"a.csv": b"id,score,t\n1,1,0.5\n2,1,\n"}, {"field": "t", "default": 0}, [0.5, 0], 0),
        ({"a.csv": b"id,score\n1,1\n2,1\n"}, {"field": "t", "default": 0}, [0, 0], 0),
    ],
)
def test_what_no_record_tells_is_at_its_default(
    tmp_path: Path, files: dict[str, bytes], keys: dict[str, Any], values: list[Any], refused: int
) -> None:
    """Without one, a record must have it."""
    specimens.write(tmp_path, files)
    ending = next(iter(files)).rpartition(".")[2]
    more = {"path": rf"(-t(?P<temperature>[\d.]+))?\.{ending}"} if "field" not in keys else {}
    fields = {"sample_id": "id", "score": "score"}
    params = {"temperature": {"type": "float", **keys}}
    result = run(tmp_path, format=ending, fields=fields, params=params, **more)
    assert result.samples.sort("log", "sample_id")["temperature"].to_list() == values
    assert len(reasons(result)) == refused


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
    defaults = {"temperature": ("float", 0), "top_p": ("float", 1), "top_k": ("int", 50)}
    params = {name: {"type": kind, "default": v} for name, (kind, v) in defaults.items()}
    samples = run(tmp_path, **keys | {"params": params}).samples
    assert samples.select(*params).unique().rows() == [(1.0, 0.5, 50)]
