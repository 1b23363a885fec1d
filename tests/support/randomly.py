"""Random sweeps and figures of them, and every number of a figure counted once more in plain Python.

Nothing of heatproof counts here: records are dicts, problems are grouped in loops, values are
fractions. What a figure prints is read back from its texts.
"""

import csv
import json
import math
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

Record = dict[str, Any]
FORMS = ("jsonl", "csv", "parquet")
SETTINGS = ("model", "task", "temp", "budget", "seed")
PARAMS = {"temp": "float", "budget": "int", "seed": "int", "bin": "int", "lang": "str"}


class Sweep(NamedTuple):
    """Records of runs, in whole or with holes, and the range of their scores."""

    records: list[Record]
    complete: bool
    graded: bool  # scores between right and wrong
    scale: tuple[float, float] | None


def sweep(draw: random.Random) -> Sweep:
    """Models, tasks, temperatures, budgets and seeds, crossed; problems with a language each."""
    complete, graded = draw.random() < 0.5, draw.random() < 0.4
    scale = (1.0, 10.0) if graded and draw.random() < 0.5 else None
    models, tasks = "mnop"[: draw.randint(1, 4)], ["t", "u"][: draw.randint(1, 2)]
    temps, budgets = [0.0, 0.5, 1.0][: draw.randint(1, 3)], [16, 128, 1024][: draw.randint(1, 3)]
    seeds, epochs = [*range(draw.randint(1, 2))], draw.randint(1, 3)
    problems = {task: draw.randint(6, 12) for task in tasks}
    records: list[Record] = []
    for model, task, temp, budget, seed in product(models, tasks, temps, budgets, seeds):
        if not complete and draw.random() < 0.1:
            continue  # a run that is not there
        stop = (
            problems[task] if complete or draw.random() < 0.7 else draw.randint(1, problems[task])
        )
        for problem, epoch in product(range(stop), range(epochs)):
            level = draw.random() * 0.6 + 0.1 * models.index(model) + 0.1 * temp
            score: Any = round(level, 2) if graded else int(draw.random() < level)
            if scale:
                score = round(1 + 9 * score, 2)
            tokens = None if draw.random() < 0.05 else draw.randrange(50, 4000)
            records.append({
                "model": model, "task": task, "temp": temp, "budget": budget, "seed": seed,
                "id": f"p{problem}", "epoch": epoch, "score": score, "tokens": tokens,
                "lang": ("de", "en")[problem % 2], "bin": draw.randrange(3),
            })  # fmt: skip
    return Sweep(records, complete, graded, scale)


def write(records: Sequence[Record], form: str, folder: Path) -> None:
    """Two files of the records, in one of the forms."""
    folder.mkdir(exist_ok=True)
    for number, part in enumerate((records[::2], records[1::2])):
        path = folder / f"{number}.{form}"
        if form == "jsonl":
            path.write_text("".join(json.dumps(record) + "\n" for record in part))
        elif form == "parquet":
            pl.DataFrame(part, infer_schema_length=None).write_parquet(path)
        elif part:
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, [*part[0]])
                writer.writeheader()
                writer.writerows(part)


def source(made: Sweep, form: str) -> dict[str, Any]:
    """The source of config.yaml."""
    fields = {"model": "model", "task": "task", "sample_id": "id", "epoch": "epoch"}
    ranged = {"range": {"score": [*made.scale]}} if made.scale else {}
    return {
        "format": "csv" if form == "csv" else "jsonl", "logs": f"data/*.{form}", "fields": fields | {"score": "score"},
        "params": PARAMS, "measures": {"tokens": "tokens"}, **ranged,
    }  # fmt: skip


# ------------------------------------------------------------------------------ random figures

OF_RIGHT = ("pass@1", "pass@2", "pass^2")
OF_ANY = ("mean(score)", "mean(tokens)", "median(tokens)", "p90(tokens)", "std(score)",
          "max(tokens)", "min(score)", "sum(tokens)", "count")  # fmt: skip
COMPARED = ("mean(score)", "pass@1", "mean(tokens)")
KINDS: dict[str, dict[str, str]] = {
    "heatmap": {"x": "x", "y": "y", "color": "metric"},
    "table": {"x": "x", "y": "y", "text": "metric"},
    "line": {"x": "x", "y": "metric", "color": "y"},
    "forest": {"x": "metric", "y": "y", "detail": "x"},
    "scatter": {"x": "cost", "y": "metric", "label": "y", "detail": "x"},
}


