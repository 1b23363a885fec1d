"""Files → families of one layout → tables: columns are keys, heads, parts of paths, sidecars."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.formats import detection, sidecars
from heatproof.init import files, records
from heatproof.init.words import holds, weight
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heatproof.init.records import Record

ABSENT = "absent"
"""What stands for a setting that a record does not have: absent is a value."""
BUDGET = 96 << 20  # bytes that are looked at of all files
DOCUMENT = 64 << 20  # bytes of a document, which can only be read whole
ROWS, COLUMNS = 100_000, 240
ALIKE = {"json": 0.5, "jsonl": 0.7, "csv": 0.7}
"""Format → part of their keys that files of one family have in common."""
DELIMITERS = ",\t;|"
NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
"""Texts that are numbers; 02 is a text."""
ABOVE = 4  # folders, from that of a log upwards, in which its settings are sought
LISTED = 200  # files of a folder that are looked at as settings, at most


class Place(NamedTuple):
    """Where a column of a frame stands in the logs."""

    part: str
    """field; list (of a grade for each repetition); head (above the record); sidecar; hole (a key
    on the way); key; index; path."""
    text: str
    """As a source writes it."""


@dataclass
class Family:
    """Files of one format whose records name about the same things."""

    format: str
    paths: list[str]
    """All of them."""
    sampled: list[str]
    """Those that were looked into."""
    documents: list[Any]
    """Of each of these the document, or the list of its rows."""
    keys: set[str] = field(default_factory=set)
    delimiter: str = ","
    decimal: str = "."
    sidecar: str = ""
    """What the file is called that holds settings of a log, in its folder or above."""
    settings: list[dict[str, Any]] = field(default_factory=list)
    """Of each file that was looked into: place in its sidecar → value."""


@dataclass
class Frame:
    """One reading of a family: a row for each record."""

    family: Family
    at: str | None
    data: pl.DataFrame
    places: dict[str, Place]
    """Of each column; `$file` has none."""
    pattern: str
    """Regular expression whose groups are the parts of paths."""
    group: list[str] = field(default_factory=list)
    """Columns whose names stand for values, where nothing beside a name tells them."""


# ----------------------------------------------------------------------------------------- families


def families(sampled: Sequence[str], root: Path) -> tuple[list[Family], dict[str, str]]:
    """Families of files, and file → why it is in none."""
    groups: list[Family] = []
    unread: dict[str, str] = {}
    left = BUDGET
    for path in sampled:
        try:
            taken, family = _family(path, root, max(detection.HEAD, left // len(sampled)), left)
        except ValueError as error:
            unread[path] = str(error)
            continue
        left -= taken
        same = next((other for other in groups if _alike(other, family)), None)
        if same is None:
            groups.append(family)
            continue
        same.paths.append(path)
        same.sampled.append(path)
        same.documents += family.documents
        same.keys |= family.keys
    return groups, unread


def _alike(first: Family, other: Family) -> bool:
    """Whether two families are one: most of their keys are, or one lacks records below its list."""
    layout = (first.format, first.delimiter, first.decimal)
    common = len(first.keys & other.keys)
    enough = common >= ALIKE[first.format] * min(len(first.keys | other.keys), 400)
    small, large = sorted((first.keys, other.keys), key=len)
    lacks = {key for key in small if f"{key}[]" in large}
    failed = bool(lacks) and small - lacks <= large
    return layout == (other.format, other.delimiter, other.decimal) and (enough or failed)


def _family(path: str, root: Path, size: int, left: int) -> tuple[int, Family]:
    """Bytes that were read, and a family of one file.

    Raises:
        ValueError: why it can be in none.
    """
    end = files.ending(path)
    head = detection.head(path, root, size)
    if not head.whole and not head.fault and end == ".json":
        head = detection.head(path, root, min(DOCUMENT, left))
    if head.fault:
        raise ValueError(head.fault)
    try:
        text = head.data.decode("utf-8-sig", errors="strict" if head.whole else "ignore")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 (byte {error.start:,})") from None
    if end in (".csv", ".tsv"):
        family = _table(path, text if head.whole else text[: text.rfind("\n")])
    else:
        format_, document = _parsed(text, end, complete=head.whole)
        family = Family(format_, [path], [path], [document])
    family.keys = records.names(family.documents[0])
    if not family.keys:
        raise ValueError("no record in it: a list without items, or no row below the header")
    return len(head.data), family


def _parsed(text: str, end: str, *, complete: bool) -> tuple[str, Any]:
    """Format and content of JSON, or of JSON lines, which may be called `.json`, too."""
    lines = text.split("\n")
    lines = [line for line in (lines if complete else lines[:-1]) if line.strip()]
    rows = [row for line in lines if isinstance(row := _json(line), dict)]
    many = len(rows) > 1 and 2 * len(rows) >= len(lines)
    document = _json(text) if end in (".json", "") and complete and not many else None
    if isinstance(document, dict | list) and (end or len(lines) > 1):
        return "json", document
    if not rows or 2 * len(rows) < len(lines):
        why = "neither a JSON document nor lines of JSON" if complete else "too large to look into"
        raise ValueError(why)
    return "jsonl", rows


def _json(text: str) -> Any:
    """What JSON says; nothing of what is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _table(path: str, text: str) -> Family:
    """A table: its delimiter, decimal sign and rows."""
    header = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=header.count)
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    names = rows[0] if rows else []
    cells = [row for row in rows[1:] if len(row) == len(names)]
    if not cells or len(names) < 2 or len({*names}) < len(names):
        raise ValueError("no table: a header whose names differ, and rows of as many cells")
    commas = delimiter != "," and any(re.fullmatch(r"-?\d+,\d+", c) for row in cells for c in row)
    decimal = "," if commas else "."
    typed_rows = [
        {name: typed(cell, decimal) for name, cell in zip(names, row, strict=True)} for row in cells
    ]
    return Family("csv", [path], [path], [typed_rows], delimiter=delimiter, decimal=decimal)


