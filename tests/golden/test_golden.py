"""Every output of figures and formats is as it was recorded: `python tests/golden` tells what differs."""

import os

import pytest
from altair.utils.schemapi import debug_mode

import golden
from support import data

CASES = golden.cases()
SOME = (
    list(CASES)
    if os.environ.get("HEATPROOF_GOLDEN")
    else data.load(golden.HERE / "figures.yaml")["quick"]
)
"""The cases of `quick`, which take some seconds; all where HEATPROOF_GOLDEN is set."""
CHECKED = {*SOME[::12]}
"""Cases of which Altair checks each part of the chart."""


@pytest.mark.parametrize("name", SOME)
def test_outputs_are_as_recorded(name: str) -> None:
    """What is meant to change is recorded anew: `python tests/golden --record`."""
    with debug_mode(name in CHECKED):
        assert golden.digests(CASES[name]()) == golden.recorded()[name]


def test_every_case_is_recorded() -> None:
    """No more and no fewer."""
    assert [*golden.recorded()] == [*CASES]
