"""Keys of a figure that do not go together are told at their place, before any job: `mistakes.yaml`."""

from typing import Any

import pytest

from heatproof.kinds import api
from support import data

GROUPS = data.cases(__file__)
CASES = [(GROUPS[name]["base"], *row) for name in GROUPS for row in GROUPS[name]["rows"]]


@pytest.mark.parametrize(("base", "keys", "place", "words"), CASES)
def test_a_mistake_is_told_at_its_key(
    base: dict[str, Any], keys: dict[str, Any], place: str, words: str
) -> None:
    """With the wrong value and the valid ones; one alone, and none where all is well."""
    block = {"name": "f", "source": "s", **base, **keys}
    if "encoding" in base:
        block["encoding"] = {**base["encoding"], **keys.get("encoding", {})}
    mistakes = api.read(block).mistakes()
    assert [mistake.place for mistake in mistakes] == [place] * bool(place or words)
    assert all(words in mistake.message for mistake in mistakes)
