"""Engines of LaTeX, as far as this machine has them."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

NAMES = ("pdflatex", "lualatex", "xelatex")


def command(engine: str) -> list[str]:
    """The command of an engine; without one the test is skipped."""
    if shutil.which(engine):
        return [engine]
    if engine == "xelatex" and shutil.which("xetex"):
        return [*_xelatex()]
    pytest.skip(f"no {engine}")


@cache
def _xelatex() -> tuple[str, ...]:
    """XeTeX with the format of LaTeX, which small installations do not have made."""
    folder = Path(tempfile.mkdtemp(prefix="xelatex-"))
    make = ["xetex", "-ini", "-etex", "xelatex.ini"]
    made = subprocess.run(make, cwd=folder, capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no xelatex, and xetex cannot make its format")
    return "xetex", f"-fmt={folder / 'xelatex.fmt'}"
