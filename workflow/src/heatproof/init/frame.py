"""Files → families of one layout → tables: columns are keys, heads, parts of paths, sidecars."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats import detection, sidecars
from heatproof.formats.mapping import NOTHING
from heatproof.init import files
from heatproof.init.facts import Facts, facts_of, holds, layout, weight
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


ABSENT = "absent"  # what stands for a setting that a record does not have: absent is a value
BUDGET = 96 << 20  # bytes that are looked at of all files
DOCUMENT = 64 << 20  # bytes of a document, which can only be read whole
ROWS, COLUMNS = 100_000, 240  # of a table, at most
ALIKE, KEYS = 0.5, 400  # part of their keys that files of one family share; keys that are compared
DELIMITERS = ",\t;|"
KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*[^\s{]')  # A key of JSON behind which no object lies
ABOVE = 4  # folders, from that of a log upwards, in which its settings are sought
DEPTH = 5  # levels of a document in which records are looked for
LOOKED = 400  # objects of a level whose shape is compared
OFTEN = 0.5  # part of the documents that must have a place
BESIDE, ODD = 3, ("not_score", "setting", "count")
"""Columns beside those of tasks, at most; what names of tasks do not speak for."""
KINDS = {"path": r"/\w+", "hole": r"\{\w+\}", "key": r"\$key", "head": r"\^.*"}
"""What a column is of → its name: a part of the path, a key on the way to a record, its own key, a
value above it or in the sidecar. All others are fields of the record, and lie where they say."""
HOLE = "{column}"  # the column of names of columns that are values
EQUAL, CHOICES = "$equal", 30  # whether two columns are the same; their values, at most
TASK, NUMBER = "{task}", "$number"
"""Columns of a table that has one for each task: its task, and the number there."""


def kind(column: str) -> str:
    """What a column is of."""
    return next((name for name, form in KINDS.items() if re.fullmatch(form, column)), "field")


@dataclass
class Family:
    """Files of one format whose records name about the same things."""

    format: str
    paths: list[str]
    documents: dict[str, list[Any]]  # file that was looked into → its document, or its rows
    keys: set[str]
    size: int = 0  # characters of these documents
    table: dict[str, str] = field(default_factory=dict)  # delimiter and decimal, if not the usual
    sidecar: str = ""
    """What the file is called that holds settings of a log, in its folder or above."""
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """File that was looked into → column of its sidecar → value."""
    pattern: str = ""  # regular expression whose groups are the parts of paths
    parts: pl.DataFrame = field(default_factory=pl.DataFrame)
    """These parts of all files, a row each, those that were not looked into too."""

    def is_like(self, other: Family) -> bool:
        """Whether files are written alike, and most of their keys are the same."""
        enough = len(self.keys & other.keys) >= ALIKE * min(len(self.keys | other.keys), KEYS)
        return enough and (self.format, self.table) == (other.format, other.table)


@dataclass
class Frame:
    """One reading of a family: a row for each record, and at the end `$file`, its log."""

    family: Family
    at: str | None
    data: pl.DataFrame
    lists: set[str]  # columns of lists: of a grade for each repetition, here their mean
    texts: set[str]  # columns with texts, all of which may be numbers
    group: list[str] = field(default_factory=list)
    """Columns whose names stand for values, where nothing beside a name tells them."""
    graded: dict[str, str] = field(default_factory=dict)
    """`target` and `answer` → column of choices, where `EQUAL` says whether they are the same."""
    only: dict[str, Any] = field(default_factory=dict)
    """Column → its values in the records that are read."""

    def __post_init__(self) -> None:
        self.facts = {name: facts_of(self.data[name]) for name in self.data.columns[:-1]}
        self.layout = layout(self.data.columns)
        """What is known of records of this harness (`facts.layout`)."""


def families(sampled: Sequence[str], root: Path, unread: dict[str, list[str]]) -> list[Family]:
    """Families of files; adds those that are in none to `unread`, why → files."""
    groups: list[Family] = []
    left = BUDGET
    for path in sampled:
        try:
            family = _family(path, root, max(detection.HEAD, left // len(sampled)), left)
        except ValueError as error:
            unread[str(error)].append(path)
            continue
        left -= family.size
        if same := next((other for other in groups if other.is_like(family)), None):
            same.paths.append(path)
            same.documents |= family.documents
            same.keys |= family.keys
            same.size += family.size
        else:
            groups.append(family)
    return groups


def _family(path: str, root: Path, size: int, left: int) -> Family:
    """A family of one file, of its beginning or of a whole document.

    Raises ValueError: why it can be in none.
    """
    head, end = detection.head(path, root, size), files.ending(path)
    if end == ".json" and not (head.whole or head.fault):
        head = detection.head(path, root, min(DOCUMENT, left))
    if head.fault:
        raise ValueError(head.fault)
    text = head.data.decode("utf-8-sig", errors="strict" if head.whole else "ignore")
    text = text if head.whole else text[: text.rfind("\n")]
    lines = [line for line in text.split("\n") if line.strip()]
    rows = [row for line in lines if isinstance(row := _from_json(line), dict)]
    if end in (".csv", ".tsv"):
        family = _table(path, text)
    elif 2 * len(rows) >= len(lines) > (end == ".json"):
        family = Family("jsonl", [path], {path: rows}, {*KEY.findall(text[: detection.HEAD])})
    elif end == ".json" and head.whole and isinstance(document := _from_json(text), dict | list):
        family = Family("json", [path], {path: [document]}, {*KEY.findall(text[: detection.HEAD])})
    else:
        why = "neither a JSON document nor lines of JSON: export these, one problem per line"
        raise ValueError(why if head.whole else "too large to read at once: export JSON lines")
    if not family.keys:
        raise ValueError("no record in it: a list without items, or no row below the header")
    family.size = len(text)
    return family


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _table(path: str, text: str) -> Family:
    delimiter = max(DELIMITERS, key=text.split("\n", 1)[0].count)
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    rows = [row for row in reader if None not in row and None not in row.values()]
    names = reader.fieldnames or []
    if not rows or len(names) < 2 or len({*names}) < len(names):
        raise ValueError(
            "not a table: it needs a header with different names, and rows with as many cells"
        )
    cells = (cell for row in rows for cell in row.values())
    commas = delimiter != "," and any(re.fullmatch(r"-?\d+,\d+", cell) for cell in cells)
    table = {"delimiter": delimiter} if delimiter != "," else {}
    table |= {"decimal": ","} if commas else {}
    records = [{name: typed(cell, commas=commas) for name, cell in row.items()} for row in rows]
    return Family("csv", [path], {path: records}, {*names}, table=table)


def typed(text: str, *, commas: bool = False) -> Any:
    """A cell as the readers take it: a number, true or false, nothing, or a text such as 02."""
    text = text.strip()
    if text.casefold() in NOTHING:
        return None
    value = _from_json(text.replace(",", ".") if commas else text.lower())
    return value if isinstance(value, bool | int | float) else text


def attach(groups: Sequence[Family], root: Path) -> tuple[list[Family], list[str]]:
    """The families, each with the file that holds its settings, and these files.

    Files that only hold settings are no family of their own.
    """
    beside: set[str] = set()
    for family in groups:
        options = {name: _settings(family, name, root) for name in _candidates(family, root)}
        best = max(options, key=lambda name: len({*map(repr, options[name].values())}), default="")
        if best and options[best]:
            family.sidecar, family.settings = best, options[best]
            beside.update(sidecars.sidecar(path, best, root) or "" for path in family.paths)
    return [family for family in groups if not {*family.paths} <= beside], sorted(beside)


def _candidates(family: Family, root: Path) -> Iterator[str]:
    """Names of files that may hold settings, in the folders of a log; the nearest first."""
    log = root / next(iter(family.documents))
    stem = log.name.partition(".")[0]
    for folder in [*log.parents][: min(ABOVE, len(log.relative_to(root).parts) - 1)]:
        for place in (folder, folder / ".hydra"):
            listed = sorted(place.iterdir()) if place.is_dir() else []
            for file in (file for file in listed if file.name.endswith(sidecars.ENDINGS)):
                if file.name.startswith(stem) and place == log.parent and file != log:
                    yield file.name.replace(stem, sidecars.NAME, 1)
                elif holds("settings_files", file.name.partition(".")[0]):
                    yield file.relative_to(folder).as_posix()


def _settings(family: Family, name: str, root: Path) -> dict[str, dict[str, Any]]:
    """Log that was looked into → place → value, in the file of that name.

    Nothing if a log has none, or another log is it.
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
        if not isinstance(content, dict) or {"sources", "figures"} <= {*content}:
            return {}  # a list of records, such as another run's; a config of ours
        settings[log] = _head(content)
    return settings


