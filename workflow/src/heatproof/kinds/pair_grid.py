"""Two values of a column beside each other: instances that both have, and a grid of all pairs.

An instance is what two values are compared on, such as a problem; records of one are averaged. In
logs of games the records of a value against another are those of one side, and the same games, seen
from the other, those of the other side: so games and common problems are counted by the same code.
"""

from __future__ import annotations

from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import statistics
from heatproof.config import roles
from heatproof.kinds import states
from heatproof.kinds.columns import GRID
from heatproof.metrics import metric
from heatproof.pair_numbers import EQUAL, TABLE
from heatproof.samples import counts, selection
from heatproof.statistics import bradley_terry
from heatproof.util import codes
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.charts.quantity import Domain
    from heatproof.kinds.columns import Grid, Partial, Portions, Samples
    from heatproof.kinds.question import Question
    from heatproof.pair_numbers import PairNumber
    from heatproof.statistics import Paired
    from heatproof.util.codes import Numbered, Rows

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Side = tuple[Any, ...]  # a value, and of games that of the opponent
    Place = tuple[Any, ...]  # values of the columns of a panel

MOST_OUTCOMES = 20
"""Distinct scores up to which κ takes each for an outcome."""


class Instances(NamedTuple):
    """The instances of a panel, in the order of what they are joined on."""

    keys: dict[str, Numbered]  # what they are joined on, column by column; a text is stored once
    means: dict[Side, Floats]  # side → its mean of each, NaN where it has none
    epochs: dict[Side, Ints]  # side → its records of each
    unit: Ints  # of each, the number of its problem or family
    reconstructed: bool  # which instances were solved is made up
    games: bool

    def sides(self, value: Any, other: Any) -> tuple[Side, Side]:
        """What is compared of two values."""
        if self.games:
            return (value, other), (other, value)
        return (value,), (other,)

    def common(self, sides: tuple[Side, Side]) -> Ints:
        """The instances of both sides."""
        first, second = sides
        if first not in self.means or second not in self.means:
            return np.zeros(0, np.int64)
        return np.flatnonzero(~np.isnan(self.means[first] + self.means[second]))


# ------------------------------------------------------------------------------------ instances


def read_instances(
    samples: Samples, question: Question, partial: Partial
) -> dict[Place, Instances]:
    """Values of a panel's columns → its instances, from counts where these tell enough.

    Two runs of the same settings may hold different epochs of a sample, and an instance may be made
    of several samples: then each record must be looked at.

    Raises:
        Error: settings would be mixed, a sample occurs twice, or none has a number.
    """
    rows = _counted_rows(samples, question, partial)
    if not rows.numbers["count"].any():
        raise selection.unmeasured(metric(question.word).of, question.source, question.metric_place)
    panels = {}
    number = np.zeros(len(rows.numbers["count"]), np.int64)
    if question.panels:
        number = codes.codes(rows, question.panels)
    for panel in np.unique(number):
        panel_rows = rows.take(np.flatnonzero(number == panel))
        columns = [panel_rows.columns[name] for name in question.panels]
        values = tuple(column.value_of(0) for column in columns)
        panels[values] = _mean_instances(panel_rows, question)
    return panels


def _counted_rows(samples: Samples, question: Question, partial: Partial) -> Rows:
    column = metric(question.word).of
    compared = [*question.panels, *question.side_columns]
    portions = counts.sufficient_counts(
        samples, partial, [column], {*question.where, *question.join, *compared}
    )
    if portions is not None:
        tests = pair_conditions(portions, question)
        rows = _gather([part.filter(*tests) for part in portions], question)
        is_whole = all(None not in rows.columns[name].values for name in compared)
        key = question.instance_key + compared
        if is_whole and "sample_id" in key and codes.is_unique(rows, key):
            names = list(rows.columns)
            settings = roles.settings(names)
            _require_unmixed(codes.distinct(rows, settings), settings, question)
            return rows
    chosen = samples.filter(*pair_conditions([samples], question)).collect()
    axes = {key: name for key, name in question.place_keys().items() if name in chosen.columns}
    selection.require_complete(chosen, axes, question.place)
    _require_unmixed(chosen, roles.settings(chosen.columns), question)
    selection.require_single(chosen, question.place, "join")
    counted = counts.count(chosen, [column], dict.fromkeys(compared + question.join))
    return _gather([counted.lazy()], question)


