"""What each log holds, and the logs that a figure shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import specimens
from heatproof import formats
from heatproof.kinds import heatmap
from heatproof.samples import normalize, shard_index
from heatproof.samples.declared import Meant, run_size
from heatproof.util import registry
from heatproof.util.errors import Error
from reading import entry, lines

if TYPE_CHECKING:
    from pathlib import Path

CSV = {
    "format": "csv",
    "fields": {"sample_id": "id", "score": "right", "model": "model"},
    "params": {"ratio": {"type": "float", "field": "ratio"}},
}


def shard(root: Path, paths: list[str], **keys: Any) -> Path:
    """The counts of some logs below `root`, as `normalize` writes them."""
    source = entry(**keys)
    read = registry.find(formats, source.format, "format", "log format").read
    samples, counts = root / "samples.parquet", root / "counts.parquet"
    outcome = normalize.write(paths, root, source, read, samples, root / "rejected", lambda _: None)
    shard_index.write_counts(samples, counts, outcome)
    return counts


def dynts(root: Path, *names: str, made_up: bool = False) -> shard_index.ShardIndex:
    """What logs of these names hold."""
    row = {"question_id": 1, "answer_id": 0, "score": True}
    for name in names:
        (root / name).write_bytes(lines([row | ({"reconstructed": True} if made_up else {})]))
    return shard_index.read_index(shard(root, list(names), format="dynts"))


def heat(**where: Any) -> heatmap.Entry:
    axes = heatmap.entry.Encoding(x="ratio", y="task", color="pass@1")
    return heatmap.Entry(name="f", kind="heatmap", source="s", where=where, encoding=axes)


A, B = "m_t_N1-R0.1-KW500-PKVL9.jsonl", "n_t_N1-R0.2-KWNone-PKVL9.jsonl"


def test_a_log_without_a_sample_is_shown_as_a_run_that_failed(tmp_path: Path) -> None:
    """All of its records were refused; its path tells the run."""
    (tmp_path / A).write_text("no record\n")
    row = {"question_id": 1, "answer_id": 0, "score": True}
    (tmp_path / B).write_bytes(lines([row]))
    found = shard_index.read_index(shard(tmp_path, [A, B], format="dynts"))
    assert list(shard_index.shown_logs([found], heat())) == [A, B]
    assert found.logs[A].settings == []


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ({}, [A, B]),
        ({"model": "m"}, [A]),
        ({"model": ["m", "n"], "ratio": [0.2, 0.3]}, [B]),
        ({"local_window": 500.0}, [A]),
        ({"ratio": 0.3}, []),
        ({"sample_id": "1", "model": "n"}, [B]),
        ({"sample_id": "7"}, [A, B]),
    ],
)
def test_where_tells_the_logs_that_a_figure_shows(
    tmp_path: Path, where: dict[str, Any], shown: list[str]
) -> None:
    """Of logs it is known by their settings; what stands in single rows does not tell them."""
    assert list(shard_index.shown_logs([dynts(tmp_path, A, B)], heat(**where))) == shown


def test_a_log_of_several_runs_is_shown_for_each(tmp_path: Path) -> None:
    """A table of many settings is a log of each of its figures."""
    text = "id,right,model,ratio\n1,1,m,0.1\n1,0,n,0.2\n1,1,m,0.3\n"
    (tmp_path / "a.csv").write_text(text)
    found = shard_index.read_index(shard(tmp_path, ["a.csv"], **CSV))
    settings = found.logs["a.csv"].settings
    assert settings is not None
    assert {(row[0], row[-1]) for row in settings} == {("m", 0.1), ("n", 0.2), ("m", 0.3)}
    assert list(shard_index.shown_logs([found], heat(model="m", ratio=0.3))) == ["a.csv"]
    assert not shard_index.shown_logs([found], heat(model="n", ratio=0.3))


def test_of_a_log_of_endless_settings_nothing_is_ruled_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of settings does not grow with the log."""
    monkeypatch.setattr(shard_index, "AT_MOST", 2)
    rows = "".join(f"1,1,m,0.{n}\n" for n in range(1, 5))
    (tmp_path / "a.csv").write_text("id,right,model,ratio\n" + rows)
    found = shard_index.read_index(shard(tmp_path, ["a.csv"], **CSV))
    assert found.logs["a.csv"].settings is None
    assert list(shard_index.shown_logs([found], heat(ratio=9.0))) == ["a.csv"]
    monkeypatch.setattr(shard_index, "AT_MOST", 4)
    told = shard_index.read_index(shard(tmp_path, ["a.csv"], **CSV)).logs["a.csv"].settings
    assert told == [["m", "", 0.1], ["m", "", 0.2], ["m", "", 0.3], ["m", "", 0.4]]


def test_a_sidecar_is_part_of_what_its_log_holds(tmp_path: Path) -> None:
    """The digest that stands for the logs of a figure covers what they were read with."""
    files, keys = specimens.SOURCES["dynts"]
    specimens.write(tmp_path, files)
    logs = [name for name in sorted(files) if "/files/" in name]
    found = shard_index.read_index(shard(tmp_path, logs, **keys))
    read = files.keys() - {"s/metrics.jsonl"}  # what is printed there is only compared
    assert shard_index.digests(shard_index.shown_logs([found], heat())).keys() == read
    before = shard_index.digests(found.logs)
    [beside] = read - {*logs}
    (tmp_path / beside).write_bytes((tmp_path / beside).read_bytes() + b"\n")
    later = shard_index.read_index(shard(tmp_path, logs, **keys)).logs
    after = shard_index.digests(later)
    assert before.keys() == after.keys()
    assert {path for path in before if before[path] != after[path]} == {beside}


