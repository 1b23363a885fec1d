"""A sheet of an Excel file as CSV, a row a line; dates and times are as ISO 8601 writes them."""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ENDING = ".xlsx"
MAGIC = b"PK"
ROWS = 1000  # rows that become text at a time
MIDNIGHT = "T00:00:00"  # a date alone
EXACT = 2.0**53  # below it, a whole number is a float without a loss


def sheet_as_csv(file: Any, name: str, bomb: Callable[[int], str]) -> Iterator[bytes]:
    """The sheet of a name, or the first, in pieces. Raises Error.

    `bomb`: why a file must not unpack to so many bytes; empty if it may.
    """
    rows, width = _sheet_rows(file, name, bomb), 0
    while block := _next_rows(rows):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in block:
            cells = list(map(cell_text, _without_end(row)))
            width = width or len(cells)
            if cells:
                cells += repeat("", width - len(cells))
            writer.writerow(cells)
        yield text.getvalue().encode("utf-8", "replace")


def _sheet_rows(file: Any, name: str, bomb: Callable[[int], str]) -> Iterator[Sequence[Any]]:
    import openpyxl

    if not (begins := file.read(len(MAGIC))):
        return
    if begins == MAGIC and not zipfile.is_zipfile(file):
        raise EOFError  # its end is not there
    with zipfile.ZipFile(file) as archive:
        if why := bomb(sum(member.file_size for member in archive.infolist())):
            raise Error(why)
    book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if name not in sheets and (name or not sheets):
        raise Error(f"there is no sheet {name!r}; {choices(name, sheets)}")
    sheet = sheets[name] if name else book.worksheets[0]
    sheet.reset_dimensions()  # what the file says of them may be wrong
    yield from sheet.iter_rows(values_only=True)


def _next_rows(rows: Iterator[Sequence[Any]]) -> list[Sequence[Any]]:
    """The next rows. Raises Error: the library fails, in any way, or warns of what it can read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(islice(rows, ROWS))
    except (Error, EOFError):
        raise
    except Exception as error:
        raise Error(f"not an Excel file: {type(error).__name__}: {error}") from error


def _without_end(row: Sequence[Any]) -> Sequence[Any]:
    """The cells of a row up to the last that is not empty."""
    size = len(row)
    while size and row[size - 1] in (None, ""):
        size -= 1
    return row[:size]


def cell_text(value: Any) -> str:
    """A cell as CSV has it: Excel stores whole numbers as floats."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return text.removesuffix(MIDNIGHT)
