"""Games of two models: each side has a row, and who won has lost for the other."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

SCORES = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5}
GAMES: list[dict[str, Any]] = [
    {"question_id": f"q{n}", "model_a": a, "model_b": b, "winner": [*SCORES][(n + n // 3) % 3]}
    for n, (a, b) in enumerate([*combinations(["one", "second", "third-a"], 2)] * 4)
]


@pytest.mark.parametrize("words", [("model_a", "model_b", "tie"), ("A", "B", "both bad")])
def test_init_knows_games(words: tuple[str, str, str], tmp_path: Path) -> None:
    """Sides and winners by their names; a figure of who wins against whom; orders are epochs."""
    of = dict(zip(SCORES, words, strict=True))
    swapped = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}
    games = [game | {"winner": of[game["winner"]]} for game in GAMES]
    games += [
        {**game, "model_a": game["model_b"], "model_b": game["model_a"],
         "winner": of[swapped[game["winner"]]]}
        for game in GAMES
    ]  # fmt: skip
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/games.jsonl").write_text("".join(json.dumps(g) + "\n" for g in games))
    assert main(["init", str(tmp_path / "logs"), "--project", str(tmp_path)]) == 0
    written = yaml.safe_load((tmp_path / "config.yaml").read_text())
    source = written["sources"]["games"]
    assert source["versus"] == "opponent"
    assert source["verdicts"] == dict(zip(words, SCORES.values(), strict=True))
    assert source["fields"]["epoch"] == "$row"
    assert written["figures"]["games"]["encoding"] == {
        "x": "opponent", "y": "model", "color": "mean(score)"
    }  # fmt: skip
