"""format: auto: the logs tell their format, and the run says why; nothing ambiguous is decided."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import heatproof as hp
import specimens
from heatproof import formats
from heatproof.config import configuration
from heatproof.formats import auto_format, detection
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path

    from heatproof.config.entries import Config

TOLD = {
    "lm_eval": "it is named samples_{task}_{time}.jsonl and holds doc_id",
    "archive": "it is an .eval archive",
    "helm": "it is a per_instance_stats.json",
    "qwen_math": "it is named {split}_{prompt}_{n}_seed",
    "dynts": "its name tells N, R, KW and PKVL",
    "evalplus": "it has an eval with base_status",
    "swebench": "it is a report of a run",
    "openai_evals": "its first line is the spec of a run",
    "opencompass": "it has details with example_abbr or a type",
    "lighteval": "it is named {model}/{date}/details_{task}|{shots}_{date}.parquet and has metrics",
    "mt_bench": "its lines are judgments, with question_id and judge",
    "simple_evals": "it is named …_allresults.json and has htmls",
    "jsonl": "its lines are objects: `fields` must say the rest",
    "json": "it is an object: `fields` must say the rest",
    "csv": "its header names ",
}
"""Specimen → why it is taken for what it is."""


def resolved(root: Path, **keys: Any) -> Config:
    entry = {"logs": "**/*.*"} | keys | {"format": "auto"}
    return configuration.read({"sources": {"found": entry}}, root)


@pytest.mark.parametrize("name", TOLD)
def test_a_format_is_found_and_the_reason_told(name: str, tmp_path: Path) -> None:
    """The source goes on as if the format had been named, and a note says why."""
    files, keys = specimens.SOURCES[name]
    specimens.write(tmp_path, files)
    found = resolved(tmp_path, **keys)
    source = found.sources["found"]
    assert source.format == keys["format"]
    assert type(source).__module__ == registry.module(formats, keys["format"])
    [note] = map(str, found.notes)
    assert note.startswith(f"config.yaml: sources.found.format: auto is {keys['format']}: ")
    assert TOLD[name] in note


LM_EVAL = b'{"doc_id": 1, "target": "1", "arguments": []}'
INSPECT = b'{"status": "success", "eval": {"run_id": "r", "task_id": "t"}}'
EVERY = (
    b'{"evaluation_id": 1, "model_id": 1, "evaluation_name": 1, "sample_id": 1, "evaluation": 1}'
)
DYNTS = "m_t_N2-R0.1-KW500-PKVL5000.jsonl"
QWEN = "test_p_-1_seed0_t0.0_s0_e-1"
SIGNS: dict[str, tuple[str, list[str], list[str], bytes, list[bytes]]] = {
    "lm_eval": (
        "it is named samples_{task}_{time}.jsonl and holds doc_id",
        [f"samples_add_{specimens.TIME}.jsonl", f"a/b/samples_add_{specimens.TIME}.jsonl"],
        ["samples.jsonl", f"results_{specimens.TIME}.json"],
        LM_EVAL + b"\n{}\n{}",
        [b"", b"{}\n" + LM_EVAL + b"\n{}"],
    ),
    "inspect": (
        "it has a status and an eval with run_id",
        ["log.json", "a/b.c/log.json"],
        ["log.jsonl", "log.eval"],
        INSPECT,
        [b"", b"PK"],
    ),
    "helm": (
        "it is a per_instance_stats.json",
        ["per_instance_stats.json", "a/b/per_instance_stats.json"],
        ["stats.json", "per_instance_stats.json/a"],
        b" \n[{}, {}]",
        [b"", b"{}", b"]["],
    ),
    "qwen_math": (
        "it is named {split}_{prompt}_{n}_seed{s}_t{temperature}_s{start}_e{end}.jsonl",
        [f"{QWEN}.jsonl", f"m/t/{QWEN}.jsonl.gz"],
        ["test.jsonl", f"m/t/{QWEN}_p_metrics.json"],
        b'{"idx": 1, "score": []}',
        [b""],
    ),
    "every_eval_ever": (
        "its lines have evaluation_id, model_id, sample_id and evaluation",
        ["a.jsonl", "a/b/c.jsonl.zst"],
        ["a.json"],
        EVERY + b"\n{}\n{}",
        [b"", b"{}\n" + EVERY + b"\n{}"],
    ),
    "evalplus": (
        "it has an eval with base_status",
        ["m.eval_results.json", "a/eval_results.json.gz"],
        ["m.eval_results.jsonl", "a.json/b"],
        b'{"eval": [{"base_status": 1}]}',
        [b""],
    ),
    "swebench": (
        "it is a report of a run",
        ["m.run.json", "a/b.json.zst"],
        ["m.run.txt"],
        b'{"total_instances": 1, "resolved_ids": []}',
        [b""],
    ),
    "openai_evals": (
        "its first line is the spec of a run",
        ["a.jsonl", "a/b.jsonl.gz"],
        ["a.json"],
        b'{"spec": {"completion_fns": [], "eval_name": ""}}',
        [b"", b'{}\n{"spec": {"completion_fns": [], "eval_name": ""}}'],
    ),
    "opencompass": (
        "it has details with example_abbr or a type",
        ["results/m/a.json", "a.json.gz"],
        ["a.jsonl"],
        b'{"details": [{"example_abbr": ""}]}',
        [b""],
    ),
    "lighteval": (
        "it is named {model}/{date}/details_{task}|{shots}_{date}.parquet and has metrics",
        [f"m/{specimens.TIME}/details_a|0_{specimens.TIME}.parquet"],
        [f"m/{specimens.TIME}/a|0_{specimens.TIME}.parquet", "details_a|0_x.json"],
        b'{"metric": {}}',
        [b"", b'{}\n{"metric": {}}'],
    ),
    "mt_bench": (
        "its lines are judgments, with question_id and judge",
        ["j_single.jsonl", "a/j_pair.jsonl.gz"],
        ["j.json"],
        b'{"question_id": 1, "judge": [], "score": 7}',
        [b"", b'{}\n{"question_id": 1, "judge": [], "score": 7}'],
    ),
    "simple_evals": (
        "it is named …_allresults.json and has htmls",
        ["math_m_allresults.json", "a/x_allresults.json.gz"],
        ["math_m.json", "x_allresults.html"],
        b'{"score": 1, "htmls": []}',
        [b""],
    ),
    "dynts": (
        "its name tells N, R, KW and PKVL, its lines question_id",
        [DYNTS, f"a/b/{DYNTS}.gz"],
        ["m_t.jsonl", f"{DYNTS}/a", f"a/b/{DYNTS[3:]}"],
        b'{"question_id": 1, "answer_id": 1}',
        [b""],
    ),
}
"""Format → the reason, paths of logs, of others, the first bytes of a log, those of others."""


@pytest.mark.parametrize("name", SIGNS)
def test_a_log_is_known_by_name_and_content(name: str) -> None:
    """Both must fit, and each key of a record must be there; a line is known by the first one."""
    reason, paths, others, head, wrong = SIGNS[name]
    test = registry.find(formats, name, "format", "log format").recognises
    assert [test(path, head) for path in paths] == [reason] * len(paths)
    assert [test(path, head) for path in others] == [""] * len(others)
    keys = [] if name == "helm" else re.findall(rb'"\w+"(?=:)', head)
    for less in [*wrong, *(head.replace(key, b'"other"') for key in keys)]:
        assert test(paths[-1], less) == "", less


def test_an_archive_is_known_by_its_ending_and_first_bytes() -> None:
    """Other archives are none, nor is what is only called like one."""
    test = registry.find(formats, "inspect", "format", "log format").recognises
    assert test("a/log.eval", b"PK\x03\x04") == "it is an .eval archive"
    assert (test("a/log.zip", b"PK\x03\x04"), test("log.eval", b"{}")) == ("", "")


def test_real_logs_are_recognised(real_logs: Path) -> None:
    """Folders of real logs, named broadly, are taken for what they are."""
    keys = {"lm_eval": {"filter": "take_first"}, "inspect_sweep": {}, "inspect_json": {}}
    for folder, more in keys.items():
        found = resolved(real_logs, logs=f"{folder}/**/*.*", **more)
        assert found.sources["found"].format == folder.split("_sweep")[0].split("_json")[0]


def test_an_ambiguous_folder_lists_the_candidates(tmp_path: Path) -> None:
    """Logs of two formats: the run stops and names each with a log and the reason."""
    for name in ("dynts", "archive"):
        specimens.write(tmp_path, specimens.SOURCES[name][0])
    with pytest.raises(Error, match="'auto' is ambiguous") as told:
        resolved(tmp_path)
    assert "\n  dynts: s/files/m_t_N2" in str(told.value)
    assert "\n  inspect: log.eval: it is an .eval archive" in str(told.value)


def test_a_few_logs_of_each_folder_and_ending_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of each, and of all these no more than a limit, spread over them."""
    names = ["a/1.x", "a/2.x", "a/3.x", "a/1.y", "a/v1.0.x", "b/1.x", "b/a/1.x"]
    data = specimens.SOURCES["dynts"][0][f"s/files/{DYNTS}"]
    specimens.write(tmp_path, {DYNTS: data} | dict.fromkeys(names, b"x"))
    reason = SIGNS["dynts"][0]
    seen = ["a/1.x", "a/2.x", "a/1.y", "b/1.x", "b/a/1.x"]
    assert auto_format.candidates([DYNTS, *names], tmp_path) == ({"dynts": (DYNTS, reason)}, seen)
    monkeypatch.setattr(detection, "FILES", 3)
    assert auto_format.candidates([DYNTS, *names], tmp_path) == (
        {"dynts": (DYNTS, reason)}, ["a/2.x", "b/1.x"],
    )  # fmt: skip
    assert auto_format.candidates([], tmp_path) == ({}, [])


