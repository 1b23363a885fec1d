"""Tables of others as samples: a row is a graded attempt, whatever its columns are called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.config.entries import Columns
from heatproof.library.naming import OURS
from heatproof.samples.declared import Meant
from heatproof.samples.shard_index import Log, ShardIndex
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from heatproof.config.roles import Type

ROW = "$row"
"""Place of a column that numbers the rows: each its own problem, or each its own repetition."""
TABLES = "give a polars, pandas or Arrow table, or a dict of columns"
SHARE = (0.0, 1.0)
"""The scale of shares."""
OF_PROBLEMS = (
    "; name the one that tells which problem a row is of: fields={{{!r}: …}}, or '$row' for its "
    "number; of finished numbers, a row a cell, a heatmap needs value='their column' instead"
)
"""What mends a table without `sample_id`."""
FRAME = "frame"
"""What stands for the log of rows that come from none."""


def polars_of(data: Any) -> pl.DataFrame:
    """The rows of a polars, pandas, Arrow or DuckDB table, of a dict of columns or a list of rows.

    An index of pandas that has names is columns, as in what `groupby` gives.

    Raises:
        Error: it is none of these, or two of its columns are called the same.
    """
    if data is None or isinstance(data, str | Path):
        raise Error(
            f"{data!r} is no table; hp.read reads logs, and polars.read_csv and the like tables"
        )
    try:
        given = _with_names(data)
        frame = given.collect() if isinstance(given, pl.LazyFrame) else pl.DataFrame(given)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        told = f"{type(data).__name__} cannot be read as a table: {error}"
        raise Error(_mixed(data) or f"{told}; {TABLES}") from None
    if "__index_level_0__" in frame.columns:
        frame = frame.drop("__index_level_0__")
    named = [c for c, kind in frame.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
    return frame.with_columns(pl.col(named).cast(pl.String))


def _with_names(data: Any) -> Any:
    """The table with names for its columns that are texts, those of an index among them."""
    if any(getattr(getattr(data, "index", None), "names", ())):
        data = data.reset_index()
    if isinstance(data, dict):
        return {f"{name}": values for name, values in data.items()}
    if hasattr(data, "iloc") and not all(isinstance(name, str) for name in data.columns):
        return data.set_axis([f"{name}" for name in data.columns], axis=1)
    return data


def _mixed(data: Any) -> str:
    """Which column holds values of several types, as columns of pandas may; empty if none does."""
    if not hasattr(data, "iloc"):
        return ""
    types = {name: sorted({type(value).__name__ for value in data[name]}) for name in data.columns}
    mixed = [f"{name!r} ({', '.join(kinds)})" for name, kinds in types.items() if len(kinds) > 1]
    said = "a column holds values of several types, make them one, such as .astype(str)"
    return f"{said}: {', '.join(mixed)}" if mixed else ""


def is_samples(frame: pl.DataFrame) -> bool:
    """Whether a table has all columns of a samples table, as `read` gives it."""
    return set(roles.samples({}, [])) <= set(frame.columns)


def samples_of(
    frame: pl.DataFrame,
    settings: Collection[str],
    measures: Iterable[str],
    fields: Mapping[str, str],
    ranges: Mapping[str, Sequence[float]],
) -> pl.DataFrame:
    """A samples table of any table; one that is such a table already stays as it is.

    Args:
        frame: of `polars_of`.
        settings: columns that say where a sample lies in a figure, or which are to be shown.
        measures: columns of numbers to be shown, beside the score.
        fields: column of ours (`sample_id`, `score`, `model`, `task`, `epoch`) → what it is called
            in the table, or `$row` for the number of the row.
        ranges: column of numbers → what becomes 0 and 1; those of a samples table are that already.

    Raises:
        Error: a column is not there or does not fit, or two rows are the same sample.
    """
    if not len(frame):
        raise Error("the table has no row")
    if is_samples(frame) and not fields:
        return frame
    frame = _renamed(frame, fields)
    _require("sample_id", frame, OF_PROBLEMS)
    for name in (one for one in roles.SETTINGS if one in settings):
        _require(name, frame, "; name the one that holds it: fields={{{!r}: …}}, or show another")
    params = [name for name in dict.fromkeys(settings) if name not in roles.OWN]
    numbers = [name for name in dict.fromkeys(measures) if name not in roles.OWN]
    for name in (*params, *numbers):
        _require(name, frame, "")
        if name in params and name in numbers:
            raise Error(f"{name!r} is a setting here and a number; one of them needs a copy of it")
    _require_single_values(frame, [*params, *numbers])
    for name in ("sample_id", "epoch"):
        _require_filled(frame, name)
    rows = frame.with_columns(
        sample_id=pl.col("sample_id").cast(pl.String),
        score=_score(frame, ranges.get("score", SHARE)),
        epoch=_epoch(frame),
        line=pl.int_range(1, pl.len() + 1),
        **{name: _brought(as_numbers(frame, name), ranges.get(name, SHARE)) for name in numbers},
        **{name: _setting(frame[name]) for name in params},
        **{
            name: pl.col(name).cast(pl.String) if name in frame.columns else pl.lit(None, pl.String)
            for name in roles.SETTINGS
        },
    ).with_columns(
        log=pl.lit(FRAME),
        member=pl.lit(""),
        offset=pl.lit(0, pl.Int64),
        length=pl.lit(0, pl.Int64),
        reconstructed=pl.lit(value=False),
        graded=pl.lit(value=False),
        run=_run([*roles.SETTINGS, *params]),
        **{name: pl.lit("") for name in roles.GRADERS},
    )
    columns = roles.samples(dict.fromkeys(params, "str"), numbers)
    rows = rows.select(*columns).sort(roles.KEY)
    _require_single(rows, frame, params)
    return rows


def columns_of(samples: pl.DataFrame) -> Columns:
    """What the columns of a samples table are, beyond those that every one has."""
    typed = {name: _type(kind) for name, kind in samples.schema.items()}
    params = [one for one in roles.of(samples.columns, "setting") if one not in roles.OWN]
    numbers = [one for one in roles.of(samples.columns, "measure") if one not in roles.OWN]
    return Columns({name: typed[name] for name in params}, numbers, {}, "answer" in samples.columns)


def _type(kind: pl.DataType) -> Type:
    if kind.is_numeric():
        return "int" if kind.is_integer() else "float"
    return "bool" if kind == pl.Boolean else "str"


def _renamed(frame: pl.DataFrame, fields: Mapping[str, str]) -> pl.DataFrame:
    """The table with our names for the columns that `fields` names."""
    for name, place in fields.items():
        if name not in OURS:
            raise Error(f"fields: {name!r} is not a column; {choices(name, OURS)}")
        if place == ROW:
            frame = frame.with_columns(pl.int_range(pl.len()).alias(name))
        elif place not in frame.columns:
            told = choices(place, frame.columns)
            raise Error(f"fields[{name!r}]: the table has no column {place!r}; {told}")
        else:
            frame = frame.with_columns(pl.col(place).alias(name))
    return frame


def _require_single_values(frame: pl.DataFrame, names: Iterable[str]) -> None:
    """Refuse columns that hold lists or mappings.

    Raises:
        Error: one does.
    """
    for name in (*OURS, *names):
        if name in frame.columns and frame[name].dtype.is_nested():
            what = "mappings" if isinstance(frame[name].dtype, pl.Struct) else "lists"
            raise Error(
                f"{name}: {what}, such as {frame[name].to_list()[0]!r}; a row holds one value of it"
            )


def _require_filled(frame: pl.DataFrame, name: str) -> None:
    """Refuse rows that do not say which problem or repetition they are of.

    Raises:
        Error: some do not; the message names the first.
    """
    if name in frame.columns and (told := _lacking(frame[name])):
        raise Error(f"{name}: {told}; fill it, or leave them out")


def _lacking(values: pl.Series) -> str:
    """How many values are not there, in words, and which is the first; empty if none is."""
    none = (values.fill_nan(None) if values.dtype.is_float() else values).is_null()
    if not (count := int(none.sum())):
        return ""
    first = none.to_list().index(True) + 1
    return f"{count:,} of {numbered(len(values), 'row')} have none (the first is row {first:,})"


def require_placed(rows: pl.DataFrame, axes: Mapping[str, str]) -> None:
    """Refuse rows of a table that lie nowhere on an axis; those of logs are told with their log.

    `axes`: key in the call → its column.

    Raises:
        Error: some do; the message names the first.
    """
    own = rows.filter(log=FRAME)
    for key, name in axes.items():
        values = own[name]
        beyond = values.is_infinite() if values.dtype.is_float() else pl.lit(value=False)
        there = own.filter(values.is_null() | beyond)
        if len(there):
            row = there.sort("line").row(0, named=True)
            value = "no value" if row[name] is None else row[name]
            told = f"{len(there):,} of {numbered(len(rows), 'row')} have no place on an axis"
            first = f"the first, row {row['line']:,}, has {value}"
            raise Error(f"{key}: {told} in {name!r}, {first}; leave them out, or give them one")


def without_numbers(rows: pl.DataFrame, numbers: Sequence[str]) -> ShardIndex:
    """What was to be there of problems of which rows have none of the `numbers`: they are missing.

    It is told as logs tell it that lack samples.
    """
    settings = roles.of(rows.columns, "setting")
    none = pl.all_horizontal(pl.col(numbers).is_null())
    by = [*settings, "sample_id"]
    short = rows.group_by(by, maintain_order=True).agg(rows=pl.len(), none=none.any())
    meant = [
        Meant([*values], lacks=dict(part.select("sample_id", "rows").rows()))
        for values, part in short.filter("none").partition_by(settings, as_dict=True).items()
    ]
    return ShardIndex(settings, {FRAME: Log("", meant=meant)} if meant else {})


def _require(name: str, frame: pl.DataFrame, way: str) -> None:
    """Refuse a table that lacks a column; `way` is what mends it, with a place for the name."""
    if name not in frame.columns:
        told = f"the table has no column {name!r}; {choices(name, frame.columns)}"
        raise Error(told + way.format(name))


def _setting(values: pl.Series) -> pl.Series:
    """A column as settings can be: text, a whole number, a number or true and false."""
    kind = values.dtype
    if kind.is_integer():
        return values.cast(pl.Int64)
    if kind.is_float():
        return values.cast(pl.Float64).fill_nan(None)
    return values if kind == pl.Boolean else values.cast(pl.String)


def _score(frame: pl.DataFrame, ends: Sequence[float]) -> pl.Series:
    """The scores, from 0 to 1; nothing where the table has none."""
    if "score" not in frame.columns:
        return pl.Series("score", [None] * len(frame), pl.Float64)
    score = as_numbers(frame, "score")
    if frame["score"].dtype == pl.Boolean:
        return score
    low, high = ends
    beyond = score.filter((score < low) | (score > high))
    if len(beyond):
        most = f"{len(beyond)} of {len(score)} lie outside, the first is {beyond[0]:g}"
        percent = "; percent? range={'score': [0, 100]}; another scale: its lowest and highest"
        hint = percent if 1 < (score.max() or 0) <= 100 and high == 1 else ""  # type: ignore[operator]
        raise Error(f"score: numbers from {low:g} to {high:g} are wanted, {most}{hint}")
    return _brought(score, ends)


def as_numbers(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column of numbers, or of true and false; Error names the commonest texts of another."""
    given = frame[name]
    if given.dtype.is_numeric() or given.dtype == pl.Boolean or given.null_count() == len(given):
        return given.cast(pl.Float64).fill_nan(None)
    told = given.cast(pl.String).value_counts(sort=True).head(3).rows()
    seen = ", ".join(f"{value!r} {count} ×" for value, count in told)
    raise Error(f"{name}: numbers are wanted, or true and false, not text ({seen})")


