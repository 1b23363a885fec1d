"""Keys of all figures that show cells, and what they ask: each has a question, or one a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from heatproof.config.choice import Word  # noqa: TC001  msgspec looks it up
from heatproof.config.entries import Figure, of_kind
from heatproof.kinds import rules
from heatproof.kinds.question import K, Order, Question
from heatproof.util.errors import Mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heatproof.config.choice import Choice
    from heatproof.config.entries import ListedValues, NamedColumns
    from heatproof.config.roles import Type
    from heatproof.kinds.recount import Definition


class Cells(Figure, kw_only=True):
    """A figure of cells: a heatmap, or a kind that shows the same numbers in another form."""

    LOOK: ClassVar[set[str]] = {"percent"}

    panel: str | None = None
    """A panel for each value of this column; `columns` sets how many stand in a row."""
    mean_over: str | None = None
    """Numbers are unweighted means over the values of this column."""
    pool: list[str] = []
    """Columns whose values a number may mix."""
    k: list[int] = []
    """Numbers of samples, for a metric such as `pass@k` with `k` along an axis."""
    sort: dict[str, list[Word] | Order] = {}
    """Column → its values in order, or a word: ascending (by default), descending, value (by the
    mean of the cells that all have; along y the best name on top), -value, config (as `where` lists
    them), similarity (average linkage)."""
    percent: bool | None = None
    """Show values in percent; by default for scores."""

    @property
    def question(self) -> Question:
        """What its cells are."""
        raise NotImplementedError

    def questions(self) -> list[Question]:
        """All that it counts; each kind has more than one only where its cells have two numbers."""
        return [self.question]

    def definitions(self) -> list[Definition]:
        """What its numbers are, for `trace` and `verify`."""
        return self.question.definitions()

    def _asked(self, ask: Callable[[Question], dict[str, Any]]) -> dict[str, Any]:
        """Answers of all questions, by key."""
        keys: dict[str, Any] = {}
        for question in self.questions():
            keys |= ask(question)
        return keys

    def used(self) -> NamedColumns:
        return super().used() | self._asked(Question.used)

    def required(self) -> ListedValues:
        return super().required() | self._asked(Question.required)

    def spelled(self) -> ListedValues:
        return super().spelled() | self._asked(Question.spelled)

    def metrics(self) -> NamedColumns:
        return self._asked(Question.metrics)

    def selected(self) -> dict[str, Choice]:
        return self.question.selected()

    def labelled(self) -> list[str]:
        return self.question.labelled()

    def called(
        self, column: str, values: Sequence[Any], plain: Sequence[str] = ()
    ) -> dict[Any, str]:
        return self.question.called(column, values, plain)

    def expects(self) -> bool:
        return True

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[Mistake]:
        mistakes = []
        for question in self.questions():
            mistakes += question.misranged(ranges)
        return mistakes

    def mistakes(self) -> list[Mistake]:
        first, *further = self.questions()
        mistakes = super().mistakes() + rules.mistakes(first)
        for question in further:
            key = f".{question.keys['color']}"
            mistakes += [wrong for wrong in rules.mistakes(question) if wrong.place == key]
        return mistakes

    def mistyped(self, types: Mapping[str, Type]) -> list[Mistake]:
        mistakes = super().mistyped(types)
        if self.k and K in types:
            why = f"the source has a column {K!r} too, and an axis shows one; rename that column"
            mistakes.append(Mistake(".k", why))
        return mistakes

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        fitted = super().fitted(types)
        for key in ("sort", "groups", "relative_to"):
            if hasattr(fitted, key):
                setattr(fitted, key, fit_values(getattr(fitted, key), types))
        return fitted


def fit_values(values: Mapping[str, Any], types: Mapping[str, Type]) -> dict[str, Any]:
    """Column → value, values, or label → values, as columns of these types hold them."""
    fitted: dict[str, Any] = {}
    for column, value in values.items():
        kind = types.get(column)
        if isinstance(value, dict):
            fitted[column] = {label: of_kind(listed, kind) for label, listed in value.items()}
        else:
            fitted[column] = of_kind(value, kind)
    return fitted
