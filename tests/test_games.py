"""Games of two models: each side has a row, and who won has lost for the other."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import heatproof as hp
from heatproof.cli.main import main
from heatproof.config import configuration

if TYPE_CHECKING:
    from pathlib import Path

SCORES = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5}
GAMES: list[dict[str, Any]] = [
    {"question_id": f"q{n}", "model_a": a, "model_b": b, "winner": [*SCORES][(n + n // 3) % 3]}
    for n, (a, b) in enumerate([*combinations(["one", "second", "third-a"], 2)] * 4)
]
SOURCE: dict[str, Any] = {
    "set": {"task": "chat"},
    "fields": {"sample_id": "question_id", "model": "model_a", "score": "winner"},
    "params": {"opponent": {"type": "str", "field": "model_b"}},
    "versus": "opponent",
    "verdicts": SCORES,
}


def table(games: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    rows = csv.DictWriter(text, [*games[0]])
    rows.writeheader()
    rows.writerows(games)
    return text.getvalue()


def counted(games: list[dict[str, Any]]) -> dict[tuple[str, str], list[float]]:
    """Model and opponent → the scores of the model."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for game in games:
        score = SCORES[game["winner"]]
        found[game["model_a"], game["model_b"]].append(score)
        found[game["model_b"], game["model_a"]].append(1 - score)
    return {pair: sorted(scores) for pair, scores in found.items()}


@pytest.mark.parametrize("form", ["jsonl", "json", "csv"])
def test_a_game_counts_for_both_sides(form: str, tmp_path: Path) -> None:
    """In each format, one row for each side, both with the place of the record."""
    text = {"jsonl": "".join(json.dumps(game) + "\n" for game in GAMES),
            "json": json.dumps(GAMES), "csv": table(GAMES)}[form]  # fmt: skip
    (tmp_path / f"games.{form}").write_text(text)
    own = {"each": "$"} if form == "json" else {}
    frame = hp.read(f"games.{form}", root=tmp_path, format=form, **SOURCE, **own)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        found[row["model"], row["opponent"]].append(row["score"])
    assert {pair: sorted(scores) for pair, scores in found.items()} == counted(GAMES)
    assert len({*frame["offset"]}) == len(GAMES)


def test_a_game_against_itself_is_refused(tmp_path: Path) -> None:
    """With words, and the others are read."""
    own = {"question_id": "q99", "model_a": "one", "model_b": "one", "winner": "tie"}
    lines = "".join(json.dumps(game) + "\n" for game in [*GAMES, own])
    (tmp_path / "games.jsonl").write_text(lines)
    with pytest.warns(UserWarning, match="a game of 'one' against itself"):
        frame = hp.read("games.jsonl", root=tmp_path, format="jsonl", **SOURCE)
    assert frame.height == 2 * len(GAMES)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"versus": "oponent"}, ".versus: 'oponent' is not under params"),
        ({"params": {"opponent": {"type": "int", "field": "b"}}}, "'opponent' is int, but names"),
        ({"measures": {"n": "n"}}, "both sides of a game have its score; 'measures' would be of"),
    ],
)
def test_what_games_cannot_have_is_refused(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """The key that is wrong is named, before any job."""
    source = {"format": "jsonl", "logs": "games.jsonl"} | SOURCE | change
    with pytest.raises(configuration.Error, match="versus") as error:
        configuration.read({"sources": {"games": source}}, tmp_path)
    assert said in str(error.value)


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
