"""Refusals that are no accident stop the run, and name the key that mends them."""

import gzip
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.config import paths
from heatproof.samples import normalize, refusals
from support.built import folder, read
from support.data import cases
from support.project import Project
from support.reading import entry, lines

__all__ = ["folder"]

CASES = cases(__file__)
PLACES = {"model": "model", "task": "task", "sample_id": "id", "epoch": "epoch", "score": "score"}
SOURCE: dict[str, Any] = {"format": "jsonl", "fields": PLACES, "params": {"b": "int"}}


def record(**keys: Any) -> dict[str, Any]:
    return {"model": "m", "task": "t", "b": 1, "epoch": 0} | keys


def problems(
    given: dict[str, Any], logs: dict[str, bytes], shards: int = 1, accepted: float | None = None
) -> list[str]:
    """What stops the run, of logs by name, read as the workflow reads them."""
    for name, data in logs.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
    keys = given | {"name": "s", "logs": [*logs]}
    samples = read(shards, **keys)
    counts, rejected, manifests = (
        [Path(place(path)) for path in samples]
        for place in (paths.counts, paths.rejected, paths.manifest)
    )
    told = [log for path in manifests for log in normalize.read_manifest(path)]
    source, refused = msgspec.to_builtins(entry(**keys)), refusals.grouped(rejected)
    judge = refusals.Judge(source, told, refused, counts, accepted)
    return [*map(str, judge.mistakes())]


