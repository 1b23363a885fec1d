"""What is refused before any job, and what `aggregate` says where that was not possible."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
import yaml

from heatproof.config.entries import Figure
from heatproof.kinds import api, pairwise
from heatproof.plan.plan import Plan
from heatproof.readers import dynts_format, jsonl_format
from heatproof.samples import last_values, selection
from heatproof.util.canonical import key
from heatproof.util.errors import Error
from test_workflow import CONFIG, Project

VALUES = {"model": {"b", "a"}, "ratio": {0.2, 0.1}}
LOGS = ["data/m_t_N2-R0.1-KW500-PKVL9.jsonl", "data/n_t_N2-RNone-KW500-PKVL9.jsonl.gz", "data/x"]


def figure(**keys: Any) -> Figure:
    return msgspec.convert({"name": "f", "kind": "k", "source": "s", **keys}, Figure)


def test_values_are_known_by_all_that_was_read(tmp_path: Path) -> None:
    """Values hold for the key of a shard; with another key, or a shard unread, none are known."""
    last_values.note_values(VALUES, "s", "0000", "key", tmp_path)
    assert last_values.read_values("s", "0000", "key", tmp_path) == {
        "model": ["a", "b"],
        "ratio": [0.1, 0.2],
    }
    assert last_values.read_values("s", "0000", "other", tmp_path) is None
    assert last_values.read_values("s", "0001", "key", tmp_path) is None


def test_only_what_all_parts_tell_of_is_known() -> None:
    """A column that one shard's paths do not tell of may hold anything."""
    parts = [{"model": ["b"], "ratio": [0.1]}, {"model": ["a", None]}]
    assert last_values.union_of_values(parts) == {"model": ["a", "b"]}
    assert last_values.union_of_values([]) == {}


def test_shards_that_were_read_need_no_paths(tmp_path: Path) -> None:
    """What is known of a source: of its shards what was found in them, of new ones what paths say."""
    raw: dict[str, Any] = {
        "sources": {"s": {"format": "dynts", "logs": "*.jsonl", "shards": 2}},
        "figures": {"f": {"kind": "heatmap", "source": "s", "where": {"model": ["m", "old"]},
                          "encoding": {"x": "ratio", "y": "task", "color": "pass@1"}}},
    }  # fmt: skip
    names = [f"m_t_N2-R0.{n}-KW500-PKVL9.jsonl" for n in range(1, 9)]
    for name in names:
        (tmp_path / name).write_text("")
    plan = Plan(raw, tmp_path)
    read = plan.normalize_params("s", "0000")
    with pytest.raises(Error, match="no sample has 'old'; there are m"):
        plan.require_known()
    last_values.note_values({"model": {"old"}, "ratio": {0.5}}, "s", "0000", key(read), tmp_path)
    plan.require_known()


