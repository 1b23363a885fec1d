"""Numbers about two values of a column on one square board, beside counts made by hand."""

from itertools import permutations
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from heatproof.kinds import api, pair_grid, states
from heatproof.kinds.heatmap.entry import Entry
from heatproof.samples import counts
from heatproof.statistics.estimates import student
from heatproof.util.errors import Error
from support import defined
from support.samples import table

KIND = api.kind("heatmap")
WORDS = ("win_rate", "difference", "agreement", "kappa", "correlation", "rating")
X = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
Y = [1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1]
U = [1, 0.5, 0, 0.5, 1, 1, 0, 0.5, 1, 0, 0.5, 0.5]
V = [1, 0.5, 0.5, 0.5, 1, 0, 0, 0.5, 0.5, 0, 1, 0.5]


def entry(word: str, **keys: Any) -> Entry:
    """A square of models by the score, unless the keys say otherwise."""
    encoding = {"x": "against", "y": "model", "color": f"{word}(score)"}
    usual = {"name": "fig", "kind": "heatmap", "source": "runs", "encoding": encoding}
    return msgspec.convert(usual | keys, Entry)


def answers(scores: dict[str, Any], **columns: Any) -> pl.LazyFrame:
    """Model → scores of problems q0, q1 …, None for a problem that it lacks, as samples."""
    rows = [
        {"log": model, "run": model, "model": model, "sample_id": f"q{n}", "epoch": 0, "score": float(score)}
        | columns
        for model, listed in scores.items()
        for n, score in enumerate(listed)
        if score is not None
    ]  # fmt: skip
    return table(rows, {}, [], line=1)


def games(results: list[tuple[str, str, float]]) -> pl.LazyFrame:
    """Games as `versus` reads them: a row for each side, of which one has what the other lacks."""
    rows = []
    for n, (first, second, score) in enumerate(results):
        for model, opponent, won in ((first, second, score), (second, first, 1 - score)):
            row = {"model": model, "opponent": opponent, "sample_id": f"g{n}", "score": won}
            rows.append({"log": "games", "run": "games", "epoch": 0} | row)
    return table(rows, {"opponent": "str"}, [], line=1)


def counted(samples: pl.LazyFrame, figure: Entry, partial: Any = None) -> pl.DataFrame:
    """The grid, of which every number is counted again to the same."""
    grid: pl.DataFrame = KIND.aggregate(samples, figure, partial)
    again = [*KIND.recounted(samples, grid, figure)]
    assert [cell for cell, *_, agrees in again if not agrees] == []
    assert len(again) == len(grid)
    return grid


def cell(grid: pl.DataFrame, y: str, x: str) -> dict[str, Any]:
    """The row of a grid for two values."""
    return grid.filter(pl.col("y") == y, pl.col("x") == x).row(0, named=True)


