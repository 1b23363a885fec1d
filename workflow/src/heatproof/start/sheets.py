"""How a file of any layout begins, as records: where they lie, their places and values.

A *place* is what config.yaml calls it: `usage.tokens`, `answers.0`, `samples.*.ok`; of the head of
a document that holds a list of records, `^config.model`.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.formats import csv_format, documents
from heatproof.formats.places import EACH, POINT, VALUE
from heatproof.start import damage
from heatproof.start.runs import BARE, graded, several
from heatproof.start.tasks import is_task

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEP = 4
"""Levels of a record that are looked through."""
ABOVE = 3
"""Levels of a document in which a list of records is sought."""
BY_COLUMN = (
    "a table by columns, lists of {} items side by side: write a row a record, as "
    "pandas.DataFrame(…).to_json(…, orient='records', lines=True) does"
)
HEAD = "^"
"""Before a place in the head of a document."""
ALIKE = 0.5
"""Part of all their keys that records have in common at least."""
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?P<end>")?|[\[\]{},]', re.DOTALL)
WIDEST = 40
"""Characters to which places are filled up."""
LONGEST = 400
"""Characters of a text that is kept."""

Row = dict[str, Any]


class Sheet(NamedTuple):
    """The records of one file, as far as they were looked at."""

    path: str
    rows: list[Row]
    """Place → value: a text, a number, true or false, or a list of such."""
    each: str | None = None
    """In a document, the place of the list of records; empty: the document is one."""
    keyed: bool = False
    """Whether the records are the items of an object."""
    delimiter: str = ","
    decimal: str = "."
    fault: str = ""
    """Why it cannot be used."""
    printed: bool = False
    """Whether its records are printed numbers of whole runs, by what they are called."""


def lines(path: str, data: bytes, whole: bool) -> Sheet:
    """Of a file with a JSON object a line."""
    found = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    records, wrong = [], 0
    for line in found if whole else found[:-1]:
        if line.strip():
            try:
                records.append(msgspec.json.decode(documents.plain(line)))
            except (msgspec.DecodeError, ValueError, RecursionError):
                wrong += 1
    good = [flat(record) for record in records if isinstance(record, dict)]
    if good:
        return Sheet(path, good)
    if records:
        return Sheet(path, [], fault="its lines are no objects")
    told = "its first line is longer than what is looked at" if not whole and not wrong else ""
    return Sheet(path, [], fault=told or damage.told(data) or "its lines are no JSON")


def table(path: str, data: bytes, whole: bool) -> Sheet:
    """Of a file of cells, as CSV."""
    text = data.decode("utf-8-sig", "replace")
    if not whole:
        text = text.rpartition("\n")[0]
    first = text.partition("\n")[0]
    sign = max(csv_format.DELIMITERS, key=first.count)
    try:
        header, *rows = csv.reader(io.StringIO(text), delimiter=sign)
    except (ValueError, csv.Error) as error:
        return Sheet(path, [], fault=f"not CSV: {error}")
    if not whole:
        rows = rows[:-1]  # it may end within quotes
    if not rows or len(header) < 2:
        return Sheet(path, [], fault="a header without rows" if header else "empty")
    rows = [row for row in rows if len(row) == len(header)]
    decimal = "," if sign == ";" and _has_commas(rows) else "."
    found = [{k: typed(v, decimal) for k, v in zip(header, row, strict=True)} for row in rows]
    return Sheet(path, found, delimiter=sign, decimal=decimal)


def _has_commas(rows: list[list[str]]) -> bool:
    cells = [cell for row in rows[:50] for cell in row]
    return any(re.fullmatch(r"-?\d+,\d+\s*%?", cell) for cell in cells) and not any(
        re.fullmatch(r"-?\d+\.\d+", cell) for cell in cells
    )


NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def typed(text: str, decimal: str = ".") -> Any:
    """A text as what it reads as: a number, true or false, or itself; None where it is empty."""
    told = text.strip()
    if not told:
        return None
    if told.lower() in ("true", "false"):
        return told.lower() == "true"
    number = told.replace(",", ".") if decimal == "," else told
    if NUMBER.fullmatch(number):
        if number.lstrip("+-").isdigit():
            plain = number.lstrip("+-")
            return int(number) if plain == "0" or not plain.startswith("0") else text
        return float(number)
    return text[:LONGEST]


def document(path: str, data: bytes, whole: bool) -> Sheet:
    """Of a file that is one JSON document; of a long one, of what lies at its beginning."""
    try:
        data = data.removeprefix(codecs.BOM_UTF8)
        held = msgspec.json.decode(documents.plain(data if whole else closed(data)))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return Sheet(path, [], fault=damage.told(data) or "no JSON, or cut off")
    if told := results(held):
        each, numbers = told
        above = {f"{HEAD}{k}": v for k, v in flat(_without(held, each, numbers)).items()}
        rows = [
            above | (flat(one) if isinstance(one, dict) else {VALUE: one})
            for one in numbers.values()
        ]
        return Sheet(path, rows, each, keyed=True, printed=True)
    sheets = [*_sheets(path, held, whole)]
    best = max(sheets, key=_worth, default=None)
    single = [flat(held)] if isinstance(held, dict) else []
    if single and best is None and (size := _columns(single[0])):
        return Sheet(path, [], fault=BY_COLUMN.format(size))
    if best is None or (single and _scored(single) and not _scored(best.rows)):
        fault = "" if single else "a list that holds no objects"
        return Sheet(path, single, "", fault=fault)
    return best


def _sheets(path: str, held: Any, whole: bool) -> Iterator[Sheet]:
    """Each reading of a document that holds records, the plainest first."""
    for each, items, keyed in tables(held):
        rows = items[:-1] if not whole and len(items) > 1 else items
        above = {f"{HEAD}{k}": v for k, v in flat(_without(held, each)).items()} if each else {}
        yield Sheet(path, [above | _record(item) for item in rows], each, keyed)
    for runs in several(held):
        found = [
            {f"{HEAD}{k}": v for k, v in flat(head).items()}
            | {f"{{{n}}}": key for n, key in told.items()}
            | _record(record)
            for head, told, records in runs.runs
            for record in records
        ]
        yield Sheet(path, found, runs.each, runs.keyed)


def _columns(record: Row) -> int:
    """The rows of a document that holds a table column by column; 0 if it is none."""
    sizes = Counter(len(value) for value in record.values() if isinstance(value, list))
    size, count = max(sizes.items(), key=lambda item: item[1], default=(0, 0))
    return size if count > 1 and size >= BARE and _scored([record]) else 0


def _worth(sheet: Sheet) -> tuple[bool, int]:
    return _scored(sheet.rows), len(sheet.rows)


def _scored(rows: list[Row]) -> bool:
    from heatproof.start import scores

    return bool(scores.likely(rows))


def tables(held: Any, place: str = "", deep: int = ABOVE) -> Iterator[tuple[str, list[Row], bool]]:
    """Place, records, and whether they have keys, of each list or object of like objects."""
    if isinstance(held, list):
        items = [item for item in held if isinstance(item, dict)]
        if items and 2 * len(items) > len(held):
            yield place or "$", items, False
    elif isinstance(held, dict):
        items = [value for value in held.values() if isinstance(value, dict)]
        if len(items) > 1 and len(items) == len(held) and _alike(items):
            yield place or "$", items, True
        if bare := graded(held):
            yield place or "$", bare, True
        for key, value in held.items() if deep else ():
            if "." not in key:
                yield from tables(value, f"{place}.{key}" if place else key, deep - 1)


def _record(item: Row) -> Row:
    """A record's places; of one that is no object, its value."""
    return item if VALUE in item else flat(item)


