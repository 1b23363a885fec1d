"""`roots` of config.yaml: logs that lie outside the project, by a name in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from heatproof.config import roots
from heatproof.plan import mistakes
from heatproof.plan.plan import Plan
from heatproof.util.errors import Error
from test_pack import CONFIG

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = CONFIG["sources"]["own"]


def asking(logs: Any) -> dict[str, Any]:
    """The config with these logs."""
    return CONFIG | {"sources": {"own": SOURCE | {"logs": logs}}}


def test_roots_are_links_that_stay(tmp_path: Path) -> None:
    """Made once, wherever they lead; what is there already must lead to the same place."""
    (tmp_path / "far").mkdir()
    (tmp_path / "other").mkdir()
    folders = {"logs": "../far", "more": str(tmp_path / "far")}
    for _ in range(2):
        roots.mount(folders, tmp_path / "here")
    (tmp_path / "far/a.jsonl").write_text("x")
    assert (tmp_path / "here/logs/a.jsonl").read_text() == "x"
    assert (tmp_path / "here/more/a.jsonl").read_text() == "x"
    with pytest.raises(Error, match=r"roots\.logs: .*here/logs is there and is not \.\./other"):
        roots.mount({"logs": "../other"}, tmp_path / "here")
    with pytest.raises(Error, match=r"roots\.gone: there is no folder '\.\./gone'"):
        roots.mount({"gone": "../gone"}, tmp_path / "here")


def test_a_new_build_elsewhere_sees_the_same_folders(tmp_path: Path) -> None:
    """A relative path means what it meant in the project whose link it borrows; others do not."""
    (tmp_path / "a/far").mkdir(parents=True)
    roots.mount({"logs": "../far"}, tmp_path / "a/here")
    (tmp_path / "new/build").mkdir(parents=True)
    (tmp_path / "new/build/logs").symlink_to(tmp_path / "a/here/logs")
    roots.mount({"logs": "../far"}, tmp_path / "new/build")
    with pytest.raises(Error, match=r"there is no folder '\.\./gone'"):
        roots.mount({"logs": "../gone"}, tmp_path / "new/build")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([1], r"roots: \[1\] is not a mapping"),
        ({"a/b": "x"}, r"roots\.a/b: 'a/b' cannot name a folder"),
        ({"results": "x"}, "'results' cannot name a folder"),
        ({"..": "x"}, r"'\.\.' cannot name a folder"),
        ({"a": 1}, r"roots\.a: 1 is not the path of a folder"),
    ],
)
def test_wrong_roots_are_told(said: Any, told: str, tmp_path: Path) -> None:
    """With place and value, before anything is linked, beside the other mistakes."""
    with pytest.raises(Error, match=told):
        Plan(CONFIG | {"roots": said}, tmp_path)
    with pytest.raises(Error, match=told) as error:
        mistakes.planned(CONFIG | {"roots": said, "figres": {}}, tmp_path)
    assert "'figres' is not a section" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_root_is_no_part_of_what_is_told(tmp_path: Path) -> None:
    """Logs elsewhere are known by their names in the project."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far/a.jsonl").write_text("{}")
    config = asking("in/*.jsonl") | {"roots": {"in": str(tmp_path / "far")}}
    assert Plan(config, tmp_path / "here").noted("own")["0000"].logs == ["in/a.jsonl"]


def test_logs_outside_are_refused_with_the_way_in(tmp_path: Path) -> None:
    """The message says what to write, for the folder that was named."""
    with pytest.raises(Error, match=r"roots: \{logs: \.\./far\}, and logs: logs/"):
        assert Plan(asking("../far/*.jsonl"), tmp_path).shards


def linked(root: Path, link: str, there: str) -> None:
    """A link in the project `here` to what lies beside it."""
    (root / "far/deep").mkdir(parents=True, exist_ok=True)
    (root / "far/deep/a.jsonl").write_text("{}")
    (root / "here" / link).parent.mkdir(parents=True, exist_ok=True)
    (root / "here" / link).symlink_to(root / there)


@pytest.mark.parametrize(
    ("link", "there", "logs", "said"),
    [
        ("data", "far", "data/**/*.jsonl", "roots: {far: ../far}"),
        ("data/in", "far/deep", "data/*/*.jsonl", "roots: {deep: ../far/deep}"),
        ("data/a.jsonl", "far/deep/a.jsonl", "data/*.jsonl", "roots: {deep: ../far/deep}"),
    ],
)
def test_links_out_are_followed_only_when_the_config_says_so(
    link: str, there: str, logs: str, said: str, tmp_path: Path
) -> None:
    """A folder or a log; the message has the key, and with it the same patterns do."""
    linked(tmp_path, link, there)
    with pytest.raises(Error, match="is a link that leads out of the project") as error:
        mistakes.planned(asking(logs), tmp_path / "here")
    assert f"sources.own.logs: {link} is a link" in str(error.value)
    assert said in str(error.value)
    name, folder = said.removeprefix("roots: {").removesuffix("}").split(": ")
    plan = Plan(asking(logs) | {"roots": {name: folder}}, tmp_path / "here")
    assert [*plan.noted("own")["0000"].logs]


def test_links_that_stay_or_lead_to_no_log_are_followed(tmp_path: Path) -> None:
    """Within the project; out of it where no log of the source lies; in what `verify` builds."""
    linked(tmp_path, "data/none", "far/deep")
    linked(tmp_path, "data/kept/a.jsonl", "here/kept.jsonl")
    (tmp_path / "here/kept.jsonl").write_text("{}")
    plan = Plan(asking("data/**/a*.jsonl") | {"sources": {"own": SOURCE | {
        "logs": "data/kept/*.jsonl"}}}, tmp_path / "here")  # fmt: skip
    assert plan.noted("own")["0000"].logs == ["data/kept/a.jsonl"]
    copy = tmp_path / "copy"
    (copy / ".snakemake").mkdir(parents=True)
    (copy / "data").symlink_to(tmp_path / "here/data")
    with pytest.raises(Error, match="leads out"):
        _ = Plan(asking("data/kept/*.jsonl"), copy).shards
    assert Plan(asking("data/kept/*.jsonl"), copy, scan=False).shards, "a job of a run"
    (copy / roots.HOME).write_text(str(tmp_path / "here"))
    assert Plan(asking("data/kept/*.jsonl"), copy).noted("own")["0000"].logs
