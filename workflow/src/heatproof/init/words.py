"""What the name of a column speaks for: words with weights, which decide nothing alone.

`words.json` has them, and the layouts of harnesses whose records plain keys can say. These follow
`lcb_runner/runner/main.py` (LiveCodeBench), `tau_bench/types.py`, `promptfoo/src/types/index.ts`,
`alpaca_eval/annotators` (AlpacaEval), `evaluation/src/main.py` (MultiPL-E), `gen_judgment.py` and
`show_result.py` (Arena-Hard).
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@cache
def weights() -> dict[str, Any]:
    """Role → word → weight; and lists of words by what they stand for."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
    return table


def layout(columns: Collection[str]) -> dict[str, Any]:
    """What is known of records with these columns: `roles` (score, model, problem, repetition →
    column), `entry` (further keys of the source), `refused` (why they cannot be drawn).
    """
    layouts = weights()["layouts"].values()
    return next((layout for layout in layouts if {*layout["has"]} <= {*columns}), {})


def words(name: str) -> list[str]:
    """The words of the last part of a place: `config.maxTokens` → max, tokens."""
    last = CAMEL.sub("_", name.lstrip("^/").rpartition(".")[2])
    return [word for word in re.split(r"[^a-z0-9@]+", last.lower()) if word]


@cache
def weight(role: str, name: str) -> float:
    """How much a name speaks for a role: all of it, its last word, any word, what is above it."""
    table, parts = weights()[role], words(name)
    if not parts:
        return 0.0
    best: float = table.get("_".join(parts), 0) or max(
        table.get(parts[-1], 0) * 0.75, max(table.get(word, 0) for word in parts) * 0.45
    )
    above = name.lstrip("^/").split(".")[:-1]
    if above and parts[-1] in ("name", "id"):
        best = max(best, 0.8 * weight(role, above[-1]))
    return best


def holds(role: str, name: str) -> bool:
    """Whether one of the words of a name is in a list of `words.json`."""
    return not {*words(name)}.isdisjoint(weights()[role])


def verdict(value: Any) -> int | None:
    """1 or 0 for a word such as `passed` or `incorrect`; None for another."""
    stands: int | None = weights()["verdicts"].get(str(value).strip().lower())
    return stands


def models(values: Collection[Any]) -> float:
    """Part of some values that look like names of models: a family, or a size such as 7b."""
    return sum(bool(_families().search(str(value))) for value in values) / max(len(values), 1)


@cache
def _families() -> re.Pattern[str]:
    """Families of models; the long names may stand within a word."""
    names: Iterable[str] = weights()["families"]
    texts = ("|".join(name for name in names if (len(name) > 3) == long) for long in (True, False))
    return re.compile(r"(?i)(^|[^a-z])(({})|({})([^a-z]|$))|\d+(\.\d+)?b\b".format(*texts))
