"""A small good source of every format, to be damaged: its files and its config entry."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

from reading import lines, table

if TYPE_CHECKING:
    import random
    from pathlib import Path

TIME = "2026-01-02T03-04-05.678901"
ROWS = [
    {"id": n, "epoch": e, "score": (n + e) % 2, "t": 0.5, "l": [1, 2], "m": "x"}
    for n in range(3)
    for e in range(2)
]
FIELDS = {"sample_id": "id", "epoch": "epoch", "score": "score"}


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def _lm_eval() -> dict[str, bytes]:
    rows = [
        {
            "doc_id": n,
            "target": "1",
            "resps": [["1", "2"]],
            "filtered_resps": ["1"],
            "filter": "first",
            "exact_match": 1.0,
            "arguments": [["?", {"temperature": 1}]],
        }
        for n in range(4)
    ]
    told = {
        "results": {"add": {"exact_match,first": 1.0}},
        "configs": {
            "add": {"filter_list": [{"name": "first", "filter": [{"function": "take_first"}]}]}
        },
        "config": {"model_args": "pretrained=m", "gen_kwargs": "top_p=0.5"},
    }
    return {f"samples_add_{TIME}.jsonl": lines(rows), f"results_{TIME}.json": _json(told)}


def _inspect(archive: bool) -> dict[str, bytes]:
    head = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "plan": {}}
    samples = [{"id": n, "epoch": 1, "scores": {"match": {"value": "C"}}} for n in range(4)]
    if not archive:
        return {"log.json": _json(head | {"samples": samples})}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression=8) as file:
        file.writestr("header.json", _json(head))
        for item in samples:
            file.writestr(f"samples/{item['id']}_epoch_1.json", _json(item))
    return {"log.eval": buffer.getvalue()}


def _helm() -> dict[str, bytes]:
    stats = [{"name": {"name": "em", "split": "test"}, "count": 1, "sum": 1}]
    rows = [{"instance_id": f"id{n}", "train_trial_index": 0, "stats": stats} for n in range(4)]
    spec = {"name": "s:model=m", "adapter_spec": {"model": "m", "temperature": 0}}
    return {"per_instance_stats.json": _json(rows), "run_spec.json": _json(spec)}


def _every_eval_ever() -> dict[str, bytes]:
    rows = [
        {"model_id": "m", "evaluation_name": "t", "sample_id": str(n), "evaluation": {"score": 1}}
        for n in range(4)
    ]
    return {"e.jsonl": lines(rows)}


def _dynts() -> dict[str, bytes]:
    name = "m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    rows = [{"question_id": n, "answer_id": 0, "score": True} for n in range(4)]
    group = {"info_id": [[n, 0] for n in range(4)], "peak_kvcache": 8, "time_per_decode_step": [1]}
    told = {"model_name": "m", "data_name": "t", "avg@2": 100.0}
    return {
        f"s/files/{name}": lines(rows),
        f"s/statistics/{name}": lines([group]),
        "s/metrics.jsonl": lines([told]),
    }


def _evalplus() -> dict[str, bytes]:
    tried = [{"base_status": "pass", "plus_status": told} for told in ("pass", "fail")]
    problems = {f"HumanEval/{n}": tried for n in range(3)}
    told = {"hash": "0f", "eval": problems, "pass_at_k": {"plus": {"pass@1": 0.5}}}
    return {"org--m_vllm_temp_0.2.eval_results.json": _json(told)}


def _swebench() -> dict[str, bytes]:
    lists = {
        "resolved_ids": ["a-1", "a-2"],
        "unresolved_ids": ["a-3", "a-4"],
        "empty_patch_ids": ["a-5"],
        "error_ids": [],
        "incomplete_ids": ["a-6"],
    }
    told = {"total_instances": 6, "resolved_instances": 2, **lists, "schema_version": 2}
    return {"org__m.run1.json": _json(told)}


def _openai_evals() -> dict[str, bytes]:
    spec = {"completion_fns": ["m"], "eval_name": "add.dev.v0", "run_config": {"seed": 7}}
    events = [
        {"sample_id": f"add.dev.{n}", "type": kind, "data": {"correct": n % 2 == 0}}
        for n in range(4)
        for kind in ("sampling", "match")
    ]
    return {"a.jsonl": lines([{"spec": spec}, *events, {"final_report": {"accuracy": 0.5}}])}


def _opencompass(listed: bool) -> dict[str, bytes]:
    held: Any = [{"example_abbr": f"add_{n}", "correct": [True, n > 1]} for n in range(4)]
    if not listed:
        held = {"type": "GEN", **{str(n): {"pred": "1", "correct": n > 0} for n in range(4)}}
    name = "accuracy (2 runs average)" if listed else "accuracy"
    return {"results/m/add.json": _json({name: 75.0, "details": held})}


def _lighteval() -> dict[str, bytes]:
    rows = [{"doc": {"id": str(n)}, "metric": {"em": n % 2, "f1": 0.5}} for n in range(4)]
    told = {
        "config_general": {"model_name": "org/m", "model_config": {"temperature": 0.5}},
        "config_tasks": {"add|5": {"original_num_docs": 9, "effective_num_docs": 4}},
        "results": {"add|5": {"em": 0.5}},
    }
    return {
        f"details/org/m/{TIME}/details_add|5_{TIME}.parquet": table(rows, compression="none"),
        f"results/org/m/results_{TIME}.json": _json(told),
    }


def _mt_bench() -> dict[str, bytes]:
    rows = [
        {"question_id": n, "model": "m", "judge": ["j", "single-v1"], "score": 1 + n, "turn": 1}
        for n in range(5)
    ]
    return {"mt_bench/model_judgment/j_single.jsonl": lines(rows)}


def _simple_evals() -> dict[str, bytes]:
    pages = [f"<h3>Results</h3><p>Extracted Answer: 1</p><p>Score: {n % 2}</p>" for n in range(4)]
    told = {"score": 0.5, "metrics": {}, "htmls": pages, "convos": []}
    return {"math_m_20260102_030405_allresults.json": _json(told)}


CSV = "id,A 1,A 2,right\n" + "".join(f'{n},"x,\n{n}",b,b\n' for n in range(4))
WIDE = {"fields": {"sample_id": "id", "target": "right", "answer": "A {epoch}"}}
QWEN = lines([{"idx": n, "score": [True, False], "pred": ["1", "2"]} for n in range(4)])
TRIES = [{"ok": "pass", "use": {"n": 7}}, {"ok": "fail", "use": None}]
OBJECTS = lines([{"run": {"id": n, "m": {"name": "x"}, "tries": TRIES}} for n in range(4)])
LISTS = lines([{"id": n, "gt": "1", "pred": ["1", "2"]} for n in range(4)])

SOURCES: dict[str, tuple[dict[str, bytes], dict[str, Any]]] = {
    "jsonl": (
        {"a.jsonl": lines(ROWS)},
        {
            "format": "jsonl",
            "fields": FIELDS | {"model": "m"},
            "params": {"t": "float", "v": {"type": "int", "field": "l.1"}},
        },
    ),
    "table": (
        {"a.parquet": table(ROWS, row_group_size=4, compression="none")},
        {"format": "jsonl", "fields": FIELDS | {"model": "m"}, "params": {"t": "float"}},
    ),
    "objects": (
        {"a.jsonl": OBJECTS},
        {
            "format": "jsonl",
            "fields": {"sample_id": "run.id", "score": "run.tries.*.ok", "model": "run.m.name"},
            "measures": {"tokens": "run.tries.*.use.n"},
            "epochs": {"lists": ["score", "tokens"]},
            "verdicts": {"pass": 1, "fail": 0},
        },
    ),
    "lists": (
        {"a.jsonl": LISTS},
        {
            "format": "jsonl",
            "grade": "number",
            "epochs": {"lists": ["answer"]},
            "fields": {"sample_id": "id", "answer": "pred", "target": "gt"},
        },
    ),
    "json": (
        {"a.json": _json({"rows": ROWS})},
        {
            "format": "json",
            "fields": FIELDS,
            "each": "rows",
            "params": {"v": {"type": "int", "field": "l.1"}},
        },
    ),
    "csv": ({"a.csv": CSV.encode()}, {"format": "csv", "grade": "exact"} | WIDE),
    "lm_eval": (
        _lm_eval(),
        {"format": "lm_eval", "logs": "samples_*", "params": {"top_p": "float"}},
    ),
    "inspect": (_inspect(archive=False), {"format": "inspect", "params": {"temperature": "float"}}),
    "archive": (_inspect(archive=True), {"format": "inspect"}),
    "helm": (
        _helm(),
        {"format": "helm", "metric": "em", "logs": "per*", "params": {"temperature": "float"}},
    ),
    "every_eval_ever": (_every_eval_ever(), {"format": "every_eval_ever"}),
    "qwen_math": ({"m/t/test_p_-1_seed0_t0.0_s0_e-1.jsonl": QWEN}, {"format": "qwen_math"}),
    "evalplus": (_evalplus(), {"format": "evalplus"}),
    "swebench": (_swebench(), {"format": "swebench"}),
    "openai_evals": (_openai_evals(), {"format": "openai_evals", "params": {"seed": "int"}}),
    "opencompass": (_opencompass(listed=True), {"format": "opencompass"}),
    "named details": (_opencompass(listed=False), {"format": "opencompass"}),
    "lighteval": (
        _lighteval(),
        {"format": "lighteval", "metric": ["em"], "params": {"temperature": "float"}},
    ),
    "mt_bench": (_mt_bench(), {"format": "mt_bench"}),
    "simple_evals": (_simple_evals(), {"format": "simple_evals"}),
    "dynts": (
        _dynts(),
        {"format": "dynts", "logs": "s/files/*", "statistics": True, "metrics": True},
    ),
}
"""Name → files of a good source, and its entry in config.yaml."""

PIECES = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"NaN",
    b"-Infinity",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'""',
    b'"',
    b"\\",
    b"\n",
    b"\r\n",
    b",",
    b"[" * 3000,
    b'{"a":' * 3000,
    b"1" + b"0" * 400,
    b"1" + b"0" * 4000,
    b"1" + b"0" * 5000,
    b"-1",
    b"1e999",
    b"0.1",
    b"9223372036854775808",
    b'"\\ud800"',
    b'"<script>alert(1)</script>"',
    b'"\\u0000"',
    b'"\\u202e"',
    b"PK\x05\x06",
    b"PK\x01\x02",
    b'"id":1,"id":2',
    b'"' + b"x" * 5000 + b'"',
]
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
    import re

    found = list(re.finditer(rb'"[^"\\]*"|-?\d+(?:\.\d+)?|true|false|null', data[:100_000]))
    if not found:
        return data
    match = chance.choice(found)
    return data[: match.start()] + chance.choice(PIECES) + data[match.end() :]


def write(root: Path, files: dict[str, bytes]) -> None:
    """Put files below a folder."""
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
