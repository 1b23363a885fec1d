"""The first records behind a cell, as the page quotes them."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from heatproof.provenance import quotes

LINES = "".join(f'{{"id": {n}}}\n' for n in range(5))
LINE = len('{"id": 0}\n')


def behind(*cells: list[Any], log: str = "a.jsonl") -> dict[str, Any]:
    """What lies behind cells: each with stretches of one log, [first, last, start, end]."""
    return {"cells": [{"logs": [[0, *stretches]]} for stretches in cells], "logs": [log]}


@pytest.mark.parametrize("packed", [False, True])
def test_records_are_quoted_as_they_stand(tmp_path: Path, packed: bool) -> None:
    """From the first stretches that hold as many as are wanted, of packed logs too."""
    name = "a.jsonl.gz" if packed else "a.jsonl"
    data = gzip.compress(LINES.encode()) if packed else LINES.encode()
    (tmp_path / name).write_bytes(data)
    whole = [[1, 5, 0, 5 * LINE - 1]]
    apart = [[2, 2, LINE, 2 * LINE - 1], [4, 5, 3 * LINE, 5 * LINE - 1]]
    found = quotes.quoted(behind(whole, apart, log=name), 2, tmp_path)
    assert found == {
        "most": 2,
        "texts": {
            "0:0": ['{"id": 0}', '{"id": 1}'],
            f"0:{LINE}": ['{"id": 1}'],
            f"0:{3 * LINE}": ['{"id": 3}', '{"id": 4}'],
        },
    }


def test_no_more_is_read_than_is_shown(tmp_path: Path) -> None:
    """A long record is cut; stretches behind the first records, and those left out, are not read."""
    (tmp_path / "a.jsonl").write_text("x" * 1_000 + "\n" + LINES)
    cell = [[1, 1, 0, 1_000], [3, 3, 2_000, 2_010]]
    found = quotes.quoted(behind(cell), 1, tmp_path)
    assert found["texts"] == {"0:0": ["x" * quotes.SHOWN + "…"]}
    left_out = {"cells": [{"logs": [[-1, 3, 9]]}, {"instances": []}], "logs": []}
    assert quotes.quoted(left_out, 3, tmp_path)["texts"] == {}


def test_a_record_of_several_lines_is_one(tmp_path: Path) -> None:
    """As in a document of JSON that is indented."""
    text = '{\n "id": 0\n}'
    (tmp_path / "a.json").write_text(text)
    found = quotes.quoted(behind([[1, 1, 0, len(text)]], log="a.json"), 3, tmp_path)
    assert found["texts"] == {"0:0": [text]}
