"""A small good source of every format, to be damaged: `formats/specimens/NAME/{files, keys.yaml}`."""

import random
import re
from pathlib import Path
from typing import Any

from support.data import load

TIME = "2026-01-02T03-04-05.678901"
FOLDER = Path(__file__).parents[1] / "formats/specimens"


def _source(folder: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    files = sorted(path for path in (folder / "files").rglob("*") if path.is_file())
    names = {str(path.relative_to(folder / "files")): path.read_bytes() for path in files}
    return names, load(folder / "keys.yaml")


SOURCES = {folder.name: _source(folder) for folder in sorted(FOLDER.iterdir())}
"""Name → files of a good source, and its entry in config.yaml."""
PIECES = [
    b"", b"\x00", b"\xff\xfe", b"NaN", b"-Infinity", b"null", b"true", b"[]", b"{}", b'""', b'"',
    b"\\", b"\n", b"\r\n", b",", b"[" * 3000, b'{"a":' * 3000, b"1" + b"0" * 400,
    b"1" + b"0" * 4000, b"1" + b"0" * 5000, b"-1", b"1e999", b"0.1", b"9223372036854775808",
    b'"\\ud800"', b'"<script>alert(1)</script>"', b'"\\u0000"', b'"\\u202e"', b"PK\x05\x06",
    b"PK\x01\x02", b'"id":1,"id":2', b'"' + b"x" * 5000 + b'"',
]  # fmt: skip
"""What a mutation may put in: the usual trouble."""


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The data after one to four random changes: cut, repeated, overwritten, stuffed."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice([0, 1, 1, 2, 5, 20, 200]))
        kind = chance.randrange(6)
        if kind == 0:
            data = data[:start] + data[end:]
        elif kind == 1:
            data = data[:end] + data[start:end] + data[end:]
        elif kind == 2:
            data = data[:start]
        elif kind == 3 and start < len(data):
            data = data[:start] + bytes([chance.randrange(256)]) + data[start + 1 :]
        elif kind == 4:
            data = _value(data, chance)
        else:
            data = data[:start] + chance.choice(PIECES) + data[end:]
    return data


def _value(data: bytes, chance: random.Random) -> bytes:
    """A whole JSON value or key replaced: the document stays well-formed more often."""
    values = list(re.finditer(rb'"[^"\\]*"|-?\d+(?:\.\d+)?|true|false|null', data[:100_000]))
    if not values:
        return data
    match = chance.choice(values)
    return data[: match.start()] + chance.choice(PIECES) + data[match.end() :]


def write(root: Path, files: dict[str, bytes]) -> None:
    """Put files below a folder."""
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
