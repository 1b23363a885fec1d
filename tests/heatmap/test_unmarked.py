"""Why sets of cells have no mark: said where they stand beside sets that have one, and elsewhere."""

import msgspec
import pytest

from heatproof.kinds import states
from heatproof.kinds.heatmap.cell import ChanceSpread, Drawn
from heatproof.kinds.heatmap.unmarked import unmarked
from heatproof.util.numerals import spanned
from support.heatmaps import entry

QUESTION = entry(panel=None).question
NOTHING = dict.fromkeys(ChanceSpread.__struct_fields__)
BY_CHANCE = msgspec.convert(NOTHING | {"spread": 1.0, "chance_p": 0.5}, ChanceSpread)
FEW = msgspec.convert(NOTHING | {"spread": 1.0}, ChanceSpread)
STATES = {
    "marked": {"bold": True, "chance": BY_CHANCE},
    "alike": {"chance": BY_CHANCE},
    "few": {"chance": FEW},
    "uneven": {"doubt": states.UNEVEN},
    "alone": {"peers": None},
    "crowd": {"best": True},
    "missing": {"value": None},
}


def cells(columns: dict[str, str], panel: str = "") -> list[Drawn]:
    """Two rows; `columns`: name of a column → the state of its cells."""
    rows = []
    for number, (x, state) in enumerate(columns.items()):
        for y in ("low", "high"):
            keys = {"value": 1.0, "peers": number} | STATES[state]
            cell = Drawn(number=len(rows), metric=QUESTION.word, panel=(panel,), x=x, y=y, **keys)
            rows.append(cell)
    return rows


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"a": "marked", "b": "marked"}, []),
        ({"a": "marked", "b": "missing"}, []),
        ({"a": "marked", "b": "alike"}, ["no mark: no setting is clearly highest"]),
        ({"a": "few"}, ["no mark: too few problems to tell which setting is highest"]),
        ({"a": "marked", "b": "uneven"}, ["no mark: not judged, cells hold different problems"]),
        ({"a": "marked", "b": "crowd"}, ["no mark: several share the highest value"]),
        (
            {"a": "alike", "b": "uneven", "c": "alone"},
            [
                "no mark: no setting is clearly highest of its set of cells that share problems",
                "no mark in b: not judged, cells hold different problems",
                "no mark in c: not compared, no problem in common with others",
            ],
        ),
    ],
)
def test_columns_without_a_mark_are_explained(columns: dict[str, str], told: list[str]) -> None:
    """One reason holds for all that have no mark; of several, each is said of its columns."""
    texts = [remark.text for remark in unmarked(cells(columns), QUESTION)]
    assert [text.replace(" of its ratio", "") for text in texts] == told


def test_a_cell_that_is_alone_needs_no_reason() -> None:
    """There is nothing that it could be compared with."""
    assert unmarked(cells({"a": "alone"})[:1], QUESTION) == []


@pytest.mark.parametrize(
    ("counts", "text"), [([1, 1], "1 problem"), ([2], "2 problems"), ([1, 3], "1–3 problems")]
)
def test_one_problem_is_no_plural(counts: list[int], text: str) -> None:
    """Of all cells together."""
    assert spanned(counts, "problems") == text