def test_formats_of_any_layout_are_told_by_endings(tmp_path: Path) -> None:
    """Packed or not, damaged or not; the first log of each, and the first that has none."""
    names = ["a.csv.gz", "b.tsv.zst", "c.parquet", "d.ndjson.gz", "e.json.zst", "f.bin", "g.bin"]
    specimens.write(tmp_path, dict.fromkeys(names, b"\x1f"))
    why = "only its ending tells: `fields` must say the rest"
    assert auto_format.candidates(names, tmp_path) == (
        {"csv": ("a.csv.gz", why), "jsonl": ("c.parquet", why), "json": ("e.json.zst", why)},
        ["f.bin"],
    )
    assert auto_format.candidates(names[1:2], tmp_path) == ({"csv": ("b.tsv.zst", why)}, [])
    assert auto_format.candidates(names[3:4], tmp_path) == ({"jsonl": ("d.ndjson.gz", why)}, [])


@pytest.mark.parametrize(
    ("path", "head", "found"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a"', {"jsonl": "its lines are objects"}),
        ("a.json", b' [{"a": 1}', {"json": "it is a list"}),
        ("a.json", b'{\n "a": 1', {"json": "it is an object"}),
        (
            "a.json",
            b'{"a": 1}\n{"a": 2}\n{"a"',
            {"jsonl": "its lines are objects, whatever its name"},
        ),
        ("a.csv.gz", b"a;b;c\n1;2;3", {"csv": "its header names 3 columns"}),
        ("a.txt", b"model a\n{}", {}),
    ],
)
def test_formats_of_any_layout_are_told_by_content(
    path: str, head: bytes, found: dict[str, str]
) -> None:
    """Where the file begins as its ending says, or as no other ending would."""
    assert detection.layouts(path, head) == found


