"""Mistakes in config.yaml: each is told before any job, at its place, with its code or its cure.

`mistakes.yaml` has the cases.
"""

import json
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from heatproof import formats, kinds
from heatproof import plan as mistakes
from heatproof.config import configuration, syntax
from heatproof.kinds import api
from heatproof.util import errors, registry
from heatproof.util.errors import Error
from support import telling, warm
from support.data import cases
from support.telling import changed

HEAD = "sources:\n  s:\n"
CASES = cases(__file__)
BASES: dict[str, str] = CASES["bases"]
BASES["array"] = BASES["document"].replace("doc/(", "/(")
HABITS = BASES["habits"]


@pytest.mark.parametrize(("path", "value", "place", "says"), CASES["entries"])
def test_a_mistake_is_told_at_its_place(path: str, value: Any, place: str, says: str) -> None:
    """With its code, or with what there is instead."""
    _, problems = configuration.examined(changed(CASES["good"], path, value))
    there = [mistake for mistake in problems if mistake.place == place]
    assert any(says == mistake.code or says in mistake.message for mistake in there), problems


@pytest.mark.parametrize(("format_", "keys", "places"), CASES["maps"])
def test_all_that_is_wrong_with_a_map_is_told_at_once(format_, keys, places):
    """At the place of each, and nothing else."""
    module = registry.find(formats, format_, "format", "log format")
    source = msgspec.convert({"name": "s", "logs": "*", "format": format_} | keys, module.Entry)
    assert " ".join(sorted(str(mistake.place) for mistake in source.mistakes())) == places


@pytest.mark.parametrize(("keys", "places"), CASES["heatmaps"])
def test_what_a_heatmap_may_ask_for(keys: dict[str, Any], places: str) -> None:
    """Nothing is wrong with what can be drawn; ends of a scale are two, the lowest first."""
    axes = {"x": "ratio", "y": "window", "color": "pass@1"}
    block = {"name": "f", "kind": "heatmap", "source": "s", "encoding": axes}
    problems = api.read(block | keys).mistakes()
    assert " ".join(sorted(str(mistake.place) for mistake in problems)) == places


@pytest.mark.parametrize(("text", "message"), CASES["syntax"])
def test_what_is_no_yaml_is_told_where_it_is(text: str, message: str, tmp_path: Path) -> None:
    """The parser's own words name a place behind, and no cause."""
    path = tmp_path / "config.yaml"
    path.write_text(f"sources:\n  s:\n{text}\n")
    with pytest.raises(Error) as caught:
        syntax.require_sound(path, "config.yaml")
    assert str(caught.value).startswith(f"config.yaml:{message}")


@pytest.mark.parametrize("text", [
    "", "a: {b: c}\n", "a: &x {b: 1}\nc: {<<: *x, b: 2}\n", "a: http://x:1\n", "- a\n- a\n",
    '{\n\t"a": 1\n}',
])  # fmt: skip
def test_what_is_sound_passes(text: str, tmp_path: Path) -> None:
    """Empty files are told of elsewhere; JSON may be indented with tabs."""
    path = tmp_path / "config.yaml"
    path.write_text(text)
    syntax.require_sound(path, "config.yaml")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"a: b\nc: \xff\n")
    with pytest.raises(Error, match=r"^c:2:1: not UTF-8; save the file as UTF-8$"):
        syntax.require_sound(path, "c")


