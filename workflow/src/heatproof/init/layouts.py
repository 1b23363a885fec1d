"""Files → families of one layout, which one source can read; the files that hold their settings."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain, product, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats import detection, sidecars
from heatproof.formats.csv_format import object_in_cell
from heatproof.formats.mapping import NOTHING
from heatproof.init import files
from heatproof.init.facts import holds, models
from heatproof.init.records import (
    FREE,
    LOOKED,
    NAMELESS,
    Outline,
    Places,
    Record,
    head,
    holds_records,
    likeness,
    outline,
    places_of,
)
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BUDGET = 96 << 20  # bytes that are looked at of all files
DOCUMENT = 64 << 20  # bytes of a document, which can only be read whole
ALIKE = 0.5  # likeness of files of one family
DELIMITERS = ",\t;|"
WITH_COMMA = re.compile(r"-?\d+,\d+")
CODE = re.compile(r"\d+[eE]\d+")  # 119E10 is the name of something, rather than a number
ABOVE = 4  # folders, from that of a log upwards, in which its settings are sought
DOCUMENTS, TABLES = ("json", "yaml"), ("csv", "xlsx")
FORMS = {".json": "json", ".csv": "csv", ".tsv": "csv", files.SHEET: "xlsx"}
FORMS |= dict.fromkeys(files.YAML, "yaml")
"""How a name ends → the format; others may hold lines of JSON."""
SETTINGS = "settings, not logs; write results as JSON lines or CSV, one problem per line"
NO_RECORDS = "no record in it: a list without items, or no row below the header"
NO_TABLE = "not a table: it needs a header with different names, and rows with as many cells"
NO_JSON = "neither a JSON document nor lines of JSON: export these, one problem per line"
NO_UTF8 = "not UTF-8: convert it, such as by iconv -f LATIN1 -t UTF-8"
TOO_LARGE = "too large to read at once: export JSON lines"


class Truth(NamedTuple):
    """What was expected of problems, in a file of its own."""

    file: str
    column: str  # of records, whose value is looked up
    by: str  # its place there; empty where it is the key of an object
    place: str  # of what was expected there
    values: dict[str, str]  # value of that column → what was expected

    def join(self, column: str) -> dict[str, Any]:
        """The key `join` of a source; `column`: what it calls the column that is looked up."""
        by = {column: self.by} if self.by else column
        return {"file": self.file, "by": by, "take": {"target": self.place}}


def _free(key: str, path: str) -> str:
    """A key of records, with `FREE` for the model that the name of the file begins with too."""
    names = [key.rpartition("/")[2], path.rpartition("/")[2]]
    model = os.path.commonprefix(names).rstrip("_-. ")  # noqa: RUF071  of signs, not of folders
    return names[0].replace(model, FREE, 1) if models([model]) else key


@dataclass(eq=False)
class Family:
    """Files of one format whose records name about the same things."""

    format: str
    paths: list[str]
    documents: dict[str, list[Any]]  # file that was looked into → its document, or its rows
    table: dict[str, str] = field(default_factory=dict)  # delimiter and decimal, if not the usual
    size: int = 0  # characters of these documents
    sidecar: str = ""
    """What the file is called that holds settings of a log, in its folder or above."""
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """File that was looked into → column of its sidecar → value."""
    truth: Truth | None = None
    pattern: str = ""  # regular expression whose groups are the parts of paths
    parts: pl.DataFrame = field(default_factory=pl.DataFrame)
    """These parts of all files, a row each, those that were not looked into too."""

    def __post_init__(self) -> None:
        path, rows = next(iter(self.documents.items()))
        keys = outline(rows)
        named = {_free(key, path): below for key, below in keys.items()}
        self.outlines: list[Outline] = [named]
        """The keys of its files, once where several have the same."""

    @property
    def has_one_record(self) -> bool:
        """Whether each file is one object, with neither rows nor a list of objects."""
        for rows in self.documents.values():
            if len(rows) > 1 or holds_records(rows[0]):
                return False
        return True

    def is_like(self, other: Family) -> bool:
        """Whether files are written alike, and most of their keys are the same."""
        if (self.format, self.table) != (other.format, other.table):
            return False
        pairs = product(self.outlines, other.outlines)
        if max(starmap(likeness, pairs)) < ALIKE:
            return False
        return not (self._has_own_settings(other) and other._has_own_settings(self))

    def _has_own_settings(self, other: Family) -> bool:
        """Whether values come again in a column that another lacks, as of another experiment."""
        rows = next(iter(self.documents.values()))[:LOOKED]
        objects = [row for row in rows if isinstance(row, dict)]
        others = set(chain(*other.outlines))
        for name in set(chain(*self.outlines)) - others:
            values = [repr(row[name]) for row in objects if name in row]
            if 1 < len(set(values)) <= len(values) / 2:
                return True
        return False

    def selections(self) -> list[str]:
        """Files all of whose records stand in another of the folder, as their names say: errors."""
        called = [path for path in self.documents if holds("selections", Path(path).stem)]
        whole = [path for path in self.documents if path not in called]
        selections: list[str] = []
        for path in called:
            own, folder = self._rows(path), Path(path).parent
            beside = [other for other in whole if Path(other).parent == folder]
            if any(own < self._rows(other) for other in beside):
                selections.append(path)
        return selections

    def _rows(self, path: str) -> set[str]:
        nodes = self.documents[path]
        is_list = len(nodes) == 1 and isinstance(nodes[0], list)
        return set(map(repr, nodes[0] if is_list else nodes))

    def add(self, other: Family) -> None:
        """Take in the files of another."""
        self.paths += other.paths
        self.documents |= other.documents
        self.outlines += [keys for keys in other.outlines if keys not in self.outlines]
        self.size += other.size

    def without(self, paths: Sequence[str]) -> Family:
        """The family without some of the files that were looked into, and those called so."""
        kept = {path: rows for path, rows in self.documents.items() if path not in paths}
        groups = list(kept), list(paths)
        unread = set(self.paths) - set(self.documents)
        files.complete(groups, unread, [])
        return replace(self, paths=groups[0], documents=kept)

    def by_columns(self) -> list[Family]:
        """A family for each set of columns that its files have, if they have several."""
        groups: dict[frozenset[str], list[str]] = defaultdict(list)
        for path, rows in self.documents.items():
            columns = frozenset(outline(rows))
            groups[columns].append(path)
        parts: list[Family] = []
        for paths in groups.values() if len(groups) > 1 else ():
            others = [path for path in self.documents if path not in paths]
            parts.append(self.without(others))
        return parts

    def rest_of(self, other: Family) -> Family:
        """The files of the family that another has not."""
        paths = sorted(set(self.paths) - set(other.paths))
        documents = {path: rows for path, rows in self.documents.items() if path in paths}
        return replace(self, paths=paths, documents=documents)

    def places(self) -> Places:
        """The places of records in its documents, lines or rows."""
        parts, self.pattern = files.parts(self.paths)
        columns: dict[str, dict[str, str]] = {}
        for path, values in parts.items():
            columns[path] = {f"/{name}": value for name, value in values.items()}
        self.parts = pl.DataFrame(list(columns.values()))
        start: list[Record] = []
        for path, nodes in self.documents.items():
            above = columns.get(path, {})
            start += [Record(node, above, path) for node in nodes]
        return places_of(start, lists=self.format in DOCUMENTS)


def families(sampled: Sequence[str], root: Path, unread: dict[str, list[str]]) -> list[Family]:
    """Families of files; adds those that are in none to `unread`, why → files."""
    groups: list[Family] = []
    left = BUDGET
    for path in sampled:
        size = max(detection.HEAD, left // len(sampled))
        try:
            family = _family(path, root, size, left)
        except ValueError as error:
            unread[str(error)].append(path)
            continue
        left -= family.size
        same = next((group for group in groups if group.is_like(family)), None)
        if same:
            same.add(family)
        else:
            groups.append(family)
    return groups


def _family(path: str, root: Path, size: int, left: int) -> Family:
    """A family of one file, of its beginning or of a whole document.

    Raises ValueError: why it can be in none.
    """
    form = FORMS.get(files.ending(path), "jsonl")
    start = detection.head(path, root, size)
    if form in DOCUMENTS and not (start.whole or start.fault):
        start = detection.head(path, root, min(DOCUMENT, left))
    if start.fault:
        raise ValueError(start.fault)
    try:
        text = start.data.decode("utf-8-sig", errors="strict" if start.whole else "ignore")
    except UnicodeDecodeError as error:
        raise ValueError(f"{NO_UTF8} (byte {error.start})") from None
    if not start.whole:
        text = text[: text.rfind("\n")]
    if form in TABLES:
        family = _table(path, text, form)
    else:
        family = _objects(path, text, form, whole=start.whole)
    if not family.outlines[0]:
        raise ValueError(NO_RECORDS)
    family.size = len(text)
    return family


def _objects(path: str, text: str, form: str, *, whole: bool) -> Family:
    """A family of a document, or of lines of objects. Raises ValueError: it is neither."""
    lines = [] if form == "yaml" else text.split("\n")
    texts = list(filter(None, map(str.strip, lines)))
    objects = [line for line in texts if line[0] == "{" and line[-1] == "}"]
    rows = [row for row in map(_from_json, objects) if isinstance(row, dict)]
    if 2 * len(rows) >= len(texts) > (form == "json"):
        return Family("jsonl", [path], {path: rows})
    document = _from_json(text) if whole and form in DOCUMENTS else None
    if form == "yaml" and not holds_records(document):
        raise ValueError(SETTINGS)
    if isinstance(document, dict | list):
        return Family(form, [path], {path: [document]})
    raise ValueError(NO_JSON if whole else TOO_LARGE)


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _table(path: str, text: str, form: str) -> Family:
    """A family of a table. Raises ValueError: it is none."""
    delimiter = max(DELIMITERS, key=text.split("\n", 1)[0].count)
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    try:
        rows = [row for row in reader if None not in row and None not in row.values()]
    except csv.Error as error:
        raise ValueError(f"not a table: {error}") from None
    names = reader.fieldnames or []
    is_header = 1 < len(names) == len(set(names))
    if not rows or not is_header:
        raise ValueError(NO_TABLE)
    table: dict[str, str] = {}
    commas = False
    if delimiter != ",":
        table["delimiter"] = delimiter
        cells = chain(*(row.values() for row in rows))
        commas = any(map(WITH_COMMA.fullmatch, cells))
    if commas:
        table["decimal"] = ","
    if "" in names and [row[""] for row in rows] != list(map(str, range(len(rows)))):
        rows = [{name or NAMELESS: cell for name, cell in row.items()} for row in rows]
    records: list[dict[str, Any]] = []
    for row in rows:
        records.append({name: typed(cell, commas=commas) for name, cell in row.items()})
    for name in rows[0]:
        _keep_texts(records, rows, name)
        _read_objects(records, name)
    return Family(form, [path], {path: records}, table)


def _keep_texts(
    records: list[dict[str, Any]], rows: Sequence[Mapping[str, str]], name: str
) -> None:
    """Put texts in the place of numbers in a column where some cells are no numbers."""
    if not any(isinstance(record[name], str) for record in records):
        return
    for record, row in zip(records, rows, strict=True):
        if record[name] is not None:
            record[name] = row[name].strip()


def _read_objects(records: list[dict[str, Any]], name: str) -> None:
    """Put objects in the place of their texts in a column, if each cell holds one or is empty."""
    texts = [record[name] for record in records]
    known = [str(text) for text in texts if text is not None]
    if not known or not all(text.startswith("{") for text in known):
        return
    objects = [object_in_cell(text or "") for text in texts]
    if None in objects:
        return
    for record, value in zip(records, objects, strict=True):
        record[name] = value


def typed(text: str, *, commas: bool = False) -> Any:
    """A cell as the readers take it: a number, true or false, nothing, or a text such as 02."""
    text = text.strip()
    if text.casefold() in NOTHING:
        return None
    if CODE.fullmatch(text):
        return text
    value = _from_json(text.replace(",", ".") if commas else text.lower())
    return value if isinstance(value, bool | int | float) else text


def attach(groups: Sequence[Family], root: Path) -> tuple[list[Family], list[str]]:
    """The families, each with the file that holds its settings, and these files.

    Files that only hold settings are no family of their own.
    """
    attached: set[str] = set()
    for family in groups:
        variety: dict[str, int] = {}
        options = {name: _settings(family, name, root) for name in _candidates(family, root)}
        for name, settings in options.items():
            if settings:
                variety[name] = len(set(map(repr, settings.values())))
        if not variety:
            continue
        family.sidecar = max(variety, key=lambda name: variety[name])
        family.settings = options[family.sidecar]
        for path in family.paths:
            attached.add(sidecars.sidecar(path, family.sidecar, root) or "")
    kept = [family for family in groups if not attached.issuperset(family.paths)]
    return kept, sorted(attached)


def _candidates(family: Family, root: Path) -> Iterator[str]:
    """Names of files that may hold settings, in the folders of a log; the nearest first."""
    log = root / next(iter(family.documents))
    stem = log.name.partition(".")[0]
    depth = len(log.relative_to(root).parts) - 1
    folders = list(log.parents)[: min(ABOVE, depth)]
    for folder in folders:
        for place in (folder, folder / ".hydra"):
            listed = sorted(place.iterdir()) if place.is_dir() else []
            for file in listed:
                if not file.name.endswith(sidecars.ENDINGS):
                    continue
                if file.name.startswith(stem) and place == log.parent and file != log:
                    yield file.name.replace(stem, sidecars.NAME, 1)
                elif holds("settings_files", file.name.partition(".")[0]):
                    yield file.relative_to(folder).as_posix()


def _settings(family: Family, name: str, root: Path) -> dict[str, dict[str, Any]]:
    """Log that was looked into → place → value, in the file of that name.

    Nothing if a log has none, if it is itself a log, or if it holds records.
    """
    settings: dict[str, dict[str, Any]] = {}
    for log in family.documents:
        path = sidecars.sidecar(log, name, root)
        if path is None or path in family.paths:
            return {}
        try:
            data = detection.head(path, root, sidecars.LIMIT).data
            content = json.loads(sidecars.as_json(data, path))
        except (Error, ValueError):
            return {}
        if holds_records(content) or {"sources", "figures"} <= set(content):
            return {}  # those of another run; a config of ours
        settings[log] = head(content)
    return settings