def test_what_auto_found_is_told_in_a_sentence(tmp_path: Path) -> None:
    """The format, the log that told it and why; or what there is to choose from."""
    specimens.write(tmp_path, specimens.SOURCES["archive"][0] | {"z.txt": b"x", "y.txt": b"x"})
    given = {"name": "s", "logs": "*.*", "format": "auto", "scorer": "match"}
    assert auto_format.resolve(given, "place", tmp_path) == (
        given | {"format": "inspect"},
        (
            "place.format: auto is inspect: log.eval: it is an .eval archive; "
            "other logs, such as y.txt, are not and will be refused"
        ),
    )
    specimens.write(tmp_path, specimens.SOURCES["dynts"][0])
    refused = {
        "**/*.*": "place.format: 'auto' is ambiguous; name the format, or give each a source of its "
        "own:\n  dynts: s/files/{}: {}\n  inspect: log.eval: it is an .eval archive",
        "*.txt": "place.format: 'auto' knows none of the logs; there are csv, dynts, "
        "evalplus, every_eval_ever, helm, inspect, json, jsonl, lighteval, lm_eval, mt_bench, "
        "openai_evals, opencompass, qwen_math, simple_evals, swebench",
    }
    for logs, said in refused.items():
        with pytest.raises(Error) as told:
            auto_format.resolve(given | {"logs": logs}, "place", tmp_path)
        assert str(told.value) == said.format(DYNTS, SIGNS["dynts"][0])
    with pytest.raises(Error, match=r"^config.yaml: sources.s.logs: no file matches"):
        auto_format.resolve(given | {"logs": "none/*"}, "place", tmp_path)
    with pytest.raises(Error, match=r"^place.logs: 'auto' needs the patterns of the logs$"):
        auto_format.resolve(given | {"logs": 3}, "place", tmp_path)


