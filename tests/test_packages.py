"""Installed packages are known by the files that their RECORD lists."""

from __future__ import annotations

import hashlib
import sys
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

import pytest

from heatproof.proof import inputs

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"toy/__init__.py": "", "toy/one.py": "ONE = 1\n", "toy/data.txt": "x\n", "shared/a.py": ""}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages in which `toy` is installed."""
    lines = ["toy-1.0.dist-info/RECORD,,", "toy/__pycache__/one.cpython-311.pyc,,"]
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        digest = urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(text)}")
    (tmp_path / "toy-1.0.dist-info").mkdir()
    (tmp_path / "toy-1.0.dist-info/RECORD").write_text("\n".join(lines) + "\n")
    (tmp_path / "toy-1.0.dist-info/METADATA").write_text("Name: toy\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def told() -> dict[str, str]:
    return {one.path: one.found for one in inputs.stage(["toy"], ["f"]).failures}


def test_a_package_as_installed_stands(site: Path) -> None:
    """Bytecode, files of no code, and what others put in a folder that is shared, are left out."""
    for name in ("toy/__pycache__/one.cpython-311.pyc", "toy/cache.json", "shared/other.py"):
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text("")
    assert told() == {}
    assert inputs.stage(["toy"], []).checked == "1 packages, 4 files by their RECORD"


def test_a_changed_lost_or_added_file_is_named(site: Path) -> None:
    """Whatever its version says."""
    (site / "toy/one.py").write_text("ONE = 2\n")
    (site / "toy/data.txt").unlink()
    for name in ("evil.py", "evil.pyc"):
        (site / "toy" / name).write_text("")
    found = told()
    assert set(found) == {"toy: toy/one.py", "toy: toy/data.txt", "toy: toy/evil.py",
                          "toy: toy/evil.pyc"}  # fmt: skip
    assert found["toy: toy/data.txt"] == "not there"


@pytest.mark.parametrize("first", ["the standard library", "importlib_metadata"])
def test_what_else_finds_packages_hides_no_lost_file(
    site: Path, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newer finders list only what is there (Python 3.12, the backport that some tools import)."""
    if first == "importlib_metadata":
        backport = pytest.importorskip("importlib_metadata")
        monkeypatch.setattr("sys.meta_path", [backport.MetadataPathFinder(), *sys.meta_path])
    (site / "toy/data.txt").unlink()
    assert told() == {"toy: toy/data.txt": "not there"}


def test_a_package_without_a_list_proves_nothing(site: Path) -> None:
    """Its version is not enough."""
    (site / "toy-1.0.dist-info/RECORD").write_text("")
    assert told() == {"toy": "none"}
