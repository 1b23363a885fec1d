"""Logs: found by pattern, known by content, dealt into shards."""

import errno
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from heatproof.formats import dynts_format
from heatproof.logs import logs
from heatproof.util.errors import Error


def source(**keys: Any) -> dynts_format.Entry:
    return msgspec.convert(
        {"name": "runs", "format": "dynts", "logs": "*"} | keys, dynts_format.Entry
    )


def find(root: Path, *patterns: str) -> list[str]:
    return logs.find(source(logs=[*patterns]), root)


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()


def test_patterns_span_folders_and_come_sorted(tmp_path: Path) -> None:
    """Several patterns are one sorted list, each log once; a loop of links is walked once."""
    put(tmp_path, "b/x.jsonl", "a/y.jsonl", "a/z.txt", "v1.0/c.jsonl")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    assert find(tmp_path, "[ab]/**/*.jsonl", "a/*") == ["a/y.jsonl", "a/z.txt", "b/x.jsonl"]
    assert find(tmp_path, "v*/*") == ["v1.0/c.jsonl"]


def test_a_pattern_that_matches_nothing_says_what_is_there(tmp_path: Path) -> None:
    """The message names the pattern, its place, and the content of the nearest folder."""
    put(tmp_path, "data/real.jsonl")
    with pytest.raises(
        Error, match=r"sources.runs.logs\[0\]: no file .*dta.*; data/ holds real.jsonl"
    ):
        find(tmp_path, "data/dta/*.jsonl")


def test_logs_may_lie_outside_the_project(tmp_path: Path) -> None:
    """By their full path, by one that leaves the project, or behind a link in it."""
    project, log = tmp_path / "mine", tmp_path / "other" / "x.jsonl"
    put(tmp_path, "other/x.jsonl", "mine/a")
    (project / "data").symlink_to("../other")
    for pattern in (f"{log.parent}/*", "../other/*.jsonl", "data/../../other/**", "data/*"):
        [path] = find(project, pattern)
        assert (project / path).samefile(log)
        assert logs.matches(source(logs=pattern), path)
    with pytest.raises(Error, match="is a path inside the project: write data/x"):
        find(project, f"{project}/data/x.jsonl")


NO_FILES: dict[str, Any] = {
    "it is a folder; name the files in it": os.mkdir,
    "it is not a regular file": os.mkfifo,
    "it is not a regular file, so": lambda path: path.symlink_to("/dev/zero"),
    "it is a broken link": lambda path: path.symlink_to("away"),
    "(it is a broken link|too many)": lambda path: path.symlink_to(path.name),
}
"""What is told of what lies in the place of a log → what puts it there."""


@pytest.mark.parametrize("what", NO_FILES)
@pytest.mark.parametrize("pattern", ["*.jsonl", "**/*.jsonl", "b.jsonl"])
def test_what_is_no_file_is_told(what, pattern, tmp_path, monkeypatch):
    """Before any job: what would have no end, is gone, or holds the logs; hidden ones are not."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "a.jsonl")
    Path(".hidden").symlink_to("away")
    NO_FILES[what](Path("b.jsonl"))
    with pytest.raises(Error, match=rf"logs\[0\]: b\.jsonl: it cannot be read: {what}"):
        find(tmp_path, pattern)


def test_a_name_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    """No table and no page could hold the name: it is shown with its odd bytes, to be renamed."""
    with open(os.path.join(os.fsencode(tmp_path), b"b\xff.jsonl"), "wb"):
        pass
    with pytest.raises(Error, match=r"logs: the name of .*\\x.* is not UTF-8; rename it"):
        find(tmp_path, "**/*.jsonl")


def test_a_folder_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    """A folder of somebody else stops the run."""
    put(tmp_path, "data/a.jsonl")
    there = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("data/"):  # root may read everything: no rights could be taken away
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return there(path)

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(Error, match="data: it cannot be read: permission denied"):
        find(tmp_path, "**/*.jsonl")


PATHS = [f"data/{n:05d}.jsonl" for n in range(10_000)]


def touched(before: list[str], after: list[str]) -> int:
    """Shards that other logs are dealt into than before."""
    dealt = [logs.deal(paths, logs.shard_names(source(), len(paths))) for paths in (before, after)]
    names = {name for shards in dealt for name in shards}
    return sum(dealt[0].get(name) != dealt[1].get(name) for name in names)


@pytest.mark.parametrize("count", [50, 999, 1000, 2000, 6450, 9_000])
def test_a_log_more_touches_few_shards(count: int) -> None:
    """A log's shard depends on its own path; each thousandth log splits one shard in two."""
    paths, middle = PATHS[:count], count // 2
    splits = not count % 1000
    more = [*paths[:middle], "data/between.jsonl", *paths[middle:]]
    assert touched(paths, more) == touched(more, paths) <= 1 + 2 * splits
    assert (
        len(logs.shard_names(source(), count + 1))
        == len(logs.shard_names(source(), count)) + splits
    )


def test_shards_are_about_equal() -> None:
    """10,000 logs are ten jobs, the longest of them two to three times the mean."""
    dealt = logs.deal(PATHS, logs.shard_names(source(), len(PATHS)))
    assert len(dealt) == 10
    assert sorted(path for paths in dealt.values() for path in paths) == PATHS
    assert max(map(len, dealt.values())) < 3 * logs.PER_SHARD


def test_many_logs_are_a_dozen_jobs() -> None:
    """Snakemake's own time grows with jobs times logs; by bytes there may be more."""
    assert len(logs.shard_names(source(), 50_000)) == 12
    assert len(logs.shard_names(source(), 50_000, 40 * logs.BYTES)) == 40


def test_the_manifest_digest_does_not_depend_on_order() -> None:
    """Many digests become one by their sorted paths."""
    assert logs.manifest_digest({"b": "2", "a": "1"}) == logs.manifest_digest({"a": "1", "b": "2"})
    assert logs.manifest_digest({"b": "2", "a": "1"}) != logs.manifest_digest({"a": "2", "b": "1"})
