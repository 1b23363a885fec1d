"""Hostile logs: each reader refuses them, with the reason, and takes what is good beside them."""

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest

from heatproof.formats.decoding import plain
from support import specimens
from support.data import cases
from support.reading import lines, reasons, run, table

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
MAIN = {
    name: next(
        f for f in files if not f.endswith(("results_" + specimens.TIME + ".json", "run_spec.json"))
    )
    for name, (files, _) in specimens.SOURCES.items()
}
"""Specimen → the file that is its log."""
CASES = {
    "nothing": (b"", ("the log is empty", "unreadable archive")),
    "a git-lfs pointer": (POINTER, ("a git-LFS pointer, not the log itself",)),
    "deep nesting": (b'{"a":' * 100_000, ("",)),
    "no text": (bytes(range(256)) * 4, ("",)),
    "an endless number": (b'{"id": 1' + b"0" * 100_000 + b"}", ("",)),
}
EVERY, ODD = [*CASES][:2], [*CASES][2:]
"""Cases that each format is tried with, and those of which each is tried with one."""


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for n, name in enumerate(specimens.SOURCES) for case in (*EVERY, ODD[n % 3])],
)
def test_what_is_no_log_is_refused(name: str, case: str, tmp_path: Path) -> None:
    """Empty files, pointers, and bytes that mean harm give no sample, and a reason."""
    files, keys = specimens.SOURCES[name]
    content, wanted = CASES[case]
    specimens.write(tmp_path, files | {MAIN[name]: content})
    result = run(tmp_path, **keys)
    assert len(result.samples) == 0
    assert any(reason.startswith(wanted) for reason in reasons(result))


DATA = cases(__file__)
REFUSED: dict[str, dict[str, Any]] = DATA["refused"]
SHOWN = ("csv, a quote",)
"""Cases in which the reason is about bytes of the log that can be shown."""


@pytest.mark.parametrize("case", REFUSED)
def test_a_log_that_is_refused_whole_is_told_from_its_beginning(case: str, tmp_path: Path) -> None:
    """One reason for all lines; what is wrong beside a log or with its name has no bytes in it."""
    told = REFUSED[case]
    files, keys = specimens.SOURCES[told["specimen"]]
    files = {name: data for name, data in files.items() if name != told["file"]}
    content, more = told.get("content"), told.get("keys", {})
    files |= {told["file"]: content.encode()} if told["file"] and content is not None else {}
    specimens.write(tmp_path, files)
    result = run(tmp_path, **keys | more)
    log = told["file"] if more.get("logs") else MAIN[told["specimen"]]
    shown = str(content) if case in SHOWN else ""
    columns = ["log", "member", "record_bytes", "reason", "excerpt", "settings"]
    assert {*result.rejected.select(columns).rows()} == {(log, "", 0, told["reason"], shown, "")}
    assert len(result.samples) == 0


@pytest.mark.parametrize("case", DATA["twice"])
def test_a_key_that_stands_twice_below_or_beside_records_is_told(case: str, tmp_path: Path) -> None:
    """Settings, scores of several scorers and what lies beside a log tell each thing once."""
    name, file, once, twice = DATA["twice"][case]
    files, keys = specimens.SOURCES[name]
    assert once.encode() in files[file]
    damaged = files[file].replace(once.encode(), twice.encode(), 1)
    specimens.write(tmp_path, files | {file: damaged})
    result = run(tmp_path, **keys)
    assert any("occurs twice" in reason for reason in reasons(result))


@pytest.mark.parametrize("name", ["json", "inspect", "helm"])
def test_a_document_larger_than_the_limit_is_refused(name: str, tmp_path: Path) -> None:
    """What must be held in memory whole has a limit, in config.yaml."""
    files, keys = specimens.SOURCES[name]
    specimens.write(tmp_path, files)
    size = len(files[MAIN[name]])
    assert len(run(tmp_path, **keys, max_document=size).samples) > 0
    assert "limit" in reasons(run(tmp_path, **keys, max_document=size - 1))[0]


