"""What is done with Arrow's arrays by numpy is what Arrow itself would do."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heatproof.samples import columns, memory, ordering
from heatproof.samples.values import TYPES, WORD
from reading import lines

if TYPE_CHECKING:
    from pathlib import Path

KINDS = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False),
    "bool": st.booleans(),
    "str": st.text(max_size=3),
}
lists = st.sampled_from(sorted(KINDS)).flatmap(
    lambda kind: st.tuples(st.just(kind), st.lists(KINDS[kind] | st.none(), min_size=1))
)


@given(lists, st.integers(0, 20), st.data())
def test_rows_are_taken_as_arrow_takes_them(
    made: tuple[str, list[Any]], cut: int, data: st.DataObject
) -> None:
    """Nulls, flags and texts alike, also of an array that begins within another."""
    kind, values = made
    column = pa.array(values * 2, TYPES[kind])[min(cut, len(values)) :]
    at = data.draw(st.lists(st.integers(0, len(column) - 1)))
    found = memory.taken(column, np.array(at, np.int64))
    assert found.type == column.type
    assert found.to_pylist() == column.take(pa.array(at, pa.int64())).to_pylist()


@given(lists)
def test_rows_are_told_apart_by_their_value(made: tuple[str, list[Any]]) -> None:
    """Two rows have the same codes where they hold the same value, or none."""
    kind, values = made
    codes = [code.tolist() for code in columns.codes(pa.array(values, TYPES[kind]))]
    keys = list(zip(*codes, strict=True))
    assert [k == keys[0] for k in keys] == [value == values[0] for value in values]


@given(lists)
def test_values_of_a_column_are_found_once(made: tuple[str, list[Any]]) -> None:
    """Each value that occurs is told, null is not."""
    kind, values = made
    found = columns.distinct(pa.array(values, TYPES[kind]))
    assert set(found) == {*values} - {None}
    assert len(found) == len(set(found))


@pytest.mark.parametrize("count", [5, memory.FEW + 1])
def test_texts_are_in_the_order_of_their_bytes(count: int) -> None:
    """However many there are: by Python's sort or by Arrow's."""
    texts = [f"{chr(0xFFFD - n)}\U0001f600{n}é" for n in range(count)]
    found = memory.texts_at(pa.array(texts), memory.order(pa.array(texts)))
    assert found.to_pylist() == sorted(texts, key=str.encode)


FAR = 2**62
ORDERS: list[dict[str, list[Any]]] = [
    {"n": [3, 1, 2]},
    {"n": [0, 2, 1]},
    {"n": [7, 5, 7, 6], "m": [-3, 9, -4, 0]},
    {"t": ["b", "a", "b", "a", "c"], "n": [5, 7, 5, 6, 5]},
    {"t": ["é", "z", "", "\U0001f600", "\ufffd"]},
    {"n": [1, 0, 1, 0], "m": [2**40, 0, -(2**40), 5], "k": [0, 2**40, 1, 2]},
    {"n": [1, 0, 1, 0], "m": [2**59 + 1, 2**59, 2**59, 0]},
    {"n": [1, 0, 1, 0], "m": [FAR, 0, -FAR - 1, 5]},
    {"n": [2 * FAR - 1, 0, -2 * FAR, 5]},
    {"n": [FAR + 2, FAR - 2, FAR]},
]


@pytest.mark.parametrize("columns_", ORDERS)
def test_rows_are_ordered_by_one_column_after_the_other(columns_: dict[str, list[Any]]) -> None:
    """However far numbers lie apart; rows of one key as they were, each told to be one again."""
    twice = {name: values * 2 for name, values in columns_.items()}
    kinds = {name: WORD if name == "t" else pa.int64() for name in twice}
    table = pa.table(twice | {"at": range(len(next(iter(twice.values()))))})
    table = table.cast(pa.schema(kinds | {"at": pa.int64()})).combine_chunks()
    keys = list(zip(*twice.values(), strict=True))
    wanted = sorted(range(len(keys)), key=lambda at: [_bytes(one) for one in keys[at]])
    found = ordering.ordered(table, [*twice])
    assert found["at"].to_pylist() == wanted
    assert ordering.ordered(found, [*twice]).equals(found)
    sorted_ = [keys[at] for at in wanted]
    same = [at > 0 and one == sorted_[at - 1] for at, one in enumerate(sorted_)]
    assert ordering.again(found, [*twice]).tolist() == same


def _bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def test_numbers_are_told_apart_to_the_last_bit() -> None:
    """Whole ones beyond the floats, too; what is no number is one value, and so is zero."""
    whole = columns.codes(pa.array([2**53, 2**53 + 1, 2**53]))
    assert [code.tolist() for code in whole] == [[2**53, 2**53 + 1, 2**53]]
    (floats,) = columns.codes(pa.array([float("nan"), float("nan"), 0.0, -0.0, 1.0]))
    assert [a == b for a, b in zip(floats[1:], floats, strict=False)] == [True, False, True, False]


@pytest.mark.parametrize("pieces", [0, 1, 2, 3])
def test_a_column_is_whole_however_many_pieces_it_has(pieces: int) -> None:
    """Arrow keeps what comes together as it came."""
    table = pa.table({"n": pa.chunked_array([[n, n + 1] for n in range(pieces)], pa.int64())})
    assert columns.array(table, "n").to_pylist() == [n + i for n in range(pieces) for i in (0, 1)]


READ = """
import sys
from pathlib import Path
class NoPandas:  # the README installs none; where it is, Arrow loads it
    def find_spec(self, name, *_):
        if name == "pandas":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoPandas())
from heatproof.samples import counting
from heatproof.samples import holding, normalize
from heatproof.readers import jsonl_format
root = Path(sys.argv[1])
entry = jsonl_format.Entry(name="x", format="jsonl", logs="*", params={"t": "float"},
    fields={"sample_id": "id", "score": "score", "epoch": "epoch"}, measures={"m": "m"})
made = normalize.write(["b", "a"], root, entry, jsonl_format.read, root / "s", root / "r")
counting.write(root / "s", root / "c", holding.held(root / "s", made))
loaded = {"pyarrow.compute", "numpy.ma", "polars"} & {*sys.modules}
assert not loaded, loaded
import pyarrow
assert pyarrow.default_memory_pool().backend_name == "system"
"""


def test_a_job_that_reads_small_logs_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    """Neither Arrow's functions nor a library of frames: that would take longer than the work.

    And what it gives back of its memory, the system gets.
    """
    for number, name in enumerate(("a", "b")):
        rows = [
            {"id": n, "epoch": 0, "score": n % 2, "t": number or None, "m": None if n else 2}
            for n in range(9)
        ]
        (tmp_path / name).write_bytes(lines(rows) + b"oops\n")
    source = next(path for path in sys.path if path.endswith("workflow/src"))
    env = os.environ | {"PYTHONPATH": source}
    env.pop("ARROW_DEFAULT_MEMORY_POOL", None)
    subprocess.run([sys.executable, "-c", READ, str(tmp_path)], env=env, check=True)