def test_columns_of_very_many_values_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a column of which not all values are kept, none is known."""
    monkeypatch.setattr(last_values, "VALUES_AT_MOST", 1)
    last_values.note_values({"model": {"a", "b"}, "task": {"t"}}, "s", "0", "key", tmp_path)
    assert last_values.read_values("s", "0", "key", tmp_path) == {"task": ["t"]}
    last_values.note_values({"model": {"a"}}, "s", "1", "key", tmp_path)
    assert last_values.read_values("s", "1", "key", tmp_path) == {"model": ["a"]}


def test_paths_tell_the_settings() -> None:
    """File names of DynTS tell all settings; logs that are refused by their name count for none."""
    source = msgspec.convert({"format": "dynts", "logs": "*"}, dynts_format.Entry)
    found = last_values.union_of_values(last_values.values_of_paths(source, LOGS))
    assert found["model"] == ["m", "n"]
    assert found["ratio"] == [0.1]
    assert last_values.values_of_paths(source, ["data/x"]) == []


def test_a_layout_tells_what_is_not_in_its_records() -> None:
    """Constants and named parts of the path are known, what stands in the records is not."""
    given = {"format": "jsonl", "logs": "*", "set": {"task": "t"}, "fields": {"model": "by"}}
    given |= {"path": "t-(?P<temperature>[0-9])", "params": {"temperature": "int"}}
    source = msgspec.convert(given, jsonl_format.Entry)
    found = last_values.union_of_values(
        last_values.values_of_paths(source, ["t-1.jsonl", "t-2.jsonl", "u.jsonl"])
    )
    assert found == {"task": ["t"], "temperature": [1, 2]}


def test_a_value_that_no_sample_has_is_named_with_its_place() -> None:
    """The message names place, value, those there are, and the likeliest; unknown columns pass."""
    values = {"model": ["R1-Llama", "R1-Qwen"]}
    one = figure(where={"model": ["R1-Lama"], "ratio": 0.7})
    (said,) = last_values.problems(one, values)
    assert said == (
        "config.yaml: figures.f.where.model: no sample has 'R1-Lama'; "
        "there are R1-Llama, R1-Qwen (did you mean 'R1-Llama'?)"
    )
    given = {"name": "f", "kind": "pairwise", "source": "s", "models": ["R1-Llama", "x"]}
    (said,) = last_values.problems(msgspec.convert(given, pairwise.Entry), values)
    assert said.startswith("config.yaml: figures.f.models: no sample has 'x'")


NAMED: list[tuple[dict[str, dict[str, dict[str, str]]], list[str]]] = [
    ({"f": {"model": {"a": "A", "b": "B"}, "ratio": {"0.1": "low", "2e-1": "high"}}}, []),
    (
        {"f": {"model": {"ab": "A"}, "ratio": {"0.3": "low"}}},
        [
            "config.yaml: figures.f.names.model.ab: no sample has 'ab'; there are a, b",
            "config.yaml: figures.f.names.ratio.0.3: no sample has '0.3'; there are 0.1, 0.2",
        ],
    ),
    ({"f": {"task": {"x": "X"}}}, []),
    (
        {"f": {"model": {"z": "Z", "y": "Y"}}, "g": {"model": {"z": "Z"}}},
        ["names.model.y: no sample"],
    ),
    (
        {"g": {"model": {"q": "Q"}}, "f": {"model": {"q": "Q"}}},
        ["figures.g.names.model.q: no sample"],
    ),
]


@pytest.mark.parametrize(("names", "said"), NAMED)
def test_names_of_values_that_no_sample_has_are_told(names: Any, said: list[str]) -> None:
    """With the values there are; not where they are not known, or another figure uses the list."""
    figures = [
        figure(name=name, source={"f": "s", "g": "t"}[name], names=n) for name, n in names.items()
    ]
    values = {"s": {"model": ["a", "b"], "ratio": [0.1, 0.2]}, "t": {"model": ["z"]}}
    found = last_values.unborne(figures, values)
    assert len(found) == len(said)
    assert all(part in line for part, line in zip(said, found, strict=True))
    assert last_values.unborne(figures, {}) == []


def test_values_put_in_order_that_no_sample_has_are_told() -> None:
    """As for names; numbers in any spelling."""
    block = {"name": "f", "kind": "heatmap", "source": "s", "sort": {
        "model": ["b", "aa"], "ratio": [0.20, 0.5], "task": "value"}, "encoding": {
        "x": "ratio", "y": "model", "color": "pass@1"}}  # fmt: skip
    entry = api.read(block)
    values = {"s": {"model": ["a", "b"], "ratio": [0.1, 0.2]}}
    assert last_values.unborne([entry], values) == [
        "config.yaml: figures.f.sort.model: no sample has 'aa'; there are a, b (did you mean 'a'?)",
        "config.yaml: figures.f.sort.ratio: no sample has '0.5'; there are 0.1, 0.2 (did you mean '0.2'?)",
    ]


def test_a_source_of_refused_records_is_named_with_the_reason() -> None:
    """Where all records were refused, the most frequent reason and its first record are told."""
    refused = pl.LazyFrame({"log": ["b", "a"], "line": [1, 2], "reason": ["no score"] * 2})
    nothing = pl.LazyFrame({"score": []})
    wrong = r"figures.f.source: 's' has no sample, all of its 2 records refused, 2 × no score \(first: a:2\)"
    with pytest.raises(Error, match=wrong):
        selection.require_some(nothing, refused, figure())
    with pytest.raises(Error, match="has no sample, its logs hold no record"):
        selection.require_some(nothing, refused.clear(), figure())
    selection.require_some(refused, refused, figure())


def test_a_number_that_no_sample_has_is_refused() -> None:
    """A misspelled place of a measure is no figure without values, but a mistake."""
    with pytest.raises(
        Error, match=r"f.encoding.color: no sample has a number for 'tokens'; .*sources.s"
    ):
        selection.require_measured(False, "tokens", "s", "config.yaml: figures.f.encoding.color")


@pytest.mark.workflow
def test_typos_in_values_stop_before_any_job(tmp_path: Path, copy_of_small: Project) -> None:
    """Of new logs by their names, of logs read before by what was found in them."""
    (tmp_path / "new").mkdir()
    new = Project(tmp_path / "new", CONFIG)

    def refused(project: Project, key: str, value: Any) -> str:
        config = yaml.safe_load((project.root / "config.yaml").read_text())
        config["figures"]["grid"]["where"] |= {key: value}
        project.configure(config)
        status, said = project.run()
        assert status != 0
        assert "Job stats" not in said
        assert "Traceback" not in said
        return said

    said = refused(new, "model", "mm")
    wrong = (
        r"config\.yaml:\d+:\d+: figures\.grid\.where\.model: no sample has 'mm'; there are m, n "
    )
    assert re.search(wrong, said)
    said = refused(copy_of_small, "sample_id", "9")
    assert "figures.grid.where.sample_id: no sample has '9'; there are 0, 1, 2" in said
