"""Random figures of random sweeps: values, counts, errors, labels and captions, counted anew."""

import csv
import io
import random
import re
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from heatproof import formats
from heatproof.config import configuration, paths
from heatproof.kinds import api
from heatproof.logs import logs
from heatproof.samples import normalize, shard_index
from heatproof.util import registry
from heatproof.util.errors import Error
from support import randomly
from support.randomly import Shown, Sweep
from support.toys import behind

UNTRUE = r"(Mean score|Pass@)[^:.]*: not judged: values have no bounds"
SWEEPS, FIGURES = 6, 6


def read(made: Sweep, form: str, blocks: dict[str, Any]) -> tuple[str, Any]:
    """The samples table of a sweep, and the figures, as the workflow makes them."""
    randomly.write(made.records, form, Path("data"))
    raw = {"sources": {"s": randomly.source(made, form)}, "figures": blocks}
    config, _ = configuration.examined(raw, Path())
    entry = config.sources["s"]
    reader = registry.find(formats, entry.format, "format", "log format")
    samples = Path("results/tables/s/0000.parquet")
    counts, rejected = (Path(place(str(samples))) for place in (paths.counts, paths.rejected))
    for path in (samples, counts):
        path.parent.mkdir(parents=True, exist_ok=True)
    found = logs.find(entry, Path())
    shard_index.write_counts(
        samples, counts, normalize.write(found, Path(), entry, reader.read, samples, rejected)
    )
    return str(samples), config.figures


def grid_of(samples: str, entry: Any) -> tuple[Any, Any]:
    shards = shard_index.shards_of_figure([samples], entry)
    return shard_index.aggregate(api.kind(entry.kind), entry, shards, [samples]), shards


def cells_of(made: Sweep, shown: Shown) -> dict[tuple[Any, ...], list[randomly.Record]]:
    """Values of panel, y and x → their records, also of cells without any."""
    records = randomly.chosen(made, shown.where)
    axes = [sorted({record[name] for record in records}) for name in shown.along]
    cells: dict[tuple[Any, ...], list[randomly.Record]] = {place: [] for place in product(*axes)}
    for record in records:
        cells[tuple(record[name] for name in shown.along)].append(record)
    return cells


def tasks_of(made: Sweep, shown: Shown) -> dict[Any, set[str]]:
    """Panel → tasks of which its cells are the mean; of cells of one task each none are named."""
    tasks = defaultdict(set)
    for record in randomly.chosen(made, shown.where):
        tasks[tuple(record[name] for name in shown.along[:-2])].add(record["task"])
    return tasks


def check_counts(made: Sweep, shown: Shown, grid: Any, prefix: str = "") -> None:
    """Values, problems and records of each cell, and the standard error where it is known.

    `prefix`: before the names of their columns.
    """
    cells, tasks = cells_of(made, shown), tasks_of(made, shown)
    own_tasks = "task" in shown.along or not shown.mean_over_tasks
    seen = 0
    for row in grid.iter_rows(named=True):
        *panel, y, x = (row[name] for name in (*shown.along[:-2], "y", "x"))
        records = cells[*panel, y, x]
        needed = {r["task"] for r in records} if own_tasks else tasks[tuple(panel)]
        told = randomly.count(records, shown, needed)
        value = told.value
        if shown.baseline:
            (name, at), place = (
                next(iter(shown.baseline.items())),
                dict(zip(shown.along, (*panel, y, x), strict=True)),
            )
            base = [
                r for r in made.records
                if all(
                    randomly.keeps(v, r[n])
                    for n, v in {**shown.where, **place, name: at}.items()
                )
            ]  # fmt: skip
            value = randomly.difference(records, base, shown, needed)
        else:
            assert (row[f"{prefix}samples"], row[f"{prefix}epochs"]) == (
                told.problems,
                told.graded,
            ), row
        value = randomly.in_scale(value, shown, made, bool(shown.baseline))
        stored = row[f"{prefix}value"]
        assert (stored is None) == (value is None), row
        if value is not None:
            seen += 1
            assert stored == pytest.approx(float(value), rel=1e-9, abs=1e-12), row
        if told.error is not None and row[f"{prefix}se"] is not None and not shown.baseline:
            error = randomly.in_scale(told.error, shown, made, True)
            assert row[f"{prefix}se"] == pytest.approx(float(error), rel=1e-7, abs=1e-9), row
        if made.complete and records and not shown.baseline and "tokens" not in shown.word:
            assert row["expected"] == len(records), row
    assert seen


