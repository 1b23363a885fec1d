"""A newcomer's mistakes: each is told with its place, and mended by what the message says."""

from __future__ import annotations

import json
import random
import re
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
import yaml

from heatproof import formats, kinds
from heatproof.util import errors, registry
from support import telling

if TYPE_CHECKING:
    from collections.abc import Iterator

RIGHT = r"""
sources:
  own:
    format: jsonl
    logs: data/own/*.jsonl
    path: own/(?P<model>[^_]+)_t(?P<temperature>[\d.]+)_s(?P<seed>\d+)
    params: {temperature: float, seed: int}
    set: {task: sums}
    fields: {sample_id: id, score: correct}
    measures: {tokens: usage.tokens}
figures:
  mine:
    kind: heatmap
    source: own
    title: T
    pool: [seed]
    where: {model: [tiny-a, tiny-b]}
    encoding: {x: temperature, y: model, color: pass@1}
"""
DOCUMENT = r"""
sources:
  own:
    format: json
    logs: data/doc/*.json
    each: samples
    path: doc/(?P<model>[^_]+)_t(?P<temperature>\d\.\d)
    params: {temperature: float}
    set: {task: sums}
    fields: {sample_id: id, score: correct}
figures:
  mine: {kind: heatmap, source: own, encoding: {x: temperature, y: model, color: pass@1}}
"""
TABLE = r"""
sources:
  own:
    format: csv
    logs: data/table/*.csv
    delimiter: ";"
    fields: {model: Model, sample_id: ID, score: ok}
    params: {temp: float}
    verdicts: {"yes": 1, "no": 0}
figures:
  mine: {kind: heatmap, source: own, encoding: {x: temp, y: model, color: pass@1}}
"""


class Case(NamedTuple):
    """A mistake: a text of the config and what a newcomer wrote instead."""

    right: str
    wrong: str
    told: str
    """In the message."""
    paste: str = ""
    """What the message has to be written; stands for `wrong`, unless `mended` is given."""
    mended: str = ""
    config: str = RIGHT
    at: str = ""
    """What stands where the message points to; by default the wrong text."""


