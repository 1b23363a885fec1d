"""Layouts of one's own: files and keys, and the rows and refusals that come of them, as data."""

import gzip
import io
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
import pytest

from heatproof.formats.api import Log, Reject
from support.data import cases
from support.independent import require_all
from support.reading import entry, reader, run, traced

CASES: dict[str, dict[str, Any]] = {case["name"]: case for case in cases(__file__, "cases.yaml")}
MISTAKES: list[dict[str, Any]] = cases(__file__, "mistakes.yaml")


BOM = b"\xef\xbb\xbf"
FORMS = ("small chunks", "packed", "byte order mark")


def put(root: Path, case: dict[str, Any], form: str = "") -> None:
    """The files of a case, in another form: only what they hold counts."""
    for path, text in case["files"].items():
        name = path.removesuffix(".gz")
        data = text.encode() if isinstance(text, str) else workbook(text)
        lines = name.endswith((".jsonl", ".csv"))
        alone = lines or "sidecar" not in case["keys"]
        is_bare = data.strip(BOM + b" \n") and not data.startswith(BOM)
        marked = form == "byte order mark" and alone and is_bare
        data = BOM + data if marked and name != "a.xlsx" else data
        packed = path.endswith(".gz") or (form == "packed" and lines)
        place = root / (f"{name}.gz" if packed else name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(data) if packed else data)


def workbook(sheets: dict[str, list[list[Any]]]) -> bytes:
    """Sheets by name, each its rows, as an Excel file."""
    import openpyxl

    book, buffer = openpyxl.Workbook(write_only=True), io.BytesIO()
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(buffer)
    return buffer.getvalue()


def require(case: dict[str, Any], result: Any) -> None:
    """Rows and refusals are those of the case."""
    rows = result.samples.select(case.get("columns", [])).rows()
    assert sorted(map(list, rows), key=str) == sorted(case.get("rows", []), key=str)
    refused = result.rejected.select("log", "line", "reason").rows()
    reasons = [f"{log.removesuffix('.gz')}:{line}: {reason}" for log, line, reason in refused]
    assert reasons == [reason.replace(".gz:", ":") for reason in case.get("refused", [])]


@pytest.mark.parametrize("name", CASES)
def test_records_become_rows_or_refusals(name: str, tmp_path: Path) -> None:
    """Each record is one of both, as the standard library counts them; each row leads to its own."""
    case = CASES[name]
    put(tmp_path, case)
    result = run(tmp_path, **case["keys"])
    require(case, result)
    assert sum(log.failed for log in result.manifest) == case.get("failed", 0)
    if case.get("counted", True):
        require_all(result, tmp_path, case["keys"])
    if case["keys"]["format"] not in ("csv", "xlsx"):
        traced(result, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "form"), [*zip(CASES, cycle(FORMS))])
def test_how_bytes_come_does_not_count(name, form, tmp_path, monkeypatch):
    """Read in pieces, unpacked, or behind a mark of byte order, logs are what they were."""
    case = CASES[name]
    keys, columns = case["keys"], case.get("columns", [])
    is_named = "path" in keys or "." in keys.get("logs", "") or "log" in columns
    if form == "packed" and is_named:
        form = "small chunks"  # its paths tell something
    if form == "small chunks":
        monkeypatch.setattr("heatproof.logs.streams.CHUNK", 64)
    put(tmp_path, case, form)
    require(case, run(tmp_path, **case["keys"]))


@pytest.mark.parametrize("case", MISTAKES, ids=str)
def test_keys_that_cannot_be_are_named(case: dict[str, Any]) -> None:
    """Before any job: the place, and what is wrong there."""
    given = {"name": "x", "logs": "*"} | case["keys"]
    problems = msgspec.convert(given, reader(given["format"]).Entry).mistakes()
    assert len(problems) == len(case["mistakes"])
    for problem, beginning in zip(problems, case["mistakes"], strict=True):
        assert problem.sentence.startswith(beginning)


def test_refused_rows_tell_their_numbers(tmp_path: Path) -> None:
    """A text where the number is an id, a number where it is an epoch; one that is broken none."""
    (tmp_path / "a.jsonl").write_bytes(b'{"ok": 1}\n{"ok": 7}\n{"ok":\n')
    source: Any = entry(
        format="jsonl", fields={"sample_id": "$row", "epoch": "$row", "score": "ok"}
    )
    parts = [*reader("jsonl").read(Log("a.jsonl", tmp_path, source), source)]
    assert [p.cells if p.lacks_score else None for p in parts if isinstance(p, Reject)] == [
        {"score": 7.0, "sample_id": "2", "epoch": 2},
        None,
    ]
