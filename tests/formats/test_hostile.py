"""Hostile logs: each reader refuses them, with the reason, and takes what is good beside them."""

from __future__ import annotations

import gzip
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

import specimens
from heatproof.formats.decoding import plain
from reading import lines, reasons, run, table

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", specimens.SOURCES)
def test_what_is_no_log_is_refused(name: str, case: str, tmp_path: Path) -> None:
    """Empty files, pointers, and bytes that mean harm give no sample, and a reason."""
    files, keys = specimens.SOURCES[name]
    content, wanted = CASES[case]
    specimens.write(tmp_path, files | {MAIN[name]: content})
    result = run(tmp_path, **keys)
    assert len(result.samples) == 0
    assert any(reason.startswith(wanted) for reason in reasons(result))


RESULTS = f"results_{specimens.TIME}.json"
EARLY = "the document ends too early: cut off, or still being written"
HEAD = b'{"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "samples": []'
REFUSED: dict[str, tuple[str, str, bytes | None, dict[str, Any], str]] = {
    "lm_eval, alone": ("lm_eval", RESULTS, None, {},
        f"no {RESULTS} beside it: the run's settings are there"),
    "lm_eval, cut": ("lm_eval", RESULTS, b"{", {}, f"{RESULTS}: {EARLY}"),
    "lm_eval, a setting": ("lm_eval", "", b"", {"params": {"top_p": "int"}},
        "top_p: '0.5' is not int"),
    "lm_eval, no metric": ("lm_eval", RESULTS, b'{"results": {"add": {"alias": "add"}}, "configs": {"add": {}}}', {},
        "its results file names no filter"),
    "inspect, cut": ("inspect", "log.json", b"{", {}, EARLY),
    "inspect, a list": ("inspect", "log.json", b"[]", {}, "Expected `object`, got `array`"),
    "inspect, a version": ("inspect", "log.json", HEAD.replace(b"2", b"1") + b"}", {},
        "log version 1; known are 2 and 3"),
    "inspect, no head": ("inspect", "log.json", b'{"version": 3, "status": "success", "eval": {}}', {},
        "the head tells no evaluation: no Inspect log"),
    "inspect, nothing": ("inspect", "log.json", HEAD + b"}", {}, "the log holds no samples"),
    "inspect, nothing yet": ("inspect", "log.json", HEAD.replace(b"success", b"started") + b"}", {},
        "the log holds no samples (its status is started)"),
    "inspect, a setting": ("inspect", "log.json",
        HEAD + b', "plan": {"config": {"temperature": "hot"}}}', {}, "temperature: 'hot' is not float"),
    "archive, cut": ("archive", "log.eval", b"PK", {},
        "unreadable archive: it ends too early: cut off, or still being written"),
    "helm, alone": ("helm", "run_spec.json", None, {},
        "no run_spec.json beside it: model, task and settings are there"),
    "helm, cut": ("helm", "per_instance_stats.json", b"[", {}, EARLY),
    "helm, an object": ("helm", "per_instance_stats.json", b"{}", {}, "Expected `array`, got `object`"),
    "helm, nothing": ("helm", "per_instance_stats.json", b"[]", {}, "the log holds no instances"),
    "every_eval_ever, beside": ("every_eval_ever", "e.json", b"{", {}, f"e.json: {EARLY}"),
    "qwen_math, a name": ("qwen_math", "m/t/a.jsonl", next(iter(specimens.SOURCES["qwen_math"][0].values())), {"logs": "m/t/a.jsonl"},
        "the file name is not {split}_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl"),
    "dynts, a name": ("dynts", "s/files/a.jsonl", b"{}", {"logs": "s/files/a.jsonl"},
        "the file name is not {model}_{task}_N…-R…-KW…-PKVL….jsonl"),
    "json, no place": ("json", "a.json", b'{"a": []}', {}, "each: the document has no 'rows'; there are a"),
    "json, nothing": ("json", "a.json", b'{"rows": []}', {}, "each: 'rows' holds no records"),
    "json, no records": ("json", "a.json", b'{"rows": 3}', {}, "Expected `object | array`, got `int`"),
    "json, cut": ("json", "a.json", b'{"rows":', {}, EARLY),
    "csv, nothing": ("csv", "a.csv", b"", {}, "the log is empty"),
    "csv, a header": ("csv", "a.csv", b"id,A 1,A 2,right\n", {}, "the log has a header and no rows"),
    "csv, a column": ("csv", "a.csv", b"id,A 1,A 2\n1,2,3\n", {},
        "the header has no 'right'; there are id, A 1, A 2"),
    "csv, a quote": ("csv", "a.csv", b'id,"A 1', {}, "the header: not CSV: unexpected end of data"),
    "jsonl, a path": ("jsonl", "", b"", {"path": "b(?P<task>.)"},
        "the path does not match 'b(?P<task>.)'"),
}  # fmt: skip
"""Case → specimen, a file of it and what is there instead, further keys, and the reason."""
SHOWN = ("csv, a quote",)
"""Cases in which the reason is about bytes of the log that can be shown."""