@pytest.mark.workflow
def test_snakemake_tells_them_too(tmp_path: Path, project: Path) -> None:
    """Of its own it would name neither line nor cause; with other mistakes it has its words."""
    (tmp_path / "Snakefile").symlink_to(project / "Snakefile")
    config = tmp_path / "config.yaml"
    for text, message in (
        (
            HEAD + '    path: "\\d"\n',
            "config.yaml:3:12: '\\d' is not an escape within double quotes",
        ),
        ("- a\n", "config.yaml:1:1: a list where sections belong: sources: and figures:"),
        ("", "there is no ./config.yaml; `heatproof init FOLDER` writes one"),
    ):
        config.write_text(text)
        if not text:
            config.unlink()
        status, output = warm.run(tmp_path, "-n")
        assert status == 1
        assert message in output
        assert "mix whitespace" not in output
        assert "Traceback" not in output


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs in four layouts."""
    root = tmp_path_factory.mktemp("mistakes")
    for folder in ("own", "doc", "arr", "table", "habits"):
        (root / "data" / folder).mkdir(parents=True)
    rows = [_record(i) for i in range(12)]
    for model in ("tiny-a", "tiny-b"):
        for t in (0.0, 0.3):
            name = f"{model}_t{t}"
            document = {"config": {}, "samples": rows[:9]}
            (root / f"data/doc/{name}.json").write_text(json.dumps(document, indent=1))
            (root / f"data/arr/{name}.json").write_text(json.dumps(rows[:9], indent=1))
            for seed in (0, 1):
                text = "".join(json.dumps(row) + "\n" for row in rows)
                (root / f"data/own/{name}_s{seed}.jsonl").write_text(text)
    cells = [
        f"m{m};{t};q{i};{'yes' if i % 3 else 'no'}"
        for m in (1, 2) for t in (0.1, 0.5) for i in range(9)
    ]  # fmt: skip
    (root / "data/table/a.csv").write_text("\n".join(["Model;temp;ID;ok", *cells, ""]))
    for model in ("tiny-a", "tiny-bb"):
        for seed, heat in enumerate((0.0, 0.5)):
            lines = [{"model": model, "id": n, "ok": n % 2, "heat": heat} for n in range(5)]
            path = root / f"data/habits/{model}_t{heat}_s{seed}.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return root


def _record(i: int) -> dict[str, Any]:
    right = i % 3 > 0
    usage = {"tokens": 10 * i, "run": f"r{i}"}
    return {"id": f"q{i}", "correct": right, "percent": 100 * right, "usage": usage,
            "verdict": "RIGHT" if right else "WRONG"}  # fmt: skip


WITH = [
    *(["params: {heat: float}", text, f"sources.own.{place}", cure] for text, place, cure in CASES["sources"]),
    *(["pass@1}", f"pass@1}}, {text}", f"figures.f.{place}".strip("."), cure] for text, place, cure in CASES["figures"]),
    *CASES["others"],
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "place", "cure"), WITH)
def test_a_habit_is_told_with_its_cure(right, wrong, place, cure, root):
    """Before any job, by the mistake that names the place."""
    problems = telling.mistakes_of(HABITS.replace(right, wrong, 1), root)
    assert any(cure in problem.message for problem in problems if problem.place == place), problems


@pytest.mark.parametrize("key", ["theme", "style", "grid", "square", "linewidths"])
def test_no_key_is_guessed_where_none_is_meant(key: str, root: Path) -> None:
    """What only looks like another one is none."""
    with pytest.raises(Error) as caught:
        mistakes.planned(yaml.safe_load(HABITS.replace("pass@1}", f"pass@1}}, {key}: 1")), root)
    assert "did you mean" not in str(caught.value)


@pytest.fixture
def here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in the folder of these logs."""
    monkeypatch.chdir(root)
    monkeypatch.delenv(errors.FILES, raising=False)


@cache
def run(text: str) -> list[str]:
    """What is wrong with a config, as a run says it."""
    return errors.in_order(telling.mistakes_of(text, Path())).splitlines()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("base", "right", "wrong", "message", "paste", "mended", "at"), CASES["newcomer"]
)
def test_a_mistake_is_mended_by_its_message(base, right, wrong, message, paste, mended, at):
    """It points to the place, says what is wrong, and has what is to be written there."""
    assert right in BASES[base]
    text = BASES[base].replace(right, wrong, 1)
    lines = run(text)
    [line] = [line for line in lines if message in line] or [str(lines)]
    assert message in line
    assert paste in line
    _, row, column, _ = line.split(":", 3)
    assert text.splitlines()[int(row) - 1][int(column) - 1 :].startswith(at or wrong)
    assert run(text.replace(wrong, mended or paste, 1) if wrong else BASES[base]) == []


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
PLACED = re.compile(r"config\.yaml:\d+:\d+: |config\.yaml: figures: the config has no figure")
OWN = yaml.safe_load(BASES["right"])
MUTATED = [
    *(yaml.safe_load(BASES[name]) for name in ("right", "document", "table")),
    *(
        OWN | {"figures": {"mine": {"kind": kind, "source": "own", "pool": ["seed"]} | keys}}
        for kind, keys in CASES["kinds"].items()
    ),
]


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value inside another."""
    if above:
        yield above
    listed = enumerate(value) if isinstance(value, list) else ()
    for key, below in value.items() if isinstance(value, dict) else listed:
        yield from places(below, (*above, key))


def mutated(config: dict[str, Any], by: random.Random) -> dict[str, Any]:
    """A config with one thing changed: gone, of another value or name, wrapped, or added."""
    result = deepcopy(config)
    *way, key = by.choice([*places(result)])
    node = result
    for step in way:
        node = node[step]
    what = by.choice(["gone", "value", "value", "name", "wrapped", "known", "known", "known"])
    value = deepcopy(by.choice(VALUES))
    if what == "gone":
        del node[key]
    elif what == "value":
        node[key] = value
    elif what == "name" and isinstance(node, dict):
        node[by.choice(["x", f"{key}s", str(key).upper(), "a b", ""])] = node.pop(key)
    elif what == "wrapped":
        node[key] = by.choice([[node[key]], {"a": node[key]}, str(node[key])])
    else:
        section = by.choice(["figures", "sources"])
        next(iter(result[section].values()))[by.choice(KEYS)] = value
    return result


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("seed", range(len(MUTATED)))
def test_a_changed_config_is_taken_or_refused_with_a_place(seed: int) -> None:
    """Some changes of configs of each kind, whatever they are."""
    by = random.Random(seed)
    assert run(yaml.safe_dump(MUTATED[seed], sort_keys=False)) == []
    for _ in range(7):
        text = yaml.safe_dump(mutated(MUTATED[seed], by), sort_keys=False, allow_unicode=True)
        lines = [errors.in_order([mistake]) for mistake in telling.mistakes_of(text, Path())]
        assert all(PLACED.match(line) for line in lines), lines
