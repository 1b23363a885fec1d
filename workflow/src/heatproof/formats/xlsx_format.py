"""Sheets of Excel files with a header line, read as CSV is: one record a row."""

from __future__ import annotations

from typing import ClassVar

from heatproof.formats import csv_format
from heatproof.formats.mapping import Mapped
from heatproof.logs.sheet_text import ENDING
from heatproof.util.errors import Error


class Entry(Mapped, kw_only=True):
    """Keys of an `xlsx` source."""

    sheet: str = ""
    """The name of the sheet; by default the first."""

    delimiter: ClassVar[str] = ","
    decimal: ClassVar[str] = "."


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as a sheet; empty if nothing tells that it can."""
    header = head.split(b"\n", 1)[0].decode(errors="replace")
    if path.endswith(ENDING):
        return f"its header names {header.count(',') + 1} columns"
    return ""


class Reader(csv_format.Reader):
    """A record is a row of the sheet, which comes as CSV (`logs/sheet_text.py`)."""

    def begin(self) -> None:
        if not self.path.endswith(ENDING):
            raise Error(f"its name does not end in {ENDING}: rename it", "form")
        self.sheet = self.entry.sheet
        super().begin()


read = Reader.read
