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
from heatproof.util.errors import Error, choices, not_one_of
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from heatproof.config.entries import Figure
    from heatproof.config.roles import Type

    Names = Mapping[str, str]
    """Name of a column, a key or an argument → the name that stands for it."""

PACKAGE = __name__.partition(".")[0]
Params = ParamSpec("Params")
Result = TypeVar("Result")

SETTINGS = list(roles.SETTINGS)
FIELDS = SETTINGS + ["sample_id", "epoch", "score"]
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
    place: str = "", words: Names = MappingProxyType({})
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
                for key, argument in words.items():
                    if re.match(rf"{key}\b", text):
                        text = argument + text.removeprefix(key)
                        break
                lines.append(RENAMED.sub(r"\1", text))
            raise Error("\n".join(lines))

        return call

    return decorate


def warn(text: str) -> None:
    """Warn at the line of the script that called one of our functions."""
    frame = inspect.currentframe()
    level = 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame = frame.f_back
        level += 1
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
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return plain_data(value)


def renamed(entry: Figure, names: Names) -> Figure:
    """The figure with columns under other names."""
    block = msgspec.to_builtins(entry)
    for key in VALUES:
        if key in block:
            block[key] = _rename_values(block[key], names)
    for key in KEYS:
        if block.get(key):
            block[key] = _rename_keys(block[key], names)
    for name, group in (block.get("groups") or {}).items():
        if isinstance(group, str):
            block["groups"][name] = _rename_values(group, names)
    return msgspec.convert(block, type(entry))


def _rename_values(item: Any, names: Names) -> Any:
    """A value of a block with columns, and metrics of columns, under other names."""
    if isinstance(item, list):
        return [_rename_values(element, names) for element in item]
    if isinstance(item, dict):
        return {key: _rename_values(value, names) for key, value in item.items()}
    if not isinstance(item, str):
        return item
    if item in names:
        return names[item]
    return IN_METRIC.sub(lambda match: names.get(match[0], match[0]), item)


def _rename_keys(item: Any, names: Names) -> Any:
    """The same of the keys of a value, or of each block in a list."""
    if isinstance(item, list):
        return [_rename_keys(element, names) for element in item]
    if isinstance(item, dict):
        return {_rename_values(key, names): value for key, value in item.items()}
    return _rename_values(item, names)


def pooled_by_role(entry: Figure, fields: Names) -> Figure:
    """The figure that mixes `model`, where it names the column of the table that is the model."""
    roles_of = {f"{column}": role for role, column in fields.items()}
    block = msgspec.to_builtins(entry)
    if "pool" in block:
        block["pool"] = [roles_of.get(name, name) for name in block["pool"]]
    if block.get("mean_over"):
        column = block["mean_over"]
        block["mean_over"] = roles_of.get(column, column)
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
        if isinstance(data, pl.LazyFrame):
            data = data.collect()
        frame = pl.DataFrame(data)
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
    fields: Names,
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
    params = _further(settings)
    numbers = _further(measures)
    _require_columns(frame, settings, params, numbers)
    frame = _with_absent(frame)
    rows = frame.with_columns(_as_setting(frame[name]) for name in params)
    rows = rows.with_columns(pl.col(SETTINGS + ["sample_id"]).cast(pl.String))
    # Epochs are whole numbers, or ranks of other values.
    epoch = frame["epoch"]
    if not epoch.dtype.is_integer():
        epoch = epoch.rank("dense")
    rows = rows.with_columns(epoch.cast(pl.Int64))
    for name in ["score"] + numbers:
        scaled = _scale_column(frame, name, ranges.get(name, SHARE))
        rows = rows.with_columns(scaled.alias(name))
    constants = dict.fromkeys(["offset", "record_bytes"], pl.lit(0, pl.Int64))
    constants |= dict.fromkeys(["reconstructed", "graded"], pl.lit(value=False))
    constants |= dict.fromkeys(["member"] + list(roles.GRADERS), pl.lit(""))
    lines = pl.int_range(1, pl.len() + 1)
    rows = rows.with_columns(**constants, log=pl.lit(FRAME), line=lines)
    # A run is a combination of settings, which are its name.
    names = SETTINGS + params
    texts = [pl.format(f"{name}={{}}", pl.col(name).cast(pl.String)) for name in names]
    run = pl.concat_str(texts, separator=", ", ignore_nulls=True)
    rows = rows.with_columns(run=run)
    columns = roles.samples(dict.fromkeys(params, "str"), numbers)
    rows = rows.select(*columns).sort(roles.KEY)
    _require_single(rows, frame, params)
    return rows


