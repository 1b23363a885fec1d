"""What readers of harnesses make of logs, beside what the harnesses and their libraries say of the same.

`HEATPROOF_ORACLES` names a Python that has the libraries (`tests/oracles/README.md`).
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import heatproof
from heatproof import printed
from heatproof.config import configuration
from heatproof.plan import planned
from heatproof.samples import normalize
from heatproof.util import hashed
from heatproof.util.errors import Error
from support import specimens
from support.folders import init
from support.oracles import ORACLES
from support.reading import entry, reader, run
from support.specimens import write

PYTHON = os.environ.get("HEATPROOF_ORACLES", "")
APART = ("every_eval_ever", "lighteval", "simple_evals")
"""Want Python 3.12, 6 GB, a clone: these may be skipped in continuous integration too."""
SCRIPTS = sorted((Path(__file__).parents[1] / "oracles").glob("*_logs.py"))


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
    rows = printed.compare_numbers(numbers, scored, {})
    assert [row.agree for row in rows] == [True] * oracle.printed


def test_continuous_integration_has_the_libraries() -> None:
    """Else the numbers of harnesses would be compared with nothing, and nobody would see it."""
    assert PYTHON or not os.environ.get("CI"), "HEATPROOF_ORACLES names no Python"


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="HEATPROOF_ORACLES names no Python with the libraries")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem.removesuffix("_logs"))
def test_cells_are_what_the_library_says(
    script: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """One source, its reader chosen, and each value equal to the last digits of a float."""
    name = script.stem.removesuffix("_logs")
    (tmp_path / "logs").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path_factory.mktemp("library"))}
    ran = subprocess.run(
        [PYTHON, str(script), str(tmp_path / "logs")],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    may_skip = name in APART or not os.environ.get("CI")
    if "ModuleNotFoundError" in ran.stderr and may_skip:
        pytest.skip(ran.stderr.splitlines()[-1])
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    [source] = init(tmp_path)["sources"].values()
    assert {**source, **told["source"]} == source
    result = run(tmp_path, **source)
    x = told.get("x", "task")
    cells = heatproof.grid(result.samples, x=x, y="model", metric=told["metric"])
    found = {(x, y): value for x, y, value in cells.select(x, "model", "value").iter_rows()}
    expected = {(x, model): value for x, model, value in told["values"]}
    assert found == pytest.approx(expected, abs=1e-12)


WRONG = [
    ("metric", [], ".metric: is an empty list"),
    ("filter", {"a": []}, ".filter.a: is an empty list"),
    ("filter", ["a", "b", "a"], ".filter: 'a' is listed twice"),
    ("metric", 3, ".metric: 3 is not text, a list or a mapping"),
    ("metric", {"a": 3}, ".metric.a: 3 is not text or a list"),
]


@pytest.mark.parametrize(("key", "wrong", "message"), WRONG)
def test_a_preference_that_says_nothing_is_told(key: str, wrong: Any, message: str) -> None:
    """Before any log is looked at."""
    with pytest.raises(Error) as error:
        configuration.read({"sources": {"s": {"format": "lm_eval", "logs": "*", key: wrong}}})
    assert f"config.yaml: sources.s{message}" in str(error.value)


def test_the_choice_is_told_with_its_tasks() -> None:
    """A line for each scorer, its first tasks by name; a choice for no task is told as such."""
    source = entry(format="lm_eval", metric={"mmlu_*": "acc", "arth": "em"}, filter="none")
    assert source.chooses()
    assert not entry(format="lm_eval", metric="acc", filter="none").chooses()
    rows = [{"scorer": "acc,none", "task": f"mmlu_{n}"} for n in range(8)]
    rows += [{"scorer": "em,none", "task": "arith"}] * 2
    first, second, third = normalize.scorer_words("lm", source, pl.LazyFrame(rows))
    assert first.endswith("acc,none: mmlu_0, mmlu_1, mmlu_2, mmlu_3, mmlu_4, mmlu_5, 2 other tasks")
    assert second.endswith("em,none: arith")
    assert third.startswith("config.yaml: sources.lm.metric.arth: no sample is of task 'arth'")


def test_a_changed_sidecar_changes_the_shard_of_its_log(tmp_path):
    """New settings in a results file are a change of the run, though its samples are the same."""
    for model in "ab":
        write(tmp_path / model, specimens.SOURCES["lm_eval"][0])
    axes = {"x": "model", "y": "task", "color": "pass@1"}
    figure = {"kind": "heatmap", "source": "runs", "encoding": axes}
    source = {"format": "lm_eval", "logs": "**/samples_*.jsonl", "shards": 64}
    plan = planned({"sources": {"runs": source}, "figures": {"grid": figure}}, tmp_path)

    def read_by(shard: str) -> dict[str, Any]:
        """What the job of a shard reads, with its content."""
        paths = plan.inputs_of(f"runs/{shard}")
        return {path: hashed.content(tmp_path / path) for path in paths}

    before = {shard: read_by(shard) for shard in plan.logs["runs"]}
    [path] = (tmp_path / "a").rglob("results_*.json")
    path.write_text(path.read_text().replace("pretrained=", "pretrained=other-"))
    assert sum(read_by(shard) != files for shard, files in before.items()) == 1
