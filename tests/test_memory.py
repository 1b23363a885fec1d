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

from heatproof.samples import columns, memory
from heatproof.samples.values import TYPES
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
from heatproof.readers import jsonl
root = Path(sys.argv[1])
entry = jsonl.Entry(name="x", format="jsonl", logs="*", params={"t": "float"},
    fields={"sample_id": "id", "score": "score", "epoch": "epoch"}, measures={"m": "m"})
made = normalize.write(["b", "a"], root, entry, jsonl.read, root / "s", root / "r")
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
