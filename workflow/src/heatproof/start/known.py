"""Harnesses that have no reader, for plain keys say their layout: how their records are known.

Where a folder holds one, `init` takes its places from here and guesses the rest, such as the model
in a path. Harnesses whose records cannot be drawn one by one are named, with what to do.

Sources: `lcb_runner/runner/main.py` (LiveCodeBench), `tau_bench/types.py`, `tau2/data_model/
simulation.py`, `promptfoo/src/types/index.ts`, `alpaca_eval/annotators` (AlpacaEval),
`evaluation/src/main.py` (MultiPL-E), `bfcl_eval/eval_checker` (BFCL), `gen_judgment.py` and
`show_result.py` (Arena-Hard).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.start import scores
from heatproof.start.source import Cannot

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from heatproof.start.columns import Records
    from heatproof.start.scores import Score


class Layout(NamedTuple):
    """What records of a harness hold."""

    name: str
    has: Collection[str]
    """Places that tell it from any other."""
    fields: Mapping[str, str] = {}
    """Column → place."""
    score: str = ""
    range: tuple[float, float] | None = None
    right: Collection[str] = ()
    """Texts that are right; all others of its score are wrong."""
    params: Collection[str] = ()
    """Places of what may be a setting, if it varies."""
    task: str = ""
    """What the task is called where nothing of the log tells it."""
    printed: Collection[str] = ()
    """Places of finished numbers, where its records are no problems."""
    n: str = ""
    """Place of how many problems are behind them."""
    refused: str = ""
    """Why its records cannot be drawn, and what can."""

    @property
    def places(self) -> Collection[str]:
        """All that are looked at."""
        return (*self.fields.values(), *self.params)


LAYOUTS = (
    Layout(
        "LiveCodeBench",
        ("question_id", "graded_list", "code_list"),
        {"sample_id": "question_id"},
        "graded_list",
        task="livecodebench",
    ),
    Layout(
        "tau2-bench",
        ("task_id", "reward_info.reward", "termination_reason", "^info.agent_info.llm"),
        {
            "model": "^info.agent_info.llm",
            "task": "^info.environment_info.domain_name",
            "sample_id": "task_id",
            "epoch": "trial",
        },
        "reward_info.reward",
        params=("^info.agent_info.implementation", "^info.agent_info.llm_args.temperature"),
    ),
    Layout(
        "tau-bench",
        ("task_id", "reward", "trial", "info.source"),
        {"sample_id": "task_id", "epoch": "trial"},
        "reward",
        task="tau-bench",
    ),
    Layout(
        "promptfoo",
        ("promptIdx", "testIdx", "provider.id", "success"),
        {"model": "provider.id", "sample_id": "testIdx"},
        "success",
        params=("prompt.label",),
        task="promptfoo",
    ),
    Layout(
        "AlpacaEval: 1 is the baseline's answer, 2 the model's",
        ("instruction", "generator_1", "generator_2", "preference"),
        {"model": "generator_2", "sample_id": "instruction"},
        "preference",
        (1, 2),
        params=("annotator", "generator_1"),
        task="alpaca_eval",
    ),
    Layout(
        "MultiPL-E",
        ("^name", "^language", "status", "exit_code", "program"),
        {"task": "^language", "sample_id": "^name"},
        "status",
        right=("OK",),
    ),
    Layout(
        "BFCL: sums in its first line, failures alone below",
        ("accuracy", "correct_count", "total_count"),
        printed=("accuracy",),
        n="total_count",
    ),
    Layout(
        "leaderboard of AlpacaEval",
        ("name", "win_rate", "length_controlled_winrate"),
        {"model": "name"},
        task="alpaca_eval",
        printed=("length_controlled_winrate", "win_rate"),
    ),
    Layout(
        "Arena-Hard",
        ("judge", "model", "games.*.score"),
        refused="Arena-Hard: A is the baseline in the first game and the model in the second, so a "
        "verdict such as A>B has no meaning of its own; its show_result.py turns and weighs them",
    ),
)
"""In the order in which they are tried."""


def find(places: Collection[str]) -> Layout | None:
    """The layout that records with these places are of."""
    held = {*places}
    return next((one for one in LAYOUTS if held >= {*one.has}), None)


def score(layout: Layout, records: Records) -> Score:
    """The score of records of a layout.

    Raises:
        Cannot: they cannot be drawn one by one, or their scores are of another kind.
    """
    if layout.refused:
        raise Cannot(layout.refused)
    values = [value for value in records.values(layout.score) if value is not None]
    if layout.right:
        texts = dict.fromkeys(sorted(map(str, values)), 0.0)
        told = texts | {text: 1.0 for text in layout.right if text in texts}
        return scores.texts(layout.score, [*map(str, values)], told)
    found = scores.of(layout.score, values) if values else None
    if found is None:
        raise Cannot(f"{layout.name}: {layout.score} holds no scores")
    if layout.range is None:
        return found
    return found._replace(range=layout.range, sure=True, kind=f"{layout.name.partition(':')[0]}")