def pair_conditions(shards: Portions, question: Question) -> list[pl.Expr]:
    """What the figure asks of each sample, of the values that are compared last."""
    place = question.place
    values_key = question.keys.get("values")
    if not values_key:
        return selection.conditions(shards, question.where, place)
    where = {**question.where}
    listed = {question.y: where.pop(question.y)}
    tests = selection.conditions(shards, where, place)
    chosen = [rows.filter(*tests) for rows in shards]
    return tests + selection.conditions(chosen, listed, place, {question.y: values_key})


def _gather(partial: Portions, question: Question) -> Rows:
    schema = partial[0].collect_schema()
    names = schema.names()
    by = roles.columns(names, "place", "key", "setting", "property")
    return counts.gather_counts(partial, metric(question.word), by)


def _require_unmixed(rows: pl.DataFrame, settings: Sequence[str], question: Question) -> None:
    joined = [name for name in question.instance_key if name in settings]
    pooled = question.pool + question.mixable
    if "task" not in question.join and "task" not in pooled:
        joined = [name for name in joined if name != "task"]
    run = list(dict.fromkeys(chain(question.panels, question.side_columns, joined)))
    free = [name for name in settings if name not in (*run, *pooled)]
    advice = selection.PAIRED
    if question.keys.get("values"):
        advice = selection.JOIN
    selection.require_unmixed(rows, run, free, question.place, advice)


def _mean_instances(rows: Rows, question: Question) -> Instances:
    key = question.instance_key
    columns = question.side_columns
    made_up = rows.numbers["reconstructed"]
    reconstructed = bool(made_up.any())
    rows = counts.added_up(rows, key + columns)
    numbers, at = np.unique(codes.codes(rows, key), return_inverse=True)
    row_of = np.zeros(len(numbers), np.int64)
    row_of[at] = np.arange(len(at))  # any row of an instance names it
    values = rows.numbers["total"] / rows.numbers["count"]
    side_code = codes.codes(rows, columns)
    means = {}
    epochs = {}
    for code in np.unique(side_code):
        is_side = side_code == code
        rows_of_side = np.flatnonzero(is_side)
        numbered = (rows.columns[name] for name in columns)
        side = tuple(column.value_of(rows_of_side[0]) for column in numbered)
        means[side] = np.full(len(numbers), np.nan)
        means[side][at[rows_of_side]] = values[rows_of_side]
        epochs[side] = np.zeros(len(numbers), np.int64)
        epochs[side][at[rows_of_side]] = rows.numbers["count"][rows_of_side]
    row_columns = rows.take(row_of).columns
    keys = {name: row_columns[name] for name in key}
    unit = _units(keys, len(numbers), question)
    return Instances(keys, means, epochs, unit, reconstructed, bool(question.opponent))


def _units(keys: Mapping[str, Numbered], size: int, question: Question) -> Ints:
    """A number for the problem, or family, of each instance.

    What is joined beside task and id, such as an epoch, repeats a problem, which varies less.
    """
    if "sample_id" not in keys:
        return np.arange(size)
    task, sample = keys["task"], keys["sample_id"]
    family = sample.values.to_frame("sample_id").select(selection.family(question.family))
    numbers = family.to_series().rank("dense").to_numpy()
    units = task.codes.astype(np.int64) * (len(numbers) + 1) + numbers[sample.codes]
    return np.unique(units, return_inverse=True)[1].reshape(-1)


# ------------------------------------------------------------------------------- all pairs


class PairCell(NamedTuple):
    """A number of two values; counts of instances on which the first is ahead, and so on."""

    samples: int = 0
    epochs: int = 0
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    units: int | None = None  # problems, or families, that it is of
    value: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    apart: bool | None = None  # whether one of the two is ahead; None: not judged
    gap: str | None = None  # the code of why there is no value
    unjudged: str | None = None  # the code of why it has no interval

    def turned(self, number: PairNumber) -> PairCell:
        """The same of the second beside the first."""
        if number.is_alike or self.value is None:
            return self._replace(wins=self.losses, losses=self.wins)
        low, high = (
            None if end is None else 2 * number.equal - end for end in (self.high, self.low)
        )
        return self._replace(
            wins=self.losses, losses=self.wins, value=2 * number.equal - self.value, low=low,
            high=high,
        )  # fmt: skip


def compare_pairs(
    instances: Instances, values: Sequence[Any], question: Question
) -> dict[tuple[Any, Any], PairCell]:
    """Two of the values, in either order → their number.

    Raises:
        Error: the number is not defined for these scores.
    """
    shown_metric = metric(question.word)
    number = TABLE[shown_metric.pair]
    _require_defined(instances, question)
    pairs = list(combinations(values, 2))
    compared = [_count_leads(instances, *pair) for pair in pairs]
    if number.of_all:
        compared = _with_ratings(instances, values, pairs, compared)
    elif number.lead:
        compared = _with_leads(instances, pairs, compared, number, len(values))
    else:
        compared = [
            _with_estimate(instances, *pair, cell, number)
            for pair, cell in zip(pairs, compared, strict=True)
        ]
    cells = {}
    for (first, second), cell in zip(pairs, compared, strict=True):
        cells[first, second] = cell
        cells[second, first] = cell.turned(number)
    return cells