def _further(names: Iterable[str]) -> list[str]:
    """Each of the names once that is no column of every samples table."""
    return [name for name in dict.fromkeys(names) if name not in roles.OWN]


def _with_fields(frame: pl.DataFrame, fields: Names) -> pl.DataFrame:
    """A table with columns under our names, and null for NaN."""
    for name, column in fields.items():
        if name not in FIELDS:
            raise Error(f"fields: {not_one_of(name, 'column', FIELDS)}")
        values = pl.int_range(pl.len())
        if column != ROW:
            require_column(frame, column, f"fields[{name!r}]: ")
            values = pl.col(column)
        frame = frame.with_columns(values.alias(name))
    return frame.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))


def require_column(frame: pl.DataFrame, name: str, head: str, ways: str = "") -> None:
    """Refuse a table without a column; `head`, `ways`: what the message begins and ends with."""
    if name not in frame.columns:
        valid = choices(name, frame.columns)
        raise Error(f"{head}the table has no column {name!r}; {valid}{ways}")


def share_of_rows(count: int, frame: pl.DataFrame | pl.Series) -> str:
    """`3 of 40 rows`."""
    return f"{count:,} of {numbered(len(frame), 'row')}"


def _with_absent(frame: pl.DataFrame) -> pl.DataFrame:
    """A table with the columns that it may lack: one epoch, no settings, no score."""
    absent: dict[str, Any] = {"epoch": 0} | dict.fromkeys(SETTINGS + ["score"])
    for name, value in absent.items():
        if name not in frame:
            frame = frame.with_columns(pl.lit(value).alias(name))
    return frame


def _as_setting(values: pl.Series) -> pl.Series:
    if values.dtype.is_integer():
        return values.cast(pl.Int64)
    if values.dtype.is_numeric():
        return values.cast(pl.Float64)
    if values.dtype == pl.Boolean:
        return values
    return values.cast(pl.String)


def columns_of(samples: pl.DataFrame) -> Columns:
    """The columns of a samples table beyond those that every one has."""
    names: dict[Any, Type] = {pl.Int64: "int", pl.Float64: "float", pl.Boolean: "bool"}
    types = {name: names.get(dtype, "str") for name, dtype in samples.schema.items()}
    listed: dict[str, list[str]] = {}
    for role in ("setting", "measure", "property"):
        listed[role] = _further(roles.columns(samples.columns, role))
    params = {name: types[name] for name in listed["setting"]}
    properties = {name: types[name] for name in listed["property"]}
    has_answers = "answer" in samples.columns
    return Columns(params, listed["measure"], {}, has_answers, properties=properties)


def _require_columns(
    frame: pl.DataFrame, settings: Collection[str], params: list[str], numbers: list[str]
) -> None:
    """Refuse a table in which a column is missing, or does not fit its role."""
    show = "; name the one that holds it: fields={{{!r}: …}}, or show another"
    ways = {"sample_id": OF_PROBLEMS}
    for name in SETTINGS:
        if name in settings:
            ways[name] = show
    for name in list(ways) + params + numbers:
        require_column(frame, name, "", ways.get(name, "").format(name))
        if name in params and name in numbers:
            raise Error(f"{name!r} is both a setting and a number here; copy it for one of them")
    for name in FIELDS + params + numbers:
        if name in frame.columns:
            _require_plain(frame[name])


def _require_plain(values: pl.Series) -> None:
    """Refuse a column of lists, or places of samples that are empty."""
    if values.dtype.is_nested():
        raise Error(f"{values.name}: a row holds one value of it, not {values.to_list()[0]!r}")
    lacks = values.is_null()
    if values.name in ("sample_id", "epoch") and lacks.any():
        line = lacks.to_list().index(True) + 1
        count = share_of_rows(int(lacks.sum()), values)
        message = f"{count} have none (the first is row {line:,}); fill it, or leave them out"
        raise Error(f"{values.name}: {message}")


