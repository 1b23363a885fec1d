"""A file that is asked for and that no job makes is told with those there are."""

from __future__ import annotations

import pytest

from heatproof import build
from heatproof.util.errors import Error

EVERY = ["results/index.html", "results/figures/mine.svg", "results/figures/mine.png"]


def test_a_figure_that_there_is_not_is_told_with_those_there_are() -> None:
    """Of the same kind, the likeliest named."""
    with pytest.raises(Error) as caught:
        build.require_results(["-c2", "results/figures/mime.svg"], EVERY)
    assert str(caught.value) == (
        "results/figures/mime.svg: no job makes it; there are results/figures/mine.svg "
        "(did you mean 'results/figures/mine.svg'?)"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["results/figures/mine.svg"],
        ["figures", "-n"],
        ["--report", "results/figures/report.html"],
        ["results/other/x", "mine.svg"],
        [],
    ],
)
def test_what_is_made_or_none_of_ours_passes(words: list[str]) -> None:
    """Words for stages, options with their values, and files elsewhere are Snakemake's to judge."""
    build.require_results(words, EVERY)
