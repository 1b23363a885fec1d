"""Tables of a script as samples: a row is a graded attempt, whatever its columns are called."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import msgspec

from heatproof.config import roles
from heatproof.config.configuration import plain_data
from heatproof.config.entries import Columns
from heatproof.samples.declarations import DeclaredRun
from heatproof.samples.shard_index import Log, ShardIndex
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from heatproof.config.entries import Figure
    from heatproof.config.roles import Type

PACKAGE = __name__.partition(".")[0]
Params = ParamSpec("Params")
Result = TypeVar("Result")

FIELDS = (*roles.SETTINGS, "sample_id", "epoch", "score")
"""Our columns that a table may have."""
VALUES = ["encoding", "panel", "row", "column", "mean_over", "pool", "compare", "join", "measure",
          "margins"]  # fmt: skip
"""Keys of a figure whose values are columns, or metrics of columns."""
KEYS = ("where", "labels", "names", "sort", "groups", "relative_to", "highlight")
"""Keys of a figure below which columns are keys."""
IN_METRIC = re.compile(r"(?<=\()\w+(?=\)$)")
RENAMED = re.compile(rf"\b({'|'.join(roles.TAKEN)})_\b")
"""Name of a user's column while a figure is made, if it has the name of one of ours."""
ROW = "$row"  # the number of the row: each is its own problem, or its own repetition
SHARE = (0.0, 1.0)  # the scale of shares
OF_PROBLEMS = (
    "; name the column with the problem of a row: fields={{{!r}: …}}, or '$row' for its number; "
    "for finished numbers, a row a cell, a heatmap needs value='their column' instead"
)
"""What to write for a table without `sample_id`."""
FRAME = "frame"  # the log of rows that come from none


def public(
    place: str = "", words: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Callable[Params, Result]], Callable[Params, Result]]:
    """Decorate a public function: its mistakes name arguments, and its traceback ends at the call.

    `place`: of the config block that the call stands for; `words`: key in it → argument.
    """

    def decorate(function: Callable[Params, Result]) -> Callable[Params, Result]:
        @wraps(function)
        def call(*args: Params.args, **kwargs: Params.kwargs) -> Result:
            try:
                return function(*args, **kwargs)
            except Error as error:
                mistakes = error.mistakes
            lines = []
            for mistake in mistakes:
                text = mistake.sentence.removeprefix(place).lstrip(".: ")
                key = next((key for key in words if re.match(rf"{key}\b", text)), "")
                lines.append(RENAMED.sub(r"\1", words.get(key, "") + text.removeprefix(key)))
            raise Error("\n".join(lines))

        return call

    return decorate


def warn(text: str) -> None:
    """Warn at the line of the script that called one of our functions."""
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def plain(value: Any) -> Any:
    """A value of a script as YAML has it: tuples, arrays and columns of tables are lists."""
    if isinstance(value, Path):
        return f"{value}"
    if isinstance(value, Mapping):
        return plain_data({key: plain(item) for key, item in value.items()})
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(value, name):
            return plain(getattr(value, name)())
    return [plain(item) for item in value] if isinstance(value, list | tuple) else plain_data(value)


def renamed(entry: Figure, names: Mapping[str, str]) -> Figure:
    """The figure with columns under other names."""

    def rename(item: Any, *, keys: bool = False) -> Any:
        if isinstance(item, list):
            return [rename(part, keys=keys) for part in item]
        if isinstance(item, dict) and keys:
            return {rename(key): part for key, part in item.items()}
        if isinstance(item, dict):
            return {key: rename(part) for key, part in item.items()}
        if not isinstance(item, str):
            return item
        return names.get(item) or IN_METRIC.sub(lambda match: names.get(match[0], match[0]), item)

    block = msgspec.to_builtins(entry)
    block |= {key: rename(block[key]) for key in VALUES if key in block}
    block |= {key: rename(block[key], keys=True) for key in KEYS if block.get(key)}
    if groups := block.get("groups"):
        block["groups"] = {n: rename(g) if isinstance(g, str) else g for n, g in groups.items()}
    return msgspec.convert(block, type(entry))