class Record(NamedTuple):
    """One object that may be a record."""

    node: Any
    above: dict[str, Any]  # column → value, of what is not in the record itself
    file: str

    def below(self, key: str) -> Record:
        """What lies behind a key; all else is its head."""
        return self._replace(node=self.node[key], above={**_head(self.node, key), **self.above})

    def keyed(self, column: str, key: str) -> Record:
        """What lies behind a key that is a value of a column."""
        return self._replace(node=self.node[key], above={**self.above, column: key})


Places = dict[str | None, list[Record]]
"""Place, as a source writes it (None: a document, or a line, is a record) → the records there."""


def _places(family: Family) -> Places:
    """The places of records in the documents, lines or rows of a family."""
    parts, family.pattern = files.parts(family.paths)
    own = {
        path: {f"/{name}": value for name, value in of_path.items()}
        for path, of_path in parts.items()
    }
    family.parts = pl.DataFrame([*own.values()])
    start: list[Record] = []
    for path, nodes in family.documents.items():
        above = {**family.settings.get(path, {}), **own.get(path, {})}
        start += [Record(node, above, path) for node in nodes]
    places: Places = {}
    _add_places(start, [], places)
    objects = [record for record in start if isinstance(record.node, dict)]
    if objects and "$" not in places:
        places[None] = objects
    return places


