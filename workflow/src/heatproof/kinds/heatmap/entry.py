"""The keys of a heatmap in config.yaml, and what those of its look cannot say together."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from heatproof.charts import colour
from heatproof.charts.colour import ColorScale
from heatproof.config.choice import Word  # noqa: TC001  msgspec looks it up
from heatproof.config.entries import refused
from heatproof.kinds import rules
from heatproof.kinds.cell_figure import Cells, fit_values
from heatproof.kinds.question import (
    Annotate,
    Best,
    Encoding,
    Looks,
    Marks,
    Question,
    Uncertainty,
    axis_columns,
)
from heatproof.metrics import is_share, metric

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.config.entries import Figure
    from heatproof.config.roles import Type
    from heatproof.kinds.rules import Rule
    from heatproof.util.errors import Mistake

Scale = Literal["independent", "shared", "row", "column"]
Letters = Literal["a", "A", "(a)", "(A)", "a)", "A)", "a.", "A."]


class Entry(Cells, kw_only=True):
    """A heatmap in config.yaml."""

    LOOK: ClassVar[set[str]] = {
        "scale", "palette", "text", "format", "domain", "columns", "letters", "margins",
        "color_scale", "legend", "verdict", "highlight",
    }  # fmt: skip

    encoding: Encoding
    """Columns along x and y, and the metric that gives the colour; each metric of a list has its
    own panels."""
    join: list[str] = msgspec.field(default_factory=lambda: ["sample_id"])
    """Of a number about two values, such as `win_rate(score)`: the columns by which they have an
    instance in common, such as `sample_id`, or `model` for two tasks."""
    row: str | None = None
    """A row of panels for each value of this column."""
    column: str | None = None
    """A column of panels for each value of this column."""
    best: Best | dict[str, Best] = "highest"
    """Mark the highest or the lowest value, or none; for several metrics, perhaps metric → one of
    these."""
    verdict: Marks | None = None
    """`dots` (by default) marks the cells that cannot be told apart from the highest."""
    looks: Looks | None = None
    """Whether the figure is looked at while its sweep grows (`many`): then its verdicts hold at
    every look, and need more to be given. By default `many` if records are missing, else `once`."""
    highlight: list[dict[str, Word]] = []
    """Cells to frame: their columns and values, and a `label` for the meaning of the frame."""
    scale: Scale | None = None
    """Which panels share colours: none (`independent`), all, those of a row, or those of a column.
    By default none; all blocks of nested axes."""
    palette: str | list[str] = ""
    """A name, or hex colours; by default lagoon, or poles for values of both signs or with a
    `center`."""
    color_scale: ColorScale = msgspec.field(default_factory=ColorScale)
    """How values become colours; you may also write its `domain` as a key of the figure."""
    uncertainty: Uncertainty = "tied"  # type: ignore[assignment]
    """Beside a number: its standard error (`se`), its 95 % interval, which others cannot be told
    apart from the highest (`tied`); or, with `relative_to`, `stars`: at which of 5, 1 and 0.1 % it
    differs from the baseline."""
    legend: bool | None = None
    """Draw the colour bar; by default if there is more than one value."""
    groups: dict[str, str | dict[str, list[Word]]] = {}
    """Column of x or y → the column that groups its values, or label of a group → its values.
    Groups keep this order; values without a group come last."""
    annotate: str | Annotate | None = None
    """A metric, or a column with one value in each cell, printed below each value; with `text:
    false`, in its place. `{text: …, format: …}` gives it a format; `{std: seed}` prints the
    standard deviation over seeds."""
    text: bool | None = None
    """Print values in cells; by default if they fit."""
    format: str | dict[str, str] | None = None
    """Number format of d3, such as `.2f`, or metric → format; by default what fits the values."""
    domain: list[float] | None = None
    """Ends of the colour scale, in the unit shown."""
    columns: int | None = None
    """Panels in a row."""
    letters: Letters | None = None
    """Letters before the names of panels, in this style."""
    relative_to: dict[str, Word | None] = {}
    """Column → its value in the baseline; `null` if logs do not give it. Cells show the difference
    to the baseline on common problems."""
    margins: bool | str | list[str] = False
    """Add unweighted means of cells that all have a value, set apart: of each row and column
    (`true`), over the columns that are listed, or of each group (`groups`)."""

    @property
    def question(self) -> Question:
        return Question.of(self)

    def fitted(self, types: Mapping[str, Type]) -> Figure:
        highlight = [fit_values(item, types) for item in self.highlight]
        return replace(super().fitted(types), highlight=highlight)

    def misranged(self, ranges: Mapping[str, list[float]]) -> list[Mistake]:
        ranged = replace(self, ranges={**ranges})
        return super().misranged(ranges) + rules.broken_rules(list(_one_unit(ranged)))

    def shows(self) -> str:
        if self.caption:
            return self.caption
        question = self.question
        metrics = ", ".join(question.metric_keys().values())
        text = f"{metrics} over {question.x} and {question.y}"
        if question.panels:
            panel_noun = "blocks" if question.nested else "a panel"
            text += f", {panel_noun} for each {' and '.join(question.panels)}"
        baseline = [f"{n} {'none' if v is None else v}" for n, v in self.relative_to.items()]
        if baseline:
            return f"{text}, difference to {', '.join(baseline)}"
        return text

    def mistakes(self) -> list[Mistake]:
        return super().mistakes() + look_mistakes(self)

    @property
    def prints(self) -> bool | None:
        """Whether cells have text; None: if there is room."""
        if self.annotate and self.text is False:
            return None
        return self.text

    @property
    def sharing(self) -> Scale:
        """Panels with the same colours."""
        return self.scale or ("shared" if self.question.nested else "independent")

    def color(self, metric_word: str) -> ColorScale:
        """How values of a metric become colours; those of equals are in their middle."""
        scale = self.color_scale.of_metric(metric_word)
        center = scale.center
        if scale.center is None:
            center = self.question.center
        return replace(scale, domain=self.domain or scale.domain, center=center)

    @property
    def colors(self) -> dict[str, ColorScale]:
        """The same of each metric."""
        return {
            metric_word: self.color(metric_word)
            for metric_word in self.question.metric_keys().values()
        }


# -------------------------------------------------------- what keys of its look cannot say together


def look_mistakes(entry: Entry) -> list[Mistake]:
    """All of them."""
    question = entry.question
    words = question.metric_keys().values()
    unread = []
    for metric_word in words:
        unread += refused("", metric, metric_word)
    broken = []
    if not unread:
        broken = list(_one_unit(entry))
    type_ = entry.color_scale.type
    broken += rules.unknown_metrics("color_scale.type", type_, question)
    domain_twice = entry.domain and entry.color_scale.domain
    broken.append((".domain", "color_scale.domain says the same; choose one", domain_twice))
    too_few = entry.columns is not None and entry.columns < 1
    broken.append((".columns", f"{entry.columns} is not 1 or more", too_few))
    why = f"are means of values, but with `text: false` cells show only {question.noted}"
    noteless = entry.text is False and entry.margins and question.noted
    broken.append((".margins", why, noteless))
    broken += (
        _block_rules(entry, question) if question.nested else _wrapped_panel_rules(entry, question)
    )
    mistakes = rules.broken_rules(broken)
    if entry.palette != "":
        mistakes += refused(".palette", colour.palette, entry.palette)
    scales = []
    for scale in entry.colors.values():
        scales += scale.mistakes()
    single = question.word
    if question.several:
        single = ""
    domain = entry.color(single).domain
    if single and domain and not (scales or unread):
        scales += colour.impossible(domain, question.possible, single)
    for wrong in dict.fromkeys(scales):
        short = entry.domain and wrong.place == ".domain"
        mistakes.append(wrong.below("" if short else ".color_scale"))
    return mistakes


def _one_unit(entry: Entry) -> Iterator[Rule]:
    """Colours in common of metrics without a common unit."""
    units = {}
    for metric_word, question in entry.question.by_metric().items():
        units[metric_word] = (
            "%" if is_share(metric_word) else metric(metric_word).unit_of,
            question.own_unit,
        )
    first = next(iter(units), "")
    second = next((metric_word for metric_word in units if units[metric_word] != units[first]), "")
    shared_by = {"shared": "all", "row": entry.row, "column": entry.column}.get(entry.scale or "")
    no_unit = f"{first} and {second} have no unit in common"
    yield ".scale", f"{entry.scale!r}: {no_unit}; write independent", second and shared_by
    domain = entry.color(first).domain
    key = ".domain" if entry.domain else ".color_scale.domain"
    yield key, f"{domain}: {no_unit}, and each panel has its own ends; remove it", second and domain


def _wrapped_panel_rules(entry: Entry, question: Question) -> Iterator[Rule]:
    """Keys of wrapped panels beside `row` or `column`, and a scale without its column."""
    rows_or_columns = entry.row or entry.column
    metrics = question.several and rows_or_columns  # they are the other direction
    split = entry.scale in ("row", "column") and not (getattr(entry, entry.scale) or metrics)
    why = f"{entry.scale!r} without {entry.scale}: name the column that it shows"
    yield ".scale", why, split
    direction = "row" if entry.row else "column"
    why = f"{entry.panel!r} beside {direction}: one makes a list of panels, one a grid; remove one"
    yield ".panel", why, rows_or_columns and entry.panel
    why = f"{entry.columns} beside {direction}: it is for the list of `panel`; remove it"
    yield ".columns", why, rows_or_columns and entry.columns is not None


def _block_rules(entry: Entry, question: Question) -> Iterator[Rule]:
    key = question.keys["y" if question.rows_split else "x"]
    for key_word in ("panel", "row", "column"):
        column = getattr(entry, key_word)
        why = (
            f"beside nested axes ({key}): they make the blocks of one strip; put {column!r} in the "
            "list, or remove one of them"
        )
        yield f".{key_word}", f"{column!r} {why}", column
    for key_word in ("columns", "letters"):
        value = getattr(entry, key_word)
        why = f"it is for panels, but nested axes ({key}) make blocks of one strip"
        yield f".{key_word}", f"{value!r}: {why}", value is not None
    axis = {"row": "y", "column": "x"}.get(entry.scale or "", "")
    why = f"{entry.scale!r}: it needs a second column in encoding.{axis}"
    yield ".scale", why, axis and len(axis_columns(getattr(entry.encoding, axis))) == 1
