"""Lines of text: the format of tests/examples, which docs/extend.md tells people to copy, loses nothing."""

import gzip
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

import tabbed_format

from support.reading import reasons, tables_of

ROWS = [f"t\ts{n}\t{n % 2}\t{'yes' if n % 3 else 'no'}" for n in range(60_000)]


def read(root: Path, name: str, data: bytes, **keys: int):
    (root / name).write_bytes(data)
    source = tabbed_format.Entry(format="tabbed", logs="*", **keys)
    result = tables_of([name], root, source, tabbed_format.read)
    [log] = result.manifest
    assert log.records == log.rows + log.rejected > 0
    return result


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_line_is_a_row(end, tmp_path):
    """Whatever ends it, and at its place in the log."""
    result = read(tmp_path, "m.tsv", end.join(ROWS[:57]).encode())
    rows = result.samples.sort("line")
    assert rows["score"].to_list() == [float(n % 3 > 0) for n in range(57)]
    assert {*rows["model"]} == {"m"}
    assert rows["line"].to_list() == list(range(1, 58))
    assert rows["record_bytes"].to_list() == [len(row) for row in ROWS[:57]]
    assert not len(result.rejected)


def test_of_a_cut_archive_the_beginning_is_read(tmp_path):
    """All lines that are whole, and one refusal that says where it breaks off."""
    packed = gzip.compress("".join(f"{row}\n" for row in ROWS).encode())
    result = read(tmp_path, "m.tsv.gz", packed[: len(packed) // 2])
    assert 5000 < len(result.samples) < len(ROWS)
    [reason] = reasons(result)
    assert reason == "unreadable archive: it ends too early: cut off, or still being written"
    assert result.rejected["line"].to_list() == [len(result.samples) + 1]


def test_each_line_that_is_none_is_refused_alone(tmp_path):
    """One that does not fit, broken UTF-8, and one that is too long; blank lines are none."""
    lines = [ROWS[0], "t\ts\tx\tyes", "", "spoilt", ROWS[1] + "x" * 2000, ROWS[2]]
    data = "\n".join(lines).encode() + b"\nt\t\xff\t0\tyes\n"
    result = read(tmp_path, "m.tsv", data, max_record=1000)
    assert sorted(result.samples["line"]) == [1, 6]
    assert result.rejected["line"].to_list() == [2, 4, 5, 7]
    assert [*map(str, reasons(result))] == [
        "it is not task, sample, epoch and yes or no between tabs",
        "it is not task, sample, epoch and yes or no between tabs",
        "longer than the limit of 1000 bytes (max_record)",
        "invalid UTF-8: byte 0xff at 2",
    ]


def test_a_log_without_a_line_is_empty(tmp_path):
    """Of blank lines alone, too."""
    assert reasons(read(tmp_path, "m.tsv", b"\n\r\n")) == ["the log is empty"]
