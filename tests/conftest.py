"""What the tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent


@pytest.fixture
def project() -> Path:
    """The project folder."""
    return PROJECT


@pytest.fixture
def real_logs() -> Path:
    """Public logs of real evaluations, where they lie beside the project; else skip."""
    folder = PROJECT.parent / "shared" / "logs"
    if not folder.is_dir():
        pytest.skip("no public logs beside the project")
    return folder
