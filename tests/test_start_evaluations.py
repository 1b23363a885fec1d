"""heatproof init on evaluations of Every Eval Ever that come without their samples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from test_start import init, put

if TYPE_CHECKING:
    from pathlib import Path


def evaluation(model: str, *results: dict[str, Any]) -> bytes:
    told = {"schema_version": "0.3.0", "evaluation_id": f"e/{model}", "model_info": {"id": model}}
    return json.dumps(told | {"evaluation_results": results}).encode()


def result(task: str, number: str, score: float) -> dict[str, Any]:
    error = {"standard_error": {"value": 0.1}, "num_samples": 20}
    return {
        "evaluation_name": task,
        "evaluation_result_id": number,
        "score_details": {"score": score, "uncertainty": error},
    }


@pytest.mark.parametrize("metrics", [("acc",), ("acc", "f1")])
def test_their_numbers_are_aggregates(metrics: tuple[str, ...], tmp_path: Path) -> None:
    """A number for each result, with its standard error; ids tell several of a name apart."""
    files = {
        f"data/{model}/{n}f-{model}.json": evaluation(
            model,
            *(result(task, f"{task}:{m}", (n + 1) / 4) for task in "xy" for m in metrics),
        )
        for n, model in enumerate("abc")
    }
    put(tmp_path, {**files})
    written = init(tmp_path)
    [source] = written["sources"].values()
    told = "score_details"
    assert source["aggregates"] == {
        "result": {
            "value": f"{told}.score",
            "stderr": f"{told}.uncertainty.standard_error.value",
            "n": f"{told}.uncertainty.num_samples",
        }
    }
    assert source["fields"] == {"model": "^model_info.id", "task": "evaluation_name"}
    assert ("params" in source) == (len(metrics) > 1)
    first = next(iter(written["figures"].values()))
    assert first["encoding"] == {"x": "task", "y": "model", "color": "printed(result)"}
