"""How the cells of a panel stand together, in words: one is highest, or several may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.judged import ALPHA
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cell import Cell, ChanceSpread, Place, PlainCells
    from heatproof.kinds.heatmap.reasons import Scope
    from heatproof.kinds.question import Question
    from heatproof.util.numerals import Digits

NAMED_AT_MOST = 4  # values of an axis, or panels, that are named at most
ITSELF = "the baseline itself"
APART = "can be told apart from the baseline"
ALIKE = "cannot be told apart from the baseline"
PAIR_APART = "row and column can be told apart"
PAIR_ALIKE = "row and column cannot be told apart"
Sort = Literal["none", "one", "several", "differ", "equal", "sets", "unjudged"]
SORTS: Mapping[Sort, str] = {
    "none": "none is clearly {best}",
    "one": "one is {best}",
    "several": "several may be {best}",
    "differ": "some differ",
    "equal": "none differs",
    "sets": "",  # the meanings of the marks say that they hold within each
    "unjudged": "not judged",
}
"""How the cells of a panel stand, in the fewest words."""


class Verdict(NamedTuple):
    """What is said of the cells of a panel together."""

    line: str = ""
    chance: str = ""
    """How far values spread, and how far equal settings would; empty where that is not known, and
    where cells are told apart: that says more."""
    noise: float = 0.0
    """Spread of equal settings in 95 % of samples, in the unit shown; 0 if cells are told apart."""
    judged: bool = False  # whether some of them are compared
    power: str = ""
    """Which differences would be noticed, and how many problems ever differ; for the page."""
    brief: str = ""  # `line` in a few words
    sort: Sort = "unjudged"
    fewest: str = ""  # words of `sort`
    tops: Mapping[str, Sequence[str]] = {}
    """Axis → labels of the values that may be the best on average, where that is told."""
    is_remark: bool = False  # a remark on marks, or on their lack, says no less than `line`

    @property
    def words(self) -> str:
        """Both: "spread 10.0; equal settings would spread 10.7 (…): no setting is clearly …"."""
        return ": ".join(filter(None, [self.chance, self.line]))

    @property
    def at_length(self) -> str:
        """The same, and what the panel could have shown."""
        return ". ".join(filter(None, [self.words, self.power]))


def no_top(ends: str) -> str:
    """Of a panel with all its cells in the tied set."""
    return f"no setting is clearly {ends}"


def why_no_top(chance: ChanceSpread, top: str) -> str:
    """The same, or that no panel of so few problems could be another."""
    if chance.chance_p is None:
        return f"too few problems to tell which setting is {top}"
    return no_top(top)


def verdicts(
    cells: PlainCells, question: Question, digits: Mapping[str, Digits]
) -> dict[Place, Verdict]:
    """Labels of a panel → its verdict; `digits`: metric → how its values are printed."""
    if question.pair and question.pair.is_alike:
        return {}
    is_asked = question.relative_to or question.uncertainty in ("tied", "interval")
    if not is_asked or "none" in (question.uncertainty, question.marks):
        return {}
    panels: dict[Place, list[Cell]] = {}
    for cell in cells:
        panels.setdefault(cell.panel, []).append(cell)
    if question.relative_to:
        return {place: baseline_verdict(panel) for place, panel in panels.items()}
    if question.pair:
        return {place: pair_verdict(panel) for place, panel in panels.items()}
    questions = question.by_metric()
    judged = {}
    for place, panel in panels.items():
        metric_word = panel[0].metric
        judged[place] = panel_verdict(panel, questions[metric_word], digits[metric_word])
    return judged


def panel_verdict(cells: PlainCells, question: Question, digits: Digits) -> Verdict:
    """The verdict on the cells of one panel; of sets that share no problems, one on all of them."""
    sets: dict[int, list[Cell]] = {}
    for cell in cells:
        if cell.peers is not None and cell.chance is not None:
            sets.setdefault(cell.peers, []).append(cell)
    why = _doubts(cells, question, has_judged=bool(sets))
    scope = reasons.scope(cells, question)
    if len(sets) == 1:
        (peers,) = sets.values()
        return _set_verdict(peers, why, scope, question, digits)
    lines = why
    sort: Sort = "unjudged"
    if sets:
        lines = [_sets_words(list(sets.values()), scope, question)] + why
        sort = "sets"
    fewest = SORTS[sort]
    return Verdict(
        "; ".join(filter(None, lines)),
        judged=bool(sets),
        brief=fewest,
        sort=sort,
        fewest=fewest,
        is_remark=len(why) == 1 and not sets,
    )


def _doubts(cells: PlainCells, question: Question, *, has_judged: bool) -> list[str]:
    """Why there is no verdict on some cells; `has_judged`: others have one."""
    sets: dict[str, set[int | None]] = {}
    for cell in cells:
        if cell.doubt:
            sets.setdefault(cell.doubt, set()).add(cell.peers)
    words = []
    for kind, among in sets.items():
        text = reasons.doubt_words_of(kind, question)
        words.append(f"in {len(among):,} {text}" if has_judged else text)
    return words


def _set_verdict(
    peers: PlainCells, why: Sequence[str], scope: Scope, question: Question, digits: Digits
) -> Verdict:
    """The verdict on cells that are all compared; `why`: there is none on others."""
    tops = _best_levels(peers)
    lines = [_set_words(peers, scope, question, digits), _level_words(tops, question), *why]
    brief, sort = _brief_words(peers, question)
    chance, noise, is_remark = "", 0.0, False
    if sort == "none":
        chance, noise = _chance_words(peers[0].chance, question, digits)
        is_remark = not (why or tops or _is_beyond_chance(peers[0].chance))
    fewest = SORTS[sort].format(best=question.best)
    return Verdict(
        "; ".join(filter(None, lines)),
        chance=chance,
        noise=noise,
        judged=True,
        power=_power_words(peers, question, digits),
        brief=brief or fewest,
        sort=sort,
        fewest=fewest,
        tops=tops,
        is_remark=is_remark,
    )


def _sets_words(sets: Sequence[PlainCells], scope: Scope, question: Question) -> str:
    """Within what cells are compared, and in how many of these none is the best."""
    none = no_top(f"{question.best}")
    bare = 0
    for peers in sets:
        bare += all(cell.tied for cell in peers)
    if bare == len(sets):
        return f"{none} of its {scope.name}"
    compared = f"compared within each {scope.name}"
    if bare:
        return f"{compared}: in {bare:,} of {len(sets):,} {none}"
    return compared


def _is_beyond_chance(chance: ChanceSpread | None) -> bool:
    """Whether values spread further than chance has it."""
    return chance is not None and chance.chance_p is not None and chance.chance_p <= ALPHA


def _chance_words(
    chance: ChanceSpread | None, question: Question, digits: Digits
) -> tuple[str, float]:
    """How far values spread and equal settings would, and the latter in 95 % of samples."""
    if chance is None or chance.chance_p is None:
        return "", 0.0
    numbers = chance.spread_equal, chance.chance_median, chance.chance_high
    spans = [question.unit.span(number) for number in numbers if number is not None]
    if len(spans) < len(numbers):
        return "", 0.0
    spread, median, high = map(digits.value, spans)
    words = f"spread {spread}; equal settings would spread {median}"
    return f"{words} (in {100 * (1 - ALPHA):g}\u00a0% of samples up to {high})", spans[-1]


def _set_words(peers: PlainCells, scope: Scope, question: Question, digits: Digits) -> str:
    """The highest of the cells that are compared, and how many cannot be told apart from it.

    "highest 87.5; 2 others cannot be told apart from it"; "no setting is clearly highest".
    """
    number = len(peers)
    tied = sum(cell.tied for cell in peers)
    if tied == number:
        return _no_top_words(peers[0].chance, question)
    best_cells = [cell for cell in peers if cell.best]
    best = [digits.value(cell.value or 0.0, cell.typical_error) for cell in best_cells]
    top = f"{question.best}{scope.of('each')}"
    if any(cell.samples > (cell.common or 0) for cell in peers):
        top += " on equal problems"
    if len(set(best)) == 1:
        top += f" {best[0]}"
    if len(best) > 1:
        top += f" in {len(best)} cells"
    tied_others = tied - len(best)
    rivals = number - len(best)
    if tied_others:
        others = numbered(tied_others, "other")
        return f"{top}; {others} cannot be told apart from it"
    if number == 2:
        beyond = "above" if question.best == "lowest" else "below"
        return f"{top}; the other is significantly {beyond} it"
    # Each is significantly behind some cell; behind the best alone a test of the two may say less.
    rival_words = "the other is"
    if rivals > 1:
        rival_words = f"the {rivals:,} others are"
    return f"{top}; {rival_words} not the {question.best}"


def _no_top_words(chance: ChanceSpread | None, question: Question) -> str:
    """Of cells that are all in the tied set."""
    if chance is None:
        return ""
    why = why_no_top(chance, f"{question.best}")
    if _is_beyond_chance(chance):
        return f"{why}, yet values spread beyond chance"
    return why


def _brief_words(peers: PlainCells, question: Question) -> tuple[str, Sort]:
    """The verdict on cells that are compared in a few words, where numbers say more; its sort."""
    number = len(peers)
    tied = sum(cell.tied for cell in peers)
    if tied == number:
        return "", "none"
    if tied == 1:
        return f"one of {number:,} is {question.best}", "one"
    return f"{tied:,} of {number:,} may be {question.best}", "several"


def _power_words(peers: PlainCells, question: Question, digits: Digits) -> str:
    """What cells that are compared could have shown: "61 of 198 problems ever differ. …"."""
    chance = peers[0].chance
    size = max(cell.samples for cell in peers)
    if chance is None or chance.varying is None:
        return ""
    ever = f"{chance.varying:,} of {size:,} problems ever differ"
    spans = []
    for number in (chance.resolution, chance.resolution_epochs, chance.resolution_problems):
        span = question.unit.span(number)
        spans.append(None if span is None else digits.value(span))
    with_these, epochs, problems = spans
    if with_these is None:
        return ever
    enough = []
    if epochs not in (None, with_these):
        enough.append(f"with more epochs {epochs} at best")
    if problems is not None:
        enough.append(f"with four times the problems {problems}")
    noticed = (
        f"Differences of {with_these} would mostly be noticed here, half as large ones mostly not"
    )
    if enough:
        listed = ", ".join(enough)
        noticed = f"{noticed}; {listed}"
    return f"{ever}. {noticed}"


def _best_levels(cells: PlainCells) -> dict[str, list[str]]:
    """Axis → labels of the values that may be the best on average, if others are told not to be."""
    x_tops = {cell.x: cell.top_x for cell in cells}
    y_tops = {cell.y: cell.top_y for cell in cells}
    best = {}
    for axis, tops in (("x", x_tops), ("y", y_tops)):
        if False in tops.values():
            best[axis] = [label for label, top in tops.items() if top]
    return best


def _level_words(tops: Mapping[str, Sequence[str]], question: Question) -> str:
    """Which values of axes may be best: "on average highest at ratio 0.4 or 0.5, at model a"."""
    columns = {"x": question.x, "y": question.y}
    places = []
    for axis, labels in tops.items():
        names = list(labels[:NAMED_AT_MOST])
        unnamed = len(labels) - NAMED_AT_MOST
        if unnamed > 0:
            names.append(f"{unnamed} more")
        *first, last = names
        listed = last
        if first:
            first_labels = ", ".join(first)
            listed = f"{first_labels} or {last}"
        title = reasons.among_title(columns[axis], question)
        places.append(f"at {title} {listed}")
    if places:
        return f"on average {question.best} {', '.join(places)}"
    return ""


def baseline_verdict(cells: PlainCells) -> Verdict:
    """How many cells can be told apart from their baseline, and how many of these are above."""
    judged = [cell for cell in cells if cell.judged]
    differences = [cell.value or 0.0 for cell in judged if cell.differs]
    doubtful = sum(cell.doubtful is not None for cell in cells)
    if not judged:
        silent = SORTS["unjudged"]
        return Verdict("not judged" if doubtful else "", brief=silent, fewest=silent)
    number = f"{len(differences) or 'none'} of {len(judged):,}"
    line = f"{number} {APART}"
    if differences:
        line += f", {sum(value > 0 for value in differences):,} above it"
    if doubtful:
        line += f", {doubtful:,} not judged"
    sort: Sort = "differ" if differences else "equal"
    brief = f"{number} differ"
    if not differences:
        brief = SORTS[sort]
    return Verdict(line, judged=True, brief=brief, sort=sort, fewest=SORTS[sort])


def pair_verdict(cells: PlainCells) -> Verdict:
    """How many pairs can be told apart; each stands in two cells."""
    judged = [cell for cell in cells if cell.apart is not None]
    if not judged:
        return Verdict(brief=SORTS["unjudged"], fewest=SORTS["unjudged"])
    apart = sum(cell.apart is True for cell in judged) // 2
    sort: Sort = "differ" if apart else "equal"
    words = f"{apart or 'none'} of {len(judged) // 2:,} pairs can be told apart"
    return Verdict(words, judged=True, brief=words, sort=sort, fewest=SORTS[sort])