def sample(seed: int = 1, n: int = 60) -> dict[str, Any]:
    """Four models of which a solves most, on problems of unequal difficulty."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    return {m: (hard + rng.normal(0, 0.3, n) < skill).astype(float)
            for m, skill in zip("badc", (0.6, 0.8, 0.2, 0.55), strict=True)}  # fmt: skip


FACTS = {
    # scikit-learn 1.x, scipy.stats.pearsonr; by hand: 8 of 12 equal, 2 won, 2 lost
    ("win_rate", "x"): 0.5, ("difference", "x"): 0.0 + 1 / 12, ("agreement", "x"): 9 / 12,
    ("kappa", "x"): 0.47058823529411764, ("correlation", "x"): 0.47809144373375756,
    ("kappa", "u"): 0.4838709677419355, ("correlation", "u"): 0.46569031542379974,
}  # fmt: skip


@pytest.mark.parametrize(("word", "name"), FACTS)
def test_values_are_those_of_other_libraries(word: str, name: str) -> None:
    """Of right and wrong, and of graded scores, whichever of two stands first."""
    first, second = (X, Y) if name == "x" else (U, V)
    if word == "win_rate":
        first, second = [*X, 0, 1], [*Y, 1, 0.5]
        expected = float(np.mean(np.sign(np.subtract(first, second)) / 2 + 0.5))
    else:
        expected = FACTS[word, name]
    grid = counted(answers({"m": first, "n": second}), entry(word))
    assert cell(grid, "m", "n")["value"] == pytest.approx(expected, abs=1e-12)
    turned = cell(grid, "n", "m")["value"]
    opposite = {"win_rate": 1 - expected, "difference": -expected}
    assert turned == pytest.approx(opposite.get(word, expected), abs=1e-12)


def test_ratings_are_those_of_a_logistic_regression() -> None:
    """Games of four, beside statsmodels' GLM; the interval is wide, and holds the value."""
    wins = [[0, 7, 9, 4], [5, 0, 8, 6], [3, 4, 0, 5], [2, 6, 4, 0]]
    results = [
        ("abcd"[i], "abcd"[j], 1.0) for i, j in permutations(range(4), 2) for _ in range(wins[i][j])
    ]
    figure = entry("rating", opponent="opponent")
    grid = counted(games(results), figure)
    regressed = {"b": -77.53828183, "c": -162.64190301, "d": -128.64432359}
    for model, rating in regressed.items():
        row = cell(grid, model, "a")
        assert row["value"] == pytest.approx(rating, abs=1e-6)
        assert row["low"] < rating < row["high"]
    assert grid["y"].unique(maintain_order=True).to_list() == ["a", "b", "d", "c"]
    draws = counted(games([*results, ("a", "d", 0.5), ("d", "a", 0.5)]), figure)
    assert -128.7 < cell(draws, "d", "a")["value"] < 0


def test_the_interval_of_a_rating_is_the_sandwich_by_problem() -> None:
    """Of two models by hand: repeats of a problem are no further problems."""
    rng = np.random.default_rng(11)
    won = np.repeat(rng.random(12) < 0.6, 3) ^ (rng.random(36) < 0.2)
    rows = []
    for model in "mn":
        for n, win in enumerate(won):
            keys = {"log": model, "run": model, "model": model, "epoch": n % 3}
            rows.append(
                keys | {"sample_id": f"q{n // 3:02}", "score": float(win == (model == "m"))}
            )
    figure = entry("rating", join=["sample_id", "epoch"])
    row = cell(counted(table(rows, {}, [], line=1), figure), "m", "n")
    share = won.mean()
    scores = (won - share).reshape(12, 3).sum(axis=1)
    error = (scores**2).sum() ** 0.5 / (len(won) * share * (1 - share)) * (12 / 11) ** 0.5
    elo = 400 / np.log(10)
    middle, reach = elo * np.log(share / (1 - share)), elo * student(0.975, 11) * error
    assert (row["samples"], row["units"]) == (36, 12)
    numbers = [row["value"], row["low"], row["high"]]
    assert numbers == pytest.approx([middle, middle - reach, middle + reach])


def test_differences_without_bounds_are_not_judged() -> None:
    """A problem that is not seen may hold any number of tokens; win rates are judged as ever."""
    rows = answers({"m": range(40), "n": range(2, 42)})
    row = cell(counted(rows, entry("difference")), "m", "n")
    assert (row["value"], row["low"], row["apart"]) == (-2, None, None)
    assert row["unjudged"] == states.UNBOUNDED
    assert cell(counted(rows, entry("win_rate")), "m", "n")["apart"] is True


