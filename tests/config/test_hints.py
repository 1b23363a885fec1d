"""Habits of other tools in config.yaml: each is told at its place, with what to write instead."""

# Messages are quoted as they are read, in one piece.

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from heatproof.config import configuration, syntax
from heatproof.plan import mistakes
from heatproof.util.errors import Error
from support import telling

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = "format: jsonl, logs: 'data/*', fields: {model: model, sample_id: id, score: ok}, params: {heat: float}"
HEATMAP = "kind: heatmap, source: own, encoding: {x: heat, y: model, color: pass@1}"
PAIRS = "kind: pairwise, source: own, measure: score"


def with_source(more: str, old: str = "params: {heat: float}") -> str:
    """A config whose source says something else than usual."""
    return f"sources:\n  own: {{{SOURCE.replace(old, more)}}}\nfigures:\n  f: {{{HEATMAP}}}\n"


def with_figure(more: str, figure: str = HEATMAP) -> str:
    """A config whose figure says something more."""
    return f"sources:\n  own: {{{SOURCE}}}\nfigures:\n  f: {{{figure}{more}}}\n"


YAML = [
    (
        ".base: &base {a: 1}\nfigures:\n  f:\n    <<: *bse\n",
        "4:9",
        "no anchor &bse stands above; there are base (did you mean 'base'?)",
    ),
    (
        "figures:\n  f:\n    <<: *base\n",
        "3:9",
        "no anchor &base stands above; there is none in this file",
    ),
    ("// mine\nfigures: {}\n", "1:1", "a comment begins with #, not with //"),
    (
        "figures:\n  f:\n    /* mine */\n    kind: heatmap\n",
        "3:5",
        "a comment begins with #, not with /*",
    ),
    ("sources:\n  own: {a: 1},\n", "2:14", "one ',' too many"),
    ("-- mine\nfigures: {}\n", "1:1", "a comment begins with #, not with --"),
]
SOURCES = [
    ("epochs: [score]", "epochs", "write {lists: [score]}"),
    ("epochs: score", "epochs", "write {lists: [score]}"),
    ("range: [0, 100]", "range", "write {score: [0, 100]}"),
    ("range: 0-100", "range", "write {score: [0, 100]}"),
    ("range: 100", "range", "write {score: [0, 100]}"),
    ("range: {score: {min: 0, max: 100}}", "range.score", "write [0, 100]"),
    ("epochs: 4", "epochs", "`fields: {epoch: ITS PLACE IN A RECORD}`"),
    (
        "params: {heat: [0, 0.5]}",
        "params.heat",
        "its type, and none of its values: params: {heat: float}",
    ),
    ("params: {heat: double}", "params.heat", "did you mean 'float'?"),
    ("params: {heat: {place: heat, type: float}}", "params.heat", "did you mean 'field'?"),
    ("strict: 'yes'", "strict", "write true, without quotes"),
    ("params: heat", "params", "write {heat: float}"),
    ("measures: cost", "measures", "write {cost: ITS PLACE IN A RECORD}"),
    ("set: gsm8k", "set", "write {COLUMN: gsm8k}"),
    ("only: test", "only", "write {PLACE: test}"),
    (
        r"path: 'own/([^_]+)_t([\d.]+)'",
        "path",
        "has 2 groups without a name, which fill no column: (?P<model>…)",
    ),
    (
        r"path: '_t(?P<heat>\d)', params: {heat: {type: float, field: nope}}",
        "params.heat.field",
        "path fills 'heat'; keep one",
    ),
    (
        r"path: '_s(?P<seed>[\d.]+)', params: {heat: float, seed: int}",
        "params.seed",
        r"the pattern takes the dot behind it: write (?P<seed>\d+(?:\.\d+)?)",
    ),
]
FIGURES = [
    ("names: {tiny-a: Tiny A}", "names.tiny-a", "write names: {COLUMN: {tiny-a: Tiny A}}"),
    ("names: Tiny", "names", "write {COLUMN: {VALUE: Tiny}}"),
    ("relative_to: tiny-a", "relative_to", "write {COLUMN: tiny-a}"),
    ("highlight: best", "highlight[0]", "write highlight: [{COLUMN: VALUE, label: what it means}]"),
    ("highlight: {model: a}", "highlight", "write [{model: a}]"),
    ("color_scale: logarithmic", "color_scale", "write {type: log}"),
    ("color_scale: LogNorm", "color_scale", "write {type: log}"),
    ("color_scale: linear", "color_scale", "write {type: linear}"),
    ("labels: Accuracy", "labels", "write {COLUMN: Accuracy}"),
    ("sort: descending", "sort", "write {COLUMN: descending}: ascending, descending, value"),
    ("groups: [a, b]", "groups", "write {COLUMN: {LABEL: [a, b]}}"),
    ("groups: {model: [a, b]}", "groups.model", "write {LABEL: [a, b]}"),
    ("where: heat > 0.3", "where", "values are listed, not compared, excluded or matched"),
    ("domain: {min: 0, max: 1}", "domain", "write [0, 1]"),
    ("format: '%.2f'", "format", "did you mean '.2f'?"),
    ("format: '{:.1f}'", "format", "did you mean '.1f'?"),
    ("best: max", "best", "did you mean 'highest'?"),
    ("uncertainty: ci", "uncertainty", "did you mean 'interval'?"),
    ("sort: {model: reversed}", "sort.model", "did you mean 'descending'?"),
    ("where: tiny-a", "where", "write {COLUMN: tiny-a}"),
    ("where: {heat: {gt: 0.3}}", "where.heat", "values are listed, not compared, excluded or matched: [a, b]"),
    ("where: {heat: 0.1-0.5}", "where.heat", "values are listed, not compared, excluded or matched: [a, b]"),
    ("where: {model: '!tiny-a'}", "where.model", "there are tiny-a, tiny-bb (did you mean 'tiny-a'?); values are listed, not compared, excluded"),
    ("where: {model: tiny-*}", "where.model", "values are listed, not compared, excluded or matched: [a, b]"),
    ("where: {model: 'tiny-a,tiny-bb'}", "where.model", "write [tiny-a, tiny-bb]"),
    ("expect: 100", "expect", "a key of sources: write it below sources.NAME"),
    ("epochs: [score]", "epochs", "a key of sources: write it below sources.NAME"),
]  # fmt: skip
KEYS = {
    "center": "color_scale: {center: 0}", "norm": "color_scale: {type: log}",
    "robust": "color_scale: {clip: [2, 98]}", "errorbar": "uncertainty: interval",
    "higher_is_better": "best: highest", "mask": "where", "dpi": "formats: [pdf]",
    "filename": "formats: [pdf, png], and files are called as the figure is", "agg": "mean_over",
}  # fmt: skip
UNKNOWN = ["theme", "style", "grid", "square", "linewidths"]
"""Keys of other tools for which there is none here: no other one is meant."""
FIELDS = {"id": "sample_id", "question_id": "sample_id", "accuracy": "score", "benchmark": "task"}
OTHER = [
    (with_figure("").replace("heatmap", "bar"), "figures.f.kind", "did you mean 'forest'?"),
    (with_figure("").replace("heatmap", "imshow"), "figures.f.kind", "did you mean 'heatmap'?"),
    (with_source("format: parquet", "format: jsonl"), "sources.own.format", "did you mean 'jsonl'?"),
    (with_figure("") + "plots: {}\n", "'plots' is not a section", "did you mean 'figures'?"),
    ("sources:\n  own:\n    format = jsonl\n", "sources.own", "behind a key stands a colon, no ="),
    (with_source("heat: heat", "score: ok"), "sources.own.fields.heat", "settings stand under params"),
    *((with_source(f"{key}: x", "score: ok"), f"sources.own.fields.{key}", f"did you mean '{cure}'?") for key, cure in FIELDS.items()),
    *((with_figure(f", {key}: 1"), "figures.f", f"(did you mean '{cure}") for key, cure in KEYS.items()),
]  # fmt: skip
COMPARED = [
    ("", "f", "needs 'models', two or more values of what `compare` names (model): models: [A, B]"),
    (", models: all", "models", "no sample has 'all'; there are tiny-a, tiny-bb"),
    (", models: '*', compare: heat", "models", "no sample has '*'; there are 0.0, 0.5"),
    (", models: [tiny-a]", "models", "is not two or more different models"),
]
NAMES = [
    (
        with_figure("").replace("  f:", "  on:"),
        "figures",
        "YAML takes a name here for true: put it in quotes",
    ),
    (
        with_figure("") + f"  F: {{{HEATMAP}}}\n",
        "figures.F",
        "'f' is called alike: on many disks capitals",
    ),
    (
        with_figure("").replace("f: {kind", "f: [{kind").replace("pass@1}}", "pass@1}}]"),
        "figures.f",
        "its keys stand below one another, without dashes",
    ),
    (
        with_figure("", "kind: heatmap, source: own"),
        "figures.f",
        "needs 'encoding': {x: …, y: …, color: …}",
    ),
    (
        with_source("score: ok", "score: ok").replace(", score: ok", ""),
        "figures.f.encoding.color",
        "no sample has a number for 'score'; is its place in the record right?",
    ),
]
CASES = [
    *((with_source(text), f"sources.own.{place}", cure) for text, place, cure in SOURCES),
    *((with_figure(f", {text}"), f"figures.f.{place}", cure) for text, place, cure in FIGURES),
    *(
        (with_figure(text, PAIRS), f"figures.{f'f.{place}' if text else place}", cure)
        for text, place, cure in COMPARED
    ),
    *NAMES,
    *OTHER,
]