def typed(text: str, decimal: str = ".") -> Any:
    """A cell as the readers take it: a number, true or false, nothing, or a text."""
    text = text.strip()
    plain = text.replace(",", ".") if decimal == "," else text
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if text.casefold() in ("", "nan", "n/a", "none", "null", "-", "–"):
        return None
    if not NUMBER.fullmatch(plain):
        return text
    number = float(plain)
    return int(number) if re.fullmatch(r"[-+]?\d+", plain) else number


# ----------------------------------------------------------------------------------------- sidecars


def attach(groups: Sequence[Family], root: Path) -> tuple[list[Family], list[str]]:
    """The families, each with the file that holds its settings, and these files.

    Files that only hold settings are no family of their own.
    """
    beside: set[str] = set()
    for family in groups:
        stems = {PurePosixPath(path).name.partition(".")[0] for path in family.paths}
        names = _candidates(family, root) if not any(map(_is_settings, stems)) else ()
        options = {name: _settings(family, name, root) for name in names}
        best = max(options, key=lambda name: _useful(options[name]), default="")
        if best and _useful(options[best]):
            family.sidecar, family.settings = best, options[best]
            beside.update(sidecars.sidecar(path, best, root) or "" for path in family.paths)
    return [family for family in groups if not {*family.paths} <= beside], sorted(beside)


def _is_settings(stem: str) -> bool:
    return holds("settings_files", stem)


def _candidates(family: Family, root: Path) -> Iterator[str]:
    """Names of files that may hold settings, in the folders of some logs; the nearest first."""
    for path in family.sampled[:3]:
        log = PurePosixPath(path)
        stem = log.name.partition(".")[0]
        for depth, folder in enumerate([*log.parents][:-1][:ABOVE]):
            for hidden in ("", ".hydra/"):
                inside = root / folder / hidden
                listed = sorted(inside.iterdir())[:LISTED] if inside.is_dir() else []
                for name in (p.name for p in listed if p.name.endswith(sidecars.ENDINGS)):
                    if name.startswith(stem) and name != log.name and not (depth or hidden):
                        yield name.replace(stem, sidecars.NAME, 1)
                    elif _is_settings(name.partition(".")[0]):
                        yield f"{hidden}{name}"


