"""Bytecode is that of the source that lies there, whatever the times say."""

import os
import py_compile
import subprocess
import sys
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

from heatproof import bytecode


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module that says 1."""
    path = tmp_path / "said.py"
    path.write_text("print(1)\n")
    return path


def edit(module: Path) -> None:
    """Let a module say 2, without a trace in its size and times."""
    before = module.stat()
    module.write_text("print(2)\n")
    os.utime(module, ns=(before.st_atime_ns, before.st_mtime_ns))


def said(module: Path) -> str:
    """What a process says that imports the module."""
    ran = subprocess.run(
        [sys.executable, "-c", f"import {module.stem}"],
        cwd=module.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ran.stdout.strip()


def test_python_would_run_old_code(module: Path) -> None:
    """Why this is needed: bytecode known by times outlives an edit that keeps them."""
    py_compile.compile(str(module), invalidation_mode=PycInvalidationMode.TIMESTAMP)
    edit(module)
    assert said(module) == "1"


def test_an_edit_that_keeps_the_times_runs(module: Path) -> None:
    """Bytecode that we wrote is checked by the content of its source."""
    bytecode.write(module.parent)
    assert bytecode.lacking(module.parent) == []
    edit(module)
    assert said(module) == "2"


def test_bytecode_known_by_times_is_removed(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where it cannot be replaced, none is left that could be old."""
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "")
    monkeypatch.setattr(bytecode.subprocess, "Popen", lambda _: None)
    kept = py_compile.compile(str(module), invalidation_mode=PycInvalidationMode.TIMESTAMP)
    assert kept
    bytecode.renew(module.parent)
    assert not Path(kept).exists()
    assert sys.dont_write_bytecode
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"


def test_what_is_no_python_is_left_alone(module: Path) -> None:
    """A damaged module stops who imports it, not who compiles it."""
    module.write_bytes(b"\xff(")
    bytecode.write(module.parent)
    assert bytecode.lacking(module.parent) == [module]