def _brought(values: pl.Series, ends: Sequence[float]) -> pl.Series:
    """Numbers brought to 0–1, of a scale that is not that."""
    low, high = ends
    return values if tuple(ends) == SHARE else (values - low) / (high - low)


def _epoch(frame: pl.DataFrame) -> pl.Series:
    """The repetitions: whole numbers, or other values numbered in their order."""
    if "epoch" not in frame.columns:
        return pl.Series("epoch", [0] * len(frame), pl.Int64)
    given = frame["epoch"]
    return given.cast(pl.Int64) if given.dtype.is_integer() else given.rank("dense").cast(pl.Int64)


def _run(settings: list[str]) -> pl.Expr:
    """A run is a combination of settings, and is called by them."""
    each = [pl.format(f"{name}={{}}", pl.col(name).cast(pl.String)) for name in settings]
    return pl.concat_str(each, separator=", ", ignore_nulls=True)


def _require_single(rows: pl.DataFrame, frame: pl.DataFrame, params: list[str]) -> None:
    """Refuse rows that would be counted as one sample, or one twice.

    Raises:
        Error: two rows share model, task, settings, sample_id and epoch; the message names the
            columns in which they differ.
    """
    key = [*roles.SETTINGS, *params, "sample_id", "epoch"]
    again = rows.filter(pl.struct(key).is_duplicated())
    if not len(again):
        return
    first = again.sort([*key, "line"], nulls_last=False).head(2)
    pair = frame[[line - 1 for line in first["line"]]]
    differ = [n for n in frame.columns if n not in key and pair[n].n_unique() > 1 and n != "score"]
    where = ", ".join(
        f"{name}={value}" for name in key if (value := first[name][0]) not in (None, "")
    )
    told = f"rows {first['line'][0]} and {first['line'][1]} are the same sample ({where})"
    apart = f"they differ in {', '.join(differ)}: put it on an axis, under panel, where or pool, or"
    raise Error(
        f"{told}; {apart if differ else 'for repetitions'} say which column tells repetitions "
        f"apart: fields={{'epoch': …}}, or {ROW!r} for the number of the row"
    )
