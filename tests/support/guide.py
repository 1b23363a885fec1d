"""The config that docs/figures.md makes."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"


def config() -> dict:
    """The config that the page makes, put together as the script that draws it does."""
    spec = importlib.util.spec_from_file_location("draw", DOCS / "draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.config()