def _require_defined(instances: Instances, question: Question) -> None:
    """Refuse numbers that these records cannot give."""
    shown_metric = metric(question.word)
    number = TABLE[shown_metric.pair]
    why = ""
    if instances.reconstructed and shown_metric.pair != "difference":
        why = (
            f"{question.word} needs the score of each problem, but which problems were solved is "
            f"reconstructed; write difference({shown_metric.of})"
        )
    elif instances.games and number.is_alike:
        why = (
            f"{question.word} needs a score of each side, but a game has one for both; write "
            f"win_rate({shown_metric.of})"
        )
    elif shown_metric.pair == "kappa":
        scores = np.concatenate(list(instances.means.values()))
        outcomes = len(np.unique(np.round(scores[~np.isnan(scores)], 9)))
        if outcomes > MOST_OUTCOMES:
            why = (
                f"{question.word} takes each score for an outcome, but there are {outcomes:,} "
                f"different ones; write correlation({shown_metric.of})"
            )
    if why:
        raise Error(Mistake(question.metric_place, why))


def _count_leads(instances: Instances, value: Any, other: Any) -> PairCell:
    """How many instances two values have in common, and who is ahead on how many."""
    sides = instances.sides(value, other)
    common = instances.common(sides)
    if not len(common):
        return PairCell(gap=states.UNCOMMON)
    lead = _leads(instances, sides, common)
    is_ahead = lead > 0
    wins = int(is_ahead.sum())
    is_behind = lead < 0
    losses = int(is_behind.sum())
    return PairCell(
        samples=len(common),
        epochs=sum(int(instances.epochs[side][common].sum()) for side in sides),
        wins=wins,
        ties=len(common) - wins - losses,
        losses=losses,
        units=len(np.unique(instances.unit[common])),
    )


def _leads(instances: Instances, sides: tuple[Side, Side], common: Ints) -> Floats:
    """By how much the first is ahead on each common instance."""
    first, second = (instances.means[side][common] for side in sides)
    lead = first - second
    lead[np.abs(lead) <= EQUAL] = 0
    return lead


def _with_leads(
    instances: Instances, pairs: Sequence[tuple[Any, Any]], cells: Sequence[PairCell],
    number: PairNumber, models: int,
) -> list[PairCell]:  # fmt: skip
    """Means of leads, with intervals that hold for all pairs together."""
    tests, means = list[Any](), list[Any]()
    for pair, cell in zip(pairs, cells, strict=True):
        sides = instances.sides(*pair)
        common = instances.common(sides)
        if cell.gap:
            tests.append(None)
            means.append(None)
            continue
        lead = _leads(instances, sides, common)
        group = instances.unit[common]
        tests.append(statistics.ahead(number.lead(lead), group=group))  # type: ignore[misc]
        means.append(statistics.ahead(lead, group=group))
    doubt = None
    if instances.reconstructed:
        doubt = states.MADE_UP
    elif number.scale == (1.0, 0.0) and not _is_bounded(instances):
        doubt = states.UNBOUNDED
    factor, start = number.scale
    intervals = statistics.joint(tests, models)
    sides_ahead = [_side(ends) for ends in statistics.joint(means, models)]
    judged = []
    for cell, test, ends, side in zip(cells, tests, intervals, sides_ahead, strict=True):
        judged_cell = cell
        if test is not None:
            scaled = factor * test.difference
            value = start + scaled
            judged_cell = cell._replace(value=float(value), unjudged=doubt)
            if not doubt:
                judged_cell = _with_interval(judged_cell, test, ends, side, number)
        judged.append(judged_cell)
    return judged


def _with_interval(
    cell: PairCell, test: Paired, ends: Domain, side: int, number: PairNumber
) -> PairCell:
    """A cell judged; `side`: who is ahead by the mean difference, as `_side` says it."""
    if np.isnan(ends[0]):
        return cell._replace(unjudged=states.ALIKE)
    # One that is ahead more often by little may be behind by much elsewhere.
    if _side(ends) not in (0, side):
        return cell._replace(apart=False, unjudged=states.EQUAL_MEANS)
    factor, start = number.scale
    low, high = (float(start + factor * end) for end in ends)
    return cell._replace(
        se=float(factor * test.se), low=low, high=high, apart=_side(ends) != 0
    )  # fmt: skip


