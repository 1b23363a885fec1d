"""What heads of logs tell before any job: all mistakes at once, and nothing that jobs would take."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from heatproof.logs.logs import nearest
from heatproof.plan import heads, mistakes
from heatproof.readers import jsonl_format
from heatproof.samples import counting, normalize, systematic
from heatproof.samples import heads as reading
from heatproof.util.errors import Error
from reading import entry, lines

SOURCE: dict[str, Any] = {
    "format": "jsonl",
    "logs": "logs/**/*.*",
    "path": r"/(?P<model>[^_/]+)_t(?P<t>[\d.]+)_s(?P<seed>\d+)",
    "params": {"t": "float", "seed": "int"},
    "set": {"task": "sums"},
    "fields": {"sample_id": "id", "score": "ok"},
}
FIGURE: dict[str, Any] = {
    "kind": "heatmap", "source": "s", "pool": ["seed"],
    "encoding": {"x": "t", "y": "model", "color": "pass@1"},
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs lie in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def sweep(number: int = 9, **keys: Any) -> dict[str, bytes]:
    """Logs of two models, temperatures and seeds; `keys`: what all their records have."""
    rows = [{"id": f"q{i}", "ok": i % 3 > 0, "n": i, **keys} for i in range(number)]
    return {
        f"logs/{model}_t{t}_s{seed}.jsonl": lines(rows)
        for model in "ab" for t in (0.0, 0.3) for seed in (0, 1)
    }  # fmt: skip


def told(logs: dict[str, bytes], figures: dict[str, Any] | None = None, **source: Any) -> list[str]:
    """The mistakes of a config with one source, whose logs are written first."""
    for name, data in logs.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
    given = {key: value for key, value in (SOURCE | source).items() if value is not None}
    config = {"sources": {"s": given}, "figures": figures or {"f": FIGURE}}
    try:
        mistakes.planned(config, Path())
    except Error as error:
        return str(error).splitlines()
    return []


def test_a_config_that_fits_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again before the logs looked at, the source, or what figures ask of it change."""
    assert told(sweep()) == []
    looked: list[str] = []
    look = reading.look
    monkeypatch.setattr(reading, "look", lambda *a: looked.append(a[0].name) or look(*a))
    assert told(sweep()) == []
    assert told(sweep(), {"f": FIGURE | {"title": "T"}}) == []
    assert looked == []
    assert told(sweep(), {"f": FIGURE | {"where": {"model": "a"}}}) == []
    assert told(sweep(), {"f": FIGURE | {"where": {"model": "a"}}}, strict=True) == []
    assert told(sweep(more=1), {"f": FIGURE | {"where": {"model": "a"}}}, strict=True) == []
    assert looked == ["s"] * 3


def test_what_is_wrong_is_looked_at_again() -> None:
    """Until it is mended."""
    for _ in range(2):
        assert len(told(sweep(), fields={"sample_id": "id", "score": "okay"})) == 1
    assert told(sweep()) == []


def test_all_mistakes_are_told_at_once() -> None:
    """Those of the config, of missing logs, of heads of logs, and of values that no path has."""
    for name, data in sweep().items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
    sources = {
        "s": SOURCE,
        "typo": SOURCE | {"fields": {"sample_id": "id", "score": "okay"}},
        "gone": SOURCE | {"logs": "lgos/*"},
        "key": SOURCE | {"feilds": {}},
    }
    figures = {
        "kind": FIGURE | {"kind": "heatmp", "source": "typo"},
        "mixed": FIGURE | {"pool": []},
        "where": FIGURE | {"where": {"model": "c"}},
        "gone": FIGURE | {"source": "gone"},
        "key": FIGURE | {"source": "key"},
        "right": FIGURE,
    }
    with pytest.raises(Error) as caught:
        mistakes.planned({"sources": sources, "figures": figures}, Path())
    found = [line.removeprefix("config.yaml: ") for line in str(caught.value).splitlines()]
    assert [line.partition(": ")[0] for line in found] == [
        "sources.key", "figures.kind.kind", "sources.gone.logs", "figures.mixed",
        "figures.where.where.model", "sources.typo.fields.score",
    ]  # fmt: skip
    assert "they have id, ok, n (did you mean 'ok'?)" in found[5]