def test_bare_words_are_found_in_linear_time() -> None:
    """NaN within strings is text; a document of broken strings costs no more than any other."""
    given = b'{"a": NaN, "NaN \\"NaN": -Infinity}'
    assert plain(given) == b'{"a": [\t], "NaN \\"NaN": [\t      ]}'
    begin = time.process_time()
    plain(b'"' + b'\\"' * 1_000_000 + b"\\")
    assert time.process_time() - begin < 2


def test_a_name_that_means_something_to_a_pattern(tmp_path: Path) -> None:
    """Names of logs are taken as they are, brackets and all."""
    files, keys = specimens.SOURCES["jsonl"]
    odd: dict[str, Any] = {"[1]/a*b{2}.jsonl": files["a.jsonl"]}
    specimens.write(tmp_path, odd)
    assert run(tmp_path, **keys).samples["log"].unique().to_list() == ["[1]/a*b{2}.jsonl"]


def test_a_score_beyond_all_floats_is_refused_by_its_line(tmp_path: Path) -> None:
    """The others of its log stay."""
    files, keys = specimens.SOURCES["opencompass"]
    [(log, data)] = files.items()
    before, _, after = data.rpartition(b"true")
    specimens.write(tmp_path, {log: before + b"1" + b"0" * 400 + after})
    result = run(tmp_path, **keys)
    [reason] = reasons(result)
    assert reason.endswith("score is inf")
    [(offset, length)] = result.rejected.select("offset", "record_bytes").rows()
    assert offset <= len(before) < offset + length
    assert len(result.samples) >= 3


MANY = 2500
IN_LISTS: dict[str, tuple[dict[str, Any], Any]] = {
    "evalplus": (
        {"format": "evalplus"},
        {"eval": {
            f"HumanEval/{n}": [
                {"solution": "x" * 800, "base_status": "pass", "plus_status": "fail"}
            ] for n in range(MANY)
        }},
    ),
    "runs that are lost": (
        {"format": "json", "each": "*.rows", "fields": {"sample_id": "id", "score": "ok"}},
        [
            {"pad": "x" * 800, "row" if n else "rows": [{"id": n, "ok": 1}]} for n in range(MANY)
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IN_LISTS)
def test_many_lists_in_a_document_are_read_in_time(case: str, tmp_path: Path) -> None:
    """Lines are counted once: in proportion to the document, not from its beginning for each."""
    keys, document = IN_LISTS[case]
    log = "m_temp_0.0_eval_results.json"
    specimens.write(tmp_path, {log: json.dumps(document, indent=1).encode()})
    begin = time.process_time()
    result = run(tmp_path, **keys | {"logs": "*"})
    assert time.process_time() - begin < 1
    assert len(result.samples) + len(result.rejected) == MANY
    text = (tmp_path / log).read_text().splitlines()
    for rows in (result.samples, result.rejected):
        for line, offset in rows.select("line", "offset").rows():
            assert text[line - 1].strip()[:1] in ("{", "[")
            assert (offset > 0) == (line > 1)


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.jsonl", ".gz"), ("a.csv", ".zst"), ("a.json", ".parquet"), ("a.jsonl", ".parquet")],
)
def test_a_packed_log_under_another_name_says_what_it_is(name, ending, tmp_path):
    """It is no damaged text."""
    rows = [{"id": n, "ok": 1} for n in range(9)]
    packed = {
        ".gz": gzip.compress(lines(rows)),
        ".zst": b"\x28\xb5\x2f\xfd" + bytes(range(200)),
        ".parquet": table(rows),
    }
    (tmp_path / name).write_bytes(packed[ending])
    keys: dict[str, Any] = {"format": name[2:], "logs": "*"}
    keys |= {"fields": {"sample_id": "id", "score": "ok"}}
    keys |= {"each": "$"} if name == "a.json" else {}
    [reason] = reasons(run(tmp_path, **keys))
    assert (
        reason.removeprefix("the header: ")
        == f"compressed, but its name does not end in {ending}: rename it"
    )
