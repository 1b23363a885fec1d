"""Mistakes that only records show are told before any job, and none that there is not."""

import gzip
import json
import time
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from heatproof import plan, preview
from support.project import FOLDER, TWO, write_two

SOURCE, FIGURE = FOLDER["sources"]["own"], FOLDER["figures"]["heat"]


def write(
    folder: Path, logs: int = 2, records: int = 40, text: str = "", packed: bool = False
) -> None:
    """Logs, each of a model at two settings, a record a problem; `text` makes them long."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(logs):
        rows = [
            {"id": n, "m": f"m{number}", "b": b, "score": (n + b) % 2, "text": text}
            for n, b in product(range(records), (1, 2))
        ]
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        name = f"{number:03}.jsonl{'.gz' * packed}"
        (folder / name).write_bytes(gzip.compress(lines, 1) if packed else lines)


def told(root: Path, source: dict[str, Any] | None = None, **figure: Any) -> list[str]:
    """What is told before a run."""
    config = {
        "sources": {"own": SOURCE | {"logs": "data/*"} | (source or {})},
        "figures": {"heat": FIGURE | figure},
    }
    return [
        f"{mistake}" for mistake in preview.first_mistakes(plan.planned(config, root), dry=True)
    ]


FIELDS = SOURCE["fields"]
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a place": ({"fields": FIELDS | {"score": "scores"}}, {}, "sources.own.fields.score"),
    "another place": (
        {"fields": FIELDS | {"sample_id": "a.b"}},
        {},
        "missing required field `a`",
    ),
    "a path": ({"path": r"(?P<seed>s\d+)/", "params": {"b": "int", "seed": "str"}}, {}, "path"),
    "a type": ({"params": {"b": "int", "m": "int"}}, {}, "sources.own.params.m"),
    "a value": ({}, {"where": {"model": "m77"}}, "figures.heat.where.model: no sample has 'm77'"),
    "a mix": ({}, {"encoding": {"x": "task", "y": "model", "color": "pass@1"}}, "would mix"),
    "too few": ({}, {"encoding": {"x": "b", "y": "model", "color": "pass@9"}}, "write pass@1"),
    "ends": ({}, {"domain": [60, 70]}, "figures.heat.domain: no value lies between 60 and 70"),
    "a sign": ({"range": {"score": [0, 0.5]}}, {}, "sources.own"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_small_source_tells_all_that_is_wrong(name: str, tmp_path: Path) -> None:
    """It is read whole, and its figures are counted."""
    write(tmp_path / "data")
    source, figure, words = WRONG[name]
    assert any(words in line for line in told(tmp_path, source, **figure))


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_of_a_large_source_the_first_records_tell(packed: bool, tmp_path: Path) -> None:
    """If none of them can be read; what others may still say is left to the jobs."""
    text = "".join(map(str, range(2000)))
    write(tmp_path / "data", 12, 400, text, packed)
    assert (
        sum(path.stat().st_size for path in (tmp_path / "data").iterdir()) > preview.WHOLE or packed
    )
    source, _, words = WRONG["a place"]
    begun = time.process_time()
    assert any(words in line for line in told(tmp_path, source))
    assert told(tmp_path) == []
    if not packed:
        assert told(tmp_path, where={"model": "m77"}) == []
    assert time.process_time() - begun < 3 * preview.SECONDS + 5


def test_one_bad_log_of_several_is_no_mistake_of_the_config(tmp_path: Path) -> None:
    """The first log of a large source has other names; the others are fine."""
    write(tmp_path / "data", 12, 400, "x" * 400)
    first = tmp_path / "data/000.jsonl"
    first.write_text(first.read_text().replace('"score"', '"points"'))
    assert told(tmp_path) == []


def test_nothing_is_read_where_nothing_is_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source whose jobs are done."""
    write(tmp_path / "data")
    piece = tmp_path / "results/.ledger/normalize/own/0000.json"
    piece.parent.mkdir(parents=True)
    piece.touch()
    monkeypatch.setattr(preview, "_of_source", None)
    assert told(tmp_path) == []


@pytest.mark.workflow
def test_a_dry_run_stops_at_a_mistake_of_a_figure_and_a_run_tells_it(tmp_path: Path) -> None:
    """Before its first job; all other figures are made."""
    project = write_two(tmp_path)
    config = deepcopy(TWO)
    config["figures"]["grid"]["where"] = {"model": "nobody"}
    project.configure(config)
    status, said = project.run("-n")
    assert (status, "no sample has 'nobody'" in said) == (1, True)
    status, said = project.run()
    assert status == 1
    assert said.index("no sample has 'nobody'") < said.index("Job stats")
    assert (tmp_path / "results/figures/pair.svg").is_file()
    config["figures"]["grid"]["where"] = {"model": {"not": "somebody"}}
    project.configure(config)
    status, said = project.run("-n")
    assert (status, "no sample has 'somebody'" in said) == (1, True), "of a source that is read"
