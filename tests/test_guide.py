"""docs/figures.md: its blocks are one config that is valid, and each has its picture."""

import importlib.util
import re
from pathlib import Path

from heatproof.config import configuration

PROJECT = Path(__file__).parent.parent
DOCS = PROJECT / "docs"


def config() -> dict:
    """The config that the page makes, put together as the script that draws it does."""
    spec = importlib.util.spec_from_file_location("draw", DOCS / "draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.config()


def test_the_blocks_of_the_page_are_a_valid_config() -> None:
    """Each of its figures passes the checks of config.yaml."""
    assert set(configuration.read(config()).figures) == set(config()["figures"])


def test_every_figure_of_the_page_has_its_picture() -> None:
    """Each block is followed by what it draws, and no other picture lies there."""
    shown = re.findall(r"!\[[^\]]+\]\(figures/([\w-]+)\.png\)", (DOCS / "figures.md").read_text())
    assert shown == list(config()["figures"])
    assert sorted(path.stem for path in (DOCS / "figures").iterdir()) == sorted(shown)