def _alike(items: list[Row]) -> bool:
    sets = [{*item} for item in items[:20]]
    return len(set.intersection(*sets)) > ALIKE * len(set.union(*sets))


METRIC = re.compile(
    r"(?:pass|maj|cons)@\d+|(?:acc|accuracy|acc_norm|exact_match|em|f1|bleu|mcc|score|perplexity|"
    r"word_perplexity|rouge\w*|mc[12]|pass_rate|success_rate)(?:,.*)?"
)
"""What numbers of a task are called, with the filter of lm-evaluation-harness behind a comma."""
ERROR = re.compile(r"\w+_stderr(?:,.*)?")


def results(held: Any) -> tuple[str, dict[str, Any]] | None:
    """Where a document holds printed numbers for each of some tasks, and these; None if nowhere.

    Standard errors tell them, or shares of problems solved, or names of tasks; those of single
    problems are 0 or 1.
    """
    if not isinstance(held, dict):
        return None
    for each, level in (("results", held.get("results")), ("$", held)):
        if not isinstance(level, dict):
            continue
        found = {key: one for key, one in level.items() if _is_result(one)}
        texts = [name for one in found.values() if isinstance(one, dict) for name in one]
        passes = any(name.startswith(("pass@", "maj@", "cons@")) for name in texts)
        sure = passes or any(ERROR.fullmatch(name) for name in texts)
        tasks = 2 * sum(map(is_task, found)) > len(found)
        if found and (sure or (tasks and (each == "results" or len(found) == len(level)))):
            return each, found
    return None