@pytest.mark.parametrize("case", REFUSED)
def test_a_log_that_is_refused_whole_is_told_from_its_beginning(case: str, tmp_path: Path) -> None:
    """One reason for all lines; what is wrong beside a log or with its name has no bytes in it."""
    name, file, content, more, reason = REFUSED[case]
    files, keys = specimens.SOURCES[name]
    files = {n: data for n, data in (files | {file: content}).items() if n and data is not None}
    specimens.write(tmp_path, files)
    result = run(tmp_path, **keys | more)
    log = file if more.get("logs") else MAIN[name]
    shown = str(content, "utf-8") if content and case in SHOWN else ""
    columns = ["log", "member", "length", "reason", "excerpt", "settings"]
    assert {*result.rejected.select(columns).rows()} == {(log, "", 0, reason, shown, "")}
    assert len(result.samples) == 0


WHOLE = b'{"q0": {"s": 1}, "q1": {"s": 1}, "q0": {"s": 0}}'
MAPPED: dict[str, Any] = {"format": "json", "fields": {"sample_id": "$key", "score": "s"}}
AMONG: dict[str, tuple[dict[str, bytes], dict[str, Any]]] = {
    "records of an object": ({"a.json": WHOLE}, MAPPED | {"each": "$"}),
    "records deeper down": ({"a.json": b'{"x": {"y": ' + WHOLE + b"}}"}, MAPPED | {"each": "x.y"}),
    "written otherwise": (
        {"a.json": WHOLE.replace(b'"q0": {"s": 0', b'"\\u0071\\u0030" : {"s": 0')},
        MAPPED | {"each": "$"},
    ),
    "places of records": (
        {"a.json": b'{"runs": ' + WHOLE[:31] + b'}, "runs": {"q2": {"s": 0}}}'},
        MAPPED | {"each": "runs"},
    ),
    "above places of records": (
        {"a.json": b'{"x": {"runs": [{"s": 1}]}, "b": 1, "x": {"runs": [{"s": 0}]}}'},
        MAPPED | {"each": "x.runs"},
    ),
}
"""Documents in which a key stands twice, and how they are read."""
TWICE = {
    "jsonl": (b'"score": 0', b'"score": 1, "score": 0'),
    "json": (b'"score": 0', b'"score": 1, "score": 0'),
    "lm_eval": (b'"exact_match": 1.0', b'"exact_match": 0.0, "exact_match": 1.0'),
    "inspect": (b'"epoch": 1', b'"epoch": 2, "epoch": 1'),
    "helm": (b'"train_trial_index": 0', b'"train_trial_index": 1, "train_trial_index": 0'),
    "every_eval_ever": (b'"sample_id"', b'"sample_id": "x", "sample_id"'),
    "qwen_math": (b'"score"', b'"score": [], "score"'),
    "dynts": (b'"score": true', b'"score": false, "score": true'),
}
DEEPER = {
    **{name: (name, MAIN[name], *places) for name, places in TWICE.items()},
    "inspect, samples": ("inspect", "log.json", b'"samples": [', b'"samples": [], "samples": ['),
    "inspect, head": ("inspect", "log.json", b'"model": "m"', b'"model": "n", "model": "m"'),
    "inspect, scores": (
        "inspect", "log.json", b'"match": {', b'"match": {"value": "I"}, "match": {'
    ),
    "inspect, value": ("inspect", "log.json", b'"value": "C"', b'"value": "I", "value": "C"'),
    "helm, run": ("helm", "run_spec.json", b'"model": "m"', b'"model": "n", "model": "m"'),
    "helm, statistic": (
        "helm", "per_instance_stats.json", b'"name": "em"', b'"name": "f1", "name": "em"'
    ),
    "lm_eval, run": ("lm_eval", RESULTS, b'"model_args"', b'"model_args": "x", "model_args"'),
    "lm_eval, arguments": (
        "lm_eval", MAIN["lm_eval"], b'"temperature": 1', b'"temperature": 0, "temperature": 1'
    ),
    "every_eval_ever, score": (
        "every_eval_ever", "e.jsonl", b'"score": 1', b'"score": 0, "score": 1'
    ),
    "dynts, statistics": (
        "dynts", "s/statistics/m_t_N2-R0.1-KW500-PKVL5000.jsonl",
        b'"peak_kvcache"', b'"peak_kvcache": 1, "peak_kvcache"',
    ),
}  # fmt: skip
"""Specimen, file, a place in it, and the same with a key that stands twice."""


