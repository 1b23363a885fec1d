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
from support.project import Project
from support.reading import entry, lines

__all__ = ["folder"]

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
        ["s: 39 of 60 scores lie above 1, the largest is 100 (first: a.jsonl:2); percent? range: {score: [0, 100]}; to go on without them, refused: 0.65"],
    ),
    "another scale": (
        {"range": {"score": [1, 10]}}, [record(id=i, score=s) for i, s in enumerate([2, 11, 12, 12] * 5)],
        ["s: 15 of 20 scores lie above 10, the largest is 12 (first: a.jsonl:2); another scale? range: {score: [1, 12]}"],
    ),
    "a mark of failure": (
        {"range": {"score": [1, 10]}}, [record(id=i, score=s) for i, s in enumerate([-1, -1, -1, 4] * 5)],
        ["s: 15 of 20 scores lie below 1, the least is -1 (first: a.jsonl:1); to go on"],
    ),
    "two above": ({}, [record(id=i, score=100 if i < 2 else i % 2) for i in range(200)], []),
    "three above": ({}, [record(id=i, score=100 if i < 3 else i % 2) for i in range(200)], ["3 of 200 scores"]),
    "the range cuts the best": (
        {"range": {"score": [0, 9]}}, [record(id=i, score=i % 10 if i else 10) for i in range(40)],
        ["1 of 40 scores lies above 9", "range: {score: [0, 10]}; to go on without them, refused: 0.03"],
    ),
    "the range cuts the worst": (
        {"range": {"score": [0, 9]}}, [record(id=i, score=i % 10 if i > 1 else -4) for i in range(40)],
        ["2 of 40 scores lie below 0, the least is -4 (first: a.jsonl:1); to go on without them, refused: 0.05"],
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
        ["12 of 22 records are refused: 2 × ", "(first: a.jsonl:11); 2 × ", "; 3 more reasons; to go on without them, refused: 0.1"],
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
    if parts and (share := re.search(r"; to go on without them, refused: ([\d.]+)$", found[0])):
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


@pytest.mark.parametrize("bad", [
    b'{"model": "m", "ta', b"\xff\n", b'{"id": NaN}\n', b'{"id": 1}\n{"id": 2}\n', b"[]\n",
])  # fmt: skip
def test_a_few_damaged_records_stop_nothing(bad: bytes) -> None:
    rows = lines([record(id=i, score=i % 2) for i in range(6)])
    assert problems(SOURCE, {"a.jsonl": rows + bad}) == []


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
    assert "20 of 40 records are refused: repeats a record" in line
    assert problems(source, {REPEATED: lines(once + other[:2])}) == []


def many(
    count: int, reason: str = "odd", log: str = "a", line: int = 1, kind: str = "", **keys: Any
) -> refusals.Refused:
    return refusals.Refused(log, kind or KIND_OF.get(reason, reason), reason, line, count, **keys)


NO_PLACE = "repeats a record: the same sample"
KIND_OF = {
    "unreadable archive": "damage", "score is missing": "unscored", "the sample has no score": "absent",
    NO_PLACE: "same", f"{NO_PLACE}; and its score is another": "repeat",
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


LIMITS: list[tuple[list[refusals.Refused], int, dict[str, int], str]] = [
    # Of the source: more than a tenth for one kind of reason, but for two; or more than half.
    ([many(3)], 30, {"a": 27}, ""),
    ([many(4)], 30, {"a": 26}, "4 of 30 records are refused: odd (first: a:1); …: 0.14"),
    ([many(2)], 10, {"a": 8}, ""),
    ([many(3)], 10, {"a": 7}, "3 of 10 records are refused: odd (first: a:1); …: 0.3"),
    ([many(1)], 2, {"a": 1}, ""),
    ([many(2)], 3, {"a": 1}, "2 of 3 records are refused: odd (first: a:1); …: 0.67"),
    ([many(1)], 1, {"a": 0}, "1 of 1 record is refused: odd (first: a:1)"),
    ([many(2), many(2, log="b", line=7)], 30, {"a": 13, "b": 13}, "4 of 30 records are refused: odd (first: a:1); …: 0.14"),
    # Of what befalls a log once: more than half.
    ([many(50, "unreadable archive")], 100, {"a": 50}, ""),
    ([many(51, "unreadable archive")], 100, {"a": 49}, "51 of 100 records are refused: unreadable archive (first: a:1); …: 0.51"),
    # Of logs as a whole: more than a tenth; a remark on a log that is there is none of them.
    ([many(1, whole=True)], 1000, {}, ""),
    ([many(1, whole=True), many(1, log="b", whole=True)], 1000, {}, "2 of 1,000 records are refused: odd (first: a:1); …: 0.01"),
    ([many(1, whole=True), many(1, log="b", whole=True)], 1000, {"b": 1}, ""),
    # Of a log: more than half, but for two; what is said to lack may.
    ([many(3)], 100, {"a": 3}, ""),
    ([many(4)], 100, {"a": 3}, "4 of 7 records of a are refused: odd (first: a:1); …: 0.04"),
    ([many(2)], 100, {}, ""),
    ([many(3)], 100, {}, "3 of 3 records of a are refused: odd (first: a:1); …: 0.03"),
    ([many(3), many(4, log="b", line=5), many(3, "even", "b")], 100, {"a": 2}, "4 of 7 records of b are refused: odd (first: b:5); …: 0.07"),
    ([many(10, "score is missing")], 100, {}, ""),
    ([many(11, "score is missing")], 100, {}, "11 of 100 records are refused: score is missing (first: a:1); …: 0.11"),
    # Of a setting, wherever its records lie; of all, with the one of which most is gone.
    ([many(2, settings={"model": "x", "task": ""}), many(2, log="b", settings={"model": "x", "task": ""})], 100, {}, "4 of 4 records with model x are refused: odd (first: a:1); …: 0.04"),
    ([many(9, settings={"model": "a"}), many(3, line=5, settings={"model": "b"})], 40, {"a": 28}, "12 of 40 records are refused: odd (first: a:1); …: 0.3"),
    ([many(9, "'pass' is no number", kind="verdict", scores=Counter({"pass": 9}))], 20, {"a": 11}, "9 of 20 records are refused: 'pass' is no number (first: a:1); 'pass' 9 ×: write verdicts: {\"pass\": 1}; …: 0.45"),
    # What a log says itself, and what a harness wrote twice.
    ([many(60, "the sample has no score")], 100, {"a": 40}, ""),
    ([many(60, NO_PLACE)], 100, {"a": 40}, ""),
    ([many(60, f"{NO_PLACE}; and its score is another")], 100, {"a": 40}, f"60 of 100 records are refused: {NO_PLACE}; and its score is another (first: a:1); …: 0.6"),
    # All reasons together: more than half.
    ([many(2, "one", line=4), many(3, "two", line=9)], 10, {"a": 5}, "3 of 10 records are refused: two (first: a:9); …: 0.3"),
    ([many(2, "two", line=4), many(2, "one")], 8, {"a": 4}, ""),
    ([many(2, "two", line=4), many(2, "one")], 7, {"a": 3}, "4 of 7 records are refused: 2 × one (first: a:1); 2 × two (first: a:4); …: 0.29"),
    ([many(4, "unreadable archive", line=9), many(2)], 9, {"a": 3}, "6 of 9 records are refused: 4 × unreadable archive (first: a:9); 2 × odd (first: a:1); …: 0.45"),
    ([many(2, "six", line=9), many(2, "one"), many(2, "two", line=4)], 11, {"a": 5}, "6 of 11 records are refused: 2 × one (first: a:1); 2 × two (first: a:4); 2 × six (first: a:9); …: 0.19"),
]  # fmt: skip


@pytest.mark.parametrize(("refused", "records", "kept", "said"), LIMITS)
def test_how_much_is_too_much(refused, records, kept, said):
    """Of ten logs and so many records, in the source as a whole and in each log."""
    found = judged(min(10, records), records, kept, refused)
    way_on = said.replace("…", "to go on without them, refused")
    assert found == ([f"config.yaml: sources.s: {way_on}"] if said else [])


@pytest.mark.parametrize(("count", "stops"), [(28, 0), (29, 0), (30, 1)])
def test_a_share_is_accepted_to_the_last_record(count: int, stops: int) -> None:
    """Of 100 records 0.29 are 29, though their product as floats is a hair less."""
    found = judged(1, 100, {"a": 100 - count}, [many(count)], accepted=0.29)
    assert len(found) == stops


def above(highest: float, **keys: Any) -> refusals.Refused:
    return many(1, kind="above", scores=Counter([highest]), **keys)


def below(lowest: float) -> refusals.Refused:
    return many(1, kind="below", scores=Counter([lowest]))


def texts(**counts: int) -> refusals.Refused:
    return many(3, kind="verdict", scores=Counter(counts))


@pytest.mark.parametrize(("one", "source", "line"), [
    (above(9.5), {"range": {}}, "another scale? range: {score: [0, 9.5]}"),
    (above(10), {"range": {}}, "percent? range: {score: [0, 100]}; of 10? range: {score: [0, 10]}"),
    (below(-1), {"range": {}}, "another scale? range: {score: [-1, 1]}"),
    (below(-5), {"range": []}, "another scale? range: [-5, 5]"),
    (below(-1), {"range": {"score": [0, 10]}}, ""),
    (above(100), {"range": []}, "percent? range: [0, 100]"),
    (above(100.5), {"range": {}}, "another scale? range: {score: [0, 100.5]}"),
    (above(59 / 49), {"range": [1, 50]}, "another scale? range: [1, 60]"),
    (above(5 / 4), {"range": {"score": [-5, -1]}}, "another scale? range: {score: [-5, 0]}"),
    (above(60), {}, ""),
    (texts(**{"né?": 2, "on": 1}), {}, "'né?' 2 ×, 'on' 1 ×: write verdicts: {\"né?\": …, \"on\": …}, each from 0 to 1"),
    (texts(), {"verdicts": {}}, ""),
])  # fmt: skip
def test_what_to_write(one: refusals.Refused, source: dict[str, Any], line: str) -> None:
    """The key with its value, as config.yaml takes it; nothing where none would mend it."""
    assert refusals.key_and_cure([one], source)[1] == line


@pytest.mark.workflow
def test_the_run_stops_before_figures_are_drawn(tmp_path: Path) -> None:
    """Status 1, one line without a traceback; to accept it reads no log again."""
    source = SOURCE | {"logs": "data/own/*.jsonl"}
    axes = {"x": "b", "y": "model", "color": "pass@1"}
    figure = {"kind": "heatmap", "source": "s", "encoding": axes, "formats": ["svg"]}
    project = Project(tmp_path, {"sources": {"s": source}, "figures": {"f": figure}})
    (tmp_path / "data/own").mkdir()
    (tmp_path / "data/own/a.jsonl").write_bytes(lines(SOURCES["percent"][1]))
    status, said = project.run("--cores", "1")
    assert status == 1
    wrong = r"^config\.yaml:\d+:\d+: sources\.s: 39 of 60 scores lie above 1, the largest is 100"
    assert re.search(wrong, said, re.MULTILINE)
    assert "Traceback" not in said
    assert not list((tmp_path / "results").glob("figures/*"))
    accepted = {"sources": {"s": source | {"refused": 0.65}}, "figures": {"f": figure}}
    project.configure(accepted)
    assert "normalize_s_0" not in project.redone()
    status, said = project.run("--cores", "1")
    assert status == 0, said
    assert "39 × score 100 is not between 0 and 1" in said
    assert project.redone() == set()