def pooled_by_role(entry: Figure, fields: Mapping[str, Any]) -> Figure:
    """The figure that mixes `model`, where it names the column of the table that is the model."""
    roles_of = {f"{column}": role for role, column in fields.items()}
    block = msgspec.to_builtins(entry)
    if "pool" in block:
        block["pool"] = [roles_of.get(name, name) for name in block["pool"]]
    if block.get("mean_over"):
        block["mean_over"] = roles_of.get(block["mean_over"], block["mean_over"])
    return msgspec.convert(block, type(entry))


def require_long(data: Any) -> None:
    """Raises Error: a frame of pandas is a pivot, as seaborn's heatmap takes it."""
    columns = getattr(data, "columns", None)
    if name := getattr(columns, "name", None):
        index = data.index.name or "index"
        raise Error(
            f"the table is a pivot, with a column for each {name}; give it a row a cell: "
            f"data.stack().reset_index(name='value'), then x={name!r}, y={index!r}, value='value'"
        )


def polars_of(data: Any) -> pl.DataFrame:
    """A polars, pandas, Arrow or DuckDB table, a dict of columns or a list of rows, as polars.

    A named index of pandas becomes columns, as in the result of `groupby`. Raises Error: it is none
    of these, or two of its columns have one name.
    """
    if data is None or isinstance(data, str | Path):
        tables = "hp.read reads logs, and polars.read_csv and the like tables"
        raise Error(f"{data!r} is not a table; {tables}")
    try:
        if any(getattr(getattr(data, "index", None), "names", ())):
            data = data.reset_index()
        if isinstance(data, dict):
            data = {f"{name}": values for name, values in data.items()}
        if hasattr(data, "iloc"):
            data = data.set_axis([f"{name}" for name in data.columns], axis=1)
        frame = data.collect() if isinstance(data, pl.LazyFrame) else pl.DataFrame(data)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        message = f"{type(data).__name__} cannot be read as a table: {error}"
        ways = "give a polars, pandas or Arrow table, or a dict of columns"
        raise Error(f"{message}; {ways}") from None
    frame = frame.drop("__index_level_0__", strict=False)
    return frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))


def is_samples(frame: pl.DataFrame) -> bool:
    """Whether a table has all columns of a samples table."""
    return set(roles.samples({}, [])) <= set(frame.columns)


def samples_of(
    frame: pl.DataFrame,
    settings: Collection[str],
    measures: Iterable[str],
    fields: Mapping[str, str],
    ranges: Mapping[str, Sequence[float]],
) -> pl.DataFrame:
    """The samples table of any table; a samples table stays as it is.

    `settings`: columns that place or select samples; `measures`: numbers beside the score;
    `fields`: one of FIELDS → its name in the table, or ROW; `ranges`: number → its 0 and 1.
    Raises Error: a column is missing or does not fit, or two rows are the same sample.
    """
    if not len(frame):
        raise Error("the table has no row")
    if is_samples(frame) and not fields:
        return frame
    frame = _with_fields(frame, fields)
    params = [name for name in dict.fromkeys(settings) if name not in roles.OWN]
    numbers = [name for name in dict.fromkeys(measures) if name not in roles.OWN]
    _require_columns(frame, settings, params, numbers)
    names = (*roles.SETTINGS, *params)
    absent: dict[str, Any] = {"epoch": 0, **dict.fromkeys((*roles.SETTINGS, "score"))}
    frame = frame.with_columns(
        pl.lit(value).alias(name) for name, value in absent.items() if name not in frame
    )
    rows = frame.with_columns(
        *(_as_setting(frame[name]) for name in params),
        pl.col(*roles.SETTINGS, "sample_id").cast(pl.String),
        # Epochs are whole numbers, or ranks of other values.
        epoch if (epoch := frame["epoch"]).dtype.is_integer() else epoch.rank("dense"),
        **{
            name: _scale_column(frame, name, ranges.get(name, SHARE))
            for name in ("score", *numbers)
        },
        log=pl.lit(FRAME),
        line=pl.int_range(1, pl.len() + 1),
        **{name: pl.lit(0, pl.Int64) for name in ("offset", "record_bytes")},
        **{name: pl.lit(value=False) for name in ("reconstructed", "graded")},
        **{name: pl.lit("") for name in ("member", *roles.GRADERS)},
    )
    # A run is a combination of settings, which are its name.
    words = [pl.format(f"{name}={{}}", pl.col(name).cast(pl.String)) for name in names]
    run = pl.concat_str(words, separator=", ", ignore_nulls=True)
    rows = rows.with_columns(pl.col("epoch").cast(pl.Int64), run=run)
    rows = rows.select(*roles.samples(dict.fromkeys(params, "str"), numbers)).sort(roles.KEY)
    _require_single(rows, frame, params)
    return rows