def _head(node: dict[str, Any], but: str = "") -> dict[str, Any]:
    """Columns of the values of an object and of objects in it; `but`: a key that is left out."""
    values = flat({key: value for key, value in node.items() if key != but}, 2)
    return {f"^{place}": value for place, value in values.items() if not isinstance(value, list)}


def flat(node: dict[str, Any], depth: int, before: str = "") -> dict[str, Any]:
    """Place → value of all that is no object, `depth` levels below."""
    values: dict[str, Any] = {}
    for key, value in node.items():
        place = before + "\\" * key.startswith("^") + key
        if not isinstance(value, dict):
            values[place] = value
        elif depth:
            values |= flat(value, depth - 1, f"{place}.")
    return values


def _kind(node: Any) -> str:
    if isinstance(node, list):
        return "list" if any(isinstance(item, dict) for item in node) else "bare"
    return "object" if isinstance(node, dict) else "single"


def _keys(records: list[Record]) -> list[str]:
    """Keys behind which half of some objects have a list of objects, or an object of such."""
    nodes = [record.node for record in records[:LOOKED]]
    counts = Counter(
        key
        for node in nodes
        for key, child in node.items()
        if _kind(child) == "list"
        or (isinstance(child, dict) and {*map(_kind, child.values())} & {"list", "object"})
    )
    return [key for key, count in counts.items() if count >= OFTEN * len(nodes)]


def _is_map(records: list[Record]) -> bool:
    """Whether keys of objects are values of a column, and no names of columns.

    They are where what lies behind them has one shape, and they are many, or others in each object.
    """
    nodes = [record.node for record in records[:LOOKED]]
    children = [child for node in nodes for child in node.values()][: 8 * LOOKED]
    inner = [child for child in children if _kind(child) in ("object", "list")]
    if not children or len(inner) < 0.9 * len(children):
        return False
    size, keys = sum(map(len, nodes)) / len(nodes), {key for node in nodes for key in node}
    pairs = [pair for child in inner for pair in _shape(child)]
    alike = len(pairs) >= 0.6 * len({*pairs}) * len(inner)
    deeper = sum(kind != "single" for _, kind in pairs) > OFTEN * len(pairs)
    return (size >= 1.5 or len(keys) >= 2 * size) and (alike or deeper)


