"""Logs: found by pattern, known by content, dealt into shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from heatproof.formats import dynts_format
from heatproof.logs import logs
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from pathlib import Path


def source(**keys: Any) -> dynts_format.Entry:
    return msgspec.convert(
        {"name": "runs", "format": "dynts", "logs": "*"} | keys, dynts_format.Entry
    )


def test_patterns_span_folders_and_come_sorted(tmp_path: Path) -> None:
    """Several patterns are one sorted list, each log once."""
    for name in ("b/x.jsonl", "a/y.jsonl", "a/z.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = logs.find(source(logs=["**/*.jsonl", "a/*"]), tmp_path)
    assert found == ["a/y.jsonl", "a/z.txt", "b/x.jsonl"]


def test_a_pattern_that_matches_nothing_says_what_is_there(tmp_path: Path) -> None:
    """The message names the pattern, its place, and the content of the nearest folder."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "real.jsonl").write_text("")
    with pytest.raises(Error, match=r"sources.runs.logs: no file .*dta.*; data/ holds real.jsonl"):
        logs.find(source(logs="data/dta/*.jsonl"), tmp_path)


def test_logs_may_lie_outside_the_project(tmp_path: Path) -> None:
    """By their full path, by one that leaves the project, or behind a link in it."""
    project, log = tmp_path / "mine", tmp_path / "other" / "x.jsonl"
    project.mkdir()
    log.parent.mkdir()
    log.write_text("")
    (project / "data").symlink_to("../other")
    for pattern in (f"{log.parent}/*", "../other/*.jsonl", "data/../../other/**", "data/*"):
        [path] = logs.find(source(logs=pattern), project)
        assert (project / path).samefile(log)
        assert logs.matches(source(logs=pattern), path)
    with pytest.raises(Error, match="holds where the project lies: write data/x"):
        logs.find(source(logs=f"{project}/data/x.jsonl"), project)


def touched(before: list[str], after: list[str]) -> int:
    """Shards that other logs are dealt into than before."""
    found = [logs.deal(paths, logs.shards(source(), len(paths))) for paths in (before, after)]
    names = {name for dealt in found for name in dealt}
    return sum(found[0].get(name) != found[1].get(name) for name in names)


PATHS = [f"data/{n:05d}.jsonl" for n in range(10_000)]


@pytest.mark.parametrize("count", [50, 999, 6450, 9_950])
def test_a_log_more_or_less_in_the_middle_touches_one_shard(count: int) -> None:
    """A log's shard hangs on its own path: it is added or removed, and no other moves."""
    paths = PATHS[:count]
    more = [*paths[: count // 2], "data/between.jsonl", *paths[count // 2 :]]
    assert touched(paths, more) == touched(more, paths) == 1
    assert touched(paths, [*paths[: count // 2], *paths[count // 2 + 1 :]]) == 1


@pytest.mark.parametrize("count", [1000, 2000, 9_000])
def test_the_log_that_makes_a_shard_more_splits_one(count: int) -> None:
    """Each thousandth log adds a shard: it takes its logs from one other, wherever the count is."""
    assert len(logs.shards(source(), count)) + 1 == len(logs.shards(source(), count + 1))
    assert touched(PATHS[:count], [*PATHS[:count], "data/one-more.jsonl"]) <= 3


def test_shards_are_about_equal() -> None:
    """10,000 logs are ten jobs, the longest of them two to three times the mean."""
    dealt = logs.deal(PATHS, logs.shards(source(), len(PATHS)))
    assert len(dealt) == 10
    assert sorted(path for found in dealt.values() for path in found) == PATHS
    assert max(map(len, dealt.values())) < 3 * logs.PER_SHARD


def test_the_manifest_digest_does_not_hang_on_order() -> None:
    """Many digests become one by their sorted paths."""
    digests = {"b": "2", "a": "1"}
    assert logs.manifest(digests) == logs.manifest(dict(sorted(digests.items())))
    assert logs.manifest(digests) != logs.manifest({"a": "2", "b": "1"})