WRONG: dict[str, tuple[dict[str, bytes], dict[str, Any], str]] = {
    "field": (sweep(), {"fields": {"sample_id": "id", "score": "k"}}, "(did you mean 'ok'?)"),
    "percent": (sweep(ok=100), {}, "percent? range: {score: [0, 100]}"),
    "texts": (sweep(ok="yes"), {}, "'yes' 72 ×: write verdicts: {\"yes\": 1}"),
    "type": (sweep(), {"params": {"t": "int", "seed": "int"}}, "write params: {t: float}"),
    "path": (sweep(), {"path": "/(?P<model>.)-(?P<t>.)_s(?P<seed>.)"}, "then '-(?P<t>.)_s(?P<seed>.)' is not there"),
    "epochs": (sweep(run="r"), {"fields": {"sample_id": "id", "score": "ok", "epoch": "run"}}, "`epoch: $row`"),
    "document": ({"logs/a_t0_s0.jsonl": json.dumps({"id": 1, "ok": 1}, indent=1).encode()}, {}, "format: json"),
    "array": ({"logs/a_t0_s0.json": json.dumps([{"id": 1, "ok": 1}]).encode()}, {"format": "json"}, "each: $"),
    "each": ({"logs/a_t0_s0.json": json.dumps({"c": 1, "all": [{"id": 1, "ok": 1}]}).encode()}, {"format": "json"}, "each: all"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_told_before_any_job(case: str) -> None:
    """With the words of the jobs, of small sources and of large ones."""
    logs, source, words = WRONG[case]
    (line,) = told(logs, **source)
    assert words in line


@pytest.mark.parametrize("case", WRONG)
def test_of_large_sources_too(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of which only some logs are looked at; what share is refused is not known then."""
    monkeypatch.setattr(reading, "MANY", 0)
    logs, source, words = WRONG[case]
    (line,) = told(logs, **source)
    assert words.replace("72", "36") in line
    assert "to go on without them" not in line
    assert "told by the heads of " in line
    assert "refused: 0.9 has all be read" in line
    assert told(logs, **source | {"refused": 0.9}) == []


@pytest.mark.parametrize("packed", [False, True])
def test_of_long_logs_the_head_is_enough(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of it is cut, and no record is refused for that."""
    number, head = (3000, 1 << 16) if packed else (200, 900)
    monkeypatch.setattr(reading, "DOCUMENT", 0)
    monkeypatch.setattr(reading, "HEAD", head)
    monkeypatch.setattr(reading, "CLOSER", head)
    noise = random.Random(0)
    rows = [{"id": f"q{i}", "ok": i % 3 > 0, "n": noise.randbytes(99).hex()} for i in range(number)]
    data = lines(rows)
    name = "logs/a_t0_s0.jsonl"
    logs = {f"{name}.gz": gzip.compress(data, mtime=0)} if packed else {name: data}
    assert told(logs) == []
    (line,) = told(logs, fields={"sample_id": "id", "score": "okay"})
    assert "records have no 'okay'" in line
    assert f" of {number:,} records" not in line


@pytest.mark.parametrize("bad", [{"score": "x"}, {"ok": "text"}, {"id": None}])
def test_a_bad_beginning_is_left_to_the_jobs(
    bad: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a record is good, the share of bad ones is for those to judge who read them all."""
    monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(reading, "DOCUMENT", 0)
    monkeypatch.setattr(reading, "HEAD", 60)
    monkeypatch.setattr(reading, "CLOSER", 2000)
    good = [{"id": f"q{i}", "ok": i % 2} for i in range(100)]
    rows = [{"id": "a", "ok": 1} | bad for _ in range(3)] + good
    assert told({"logs/a_t0_s0.jsonl": lines(rows)}) == []


def test_what_is_accepted_is_not_told() -> None:
    """`refused: 0.9` on the source: so the jobs take it, and so do heads."""
    logs = sweep(ok=100) | {"logs/c_t0_s0.jsonl": lines([{"id": i, "ok": 0} for i in range(9)])}
    assert len(told(logs)) == 1
    assert told(logs, refused=0.9) == []


def test_a_small_source_is_judged_as_jobs_would() -> None:
    """A few bad records are no accident of the config, however they come first."""
    logs = sweep()
    logs["logs/a_t0.0_s0.jsonl"] = lines([{"id": i} for i in range(2)])
    assert told(logs) == []
    logs["logs/a_t0.0_s0.jsonl"] = lines([{"id": i} for i in range(9)])
    assert "9 of 72 records have no 'ok'" in told(logs)[0]


@pytest.mark.parametrize("kind", [
    FIGURE | {"pool": []},
    {"kind": "line", "source": "s", "encoding": {"x": "t", "y": "pass@1", "color": "model"}},
])  # fmt: skip
def test_mixtures_are_told(kind: dict[str, Any]) -> None:
    """As soon as two logs show them, whatever the kind of figure."""
    (line,) = told(sweep(), {"f": kind})
    assert line.startswith("config.yaml: figures.f: would mix 2 values of 'seed' in one cell (0, 1")
    assert "name 'seed' under panel" in line


def test_mixtures_are_told_in_whatever_order_names_have_settings() -> None:
    """The first logs of a folder are of one seed: the paths tell which one is of another."""
    logs = {name.replace("logs/", "logs/9_"): data for name, data in sweep().items()}
    path = r"(?P<seed>\d+)_(?P<model>[ab])_t(?P<t>[\d.]+)_s"
    logs |= {name.replace("logs/9_", "logs/8_"): data for name, data in logs.items()}
    logs = {name: data for name, data in logs.items() if "_s0" in name}
    (line,) = told(logs, {"f": FIGURE | {"pool": []}}, path=path)
    assert "would mix 2 values of 'seed' in one cell (8, 9 at" in line


def test_what_others_may_have_is_no_mistake_yet() -> None:
    """A value that the heads lack, and the number of attempts."""
    figure = FIGURE | {"encoding": FIGURE["encoding"] | {"color": "pass@7"}}
    more = {f"logs/z_t0_s{n}.jsonl": lines([{"id": 0, "ok": 1}]) for n in range(9)}
    assert told(sweep() | more, {"f": figure | {"where": {"seed": [*range(9)]}}}) == []


def test_a_choice_is_told_before_any_job() -> None:
    """Metric, filter or scorer: by the reader, with those that there are."""
    stats = [{"name": {"name": n, "split": "test"}, "count": 1, "sum": 1.0} for n in ("em", "f1")]
    run = {"instance_id": "id1", "train_trial_index": 0, "stats": stats}
    spec = {"name": "sums:model=m", "scenario_spec": {"class_name": "a.Sums", "args": {}},
            "adapter_spec": {"model": "m", "temperature": 0.3}}  # fmt: skip
    logs = {
        "logs/r/per_instance_stats.json": json.dumps([run]).encode(),
        "logs/r/run_spec.json": json.dumps(spec).encode(),
    }
    helm = dict.fromkeys(("path", "set", "fields", "params"))
    figure = FIGURE | {"pool": [], "encoding": {"x": "model", "y": "task", "color": "mean(score)"}}
    (line,) = told(logs, {"f": figure}, format="helm", **helm)
    assert line.startswith("config.yaml: sources.s.metric: ")
    assert line.endswith("there are em, f1")
    assert told(logs, {"f": figure}, format="helm", metric="em", **helm) == []
    helm["params"] = {"temp": "float"}
    figure["encoding"]["x"] = "temp"
    (line,) = told(logs, {"f": figure}, format="helm", metric="em", **helm)
    assert line.startswith("config.yaml: sources.s.params.temp: no log looked at tells 'temp'; ")
    assert line.endswith("(did you mean 'temperature'?)")
    helm["params"] = {"temp": {"type": "float", "field": "temperature"}}
    assert told(logs, {"f": figure}, format="helm", metric="em", **helm) == []


def test_a_look_leaves_nothing_behind(tmp_path: Path) -> None:
    """But the note in the workflow's private folder."""
    told(sweep())
    assert sorted(path.name for path in tmp_path.iterdir()) == [".snakemake", "logs"]
    (tmp_path / heads.FINE).write_text("{")
    assert told(sweep()) == []


def test_a_pattern_much_like_it_is_named(tmp_path: Path) -> None:
    """Another folder, another ending; with how many files it has."""
    for name in ("own/a.json", "own/b.json", "own/c.txt", "x/y/a.json"):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).touch()
    for pattern, meant in {
        "data/onw/*.json": "'data/own/*.json', which has 2 files",
        "data/own/*.jsonl": "'data/own/*.json', which has 2 files",
        "Data/Own/*.txt": "'data/own/*.txt', which has 1 file",
        "data/x/*/*.csv": "'data/x/*/*.json', which has 1 file",
        "data/own": "'data/own/*.json', which has 2 files",
        "data/nothing/*.json": "",
        "*.csv": "",
    }.items():
        said = nearest(pattern, tmp_path)
        assert said.partition(" (did you mean ")[2] == (f"{meant}?)" if meant else "")


BAD: list[dict[str, Any]] = [
    {}, {}, {}, {"ok": 100}, {"ok": "yes"}, {"ok": None}, {"id": None}, {"id": "q0"}, {"ok": 0.5},
]  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_of_small_sources_the_word_is_that_of_the_jobs(seed: int) -> None:
    """What heads refuse, jobs would, in the same words, of records that are bad by chance."""
    chance = random.Random(seed)
    share, logs = chance.choice([0.02, 0.2, 0.9, 1.0]), {}
    kinds = chance.sample(BAD, 2)
    for n in range(chance.randint(1, 6)):
        rows = [
            {"id": f"q{i}", "ok": i % 2} | (chance.choice(kinds) if chance.random() < share else {})
            for i in range(chance.randint(1, 30))
        ]
        logs[f"logs/{'ab'[n % 2]}_t{n}_s0.jsonl"] = lines(rows)
    mean = {"f": FIGURE | {"encoding": FIGURE["encoding"] | {"color": "mean(score)"}}}
    before = [line for line in told(logs, mean) if ": sources." in line]
    source = {key: value for key, value in SOURCE.items() if key != "format"} | {"format": "jsonl"}
    there = full(source, logs)
    assert before in ([], there)
    assert before or not there or len(logs) > 2


def full(source: dict[str, Any], logs: dict[str, bytes]) -> list[str]:
    """What the jobs tell of a source whose logs lie there, with all of them read."""
    given = entry(**source | {"name": "s"})
    read = jsonl_format.read
    samples, counts = Path("samples.parquet"), Path("counts.parquet")
    outcome = normalize.write(sorted(logs), Path(), given, read, samples, Path("bad.parquet"))
    counting.write_counts(samples, counts, counting.index_logs(samples, outcome))
    return systematic.problems(msgspec.to_builtins(given), [counts], None)