class Shown(NamedTuple):
    """A figure: what lies along its axes, what its cells mix, and the metric."""

    block: dict[str, Any]
    along: list[str]  # columns of panel, y, x
    word: str
    where: dict[str, Any]
    mean_over_tasks: bool
    baseline: dict[str, Any]
    cost: str  # the metric along x of a scatter


def figure(made: Sweep, draw: random.Random) -> Shown:
    """A random figure of a sweep."""
    kind = draw.choice([*KINDS])
    x, y, *rest = draw.sample(["model", "temp", "budget", draw.choice(["task", "lang", "bin"])], 4)
    panel = rest[:1] if draw.random() < 0.4 else []
    kind = "heatmap" if kind == "line" and x not in ("temp", "budget") else kind
    along = [*panel, y, x]
    word = draw.choice(OF_ANY if made.graded else [*OF_ANY, *OF_RIGHT])
    word = "mean(score)" if made.scale and word in ("sum(score)", "std(score)") else word
    mean_over_tasks = "task" not in along and draw.random() < 0.5
    keys: dict[str, Any] = {"panel": panel[0]} if panel else {}
    keys |= {"mean_over": "task"} if mean_over_tasks else {}
    free = {*SETTINGS, "lang", "bin"} - {*along} - ({"task"} if mean_over_tasks else set())
    pool = [n for n in sorted(free) if n in ("lang", "bin", "seed") or draw.random() < 0.3]
    where = {n: draw.choice(values_of(made, n)) for n in sorted(free) if n not in pool}
    for name in (*along, *where):
        if len(values_of(made, name)) > 1 and draw.random() < 0.3:
            kept = where.get(name, draw.choice(values_of(made, name)))
            others = [value for value in values_of(made, name) if value != kept]
            where[name] = {"not": others if name in free else others[0]}
    baseline = {}
    if kind == "heatmap" and word in COMPARED and draw.random() < 0.3:
        baseline = keys["relative_to"] = {y: draw.choice(values_of(made, y))}
    cost = draw.choice(COMPARED[::2]) if kind == "scatter" else ""
    if draw.random() < 0.3:
        keys["percent"] = draw.random() < 0.5
    if draw.random() < 0.3 and not (baseline or cost):
        keys["best"] = draw.choice(["lowest", "none"])
    places = {"x": x, "y": y, "metric": word, "cost": cost}
    encoding = {key: places[what] for key, what in KINDS[kind].items()}
    block = {"kind": kind, "source": "s", "encoding": encoding, "formats": ["svg"]}
    block |= keys | {"pool": pool, "where": where}
    return Shown(block, along, word, where, mean_over_tasks or "task" in pool, baseline, cost)


def values_of(made: Sweep, column: str) -> list[Any]:
    return sorted({record[column] for record in made.records})


# ------------------------------------------------------------------------------ counted anew


class Count(NamedTuple):
    """A cell counted from its records."""

    value: Fraction | float | None
    problems: int
    graded: int  # records with a number
    records: int
    error: float | None = None  # of the mean


Problems = dict[tuple[str, str], list[Fraction]]  # task and id → numbers of its records


def chosen(made: Sweep, where: dict[str, Any]) -> list[Record]:
    return [r for r in made.records if all(keeps(v, r[name]) for name, v in where.items())]


def keeps(asked: Any, value: Any) -> bool:
    """Whether a value of `where` is that of a record, or does not leave it out."""
    if not isinstance(asked, dict):
        return bool(value == asked)
    left_out = asked["not"]
    return value not in (left_out if isinstance(left_out, list) else [left_out])


def number_of(word: str) -> str:
    column = word.partition("(")[2].rstrip(")") or "score"
    return "" if word == "count" else column


def problems_of(records: Iterable[Record], word: str) -> Problems:
    """The numbers of each problem: scores on the scale of the logs."""
    column, found = number_of(word), defaultdict(list)
    for record in records:
        value = 1 if not column else record[column]
        if value is not None:
            found[record["task"], record["id"]].append(Fraction(str(value)))
    return dict(found)