def _settings(family: Family, name: str, root: Path) -> list[dict[str, Any]]:
    """Of each log that was looked into: place → value, in the file of that name.

    Nothing if a log has none, or another log is it.
    """
    beside = {path: sidecars.sidecar(path, name, root) for path in family.paths}
    logs = {*family.paths}
    if any(path is None or path in logs or "/" not in path for path in beside.values()):
        return []
    settings = []
    for path in (str(beside[log]) for log in family.sampled):
        try:
            data = (root / path).read_bytes()[: sidecars.LIMIT]
            content = msgspec.json.decode(sidecars.as_json(data, path))
        except (Error, OSError, msgspec.DecodeError):
            return []
        if not isinstance(content, dict) or {"sources", "figures"} <= {*content}:
            return []  # a list of records, such as another run's; a config of ours
        settings.append(records.head(content))
    return settings


def _useful(settings: Sequence[dict[str, Any]]) -> int:
    """How many settings they hold: those that vary, and the model."""
    count = 0
    for place in dict.fromkeys(place for row in settings for place in row):
        varies = len({repr(row.get(place)) for row in settings}) > 1
        model = weight("model", place) > weight("not_model", place)
        likely = max(weight(role, place) for role in ("setting", "task", "epoch")) >= 1.5
        count += model or (likely and varies)
    return count


# ------------------------------------------------------------------------------------------- frames


def frames(family: Family) -> list[Frame]:
    """Each reading of a family as a table."""
    every, pattern = files.parts(family.paths)
    sampled = [family.paths.index(path) for path in family.sampled]
    parts = {name: [values[number] for number in sampled] for name, values in every.items()}
    of = records.of_documents if family.format == "json" else records.of_lines
    places = of(family.documents).items()
    tables = [_frame(family, at, rows[:ROWS], parts, pattern) for at, rows in places if rows]
    return [table for table in tables if len(table.data)]


def _frame(
    family: Family,
    at: str | None,
    rows: list[Record],
    parts: dict[str, list[str]],
    pattern: str,
) -> Frame:
    columns: dict[str, list[Any]] = defaultdict(lambda: [None] * len(rows))
    places: dict[str, Place] = {}
    for number, record in enumerate(rows):
        for name, place, value in _cells(family, record, parts):
            columns[name][number] = value
            places[name] = place
    filled = {name: sum(value is not None for value in columns[name]) for name in columns}
    order = {"field": 1, "head": 2, "sidecar": 2}
    names = sorted(columns, key=lambda name: (order.get(places[name].part, 0), -filled[name]))
    series = []
    for name in names[:COLUMNS]:
        values = columns[name]
        if any(isinstance(value, list) for value in values[:50]):
            values, places[name] = _shares(values), Place("list", name)
        if filled[name] and values:
            series.append(_series(name, values))
    paths = pl.Series("$file", [family.sampled[record.file] for record in rows])
    return Frame(family, at, pl.DataFrame([*series, paths]), places, pattern)


def _cells(
    family: Family, record: Record, parts: dict[str, list[str]]
) -> Iterator[tuple[str, Place, Any]]:
    """Column, place and value of all that is known of a record."""
    for name, value in records.flat(record.node, 3).items():
        if name:
            yield name, Place("field", name), value
    settings = family.settings[record.file] if family.settings else {}
    for kind, values in (("head", record.head), ("sidecar", settings)):
        for name, value in values.items():
            yield f"^{name}", Place(kind, f"^{name}"), value
    for name, value in record.holes.items():
        yield name, Place({"$key": "key", "$index": "index"}.get(name, "hole"), name), value
    for name, of_files in parts.items():
        yield f"/{name}", Place("path", name), of_files[record.file]


def _shares(values: list[Any]) -> list[float | None]:
    """Of lists of grades the share that is right; nothing if they are lists of something else."""
    lists = [value if isinstance(value, list) else [] for value in values]
    items = {item if isinstance(item, bool | int | float) else "" for row in lists for item in row}
    if not items or not items <= {True, False}:
        return []
    return [sum(row) / len(row) if row else None for row in lists]


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type: true and false, whole numbers, numbers, or texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds <= {int} and all(abs(value or 0) < 1 << 62 for value in values):
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds <= {int, float}:
        numbers = [None if value is None else float(value) for value in values]
        return pl.Series(name, numbers, dtype=pl.Float64).fill_nan(None)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pl.Series(name, texts, dtype=pl.String)