def _shape(node: Any) -> set[tuple[str, str]]:
    """Keys of an object, or of the first object in a list, and what lies behind each."""
    if isinstance(node, list):
        node = next(item for item in node if isinstance(item, dict))
    return {(key, _kind(value)) for key, value in node.items()}


def _add_places(records: list[Record], steps: list[str], places: Places) -> None:
    """Add the places of records in and below what lies at the end of some steps."""
    lists = [record for record in records if isinstance(record.node, list)]
    objects = [record for record in records if isinstance(record.node, dict)]
    at = ".".join(steps) or "$"
    if len(steps) > DEPTH or not (lists or objects):
        return
    if len(lists) >= len(objects):
        items = ((record, item) for record in lists for item in record.node)
        objects = [record._replace(node=node) for record, node in items if isinstance(node, dict)]
        places[at] = objects
        steps = [*steps, "*"]
    elif _is_map(objects):
        hole = f"{{key_{sum(step.startswith('{') for step in steps) + 1}}}"
        pairs = [(record, key) for record in objects for key in record.node]
        keyed = [record.keyed("$key", key) for record, key in pairs]
        if not any(isinstance(record.node, list) for record in keyed):
            places[at] = [record for record in keyed if isinstance(record.node, dict)]
        inner = [record.keyed(hole, key) for record, key in pairs]
        _add_places(inner, [*steps, hole], places)
        return
    for key in _keys(objects):
        below = [r.below(key) for r in objects if isinstance(r.node.get(key), dict | list)]
        _add_places(below, [*steps, key], places)


def frames(family: Family) -> list[Frame]:
    """Each reading of a family as a table."""
    places = _places(family).items()
    return [_graded(_unpivoted(_frame(family, at, rows[:ROWS]))) for at, rows in places if rows]


def _frame(family: Family, at: str | None, rows: list[Record]) -> Frame:
    columns: dict[str, list[Any]] = defaultdict(lambda: [None] * len(rows))
    for number, record in enumerate(rows):
        for name, value in {**flat(record.node, 3), **record.above}.items():
            if name:  # the numbers of rows that pandas writes have none
                columns[name][number] = value
    filled = {name: sum(value is not None for value in columns[name]) for name in columns}
    order = {"field": 1, "head": 2}
    names = sorted(columns, key=lambda name: (order.get(kind(name), 0), -filled[name]))
    data, lists = [], set()
    for name in names[:COLUMNS]:
        values = columns[name]
        if any(isinstance(value, list) for value in values[:50]):
            values = _shares(values)
            lists.add(name)
        if values and (column := series(name, values)).count():
            data.append(column)
    texts = {name for name in columns if any(isinstance(value, str) for value in columns[name])}
    table = pl.DataFrame([*data, pl.Series("$file", [record.file for record in rows])])
    return Frame(family, at, table, lists, texts)


def _shares(values: list[Any]) -> list[float | None]:
    """Of lists of grades the share that is right; nothing if they are lists of something else."""
    lists = [value if isinstance(value, list) else [] for value in values]
    items = {item if isinstance(item, bool | int | float) else "" for row in lists for item in row}
    if not items or not items <= {True, False}:
        return []
    return [sum(row) / len(row) if row else None for row in lists]