def test_leads_have_the_joint_interval_of_all_pairs() -> None:
    """Means and win rates by hand: Bonferroni's t, bent where skewed, no narrower than least."""
    scores = sample()
    for word, lead_of in (("difference", lambda d: d), ("win_rate", lambda d: np.sign(d) / 2)):
        grid = counted(answers(scores), entry(word))
        start = 0.5 if word == "win_rate" else 0
        for first, second in permutations(scores, 2):
            leads = lead_of(scores[first] - scores[second])
            n = len(leads)
            skewed = abs(defined.skewness(leads - leads.mean()))
            half = defined.bent(student(1 - 0.05 / 12, n - 1), skewed) * leads.std(ddof=1) / n**0.5
            least = defined.least(4) / n * (0.5 if word == "win_rate" else 1)
            half = max(half, least)
            row = cell(grid, first, second)
            low, high = start + leads.mean() - half, start + leads.mean() + half
            assert row["value"] == pytest.approx(start + leads.mean())
            assert [row["low"], row["high"]] == pytest.approx(
                [max(low, 0 if start else -1), min(high, 1)]
            )
            assert row["apart"] == (not low <= start <= high)
            assert row["tied"] == (not row["apart"])
            tally = [int((leads > 0).sum()), int((leads == 0).sum()), int((leads < 0).sum())]
            assert [row["wins"], row["ties"], row["losses"]] == tally
        assert {True, False} == {*grid["apart"].drop_nulls()}