REPEATED = "o/m_eval/math/test_cot_-1_seed0_t0.6_s0_e-1.jsonl"
WORDS = ["CORRECT", "INCORRECT", "INCORRECT", "off by one"]
SOURCES: dict[str, tuple[dict[str, Any], list[dict[str, Any]], list[str]]] = {
    # what config.yaml says, records, what stops the run: parts of its line
    "percent": (
        {}, [record(b=b, id=i, score=100 * (i % 3 > 0)) for b in (1, 2, 3) for i in range(20)],
        ["s: 39 of 60 scores lie above 1, the largest is 100 (first: a.jsonl:2); percent? write range: {score: [0, 100]}; to go on without them, write refused: 0.65"],
    ),
    "another scale": (
        {"range": {"score": [1, 10]}}, [record(id=i, score=s) for i, s in enumerate([2, 11, 12, 12] * 5)],
        ["s: 15 of 20 scores lie above 10, the largest is 12 (first: a.jsonl:2); another scale? write range: {score: [1, 12]}"],
    ),
    "a mark of failure": (
        {"range": {"score": [1, 10]}}, [record(id=i, score=s) for i, s in enumerate([-1, -1, -1, 4] * 5)],
        ["s: 15 of 20 scores lie below 1, the least is -1 (first: a.jsonl:1); to go on"],
    ),
    "two above": ({}, [record(id=i, score=100 if i < 2 else i % 2) for i in range(200)], []),
    "three above": ({}, [record(id=i, score=100 if i < 3 else i % 2) for i in range(200)], ["3 of 200 scores"]),
    "the range cuts the best": (
        {"range": {"score": [0, 9]}}, [record(id=i, score=i % 10 if i else 10) for i in range(40)],
        ["1 of 40 scores lies above 9", "range: {score: [0, 10]}; to go on without them, write refused: 0.03"],
    ),
    "the range cuts the worst": (
        {"range": {"score": [0, 9]}}, [record(id=i, score=i % 10 if i > 1 else -4) for i in range(40)],
        ["2 of 40 scores lie below 0, the least is -4 (first: a.jsonl:1); to go on without them, write refused: 0.05"],
    ),
    "texts": (
        {}, [record(id=i, score=WORDS[i % 4]) for i in range(40)],
        ["fields.score: 40 of 40 records are refused", 'write verdicts: {"INCORRECT": 0, "CORRECT": 1, "off by one": …}, each from 0 to 1'],
    ),
    "a verdict is forgotten": (  # all that is left is right
        {"verdicts": {"CORRECT": 1.0}}, [record(id=i, score="bad" if i == 3 else "CORRECT") for i in range(40)],
        ["1 of 40 records is refused", 'write verdicts: {"CORRECT": 1, "bad": …}'],
    ),
    "a verdict is forgotten, others are not": (
        {"verdicts": {"CORRECT": 1.0, "x": 0.0}},
        [record(id=i, score=["bad", "x", *["CORRECT"] * 38][i]) for i in range(40)], [],
    ),
    "no such field": (
        {"fields": PLACES | {"score": "scor"}}, [record(id=i, score=1) for i in range(9)],
        ["fields.score: 9 of 9 records are refused", "(did you mean 'score'?)"],
    ),
    "an integer that is none": (
        {}, [record(id=i, score=i % 2) | {"b": i / 2} for i in range(9)],
        ["params.b: ", " of 9 records are refused", "write params: {b: float}"],
    ),
    "a model": (  # three records of a hundred, but all of a model
        {}, [record(model=f"m{m}", id=i, score=i % 2, epoch="x" if m == 7 else 0) for m in range(30) for i in range(9)],
        ["9 of 9 records with model m7 are refused: Expected `int`", "refused: 0.04"],
    ),
    "many reasons": (
        {},
        [record(id=n, score=n % 2) for n in range(10)]
        + [record(id=20 + n, score=1) | wrong for n, wrong in enumerate(2 * [
            {"score": "x"}, {"score": -1}, {"b": 0.5}, {"id": None}, {"model": "a\nb"}, {"epoch": "e"},
        ])],
        ["12 of 22 records are refused: 2 × ", "(first: a.jsonl:11); 2 × ", "; 3 more reasons; to go on without them, write refused: 0.1"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOURCES)
def test_what_stops_a_run(name: str) -> None:
    """Key, count, reason, first place, what to write, and the share to go on with."""
    given, rows, parts = SOURCES[name]
    logs = {"a.jsonl": lines(rows)}
    found = problems(SOURCE | given, logs)
    assert len(found) == bool(parts)
    assert all(part in found[0] for part in parts)
    if parts and (
        share := re.search(r"; to go on without them, write refused: ([\d.]+)$", found[0])
    ):
        assert problems(SOURCE | given, logs, accepted=float(share[1])) == []


def test_all_shards_are_judged_together() -> None:
    """A tenth of the source, though half of one shard; and a half, though each shard has a little."""
    good = [lines([record(model=f"g{n}", id=i, score=i % 2) for i in range(90)]) for n in range(2)]
    mixed = lines(
        [record(model="m", id=i, score=i % 2, epoch="x" if i < 10 else 0) for i in range(21)]
    )
    logs = {"a.jsonl": good[0], "b.jsonl": good[1], "c.jsonl": mixed}
    assert problems(SOURCE, logs, shards=2) == []
    bad = lines(
        [record(model="m", id=i, score=i % 2, epoch=0 if i % 5 else "x") for i in range(100)]
    )
    logs = {"a.jsonl": bad, "b.jsonl": bad.replace(b'"m"', b'"n"')}
    (line,) = problems(SOURCE, logs, shards=2)
    assert line.startswith("config.yaml: sources.s.fields.epoch: 40 of 200 records are")


def test_logs_that_are_refused_as_a_whole() -> None:
    """One in many may be astray or damaged; several are a pattern that is wrong."""
    rows = lines([record(id=i, score=i % 2) for i in range(40)])
    logs = {f"run-{m}.jsonl": rows.replace(b'"m"', f'"{m}"'.encode()) for m in "abcdefghijkl"}
    given = SOURCE | {"path": r"run-(?P<run>\w)"}
    assert problems(given, logs | {"other.jsonl": rows}) == []
    (line,) = problems(given, {"run-a.jsonl": logs["run-a.jsonl"], "other.jsonl": rows})
    assert line.startswith("config.yaml: sources.s.path: 40 of 80 records are refused")
    assert problems(SOURCE, logs | {"z.jsonl.gz": gzip.compress(rows)[:60]}) == []
    assert problems(SOURCE, {name: data + b'{"model": "' for name, data in logs.items()}) == []
    (line,) = problems(SOURCE, dict.fromkeys(logs, b""))
    assert "12 of 12 records are refused: the log is empty" in line


def test_records_that_contradict_each_other_stop_the_run() -> None:
    """What a harness wrote twice is told; with two scores of a sample, none is known to be right."""
    once = [{"idx": i, "score": [i % 2 == 0]} for i in range(20)]
    other = [row | {"score": [i % 2 == 1]} for i, row in enumerate(once)]
    source = {"format": "qwen_math", "logs": "**/*.jsonl"}
    assert problems(source, {REPEATED: lines(once + once)}) == []
    (line,) = problems(source, {REPEATED: lines(once + other)})
    assert "40 of 40 records are refused: contradicts a record" in line
    assert problems(source, {REPEATED: lines(once + other[:1])}) == []


def many(
    count: int, reason: str = "odd", log: str = "a", line: int = 1, kind: str = "", **keys: Any
) -> refusals.Refused:
    scores = {"scores": Counter(keys.pop("scores"))} if "scores" in keys else {}
    kind = kind or KIND_OF.get(reason, reason)
    return refusals.Refused(log, kind, reason, line, count, **scores, **keys)


NO_PLACE = "repeats a record: the same sample"
KIND_OF = {
    "unreadable archive": "damage", "score is missing": "unscored", "the sample has no score": "absent",
    NO_PLACE: "same", f"{NO_PLACE}; but its score differs": "repeat",
}  # fmt: skip
COUNTED = pl.DataFrame([{"model": "m", "sample_id": "q", "scorer": "", "epochs": 1}])


def judged(
    logs: int, records: int, kept: dict[str, int], refused: list[refusals.Refused],
    accepted: float | None = None,
) -> list[str]:  # fmt: skip
    """What stops the run, of a source by what is told of its logs alone: so many, of all records.

    `kept`: log → its samples.
    """
    COUNTED.write_parquet("counts")
    names = [*kept, *(f"log {n}" for n in range(logs - len(kept)))]
    sizes = [records - logs + 1, *[1] * (logs - 1)]
    told = [
        normalize.Summary(log, "", 0, size, kept.get(log, 0), 0)
        for log, size in zip(names, sizes, strict=True)
    ]
    judge = refusals.Judge({"name": "s"}, told, refused, [Path("counts")], accepted)
    return [*map(str, judge.mistakes())]


@pytest.mark.parametrize(("refused", "records", "kept", "said"), CASES["limits"])
def test_how_much_is_too_much(refused, records, kept, said):
    """Of ten logs and so many records, in the source as a whole and in each log."""
    found = judged(min(10, records), records, kept, [many(**one) for one in refused])
    way_on = said.replace("…", "to go on without them, write refused")
    assert found == ([f"config.yaml: sources.s: {way_on}"] if said else [])


@pytest.mark.parametrize(("count", "stops"), [(28, 0), (29, 0), (30, 1)])
def test_a_share_is_accepted_to_the_last_record(count: int, stops: int) -> None:
    """Of 100 records 0.29 are 29, though their product as floats is a hair less."""
    found = judged(1, 100, {"a": 100 - count}, [many(count)], accepted=0.29)
    assert len(found) == stops


@pytest.mark.parametrize(("one", "source", "line"), CASES["cures"])
def test_what_to_write(one, source, line):
    """The key with its value, as config.yaml takes it; nothing where none would mend it."""
    assert refusals.key_and_cure([many(**one)], source)[1] == line


@pytest.mark.workflow
def test_the_run_stops_before_figures_are_drawn(tmp_path: Path) -> None:
    """Status 1, one line without a traceback; to accept the rest, no log is read again."""
    source = SOURCE | {"logs": "data/own/*.jsonl"}
    axes = {"x": "b", "y": "model", "color": "pass@1"}
    figure = {"kind": "heatmap", "source": "s", "encoding": axes, "formats": ["svg"]}
    project = Project(tmp_path, {"sources": {"s": source}, "figures": {"f": figure}})
    (tmp_path / "data/own").mkdir()
    (tmp_path / "data/own/a.jsonl").write_bytes(lines(SOURCES["percent"][1]))
    status, said = project.run()
    assert status == 1
    wrong = r"^config\.yaml:\d+:\d+: sources\.s: 39 of 60 scores lie above 1, the largest is 100"
    assert re.search(wrong, said, re.MULTILINE)
    assert "Traceback" not in said
    assert not list((tmp_path / "results").glob("figures/*"))
    accepted = {"sources": {"s": source | {"refused": 0.65}}, "figures": {"f": figure}}
    project.configure(accepted)
    assert "normalize_s_0" not in project.redone()