def point(values: list[Fraction], word: str) -> Fraction | None:
    """The value of a problem."""
    if match := re.fullmatch(r"pass([@^])(\d)", word):
        if len(values) < int(match[2]):
            return None
        draws = [*combinations(values, int(match[2]))]
        hits = sum(all(draw) if match[1] == "^" else any(draw) for draw in draws)
        return Fraction(hits, len(draws))
    if word.startswith(("sum", "count")):
        return sum(values, Fraction(0))
    return sum(values, Fraction(0)) / len(values)


def joined(points: list[Fraction], word: str) -> Fraction | float | None:
    """The value of a task."""
    points, n = sorted(points), len(points)
    mean = sum(points, Fraction(0)) / n
    if word.startswith("std"):
        return None if n < 2 else math.sqrt(sum((p - mean) ** 2 for p in points) / (n - 1))
    if word.startswith(("sum", "count")):
        return sum(points, Fraction(0))
    shares = {"median": 50, "p90": 90, "min": 0, "max": 100}
    if (name := word.partition("(")[0]) in shares:
        at = Fraction((n - 1) * shares[name], 100)
        low = int(at)
        return points[low] + (points[min(low + 1, n - 1)] - points[low]) * (at - low)
    return mean


def count(records: list[Record], shown: Shown, tasks: set[str]) -> Count:
    """The value of a cell: the mean over tasks of theirs; none where a task has none.

    `tasks`: those of the panel; a cell that lacks one has no value.
    """
    problems = problems_of(records, shown.word)
    points: dict[str, list[Fraction]] = defaultdict(list)
    graded = 0
    for (task, _), values in problems.items():
        value = point(values, shown.word)
        if value is not None:
            points[task].append(value)
            graded += len(values)
    size = sum(map(len, points.values()))
    values = [joined(own, shown.word) for own in points.values()]
    if not values or {*points} != tasks or None in values:
        return Count(None, size, graded, len(records))
    value = sum(values) / len(values)  # type: ignore[arg-type]
    return Count(value, size, graded, len(records), error_of(points, shown.word))


def error_of(points: dict[str, list[Fraction]], word: str) -> float | None:
    """The standard error of a mean over tasks of means over problems; None where it has none."""
    if not word.startswith(("mean", "pass")) or min(map(len, points.values())) < 2:
        return None
    total = 0.0
    for own in points.values():
        mean, n = sum(own, Fraction(0)) / len(own), len(own)
        total += float(sum((p - mean) ** 2 for p in own)) / (n - 1) / n
    return math.sqrt(total) / len(points)


def difference(
    cell: list[Record], base: list[Record], shown: Shown, tasks: set[str]
) -> Fraction | None:
    """The mean over tasks of means of differences, on the problems that both sides have."""
    own, other = (problems_of(side, shown.word) for side in (cell, base))
    gaps: dict[str, list[Fraction]] = defaultdict(list)
    for problem in own.keys() & other.keys():
        a, b = point(own[problem], shown.word), point(other[problem], shown.word)
        if a is not None and b is not None:
            gaps[problem[0]].append(a - b)
    if not gaps or {*gaps} != tasks:
        return None
    return sum((sum(g, Fraction(0)) / len(g) for g in gaps.values()), Fraction(0)) / len(gaps)


def in_scale(value: Fraction | float | None, shown: Shown, made: Sweep, distance: bool) -> Any:
    """A number of the logs as a grid has it: from 0 to 1."""
    if value is None or not made.scale or number_of(shown.word) != "score":
        return value
    low, high = map(Fraction, made.scale)
    start = 0 if distance or shown.word.startswith("std") else low
    return (value - start) / (high - low)


# ------------------------------------------------------------------------------ read back

SUFFIXES = {"k": 3, "M": 6, "G": 9, "m": -3, "µ": -6, "n": -9}


def printed(text: str) -> tuple[float, float]:
    """A printed number, and half a unit of its last place."""
    plain = text.strip().replace("−", "-").replace(",", "").lstrip("+±").strip()
    power = 0
    if plain[-1:] in SUFFIXES:
        plain, power = plain[:-1], SUFFIXES[plain[-1]]
    mantissa, _, exponent = plain.partition("e")
    places = len(mantissa.partition(".")[2])
    scale = 10.0 ** (power + int(exponent or 0))
    return float(mantissa) * scale, 0.5 * 10.0**-places * scale


def agrees(text: str, value: float) -> bool:
    """Whether a text is a number rounded to its last place."""
    number, half = printed(text)
    return abs(number - value) <= half * (1 + 1e-6) + 1e-9 * abs(value)
