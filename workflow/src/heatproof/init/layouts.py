"""Harnesses whose records plain keys can say: what tells them, and what their columns are.

Sources: `lcb_runner/runner/main.py` (LiveCodeBench), `tau_bench/types.py`, `promptfoo/src/types/
index.ts`, `alpaca_eval/annotators` (AlpacaEval), `evaluation/src/main.py` (MultiPL-E),
`gen_judgment.py` and `show_result.py` (Arena-Hard).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


class Layout(NamedTuple):
    """What records of a harness hold."""

    has: Collection[str]
    """Columns that tell it from any other."""
    roles: Mapping[str, str] = {}
    """score, model, problem, repetition → column."""
    entry: Mapping[str, Any] = {}
    """Further keys of its source."""
    refused: str = ""
    """Why its records cannot be drawn, and what can."""


LAYOUTS = {
    "LiveCodeBench": Layout(
        ("question_id", "graded_list", "code_list"),
        {"score": "graded_list", "problem": "question_id"},
        {"set": {"task": "livecodebench"}},
    ),
    "tau-bench": Layout(
        ("task_id", "reward", "trial", "info.source"),
        {"score": "reward", "problem": "task_id", "repetition": "trial"},
        {"set": {"task": "tau-bench"}},
    ),
    "promptfoo": Layout(
        ("promptIdx", "testIdx", "provider.id", "success"),
        {"score": "success", "model": "provider.id", "problem": "testIdx"},
        {"set": {"task": "promptfoo"}},
    ),
    "AlpacaEval: 1 is the baseline's answer, 2 the model's": Layout(
        ("instruction", "generator_1", "generator_2", "preference"),
        {"score": "preference", "model": "generator_2", "problem": "instruction"},
        {"set": {"task": "alpaca_eval"}, "range": {"score": [1, 2]}},
    ),
    "MultiPL-E": Layout(
        ("^name", "^language", "status", "exit_code", "program"),
        {"score": "status", "problem": "^name"},
    ),
    "Arena-Hard": Layout(
        ("judge", "model", "games"),
        refused="Arena-Hard: A is the baseline in the first game and the model in the second, so a "
        "verdict such as A>B has no meaning of its own; its show_result.py turns and weighs them",
    ),
}


def find(columns: Collection[str]) -> Layout:
    """The layout that records with these columns have; one that says nothing, if none is known."""
    present = {*columns}
    return next((layout for layout in LAYOUTS.values() if present >= {*layout.has}), Layout(()))