def test_what_the_found_format_needs_is_said(tmp_path: Path) -> None:
    """A format of any layout is found by its ending, and the missing keys are named."""
    specimens.write(tmp_path, specimens.SOURCES["csv"][0])
    with pytest.raises(Error, match=r"found.fields: needs 'sample_id'") as told:
        resolved(tmp_path)
    assert "format: auto is csv: a.csv" in str(told.value)


def test_unknown_logs_list_the_formats(tmp_path: Path) -> None:
    """Where nothing is recognised, the formats there are are listed."""
    specimens.write(tmp_path, {"a.bin": b"\x00"})
    with pytest.raises(Error, match="'auto' knows none of the logs; there are csv, dynts"):
        resolved(tmp_path)


def test_files_that_are_something_else_are_told(tmp_path: Path) -> None:
    """Logs that will be refused are foretold."""
    files, keys = specimens.SOURCES["lm_eval"]
    specimens.write(tmp_path, files)
    [note] = resolved(tmp_path, **keys | {"logs": "*.*"}).notes
    note = str(note)
    assert "other logs" not in note  # what lies beside logs is known
    specimens.write(tmp_path, {"notes.txt": b"x"})
    [note] = resolved(tmp_path, **keys | {"logs": "*.*"}).notes
    note = str(note)
    assert "such as notes.txt" in note


@pytest.mark.parametrize("name", ["lm_eval", "json", "dynts"])
def test_pointers_in_the_place_of_logs_are_told_before_all_else(name: str, tmp_path: Path) -> None:
    """What git-LFS has not fetched has no format, and no key of config.yaml would help."""
    files, keys = specimens.SOURCES[name]
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    specimens.write(tmp_path, dict.fromkeys(files, pointer))
    with pytest.raises(Error, match=r"found.logs: .* is a git-LFS pointer.*: run git lfs pull"):
        resolved(tmp_path, **keys | {"logs": "**/*.*"})


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.jsonl", b'{"q": 1, "deep": {"k": 1}}\n{"q": 2}\n', "has 'q', 'deep.k'"),
        ("a.json", b'[\n {"q": 1, "won": true}\n]\n', "has 'q', 'won'"),
        ("a.csv", b"q,won\n1,2\n", "it begins with q,won"),
    ],
)
def test_a_layout_of_ones_own_is_told_with_its_keys(
    name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    """They are what `fields` can name."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(Error, match="`fields` must say the rest") as told:
        hp.read(name, root=tmp_path)
    assert str(told.value).endswith(said)