def _with_fields(frame: pl.DataFrame, fields: Mapping[str, str]) -> pl.DataFrame:
    """A table with columns under our names, and null for NaN."""
    for name, column in fields.items():
        if name not in FIELDS:
            raise Error(f"fields: {name!r} is not a column; {choices(name, FIELDS)}")
        if column != ROW and column not in frame.columns:
            there = choices(column, frame.columns)
            raise Error(f"fields[{name!r}]: the table has no column {column!r}; {there}")
        values = pl.int_range(pl.len()) if column == ROW else pl.col(column)
        frame = frame.with_columns(values.alias(name))
    return frame.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))


def _as_setting(values: pl.Series) -> pl.Series:
    if values.dtype.is_numeric():
        return values.cast(pl.Int64 if values.dtype.is_integer() else pl.Float64)
    return values if values.dtype == pl.Boolean else values.cast(pl.String)


def columns_of(samples: pl.DataFrame) -> Columns:
    """The columns of a samples table beyond those that every one has."""
    params = [name for name in roles.columns(samples.columns, "setting") if name not in roles.OWN]
    numbers = [name for name in roles.columns(samples.columns, "measure") if name not in roles.OWN]
    names: dict[Any, Type] = {pl.Int64: "int", pl.Float64: "float", pl.Boolean: "bool"}
    types = {name: names.get(samples.schema[name], "str") for name in params}
    properties = roles.columns(samples.columns, "property")
    kinds = {name: names.get(samples.schema[name], "str") for name in properties}
    return Columns(types, numbers, {}, "answer" in samples.columns, properties=kinds)


def _require_columns(
    frame: pl.DataFrame, settings: Collection[str], params: list[str], numbers: list[str]
) -> None:
    """Refuse a table in which a column is missing, or does not fit its role."""
    show = "; name the one that holds it: fields={{{!r}: …}}, or show another"
    ways = {"sample_id": OF_PROBLEMS} | {n: show for n in roles.SETTINGS if n in settings}
    for name in (*ways, *params, *numbers):
        if name not in frame.columns:
            message = f"the table has no column {name!r}; {choices(name, frame.columns)}"
            raise Error(message + ways.get(name, "").format(name))
        if name in params and name in numbers:
            raise Error(f"{name!r} is both a setting and a number here; copy it for one of them")
    for name in (n for n in (*FIELDS, *params, *numbers) if n in frame.columns):
        values = frame[name]
        if values.dtype.is_nested():
            raise Error(f"{name}: a row holds one value of it, not {values.to_list()[0]!r}")
        lacks = values.is_null()
        if name in ("sample_id", "epoch") and lacks.any():
            first = f"the first is row {lacks.to_list().index(True) + 1:,}"
            rows = f"{int(lacks.sum()):,} of {numbered(len(frame), 'row')} have none"
            raise Error(f"{name}: {rows} ({first}); fill it, or leave them out")


