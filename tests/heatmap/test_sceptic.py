"""What a sceptic asks of a figure: each mark it has is explained, and nothing is that it has not.

So in the lines below it, in its caption, in its LaTeX table and on its page; no sentence of any says
that settings are equal, or that one is the best.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import polars as pl
import pytest

from heatproof.charts import spec, theme
from heatproof.kinds import api
from heatproof.kinds.heatmap.unmarked import ALONE
from support.samples import table
from support.toys import behind

Study = Callable[[str, str, int, int], float | None]
"""Model, task, level and problem → score; None: nobody ran it."""
LEVELS = (1, 2, 3, 4)
PROBLEMS = 40


def clear(model: str, _: str, level: int, problem: int) -> float:
    """The highest level solves nearly all, the one below it a problem less, others half or less."""
    solved = {4: 38, 3: 37, 2: 20, 1: 12}[level] - (model == "y")
    return float((7 * problem) % PROBLEMS < solved)


def even(model: str, _: str, level: int, problem: int) -> float:
    """Each setting solves three of five problems, each others."""
    return float((problem + 2 * level + (model == "y")) % 5 < 3)


def alone(model: str, task: str, level: int, problem: int) -> float | None:
    """The highest level ran problems of its own, and x is compared among the others."""
    return clear(model, task, level, problem) if level < 4 else 1.0


def gaps(model: str, task: str, level: int, problem: int) -> float | None:
    """One run is not there, another one ends early."""
    missing = (level, model) == (1, "x") or ((level, model) == (2, "x") and problem > 30)
    return None if missing else clear(model, task, level, problem)


def boarded(model: str, task: str, _: int, problem: int) -> float:
    """Of three models one is behind."""
    return clear(model, task, 2 if model == "z" else 4, problem)


@cache
def samples(study: Study, reconstructed: bool = False) -> pl.LazyFrame:
    """Two models, two tasks with names in small letters, four levels, 40 problems."""
    models, tasks = "xyz" if study is boarded else "xy", ("aime24", "gsm8k")
    rows = [
        {"log": f"data/{model}-{task}-{level}.jsonl", "run": f"{model}-{task}-{level}"}
        | {"model": model, "task": task, "level": level}
        | {"sample_id": f"{task}{model if study is alone and level == 4 else ''}{problem}"}
        | {"score": score, "progress": score, "tokens": 100.0 + 50 * score + problem}
        for model, task, level, problem in product(models, tasks, LEVELS, range(PROBLEMS))
        if (score := study(model, task, level, problem)) is not None
    ]
    return table(rows, {"level": "int"}, ["progress", "tokens"], reconstructed=reconstructed)


def figure(kind: str = "heatmap", panel: Any = "task", **axes: Any) -> dict[str, Any]:
    """A figure, as config.yaml would give it."""
    return {"kind": kind, "encoding": axes, "panel": panel}


HEAT = figure(x="level", y="model", color="pass@1")
TASKS = figure(x="task", y="level", color="pass@1", panel=None) | {"where": {"model": "x"}}
BLOCKS = figure(x=["task", "level"], y="model", color="pass@1", panel=None)
ONE = {"where": {"task": "gsm8k"}, "panel": None}
BASELINE = {"relative_to": {"level": 1}}
FOREST = figure("forest", x="pass@1", y="level", panel=None)
SCATTER = figure("scatter", x="mean(tokens)", y="pass@1", label="level")
PAIRS = {"kind": "pairwise", "models": ["x", "y"], "form": "panels", "where": {"level": 4}}
BOARD = {"kind": "pairwise", "models": ["x", "y", "z"], "where": {"level": 3}}
CASES: dict[str, tuple[Study, dict[str, Any]]] = {
    "dots": (clear, HEAT),
    "dots of one panel": (clear, HEAT | ONE),
    "no verdict": (clear, HEAT | {"verdict": "none"}),
    "nothing told": (even, HEAT),
    "one task in each column": (clear, TASKS),
    "a label that is empty": (clear, TASKS | {"labels": {"task": ""}}),
    "alone": (alone, HEAT),
    "gaps": (gaps, HEAT),
    "lowest": (clear, figure(x="level", y="model", color="mean(tokens)") | {"best": "lowest"}),
    "sum": (clear, figure(x="level", y="model", color="sum(tokens)")),
    "errors": (clear, HEAT | {"uncertainty": "se"}),
    "intervals": (clear, HEAT | {"uncertainty": "interval"}),
    "no digits": (clear, HEAT | {"text": False}),
    "baseline": (clear, HEAT | BASELINE),
    "baseline without digits": (clear, HEAT | BASELINE | {"text": False}),
    "baseline of nothing": (even, HEAT | BASELINE),
    "frame": (clear, HEAT | {"highlight": [{"level": 2, "label": "the paper"}]}),
    "blocks": (clear, BLOCKS),
    "table": (gaps, figure("table", x="level", y="model", text="pass@1")),
    "forest": (gaps, FOREST | {"where": {"task": "gsm8k", "model": "x"}}),
    "line": (gaps, figure("line", x="level", y="pass@1", color="model")),
    "scatter": (clear, SCATTER | {"where": {"model": "x"}}),
    "pairs": (clear, PAIRS),
    "board": (boarded, BOARD),
    "reconstructed": (clear, HEAT),
}


class Outputs(NamedTuple):
    """All that is told of a figure."""

    chart: dict[str, Any]
    lines: str
    caption: list[str]
    latex: str
    page: Any
    story: dict[str, Any]

    @property
    def comments(self) -> list[str]:
        """Those below the LaTeX table."""
        below = self.latex.partition(r"\raggedright")[2].partition(r"\end{minipage}")[0]
        plain = below.replace("~", "\xa0")
        for sign, written in (("•", r"$^{\bullet}$"), ("±", r"$\pm$"), ("†", r"$^{\dagger}$")):
            plain = plain.replace(written, sign)
        return [line.replace("\\", "").removesuffix(".") for line in plain.strip().splitlines()]

    @property
    def sentences(self) -> list[str]:
        """Those beside the figure: of its caption, its LaTeX table and its page."""
        return [*self.caption, *self.comments, *self.page.key, *self.page.details]

    @property
    def said(self) -> str:
        """Every text of the figure, and all that stands beside it."""
        story = [flag for cell in self.story.get("cells", []) for flag in cell.get("flags", [])]
        return "\n".join([*texts(self.chart), *self.sentences, *story])


@cache
def outputs(name: str) -> Outputs:
    """Of a case."""
    study, keys = CASES[name]
    rows = samples(study, reconstructed=name == "reconstructed")
    entry = api.read({"name": "toy", "source": "toy", "id": False, **keys})
    kind = api.kind(entry.kind)
    grid = kind.aggregate(rows, entry)
    chart = json.loads(spec.text(kind.draw(grid, entry), {"reconstructed": False}))
    story = kind.story(behind([rows], entry, grid), entry, grid)
    texts = kind.caption(grid, entry), kind.latex(grid, entry), kind.table(grid, entry)
    return Outputs(chart, lines(chart), *texts, story)


def views(part: Any) -> Iterator[dict[str, Any]]:
    """All views of a spec that have a mark, with the data that they lie on."""
    if isinstance(part, list):
        for one in part:
            yield from views(one)
    elif isinstance(part, dict):
        if "mark" in part:
            yield part
        for name in ("concat", "hconcat", "vconcat", "layer"):
            for one in part.get(name, []):
                yield from views({"data": part.get("data"), **one} if "data" in part else one)


def texts(chart: Any) -> list[str]:
    """What is read in a figure: texts of marks, and descriptions."""
    found = [chart.get("description", "")]
    for view in views(chart):
        text = view["mark"].get("text", "")
        found += [text] if isinstance(text, str) else text if isinstance(text, list) else []
    return [text for text in found if isinstance(text, str)]


def lines(chart: Any) -> str:
    """The lines of a figure: those below it, and those above its panels."""
    found = [view["mark"]["text"] for view in views(chart) if "text" in view["mark"]]
    return " ".join(line for text in found if isinstance(text, list) for line in text)


STAMPS = {"missing": "–", "incomplete": "†", "dotted": "dot", "bold": "dot"}
"""Flag of a cell → the mark that shows it."""


EXPRESSIONS = {"datum.bold ?": "bold"}
"""How a mark looks that depends on the flag of its row → the mark."""


def marks(chart: Any) -> set[str]:
    """The marks that a figure has."""
    return {mark for view in views(chart) for mark in marks_of(view, chart["datasets"])}


def marks_of(view: dict[str, Any], datasets: dict[str, Any]) -> Iterator[str]:
    """Those of a view: of flags of its rows, and of what lies on the whole panel."""
    mark, rows = view["mark"], datasets.get((view.get("data") or {}).get("name", ""), [])
    tests = [one.get("filter") for one in view.get("transform", [])]
    for flag, name in STAMPS.items():
        if f"datum.{flag}" in tests and mark["type"] == "point":
            hollow = mark.get("fill") == "transparent"
            if not hollow or flag == "bold":
                yield from {"ring" if hollow else name for one in rows if one[flag]}
    for expression, name in EXPRESSIONS.items():
        if expression in json.dumps(mark):
            flag = expression.removeprefix("datum.").partition(" ")[0]
            yield from {name for one in rows if one[flag] and not one.get("missing")}
    field = view.get("encoding", {}).get("text", {}).get("field", "")
    if any(f"{row.get(field)}".startswith("–") and row["missing"] for row in rows):
        yield "–"
    if mark.get("strokeCap") == "square" and mark["stroke"] != theme.PAPER:
        yield "coloured frame"


EXPLAINED = {
    "–": r"(?<!\d)–: ",
    **{name: rf"\b{name}: " for name in (
        "bold", "ring", "dot", "coloured frame",
    )},
    "†": r"†: ",
}  # fmt: skip
"""Mark → how its meaning begins."""


def named(said: str) -> set[str]:
    """The marks that a text explains."""
    return {name for name, begin in EXPLAINED.items() if re.search(begin, said, re.IGNORECASE)}


@pytest.mark.parametrize("name", [one for one in CASES if CASES[one][1]["kind"] != "pairwise"])
def test_each_mark_is_explained_and_no_other(name: str) -> None:
    """Below the figure, in its caption and on its page."""
    out = outputs(name)
    assert named(" ".join(out.page.details)) == marks(out.chart), out.page.details
    assert named(out.lines) == marks(out.chart), out.lines
    assert named(" ".join(out.caption)) == marks(out.chart), out.caption


def test_the_cases_have_every_mark() -> None:
    """Else nothing would be asked of it."""
    found = set().union(*(marks(outputs(name).chart) for name in CASES))
    assert found == {*EXPLAINED}


SIGNS = {"bold": r"\textbf{", "•": r"\bullet", "±": r"$\pm$", "†": r"\dagger"}
"""Mark of a LaTeX table → how it is written."""


@pytest.mark.parametrize("name", CASES)
def test_tables_explain_their_marks_and_no_others(name: str) -> None:
    """That of LaTeX below it, that of the page above it."""
    page, body = outputs(name).page, outputs(name).latex.partition(r"\begin{tabular}")[2]
    for word, sign in SIGNS.items():
        explained = any(line.startswith(f"{word}:") for line in outputs(name).comments)
        assert explained == (sign in body), word
    assert any("bold: " in key for key in page.key) == any(row.best for row in page.rows)
    dots = any(row.tied and not row.best for row in page.rows)
    assert any("•: " in key for key in page.key) == dots


BANNED = re.compile(
    r"\b(ties?|tied|best|distinguishable|told from|unjudged|peers|runner-up|all are equal|"
    r"no evidence|differs? from|1 others|0 cells|0 above and 0|1 cells|the all|each ,|its ,|each (and|by|of))\b|"
    r"within each ,"
)
"""Words that claim what no test shows, words of ours that no reader knows, and broken sentences."""
NAMES = re.compile(r"\b(Aime24|Gsm8k|N: |X:|X,)")
"""Names that are written otherwise."""


SAMPLES = "problems like these|of samples"


@pytest.mark.parametrize("name", CASES)
def test_no_sentence_claims_more_than_is_known(name: str) -> None:
    """In figure, alt text, caption, tables and page; 95 % are of problems like these.

    A caption has ninety words at most, and a figure no verdict and no reason why there is none.
    """
    all_texts, lines_below = outputs(name).said, outputs(name).lines
    assert not BANNED.search(all_texts), BANNED.search(all_texts)
    assert not NAMES.search(all_texts), NAMES.search(all_texts)
    assert sum(len(part.split()) for part in outputs(name).caption) <= 90
    assert not re.search(r"others? cannot|not judged:|no interval", lines_below)
    for part in outputs(name).sentences:
        assert not re.search("95\\s%", part) or re.search(SAMPLES, part), part
    assert len(re.findall("95\\s%", lines_below)) <= len(re.findall(SAMPLES, lines_below))


def test_a_cell_that_shares_no_problems_is_not_compared() -> None:
    """It is not below the highest of its model, which no line of the figure then speaks of."""
    out = outputs("alone")
    number = sum(ALONE in cell["flags"] for cell in out.story["cells"])
    assert number == 4
    assert ALONE in " ".join(out.caption)
    assert any(ALONE in text for text in out.page.details)
    assert "cells share no problem with others: not compared" in out.chart["description"]
    assert ALONE in out.latex
    assert "of its model" not in out.said
    assert "highest of its set of cells that share problems" in out.said


def test_the_highest_says_how_many_cannot_be_told_apart_from_it() -> None:
    """On the page, where it is opened: it is surely the best only if there is none."""
    flags = [cell["flags"] for cell in outputs("dots of one panel").story["cells"]]
    alike = sum("cannot be told apart from the highest" in " ".join(texts) for texts in flags)
    (highest,) = [texts for texts in flags if any("highest of" in text for text in texts)]
    assert alike > 1
    assert f"{alike} others cannot be told apart from it" in highest