def require_placed(rows: pl.DataFrame, axes: Names) -> None:
    """Refuse rows of a user's table without a place on an axis; `axes`: argument → its column."""
    users = rows.filter(log=FRAME).sort("line")
    for key, name in axes.items():
        values = users[name]
        nowhere = values.is_null()
        if values.dtype.is_float():
            nowhere |= ~values.is_finite()
        lost = users.filter(nowhere)
        if len(lost):
            count = f"{share_of_rows(len(lost), rows)} have no place on an axis"
            line, value = lost.select("line", name).row(0)
            first = f"the first, row {line:,}, has {value}"
            raise Error(f"{key}: {count} in {name!r}, {first}; leave them out, or give them one")


def without_numbers(rows: pl.DataFrame, numbers: Sequence[str]) -> ShardIndex:
    """Problems with rows that have none of the `numbers`, as logs declare missing samples."""
    settings = roles.columns(rows.columns, "setting")
    has_none = pl.all_horizontal(pl.col(numbers).is_null()).any()
    problems = rows.group_by(settings + ["sample_id"], maintain_order=True)
    counts = problems.agg(pl.len().alias("$rows"), has_none.alias("$none")).filter("$none")
    lacks = []
    for values, run in counts.partition_by(settings, as_dict=True).items():
        missing = dict(run.select("sample_id", "$rows").rows())
        lacks.append(DeclaredRun(list(values), lacks=missing))
    logs = {}
    if lacks:
        logs[FRAME] = Log("", runs=lacks)
    return ShardIndex(settings, logs)


def _scale_column(frame: pl.DataFrame, name: str, ends: Sequence[float]) -> pl.Series:
    """A column of numbers, brought from its range to 0–1; scores must lie in it."""
    values, (low, high) = number_column(frame, name), ends
    if name == "score" and frame[name].dtype == pl.Boolean:
        return values
    beyond = values.filter((values < low) | (values > high))
    if name == "score" and len(beyond):
        outside = f"{len(beyond)} of {len(values)} lie outside, the first is {beyond[0]:g}"
        hint = ""
        if 1 < (values.max() or 0) <= 100 and high == 1:  # type: ignore[operator]
            hint = "; percent? range={'score': [0, 100]}; another scale: its lowest and highest"
        raise Error(f"score: needs numbers from {low:g} to {high:g}, {outside}{hint}")
    return (values - low) / (high - low)


def number_column(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column of numbers or booleans. Raises Error with the commonest texts of another."""
    values = frame[name]
    is_number = values.dtype.is_numeric() or values.dtype == pl.Boolean
    if is_number or values.null_count() == len(frame):
        return values.cast(pl.Float64).fill_nan(None)
    commonest = values.cast(pl.String).value_counts(sort=True).head(3).rows()
    texts = ", ".join(f"{value!r} {count} ×" for value, count in commonest)
    raise Error(f"{name}: needs numbers, or true and false, not text ({texts})")


def _require_single(rows: pl.DataFrame, frame: pl.DataFrame, params: list[str]) -> None:
    """Refuse two rows with one model, task, settings, sample_id and epoch."""
    key = SETTINGS + params + ["sample_id", "epoch"]
    repeated = rows.filter(pl.struct(key).is_duplicated())
    if not len(repeated):
        return
    first = repeated.sort(key + ["line"], nulls_last=False).head(2)
    line, second = first["line"].to_list()
    pair = frame[[line - 1, second - 1]]
    differ = []
    for name in frame.columns:
        if name not in key + ["score"] and pair[name].n_unique() > 1:
            differ.append(name)
    values = first.select(key).row(0, named=True)
    place = ", ".join(
        f"{name}={value}" for name, value in values.items() if value not in (None, "")
    )
    way = "for repetitions"
    if differ:
        names = ", ".join(differ)
        way = f"they differ in {names}: put it on an axis, under panel, where or pool, or"
    raise Error(
        f"rows {line} and {second} are the same sample ({place}); {way} name the column that "
        f"tells repetitions apart: fields={{'epoch': …}}, or {ROW!r} for the number of the row"
    )
