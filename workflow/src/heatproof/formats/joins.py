"""Columns whose values lie in another file, such as the right answers: the key `join`."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config.entries import spelling
from heatproof.formats import places, sidecars
from heatproof.formats.decoding import decoded
from heatproof.formats.detection import LINES, plain
from heatproof.formats.params import excerpted, from_text, typed
from heatproof.logs.streams import BOM
from heatproof.util.errors import Error, Mistake, choices
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.formats.api import Log
    from heatproof.formats.places import Field

TABLES = (".csv", ".tsv", ".xlsx")
ENDINGS = (*TABLES, *LINES, *sidecars.ENDINGS)
DELIMITERS = ",;\t|"
LIMIT = 1 << 30  # bytes of the file at most
Ids = tuple[str, ...]


class Join(msgspec.Struct):
    """Columns whose values lie in another file, such as the right answers."""

    file: str
    """Its name, if it lies beside the log or in a folder above, or its path: CSV, Excel, JSON, JSON
    lines, YAML or Parquet."""
    by: str | dict[str, str]
    """The column by whose value a record is looked up there; or column → its place there."""
    take: dict[str, str]
    """Column → its place there; `$value` is what an object holds for an id."""
    each: str = ""
    """Place of the list or object that holds its records; by default it is the document."""

    def keys(self) -> dict[str, str]:
        """Column by whose value is looked up → its place; empty where it is not said."""
        if isinstance(self.by, str):
            return {self.by: ""}
        return self.by

    def mistakes(self, columns: Sequence[str], filled: Mapping[str, str]) -> list[Mistake]:
        """`columns`: all that the source may have; `filled`: those that another key fills."""
        ending = plain(self.file).endswith(ENDINGS)
        rows = [
            (".file", not ending, f"{self.file!r} does not end in {', '.join(ENDINGS)}"),
            (".by", not self.by, "names no column"),
            (".take", not self.take, "names no column"),
        ]
        if self.file.startswith("/") or ".." in self.file.split("/"):
            rows.append((".file", True, f"{self.file!r} is not a name, or a path in the project"))
        typed_hint = "; give it a type under params, or a name under measures"
        for name in filter(None, self.keys()):
            hint = choices(name, columns)
            rows.append((".by", name not in columns, f"{name!r} is not a column; {hint}"))
            looked_up = f"{name!r} is the column by which is looked up"
            rows.append((f".take.{name}", name in self.take, looked_up))
        for name in self.take:
            hint = choices(name, columns) + typed_hint
            unknown = f"{name!r} is not a column; {hint}"
            rows.append((f".take.{name}", name not in columns, unknown))
            twice = f"{filled.get(name)} fills {name!r} too; keep one"
            rows.append((f".take.{name}", name in filled, twice))
        return [Mistake(f".join{key}", message) for key, wrong, message in rows if wrong]


class Partners(NamedTuple):
    """What a file has for each id."""

    path: str
    names: list[str]  # of the columns by whose values is looked up
    columns: list[str]
    values: dict[Ids, list[Any] | Error]  # an error: it stands there twice, or does not fit

    def find(self, values: Iterable[Any]) -> list[Any] | None:
        """What the file has for the values of `names`, if anything. Raises Error: not one entry."""
        partner = self.values.get(tuple(map(_id, values)))
        if isinstance(partner, Error):
            raise partner
        return partner

    def of(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of a record that the file fills. Raises Error: it has nothing for it."""
        ids = tuple(_id(cells.get(name)) for name in self.names)
        values = self.find(ids)
        if values is None:
            asked_ids = ", ".join(map("{} {!r:.40}".format, self.names, ids))
            ids_there = " ".join(next(iter(self.values), ("none",)))
            size = numbered(len(self.values), "id")
            why = f"{self.path} has nothing for {asked_ids} (it has {size}, such as "
            why += f"{ids_there!r:.40})"
            raise Error(why, "missing")
        return dict(zip(self.columns, values, strict=True))