FIELDS = "fields: {sample_id: id, score: correct}"
CASES = {
    "folder": Case("data/own/*", "data/onw/*", "no file matches", "data/own/*"),
    "ending": Case("own/*.jsonl", "own/*.json", "no file matches", "own/*.jsonl", at="data/own/*.json"),
    "field": Case("score: correct", "score: corect", "there are id, correct,", "correct", "score: correct", at="corect"),
    "field in any case": Case("score: correct", "score: CORRECT", "(did you mean", "correct", "score: correct", at="CORRECT"),
    "nested field": Case("sample_id: id", "sample_id: tokens", "(did you mean", "usage.tokens", "sample_id: usage.tokens", at="tokens"),
    "type": Case("temperature: float", "temperature: int", "'0.0' is not int", "temperature: float", at="int"),
    "untyped group": Case("{temperature: float, seed", "{seed", "'temperature' is not a column", "temperature: float", "{temperature: float, seed", at="own/(?P"),
    "column": Case("x: temperature", "x: temp", "'temp' is not a column", "temperature", "x: temperature", at="temp"),
    "column in any case": Case("y: model", "y: Model", "'Model' is not a column", "model", "y: model", at="Model"),
    "accuracy": Case("color: pass@1", "color: accuracy", "'accuracy' is not a metric", "pass@1", "color: pass@1", at="accuracy"),
    "metric of a column": Case("color: pass@1", "color: tokens", "'tokens' is not a metric", "mean(tokens)", "color: mean(tokens)", at="tokens"),
    "percent": Case("score: correct", "score: percent", "lie above 1, the largest is 100", "range: {score: [0, 100]}", "score: percent}\n    range: {score: [0, 100]", at="own:"),
    "texts": Case("score: correct", "score: verdict", "'RIGHT' 64 ×", 'verdicts: {"RIGHT": 1, "WRONG": 0}', "score: verdict}\n    verdicts: {RIGHT: 1, WRONG: 0", at="verdict"),
    "seeds not pooled": Case("    pool: [seed]\n", "", "would mix 2 values of 'seed'", "'seed' under panel, x, y, mean_over or pool", "    pool: [seed]\n", at="mine:"),
    "key": Case("encoding:", "encodings:", "'encodings' is not a key here", "encoding", "encoding:"),
    "key of a source": Case("params:", "param:", "'param' is not a key here", "params", "params:"),
    "kind": Case("kind: heatmap", "kind: heatmp", "is not a figure kind", "heatmap", "kind: heatmap", at="heatmp"),
    "kind in any case": Case("kind: heatmap", "kind: HeatMap", "is not a figure kind", "heatmap", "kind: heatmap", at="HeatMap"),
    "source": Case("source: own", "source: owm", "'owm' is not a source", "own", "source: own", at="owm"),
    "value": Case("tiny-a,", "tinya,", "no sample has 'tinya'", "tiny-a", "tiny-a,", at="tinya"),
    "format": Case("format: jsonl", "format: hf", "auto looks for itself", "jsonl", "format: jsonl", at="hf"),
    "section": Case("figures:", "figure:", "'figure' is not a section", "figures", "figures:"),
    "path": Case("path: own/", "path: runs/", "the path does not match", "", "path: own/", at="runs/"),
    "path up to": Case("_t(?P<t", "-t(?P<t", "it does up to 'data/own/tiny-', then", "", "_t(?P<t", at="own/"),
    "pattern": Case(r"s(?P<seed>\d+)", r"s(?P<seed>\d+", "missing ), unterminated subpattern", "", r"s(?P<seed>\d+)", at=r"(?P<seed>\d+"),
    "each": Case("    each: samples\n", "", "the document has 'samples', a list of 9 objects", "each: samples", "    each: samples\n", DOCUMENT, at="id"),
    "array": Case("data/doc/*.json\n    each: samples", "data/arr/*.json", "the document is a list of records", "each: $", "data/arr/*.json\n    each: $", DOCUMENT.replace("doc/(", "/("), at="own:"),
    "names of repeats": Case(FIELDS, "fields: {sample_id: id, score: correct, epoch: usage.run}", "got `str`", "epoch: $row", "fields: {sample_id: id, score: correct, epoch: $row}", at="usage.run"),
    "column of a table": Case("score: ok", "score: OK", "the header has no 'OK'", "'ok'", "score: ok", TABLE, at="OK"),
    "delimiter": Case('    delimiter: ";"\n', "", "it is one column", 'delimiter: ";"', '    delimiter: ";"\n', TABLE, at="Model"),
    "truths of YAML": Case('{"yes": 1, "no": 0}', "{yes: 1, no: 0}", "YAML takes no for one of these", '"yes": 1, "no": 0}', '{"yes": 1, "no": 0}', TABLE, at="own:"),
    "key behind a key": Case("set: {task: sums}", "set: task: sums", "a key behind a key", "set: {task: sums}", at="task"),
    "attempts": Case("pass@1", "pass@3", "needs 3 samples of a problem", "pass@2", "pass@2"),
    "number": Case("color: pass@1", "color: mean(time)", "'time' is not a number", "tokens", "color: mean(tokens)", at="mean(time)"),
    "tab": Case("    set:", "\tset:", "a tab; indent with blanks", "", "    set:", at="\t"),
    "escape": Case(r"path: own/(?P<model>[^_]+)_t(?P<temperature>[\d.]+)_s(?P<seed>\d+)", r'path: "own/(?P<model>[^_]+)_t(?P<temperature>[\d.]+)_s(?P<seed>\d+)"', "put the pattern in single quotes", r"'\d'", r"path: 'own/(?P<model>[^_]+)_t(?P<temperature>[\d.]+)_s(?P<seed>\d+)'", at=r"\d"),
    "blank": Case("title: T", "title:T", "a blank is missing behind 'title:'", "title:", "title: T"),
    "depth": Case("    set:", "   set:", "'set' stands 3 deep, its neighbours 4", "", "    set:", at="set:"),
    "twice": Case("    title: T\n", "    title: T\n    title: U\n", "'title' stands twice", "", "    title: T\n", at="title: U"),
}  # fmt: skip
HABITS = {
    "too far left": Case("    encoding:", "  encoding:", "'encoding' is a key of a figure, not its name: indent it below 'mine'", "", "    encoding:", at="encoding:"),
    "no name of a figure": Case("mine:\n    kind: heatmap\n    source: own\n    title: T\n    pool: [seed]\n    where: {model: [tiny-a, tiny-b]}\n    enc", "kind: heatmap\n  source: own\n  pool: [seed]\n  enc", "'kind' is a key of a figure, not its name: write figures: {NAME: {kind: heatmap, …}}", "", "mine:\n    kind: heatmap\n    source: own\n    pool: [seed]\n    enc", at="kind:"),
    "colours of seaborn": Case("title: T", "cmap: viridis", "'cmap' is not a key here", "palette", "palette: viridis"),
    "ends of seaborn": Case("title: T", "vmin: 0", "'vmin' is not a key here", "domain: [lowest, highest], in the unit shown: [0, 100] of percent", "domain: [0, 100]"),
    "numbers of seaborn": Case("title: T", "annot: true", "'annot' is not a key here", "text", "text: true"),
    "format of seaborn": Case("title: T", "fmt: .2f", "'fmt' is not a key here", "format", "format: .2f"),
    "size of matplotlib": Case("title: T", "figsize: 5in", "'figsize' is not a key here", "width", "width: 5in"),
    "mark of Vega-Lite": Case("kind: heatmap", "mark: rect", "'mark' is not a key here", "kind: heatmap"),
    "type of a chart": Case("kind: heatmap", "type: heatmap", "'type' is not a key here", "kind: heatmap"),
    "key in capitals": Case("    format: jsonl", "    Format: jsonl", "'Format' is not a key here", "format: jsonl", "    format: jsonl", at="Format"),
    "channel of Vega-Lite": Case("x: temperature", "x: {field: temperature}", "is not text or a list", "temperature", "x: temperature"),
    "channel of seaborn": Case("color: pass@1", "hue: pass@1", "'hue' is not a key here", "color", "color: pass@1"),
    "data of a chart": Case("source: own", "data: own", "'data' is not a key here", "source", "source: own"),
    "one of a list": Case("kind: heatmap", "kind: [heatmap]", "is not text", "write heatmap", "kind: heatmap"),
    "columns with commas": Case("pool: [seed]", "pool: seed, task", "is not a column", "[seed, task]", "pool: [seed, task]", at="seed, task"),
    "a condition": Case("{model: [tiny-a, tiny-b]}", "model == 'tiny-a'", "is not a mapping", "{model: tiny-a}", at="model =="),
    "a number in quotes": Case("where: {model", "where: {temperature: '0.3', model", "is not a number", "0.3", "where: {temperature: 0.3, model", at="'0.3'"),
    "percent sign": Case("    measures:", "    refused: 30%\n    measures:", "'30%' is not a number", "0.3", "    refused: 0.3\n    measures:", at="30%"),
    "thousands": Case("    measures:", "    expect: 1,000\n    measures:", "'1,000' is not a whole number", "1000", "    expect: 1000\n    measures:", at="1,000"),
    "a range as text": Case("    measures:", "    range: {score: 0-1}\n    measures:", "'0-1' is not a list", "[0, 1]", "    range: {score: [0, 1]}\n    measures:", at="0-1"),
    "a width in inches": Case("title: T", "width: 5", "a length has a unit", "5.5in", "width: 5.5in", at="5"),
    "dashes": Case("params: {temperature: float, seed: int}", "params: [temperature: float, seed: int]", "without the dashes", "{temperature: float, seed: int}", "params: {temperature: float, seed: int}", at="params:"),
    "no blank in braces": Case("{sample_id: id, score", "{sample_id:id, score", "a blank is missing behind 'sample_id:'", "sample_id:", "{sample_id: id, score", at="sample_id:id"),
    "name with a blank": Case("  mine:", "  my figure:", "cannot name files", "my-figure", "  my-figure:", at="my figure"),
    "metric in capitals": Case("color: pass@1", "color: Pass@1", "'Pass@1' is not a metric", "pass@1", "color: pass@1", at="Pass"),
    "the letter k": Case("color: pass@1", "color: pass@k", "k is a number", "pass@1", "color: pass@1", at="pass@k"),
    "average": Case("color: pass@1", "color: avg(tokens)", "is not a metric", "mean(tokens)", "color: mean(tokens)", at="avg"),
    "bracket of a metric": Case("color: pass@1", "color: mean(tokens", "is not a metric", "mean(tokens)", "color: mean(tokens)", at="mean"),
    "backslashes": Case("data/own/*.jsonl", "data\\own\\*.jsonl", "folders are parted by /", "data/own/*.jsonl"),
    "braces of a shell": Case("data/own/*.jsonl", "data/own/{tiny-a,tiny-b}*.jsonl", "braces stand for themselves", "[data/own/tiny-a*.jsonl, data/own/tiny-b*.jsonl]"),
    "several patterns": Case("data/own/*.jsonl", "data/own/tiny-a*.jsonl data/own/tiny-b*.jsonl", "is one pattern; several are a list", "[data/own/tiny-a*.jsonl, data/own/tiny-b*.jsonl]"),
    "groups of Perl": Case("(?P<seed>", "(?<seed>", "a group with a name is", "(?P<", "(?P<seed>", at="?<seed>"),
    "type of whole numbers": Case("seed: int", "seed: bool", "'0' is not true or false", "seed: int", "seed: int", at="bool"),
    "colon behind a name": Case("  mine:", "  mine", "mine is followed by no ':'", "", "  mine:", at="mine"),
    "apostrophe": Case("title: T", "title: 'Tom's'", "the text ends at this quote", "''", "title: 'Tom''s'", at="'s'"),
    "wide colon": Case("title: T", "title\uff1aT", "a wide colon", "': '", "title: T", at="\uff1a"),
    "template": Case("title: T", "title: {{ T }}", "put the text in single quotes", "", "title: '{{ T }}'", at="{ T"),
}  # fmt: skip
"""What people write who come from other tools, shells and languages."""
CASES |= HABITS


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs in three layouts."""
    root = tmp_path_factory.mktemp("newcomer")
    for folder in ("own", "doc", "arr", "table"):
        (root / "data" / folder).mkdir(parents=True)
    for model in ("tiny-a", "tiny-b"):
        for t in (0.0, 0.3):
            rows = [_record(i) for i in range(9)]
            name = f"{model}_t{t}"
            for folder, told in (("doc", {"config": {}, "samples": rows}), ("arr", rows)):
                (root / f"data/{folder}/{name}.json").write_text(json.dumps(told, indent=1))
            for seed in (0, 1):
                text = "".join(json.dumps(_record(i)) + "\n" for i in range(12))
                (root / f"data/own/{name}_s{seed}.jsonl").write_text(text)
    cells = [
        f"m{m};{t};q{i};{'yes' if i % 3 else 'no'}"
        for m in (1, 2) for t in (0.1, 0.5) for i in range(9)
    ]  # fmt: skip
    (root / "data/table/a.csv").write_text("\n".join(["Model;temp;ID;ok", *cells, ""]))
    return root


def _record(i: int) -> dict[str, Any]:
    right = i % 3 > 0
    usage = {"tokens": 10 * i, "run": f"r{i}"}
    return {"id": f"q{i}", "correct": right, "percent": 100 * right, "usage": usage,
            "verdict": "RIGHT" if right else "WRONG"}  # fmt: skip


def told(text: str) -> list[str]:
    """What is wrong with a config, as a run says it, here."""
    return errors.in_order(telling.mistakes_of(text, Path())).splitlines()


@pytest.mark.parametrize("config", [RIGHT, DOCUMENT, TABLE])
def test_without_a_mistake_nothing_is_told(
    config: str, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the mistakes are made in is right."""
    monkeypatch.chdir(logs)
    assert told(config) == []


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_mended_by_its_message(
    name: str, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It points to the place, says what is wrong, and has what is to be written there."""
    case = CASES[name]
    monkeypatch.chdir(logs)
    monkeypatch.delenv(errors.NAMED, raising=False)
    assert case.right in case.config
    text = case.config.replace(case.right, case.wrong, 1)
    lines = told(text)
    assert any(case.told in line for line in lines), lines
    (said,) = [line for line in lines if case.told in line]
    assert case.paste in said
    _, line, column, _ = said.split(":", 3)
    assert text.splitlines()[int(line) - 1][int(column) - 1 :].startswith(case.at or case.wrong)
    mended = case.mended or case.paste
    again = text.replace(case.wrong, mended, 1) if case.wrong else case.config
    assert told(again) == []


OWN = yaml.safe_load(RIGHT)
FIGURES: list[dict[str, Any]] = [
    {"kind": "line", "encoding": {"x": "temperature", "y": "pass@1", "color": "model"}},
    {"kind": "forest", "where": {"temperature": 0.3}, "encoding": {"y": "model", "x": "pass@1"}},
    {
        "kind": "scatter",
        "encoding": {
            "x": "mean(tokens)",
            "y": "pass@1",
            "label": "model",
            "detail": "temperature",
        },
    },
    {"kind": "table", "encoding": {"x": "temperature", "y": "model", "text": "pass@1"}},
]
BASES = [
    *(yaml.safe_load(one) for one in (RIGHT, DOCUMENT, TABLE)),
    *(OWN | {"figures": {"mine": one | {"source": "own", "pool": ["seed"]}}} for one in FIGURES),
]
VALUES: list[Any] = [
    None, True, 0, -1, 1.5, float("nan"), float("inf"), "", "{", "[a", "\\d", "0.3", [], {}, [None],
    [1, 2], ["a", "a"], {"a": 1}, {"a": {"b": [1]}}, [["a"]], [{"a": 1}], "tiny-a", "temperature",
    "mean(nope)", 10**30, "é\n", "..", "/", "*", "~", {1: 2}, {None: 1}, "$row", "^a", "$", "*.a",
    "a.*.b", "(?P<x>a)", "1e400", "{model}",
]  # fmt: skip
KEYS = sorted(
    {
        field.encode_name
        for package in (kinds, formats)
        for name in registry.names(package)
        for field in msgspec.structs.fields(registry.load(package, name).Entry)
    }
)
MUTATIONS = 40
PLACED = re.compile(r"config\.yaml:\d+:\d+: ")
OF_ALL = "config.yaml: figures: no figure is asked for"


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value inside another."""
    if above:
        yield above
    listed = enumerate(value) if isinstance(value, list) else ()
    for key, below in value.items() if isinstance(value, dict) else listed:
        yield from places(below, (*above, key))


def mutated(config: dict[str, Any], by: random.Random) -> dict[str, Any]:
    """A config with one thing changed: gone, of another value or name, wrapped, or added."""
    made = deepcopy(config)
    *way, key = by.choice([*places(made)])
    at = made
    for step in way:
        at = at[step]
    what = by.choice(["gone", "value", "value", "name", "wrapped", "known", "known", "known"])
    value = deepcopy(by.choice(VALUES))
    if what == "gone":
        del at[key]
    elif what == "value":
        at[key] = value
    elif what == "name" and isinstance(at, dict):
        at[by.choice(["x", f"{key}s", str(key).upper(), "a b", ""])] = at.pop(key)
    elif what == "wrapped":
        at[key] = by.choice([[at[key]], {"a": at[key]}, str(at[key])])
    else:
        section = by.choice(["figures", "sources"])
        next(iter(made[section].values()))[by.choice(KEYS)] = value
    return made


@pytest.mark.parametrize("seed", range(len(BASES)))
def test_a_changed_config_is_taken_or_refused_with_a_place(
    seed: int, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some hundred changes of configs of each kind, whatever they are."""
    monkeypatch.chdir(logs)
    monkeypatch.delenv(errors.NAMED, raising=False)
    by, taken = random.Random(seed), 0
    assert told(yaml.safe_dump(BASES[seed], sort_keys=False)) == []
    for _ in range(MUTATIONS):
        text = yaml.safe_dump(mutated(BASES[seed], by), sort_keys=False, allow_unicode=True)
        lines = told(text)
        taken += not lines
        texts = [errors.in_order([mistake]) for mistake in telling.mistakes_of(text, Path())]
        assert all(PLACED.match(line) or line.startswith(OF_ALL) for line in texts), texts
    assert taken < MUTATIONS