@pytest.mark.parametrize(("text", "place", "cure"), YAML)
def test_what_is_no_yaml_is_told_with_its_cure(
    text: str, place: str, cure: str, tmp_path: Path
) -> None:
    """At its line and column, and in no words of the parser."""
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(Error) as caught:
        syntax.require_sound(path, "config.yaml")
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"config.yaml:{place}: ")
    assert cure in line


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with four logs: two models at two temperatures."""
    made = tmp_path_factory.mktemp("habits")
    (made / "data").mkdir()
    for model in ("tiny-a", "tiny-bb"):
        for seed, heat in enumerate((0.0, 0.5)):
            rows = [{"model": model, "id": n, "ok": n % 2, "heat": heat} for n in range(5)]
            path = made / f"data/{model}_t{heat}_s{seed}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


@pytest.mark.parametrize(("text", "place", "cure"), CASES)
def test_a_habit_is_told_with_its_cure(text: str, place: str, cure: str, root: Path) -> None:
    """Before any job, in the line that names the place."""
    problems = telling.mistakes_of(text, root)
    lines = [f"{problem}" for problem in problems]
    head = (f"config.yaml: {place}: ", f"config.yaml: {place};")
    assert any(cure in line for line in lines if line.startswith(head)), lines


@pytest.mark.parametrize("key", UNKNOWN)
def test_no_key_is_guessed_where_none_is_meant(key: str, root: Path) -> None:
    """What only looks like another one is none."""
    with pytest.raises(Error) as caught:
        mistakes.planned(yaml.safe_load(with_figure(f", {key}: 1")), root)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        with_source("epochs: {lists: [score]}, params: {heat: float}"),
        with_source("range: {score: [0, 100]}, params: {heat: float}"),
        with_figure(", names: {model: {tiny-a: Tiny A}}"),
        with_figure(", color_scale: {type: log}"),
        with_figure(", highlight: [{model: tiny-a, heat: 0.5, label: what it means}]"),
        with_figure(", groups: {model: {LABEL: [tiny-a]}}"),
        with_figure(", models: [tiny-a, tiny-bb]", PAIRS),
        with_figure("") + ".shared: {on: 1, A: 1, a: 2}\n",
        with_source(r"path: '_s(?P<seed>\d+(?:\.\d+)?)', params: {heat: float, seed: int}"),
    ],
)
def test_what_a_message_says_to_write_is_taken(text: str, root: Path) -> None:
    """No form that is told is refused for its form where it is pasted."""
    configuration.read(yaml.safe_load(text), root)