def read_partners(
    log: Log, join: Join, fields: Sequence[Field], usual: Mapping[str, str], cache: dict[str, Any]
) -> Partners:
    """The partners of the records of a log. Raises Error: the file is not there, or damaged.

    `fields`: columns that it fills; `usual`: column → its place in the log; `cache`: by digest,
    what was read for another log.
    """
    path = sidecars.nearest(log, join.file)
    data = log.beside(path, LIMIT)
    digest = f"{path} {log.sidecars[path][0]}"
    if digest not in cache:
        cache.clear()
        ways = {name: _ways(name, place, usual) for name, place in join.keys().items()}
        cache[digest] = _partners(path, _records(data, path, join), ways, fields)
    partners: Partners = cache[digest]
    return partners


def _partners(
    path: str,
    records: list[Any] | dict[str, Any],
    ways: Mapping[str, list[str]],
    fields: Sequence[Field],
) -> Partners:
    """What the records of a file have for each id. `ways`: column → where its id may stand."""
    values: dict[Ids, list[Any] | Error] = {}
    by_key = isinstance(records, dict)
    for key, record in records.items() if isinstance(records, dict) else enumerate(records):
        ids = tuple(_id(_first(key, record, way, by_key=by_key)) for way in ways.values())
        if "" in ids:
            continue
        row: list[Any] | Error
        try:
            row = [_value(record, field) for field in fields]
        except Error as error:
            row = Error(f"{path}: {error}", error.kind)
        before = values.setdefault(ids, row)
        if before is not row and (isinstance(row, Error) or before != row):
            values[ids] = Error(f"{path} has {' '.join(ids)!r:.60} twice", "repeat")
    columns = [field.column for field in fields]
    return Partners(path, list(ways), columns, values)


def _ways(name: str, place: str, usual: Mapping[str, str]) -> list[str]:
    """Where an id may stand in a record of the file: as said; as in the log, as it is called."""
    if place:
        return [place]
    return [usual.get(name, name), name]


def _first(key: str | int, record: Any, ways: list[str], *, by_key: bool) -> Any:
    """The id of a record; of an object its key, unless another place is said."""
    if ways == [places.KEY] or (by_key and len(ways) > 1):
        return key
    values = (places.value_in(record, place) for place in ways)
    return next((value for value in values if value is not None), None)


def _id(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else spelling(value)


def _value(record: Any, field: Field) -> Any:
    """A column of a record of the file. Raises Error: it has none, or one of another type."""
    if field.place == places.VALUE:
        value = record
    else:
        value = places.value_in(record, field.place)
    if value == "" and field.type not in ("str", "text"):
        value = None
    if value is None and field.required:
        raise Error(f"it has no {field.place!r}", "missing")
    if isinstance(value, str) and field.type == "number":
        value = from_text(value, "number", field.column)
    elif value is not None and field.type in ("str", "int", "float", "bool"):
        value = typed(value, field.type, field.column)  # type: ignore[arg-type]
    elif isinstance(value, list | dict) and field.type != "count":
        raise Error(f"{field.place} is {excerpted(value)}, not a value", "type")
    if field.convert:
        return field.convert(value)
    return value


def _records(data: bytes, path: str, join: Join) -> list[Any] | dict[str, Any]:
    """The records of a file, or an object that holds them by their ids. Raises Error."""
    name = plain(path)
    data = data.removeprefix(BOM)
    if name.endswith(TABLES):
        return _rows(data, path)
    if name.endswith(LINES):
        return [decoded(line, Any, path) for line in data.split(b"\n") if line.strip()]
    document = decoded(data, Any, path)
    if join.each not in ("", "$"):
        document = places.value_at(document, join.each)
    if not isinstance(document, list | dict):
        raise Error(f"{path} has no list or object at {join.each or '$'!r} (join: each)", "missing")
    return document


def _rows(data: bytes, path: str) -> list[dict[str, Any]]:
    try:
        text = data.decode()
        delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = rows.fieldnames or []
        if len(set(header)) < len(header):
            raise Error(f"{path}: a column stands twice in its header", "repeat")
        records = list(rows)
    except (csv.Error, UnicodeDecodeError) as error:
        raise Error(f"{path}: not CSV: {error}", "syntax") from error
    return records
