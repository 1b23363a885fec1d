"""Count the records of logs with the standard library alone, and compare with what readers made.

Each format has a naive count that shares no code with its reader: what it finds must be a row or a
reject, at its own place, unless the log is refused as a whole.
"""

import csv
import gzip
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import yaml

from support.reading import Normalized


class Found(NamedTuple):
    """What a reader made of a record: its place, and whether it is a row."""

    member: str
    line: int
    offset: int
    length: int
    row: bool


class Log(NamedTuple):
    """A log, unpacked, and what a reader found in it."""

    name: str
    data: bytes
    keys: dict[str, Any]
    found: list[Found]
    passed: int = 0
    """How many records the reader says that the config leaves out."""

    def refused(self) -> bool:
        """Whether it was refused as a whole: once, or line by line with no place of their own."""
        whole = len(self.data)
        return all(
            not one.row and (not one.length or (not one.offset and one.length == whole))
            for one in self.found
        )

    def held(self) -> list[Found]:
        """What was found at a place of its own."""
        return [one for one in self.found if one.length]

    def lines(self) -> dict[int, bytes]:
        """Its lines that hold something, by number."""
        lines = enumerate(self.data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
        return {number: line for number, line in lines if line.strip()}


def require_all(result: Normalized, root: Path, keys: dict[str, Any]) -> None:
    """Every record of each log of a source is a row or a reject."""
    names = ["member", "line", "offset", "record_bytes"]
    for told in result.manifest:
        if not told.records:
            continue  # a sidecar
        found = [
            Found(*place, row=table is result.samples)
            for table in (result.samples, result.rejected)
            for place in table.filter(log=told.log).select(names).iter_rows()
        ]
        data = (root / told.log).read_bytes()
        data = gzip.decompress(data) if told.log.endswith(".gz") else data
        log = Log(told.log, data, keys, found, told.passed)
        if not log.refused():
            COUNTS[keys["format"]](log)
        elif told.log.endswith(".jsonl") and len(found) > 1:
            assert {one.line for one in found} == log.lines().keys()
            assert len(found) == len(log.lines())


def of_lines(log: Log) -> None:
    """One record a line; blank ones are none. Of a table, a record a row."""
    found = {one.line for one in log.held()}
    if "each" in log.keys:
        of_lists(log)
        return
    if log.name.endswith(".parquet"):
        rows = set(range(1, pq.read_metadata(io.BytesIO(log.data)).num_rows + 1))
        cut = len(log.held()) < len(log.found)
        assert found <= rows if cut else found == rows
        return
    assert found <= log.lines().keys()
    assert len(found) + log.passed == len(log.lines())
    several = log.keys["format"] in ("qwen_math", "mt_bench") or {"epochs", "versus"} & {*log.keys}
    if not several and "{" not in log.keys.get("fields", {}).get("score", ""):
        assert len(log.held()) == len(found)


def of_lists(log: Log) -> None:
    """The items of the list that each line holds; a line that holds none is one record."""
    found = Counter(line for line, _ in {(one.line, one.offset) for one in log.held()})
    whole = {one.line for one in log.held() if one.length == len(log.lines()[one.line])}
    for number, line in log.lines().items():
        size = 1 if number in whole else items(log._replace(data=line), log.keys["each"].split("."))
        assert found.pop(number) == size
    assert not found


def of_filters(log: Log) -> None:
    """A record a line, but for those of other filters than the one that is read."""
    lines = log.lines()
    assert {one.line for one in log.held()} <= lines.keys()
    read = {json.loads(lines[one.line]).get("filter", "none") for one in log.held() if one.row}
    for number in lines.keys() - {one.line for one in log.held()}:
        other = json.loads(lines[number]).get("filter", "none")
        assert isinstance(other, str)
        assert other not in read


class Pairs(list[Any]):
    """An object as its keys and values, those that stand twice too."""


def items(log: Log, place: list[str]) -> int:
    """How many items the list or object at a place has."""
    values = [json.loads(log.data, object_pairs_hook=Pairs, parse_int=str)]
    for part in place:
        if part == "*":
            values = [one for value in values for one in value]
        elif part[:1] == "{":
            values = [of for value in values for _, of in value]
        else:
            values = [of for value in values for key, of in value if key == part]
    assert values
    return sum(map(len, values))


def of_items(log: Log) -> None:
    """The items of the list or object at a place; without one, the document is the record."""
    each = log.keys.get("each")
    place = [] if each in (None, "$") else each.split(".")
    held = len({one.offset for one in log.held()}) + log.passed
    assert held == (items(log, place) if each else 1)


def of_samples(log: Log) -> None:
    """The samples of a document, or the members of an archive that are called like such."""
    if not log.name.endswith(".eval"):
        assert len({one.offset for one in log.held()}) == items(log, ["samples"])
        return
    names = zipfile.ZipFile(io.BytesIO(log.data)).namelist()
    own = re.compile(r"samples/.*_epoch_\d+(\.json|/sample\.json)", re.DOTALL)
    samples = [name for name in names if own.fullmatch(name)]
    assert set(samples) <= {one.member for one in log.found}
    assert len(samples) <= len(log.found)


def of_instances(log: Log) -> None:
    """The items of the list that the document is."""
    assert len({one.offset for one in log.held()}) == items(log, [])


def of_attempts(log: Log) -> None:
    """The items of each problem's list; a problem without one, or with lists side by side, is one."""
    [problems] = [of for key, of in _pairs(log) if key == "eval"]
    held = [of for _, of in problems]
    counts = (len(of) or 1 if type(of) is list else 1 for of in held)
    assert len({one.offset for one in log.held()}) == sum(counts)


def _pairs(log: Log) -> Any:
    return json.loads(log.data, object_pairs_hook=Pairs, parse_int=str)


TRIED = ("resolved", "unresolved", "empty_patch", "error", "infra_failure", "ambiguous_failure")


def of_ids(log: Log) -> None:
    """All ids in the lists of what was tried; each is one, in however many lists it is."""
    lists = dict(_pairs(log))
    found = {name for kind in TRIED for name in lists.get(f"{kind}_ids") or []}
    assert len({one.offset for one in log.held()}) == len(found)


def of_events(log: Log) -> None:
    """A record a line that is a match; what cannot be decoded may have been one."""
    lines = log.lines()
    there = {one.line for one in log.held()}
    assert there <= lines.keys()
    for number in lines.keys() - there:
        told = json.loads(lines[number])
        assert not isinstance(told, dict) or told.get("type") != "match"


def of_details(log: Log) -> None:
    """The items of details, but for the type of them."""
    [held] = [of for key, of in _pairs(log) if key == "details"]
    named = isinstance(held, Pairs)
    found = [key for key, _ in held if key != "type"] if named else held
    assert len({one.offset for one in log.held()}) == len(found)


def of_pages(log: Log) -> None:
    """The items of htmls."""
    assert len({one.offset for one in log.held()}) == items(log, ["htmls"])


def of_answers(log: Log) -> None:
    """The items of results.results, or the lines."""
    found = len({one.offset for one in log.held()})
    is_lines = log.name.endswith(".jsonl")
    assert found == (len(log.lines()) if is_lines else items(log, ["results", "results"]))


def of_rows(log: Log) -> None:
    """All that lies behind the header; as many rows as the standard library finds."""
    places = sorted({(one.offset, one.offset + one.length) for one in log.held()})
    if log.passed:
        assert len(places) + log.passed == len(list(csv.reader(log.data.decode().splitlines()))) - 1
        return
    gaps = zip(
        [0, *(stop for _, stop in places)], [*(at for at, _ in places), len(log.data)], strict=True
    )
    between = [log.data[stop:start] for stop, start in gaps]
    assert not b"".join(between[1:]).strip(b"\r\n")
    try:
        text = io.StringIO(log.data.decode("utf-8-sig"), newline="")
        rows = list(filter(None, csv.reader(text, strict=True)))
    except (ValueError, csv.Error):
        return
    assert len(places) == len(rows) - 1


def of_yaml(log: Log) -> None:
    """The items of the list or object at a place, as PyYAML has them."""
    try:
        documents = [*yaml.safe_load_all(log.data)]
    except yaml.YAMLError:
        return
    value = documents[0] if len(documents) == 1 else documents
    of_items(log._replace(data=json.dumps(value, default=str).encode()))


def of_sheet(log: Log) -> None:
    """The rows of the first sheet that hold something, but for the header."""
    import openpyxl

    name = log.keys.get("sheet")
    try:
        book = openpyxl.load_workbook(io.BytesIO(log.data))
        sheet = book[name] if name else book.worksheets[0]
        rows = [row for row in sheet.iter_rows(values_only=True) if {*row} - {None, ""}]
    except Exception:  # noqa: BLE001 - it is damaged
        return
    assert len({one.offset for one in log.held()}) + log.passed == len(rows) - 1


COUNTS: dict[str, Callable[[Log], None]] = {
    "jsonl": of_lines,
    "dynts": of_lines,
    "every_eval_ever": of_lines,
    "qwen_math": of_lines,
    "lm_eval": of_filters,
    "json": of_items,
    "yaml": of_yaml,
    "xlsx": of_sheet,
    "inspect": of_samples,
    "helm": of_instances,
    "csv": of_rows,
    "evalplus": of_attempts,
    "swebench": of_ids,
    "openai_evals": of_events,
    "opencompass": of_details,
    "lighteval": of_lines,
    "mt_bench": of_lines,
    "simple_evals": of_pages,
    "promptfoo": of_answers,
    "bfcl": of_lines,
}
"""Format → how its records are counted."""
