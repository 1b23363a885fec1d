"""Keys that there are no more: each is refused at its place, with what there is instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.config import configuration, hints
from heatproof.util.errors import in_order

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = {"format": "jsonl", "logs": "x.jsonl", "fields": {"sample_id": "id", "score": "ok"}}
FIGURE = {
    "kind": "heatmap",
    "source": "own",
    "encoding": {"x": "model", "y": "task", "color": "pass@1"},
}


def config_of(pattern: str) -> dict[str, Any]:
    """A config that says what a pattern refuses."""
    path, _, value = pattern.partition(": ")
    raw: dict[str, Any] = {"sources": {"own": dict(SOURCE)}, "figures": {"mine": dict(FIGURE)}}
    node, keys = raw, path.split(".")
    for depth, key in enumerate(keys):
        wild = hints.WILD.fullmatch(key)
        name = ("own" if keys[0] == "sources" else "mine") if wild and depth == 1 else key
        name = "any" if wild and depth != 1 else name
        if depth == len(keys) - 1:
            node[name] = value or "x"
        elif not isinstance(node.get(name), dict):
            node[name] = {}
        node = node[name]
        if wild and wild[1]:
            node["kind" if keys[0] == "figures" else "format"] = wild[1]
    return raw


@pytest.mark.parametrize("pattern", hints.GONE)
def test_what_is_gone_is_refused_with_what_there_is_instead(pattern: str, tmp_path: Path) -> None:
    """Once, in its own words, at its line and column."""
    raw = config_of(pattern)
    text = yaml.safe_dump(raw)
    path = tmp_path / "config.yaml"
    path.write_text(text)
    _, problems = configuration.examined(yaml.safe_load(text))
    key = pattern.partition(": ")[0].rpartition(".")[2]
    [mistake] = [one for one in problems if one.message == hints.GONE[pattern]]
    assert not [one for one in problems if f"{key!r} is not a key" in one.message]
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: ", in_order([mistake], [str(path)]))


TABLE = {
    "figures.NAME.margins: bar": "means",
    "figures.NAME(pairwise).form: radar": "the plain one",
    "figures.NAME.relative_to.figure": "a source",
    "figures.NAME.formats: html-light": "html",
    "figures.NAME.kind: radar": "heatmap",
    "roots": "paths",
}
"""Rows of such a table."""
RAW = [
    ({"figures": {"a.b": {"margins": "bar"}}}, ["figures.a.b.margins"]),
    ({"figures": {"a": {"margins": "mean", "formats": ["pdf"]}}}, []),
    ({"figures": {"a": {"kind": "heatmap", "form": "radar"}}}, []),
    ({"figures": {"a": {"kind": "pairwise", "form": "radar"}}}, ["figures.a.form"]),
    ({"figures": {"a": {"relative_to": {"figure": "b"}}}}, ["figures.a.relative_to.figure"]),
    ({"figures": {"a": {"formats": ["pdf", "html-light"]}}}, ["figures.a.formats[1]"]),
    ({"figures": {"a": {"formats": ["html-light"]}}}, ["figures.a.formats[0]"]),
    ({"figures": {"a": {"kind": "radar"}}}, ["figures.a.kind"]),
    ({"roots": {"x": "y"}}, ["roots"]),
    ({"roots": False}, ["roots"]),
    ({"figures": [1], "sources": None}, []),
]


@pytest.mark.parametrize(("raw", "places"), RAW)
def test_places_are_found_by_patterns(raw: dict[str, Any], places: list[str]) -> None:
    """Names with dots are whole; kinds and formats are told apart."""
    assert [place for place, _ in hints.take_gone(raw, TABLE)] == places
    left = [place for place, _ in hints.take_gone(raw, TABLE) if not place.endswith(".kind")]
    assert not left
