"""Which of several names in a log is meant: mistakes in such a key, and what it leaves open."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from heatproof.config import configuration
from heatproof.samples import normalize
from heatproof.util.errors import Error
from reading import entry

WRONG = [
    ("metric", [], ".metric: lists no name"),
    ("filter", {"a": []}, ".filter.a: lists no name"),
    ("filter", ["a", "b", "a"], ".filter: 'a' stands twice"),
    ("metric", 3, ".metric: 3 is not text, a list or a mapping"),
    ("metric", {"a": 3}, ".metric.a: 3 is not text or a list"),
]


@pytest.mark.parametrize(("key", "wrong", "message"), WRONG)
def test_a_preference_that_says_nothing_is_told(key: str, wrong: Any, message: str) -> None:
    """Before any log is looked at."""
    with pytest.raises(Error) as error:
        configuration.read({"sources": {"s": {"format": "lm_eval", "logs": "*", key: wrong}}})
    assert f"config.yaml: sources.s{message}" in str(error.value)


def test_the_choice_is_told_with_its_tasks() -> None:
    """A line for each scorer, its first tasks by name; a choice for no task is told as such."""
    source = entry(format="lm_eval", metric={"mmlu_*": "acc", "arth": "em"}, filter="none")
    assert source.chooses()
    assert not entry(format="lm_eval", metric="acc", filter="none").chooses()
    rows = [{"scorer": "acc,none", "task": f"mmlu_{n}"} for n in range(8)]
    rows += [{"scorer": "em,none", "task": "arith"}] * 2
    first, second, third = normalize.scorer_words("lm", source, pl.LazyFrame(rows))
    assert first.endswith("acc,none: mmlu_0, mmlu_1, mmlu_2, mmlu_3, mmlu_4, mmlu_5, 2 other tasks")
    assert second.endswith("em,none: arith")
    assert third.startswith("config.yaml: sources.lm.metric.arth: no sample is of task 'arth'")