def shown_as(value: float, entry: Any, made: Sweep, shown: Shown, distance: bool) -> float:
    """A number of the grid as the figure shows it: in percent, or in the unit of the logs."""
    if entry.percent:
        return 100 * value
    if randomly.number_of(shown.word) != "score":
        return value
    if made.scale:
        low, high = made.scale
        start = 0 if distance or shown.baseline or shown.word.startswith("std") else low
        return start + value * (high - low)
    return value if entry.percent is False else 100 * value


def check_labels(made: Sweep, shown: Shown, grid: Any, entry: Any, story: Any) -> None:
    """Each printed value, error and end of an interval is that of the grid, to its last digit."""
    at = {name: n for n, name in enumerate(story["facts"])}
    for row, cell in zip(grid.iter_rows(named=True), story["cells"], strict=True):
        texts = cell["facts"]
        if row["value"] is None or row.get("is_baseline"):
            continue
        value = shown_as(row["value"], entry, made, shown, False)
        assert randomly.agrees(texts[0], value), (texts, row)
        if "Standard error" in at and (error := texts[at["Standard error"]]):
            assert randomly.agrees(error, shown_as(row["se"], entry, made, shown, True)), texts
        if "95 % interval" in at and (between := texts[at["95 % interval"]]):
            for end, text in zip(("low", "high"), between.split(" to "), strict=True):
                assert randomly.agrees(text, shown_as(row[end], entry, made, shown, False)), texts
        if "Problems" in at:
            assert texts[at["Problems"]] == f"{row['samples']:,}"
        assert texts[at["Graded rows"]] == f"{row['epochs']:,} of {row['expected']:,}"


def check_caption(made: Sweep, shown: Shown, grid: Any, said: str) -> None:
    """Sizes, what is incomplete, and the highest value, as far as the caption names them."""
    valued = grid.drop_nulls("value")
    sizes = [*(valued["paired_problems"] if shown.baseline else valued["samples"])]
    if found := re.search(r"(\d[\d,]*)(?:–(\d[\d,]*))? problems per", said):
        ends = [int(end.replace(",", "")) for end in found.groups() if end]
        if not shown.baseline:
            assert (ends[0], ends[-1]) == (min(sizes), max(sizes)), said
    lacking = grid.filter((grid["epochs"] < grid["expected"]) | grid["value"].is_null())
    if found := re.search(r"Incomplete: (\d+) of (\d+) cells", said):
        assert (int(found[1]) <= len(lacking), int(found[2])) == (True, len(grid)), said
    if (
        made.complete
        and "tokens" not in shown.word
        and "2" not in shown.word
        and not valued.is_empty()
        and len(valued) == len(grid)
    ):
        assert "ncomplete" not in said, said


def check_csv(made: Sweep, shown: Shown, grid: Any, text: str) -> None:
    """The value of each cell in the unit that its row names."""
    for row, line in zip(
        grid.iter_rows(named=True), csv.DictReader(io.StringIO(text)), strict=True
    ):
        if row["value"] is None:
            assert line["value"] == ""
            continue
        value = row["value"]
        if made.scale and randomly.number_of(shown.word) == "score":
            assert line["value_unit"] == "1 to 10"
            low = 0 if shown.baseline or shown.word.startswith("std") else 1
            value = low + 9 * value
        assert float(line["value"]) == pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_random_figures(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three forms of logs, in five kinds, with a dozen metrics: all agree with a plain count."""
    draw, drawn, refused = random.Random(seed), 0, []
    for number in range(SWEEPS):
        (folder := tmp_path / f"{number}").mkdir()
        monkeypatch.chdir(folder)
        made = randomly.sweep(draw)
        figures = {f"f{n}": randomly.figure(made, draw) for n in range(FIGURES)}
        blocks = {name: shown.block for name, shown in figures.items()}
        samples, entries = read(made, randomly.FORMS[number % 3], blocks)
        for name, shown in figures.items():
            if name not in entries:
                refused.append(f"{shown.block}")
                continue
            entry, kind = entries[name], api.kind(entries[name].kind)
            try:
                grid, shards = grid_of(samples, entry)
            except Error as error:
                refused.append(f"{error}")
                continue
            drawn += 1
            check_counts(made, shown, grid)
            if shown.cost:
                check_counts(made, shown._replace(word=shown.cost), grid, "x_")
            records = behind(shards.portions(), entry, grid, shards.partial())
            check_labels(made, shown, grid, entry, kind.story(records, entry, grid))
            said = ". ".join(kind.caption(grid, entry))
            check_caption(made, shown, grid, said)
            assert not re.search(UNTRUE, said), said
            check_csv(made, shown, grid, kind.csv(grid, entry))
            assert all(same for *_, same in kind.recounted(shards.portions()[0], grid, entry))
    assert drawn >= 0.6 * SWEEPS * FIGURES, refused
