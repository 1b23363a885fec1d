"""docs/figures.md: its blocks are one config that is valid, and each has its picture."""

import re
from pathlib import Path

import msgspec
import pytest

from heatproof import kinds
from heatproof.config import configuration, schema
from heatproof.util import registry
from support.guide import config

PROJECT = Path(__file__).parent.parent.parent
DOCS = PROJECT / "docs"


def test_the_blocks_of_the_page_are_a_valid_config() -> None:
    """Each of its figures passes the checks of config.yaml."""
    assert set(configuration.read(config()).figures) == set(config()["figures"])


def test_every_figure_of_the_page_has_its_picture() -> None:
    """Each block is followed by what it draws, and no other picture lies there."""
    pictures = re.findall(
        r"!\[[^\]]+\]\(figures/([\w-]+)\.png\)", (DOCS / "figures.md").read_text()
    )
    assert pictures == list(config()["figures"])
    assert sorted(path.stem for path in (DOCS / "figures").iterdir()) == sorted(pictures)


@pytest.mark.parametrize("kind", registry.names(kinds))
def test_every_key_of_a_figure_is_on_the_page(kind: str) -> None:
    """In a block, or named in the text."""
    page = (DOCS / "figures.md").read_text()
    entry = registry.load(kinds, kind).Entry
    keys = {field.encode_name for field in msgspec.structs.fields(entry)} - {"name", *schema.FILLED}
    written = {key for figure in config()["figures"].values() for key in figure}
    assert [key for key in sorted(keys - written) if f"`{key}" not in page] == []
