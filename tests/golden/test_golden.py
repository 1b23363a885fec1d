"""Every output of figures and formats is as it was recorded: `python tests/golden` tells what differs."""

import os

import pytest
from altair.utils.schemapi import debug_mode

import golden
from support.quick import slow_but

CASES = golden.cases()
SOME = list(CASES) if os.environ.get("HEATPROOF_GOLDEN") else golden.quick()
"""The cases of `quick`, which take some seconds; all where HEATPROOF_GOLDEN is set."""
RECORDED = golden.recorded()
LAST = {name.split()[0]: name for name in golden.quick()}
"""A case for each base, of which Altair checks each part of the chart."""


@pytest.mark.parametrize("name", slow_but(SOME, golden.quick()[::2]))
def test_outputs_are_as_recorded(name: str) -> None:
    """What a person can read first; what is meant to change is recorded: `python tests/golden --record`."""
    with debug_mode(name in LAST.values()):
        outputs = CASES[name]()
    if name in golden.quick():
        assert golden.readable(outputs) == golden.recorded_text(name)
    assert golden.digests(outputs) == RECORDED[name]


def test_every_case_is_recorded() -> None:
    """No more and no fewer."""
    assert [*RECORDED] == [*CASES]
    figures = {golden.text_of(name) for name in golden.quick() if not name.startswith("format ")}
    assert {*golden.TEXTS.iterdir()} == figures