def series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type: true and false, whole numbers, numbers, or texts.

    Texts that all are numbers (a cell such as "93.50" or "41 %") are read as these.
    """
    types = {type(value) for value in values if value is not None}
    if types in ({bool}, {int}) and all(abs(value or 0) < 1 << 62 for value in values):
        return pl.Series(name, values)
    if types <= {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False).fill_nan(None)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    read = [text if text is None else typed(text.removesuffix("%")) for text in texts]
    if {type(value) for value in read if value is not None} in ({int}, {float}, {int, float}):
        return series(name, read)
    return pl.Series(name, texts, dtype=pl.String)


def with_score(table: Frame, score: str) -> Frame:
    """The frame of the records that have a score, if a column says which these are."""
    has = table.data[score].is_not_null()
    kinds = [f for f in table.facts.values() if f.type == "text" and holds("kinds", f.name)]
    for name in (facts.name for facts in kinds if not (facts.missing or has.all())):
        values = table.data.filter(has)[name].unique().sort().to_list()
        if not table.data.filter(~has)[name].is_in(values).any():
            data = table.data.filter(has)
            data = data.select(column for column in data if column.count())
            return replace(table, data=data, only={name: values[0] if len(values) == 1 else values})
    return table


def _graded(table: Frame) -> Frame:
    """The frame with a column of grades, if it has choices and what was expected of them."""
    facts = [f for name, f in table.facts.items() if kind(name) == "field" and f.type != "float"]
    names = [f.name for f in facts if 2 <= f.distinct <= CHOICES]
    targets, answers = (
        sorted((n for n in names if weight(role, n) >= 1.5), key=lambda n: -weight(role, n))
        for role in ("target", "answer")
    )
    for target, answer in product(targets, answers):
        expected, chosen = (table.data[name].cast(pl.String) for name in (target, answer))
        inside = chosen.is_in(expected.unique().to_list()).sum()
        if target != answer and inside >= 0.8 * len(chosen):
            equal = (expected == chosen).alias(EQUAL)
            data = table.data.with_columns(equal).select(pl.exclude("$file"), "$file")
            return replace(table, data=data, graded={"target": target, "answer": answer})
    return table


def _unpivoted(table: Frame) -> Frame:
    """The frame with a row for each column of a group, if some columns are one."""
    groups = {} if table.at is None and table.family.format == "json" else _groups(table)
    template = max(groups, key=lambda template: len(groups[template]), default="")
    if not template:
        return table
    tokens, hole = groups[template], TASK if template == NUMBER else HOLE
    rest = [name for name in table.data.columns if name not in (*tokens, hole)]
    columns = (pl.col(name).cast(pl.Float64) for name in tokens)
    data = table.data.with_columns(columns).unpivot(
        [*tokens], index=rest, variable_name=hole, value_name=template
    )
    data = data.with_columns(pl.col(hole).replace(tokens)).select(pl.exclude("$file"), "$file")
    group = [*tokens] if template == NUMBER else []
    return replace(table, data=data, group=group)


def _groups(table: Frame) -> dict[str, dict[str, str]]:
    """What names of several columns have in common → column → what it has instead of the hole."""
    fields = [facts for name, facts in table.facts.items() if kind(name) == "field"]
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    # Objects in a document are records of their own.
    signs = r"[_\- ]" if table.family.format == "json" else r"[_.\- ]"
    for name in (f.name for f in fields if f.single and f.type != "text"):
        for sign in re.finditer(signs, name):
            first, last = name[: sign.start()], name[sign.end() :]
            ways = {f"{HOLE}{sign[0]}{last}": first, f"{first}{sign[0]}{HOLE}": last}
            for template, token in ways.items():
                graded = weight("score", template) - weight("not_score", template)
                if graded >= 1.5 and weight("score", token) < 1 and not token.isdigit():
                    groups[template][name] = token
    several = {template: tokens for template, tokens in groups.items() if len(tokens) > 1}
    tasks = [] if several else _tasks(fields, table)
    return {NUMBER: {name: name for name in tasks}} if tasks[1:] else several


def _tasks(fields: list[Facts], table: Frame) -> list[str]:
    """Numbers of one scale side by side, in a table whose rows one text tells apart."""
    numbers = [f for f in fields if f.type in ("float", "int") and not f.missing]
    shares = [f for f in numbers if 0 <= f.low <= f.high <= 100]
    neutral = [f for f in shares if weight("score", f.name) < 0.9]
    odd = {f.name: max(weight(role, f.name) for role in ODD) for f in neutral}
    plain = [f for f in neutral if odd[f.name] < 0.9 or f.name in table.texts]  # 71.3 %
    rows = len(table.data)
    texts = [facts for facts in table.facts.values() if facts.type == "text"]
    heads = rows > 1 and any(facts.distinct == rows for facts in texts)
    scale = len({f.high <= 1 for f in plain}) == 1 and any(f.decimals for f in plain)
    return [f.name for f in plain] if heads and scale and len(fields) - len(plain) <= BESIDE else []