def _side(ends: Domain) -> int:
    """1 where an interval lies above 0, −1 below, else 0."""
    low, high = ends
    return int(low > 0) - int(high < 0)


def _is_bounded(instances: Instances) -> bool:
    """Whether all means lie between 0 and 1."""
    scores = np.concatenate(list(instances.means.values()))
    is_missing = np.isnan(scores)
    scores = scores[~is_missing]
    return bool(((scores >= 0) & (scores <= 1)).all())


def _with_estimate(
    instances: Instances, value: Any, other: Any, cell: PairCell, number: PairNumber
) -> PairCell:
    """A number of two, with an interval of its own."""
    if cell.gap:
        return cell
    sides = instances.sides(value, other)
    common = instances.common(sides)
    first, second = (instances.means[side][common] for side in sides)
    group = np.unique(instances.unit[common], return_inverse=True)[1].reshape(-1)
    likeness = number.estimate(first, second, group)  # type: ignore[misc]
    if np.isnan(likeness.value):
        return cell._replace(gap=states.CONSTANT)
    if np.isnan(likeness.low):
        return cell._replace(value=likeness.value, unjudged=states.ALIKE)
    return cell._replace(value=likeness.value, low=likeness.low, high=likeness.high)


def _with_ratings(
    instances: Instances, values: Sequence[Any], pairs: Sequence[tuple[Any, Any]],
    cells: Sequence[PairCell],
) -> list[PairCell]:  # fmt: skip
    """By how much one is rated above the other, from the games of all."""
    number_of = {value: number for number, value in enumerate(values)}
    games = []
    for pair, cell in zip(pairs, cells, strict=True):
        if cell.gap:
            continue
        sides = instances.sides(*pair)
        common = instances.common(sides)
        won = (1 + np.sign(_leads(instances, sides, common))) / 2
        first, second = (number_of[value] for value in pair)
        games.append(bradley_terry.Games(first, second, won, instances.unit[common]))
    ratings = None
    if games:
        ratings = bradley_terry.rate(games, len(values))
    if ratings is None:
        return [cell._replace(gap=cell.gap or states.ONE_SIDED) for cell in cells]
    rated = []
    for pair, cell in zip(pairs, cells, strict=True):
        first, second = (number_of[value] for value in pair)
        value, low, high = ratings.margin(first, second)
        margin = cell._replace(value=value, gap=None, unjudged=states.ALIKE)
        if not np.isnan(low):
            margin = margin._replace(low=low, high=high, unjudged=None)
        rated.append(margin)
    return rated


# ------------------------------------------------------------------------------------- the grid


def grid_types() -> dict[str, Any]:
    """Column of a grid of pairs → its type, but for those that tell cells apart."""
    text, number = pl.String, pl.Int64
    lack = pl.Struct({"kind": text, "tasks": pl.List(text)})
    part = pl.Struct({"task": text, "value": pl.Float64, "problems": number, "epochs": number})
    lists = {"lacks": pl.List(lack), "parts": pl.List(part), "asked_tasks": pl.List(text)}
    kinds: dict[type, Any] = {float: pl.Float64, int: number, str: text, bool: pl.Boolean}
    types = {}
    for column in GRID:
        if column.block in ("", "pairs"):
            types[column.name] = lists.get(column.name) or kinds[column.type]
    return types


def grid_of(
    panels: Mapping[Place, Mapping[tuple[Any, Any], PairCell]], values: pl.Series,
    question: Question,
) -> Grid:  # fmt: skip
    """A row for each two of the values, the value along y before that along x."""
    rows: list[dict[str, Any]] = []
    for place, cells in panels.items():
        panel = dict(zip(question.panels, place, strict=True))
        for value, other in product(values, values):
            cell = cells.get((value, other), PairCell(gap=states.UNCOMMON))
            if value == other:
                cell = PairCell(gap=states.ITSELF)
            row = panel | {"y": value, "x": other} | cell._asdict()
            row |= {"expected": cell.epochs, "tied": cell.apart is False}
            rows.append(row | {"reconstructed": False, "best": False})
    types = grid_types()
    places = [*question.panels, "y", "x"]
    places_of_rows, numbers = [], []
    for row in rows:
        places_of_rows.append({name: row[name] for name in places})
        numbers.append({name: row.get(name) for name in types})
    typed = pl.DataFrame(places_of_rows).with_columns(pl.col("y", "x").cast(values.dtype))
    return pl.concat([typed, pl.DataFrame(numbers, types)], how="horizontal")