def _is_result(one: Any) -> bool:
    """Whether it is a number that is no verdict, or holds one that is called like such."""
    if isinstance(one, dict):
        return any(METRIC.fullmatch(name) and _is_result(value) for name, value in one.items())
    return isinstance(one, float) and one not in (0.0, 1.0)


def _without(held: Any, each: str, records: Row | None = None) -> Row:
    """The document without its records."""
    if not isinstance(held, dict):
        return {}
    if each == "$":
        return (
            {name: value for name, value in held.items() if name not in records} if records else {}
        )
    key, _, below = each.partition(".")
    rest = {name: value for name, value in held.items() if name != key}
    return rest | ({key: _without(held[key], below)} if below else {})


def flat(record: Row, above: str = "", deep: int = DEEP) -> Row:
    """Place → value of a record; a point within a key, which no place can name, is `POINT`."""
    found: Row = {}
    for key, value in record.items():
        if not key or key.startswith((HEAD, "$")):
            continue
        place = f"{above}{key.replace('.', POINT)}"
        if isinstance(value, dict):
            found |= flat(value, f"{place}.", deep - 1) if deep > 1 else {}
        elif isinstance(value, list):
            found |= _listed(value, place)
        elif value is not None:
            found[place] = value[:LONGEST] if isinstance(value, str) else value
    return found


def _listed(items: list[Any], place: str) -> Row:
    if items and all(isinstance(item, dict) for item in items):
        first = [key for key, value in items[0].items() if not isinstance(value, dict | list)]
        names = [key for key in first if "." not in key and all(key in item for item in items)]
        return {f"{place}.{EACH}.{key}": [item[key] for item in items] for key in names}
    if items and not any(isinstance(item, dict | list) for item in items):
        return {place: items}
    return {}


def closed(data: bytes) -> bytes:
    """The beginning of a JSON document, up to the last whole value, with all brackets closed."""
    stack: list[bytes] = []
    cut, left = 0, b""
    for token in TOKEN.finditer(data):
        sign = token[0]
        if sign[:1] == b'"' and not token["end"]:
            break  # the text in which the beginning ends: signs in it are none of the document's
        if sign in (b"{", b"["):
            stack.append(b"}" if sign == b"{" else b"]")
        elif sign == b",":
            cut, left = token.start(), b"".join(reversed(stack))
        elif sign in (b"}", b"]") and stack:
            stack.pop()
            cut, left = token.end(), b"".join(reversed(stack))
    return data[:cut] + left


def record(sheet: Sheet) -> str:
    """The first record: its places, as config.yaml calls them, with type and value of each."""
    from heatproof.start.source import seen

    row = {place: value for place, value in sheet.rows[0].items() if POINT not in place}
    wide = min(max(map(len, row)), WIDEST)
    values = [value if isinstance(value, list) else [value] for value in row.values()]
    lines = [
        f"  {place:{wide}}  {seen(value)}{' (a list)' * isinstance(row[place], list)}"
        for place, value in zip(row, values, strict=True)
    ]
    each = f", each: {sheet.each}" if sheet.each else ""
    return "\n".join([f"a record of {sheet.path}{each}", *lines])
