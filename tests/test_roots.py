"""`roots` of config.yaml: logs that lie outside the project, by a name in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from heatproof.config import roots
from heatproof.plan import mistakes
from heatproof.plan.plan import Plan
from heatproof.util.errors import Error
from support.project import FOLDER as CONFIG

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
    assert Plan(config, tmp_path / "here").logs["own"]["0000"] == ["in/a.jsonl"]


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
    ("link", "there", "logs"),
    [
        ("data", "far", "data/**/*.jsonl"),
        ("data/in", "far/deep", "data/*/*.jsonl"),
        ("data/a.jsonl", "far/deep/a.jsonl", "data/*.jsonl"),
    ],
)
def test_links_are_followed(link: str, there: str, logs: str, tmp_path: Path) -> None:
    """To a folder or a log, wherever it lies: whoever set the link wants it."""
    linked(tmp_path, link, there)
    assert Plan(asking(logs), tmp_path / "here").logs["own"]["0000"]