def test_a_shard_tells_what_was_refused_of_its_logs(tmp_path: Path) -> None:
    """And how much it has all the same of these logs, not of others."""
    row = lines([{"question_id": 1, "answer_id": 0, "score": True}])
    (tmp_path / A).write_bytes(row + b"oops\n")
    (tmp_path / B).write_bytes(row)
    losses = shard_index.read_index(shard(tmp_path, [A, B], format="dynts")).losses
    assert (losses.logs, losses.records, losses.kept) == (2, 3, {A: 1})
    assert [(one.log, one.line, one.count) for one in losses.refused] == [(A, 2, 1)]


def test_damaged_counts_are_told_in_plain_words(tmp_path: Path) -> None:
    """The message names the file and the way out."""
    dynts(tmp_path, A)
    (tmp_path / "counts.parquet").write_bytes(b"PAR1")
    with pytest.raises(Error, match=r"counts\.parquet does not tell .*\(.*\): run snakemake"):
        shard_index.read_index(tmp_path / "counts.parquet")


def said(samples: int | None = None, **keys: Any) -> Meant:
    """What one log says of a run."""
    return Meant(["m"], samples, **keys)


@pytest.mark.parametrize(
    ("found", "meant", "short", "wanted", "told"),
    [
        (0, [], {}, None, (0, None)),
        (7, [], {}, None, (7, None)),
        (7, [], {}, 9, (7, 9)),
        (7, [], {}, 5, (7, 7)),
        (7, [said(9)], {}, None, (7, 9)),
        (7, [said(5)], {}, None, (7, 7)),
        (7, [said(9)], {}, 20, (7, 20)),
        (7, [said()], {}, None, (7, None)),
        (7, [said(9), said()], {}, None, (7, None)),
        # What a log lacks of a problem another may hold; of those that are not named none.
        (7, [said(9, lacks={"a": 2, "b": 1})], {}, None, (10, 10)),
        (7, [said(9, lacks={"a": 2, "b": 1})], {"a": 1, "b": 3}, None, (8, 9)),
        (7, [said(9, lacks={"a": 2}), said(9, lacks={"a": 3, "b": 1})], {"b": 1}, None, (10, 18)),
        (7, [said(9, lacks={"a": 3, "b": 1}), said(9, lacks={"a": 2})], {}, None, (11, 18)),
        (7, [said(9, lacking=4), said(lacking=1)], {}, None, (12, None)),
        # Logs that name all agree on what there is; others are parts, but for one that failed.
        (7, [said(9, names_all=True), said(9, names_all=True, lacks={"c": 2})], {}, None, (9, 9)),
        (7, [said(9, names_all=True)], {}, None, (7, 9)),
        (7, [said(9, names_all=True), said(9)], {}, None, (7, 18)),
        (7, [said(4), said(5)], {}, None, (7, 9)),
        (3, [said(0), said(10)], {}, None, (3, 10)),
        (7, [said(4), said(9, empty=True)], {}, None, (7, 9)),
        (7, [said(9), said(4, empty=True)], {}, None, (7, 9)),
        (0, [said(0, empty=True)], {}, None, (0, 0)),
    ],
)  # fmt: skip
def test_what_the_logs_of_a_run_declare_together(
    found: int, meant: list[Meant], short: dict[str, int], wanted: int | None, told: Any
) -> None:
    """How many samples there are at least, and in all where they tell."""
    assert run_size(found, 0, meant, short, wanted)[:2] == told


@pytest.mark.parametrize(
    ("problems", "parts", "told"),
    [
        (4, [(4, 9)], (4, 9)), (0, [(4, 9)], (4, 9)), (5, [(4, 9)], None), (4, [(4, 9)] * 2, (4, 9)),
        (4, [(4, 9), (5, 9)], None), (4, [(4, 9), None], None), (4, [None], None), (4, [], None),
    ],
)  # fmt: skip
def test_the_part_of_a_data_set_that_a_run_was_asked_for(
    problems: int, parts: list[Any], told: Any
) -> None:
    """Only where its logs say the same, and it does not hold more."""
    assert run_size(9, problems, [said(9, part=one) for one in parts], {}, None).part == told


@pytest.mark.parametrize(
    ("told", "shows"),
    [
        (None, False), ({}, True), ({"model": "m"}, True), ({"model": "x"}, False),
        ({"model": "n", "task": "t"}, True), ({"model": "n", "task": "u"}, False), ({"task": "t"}, True),
    ],
)  # fmt: skip
def test_what_a_path_tells_may_rule_a_log_out(told: Any, shows: bool) -> None:
    """By the columns of which the figure asks for values, as far as the path tells them."""
    axes = heatmap.entry.Encoding(x="ratio", y="window", color="pass@1")
    where: dict[str, Any] = {"model": ["m", "n"], "task": "t"}
    figure = heatmap.Entry(name="f", kind="heatmap", source="s", encoding=axes, where=where)
    assert shard_index.may_show(told, figure) is shows
