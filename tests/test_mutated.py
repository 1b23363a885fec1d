"""Whatever a config says, it is taken or refused in words with a place: never a traceback."""

from __future__ import annotations

import random
import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml

from heatproof import kinds, readers
from heatproof.util import errors, registry
from test_newcomer import DOCUMENT, RIGHT, TABLE, logs, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["logs"]
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
        for package in (kinds, readers)
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
        begun = [line for line in lines if errors.BEGUN.match(line)]
        assert all(PLACED.match(line) or line.startswith(OF_ALL) for line in begun), (text, lines)
    assert taken < MUTATIONS