@pytest.mark.parametrize("word", ["kappa", "correlation"])
def test_intervals_are_the_jackknife_of_fishers_z(word: str) -> None:
    """Each problem left out by hand; variants of a family are left out together."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 3, 30) / 2
    second = np.where(rng.random(30) < 0.5, first, rng.integers(0, 3, 30) / 2)
    for family, groups in (
        (None, range(30)),
        (r"^q(\d?)\d$", [str(n)[:-1] or "q" for n in range(30)]),
    ):
        names = [f"{group}" for group in groups]

        def number(kept: list[int]) -> float:
            x, y = first[kept], second[kept]
            if word == "correlation":
                return float(np.corrcoef(x, y)[0, 1])
            chance = sum((x == v).mean() * (y == v).mean() for v in (0, 0.5, 1))
            return float(((x == y).mean() - chance) / (1 - chance))

        every = [*range(30)]
        units = [*dict.fromkeys(names)]
        z = np.arctanh([number([n for n in every if names[n] != unit]) for unit in units])
        error = ((len(z) - 1) / len(z) * ((z - z.mean()) ** 2).sum()) ** 0.5
        reach = student(0.975, len(z) - 1) * error
        middle = np.arctanh(number(every))
        row = cell(
            counted(answers({"m": first, "n": second}), entry(word, family=family)), "m", "n"
        )
        if len(z) < 5:
            assert (row["low"], row["unjudged"]) == (None, states.ALIKE)
        else:
            assert [row["low"], row["high"]] == pytest.approx(
                np.tanh([middle - reach, middle + reach])
            )
        assert row["units"] == len(units)


def test_games_and_common_problems_give_the_same_picture() -> None:
    """Answers that were judged against each other, problem by problem, beside their games."""
    scores = sample(n=40)
    results = []
    for first, second in (("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")):
        signs = np.sign(scores[first] - scores[second])
        results += [(first, second, float(sign / 2 + 0.5)) for sign in signs]
    played, solved = games(results), answers(scores)
    for word in ("win_rate", "rating"):
        figures = entry(word, opponent="opponent"), entry(word)
        by_games, by_problems = counted(played, figures[0]), counted(solved, figures[1])
        same = ["y", "x", "value", "samples", "wins", "ties", "losses", "gap"]
        left, right = by_games.select(same), by_problems.select(same)
        assert left.drop("value").equals(right.drop("value"), null_equal=True)
        assert np.allclose(left["value"].fill_null(0), right["value"].fill_null(0), atol=1e-8)
        drawn = [KIND.draw(grid, figure).to_dict(validate=False) for grid, figure in
                 zip((by_games, by_problems), figures, strict=True)]  # fmt: skip
        texts = [[row["label"] for row in spec["datasets"]["cells"]] for spec in drawn]
        assert texts[0] == texts[1]


def test_the_middle_of_the_colours_is_the_value_of_equals() -> None:
    """50 % for win rates, 0 for differences and ratings; what is alike both ways has none."""
    middles = {word: entry(word).color(f"{word}(score)").center for word in WORDS}
    assert middles == {
        "win_rate": 50.0, "difference": 0.0, "rating": 0.0,
        "agreement": None, "kappa": None, "correlation": None,
    }  # fmt: skip


def test_margins_are_means_against_all_others() -> None:
    """Of ratings, that is each rating less the mean of the others; no row lacks one for itself."""
    rows = answers(sample())
    figure = entry("rating", margins=["against"])
    grid = counted(rows, figure)
    spec = KIND.draw(grid, figure).to_dict(validate=False)
    (name,) = (name for name in spec["datasets"] if name.startswith("means"))
    drawn = [row["label"] for row in spec["datasets"][name]]
    means = [grid.filter(pl.col("y") == model)["value"].mean() for model in "abcd"]
    assert drawn == [f"{mean:+.0f}".replace("-", "−") for mean in means]
    assert "set apart: means of rows, without each against itself" in str(spec)
    assert "hatched where one has a cell" not in str(spec)


def test_the_best_stands_on_top_and_left() -> None:
    """By its mean against all others; `sort` says otherwise; both axes have one order."""
    rows = answers(sample())
    orders: dict[Any, list[str]] = {
        None: [*"abcd"], "value": [*"abcd"], "-value": [*"dcba"], "descending": [*"dcba"],
    }  # fmt: skip
    for order, expected in orders.items():
        keys = {} if order is None else {"sort": {"model": order}}
        grid = counted(rows, entry("difference", **keys))
        for axis in "yx":
            assert grid[axis].unique(maintain_order=True).to_list() == expected
    listed = counted(rows, entry("kappa", sort={"model": ["c", "a", "d", "b"]}))
    assert listed["y"].unique(maintain_order=True).to_list() == [*"cadb"]
    alike = counted(rows, entry("agreement", sort={"model": "similarity"}))
    assert {*alike["y"][::4]} == {*"abcd"}


UNDEFINED = {
    "agreement": (None, 0.5), "difference": (None, -0.5), "win_rate": (None, 0.25),
    "kappa": (states.CONSTANT, None), "correlation": (states.CONSTANT, None),
}  # fmt: skip


@pytest.mark.parametrize("word", UNDEFINED)
def test_numbers_that_are_not_defined_are_states_with_words(word: str) -> None:
    """All answers right on both sides, or on one: no 0 and no NaN, but why, in all texts."""
    level = [1] * 4 if word in ("kappa", "correlation") else [0, 0, 1, 1]
    other = [1] * 4
    rows = answers({"m": level, "n": other, "o": [0, 1, 0, 1], "p": [0, 1, 1, 1]})
    figure = entry(word)
    grid = counted(rows, figure)
    gap, value = UNDEFINED[word]
    row = cell(grid, "m", "n")
    assert (row["gap"], row["value"]) == (gap, value if gap else pytest.approx(value))
    words = " ".join(KIND.caption(grid, figure)) + KIND.csv(grid, figure)
    assert ("undefined: all scores" in words) == bool(gap)
    behind = KIND.behind(rows, grid, figure, {"model": "m", "against": "n"})
    assert (behind.agrees, behind.state, behind.samples) == (True, gap or "", 4)


def test_a_rating_of_one_that_always_wins_is_a_state() -> None:
    """No finite number is likeliest; beside one win and one loss each it is finite."""
    figure = entry("rating")
    with pytest.raises(Error, match="no finite rating: some win, or lose, all against the others"):
        KIND.aggregate(answers({"m": [1, 1], "n": [0, 0]}), figure, None)
    grid = counted(answers({"m": [1, 1, 0], "n": [0, 0, 1]}), figure)
    assert cell(grid, "m", "n")["value"] == pytest.approx(400 * np.log10(2))


def test_two_without_common_problems_are_a_state_and_all_are_refused() -> None:
    """A cell says that it has none; a figure of such cells alone says which column is to join."""
    rows = answers({"m": [1, 0, None], "n": [None, None, 1], "o": [1, 1, 0]})
    grid = counted(rows, entry("difference"))
    assert (cell(grid, "m", "n")["gap"], cell(grid, "m", "o")["samples"]) == (states.UNCOMMON, 2)
    apart = answers({"m": [1, 0, None], "n": [None, None, 1]})
    why = r"no two values of 'model' share any sample_id, so there is nothing to compare; `join`"
    with pytest.raises(Error, match=why):
        KIND.aggregate(apart, entry("win_rate"), None)
    with pytest.raises(Error, match="is of two values, but 'model' has one: 'm'"):
        KIND.aggregate(answers({"m": [1, 0]}), entry("win_rate"), None)


def test_benchmarks_correlate_over_models() -> None:
    """Two tasks have no problem in common, but models; panels and counts change no number."""
    rng = np.random.default_rng(8)
    skill = rng.random(9)
    rows = []
    for task in "stu":
        for n, own in enumerate(skill):
            scores = {f"{task}{p}": float(rng.random() < own) for p in range(12)}
            keys = {"model": f"m{n}", "task": task, "log": f"{task}{n}", "run": f"{task}{n}"}
            rows += [keys | {"sample_id": p, "epoch": 0, "score": s} for p, s in scores.items()]
    samples = table(rows, {}, [], line=1)
    encoding = {"x": "against", "y": "task", "color": "correlation(score)"}
    figure = entry("", encoding=encoding, join=["model"])
    grid = counted(samples, figure, [counts.count(samples.collect()).lazy()])
    means = samples.collect().group_by("task", "model").agg(pl.col("score").mean()).sort("model")
    by_task = [means.filter(task=task)["score"].to_numpy() for task in "st"]
    row = cell(grid, "s", "t")
    assert row["value"] == pytest.approx(np.corrcoef(*by_task)[0, 1])
    assert (row["samples"], row["epochs"]) == (9, 216)
    assert "9 instances per cell" in " ".join(KIND.caption(grid, figure))


@pytest.mark.parametrize("word", WORDS)
def test_all_outputs_have_the_same_number(word: str) -> None:
    """Figure, table, CSV, LaTeX, page, values and trace; marks and their words where judged."""
    rows = answers(sample())
    figure = entry(word)
    grid = counted(rows, figure)
    value = cell(grid, "a", "d")["value"]
    behind = KIND.behind(rows, grid, figure, {"model": "a", "against": "d"})
    assert (behind.agrees, behind.metric, behind.samples) == (True, f"{word}(score)", 60)
    assert behind.value == pytest.approx(behind.counted) == pytest.approx(value)
    assert [len(part.records) for part in behind.parts] == [2] * 60
    rows_of_table = {line.cells[:2]: line.cells for line in KIND.table(grid, figure).rows}
    printed = rows_of_table["a", "d"][2]
    values = KIND.printed_values(grid, figure)
    (shown,) = (c for c in values.cells.values() if c.address == {"model": "a", "against": "d"})
    assert shown.value == printed
    assert printed in KIND.latex(grid, figure)
    story = KIND.story(KIND.records([rows], figure, grid), figure, grid)
    place = story["y"]["values"].index("a") * 4 + story["x"]["values"].index("d")
    assert story["cells"][place]["facts"][0] == printed
    assert len(story["cells"][place]["parts"]) == 60
    first = story["cells"][place]["parts"][0]
    assert first[1] in ("1 − 0", "0 − 1")
    logs = [story["logs"][number] for number, *_ in story["cells"][place]["logs"]]
    assert sorted(logs) == ["a", "d"]
    assert KIND.problem_counts(rows, figure, grid, None, None) == []
    caption = " ".join(KIND.caption(grid, figure))
    assert ("pairs can be told apart" in caption) == (word in ("win_rate", "difference"))
    forged = grid.with_columns(pl.col("value") + 0.01)
    assert not any(
        agrees for *_, a, agrees in KIND.recounted(rows, forged, figure) if a is not None
    )
    for column in ("samples", "epochs", "wins", "ties", "losses"):
        forged = grid.with_columns(pl.col(column) + 1)
        wrong = [c for c, *_, agrees in KIND.recounted(rows, forged, figure) if not agrees]
        assert len(wrong) >= 12


@pytest.mark.parametrize(
    ("word", "metric"),
    [
        ("win_rate", "win_rate"),
        ("Elo", "rating"),
        ("cohen-kappa", "kappa"),
        ("pearson", "correlation"),
    ],
)
def test_other_words_lead_to_these_metrics(word: str, metric: str) -> None:
    """As papers and libraries have them."""
    encoding = {"x": "against", "y": "model", "color": word}
    (wrong, *_) = entry("", encoding=encoding).mistakes()
    assert f"of two values of a column {metric}(score), with x: against" in wrong.message


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"encoding": {"x": "model", "y": "task", "color": "kappa(score)"}}, "encoding.x", "write against"),
    ({"encoding": {"x": "against", "y": "model", "color": "pass@1"}}, "encoding.x", "win_rate"),
    ({"encoding": {"x": "against", "y": "task", "color": "kappa(score)"}}, "join", "join: [model]"),
    ({"join": ["model"]}, "join", "is compared"),
    ({"annotate": "count"}, "annotate", "no other number"),
    ({"relative_to": {"model": "a"}}, "relative_to", "does not go"),
    ({"mean_over": "task"}, "mean_over", "does not go"),
    ({"sort": {"against": "value"}}, "sort.against", "in the order of 'model'"),
    ({"encoding": {"x": "against", "y": "model", "color": ["kappa(score)", "count"]}},
     "encoding.color[0]", "stands alone"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "key", "words"), REFUSED)
def test_keys_that_do_not_go_with_two_values_are_refused(
    keys: dict[str, Any], key: str, words: str
) -> None:
    """Each at its key, with the way out."""
    found = {wrong.place: wrong.message for wrong in entry("kappa", **keys).mistakes()}
    assert words in found[f".{key}"]


def test_records_that_cannot_give_a_number_are_refused() -> None:
    """Games have no score of each side, made-up problems no winner, many scores no outcomes."""
    made_up = answers(sample()).with_columns(reconstructed=True)
    with pytest.raises(Error, match=r"is reconstructed; write difference\(score\)"):
        KIND.aggregate(made_up, entry("win_rate"), None)
    grid = counted(made_up, entry("difference"))
    assert {*grid["unjudged"].drop_nulls()} == {states.MADE_UP}
    with pytest.raises(Error, match=r"a game has one for both; write win_rate\(score\)"):
        KIND.aggregate(games([("a", "b", 1.0)]), entry("kappa", opponent="opponent"), None)
    fine = np.random.default_rng(0).random((2, 30))
    with pytest.raises(Error, match=r"60 different ones; write correlation\(score\)"):
        KIND.aggregate(answers(dict(zip("mn", fine, strict=True))), entry("kappa"), None)
    assert pair_grid.MOST_OUTCOMES < 60
    mixed = pl.concat([answers({"m": [1, 0]}), answers({"n": [0, 1]}),
                       answers({"m": [1, 1]}, task="u").with_columns(run=pl.lit("z"))])  # fmt: skip
    with pytest.raises(Error, match=r"values of 'task' .*name 'task' under panel or pool"):
        KIND.aggregate(mixed, entry("difference"), None)
