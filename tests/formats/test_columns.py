"""Records that are read by the column give the bytes that the same records give one by one."""

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest

from heatproof.formats import harness
from heatproof.logs import logs
from heatproof.samples import normalize
from heatproof.util.errors import Error
from support import reading, specimens
from support.data import load
from support.quick import slow_but

FOLDER = Path(__file__).parent
DYNTS, JSONL = "m_t_N3-R0.1-KW500-PKVL5000.jsonl", "a.jsonl"
KEYS = {
    DYNTS: {"format": "dynts", "logs": "*"},
    JSONL: {
        "format": "jsonl", "logs": "*", "measures": {"tokens": "num_decode_tokens"},
        "fields": {"sample_id": "question_id", "epoch": "answer_id", "score": "score"},
    },
}  # fmt: skip
LINE = b'{"question_id": %d, "answer_id": %d, "score": %b, "num_decode_tokens": %d}'
GOOD = [LINE % (problem, epoch, b"true", epoch) for problem in range(5) for epoch in range(3)]
FAULTS: dict[str, list[bytes]] = load(FOLDER / "columns.yaml")
"""What is wrong → the lines in which it shows."""
ENDS = {"lines": b"\n", "carriage returns": b"\r\n", "blank lines": b"\n\n"}


def is_by_column(name: str) -> bool:
    """Whether a format has two ways to read: of the others there is nothing to compare."""
    return name in ("jsonl", "csv", "xlsx") or bool(
        getattr(reading.reader(name).Reader, "alike", ())
    )


LEARNT = [name for name, (_, keys) in specimens.SOURCES.items() if is_by_column(keys["format"])]
CASES = [
    path.parent for path in sorted(FOLDER.glob("cases/*/*/keys.yaml"))
    if is_by_column(path.parent.parent.name)
]  # fmt: skip


def results(root: Path, keys: dict[str, Any]) -> list[Any]:
    """Both tables as bytes, the counts of each log and what it declares; or why the run stops."""
    source = reading.entry(**keys)
    with tempfile.TemporaryDirectory() as folder:
        samples, rejected = Path(folder, "samples"), Path(folder, "rejected")
        read = reading.reader(source.format).read
        try:
            paths = logs.find(source, root)
            outcome = normalize.write(paths, root, source, read, samples, rejected)
        except Error as error:
            return [str(error)]
        return [samples.read_bytes(), rejected.read_bytes(), outcome]


def require_both_ways(root: Path, keys: dict[str, Any], monkeypatch: Any) -> int:
    """Compare both ways; the number of batches that were read by the column."""
    batches = []
    by_column = harness.Reader.batch_of

    def counted(reader: Any, lines: Any) -> Any:
        batch = by_column(reader, lines)
        batches.extend([batch] if batch else [])
        return batch

    with monkeypatch.context() as patched:
        patched.setattr(harness.Reader, "batch_of", counted)
        made = results(root, keys)
        patched.setattr(harness.Reader, "batch_of", lambda *_: None)
        assert results(root, keys) == made
    return len(batches)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("end", ENDS)
def test_good_lines_are_read_by_the_column(name, end, tmp_path, monkeypatch):
    """Whatever ends a line, and with or without an end behind the last."""
    for number, text in enumerate((ENDS[end].join(GOOD), ENDS[end].join([*GOOD, b""]))):
        specimens.write(tmp_path, {name.replace("m_", f"m{number}_"): text})
    assert require_both_ways(tmp_path, KEYS[name], monkeypatch)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_told_alike_both_ways(name, fault, tmp_path, monkeypatch):
    """In the middle of a log and, cut off, at the end of another, beside good logs."""
    wrong = [
        line.encode("latin-1").decode("unicode_escape").encode("latin-1") for line in FAULTS[fault]
    ]
    good = b"\n".join([*GOOD, b""])
    damaged = {
        f"middle{name}": b"\n".join([*GOOD[:3], *wrong, *GOOD[3:], b""]),
        f"end{name}": b"\n".join(GOOD + wrong),
    }
    beside = {f"{number}{name}": good for number in range(2)}
    specimens.write(tmp_path, damaged | beside)
    assert require_both_ways(tmp_path, KEYS[name], monkeypatch) >= len(beside)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNT)
def test_random_damage_is_told_alike_both_ways(name, tmp_path, monkeypatch):
    """Damage that nobody thought of, to a log or to what lies beside it."""
    files, keys = specimens.SOURCES[name]
    chance = random.Random(name)
    for number in range(20):
        victim = chance.choice(sorted(files))
        root = tmp_path / str(number)
        damaged = specimens.mutated(files[victim], chance)
        specimens.write(root, files | {victim: damaged})
        require_both_ways(root, keys, monkeypatch)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.parent.name}/{case.name}" for case in CASES])
def test_cases_are_read_alike_both_ways(case, monkeypatch):
    """Each log of a harness."""
    require_both_ways(case / "files", load(case / "keys.yaml"), monkeypatch)


OWN = {
    case["name"]: case
    for case in load(FOLDER / "cases.yaml")
    if case["keys"]["format"] in ("jsonl", "csv")
}


@pytest.mark.parametrize("name", slow_but(OWN, list(OWN)[:30]))
def test_layouts_of_ones_own_are_read_alike_both_ways(name, tmp_path, monkeypatch):
    """Each layout of lines that config.yaml can map."""
    files = {log: text.encode() for log, text in OWN[name]["files"].items()}
    specimens.write(tmp_path, files)
    require_both_ways(tmp_path, OWN[name]["keys"], monkeypatch)


SHEET = {
    "format": "csv", "logs": "*", "measures": {"tokens": "tokens"},
    "fields": {"model": "model", "task": "task", "sample_id": "id", "epoch": "n", "score": "score"},
}  # fmt: skip
TABLE = ["model,task,id,n,score,tokens"]
TABLE += [f"m{n % 2},t,q{n // 4},{n % 4},{n % 3 % 2},{n}" for n in range(40)]
ROWS: dict[str, list[str]] = load(FOLDER / "rows.yaml")
"""What may be odd with rows of a table: the rows."""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [1 << 18, 100])
def test_good_rows_are_read_by_the_column(end, size, tmp_path, monkeypatch):
    """Whatever ends a row, with or without an end behind the last, and in one piece or in many."""
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", size)
    for number, text in enumerate((end.join(TABLE), end.join([*TABLE, ""]))):
        specimens.write(tmp_path, {f"{number}.csv": text.encode()})
    assert require_both_ways(tmp_path, SHEET, monkeypatch) >= 2


@pytest.mark.parametrize("odd", ROWS)
@pytest.mark.parametrize("end", slow_but(["\n", "\r\n", "\r"], ["\r\n"]))
@pytest.mark.parametrize("size", slow_but([1 << 18, 100], [1 << 18]))
def test_odd_rows_are_told_alike_both_ways(odd, end, size, tmp_path, monkeypatch):
    """As a header, in the middle and at the end of a log, in one piece or in many."""
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", size)
    rows = [row.encode().decode("unicode_escape") for row in ROWS[odd]]
    texts = {"middle": TABLE[:20] + rows + TABLE[20:], "end": TABLE + rows, "head": rows + TABLE}
    for place, lines in texts.items():
        data = end.join([*lines, ""]).encode("latin-1")
        specimens.write(tmp_path, {f"{place}.csv": data, f"{place}_cut.csv": data.rstrip()})
    require_both_ways(tmp_path, SHEET, monkeypatch)
