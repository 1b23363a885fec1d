"""Values of grids are those that each harness's own summary gives of the same, invented, logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import heatproof
from heatproof import printed
from reading import entry, reader, run
from specimens import write
from support.oracles import ORACLES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ORACLES)
def test_a_grid_has_the_values_of_the_harness(name: str, tmp_path: Path) -> None:
    """By task and model, to the last digits of a float; what is printed beside them agrees."""
    oracle = ORACLES[name]
    write(tmp_path, oracle.files)
    result = run(tmp_path, **oracle.source)
    pool = [name for name in ("turn", "opponent") if name in result.samples.columns]
    cells = heatproof.grid(result.samples, x="task", y="model", metric=oracle.metric, pool=pool)
    values = {(x, y): value for x, y, value in cells.select("task", "model", "value").iter_rows()}
    assert values == pytest.approx(oracle.values, abs=1e-12)
    assert len(values) >= 2

    source, module = entry(**oracle.source), reader(oracle.source["format"])
    function = getattr(module, "printed", lambda *_: iter(()))
    numbers = [*printed.read(sorted({*result.samples["log"]}), tmp_path, source, function)]
    result.samples.write_parquet(tmp_path / "t.parquet")
    scored = printed.gather([tmp_path / "t.parquet"], {number.over for _, number in numbers})
    rows = printed.compare(numbers, scored, {})
    assert [row.agree for row in rows] == [True] * oracle.printed