@pytest.mark.parametrize("case", AMONG)
def test_a_key_that_stands_twice_around_records_is_refused(case: str, tmp_path: Path) -> None:
    """Records are not lost because their names, or the places that hold them, stand twice."""
    files, keys = AMONG[case]
    specimens.write(tmp_path, files)
    result = run(tmp_path, **keys)
    assert len(result.samples) == 0
    assert all("stands twice" in reason for reason in reasons(result))


@pytest.mark.parametrize("case", DEEPER)
def test_a_key_that_stands_twice_below_or_beside_records_is_told(case: str, tmp_path: Path) -> None:
    """Settings, scores of several scorers and what lies beside a log tell each thing once."""
    name, file, once, twice = DEEPER[case]
    files, keys = specimens.SOURCES[name]
    assert once in files[file]
    specimens.write(tmp_path, files | {file: files[file].replace(once, twice, 1)})
    result = run(tmp_path, **keys)
    assert any("stands twice" in reason for reason in reasons(result))


@pytest.mark.parametrize("other", [b'{"score": "x"}\n', b""])
def test_keys_that_nobody_reads_may_stand_twice(other: bytes, tmp_path: Path) -> None:
    """Whether a record is taken does not hang on those beside it."""
    record = b'{"id": 1, "score": 1, "more": {"score": 1, "score": 2}, "n": 1, "n": 2}\n'
    specimens.write(tmp_path, {"a.jsonl": record + other})
    fields = {"sample_id": "id", "score": "score"}
    assert len(run(tmp_path, format="jsonl", fields=fields).samples) == 1


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


CSV: dict[str, Any] = {
    "format": "csv",
    "fields": {"sample_id": "id", "score": "score"},
    "params": {"b": "int"},
}


@pytest.mark.parametrize(
    ("header", "row"),
    [("id,score,b,score", "1,1,2,0"), ("b,id,b,score", "1,1,2,0"), ("id,id,score,b", "1,2,0,0")],
)
def test_a_column_that_stands_twice_is_refused(header: str, row: str, tmp_path: Path) -> None:
    """Of two columns with one name none is taken; what nobody reads may stand twice."""
    specimens.write(tmp_path, {"a.csv": f"{header}\n{row}\n".encode()})
    assert "' twice" in reasons(run(tmp_path, **CSV))[0]
    specimens.write(tmp_path, {"a.csv": b"x,id,score,b,x\n1,1,1,1,1\n"})
    assert len(run(tmp_path, **CSV).samples) == 1


@pytest.mark.parametrize("name", ["opencompass", "openai_evals"])
def test_a_score_beyond_all_floats_is_refused_by_its_line(name: str, tmp_path: Path) -> None:
    """The others of its log stay."""
    files, keys = specimens.SOURCES[name]
    [(log, data)] = files.items()
    before, _, after = data.rpartition(b"true")
    specimens.write(tmp_path, {log: before + b"1" + b"0" * 400 + after})
    result = run(tmp_path, **keys)
    [reason] = reasons(result)
    assert reason.endswith("score is inf")
    [(offset, length)] = result.rejected.select("offset", "length").rows()
    assert offset <= len(before) < offset + length
    assert len(result.samples) >= 3


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1.7e308", "1e300", "-1e160"])
def test_a_measure_that_cannot_be_averaged_is_refused(number: str, tmp_path: Path) -> None:
    """Its squares are no floats; the greatest that can be leave a mean and an error of it."""
    rows = "".join(f"{n},1,{n}\n" for n in range(8))
    (tmp_path / "a.csv").write_text(f"id,ok,loss\n{rows}8,1,{number}\n9,1,-1e150\n10,1,1e150\n")
    fields = {"sample_id": "id", "score": "ok"}
    keys = {"format": "csv", "logs": "*", "fields": fields, "measures": {"loss": "loss"}}
    result = run(tmp_path, **keys)
    [reason] = reasons(result)
    assert reason.startswith(f"loss: {float(number):g} is out of range; a measure lies within")
    assert result.rejected["line"].to_list() == [10]
    assert result.samples["loss"].abs().max() == 1e150


MANY = 5000
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
    assert time.process_time() - begin < 2
    assert len(result.samples) + len(result.rejected) == MANY
    text = (tmp_path / log).read_text().splitlines()
    for rows in (result.samples, result.rejected):
        for line, offset in rows.select("line", "offset").rows():
            assert text[line - 1].strip()[:1] in ("{", "[")
            assert (offset > 0) == (line > 1)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.json"])
@pytest.mark.parametrize("ending", [".gz", ".zst", ".parquet"])
def test_a_packed_log_under_another_name_says_what_it_is(
    name: str, ending: str, tmp_path: Path
) -> None:
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
        == f"packed, as files are that end in {ending}: call it so"
    )