def require_placed(rows: pl.DataFrame, axes: Mapping[str, str]) -> None:
    """Refuse rows of a user's table without a place on an axis; `axes`: argument → its column."""
    own = rows.filter(log=FRAME).sort("line")
    for key, name in axes.items():
        nowhere = own[name].is_null()
        if own[name].dtype.is_float():
            nowhere |= ~own[name].is_finite()
        if len(lost := own.filter(nowhere)):
            count = f"{len(lost):,} of {numbered(len(rows), 'row')} have no place on an axis"
            first = f"the first, row {lost['line'][0]:,}, has {lost[name][0]}"
            raise Error(f"{key}: {count} in {name!r}, {first}; leave them out, or give them one")


def without_numbers(rows: pl.DataFrame, numbers: Sequence[str]) -> ShardIndex:
    """Problems with rows that have none of the `numbers`, as logs declare missing samples."""
    settings = roles.columns(rows.columns, "setting")
    short = rows.group_by(settings + ["sample_id"], maintain_order=True).agg(
        pl.len().alias("$rows"), pl.all_horizontal(pl.col(numbers).is_null()).any().alias("$none")
    )
    lacks = [
        DeclaredRun(list(values), lacks=dict(part.select("sample_id", "$rows").rows()))
        for values, part in short.filter("$none").partition_by(settings, as_dict=True).items()
    ]
    return ShardIndex(settings, {FRAME: Log("", runs=lacks)} if lacks else {})


def _scale_column(frame: pl.DataFrame, name: str, ends: Sequence[float]) -> pl.Series:
    """A column of numbers, brought from its range to 0–1; scores must lie in it."""
    values, (low, high) = number_column(frame, name), ends
    if name == "score" and frame[name].dtype == pl.Boolean:
        return values
    beyond = values.filter((values < low) | (values > high))
    if name == "score" and len(beyond):
        outside = f"{len(beyond)} of {len(values)} lie outside, the first is {beyond[0]:g}"
        percent = "; percent? range={'score': [0, 100]}; another scale: its lowest and highest"
        hint = percent if 1 < (values.max() or 0) <= 100 and high == 1 else ""  # type: ignore[operator]
        raise Error(f"score: needs numbers from {low:g} to {high:g}, {outside}{hint}")
    return (values - low) / (high - low)


def number_column(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column of numbers or booleans. Raises Error with the commonest texts of another."""
    values = frame[name]
    if values.dtype.is_numeric() or values.dtype == pl.Boolean or values.null_count() == len(frame):
        return values.cast(pl.Float64).fill_nan(None)
    commonest = values.cast(pl.String).value_counts(sort=True).head(3).rows()
    texts = ", ".join(f"{value!r} {count} ×" for value, count in commonest)
    raise Error(f"{name}: needs numbers, or true and false, not text ({texts})")


def _require_single(rows: pl.DataFrame, frame: pl.DataFrame, params: list[str]) -> None:
    """Refuse two rows with one model, task, settings, sample_id and epoch."""
    key = [*roles.SETTINGS, *params, "sample_id", "epoch"]
    again = rows.filter(pl.struct(key).is_duplicated())
    if not len(again):
        return
    first = again.sort(key + ["line"], nulls_last=False).head(2)
    pair = frame[[line - 1 for line in first["line"]]]
    differ = [n for n in frame.columns if n not in key and pair[n].n_unique() > 1 and n != "score"]
    where = ", ".join(f"{n}={first[n][0]}" for n in key if first[n][0] not in (None, ""))
    same = f"rows {first['line'][0]} and {first['line'][1]} are the same sample ({where})"
    apart = f"they differ in {', '.join(differ)}: put it on an axis, under panel, where or pool, or"
    raise Error(
        f"{same}; {apart if differ else 'for repetitions'} name the column that tells repetitions "
        f"apart: fields={{'epoch': …}}, or {ROW!r} for the number of the row"
    )
